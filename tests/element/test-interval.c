/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages of type `interval`: no frame is in two of them, none in none; and
 * when they come. */
#include "bench.h"

#define NO_TIME 1000

/* What is pushed, and what is said then: [type first+frames @timestamp
 * ~duration quality], in frames. Quality 90 comes into force before frame
 * 100. */
typedef struct
{
  const gchar *path;
  guint64 interval;
  gint frames[10];
  const gchar *said;
} Row;

static const Row rows[] = {
  /* They do not drift where they are no multiple of a frame: frames end at 40,
   * 80, 120 ms ..., intervals at 100, 200, 300 ms. */
  {"grid", 100 * GST_MSECOND, {0, 1, 2, 3, 4, 5, 6, 7, 8, -1},
      "0 1 2 [interval 0+3 @0 ~3 q20] 3 4 [interval 3+2 @3 ~2 q20] 5 6 7 "
        "[interval 5+3 @5 ~3 q20] 8 eos [interval 8+1 @8 ~1 q20] "
        "[pooled 0+9 @0 ~9 q20]"},
  /* Whole frames: told with the last of them. */
  {"exact", 3 * FRAME, {0, 1, 2, 3, 4, 5, -1},
      "0 1 2 [interval 0+3 @0 ~3 q20] 3 4 5 [interval 3+3 @3 ~3 q20] eos "
        "[pooled 0+6 @0 ~6 q20]"},
  {"short", 1, {0, 1, -1}, "0 [interval 0+1 @0 ~1 q20] 1 "
        "[interval 1+1 @1 ~1 q20] eos [pooled 0+2 @0 ~2 q20]"},
  /* Frames missing where an interval ends leave the next one its place: from
   * 100 to 200 ms, though its first frame is late. */
  {"missing", 100 * GST_MSECOND, {0, 3, 4, -1},
      "0 3 [interval 0+1 @0 ~1 q20] 4 [interval 1+2 @3 ~2 q20] eos "
        "[pooled 0+3 @0 ~5 q20]"},
  /* Time jumps, and the settings with it: a message says what was done to its
   * own frames. */
  {"gap", 5 * FRAME, {0, 1, 100, -1},
      "0 1 100 [interval 0+2 @0 ~2 q20] eos [interval 2+1 @100 ~1 q90] "
        "[pooled 0+3 @0 ~101 q90]"},
  /* After a seek back the pooled duration is from the earliest frame to the end
   * of the latest. */
  {"back", 0, {10, 11, 4, -1}, "10 [frame 0+1 @10 ~1 q20] "
        "11 [frame 1+1 @11 ~1 q20] 4 [frame 2+1 @4 ~1 q20] eos "
        "[pooled 0+3 @10 ~8 q20]"},
  /* No interval ends; the end of the stream tells all. */
  {"no-timestamps", FRAME, {NO_TIME, NO_TIME, NO_TIME, -1},
      "1000 1000 1000 eos [interval 0+3 q20] [pooled 0+3 q20]"},
};

static void
add_said (Bench * bench, GString * said)
{
  GstMessage *message;

  while ((message = bench_pop (bench, GST_MESSAGE_ELEMENT)) != NULL) {
    const GstStructure *s = gst_message_get_structure (message);
    const guint64 at = get_uint64 (s, "timestamp");

    g_string_append_printf (said, " [%s %u+%u", gst_structure_get_string (s,
            "type"), (guint) get_uint64 (s, "index"), (guint) get_uint64 (s,
            "frames"));
    if (GST_CLOCK_TIME_IS_VALID (at))
      g_string_append_printf (said, " @%u ~%u", (guint) (at / FRAME),
          (guint) (get_uint64 (s, "duration") / FRAME));
    g_string_append_printf (said, " q%d]", get_int (s, "quality"));
    gst_message_unref (message);
  }
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  GString *said = g_string_new (NULL);
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 16, 16, "interval", row->interval, "quality",
      20, NULL);
  for (guint i = 0; row->frames[i] >= 0; i++) {
    GstBuffer *in = frame_new (&bench.info, row->frames[i]);

    if (row->frames[i] == NO_TIME)
      GST_BUFFER_PTS (in) = GST_CLOCK_TIME_NONE;
    if (row->frames[i] == 100)
      g_object_set (bench.element, "quality", 90, NULL);
    g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
    g_string_append_printf (said, "%s%d", i > 0 ? " " : "",
        row->frames[i]);
    add_said (&bench, said);
  }
  g_assert_true (gst_harness_push_event (bench.h, gst_event_new_eos ()));
  g_string_append (said, " eos");
  add_said (&bench, said);
  g_assert_cmpstr (said->str, ==, row->said);
  g_string_free (said, TRUE);
}

TEST_ROWS ("/interval/", test_row, rows)
