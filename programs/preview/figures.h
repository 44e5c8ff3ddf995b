/* blockdct-preview: the figures of frames that can be plotted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_FIGURES_H
#define PREVIEW_FIGURES_H

#include <gst/gst.h>

G_BEGIN_DECLS
#define PREVIEW_N_FIGURES 9
#define PREVIEW_N_LINES 5
/** The last line is B's. */
#define PREVIEW_LINE_B (PREVIEW_N_LINES - 1)
/** A figure: of the whole frame, or of its luma, of planes, and of B. */
    typedef struct
{
  const gchar *name, *unit;
  const gchar *field[PREVIEW_N_LINES];  /* of messages; NULL: none */
  gdouble scale;                /* of a field's value */
} PreviewFigure;

extern const PreviewFigure preview_figures[PREVIEW_N_FIGURES];

/** A field of a message as a number; NAN without the field. */
gdouble preview_get_number (const GstStructure * s, const gchar * field);

G_END_DECLS
#endif
