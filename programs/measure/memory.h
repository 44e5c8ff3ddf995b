/* blockdct-measure: reports that a picture does not fit into memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_MEMORY_H
#define MEASURE_MEMORY_H

#include <glib.h>

G_BEGIN_DECLS

/* Install an allocator that fails when there is no memory for a large buffer,
 * where GStreamer's would abort the program. */
void measure_memory_init (void);

/* If an allocation has failed since the last call, replace the error, which
 * elements have set in consequence, by one that says so. FALSE if none has
 * failed. */
gboolean measure_memory_explain (GError ** error);

G_END_DECLS
#endif
