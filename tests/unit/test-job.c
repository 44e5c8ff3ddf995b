/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The keys of jobs, and what is said of parameters that make none. Their
 * numbers are right where the differential's pictures are. */
#include <math.h>
#include <string.h>
#include "frame.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* Equal jobs have equal keys, whatever was in their memory, and others have
 * others. */
static void
test_keys (void)
{
  g_autoptr (GHashTable) by_key =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  BdctParams params = defaults;
  BdctLayout layout;
  int n = 0;

  format_layout (FORMAT_I420, 8, 0, 64, 64, &layout);
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++)
    for (int setting = 1; setting <= 51; setting++)
      for (int again = 0; again < 2; again++) {
        BdctJob *job = g_new (BdctJob, 1), *known;

        memset (job, again ? 0xaa : 0x55, sizeof *job);
        params.transform = (BdctTransform) t;
        params.quality = params.qp = setting;
        g_assert_true (bdct_job_init (job, &params, &layout, NULL));
        known = g_hash_table_lookup (by_key, &job->key);
        if (known == NULL) {
          g_assert_false (again);
          g_hash_table_insert (by_key, &job->key, job);
          n++;
          continue;
        }
        g_assert_cmpmem (known, sizeof *known, job, sizeof *job);
        g_free (job);
      }
  g_assert_cmpint (n, >, 50 * BDCT_N_TRANSFORMS);
}

static void
test_job_errors (void)
{
  static const struct
  {
    gsize offset;
    int bad[2];
    const char *name, *range;
  } cases[] = {
    {G_STRUCT_OFFSET (BdctParams, transform), {-1, BDCT_N_TRANSFORMS},
        "transform", "0 to "},
    {G_STRUCT_OFFSET (BdctParams, quality), {0, 101}, "quality", "1 to 100"},
    {G_STRUCT_OFFSET (BdctParams, qp), {-1, 52}, "qp", "0 to 51"},
    {G_STRUCT_OFFSET (BdctParams, chroma_qp_offset), {-13, 13},
        "chroma-qp-offset", "-12 to 12"},
  };
  static const double deadzones[] = { 0.166, 0.334, -1, 0, NAN, INFINITY };
  BdctLayout layout;
  BdctJob job;

  format_layout (FORMAT_I420, 8, 0, 64, 64, &layout);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int k = 0; k < 2; k++) {
      BdctParams params = defaults;
      BdctError error = { "" };
      char value[16];

      params.transform = BDCT_HEVC_8X8;
      G_STRUCT_MEMBER (int, &params, cases[i].offset) = cases[i].bad[k];
      g_snprintf (value, sizeof value, "%d", cases[i].bad[k]);
      g_assert_false (bdct_job_init (&job, &params, &layout, &error));
      if (!strstr (error.message, cases[i].name)
          || !strstr (error.message, value)
          || !strstr (error.message, cases[i].range))
        g_test_fail_printf ("'%s' does not say that %s %s is not in %s",
            error.message, cases[i].name, value, cases[i].range);
    }
  for (int depth = 7; depth <= 13; depth += 6) {
    BdctError error = { "" };

    layout.depth = depth;
    g_assert_false (bdct_job_init (&job, &defaults, &layout, &error));
    g_assert_nonnull (strstr (error.message, depth == 7 ? "7" : "13"));
    g_assert_nonnull (strstr (error.message, "8 to 12"));
  }
  for (guint i = 0; i < G_N_ELEMENTS (deadzones); i++) {
    BdctParams params = defaults;
    BdctError error = { "" };

    layout.depth = 8;
    params.deadzone = deadzones[i];
    g_assert_false (bdct_job_init (&job, &params, &layout, &error));
    g_assert_nonnull (strstr (error.message, "deadzone "));
    g_assert_nonnull (strstr (error.message, " 1/6 to 1/3"));
  }
  /* A bad matrix is the business of the transforms that have one. */
  {
    BdctParams params = defaults;
    BdctError error = { "" };

    layout.depth = 8;
    params.n_steps = 64;
    g_assert_false (bdct_job_init (&job, &params, &layout, &error));
    g_assert_nonnull (strstr (error.message, "step 0 "));
    params.transform = BDCT_HEVC_4X4;
    g_assert_true (bdct_job_init (&job, &params, &layout, &error));
  }
  g_assert_false (bdct_error (NULL, "%s", "nowhere to write"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/job/keys", test_keys);
  g_test_add_func ("/job/errors", test_job_errors);
  return g_test_run ();
}
