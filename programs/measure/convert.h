/* blockdct-measure: decoded pictures in the format they are measured in.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_CONVERT_H
#define MEASURE_CONVERT_H

#include <gst/video/video.h>

G_BEGIN_DECLS

/** It begins as zeros. */
typedef struct
{
  GstVideoInfo decoded, info;   /* what comes, and what becomes of it */
  GstVideoConverter *converter; /* NULL: it stays as it is */
} MeasureConversion;

/** Read what a sample's pictures are; FALSE if that is of no known format. */
gboolean measure_read_caps (GstSample * sample, GstVideoInfo * info,
    GError ** error);

/** Whether pictures are of the same format and size. */
gboolean measure_is_same_picture (const GstVideoInfo * a,
    const GstVideoInfo * b);

/** An error: frame `index` is not like those before it. */
void measure_refuse_change (const GstVideoInfo * info,
    const GstVideoInfo * before, gint64 index, GError ** error);

/** Have pictures become those of a format: the same colours, but JPEG's if they
 * were RGB. FALSE if they cannot. */
gboolean measure_conversion_set (MeasureConversion * conversion,
    const GstVideoInfo * decoded, GstVideoFormat format, GError ** error);

/** A picture's, with a reference; NULL with the reason. `allocator` may be
 * NULL. */
GstBuffer *measure_conversion_run (MeasureConversion * conversion,
    GstBuffer * buffer, GstAllocator * allocator, GError ** error);

void measure_conversion_clear (MeasureConversion * conversion);

G_END_DECLS
#endif
