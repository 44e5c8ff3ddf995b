/* blockdct-preview: pictures in files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_SAVE_H
#define PREVIEW_SAVE_H

#include <gst/gst.h>

G_BEGIN_DECLS
    typedef enum
{
  PREVIEW_SAVE_VIEW,            /* as it is shown, in its own size */
  PREVIEW_SAVE_ORIGINAL,
  PREVIEW_SAVE_RECONSTRUCTION
} PreviewSave;

/** Write what `dct` makes of `frame` as a PNG with 8 bits a sample; FALSE with
 * an error. */
gboolean preview_save (GstElement * dct, GstSample * frame, PreviewSave what,
    const gchar * path, GError ** error);

G_END_DECLS
#endif
