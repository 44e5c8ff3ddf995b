/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpage: clicks on the picture, and the message about the block
 * there. */
#include <math.h>
#include <string.h>
#include "preview.h"
#include "programs/preview/bin/register.h"
#include "tests/element/viewer.h"

#define W 320
#define H 200

/* A preview whose frames have this size, with properties of compare. */
static GstElement *
start (Duel * duel, GstVideoInfo * info, const gchar * format, gint width,
    gint height, const gchar * view)
{
  GstElement *preview = preview_start (duel, info, view, 0, FALSE);

  preview_set_child (preview, "compare", "interactive", "true");
  video_info (info, format, width, height);
  duel_set_caps (duel, 0, info);
  return preview;
}

/* Push a frame, which is taken: what comes out, the caller's. */
static GstBuffer *
show (Duel * duel, GstBuffer * buffer)
{
  GstBuffer *out;

  duel_push (duel, 0, buffer);
  out = preview_pull_new (duel);
  g_assert_nonnull (out);
  return out;
}

static void
show_frame (Duel * duel, const GstVideoInfo * info, guint n)
{
  gst_buffer_unref (show (duel, frame_new (info, n)));
}

/* Press and let go at one place, as a hand that trembles does. Clicks go on
 * upstream only where compare does not take them. */
static void
click (GstElement * preview, gdouble x, gdouble y)
{
  viewer_send (preview, viewer_button (TRUE, x, y));
  viewer_send (preview, viewer_button (FALSE, x + 1, y));
}

/* The next message about a block, the caller's. It comes from the bin. */
static GstStructure *
wait_for_block (Duel * duel, GstElement * preview)
{
  GstStructure *s = NULL;

  while (s == NULL) {
    GstMessage *message = duel_wait (duel, GST_MESSAGE_ELEMENT);

    if (gst_message_has_name (message, "blockdct-block")) {
      g_assert_true (GST_MESSAGE_SRC (message) == GST_OBJECT (preview));
      s = gst_structure_copy (gst_message_get_structure (message));
    }
    gst_message_unref (message);
  }
  return s;
}

static void
forget_messages (Duel * duel)
{
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (duel->bus, GST_MESSAGE_ELEMENT)))
    gst_message_unref (message);
}

static void
assert_block (GstStructure * s, const gchar * side, gboolean repeated, gint x,
    gint y, gint size, const gchar * setting, gint value)
{
  g_assert_cmpstr (gst_structure_get_string (s, "side"), ==, side);
  g_assert_cmpint (gst_structure_has_field (s, "repeated"), ==, repeated);
  g_assert_cmpint (get_int (s, "x"), ==, x);
  g_assert_cmpint (get_int (s, "y"), ==, y);
  g_assert_cmpint (get_int (s, "size"), ==, size);
  g_assert_cmpint (get_int (s, setting), ==, value);
  gst_structure_free (s);
}

static gint
get_item (const GstStructure * s, const gchar * name, guint i)
{
  const GValue *v = gst_value_array_get_value (gst_structure_get_value (s,
          name), i);

  return G_VALUE_HOLDS_INT (v) ? g_value_get_int (v)
      : (gint) floor (g_value_get_double (v) + 0.5);
}

/* How many of a dct-8x8 block's samples the CUDA engine may have shown
 * otherwise, each by 1, than the message says, which is in single precision;
 * all 64, by anything, if a coefficient is so near to a threshold (0.002, at 8
 * bits) that it may round either way. The quality is preview_start()'s. */
static gint
may_differ (const GstStructure * s, const gchar * coefficients,
    BdctComponent component, gint depth)
{
  const GValue *array = gst_structure_get_value (s, coefficients);

  for (guint i = 0; i < 64; i++) {
    gint step = bdct_scale_step (bdct_preset_info (BDCT_PRESET_ANNEX_K)
        ->step[component != BDCT_Y][i], 20, depth == 8 ? 255 : BDCT_MAX_STEP);
    gdouble scaled = fabs (g_value_get_double (gst_value_array_get_value
            (array, i))) / step;

    if (fabs (scaled - floor (scaled) - 0.5) * step
        < 0.002 * (1 << (depth - 8)))
      return 64;
  }
  return 8;
}

/* A block's message against the frame that went in and the one that came out
 * (as view=single shows it); (x, y) is luma's sample. */
static void
check_block (const GstVideoInfo * info, const GstStructure * s,
    GstBuffer * in, GstBuffer * rec, gint x, gint y)
{
  static const gchar *const suffixes[] = { "", "-u", "-v" };
  static const gchar *const fields[] = { "x", "y", "size", "samples",
    "reconstruction", "levels", "coefficients"
  };

  for (BdctComponent c = BDCT_Y; c <= BDCT_V; c++) {
    gchar *names[G_N_ELEMENTS (fields)];
    gint w, h, size, left, top, *a, *b, others = 0, most = 0;

    for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
      names[i] = g_strconcat (fields[i], suffixes[c], NULL);
    a = frame_samples (info, in, c, &w, &h);
    b = frame_samples (info, rec, c, &w, &h);
    if (a == NULL) {
      g_assert_false (gst_structure_has_field (s, names[0]));
    } else {
      left = get_int (s, names[0]);
      top = get_int (s, names[1]);
      size = get_int (s, names[2]);
      g_assert_cmpint (left, ==, x * w / info->width / size * size);
      g_assert_cmpint (top, ==, y * h / info->height / size * size);
      for (guint k = 3; k < G_N_ELEMENTS (fields); k++)
        g_assert_cmpint (gst_value_array_get_size (gst_structure_get_value (s,
                    names[k])), ==, size * size);
      if (test_on_cuda ()
          && g_strcmp0 (gst_structure_get_string (s, "transform"), "dct-8x8")
          == 0)
        most = may_differ (s, names[6], c, GST_VIDEO_INFO_COMP_DEPTH (info, 0));
      for (gint i = 0; i < size * size; i++) {
        gint sx = MIN (left + i % size, w - 1);
        gint sy = MIN (top + i / size, h - 1);

        g_assert_cmpint (get_item (s, names[3], i), ==, a[sy * w + sx]);
        if (left + i % size < w && top + i / size < h) {
          gint by = ABS (get_item (s, names[4], i) - b[sy * w + sx]);

          g_assert_true (by <= 1 || most == 64);
          others += by != 0;
        }
      }
      g_assert_cmpint (others, <=, most);
    }
    for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
      g_free (names[i]);
    g_free (a);
    g_free (b);
  }
}

/* Every format, and planes that begin at an odd address: the block under the
 * pointer, at an edge too. */
static void
test_every_format (void)
{
  static const gchar *const transforms[] = { "jpeg-8x8", "hevc-32x32",
    "dct-8x8", "hevc-dst-4x4", "h264-8x8", "vvc-64x64", "hevc-quadtree"
  };
  static const gint places[][2] = { {50, 33}, {138, 89} };

  for (guint i = 0; i < 2 * N_TEST_FORMATS; i++) {
    const guint f = i / 2, odd = i % 2;
    const gchar *transform = transforms[f % G_N_ELEMENTS (transforms)];
    gsize offset[GST_VIDEO_MAX_PLANES];
    GstElement *preview;
    GstBuffer *in, *rec;
    GstVideoInfo info;
    Duel duel;

    preview = start (&duel, &info, test_formats[f].name, 140, 90, "single");
    preview_set_child (preview, "a", "transform", transform);
    for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++)
      offset[p] = info.offset[p] + odd;
    in = frame_new_strided (&info, 7, offset, info.stride, info.size + odd);
    rec = show (&duel, gst_buffer_ref (in));
    for (guint k = 0; k < G_N_ELEMENTS (places); k++) {
      GstStructure *s;

      click (preview, places[k][0] + 0.5, places[k][1]);
      s = wait_for_block (&duel, preview);
      check_block (&info, s, in, rec, places[k][0], places[k][1]);
      g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, 7 * FRAME);
      g_assert_cmpuint (get_uint64 (s, "index"), ==, 0);
      g_assert_cmpstr (gst_structure_get_string (s, "transform"), ==,
          transform);
      gst_structure_free (s);
    }
    gst_buffer_unref (in);
    gst_buffer_unref (rec);
    preview_stop (&duel, preview);
  }
}

/* The block that a click is on is that which is seen there. */
static void
test_views (void)
{
  static const struct
  {
    const gchar *view;
    gdouble position, zoom, zoom_x, x;
    gint block;
  } clicks[] = {
    {"single", 0.5, 4, 0, 100, 96}, {"difference", 0, 4, 0, 100, 24},
    {"difference", 0, 4, 1, 100, 264}, {"wipe", 0, 2.5, 0.5, 318, 216},
    {"side-by-side", 0, 8, 0, 100, 8}, {"side-by-side", 0, 8, 0, 260, 8},
    {"side-by-side", 0, 1, 0, 3, 0}, {"side-by-side", 1, 1, 0, 3, 160},
    {"side-by-side", 1, 1, 0, 163, 160}, {"error-map", 0, 16, 0.5, 0, 144},
    {"flicker", 0, 1, 0, 318, 312},
  };
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = start (&duel, &info, "I420", W, H, "single");
  show_frame (&duel, &info, 0);
  for (guint i = 0; i < G_N_ELEMENTS (clicks); i++) {
    const gdouble zoom = strcmp (clicks[i].view, "single") == 0 ? 1
        : clicks[i].zoom;

    preview_set_child (preview, "compare", "view", clicks[i].view);
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::zoom",
        clicks[i].zoom, "compare::zoom-x", clicks[i].zoom_x, "compare::zoom-y",
        0.0, "compare::wipe-position", clicks[i].position, NULL);
    g_test_message ("%s at %g", clicks[i].view, clicks[i].x);
    click (preview, clicks[i].x, 33);
    assert_block (wait_for_block (&duel, preview), "a", FALSE,
        clicks[i].block, (gint) (33 / zoom) & ~7, 8, "quality", 20);
  }
  preview_stop (&duel, preview);
}

/* A click's block is that of the picture it is on; on the original, the other
 * one's. */
static void
test_sides (void)
{
  static const struct
  {
    const gchar *view;
    gint left, right;
    gdouble x;
    const gchar *side;
  } clicks[] = {
    {"wipe", 0, 1, 5, "a"}, {"wipe", 0, 1, 299, "b"}, {"wipe", 1, 0, 5, "b"},
    {"wipe", 1, 0, 299, "a"}, {"wipe", -1, 1, 5, "b"},
    {"wipe", -1, 1, 299, "b"}, {"wipe", -1, 0, 5, "a"},
    {"wipe", 0, -1, 299, "a"}, {"wipe", 1, -1, 299, "b"},
    {"single", 0, 1, 5, "b"}, {"single", 1, 0, 299, "a"},
    {"single", 1, -1, 5, "b"}, {"single", -1, -1, 5, "a"},
    {"side-by-side", -1, 1, 5, "b"}, {"stacked", 1, 0, 5, "b"},
  };
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = start (&duel, &info, "I420", W, H, "wipe");
  preview_set_child (preview, "b", "transform", "hevc-16x16");
  preview_set_child (preview, "b", "qp", "33");
  for (guint i = 0; i < G_N_ELEMENTS (clicks); i++) {
    const gboolean of_b = strcmp (clicks[i].side, "b") == 0;

    preview_set_child (preview, "compare", "view", clicks[i].view);
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::left",
        clicks[i].left, "compare::right", clicks[i].right,
        "compare::wipe-position", strcmp (clicks[i].view, "wipe") == 0 ? 0.5
        : 0.0, NULL);
    show_frame (&duel, &info, i);
    forget_messages (&duel);
    click (preview, clicks[i].x, 5);
    assert_block (wait_for_block (&duel, preview), clicks[i].side, FALSE,
        (gint) clicks[i].x / (of_b ? 16 : 8) * (of_b ? 16 : 8)
        % (strcmp (clicks[i].view, "side-by-side") == 0 ? W / 2 : W), 0,
        of_b ? 16 : 8, of_b ? "qp" : "quality", of_b ? 33 : 20);
  }
  preview_stop (&duel, preview);
}

/* Other settings have the block that was clicked on told again: that place of
 * the picture, in whichever view, with the figures of a click on it. */
static void
test_follow (void)
{
  GstStructure *s, *clicked;
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = start (&duel, &info, "I420", W, H, "single");
  show_frame (&duel, &info, 0);
  click (preview, 77, 50);
  assert_block (wait_for_block (&duel, preview), "a", FALSE, 72, 48, 8,
      "quality", 20);
  /* Not where only the picture, or the view of it, is another one. */
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::grid", TRUE,
      "compare::zoom", 2.0, NULL);
  preview_set_child (preview, "compare", "view", "side-by-side");
  show_frame (&duel, &info, 1);
  preview_set_child (preview, "a", "quality", "5");
  show_frame (&duel, &info, 2);
  s = wait_for_block (&duel, preview);
  g_assert_cmpuint (get_uint64 (s, "index"), ==, 2);
  preview_set_child (preview, "compare", "view", "single");
  click (preview, 77, 50);
  clicked = wait_for_block (&duel, preview);
  g_assert_cmpint (gst_value_compare (gst_structure_get_value (s, "levels"),
          gst_structure_get_value (clicked, "levels")), ==, GST_VALUE_EQUAL);
  assert_block (clicked, "a", FALSE, 72, 48, 8, "quality", 5);
  assert_block (s, "a", TRUE, 72, 48, 8, "quality", 5);
  /* With blocks of another size: the one that has this place. */
  preview_set_child (preview, "a", "qp", "40");
  preview_set_child (preview, "a", "transform", "hevc-32x32");
  show_frame (&duel, &info, 3);
  assert_block (wait_for_block (&duel, preview), "a", TRUE, 64, 32, 32, "qp",
      40);
  preview_set_child (preview, "a", "transform", "hevc-4x4");
  show_frame (&duel, &info, 4);
  assert_block (wait_for_block (&duel, preview), "a", TRUE, 76, 48, 4, "qp",
      40);
  /* A narrower picture may not have it, or a lower one. */
  for (guint i = 0; i < 2; i++) {
    video_info (&info, "I420", i == 0 ? 64 : W, i == 0 ? H : 40);
    duel_set_caps (&duel, 0, &info);
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::qp", 41 + i, NULL);
    show_frame (&duel, &info, 5 + 2 * i);
    video_info (&info, "I420", W, H);
    duel_set_caps (&duel, 0, &info);
    show_frame (&duel, &info, 6 + 2 * i);
    s = wait_for_block (&duel, preview);
    g_assert_cmpuint (get_uint64 (s, "index"), ==, 6 + 2 * i);
    assert_block (s, "a", TRUE, 76, 48, 4, "qp", 41 + i);
  }
  preview_stop (&duel, preview);
}

/* While the sink is slow, frames wait everywhere: a block is one of the frame
 * that the message names, as the settings of that frame made it. */
static void
test_behind (void)
{
  for (guint depth = 1; depth <= 4; depth += 3) {
    GstElement *preview;
    GstBuffer *in, *rec;
    GstVideoInfo info;
    GstStructure *s;
    BdctStats stats;
    Duel duel;

    preview = start (&duel, &info, "I420", W, H, "wipe");
    gst_element_set_state (duel.pipeline, GST_STATE_NULL);
    g_object_set (duel.sink, "max-buffers", 1, NULL);
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::async-depth", depth,
        "b::async-depth", depth, "compare::left", 0, "compare::right", 1,
        "b::quality", 60, NULL);
    gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
    duel_set_caps (&duel, 0, &info);
    for (guint n = 0; n < 30; n++)
      duel_push (&duel, 0, frame_new (&info, n));
    for (guint i = 0; i < 10; i++) {
      const gboolean of_b = i % 2;
      BdctParams params = BDCT_PARAMS_DEFAULT;
      guint64 index;

      gst_buffer_unref (duel_pull (&duel));
      click (preview, of_b ? 200 : 77, 50);
      s = wait_for_block (&duel, preview);
      index = get_uint64 (s, "index");
      g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, index * FRAME);
      in = frame_new (&info, index);
      params.quality = of_b ? 60 : 20;
      rec = frame_expect (&info, in, &params, &stats);
      check_block (&info, s, in, rec, of_b ? 200 : 77, 50);
      gst_buffer_unref (in);
      gst_buffer_unref (rec);
      assert_block (s, of_b ? "b" : "a", FALSE, of_b ? 200 : 72, 48, 8,
          "quality", params.quality);
    }
    g_object_set (duel.sink, "max-buffers", 0, NULL);
    preview_stop (&duel, preview);
  }
}

/* Of a frame that is held, and of B, the same. */
static void
test_frozen (void)
{
  GstElement *preview;
  GstStructure *s;
  GstVideoInfo info;
  Duel duel;

  preview = start (&duel, &info, "I420", W, H, "wipe");
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::left", 0,
      "compare::right", 1, "b::quality", 60, "compare::interactive", FALSE,
      NULL);
  show_frame (&duel, &info, 0);
  g_object_set (preview, "freeze", TRUE, NULL);
  /* Clicks need not have been foreseen when the frame came. */
  preview_set_child (preview, "compare", "interactive", "true");
  click (preview, 77, 50);
  assert_block (wait_for_block (&duel, preview), "a", FALSE, 72, 48, 8,
      "quality", 20);
  for (gint quality = 30; quality < 35; quality++) {
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality", quality,
        NULL);
    s = wait_for_block (&duel, preview);
    g_assert_cmpuint (get_uint64 (s, "index"), ==, 0);
    assert_block (s, "a", TRUE, 72, 48, 8, "quality", quality);
  }
  click (preview, 250, 50);
  assert_block (wait_for_block (&duel, preview), "b", FALSE, 248, 48, 8,
      "quality", 60);
  /* Now it is B's settings that matter. */
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality", 50, NULL);
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "b::quality", 61, NULL);
  assert_block (wait_for_block (&duel, preview), "b", TRUE, 248, 48, 8,
      "quality", 61);
  g_object_set (preview, "freeze", FALSE, NULL);
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "b::quality", 62, NULL);
  show_frame (&duel, &info, 1);
  s = wait_for_block (&duel, preview);
  g_assert_true (gst_structure_has_field (s, "repeated"));
  if (get_uint64 (s, "index") == 0) {   /* it was still held */
    gst_structure_free (s);
  } else {
    assert_block (s, "b", TRUE, 248, 48, 8, "quality", 62);
  }
  preview_stop (&duel, preview);
}

/* What is no click, or on no picture, or not asked for, has no message: the
 * next one is that of a click after all of them. */
static void
test_nothing (void)
{
  static const gdouble outside[][2] = { {-1, 5}, {5, -0.5}, {W, 5}, {5, H},
    {-1e9, 5}, {5, 1e9}, {1e300, 5}, {5, 1e300}, {-1e300, -1e300}, {NAN, 5},
    {5, NAN}, {INFINITY, INFINITY}
  };
  static const gchar *const views[] = { "single", "wipe" };
  GstElement *preview;
  GstMessage *message;
  GstVideoInfo info;
  Duel duel;

  preview = start (&duel, &info, "I420", W, H, "single");
  /* There is no picture yet. */
  click (preview, 5, 5);
  show_frame (&duel, &info, 0);
  for (guint v = 0; v < G_N_ELEMENTS (views); v++) {
    preview_set_child (preview, "compare", "view", views[v]);
    for (guint i = 0; i < G_N_ELEMENTS (outside); i++)
      for (guint k = 0; k < 2; k++)
        viewer_send (preview, viewer_button (k == 0, outside[i][0],
                outside[i][1]));
    viewer_drag (preview, 20, 20, 90, 20);
    viewer_send (preview, viewer_button (FALSE, 20, 20));
    viewer_send (preview, gst_navigation_event_new_mouse_button_press (3, 5, 5,
            0));
    viewer_send (preview, gst_navigation_event_new_mouse_button_release (3, 5,
            5, 0));
    preview_set_child (preview, "compare", "interactive", "false");
    click (preview, 5, 5);
    preview_set_child (preview, "compare", "interactive", "true");
  }
  click (preview, 250, 50);
  assert_block (wait_for_block (&duel, preview), "a", FALSE, 248, 48, 8,
      "quality", 20);
  gst_element_set_state (duel.pipeline, GST_STATE_NULL);
  while ((message = gst_bus_pop_filtered (duel.bus, GST_MESSAGE_ELEMENT))) {
    g_assert_false (gst_message_has_name (message, "blockdct-block"));
    gst_message_unref (message);
  }
  preview_stop (&duel, preview);
}

/* Another start is another stream: no block was clicked on, and before its
 * first picture there is none. */
static void
test_restart (void)
{
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = start (&duel, &info, "I420", W, H, "single");
  show_frame (&duel, &info, 0);
  click (preview, 77, 50);
  assert_block (wait_for_block (&duel, preview), "a", FALSE, 72, 48, 8,
      "quality", 20);
  viewer_send (preview, viewer_button (TRUE, 5, 5));
  gst_element_set_state (duel.pipeline, GST_STATE_NULL);
  forget_messages (&duel);
  preview_set_child (preview, "a", "quality", "40");
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  click (preview, 5, 5);
  duel_set_caps (&duel, 0, &info);
  show_frame (&duel, &info, 0);
  viewer_send (preview, viewer_button (FALSE, 5, 5));
  click (preview, 250, 50);
  assert_block (wait_for_block (&duel, preview), "a", FALSE, 248, 48, 8,
      "quality", 40);
  preview_stop (&duel, preview);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  preview_bin_register ();
  test_add ("/preview-blocks/formats", test_every_format);
  test_add ("/preview-blocks/views", test_views);
  test_add ("/preview-blocks/sides", test_sides);
  test_add ("/preview-blocks/follow", test_follow);
  test_add ("/preview-blocks/behind", test_behind);
  test_add ("/preview-blocks/frozen", test_frozen);
  test_add ("/preview-blocks/nothing", test_nothing);
  test_add ("/preview-blocks/restart", test_restart);
  return test_run ();
}
