/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pictures that came out, and what was said of them. */
#include "preview.h"

#include <math.h>
#include <string.h>
#include "tests/element/duel.h"

static void
read_samples (const Frame * frame, GstBuffer * buffer, Samples * samples)
{
  const gchar *why;

  check (picture_read (&frame->shape, &frame->info, buffer, samples, &why),
      "a picture %s", why);
}

/* The first sample from column `from` to before `to` that is another picture's;
 * NULL: there is none. */
static gchar *
find_difference (const Frame * frame, const Samples * got, GstBuffer * picture,
    gint from, gint to, const gchar * what)
{
  const Shape *s = &frame->shape;
  Samples samples;
  gchar *found = NULL;

  if (picture == NULL || from >= to)
    return NULL;
  read_samples (frame, picture, &samples);
  if (s->rgb != NULL && memcmp (samples.pixels, got->pixels,
          (gsize) s->n_planes * s->row[0] * s->height) != 0)
    found = g_strdup_printf ("pixels of a picture of %s", s->format);
  for (gint c = 0; c < s->n_components && s->rgb == NULL; c++)
    for (gint i = 0; i < s->w[c] * s->h[c] && found == NULL; i++) {
      const gint sub = c > 0 ? s->sub_x : 0, x = i % s->w[c];

      if (x << sub < from || MIN ((x + 1) << sub, s->width) > to
          || samples.v[c][i] == got->v[c][i])
        continue;
      found = g_strdup_printf ("component %d (%d, %d) of the %s picture is %d, "
          "not %d, in %s %dx%d", c, x, i / s->w[c], what, got->v[c][i],
          samples.v[c][i], s->format, s->width, s->height);
    }
  samples_clear (&samples);
  return found;
}

gchar *
check_output (const Expected * e, const Output * output)
{
  const Frame *frame = e->frame;
  GstVideoInfo info;
  Samples samples;
  gchar *found;

  if (output->caps == NULL || !gst_video_info_from_caps (&info, output->caps))
    return g_strdup ("no caps");
  if (!gst_video_info_is_equal (&info, &frame->info) && !on_cuda ())
    return g_strdup_printf ("caps of a %dx%d picture, not %dx%d", info.width,
        info.height, frame->info.width, frame->info.height);
  if (e->left == NULL && e->right == NULL)
    return NULL;
  read_samples (frame, output->buffer, &samples);
  found = find_difference (frame, &samples, e->left, 0, e->line, "left");
  if (found == NULL)
    found = find_difference (frame, &samples, e->right, e->end,
        frame->shape.width, "right");
  samples_clear (&samples);
  return found;
}

/* Fields that say when, and not what. */
static gboolean
is_time (const gchar * name)
{
  static const gchar *const names[] = { "timestamp", "stream-time",
    "running-time", "duration", "index", "backend"
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i]) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
check_field (GQuark id, const GValue * value, gpointer got)
{
  const gchar *name = g_quark_to_string (id);
  const GValue *other = gst_structure_id_get_value (got, id);

  check (is_time (name) || (other != NULL
          && gst_value_compare (value, other) == GST_VALUE_EQUAL),
      "%s is another than a blockdct alone says: %s", name,
      gst_structure_to_string (got));
  return TRUE;
}

void
check_metas (const Expected * e, const Output * output)
{
  GstStructure *of_a = duel_figures (output->buffer, "dist_sink");
  GstCustomMeta *meta =
      gst_buffer_get_custom_meta (output->buffer, "blockdct");

  check ((of_a != NULL) == e->counts[COUNT_COMPARE_A],
      "compare's figures of A are there or not");
  check ((duel_figures (output->buffer, "dist_sink_1") != NULL)
      == e->counts[COUNT_COMPARE_B],
      "compare's figures of B are there or not");
  if (of_a != NULL && !isnan (e->psnr))
    expect_double (of_a, "psnr", e->psnr);
  if (e->figures == NULL)
    return;
  check (meta != NULL, "a picture that passes has no figures");
  gst_structure_foreach (e->figures, check_field,
      gst_custom_meta_get_structure (meta));
}

/* Messages */

static gint
find_count (World * w, GstMessage * message)
{
  const GstStructure *s = gst_message_get_structure (message);
  GstObject *src = GST_MESSAGE_SRC (message);

  if (gst_structure_has_name (s, "blockdct-compare"))
    return g_strcmp0 (gst_structure_get_string (s, "pad"), "dist_sink") == 0
        ? COUNT_COMPARE_A : COUNT_COMPARE_B;
  if (!gst_structure_has_name (s, "blockdct"))
    return -1;
  return src == GST_OBJECT (w->child[CHILD_A]) ? COUNT_A : COUNT_B;
}

static void
check_report (World * w, GstMessage * message)
{
  const GstStructure *s = gst_message_get_structure (message);
  const gint n = find_count (w, message);
  const gchar *type;
  gboolean repeated = FALSE;

  if (n < 0)
    return;
  type = gst_structure_get_string (s, "type");
  gst_structure_get_boolean (s, "repeated", &repeated);
  if (strcmp (type, "pooled") == 0)
    w->pooled[n] += field_uint64 (s, "frames");
  else if (!repeated)
    w->said[n]++;
  check (!repeated || strcmp (type, "frame") == 0,
      "a message of type %s is of a repeated frame", type);
}

/* Inputs that are copies of one stream differ in nothing. */
static void
check_warning (const gchar * text)
{
  static const gchar *const parts[] = { "partner", "differ in",
    "no timestamps", "waits", "is full"
  };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    check (strstr (text, parts[i]) == NULL, "a warning: %s", text);
}

void
check_message (World * w, GstMessage * message)
{
  GError *error = NULL;
  gchar *debug = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      check_report (w, message);
      break;
    case GST_MESSAGE_ERROR:
      message_parse (message, &error, &debug);
      fail ("an error: %s (%s)", error->message, debug);
      break;
    case GST_MESSAGE_WARNING:
      message_parse (message, &error, &debug);
      check_warning (error->message);
      break;
    default:
      break;
  }
  g_clear_error (&error);
  g_free (debug);
}

static void
check_frames (const GstStructure * s, guint64 expected, const gchar * what)
{
  const guint64 n = field_uint64 (s, "frames");

  check (n == expected, "%s has %" G_GUINT64_FORMAT " frames in its statistics,"
      " not %" G_GUINT64_FORMAT, what, n, expected);
}

/* A frame counts once, however often it is shown. */
void
check_stats (World * w)
{
  static const gchar *const names[] = { "A", "B" };
  static const gchar *const pads[] = { "dist_sink", "dist_sink_1" };
  GstStructure *s;

  if (!w->playing)
    return;
  for (guint i = 0; i < 2; i++) {
    g_object_get (w->child[CHILD_A + i], "stats", &s, NULL);
    check_frames (s, w->count[COUNT_A + i], names[i]);
    gst_structure_free (s);
    g_object_get (w->child[CHILD_COMPARE], "stats", &s, NULL);
    if (gst_structure_has_field (s, pads[i])) {
      const GstStructure *of_pad = gst_value_get_structure
          (gst_structure_get_value (s, pads[i]));

      check_frames (of_pad, w->count[COUNT_COMPARE_A + i], pads[i]);
      expect_uint64 (of_pad, "unmatched", 0);
    }
    gst_structure_free (s);
  }
}
