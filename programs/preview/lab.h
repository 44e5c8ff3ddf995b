/* blockdct-preview: one frame, once more.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_LAB_H
#define PREVIEW_LAB_H

#include <gst/gst.h>

G_BEGIN_DECLS
/** What a blockdct with the settings of `dct`, but for `changes` (NAME=VALUE,
 * up to NULL), makes of `frame`; from any thread. `figures` and, if `changes`
 * have a curve, `curve` receive the messages, unless they are NULL. NULL with
 * an error. */
    GstSample * preview_lab_run (GstElement * dct, GstSample * frame,
    const gchar * const *changes, GstStructure ** figures,
    GstStructure ** curve, GError ** error);

G_END_DECLS
#endif
