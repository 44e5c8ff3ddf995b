/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The keys of jobs, and the reciprocals of jpeg-8x8's fast kernels, of all
 * steps there are. Other numbers are right where the differential's pictures
 * are. */
#include <glib.h>
#include <math.h>
#include <string.h>
#include "cpu/simd/tile32.h"

/* Equal jobs have equal keys, whatever was in their memory, and others have
 * others. */
static void
test_keys (void)
{
  g_autoptr (GHashTable) by_key =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctLayout layout;
  int n = 0;

  bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 3, 64, 64);
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

static int
mulhi (int a, int b)
{
  return (guint32) (guint16) a * (guint16) b >> 16;
}

/* jpeg-8x8's levels as cpu/simd/tile16.c has them from an entry, at all
 * coefficients at which they change, up to the largest one. */
static void
check_step (const BdctTile16Entry * e, int i, gboolean wide, int largest)
{
  const int q = e->dequant[i];

  for (gint64 middle = 4 * q; middle - 1 <= largest; middle += 8 * q)
    for (int c = middle - 1; c <= MIN (middle, largest); c++) {
      int x = (wide ? c / 4 : c) + (guint16) e->scale[i];

      x = wide ? x | 1 : x & ~7;
      g_assert_cmpint (x, <=, G_MAXUINT16);
      g_assert_cmpint (mulhi (mulhi (x, e->quant[i]), e->power[i]), ==,
          (c + 4 * q) / (8 * q));
    }
}

/* The reciprocals of all steps there are. */
static void
test_steps (void)
{
  static BdctTileQuantizer set;
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctLayout layout;
  BdctJob job;

  params.baseline = FALSE;
  params.n_steps = 64;
  for (int depth = 8; depth <= 12; depth += 2)
    for (int first = 1; first <= BDCT_MAX_STEP; first += 64) {
      const BdctTile16 *chain = &set.tile16;

      bdct_layout_init (&layout, BDCT_CHROMA_400, depth, 0, 1, 8, 8);
      for (int i = 0; i < 64; i++)
        params.steps[i] = MIN (first + i, BDCT_MAX_STEP);
      g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
      bdct_tile_quantizer_init (&set, &job, BDCT_Y);
      g_assert_nonnull (chain->basis);
      for (int i = 0; i < 64; i++) {
        if (!chain->wide && chain->entry[i / 8].dequant[i % 8] != 0)
          check_step (&chain->entry[i / 8], i % 8, FALSE, 32 << depth);
        if (depth > 8)
          check_step (&chain->entry[chain->n_vectors + i / 8], i % 8, TRUE,
              32 << depth);
      }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/job/keys", test_keys);
  g_test_add_func ("/job/steps", test_steps);
  return g_test_run ();
}
