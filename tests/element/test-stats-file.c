/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stats-file where it cannot be written, and from start to start. (What is in
 * it: tests/programs/measure/stats_files.py.) */
#include <string.h>
#include <unistd.h>
#include "bench.h"

/* A full disk is an error, once, that names the file. */
static void
test_full (void)
{
  gchar *path = test_path ("full.log");
  Bench bench;

  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS)) {
    g_test_skip ("no /dev/full");
    g_free (path);
    return;
  }
  g_assert_cmpint (symlink ("/dev/full", path), ==, 0);
  bench_init (&bench, "I420", 64, 48, "stats-file", path, "async-depth", 1,
      NULL);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (gst_harness_push (bench.h, frame_new (&bench.info, i)),
        ==, GST_FLOW_ERROR);
  text_expect (bench_pop_text (&bench, GST_MESSAGE_ERROR), "No space left",
      "stats-file", path, NULL);
  g_assert_null (bench_pop (&bench, GST_MESSAGE_ERROR));
  bench_clear (&bench);
  g_free (path);
}

/* Neither messages nor the interval matter; each start begins anew. */
static void
test_restart (void)
{
  gchar *path = test_path ("again.csv"), *text;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 64, 48, "stats-file", path, "post-messages",
      FALSE, "interval", GST_SECOND, NULL);
  for (guint run = 0; run < 3; run++) {
    if (run > 0) {
      gst_element_set_state (bench.element, GST_STATE_READY);
      gst_element_set_state (bench.element, GST_STATE_PLAYING);
      bench_set_caps (&bench, "I420", 64, 48);
    }
    bench_pass (&bench, run);
  }
  gst_element_set_state (bench.element, GST_STATE_NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\n0,80000000,"));
  g_assert_null (strstr (text, "\n0,40000000,"));
  g_free (text);
  g_free (path);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/stats-file/full", test_full);
  test_add ("/stats-file/restart", test_restart);
  return test_run ();
}
