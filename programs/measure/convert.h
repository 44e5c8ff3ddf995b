/* blockdct-measure: converts decoded pictures to the format in which they are
 * measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_CONVERT_H
#define MEASURE_CONVERT_H

#include <gst/video/video.h>

G_BEGIN_DECLS

/* A conversion, zeroed at first. */
typedef struct
{
  GstVideoInfo decoded, info;   /* of its input, and of its output */
  GstVideoConverter *converter; /* NULL: pictures are not converted */
} MeasureConversion;

/* Read the format of a sample's pictures; FALSE if it is unknown. */
gboolean measure_read_caps (GstSample * sample, GstVideoInfo * info,
    GError ** error);

/* Whether pictures have the same format and size. */
gboolean measure_is_same_picture (const GstVideoInfo * a,
    const GstVideoInfo * b);

/* Set an error: frame `index` has another format than those before it. */
void measure_refuse_change (const GstVideoInfo * info,
    const GstVideoInfo * before, gint64 index, GError ** error);

/* Set a conversion up: to a format with the same colours, or with JPEG's if
 * the input is RGB. FALSE if it is not possible. */
gboolean measure_conversion_set (MeasureConversion * conversion,
    const GstVideoInfo * decoded, GstVideoFormat format, GError ** error);

/* Convert a picture; returns it with a reference, or NULL with an error.
 * `allocator` may be NULL. */
GstBuffer *measure_conversion_run (MeasureConversion * conversion,
    GstBuffer * buffer, GstAllocator * allocator, GError ** error);

void measure_conversion_clear (MeasureConversion * conversion);

G_END_DECLS
#endif
