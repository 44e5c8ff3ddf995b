/* blockdct-preview: what is shown, for elsewhere.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_RECIPE_H
#define PREVIEW_RECIPE_H

#include "source.h"

G_BEGIN_DECLS
/** A line for a shell that shows the same: `source` is what
 * preview_source_new() made of `options`, `still` one picture; the settings are
 * those of `dct`. The caller's. */
    gchar * preview_recipe_for_shell (const PreviewOptions * options,
    GstElement * source, gboolean still, GstElement * dct);

/** The same as a program in Python. */
gchar *preview_recipe_for_python (const PreviewOptions * options,
    GstElement * source, gboolean still, GstElement * dct);

G_END_DECLS
#endif
