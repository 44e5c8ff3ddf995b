/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "save.h"
#include "encoder.h"
#include "lab.h"

static gboolean
write_png (GstSample * picture, const gchar * path, GError ** error)
{
  PreviewEncoder *encoder = preview_encoder_new (error);
  GBytes *png = encoder == NULL ? NULL
      : preview_encoder_run (encoder, picture, error);
  gboolean ok = FALSE;

  if (png != NULL) {
    gsize size;
    const gchar *data = g_bytes_get_data (png, &size);

    ok = g_file_set_contents (path, data, size, error);
    g_bytes_unref (png);
  }
  g_clear_pointer (&encoder, preview_encoder_free);
  return ok;
}

gboolean
preview_save (GstElement * dct, GstSample * frame, PreviewSave what,
    const gchar * path, GError ** error)
{
  static const gchar *const as_it_is[] = { NULL };
  static const gchar *const plain[] = { "view=reconstruction", "grid=false",
    "overlay=false", NULL
  };
  GstSample *picture = what == PREVIEW_SAVE_ORIGINAL ? gst_sample_ref (frame)
      : preview_lab_run (dct, frame, what == PREVIEW_SAVE_VIEW ? as_it_is
      : plain, NULL, NULL, error);
  gboolean ok = picture != NULL && write_png (picture, path, error);

  g_clear_pointer (&picture, gst_sample_unref);
  return ok;
}
