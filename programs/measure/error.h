/* blockdct-measure: errors of a file's pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_ERROR_H
#define MEASURE_ERROR_H

#include <glib.h>

G_BEGIN_DECLS

/* Set a stream error; returns FALSE. */
gboolean measure_fail (GError ** error, const gchar * message);

G_END_DECLS
#endif
