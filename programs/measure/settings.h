/* blockdct-measure: what is asked of each frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_SETTINGS_H
#define MEASURE_SETTINGS_H

#include <gst/video/video.h>
#include "row.h"

G_BEGIN_DECLS

/** What a transform's steps come from: its QP, or a quality. */
EncoderScale measure_scale (BdctTransform transform);

/** The quality, or the QP. */
gint measure_setting (const BdctParams * params);

/** By its name; BDCT_N_TRANSFORMS if there is none of it. */
BdctTransform measure_find_transform (const gchar * name);

/** The numbers, gint, of a list of numbers and ranges (`50`, `1-100`,
 * `10-50:5`) that an option was given, from low to high, each once. NULL with
 * the range named if one is outside it. */
GArray *measure_numbers_new (const gchar * option, const gchar * text,
    gint min, gint max, GError ** error);

/** BdctParams of each transform and setting: transforms in the table's order,
 * settings from low to high. `transforms` is a list of names or "all", NULL is
 * none; `numbers` are those of qualities and of
 * QPs, NULL is the element's default or, if `whole`, all there are. NULL, with
 * the value and its range named, if one is wrong. `used` receives which of the
 * two the transforms have. */
GArray *measure_settings_new (const gchar * transforms,
    const gchar * const numbers[2], gboolean whole, gboolean used[2],
    GError ** error);

/** GstVideoFormats from a list of names, none for NULL. */
GArray *measure_formats_new (const gchar * names, GError ** error);

/** The format that pictures are measured in where none was asked for: their
 * own, if that can be measured, else the nearest one that has planes. With
 * `planes` R, G and B cannot be measured as they are. */
GstVideoFormat measure_choose_format (const GstVideoInfo * decoded,
    gboolean planes);

/** The planes that R, G and B become, by "4:2:0" and so on; NULL is that. */
gboolean measure_find_subsampling (const gchar * name,
    BdctChromaFormat * subsampling, GError ** error);

/** What a row calls a format, interned: its name or, of R, G and B, whose order
 * makes no difference, "RGB 4:2:0" and so on. */
const gchar *measure_format_name (GstVideoFormat format,
    BdctChromaFormat subsampling);

G_END_DECLS
#endif
