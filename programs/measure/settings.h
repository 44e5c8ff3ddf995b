/* blockdct-measure: what is asked of each frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_SETTINGS_H
#define MEASURE_SETTINGS_H

#include <gst/video/video.h>
#include "dct/job.h"

G_BEGIN_DECLS

/** Whether a transform's steps come from its QP; else from a quality. */
gboolean measure_has_qp (BdctTransform transform);

/** The quality, or the QP. */
gint measure_setting (const BdctParams * params);

/** By its name; BDCT_N_TRANSFORMS if there is none of it. */
BdctTransform measure_find_transform (const gchar * name);

/** BdctParams of each transform and setting: transforms in the table's order,
 * settings from low to high. `transforms` is a list of names or "all", the
 * others are lists of numbers and ranges (`50`, `1-100`, `10-50:5`); NULL is
 * the element's default or, if `whole`, all there are. NULL, with the value and
 * its range named, if one is wrong. */
GArray *measure_settings_new (const gchar * transforms, const gchar * quality,
    const gchar * qp, gboolean whole, GError ** error);

/** GstVideoFormats from a list of names, none for NULL. */
GArray *measure_formats_new (const gchar * names, GError ** error);

/** What a decoder's pictures are measured in where no format was asked for:
 * the decoder's own, or what with planes comes next to it. */
GstVideoFormat measure_choose_format (const GstVideoInfo * decoded);

/** The planes that R, G and B become, by "4:2:0" and so on; NULL is that. */
gboolean measure_find_subsampling (const gchar * name,
    BdctChromaFormat * subsampling, GError ** error);

/** What a row calls a format, interned: its name or, of R, G and B, whose order
 * makes no difference, "RGB 4:2:0" and so on. */
const gchar *measure_format_name (GstVideoFormat format,
    BdctChromaFormat subsampling);

G_END_DECLS
#endif
