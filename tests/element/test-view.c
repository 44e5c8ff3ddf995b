/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The maps' colours of blockdct. (tests/unit/test-view.c has every sample of
 * every view, test-in-force.c that each is shown.) */
#include <string.h>
#include "bench.h"



static void
set_view (Bench * bench, const gchar * view)
{
  element_set (bench->element, "view", view);
}

/* The maps' colours follow the caps: white of a full range is no other's. */
static void
test_colorimetry (void)
{
  static const gchar *colorimetries[] = { "bt601", "bt709", "1:3:5:1" };
  gint seen[3][3];

  for (guint i = 0; i < 3; i++) {
    GstCaps *caps;
    GstBuffer *in, *out;
    g_auto (Bench) bench;

    bench_init (&bench, NULL, 0, 0, NULL);
    set_view (&bench, "nonzero-map");
    video_info (&bench.info, "Y444", 32, 32);
    caps = video_caps ("Y444", 32, 32);
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetries[i],
        NULL);
    gst_harness_set_src_caps (bench.h, caps);
    /* Grey: nothing but zeros. */
    in = frame_new (&bench.info, 0);
    gst_buffer_memset (in, 0, 128, bench.info.size);
    gst_harness_push (bench.h, in);
    out = bench_pull (&bench);
    for (BdctComponent c = BDCT_Y; c <= BDCT_V; c++) {
      gint w, h, *samples = frame_samples (&bench.info, out, c, &w, &h);

      seen[i][c] = samples[0];
      g_free (samples);
    }
    gst_buffer_unref (out);
  }
  /* 0x440154, as it was computed by hand: BT.601, BT.709, full BT.709. */
  g_assert_cmpint (ABS (seen[0][0] - 42), <=, 1);
  g_assert_cmpint (ABS (seen[0][1] - 155), <=, 1);
  g_assert_cmpint (ABS (seen[0][2] - 151), <=, 1);
  g_assert_cmpint (ABS (seen[1][0] - 34), <=, 1);
  g_assert_cmpint (ABS (seen[2][0] - 21), <=, 1);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/view/colorimetry", test_colorimetry);
  return test_run ();
}
