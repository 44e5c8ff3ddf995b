/* blockdct: presets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PRESET_H
#define GST_BLOCKDCT_PRESET_H

#include <glib.h>

G_BEGIN_DECLS

/* Initialise the element's GstPresetInterface. */
void gst_blockdct_preset_init (gpointer iface, gpointer data);

G_END_DECLS
#endif
