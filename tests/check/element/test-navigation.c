/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Keys and the pointer, as sinks send them upstream. */
#include <math.h>
#include <string.h>
#include "bench.h"

#define W 320
#define H 200

static void
send (Bench * bench, GstEvent * event)
{
  gst_harness_push_upstream_event (bench->h, event);
}

/* Send it, and see whether it is passed on as it was. */
static gboolean
passed_on (Bench * bench, GstEvent * event)
{
  GstStructure *before = gst_structure_copy (gst_event_get_structure (event));
  GstEvent *out;
  gboolean found = FALSE;

  while ((out = gst_harness_try_pull_upstream_event (bench->h)) != NULL)
    gst_event_unref (out);
  send (bench, event);
  while ((out = gst_harness_try_pull_upstream_event (bench->h)) != NULL) {
    if (GST_EVENT_TYPE (out) == GST_EVENT_NAVIGATION) {
      g_assert_false (found);
      g_assert_true (gst_structure_is_equal (before,
              gst_event_get_structure (out)));
      found = TRUE;
    }
    gst_event_unref (out);
  }
  gst_structure_free (before);
  return found;
}

static GstEvent *
key (const gchar * name)
{
  return gst_navigation_event_new_key_press (name, 0);
}

static GstEvent *
button (gboolean press, gdouble x, gdouble y)
{
  return press ? gst_navigation_event_new_mouse_button_press (1, x, y, 0)
      : gst_navigation_event_new_mouse_button_release (1, x, y, 0);
}

static GstEvent *
move (gdouble x, gdouble y)
{
  return gst_navigation_event_new_mouse_move (x, y, 0);
}

static void
count (GObject * object, GParamSpec * pspec, guint * n)
{
  (void) object, (void) pspec;
  ++*n;
}

/* A property as text. */
static void
assert_property (Bench * bench, const gchar * name, const gchar * expected)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_object_get_property (G_OBJECT (bench->element), name, &value);
  text = gst_value_serialize (&value);
  g_assert_cmpstr (text, ==, expected);
  g_free (text);
  g_value_unset (&value);
}

static gdouble
wipe (Bench * bench)
{
  gdouble position;

  g_object_get (bench->element, "wipe-position", &position, NULL);
  return position;
}

static void
push_frame (Bench * bench, guint n)
{
  bench_push (bench, n);
  gst_buffer_unref (bench_pull (bench));
  gst_message_unref (bench_pop (bench, GST_MESSAGE_ELEMENT));
}

static const struct
{
  const gchar *start;           /* transform the key meets */
  const gchar *key, *property, *value;
} key_tests[] = {
  {"jpeg-8x8", "Up", "quality", "51"}, {"jpeg-8x8", "Down", "quality", "49"},
  {"dct-8x8", "Up", "quality", "51"}, {"hevc-4x4", "Up", "qp", "29"},
  {"hevc-32x32", "Down", "qp", "31"},
  {"jpeg-8x8", "Right", "transform", "dct-8x8"},
  {"h264-4x4", "Up", "qp", "29"},
  {"jpeg-8x8", "Left", "transform", "hevc-quadtree"},
  {"hevc-quadtree", "Right", "transform", "jpeg-8x8"},
  {"hevc-32x32", "Left", "transform", "hevc-16x16"},
  {"jpeg-8x8", "v", "view", "original"}, {"jpeg-8x8", "g", "grid", "true"},
  {"jpeg-8x8", "space", "view", "original"},
  {"jpeg-8x8", " ", "view", "original"},
};

/* Each key turns its property, once when it goes down, and is told of. */
static void
test_keys (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (key_tests); i++) {
    gchar *signal = g_strconcat ("notify::", key_tests[i].property, NULL);
    guint n = 0;
    Bench bench;

    bench_init (&bench, "I420", W, H, "interactive", TRUE, "quality", 50, "qp",
        30, NULL);
    gst_util_set_object_arg (G_OBJECT (bench.element), "transform",
        key_tests[i].start);
    g_signal_connect (bench.element, signal, G_CALLBACK (count), &n);
    g_assert_false (passed_on (&bench, key (key_tests[i].key)));
    assert_property (&bench, key_tests[i].property, key_tests[i].value);
    g_assert_cmpint (n, ==, 1);
    g_assert_false (passed_on (&bench,
            gst_navigation_event_new_key_release (key_tests[i].key, 0)));
    assert_property (&bench, key_tests[i].property, key_tests[i].value);
    g_assert_cmpint (n, ==, 1);
    push_frame (&bench, 0);
    g_free (signal);
    bench_clear (&bench);
  }
}

/* The ends of the ranges, all views in turn, there and back. */
static void
test_ends (void)
{
  static const gchar *views[] = {
    "original", "wipe", "side-by-side", "stacked", "flicker",
    "difference",
    "coefficients", "error-map", "nonzero-map", "quality-map", "ssim-map",
    "hvs-map", "size-map", "reconstruction"
  };
  Bench bench;

  bench_init (&bench, "I420", W, H, "interactive", TRUE, "quality", 99, "qp",
      1, NULL);
  for (guint i = 0; i < 3; i++)
    send (&bench, key ("Up"));
  assert_property (&bench, "quality", "100");
  gst_util_set_object_arg (G_OBJECT (bench.element), "transform", "hevc-8x8");
  for (guint i = 0; i < 3; i++)
    send (&bench, key ("Up"));
  assert_property (&bench, "qp", "0");
  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    send (&bench, key ("v"));
    assert_property (&bench, "view", views[i]);
    push_frame (&bench, i);
  }
  send (&bench, key ("space"));
  assert_property (&bench, "view", "original");
  send (&bench, key ("space"));
  assert_property (&bench, "view", "reconstruction");
  /* Back to what was left, however it was chosen. */
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", "wipe");
  send (&bench, key (" "));
  assert_property (&bench, "view", "original");
  send (&bench, key (" "));
  assert_property (&bench, "view", "wipe");
  send (&bench, key ("g"));
  send (&bench, key ("g"));
  assert_property (&bench, "grid", "false");
  bench_clear (&bench);
}

/* Wheels scroll by what they like; its sign counts. */
static void
test_wheel (void)
{
  Bench bench;

  bench_init (&bench, "I420", W, H, "interactive", TRUE, "quality", 50, NULL);
  g_assert_false (passed_on (&bench,
          gst_navigation_event_new_mouse_scroll (5, 5, 0, 1, 0)));
  assert_property (&bench, "quality", "51");
  g_assert_false (passed_on (&bench,
          gst_navigation_event_new_mouse_scroll (5, 5, 0, -120, 0)));
  assert_property (&bench, "quality", "50");
  /* X11's. */
  for (gint n = 4; n <= 5; n++) {
    g_assert_false (passed_on (&bench,
            gst_navigation_event_new_mouse_button_press (n, 5, 5, 0)));
    g_assert_false (passed_on (&bench,
            gst_navigation_event_new_mouse_button_release (n, 5, 5, 0)));
    assert_property (&bench, "quality", n == 4 ? "51" : "50");
  }
  g_assert_true (passed_on (&bench,
          gst_navigation_event_new_mouse_button_press (4, 5, H, 0)));
  /* Sideways, and outside. */
  g_assert_true (passed_on (&bench,
          gst_navigation_event_new_mouse_scroll (5, 5, 1, 0, 0)));
  g_assert_true (passed_on (&bench,
          gst_navigation_event_new_mouse_scroll (W, 5, 0, 1, 0)));
  assert_property (&bench, "quality", "50");
  bench_clear (&bench);
}

/* What is nobody's command here goes on untouched. */
static void
test_unknown (void)
{
  static const gchar *keys[] = { "V", "G", "Return", "y", "", "Page_Up" };
  Bench bench;

  bench_init (&bench, "I420", W, H, "interactive", TRUE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (passed_on (&bench, key (keys[i])));
  g_assert_true (passed_on (&bench, gst_navigation_event_new_key_press ("v",
              GST_NAVIGATION_MODIFIER_CONTROL_MASK)));
  g_assert_true (passed_on (&bench, gst_navigation_event_new_key_press ("Left",
              GST_NAVIGATION_MODIFIER_MOD1_MASK)));
  g_assert_true (passed_on (&bench, gst_navigation_event_new_command
          (GST_NAVIGATION_COMMAND_UP)));
  g_assert_true (passed_on (&bench,
          gst_navigation_event_new_mouse_button_press (3, 5, 5, 0)));
  g_assert_true (passed_on (&bench, button (FALSE, 5, 5)));
  g_assert_true (passed_on (&bench, move (5, 5)));
  /* Hardly an event at all. */
  g_assert_true (passed_on (&bench, gst_event_new_navigation
          (gst_structure_new_empty ("application/x-gst-navigation"))));
  g_assert_true (passed_on (&bench, gst_event_new_navigation
          (gst_structure_new ("application/x-gst-navigation", "event",
                  G_TYPE_STRING, "key-press", NULL))));
  assert_property (&bench, "view", "reconstruction");
  bench_clear (&bench);
}

static void
test_not_interactive (void)
{
  guint n = 0;
  Bench bench;

  bench_init (&bench, "I420", W, H, NULL);
  push_frame (&bench, 0);
  g_signal_connect (bench.element, "notify", G_CALLBACK (count), &n);
  for (guint i = 0; i < G_N_ELEMENTS (key_tests); i++)
    g_assert_true (passed_on (&bench, key (key_tests[i].key)));
  g_assert_true (passed_on (&bench, button (TRUE, 5, 5)));
  g_assert_true (passed_on (&bench, move (90, 5)));
  g_assert_true (passed_on (&bench, button (FALSE, 90, 5)));
  g_assert_true (passed_on (&bench,
          gst_navigation_event_new_mouse_scroll (5, 5, 0, 1, 0)));
  g_assert_cmpint (n, ==, 0);
  g_assert_null (bench_pop (&bench, GST_MESSAGE_ELEMENT));
  bench_clear (&bench);
}

static void
test_drag (void)
{
  guint n = 0;
  Bench bench;

  bench_init (&bench, "I420", W, H, "interactive", TRUE, NULL);
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", "wipe");
  push_frame (&bench, 0);
  g_signal_connect (bench.element, "notify::wipe-position",
      G_CALLBACK (count), &n);
  g_assert_false (passed_on (&bench, button (TRUE, 160, 100)));
  /* A hand that trembles does not drag. */
  g_assert_false (passed_on (&bench, move (161, 101)));
  g_assert_cmpint (n, ==, 0);
  g_assert_false (passed_on (&bench, move (80, 150)));
  g_assert_cmpfloat_with_epsilon (wipe (&bench), 80.0 / (W - 1), 1e-9);
  g_assert_cmpint (n, ==, 1);
  g_assert_false (passed_on (&bench, move (0, 10)));
  g_assert_cmpfloat (wipe (&bench), ==, 0);
  g_assert_false (passed_on (&bench, move (W - 1, 10)));
  g_assert_cmpfloat (wipe (&bench), ==, 1);
  g_assert_false (passed_on (&bench, move (W - 0.1, 10)));
  g_assert_cmpfloat (wipe (&bench), ==, 1);
  /* Outside is ignored, but letting go counts there too, and is no click. */
  send (&bench, move (40, 10));
  n = 0;
  g_assert_true (passed_on (&bench, move (-1, 10)));
  g_assert_true (passed_on (&bench, move (20, H)));
  send (&bench, move (NAN, 20));
  g_assert_cmpint (n, ==, 0);
  g_assert_false (passed_on (&bench, button (FALSE, -50, 1000)));
  g_assert_true (passed_on (&bench, move (100, 100)));
  g_assert_cmpint (n, ==, 0);
  g_assert_null (bench_pop (&bench, GST_MESSAGE_ELEMENT));
  g_assert_true (passed_on (&bench, button (TRUE, W, 1)));
  g_assert_true (passed_on (&bench, move (100, 100)));
  g_assert_cmpint (n, ==, 0);
  /* Stacked halves are dragged up and down. */
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", "stacked");
  send (&bench, button (TRUE, 10, 10));
  send (&bench, move (200, H - 1));
  g_assert_cmpfloat (wipe (&bench), ==, 1);
  bench_clear (&bench);
}

/* The stream changes, ends, flushes and stops under the pointer. */
static void
test_change_while_dragging (void)
{
  Bench bench;

  bench_init (&bench, NULL, 0, 0, "interactive", TRUE, NULL);
  /* There is no picture yet. */
  g_assert_true (passed_on (&bench, button (TRUE, 0, 0)));
  g_assert_false (passed_on (&bench, key ("v")));
  bench_set_caps (&bench, "I420", W, H);
  push_frame (&bench, 0);
  send (&bench, button (TRUE, 10, 10));
  send (&bench, move (300, 100));
  for (guint i = 1; i < 10; i++) {
    bench_set_caps (&bench, i % 2 ? "GRAY8" : "P012_LE", 1 + 37 * (9 - i),
        1 + 11 * i);
    send (&bench, move (i, 1));
    push_frame (&bench, i);
    send (&bench, move (30 * i, 1));
  }
  send (&bench, move (0, 0));
  send (&bench, button (FALSE, 0, 0));
  gst_harness_push_event (bench.h, gst_event_new_flush_start ());
  send (&bench, button (TRUE, 0, 0));
  send (&bench, button (FALSE, 0, 0));
  gst_harness_push_event (bench.h, gst_event_new_flush_stop (TRUE));
  gst_element_set_state (bench.element, GST_STATE_NULL);
  send (&bench, button (TRUE, 0, 0));
  send (&bench, button (FALSE, 0, 0));
  bench_clear (&bench);
}

static gint
get_item (const GstStructure * s, const gchar * name, guint i)
{
  const GValue *v = gst_value_array_get_value (gst_structure_get_value (s,
          name), i);

  return G_VALUE_HOLDS_INT (v) ? g_value_get_int (v)
      : (gint) floor (g_value_get_double (v) + 0.5);
}

/* A click at (x, y), and the message about it. */
static GstStructure *
click (Bench * bench, gdouble x, gdouble y)
{
  GstMessage *message;
  GstStructure *s;

  g_assert_false (passed_on (bench, button (TRUE, x, y)));
  g_assert_false (passed_on (bench, button (FALSE, x + 1, y)));
  message = bench_pop (bench, GST_MESSAGE_ELEMENT);
  g_assert_nonnull (message);
  s = gst_structure_copy (gst_message_get_structure (message));
  g_assert_true (gst_structure_has_name (s, "blockdct-block"));
  gst_message_unref (message);
  return s;
}

/* How many of a dct-8x8 block's samples the CUDA engine may have shown
 * otherwise, each by 1, than the message says, which is in single precision;
 * all 64, by anything, if a coefficient is so near to a threshold (0.002, at 8
 * bits) that it may round either way. The quality is the default. */
static gint
may_differ (const GstStructure * s, const gchar * coefficients,
    BdctComponent component, gint depth)
{
  static const BdctParams defaults = BDCT_PARAMS_DEFAULT;
  const GValue *array = gst_structure_get_value (s, coefficients);

  for (guint i = 0; i < 64; i++) {
    gint step = bdct_scale_step (bdct_preset_info (BDCT_PRESET_ANNEX_K)
        ->step[component != BDCT_Y][i], defaults.quality,
        depth == 8 ? 255 : BDCT_MAX_STEP);
    gdouble scaled = fabs (g_value_get_double (gst_value_array_get_value
            (array, i))) / step;

    if (fabs (scaled - floor (scaled) - 0.5) * step
        < 0.002 * (1 << (depth - 8)))
      return 64;
  }
  return 8;
}

/* A block's message against the frame that went in and the one that came out
 * (as `view=reconstruction` shows it); (x, y) is luma's sample. */
static void
check_block (const Bench * bench, const GstStructure * s, GstBuffer * in,
    GstBuffer * rec, gint x, gint y)
{
  static const gchar *suffixes[] = { "", "-u", "-v" };

  for (BdctComponent c = BDCT_Y; c <= BDCT_V; c++) {
    gchar *names[7];
    static const gchar *fields[] = { "x", "y", "size", "samples",
      "reconstruction", "levels", "coefficients"
    };
    gint w, h, size, left, top, *a, *b, others = 0, most = 0;

    for (guint i = 0; i < 7; i++)
      names[i] = g_strconcat (fields[i], suffixes[c], NULL);
    a = frame_samples (&bench->info, in, c, &w, &h);
    b = frame_samples (&bench->info, rec, c, &w, &h);
    if (a == NULL) {
      g_assert_false (gst_structure_has_field (s, names[0]));
    } else {
      left = get_int (s, names[0]);
      top = get_int (s, names[1]);
      size = get_int (s, names[2]);
      g_assert_cmpint (left, ==, x * w / bench->info.width / size * size);
      g_assert_cmpint (top, ==, y * h / bench->info.height / size * size);
      for (guint k = 3; k < 7; k++)
        g_assert_cmpint (gst_value_array_get_size (gst_structure_get_value (s,
                    names[k])), ==, size * size);
      if (test_on_cuda ()
          && g_strcmp0 (gst_structure_get_string (s, "transform"), "dct-8x8")
          == 0)
        most = may_differ (s, names[6], c, GST_VIDEO_INFO_COMP_DEPTH
            (&bench->info, 0));
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
    for (guint i = 0; i < 7; i++)
      g_free (names[i]);
    g_free (a);
    g_free (b);
  }
}

/* Every format, and planes that begin at an odd address: the block under the
 * pointer, at an edge too. */
static void
test_click (void)
{
  static const gchar *transforms[] = { "jpeg-8x8", "hevc-32x32", "dct-8x8",
    "hevc-dst-4x4", "h264-8x8", "vvc-64x64", "hevc-quadtree"
  };

  for (guint i = 0; i < 2 * N_TEST_FORMATS; i++) {
    guint f = i / 2, odd = i % 2;
    gsize offset[GST_VIDEO_MAX_PLANES];
    GstBuffer *in, *rec;
    GstStructure *s;
    Bench bench;

    bench_init (&bench, test_formats[f].name, 140, 90, "interactive", TRUE,
        NULL);
    gst_util_set_object_arg (G_OBJECT (bench.element), "transform",
        transforms[f % G_N_ELEMENTS (transforms)]);
    for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++)
      offset[p] = bench.info.offset[p] + odd;
    in = frame_new_strided (&bench.info, 7, offset, bench.info.stride,
        bench.info.size + odd);
    gst_harness_push (bench.h, gst_buffer_ref (in));
    rec = bench_pull (&bench);
    gst_message_unref (bench_pop (&bench, GST_MESSAGE_ELEMENT));
    s = click (&bench, 50.5, 33);
    check_block (&bench, s, in, rec, 50, 33);
    g_assert_cmpint (get_uint64 (s, "timestamp"), ==, 7 * FRAME);
    g_assert_cmpint (get_uint64 (s, "index"), ==, 0);
    g_assert_cmpstr (gst_structure_get_string (s, "transform"), ==,
        transforms[f % G_N_ELEMENTS (transforms)]);
    gst_structure_free (s);
    s = click (&bench, 138, 89);
    check_block (&bench, s, in, rec, 138, 89);
    gst_structure_free (s);
    gst_buffer_unref (in);
    gst_buffer_unref (rec);
    bench_clear (&bench);
  }
}

/* The block of what is shown: the picture has moved, the frame was made with
 * other settings than the next one will be. */
static void
test_click_view (void)
{
  GstBuffer *in;
  GstStructure *s;
  Bench bench;

  bench_init (&bench, "I420", 128, 64, "interactive", TRUE, "wipe-position",
      1.0, "quality", 30, NULL);
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", "side-by-side");
  in = frame_new (&bench.info, 0);
  gst_harness_push (bench.h, gst_buffer_ref (in));
  gst_buffer_unref (bench_pull (&bench));
  gst_message_unref (bench_pop (&bench, GST_MESSAGE_ELEMENT));
  g_object_set (bench.element, "quality", 99, "wipe-position", 0.0, NULL);
  for (gint x = 3; x < 128; x += 64) {
    s = click (&bench, x, 9);
    g_assert_cmpint (get_int (s, "x"), ==, 64);
    g_assert_cmpint (get_int (s, "y"), ==, 8);
    g_assert_cmpint (get_int (s, "quality"), ==, 30);
    gst_structure_free (s);
  }
  gst_buffer_unref (in);
  /* Turned off, the frame is let go with the next one. */
  g_object_set (bench.element, "interactive", FALSE, NULL);
  push_frame (&bench, 1);
  g_object_set (bench.element, "interactive", TRUE, NULL);
  send (&bench, button (TRUE, 5, 5));
  send (&bench, button (FALSE, 5, 5));
  g_assert_null (bench_pop (&bench, GST_MESSAGE_ELEMENT));
  bench_clear (&bench);
}

/* The next message about the block, which another thread posts. */
static GstStructure *
wait_for_block (Bench * bench)
{
  GstMessage *message = NULL;
  GstStructure *s = NULL;

  while (s == NULL) {
    message = gst_bus_timed_pop_filtered (bench->bus, 60 * GST_SECOND,
        GST_MESSAGE_ELEMENT);
    g_assert_nonnull (message);
    if (gst_message_has_name (message, "blockdct-block"))
      s = gst_structure_copy (gst_message_get_structure (message));
    gst_message_unref (message);
  }
  return s;
}

/* A frame, whose message is somebody else's. */
static void
show_frame (Bench * bench, guint n)
{
  bench_push (bench, n);
  gst_buffer_unref (bench_pull (bench));
}

static void
assert_block (GstStructure * s, gboolean repeated, gint x, gint y, gint size,
    const gchar * setting, gint value)
{
  g_assert_cmpint (gst_structure_has_field (s, "repeated"), ==, repeated);
  g_assert_cmpint (get_int (s, "x"), ==, x);
  g_assert_cmpint (get_int (s, "y"), ==, y);
  g_assert_cmpint (get_int (s, "size"), ==, size);
  g_assert_cmpint (get_int (s, setting), ==, value);
  gst_structure_free (s);
}

/* Other settings have the block that was clicked on told again: that place of
 * the picture, in whichever view, with the figures of a click on it. */
static void
test_follow (void)
{
  GstStructure *s, *clicked;
  GstMessage *message;
  Bench bench;

  bench_init (&bench, "I420", W, H, "interactive", TRUE, "quality", 90, NULL);
  show_frame (&bench, 0);
  gst_message_unref (bench_pop (&bench, GST_MESSAGE_ELEMENT));
  assert_block (click (&bench, 77, 50), FALSE, 72, 48, 8, "quality", 90);
  /* Not where only the picture, or the view of it, is another one. */
  g_object_set (bench.element, "grid", TRUE, "zoom", 2.0, NULL);
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", "side-by-side");
  show_frame (&bench, 1);
  g_object_set (bench.element, "quality", 5, NULL);
  show_frame (&bench, 2);
  s = wait_for_block (&bench);
  g_assert_cmpuint (get_uint64 (s, "index"), ==, 2);
  g_object_set (bench.element, "zoom", 1.0, "grid", FALSE, NULL);
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", "reconstruction");
  show_frame (&bench, 2);
  while ((message = bench_pop (&bench, GST_MESSAGE_ELEMENT)) != NULL)
    gst_message_unref (message);
  clicked = click (&bench, 77, 50);
  g_assert_cmpint (gst_value_compare (gst_structure_get_value (s, "levels"),
          gst_structure_get_value (clicked, "levels")), ==, GST_VALUE_EQUAL);
  gst_structure_free (clicked);
  assert_block (s, TRUE, 72, 48, 8, "quality", 5);
  /* With blocks of another size: the one that has this place. */
  gst_util_set_object_arg (G_OBJECT (bench.element), "transform",
      "hevc-32x32");
  g_object_set (bench.element, "qp", 40, NULL);
  show_frame (&bench, 3);
  assert_block (wait_for_block (&bench), TRUE, 64, 32, 32, "qp", 40);
  gst_util_set_object_arg (G_OBJECT (bench.element), "transform", "hevc-4x4");
  show_frame (&bench, 4);
  assert_block (wait_for_block (&bench), TRUE, 76, 48, 4, "qp", 40);
  /* A smaller picture may not have it. */
  bench_set_caps (&bench, "I420", 64, 40);
  g_object_set (bench.element, "qp", 41, NULL);
  show_frame (&bench, 5);
  bench_set_caps (&bench, "I420", W, H);
  show_frame (&bench, 6);
  assert_block (wait_for_block (&bench), TRUE, 76, 48, 4, "qp", 41);
  bench_clear (&bench);
}

/* Of B, where that was clicked on, and of A, where there is no B any more. */
static void
test_follow_second (void)
{
  Bench bench;

  bench_init (&bench, "I420", W, H, "interactive", TRUE, "quality", 90,
      "b-quality", 20, NULL);
  gst_util_set_object_arg (G_OBJECT (bench.element), "b-transform",
      "jpeg-8x8");
  gst_util_set_object_arg (G_OBJECT (bench.element), "view",
      "reconstruction-b");
  show_frame (&bench, 0);
  gst_message_unref (bench_pop (&bench, GST_MESSAGE_ELEMENT));
  assert_block (click (&bench, 77, 50), FALSE, 72, 48, 8, "quality", 20);
  g_object_set (bench.element, "quality", 80, NULL);
  show_frame (&bench, 1);
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", "reconstruction");
  g_object_set (bench.element, "b-quality", 30, NULL);
  show_frame (&bench, 2);
  assert_block (wait_for_block (&bench), TRUE, 72, 48, 8, "quality", 30);
  gst_util_set_object_arg (G_OBJECT (bench.element), "b-transform", "none");
  show_frame (&bench, 3);
  assert_block (wait_for_block (&bench), TRUE, 72, 48, 8, "quality", 80);
  bench_clear (&bench);
}

/* Upstream has as many buffers as were proposed, before or after there was
 * anything to click on, and may have asked again: the stream goes on. */
static void
test_small_pool (void)
{
  for (guint before = 0; before < 2; before++) {
    GstBufferPool *pool = gst_video_buffer_pool_new ();
    GstBufferPoolAcquireParams params = {
      .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT
    };
    GstStructure *config = gst_buffer_pool_get_config (pool), *s;
    GstCaps *caps = video_caps ("I420", W, H);
    GstQuery *query = gst_query_new_allocation (caps, FALSE);
    GstQuery *again = gst_query_new_allocation (caps, FALSE);
    GstBuffer *in = NULL, *rec = NULL, *copy = NULL;
    guint size, min;
    Bench bench;

    bench_init (&bench, "I420", W, H, "async-depth", 2, "interactive", before,
        NULL);
    g_assert_true (gst_pad_peer_query (bench.h->srcpad, query));
    gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &min, NULL);
    g_assert_cmpuint (min, ==, 2);
    gst_buffer_pool_config_set_params (config, caps, size, min, min);
    g_assert_true (gst_buffer_pool_set_config (pool, config));
    g_assert_true (gst_buffer_pool_set_active (pool, TRUE));
    g_object_set (bench.element, "interactive", TRUE, NULL);
    g_assert_true (gst_pad_peer_query (bench.h->srcpad, again));
    for (guint n = 0; n < 6; n++) {
      g_assert_cmpint (gst_buffer_pool_acquire_buffer (pool, &in, &params), ==,
          GST_FLOW_OK);
      frame_fill (&bench.info, in, n);
      if (n == 4)
        copy = gst_buffer_copy_deep (in);
      g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
      if (n > 0) {
        gst_clear_buffer (&rec);
        rec = gst_harness_try_pull (bench.h);
        gst_message_unref (bench_pop (&bench, GST_MESSAGE_ELEMENT));
      }
    }
    s = click (&bench, 50.5, 33);
    g_assert_cmpint (get_uint64 (s, "index"), ==, 4);
    check_block (&bench, s, copy, rec, 50, 33);
    gst_structure_free (s);
    gst_buffer_unref (copy);
    gst_buffer_unref (rec);
    gst_query_unref (query);
    gst_query_unref (again);
    gst_caps_unref (caps);
    bench_clear (&bench);
    gst_buffer_pool_set_active (pool, FALSE);
    gst_object_unref (pool);
  }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/navigation/keys", test_keys);
  test_add ("/navigation/ends", test_ends);
  test_add ("/navigation/wheel", test_wheel);
  test_add ("/navigation/unknown", test_unknown);
  test_add ("/navigation/not-interactive", test_not_interactive);
  test_add ("/navigation/drag", test_drag);
  test_add ("/navigation/change-while-dragging", test_change_while_dragging);
  test_add ("/navigation/click", test_click);
  test_add ("/navigation/click-view", test_click_view);
  test_add ("/navigation/follow", test_follow);
  test_add ("/navigation/follow-second", test_follow_second);
  test_add ("/navigation/small-pool", test_small_pool);
  return test_run ();
}
