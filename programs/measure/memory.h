/* blockdct-measure: memory for pictures that may not fit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_MEMORY_H
#define MEASURE_MEMORY_H

#include <glib.h>

G_BEGIN_DECLS

/** Have GStreamer's elements told that there is no memory for something large,
 * where they would end the program. */
void measure_memory_init (void);

/** If something had none since this was last asked, that is the error, instead
 * of what elements complain about then. FALSE if there was nothing. */
gboolean measure_memory_explain (GError ** error);

G_END_DECLS
#endif
