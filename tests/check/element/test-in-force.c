/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A property that is set is in force from the next frame on, or refused aloud:
 * none is read back as set, and ignored; none acts on earlier frames. */
#include <string.h>
#include "bench.h"

/* A warning that names the property, and nothing but it. */
static void
check_warning (Bench * bench, const gchar * name)
{
  gchar *text = bench_pop_text (bench, GST_MESSAGE_WARNING);

  g_test_message ("%s", text);
  g_assert_true (g_str_has_prefix (text, name));
  g_assert_nonnull (strstr (text, "READY"));
  g_free (text);
  g_assert_null (bench_pop (bench, GST_MESSAGE_WARNING));
}

static gchar *
get_text (GstElement * element, const gchar * name)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_object_get_property (G_OBJECT (element), name, &value);
  text = gst_value_serialize (&value);
  g_value_unset (&value);
  return text;
}

static const struct
{
  const gchar *name, *value;
} ready[] = {
  {"backend", "auto"}, {"cuda-device-id", "3"}, {"threads", "2"},
  {"async-depth", "5"}, {"stats-file", "/dev/null"},
};

/* What is read at the start is refused until the stop. */
static void
test_ready (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ready); i++) {
    gchar *before, *after;
    GstElement *element;
    Bench bench;

    bench_init (&bench, "I420", 16, 16, "threads", 1, "async-depth", 1, NULL);
    element = bench.element;
    before = get_text (element, ready[i].name);
    gst_util_set_object_arg (G_OBJECT (element), ready[i].name,
        ready[i].value);
    after = get_text (element, ready[i].name);
    g_assert_cmpstr (after, ==, before);
    check_warning (&bench, ready[i].name);
    /* What is in force already is. */
    if (i < 4)
      gst_util_set_object_arg (G_OBJECT (element), ready[i].name, before);
    else
      g_object_set (element, "stats-file", NULL, NULL);
    g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
    gst_element_set_state (element, GST_STATE_READY);
    gst_util_set_object_arg (G_OBJECT (element), ready[i].name,
        ready[i].value);
    g_free (after);
    after = get_text (element, ready[i].name);
    g_assert_cmpstr (after, !=, before);
    g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
    g_free (before);
    g_free (after);
    bench_clear (&bench);
  }
}

/* One of a group is refused, the others come into force. */
static void
test_group (void)
{
  GstStructure *s;
  guint threads;
  Bench bench;

  bench_init (&bench, "I420", 16, 16, "threads", 1, NULL);
  g_object_set (bench.element, "quality", 7, "threads", 2, NULL);
  check_warning (&bench, "threads");
  g_object_get (bench.element, "threads", &threads, NULL);
  g_assert_cmpuint (threads, ==, 1);
  bench_push (&bench, 0);
  gst_buffer_unref (bench_pull (&bench));
  s = bench_pop_report (&bench, "frame");
  g_assert_cmpint (get_int (s, "quality"), ==, 7);
  gst_structure_free (s);
  bench_clear (&bench);
}

/* A group that is not complete when the element starts. */
static void
test_open_group (void)
{
  gchar *backend;
  guint threads;
  Bench bench;

  bench_init (&bench, NULL, 0, 0, "threads", 1, "backend", 2, NULL);
  gst_element_set_state (bench.element, GST_STATE_NULL);
  g_object_freeze_notify (G_OBJECT (bench.element));
  g_object_set (bench.element, "threads", 2, NULL);
  gst_element_set_state (bench.element, GST_STATE_PLAYING);
  g_object_get (bench.element, "threads", &threads, "active-backend",
      &backend, NULL);
  g_assert_cmpuint (threads, ==, 2);
  g_assert_true (g_str_has_suffix (backend, " 2 threads"));
  g_object_thaw_notify (G_OBJECT (bench.element));
  g_free (backend);
  bench_clear (&bench);
}

#define DEPTH 4

/* Frames that are in flight when messages are turned off have theirs. */
static void
test_post_messages (void)
{
  Bench bench;

  bench_init (&bench, "I420", 16, 16, "async-depth", DEPTH, NULL);
  bench.drain = FALSE;
  for (guint n = 0; n < 2 * DEPTH; n++) {
    if (n == 2 || n == 5)
      g_object_set (bench.element, "post-messages", n == 5, NULL);
    bench_push (&bench, n);
  }
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  for (guint n = 0; n < 2 * DEPTH; n++)
    if (n < 2 || n >= 5) {
      GstStructure *s = bench_pop_report (&bench, "frame");

      g_assert_cmpuint (get_uint64 (s, "index"), ==, n);
      gst_structure_free (s);
    }
  gst_structure_free (bench_pop_report (&bench, "pooled"));
  bench_clear (&bench);
}

static void
check_report (Bench * bench, const gchar * type, guint first, guint n)
{
  GstStructure *s = bench_pop_report (bench, type);

  g_assert_cmpuint (get_uint64 (s, "index"), ==, first);
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, n);
  gst_structure_free (s);
}

/* Those that entered before intervals were asked for are in none. */
static void
test_interval (void)
{
  Bench bench;

  bench_init (&bench, "I420", 16, 16, "async-depth", DEPTH, NULL);
  bench.drain = FALSE;
  for (guint n = 0; n < 8; n++) {
    if (n == 3 || n == 7)
      g_object_set (bench.element, "interval", n == 3 ? 2 * FRAME : 0, NULL);
    bench_push (&bench, n);
  }
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  for (guint n = 0; n < 3; n++)
    check_report (&bench, "frame", n, 1);
  check_report (&bench, "interval", 3, 2);
  check_report (&bench, "interval", 5, 2);
  check_report (&bench, "frame", 7, 1);
  check_report (&bench, "pooled", 0, 8);
  bench_clear (&bench);
}

/* Text is on the frames that entered after it was asked for: the others are as
 * they would be without. */
static void
test_overlay (void)
{
  const BdctParams params = BDCT_PARAMS_DEFAULT;
  GstBuffer *expected[2 * DEPTH];
  GstMessage *warning;
  BdctStats stats;
  guint n_equal = 0;
  Bench bench;

  bench_init (&bench, "I420", 320, 240, "async-depth", DEPTH, NULL);
  bench.drain = FALSE;
  for (guint n = 0; n < 2 * DEPTH; n++) {
    GstBuffer *in = frame_new (&bench.info, n);

    if (n == 3)
      g_object_set (bench.element, "overlay", TRUE, NULL);
    expected[n] = frame_expect (&bench.info, in, &params, &stats);
    gst_harness_push (bench.h, in);
  }
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  warning = bench_pop (&bench, GST_MESSAGE_WARNING);
  for (guint n = 0; n < 2 * DEPTH; n++) {
    GstBuffer *out = gst_harness_try_pull (bench.h);
    gboolean equal = frames_equal (&bench.info, expected[n], out);

    if (n < 3)
      g_assert_true (equal);
    else
      n_equal += equal;
    gst_buffer_unref (out);
    gst_buffer_unref (expected[n]);
  }
  /* All of them where there is no Pango, or no font. */
  g_assert_cmpuint (n_equal, ==, warning != NULL ? 2 * DEPTH - 3 : 0);
  g_clear_pointer (&warning, gst_message_unref);
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/in-force/ready", test_ready);
  test_add ("/in-force/group", test_group);
  test_add ("/in-force/open-group", test_open_group);
  test_add ("/in-force/post-messages", test_post_messages);
  test_add ("/in-force/interval", test_interval);
  test_add ("/in-force/overlay", test_overlay);
  return test_run ();
}
