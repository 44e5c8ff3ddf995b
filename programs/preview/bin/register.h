/* blockdct-preview: its elements: the bin blockdctpage, and those that make it
 * up, in place of the plugin's. The bin reads their private state, so they come
 * from the program itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_PREVIEW_REGISTER_H
#define BLOCKDCT_PREVIEW_REGISTER_H

#include <glib.h>

G_BEGIN_DECLS

/* Register them, after gst_init(); more calls do nothing. */
void preview_bin_register (void);

G_END_DECLS
#endif
