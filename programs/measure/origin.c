/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "origin.h"

#include <stdio.h>
#include <string.h>
#include <blockdct/blockdct.h>
#include "jpeg/origin.h"
#include "convert.h"
#include "error.h"
#include "files.h"
#include "source.h"

/* The sides of the part that is looked at beside a measurement. */
#define PART 512

static gchar *
name_tables (gint preset, gint quality)
{
  return preset < 0 ? g_strdup ("tables of its own")
      : g_strdup_printf ("%s quality %d", bdct_preset_info (preset)->name,
      quality);
}

static void
append_steps (GString * text, const gchar * name, const uint16_t steps[64])
{
  g_string_append_printf (text, "\n  %s:", name);
  for (guint k = 0; k < 64; k++)
    g_string_append_printf (text, k % 8 == 0 ? "\n   %4u" : "%4u", steps[k]);
}

/* What is known of a file; `whole`: with tables that have no name. */
static gchar *
tell (const JpegOrigin * origin, gboolean whole)
{
  static const gchar *const samplings[2][2] = {
    {"4:4:4", "4:4:0"}, {"4:2:2", "4:2:0"}
  };
  gchar *tables = name_tables (origin->preset, origin->quality);
  GString *text = g_string_new (tables);

  g_free (tables);
  if (origin->h > 0)
    g_string_append_printf (text, ", %s", samplings[origin->h - 1][origin->v
            - 1]);
  if (origin->left > 0 || origin->top > 0)
    g_string_append_printf (text, ", its first whole block at %d, %d",
        origin->left, origin->top);
  if (whole && origin->preset < 0) {
    append_steps (text, "luma's steps, 0 where unknown", origin->steps[0]);
    if (origin->h > 0)
      append_steps (text, "chroma's", origin->steps[1]);
  }
  return g_string_free (text, FALSE);
}

/* Find the origin of a picture, or of its middle, `side` pixels wide and high
 * at most, on a grid of `side`'s divisors. */
static gboolean
find (JpegOrigin * origin, GstSample * sample, gint side, GError ** error)
{
  MeasureConversion conversion = { 0 };
  JpegOriginPicture picture;
  GstBuffer *buffer = NULL;
  GstVideoInfo info;
  GstVideoFrame frame;
  BdctError reason;
  gboolean ok;

  if (!measure_read_caps (sample, &info, error))
    return FALSE;
  if (GST_VIDEO_INFO_COMP_DEPTH (&info, 0) != 8
      || !(GST_VIDEO_INFO_IS_RGB (&info) || GST_VIDEO_INFO_IS_GRAY (&info)))
    return measure_fail (error, "it does not decode to R, G and B or to grey "
        "of 8 bits");
  if (!measure_conversion_set (&conversion, &info, GST_VIDEO_INFO_IS_RGB (&info)
          ? GST_VIDEO_FORMAT_RGB : GST_VIDEO_FORMAT_GRAY8, error))
    return FALSE;
  buffer = measure_conversion_run (&conversion, gst_sample_get_buffer (sample),
      NULL, error);
  ok = buffer != NULL && gst_video_frame_map (&frame, &conversion.info, buffer,
      GST_MAP_READ);
  if (ok) {
    const gint x = info.width > side ? (info.width - side) / 32 * 16 : 0;
    const gint y = info.height > side ? (info.height - side) / 32 * 16 : 0;

    picture.components = GST_VIDEO_INFO_IS_RGB (&info) ? 3 : 1;
    picture.stride = GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);
    picture.data = (const uint8_t *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
        + y * picture.stride + x * picture.components;
    picture.width = MIN (info.width, side);
    picture.height = MIN (info.height, side);
    ok = jpeg_origin_find (origin, &picture, &reason)
        || measure_fail (error, reason.message);
    gst_video_frame_unmap (&frame);
  }
  gst_clear_buffer (&buffer);
  measure_conversion_clear (&conversion);
  return ok;
}

gchar *
measure_origin_of_picture (GstSample * sample)
{
  JpegOrigin origin;

  return find (&origin, sample, PART, NULL) ? tell (&origin, FALSE) : NULL;
}

/* Whether a file begins as a JPEG file does. */
static gboolean
is_jpeg (const gchar * path)
{
  /* Opening a FIFO might block for ever. */
  FILE *file = g_file_test (path, G_FILE_TEST_IS_REGULAR)
      ? fopen (path, "rb") : NULL;
  const gboolean is = file != NULL && getc (file) == 0xff
      && getc (file) == 0xd8;

  if (file != NULL)
    fclose (file);
  return is;
}

gchar *
measure_origin_of_file (const gchar * path)
{
  gchar *text = NULL, *data;
  BdctTables tables;
  gsize size;

  /* Its tables may stand behind any amount of metadata. */
  if (!is_jpeg (path) || !g_file_get_contents (path, &data, &size, NULL))
    return NULL;
  if (bdct_tables_parse (data, size, &tables, NULL)) {
    JpegOrigin origin;

    for (guint k = 0; k < 128; k++)
      origin.steps[k / 64][k % 64] = tables.steps[k % tables.n_steps];
    jpeg_origin_name (&origin, tables.n_steps / 64);
    text = name_tables (origin.preset, origin.quality);
  }
  g_free (data);
  return text;
}

/* Print a file's line. FALSE with an error if it cannot be read. */
static gboolean
print (const MeasureFile * file, gint limit, GError ** error)
{
  gchar *text = measure_origin_of_file (file->path);
  MeasureSource *source;
  GstSample *sample;
  gint stop = 0;

  if (text != NULL) {
    g_print ("%s: a JPEG file, %s\n", file->name, text);
    g_free (text);
    return TRUE;
  }
  source = measure_source_new (file->path, limit);
  sample = measure_source_pull (source, &stop, error);
  if (sample != NULL) {
    GError *reason = NULL;
    JpegOrigin origin;

    if (find (&origin, sample, G_MAXINT, &reason)) {
      text = tell (&origin, TRUE);
      g_print ("%s: decoded from a JPEG file, %s\n", file->name, text);
      g_free (text);
    } else {
      g_print ("%s: not known: %s\n", file->name, reason->message);
      g_error_free (reason);
    }
    gst_sample_unref (sample);
  }
  measure_source_free (source);
  return sample != NULL;
}

gboolean
measure_origin_print (GArray * files, gint limit)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < files->len; i++) {
    const MeasureFile *file = &g_array_index (files, MeasureFile, i);
    GError *error = NULL;

    if (print (file, limit, &error))
      continue;
    g_printerr ("blockdct-measure: %s: %s\n", file->name, error->message);
    g_error_free (error);
    ok = FALSE;
  }
  return ok;
}
