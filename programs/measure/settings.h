/* blockdct-measure: the settings with which each frame is measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_SETTINGS_H
#define MEASURE_SETTINGS_H

#include <gst/video/video.h>
#include "row.h"

G_BEGIN_DECLS

/* The scale of a transform's steps: QP, or quality. */
EncoderScale measure_scale (BdctTransform transform);

/* The quality, or the QP. */
gint measure_setting (const BdctParams * params);

/* Find a transform by its name; BDCT_N_TRANSFORMS: there is none. */
BdctTransform measure_find_transform (const gchar * name);

/* Parse an option's list of numbers and ranges (`50`, `1-100`, `10-50:5`) into
 * an array of gint, sorted and without duplicates. NULL with an error that
 * names the range if a number is outside it. */
GArray *measure_numbers_new (const gchar * option, const gchar * text,
    gint min, gint max, GError ** error);

/* BdctParams of each transform and setting: transforms in the table's order,
 * settings from low to high. `transforms` is a list of names or "all"; NULL:
 * none. `numbers` are the lists of qualities and of QPs; NULL: the element's
 * default or, with `whole`, all. `used` receives which of the two scales the
 * transforms have. NULL with an error that names the wrong value and its
 * range. */
GArray *measure_settings_new (const gchar * transforms,
    const gchar * const numbers[2], gboolean whole, gboolean used[2],
    GError ** error);

/* Parse a list of names into an array of GstVideoFormat; empty for NULL. */
GArray *measure_formats_new (const gchar * names, GError ** error);

/* The format in which pictures are measured unless one is given: their own, if
 * it can be measured, else the nearest planar one. With `planes`, R, G and B
 * cannot be measured directly. */
GstVideoFormat measure_choose_format (const GstVideoInfo * decoded,
    gboolean planes);

/* Parse the subsampling of the planes that R, G and B become, such as "4:2:0",
 * which is the default for NULL. */
gboolean measure_find_subsampling (const gchar * name,
    BdctChromaFormat * subsampling, GError ** error);

/* A format's name in rows, interned; for R, G and B, whose order makes no
 * difference, such as "RGB 4:2:0". */
const gchar *measure_format_name (GstVideoFormat format,
    BdctChromaFormat subsampling);

G_END_DECLS
#endif
