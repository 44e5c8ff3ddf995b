/* blockdct-measure: rate-distortion curves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_PLOT_H
#define MEASURE_PLOT_H

#include "row.h"

G_BEGIN_DECLS

/* Whether this build can draw, and whether a file's name ends in .svg, .png or
 * .pdf. FALSE with an error. */
gboolean measure_plot_check (const gchar * path, GError ** error);

/* Draw a metric's main figure, or for -1 the PSNR, over the bits a luma
 * sample: a line for each file, transform and format and, with several files, a
 * thick line for all of them pooled. Rows of single frames are left out. */
gboolean measure_plot_draw (const gchar * path, const GArray * rows,
    gint metric, GError ** error);

G_END_DECLS
#endif
