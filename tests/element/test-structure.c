/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What no stream of a test's length comes to: sums beyond 64 bits. */
#include "bench.h"
#include "gst-plugin/common/gstblockdctstatistics.h"

/* `sse-y` stays at its highest value; what is worked out of the sums stays
 * right. */
static void
test_stats (void)
{
  GstBlockDctTotals totals = {.frames = 7,.depth = 12 };
  BdctCounters *y = &totals.pool.sum.component[0];
  GstStructure *s;

  gst_blockdct_structure_init ();
  totals.pool.frames = 7;
  y->samples = G_GUINT64_CONSTANT (1) << 50;
  y->levels = 1;
  y->sse = G_MAXUINT64;
  s = gst_blockdct_structure_stats (&totals, NULL);
  g_assert_cmpuint (get_uint64 (s, "sse-y"), ==, G_MAXUINT64);
  g_assert_cmpfloat (get_double (s, "mse"), ==, 16384);
  gst_structure_free (s);
  y->sse = 1;
  y->sse_high = 2;
  s = gst_blockdct_structure_stats (&totals, NULL);
  g_assert_cmpuint (get_uint64 (s, "sse-y"), ==, G_MAXUINT64);
  g_assert_cmpfloat (get_double (s, "mse"), ==, 32768);
  g_assert_cmpfloat (get_double (s, "mse-y"), ==, 32768);
  gst_structure_free (s);
}

int
main (int argc, char **argv)
{
  /* Without the plugin, not even looked for: the meta that it registers is
   * this program's, too. Nor are there tracers then. */
  g_setenv ("GST_REGISTRY_DISABLE", "yes", TRUE);
  g_unsetenv ("GST_TRACERS");
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/structure/stats", test_stats);
  return test_run ();
}
