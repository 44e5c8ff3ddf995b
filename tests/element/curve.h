/* blockdct element tests: frames at many settings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ELEMENT_CURVE_H
#define TESTS_ELEMENT_CURVE_H

#include "bench.h"

#define MAX_SETTINGS 100
#define WIDTH 45
#define HEIGHT 27

gboolean has_qp (BdctTransform transform);
const gchar *setting_name (BdctTransform transform);

/* Another one than the default, where the transform has any: all that chooses
 * settings has to keep the rest. */
void set_deadzone (Bench * bench, BdctTransform transform);

/* What a frame costs and loses at each setting, by single runs; `[0]` is the
 * lowest setting. Returns how many there are. */
gint run_all (const gchar * format, guint n, BdctTransform transform,
    GstStructure * reports[MAX_SETTINGS]);
void free_all (GstStructure ** reports, gint n);

void set_curve (Bench * bench, const gint * settings, guint n);

/* The next message, which must be a curve; with `index` below 0 no curve may
 * be left. */
GstStructure *pop_curve (Bench * bench, gint64 index);

/* The next warning has both texts, and is the last. */
void assert_warning (Bench * bench, const gchar * part, const gchar * other);

#endif
