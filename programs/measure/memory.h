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

/** The bytes of the last thing that had none, since this was last asked; 0. */
gsize measure_memory_take_refused (void);

G_END_DECLS
#endif
