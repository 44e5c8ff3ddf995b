/* What the programs write to a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROGRAMS_CONSOLE_H
#define PROGRAMS_CONSOLE_H

#include <glib.h>

G_BEGIN_DECLS

/* From now on g_printerr() writes control characters as \x1B: names of files
 * may have some, which a terminal would obey. */
void console_init (void);

G_END_DECLS
#endif
