/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preview.h"

/* For what a frame that is shown once a second must show. */
#define PATIENCE (30 * G_TIME_SPAN_SECOND)

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

gboolean
preview_is_repeated (GstBuffer * buffer)
{
  return gst_buffer_get_custom_meta (buffer, "blockdct-repeated") != NULL;
}

GObject *
preview_get_child (GstElement * preview, const gchar * name)
{
  return gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (preview), name);
}

/* gst_parse_launch() of 1.22 leaks a child whose property a line sets. */
void
preview_set_child (GstElement * preview, const gchar * child,
    const gchar * property, const gchar * value)
{
  GObject *object = preview_get_child (preview, child);

  gst_util_set_object_arg (object, property, value);
  g_object_unref (object);
}

GstElement *
preview_start (Duel * duel, GstVideoInfo * info, const gchar * view, gint right,
    gboolean freeze)
{
  static const gchar *const children[] = { "a", "b", "compare" };
  GstElement *preview;

  duel_launch (duel, "appsrc name=in format=time max-bytes=0 ! "
      "blockdctpage name=preview ! appsink name=out sync=false "
      "max-buffers=0");
  duel->n_inputs = 1;
  duel->input[0] = gst_bin_get_by_name (GST_BIN (duel->pipeline), "in");
  preview = gst_bin_get_by_name (GST_BIN (duel->pipeline), "preview");
  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    preview_set_child (preview, children[i], "backend", test_backend ());
  preview_set_child (preview, "a", "quality", "20");
  preview_set_child (preview, "compare", "view", view);
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::right", right,
      NULL);
  g_object_set (preview, "freeze", freeze, NULL);
  video_info (info, "I420", PREVIEW_WIDTH, PREVIEW_HEIGHT);
  duel_set_caps (duel, 0, info);
  gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
  return preview;
}

void
preview_stop (Duel * duel, GstElement * preview)
{
  gst_object_unref (preview);
  duel_clear (duel);
}

gboolean
preview_is_coded (const GstVideoInfo * info, GstBuffer * buffer, guint n,
    gint quality)
{
  BdctParams params = defaults;
  GstBuffer *in = frame_new (info, n), *expected;
  BdctStats stats;
  GstMapInfo map;
  gboolean same;

  params.quality = quality;
  expected = frame_expect (info, in, &params, &stats);
  g_assert_true (gst_buffer_map (expected, &map, GST_MAP_READ));
  same = gst_buffer_get_size (buffer) == map.size
      && gst_buffer_memcmp (buffer, 0, map.data, map.size) == 0;
  gst_buffer_unmap (expected, &map);
  gst_buffer_unref (expected);
  gst_buffer_unref (in);
  return same;
}

void
preview_wait_for_repeat (Duel * duel, const GstVideoInfo * info, guint n,
    gint quality)
{
  const gint64 end = g_get_monotonic_time () + PATIENCE;
  gboolean found = FALSE;

  while (!found) {
    GstBuffer *out = duel_pull (duel);

    g_assert_cmpint (g_get_monotonic_time (), <, end);
    g_assert_nonnull (out);
    g_assert_true (preview_is_repeated (out));
    g_assert_false (GST_BUFFER_PTS_IS_VALID (out));
    found = preview_is_coded (info, out, n, quality);
    gst_buffer_unref (out);
  }
}

GstBuffer *
preview_pull_new (Duel * duel)
{
  const gint64 end = g_get_monotonic_time () + PATIENCE;
  GstBuffer *out = duel_pull (duel);

  while (out != NULL && preview_is_repeated (out)) {
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    gst_buffer_unref (out);
    out = duel_pull (duel);
  }
  return out;
}
