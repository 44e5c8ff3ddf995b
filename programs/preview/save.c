/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "save.h"
#include "encoder.h"
#include "lab.h"

static gboolean
write_png (GstSample * picture, const gchar * path, GError ** error)
{
  PreviewEncoder *encoder = preview_encoder_new (error);
  GBytes *png = encoder == NULL ? NULL
      : preview_encoder_run (encoder, picture, TRUE, error);
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

static gboolean
has_second (GstElement * dct, GError ** error)
{
  gint second;

  g_object_get (dct, "b-transform", &second, NULL);
  if (second == 0)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "There is no B to save: b-transform is none.");
  return second > 0;
}

gboolean
preview_save (GstElement * dct, GstSample * frame, PreviewSave what,
    const gchar * path, GError ** error)
{
#define PLAIN "grid=false", "overlay=false", "zoom=1", "magnifier=false", \
    NULL
  static const gchar *const changes[][6] = {
    [PREVIEW_SAVE_VIEW] = {NULL},
    [PREVIEW_SAVE_A] = {"view=reconstruction", PLAIN},
    [PREVIEW_SAVE_B] = {"view=reconstruction-b", PLAIN},
  };
  GstSample *picture = NULL;
  gboolean ok;

  if (what == PREVIEW_SAVE_ORIGINAL)
    picture = gst_sample_ref (frame);
  else if (what != PREVIEW_SAVE_B || has_second (dct, error))
    picture = preview_lab_run (dct, frame, changes[what], NULL, NULL, error);
  ok = picture != NULL && write_png (picture, path, error);
  g_clear_pointer (&picture, gst_sample_unref);
  return ok;
}
