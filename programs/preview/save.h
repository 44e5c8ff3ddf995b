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
  PREVIEW_SAVE_A,               /* these at 1:1, without grid and text */
  PREVIEW_SAVE_B,
  PREVIEW_SAVE_ORIGINAL
} PreviewSave;

/** Write what `dct` makes of `frame` as a PNG with 8 bits a sample; FALSE with
 * an error, as where there is no B. */
gboolean preview_save (GstElement * dct, GstSample * frame, PreviewSave what,
    const gchar * path, GError ** error);

G_END_DECLS
#endif
