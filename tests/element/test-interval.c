/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages of type `interval`: no frame is in two of them, none in none. */
#include "bench.h"
#include "dct/base/stats.h"

/* The next message is this one. `first` and `n` count frames. */
static void
check_report (Bench * bench, const gchar * type, guint first, guint n)
{
  GstStructure *s = bench_pop_report (bench, type);

  g_assert_nonnull (s);
  g_test_message ("%s: %u frames from %u", type, (guint) get_uint64 (s,
          "frames"), (guint) get_uint64 (s, "index"));
  g_assert_cmpuint (get_uint64 (s, "index"), ==, first);
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, n);
  g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, first * FRAME);
  g_assert_cmpuint (get_uint64 (s, "duration"), ==, n * FRAME);
  gst_structure_free (s);
}

static void
push_eos (Bench * bench)
{
  g_assert_true (gst_harness_push_event (bench->h, gst_event_new_eos ()));
}

/* Intervals do not drift where their length is no multiple of a frame's. */
static void
test_grid (void)
{
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 16, 16, "interval", 100 * GST_MSECOND, NULL);
  for (guint n = 0; n < 9; n++)
    bench_push (&bench, n);
  /* Frames end at 40, 80, 120 ms ...; intervals at 100, 200, 300 ms. */
  check_report (&bench, "interval", 0, 3);
  check_report (&bench, "interval", 3, 2);
  check_report (&bench, "interval", 5, 3);
  bench_pop_report (&bench, NULL);
  push_eos (&bench);
  check_report (&bench, "interval", 8, 1);
  check_report (&bench, "pooled", 0, 9);
  bench_pop_report (&bench, NULL);
}

/* An interval of whole frames holds exactly these, and is told with the last of
 * them. One below a frame's duration means a message a frame. */
static void
test_exact (void)
{
  Bench bench;

  bench_init (&bench, "I420", 16, 16, "interval", 3 * FRAME, NULL);
  for (guint n = 0; n < 9; n++) {
    bench_push (&bench, n);
    if (n % 3 == 2)
      check_report (&bench, "interval", n - 2, 3);
    bench_pop_report (&bench, NULL);
  }
  push_eos (&bench);
  check_report (&bench, "pooled", 0, 9);
  bench_clear (&bench);

  bench_init (&bench, "I420", 16, 16, "interval", (guint64) 1, NULL);
  for (guint n = 0; n < 3; n++) {
    bench_push (&bench, n);
    check_report (&bench, "interval", n, 1);
  }
  push_eos (&bench);
  check_report (&bench, "pooled", 0, 3);
  bench_clear (&bench);
}

/* Frames missing where an interval ends leave the next one its place. */
static void
test_missing (void)
{
  static const guint frames[] = { 0, 3, 4 };
  g_autoptr (GstStructure) s;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 16, 16, "interval", 100 * GST_MSECOND, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    bench_push (&bench, frames[i]);
  check_report (&bench, "interval", 0, 1);
  /* From 100 to 200 ms, though its first frame is late. */
  s = bench_pop_report (&bench, "interval");
  g_assert_nonnull (s);
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, 2);
  g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, 3 * FRAME);
  bench_pop_report (&bench, NULL);
}

/* Time jumps, and the settings with it: a message says what was done to its own
 * frames. */
static void
test_gap (void)
{
  GstStructure *s;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 16, 16, "interval", 5 * FRAME, "quality", 20,
      NULL);
  bench_push (&bench, 0);
  bench_push (&bench, 1);
  g_object_set (bench.element, "quality", 90, "transform", BDCT_DCT_8X8, NULL);
  bench_push (&bench, 100);
  s = bench_pop_report (&bench, "interval");
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, 2);
  g_assert_cmpuint (get_uint64 (s, "duration"), ==, 2 * FRAME);
  g_assert_cmpint (get_int (s, "quality"), ==, 20);
  g_assert_cmpstr (gst_structure_get_string (s, "transform"), ==, "jpeg-8x8");
  gst_structure_free (s);
  push_eos (&bench);
  s = bench_pop_report (&bench, "interval");
  g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, 100 * FRAME);
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, 1);
  g_assert_cmpint (get_int (s, "quality"), ==, 90);
  gst_structure_free (s);
  gst_structure_free (bench_pop_report (&bench, "pooled"));
}

/* Without timestamps no interval ends; the end of the stream tells all. */
static void
test_no_timestamps (void)
{
  g_autoptr (GstStructure) s;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 16, 16, "interval", FRAME, NULL);
  for (guint n = 0; n < 4; n++) {
    GstBuffer *in = frame_new (&bench.info, n);

    GST_BUFFER_PTS (in) = GST_CLOCK_TIME_NONE;
    gst_harness_push (bench.h, in);
  }
  bench_pop_report (&bench, NULL);
  push_eos (&bench);
  s = bench_pop_report (&bench, "interval");
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, 4);
  g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, GST_CLOCK_TIME_NONE);
  gst_structure_free (bench_pop_report (&bench, "pooled"));
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/element/interval/grid", test_grid);
  test_add ("/element/interval/exact", test_exact);
  test_add ("/element/interval/missing", test_missing);
  test_add ("/element/interval/gap", test_gap);
  test_add ("/element/interval/no-timestamps", test_no_timestamps);
  return test_run ();
}
