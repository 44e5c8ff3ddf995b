/* blockdct-compare-pgm: PSNR and SSIM of a grey picture against another.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   cc blockdct-compare-pgm.c $(pkg-config --cflags --libs blockdct) \
 *       -o blockdct-compare-pgm
 *   blockdct-compare-pgm REFERENCE.pgm DISTORTED.pgm */
#include "pgm.h"

static bool
compare (const Pgm * reference, const Pgm * distorted)
{
  BdctComparison comparison = {.size = sizeof comparison,.n_distorted = 1,
    .errors = true
  };
  BdctStats stats = {.size = sizeof stats };
  BdctEngine *engine = NULL;
  BdctError error = { "" };
  BdctLayout layout;
  double ssim;
  bool ok;

  bdct_layout_init (&layout, BDCT_CHROMA_400, 8, 0, 1, reference->width,
      reference->height);
  comparison.reference.image = pgm_image (reference);
  comparison.distorted[0].image = pgm_image (distorted);
  /* Pictures of less than a window have no SSIM. */
  if (bdct_metric_check (BDCT_METRIC_SSIM, &layout, NULL))
    comparison.metrics = 1u << BDCT_METRIC_SSIM;
  ok = (engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, &error)) != NULL
      && bdct_engine_configure (engine, &layout, 1, &error)
      && bdct_engine_compare (engine, &comparison, &error)
      && bdct_engine_collect (engine, &stats, &error);
  if (!ok)
    fprintf (stderr, "%s\n", error.message);
  else {
    printf ("PSNR %.4f dB", bdct_psnr (bdct_mse (&stats.component[BDCT_Y]), 8));
    if (bdct_metric_figure (&stats, 1, 8, BDCT_METRIC_SSIM, BDCT_Y, &ssim))
      printf (", SSIM %.6f", ssim);
    putchar ('\n');
  }
  bdct_engine_free (engine);
  return ok;
}

int
main (int argc, char **argv)
{
  Pgm reference = { 0 }, distorted = { 0 };
  bool ok;

  if (argc != 3) {
    fprintf (stderr, "usage: %s REFERENCE.pgm DISTORTED.pgm\n", argv[0]);
    return 2;
  }
  ok = pgm_read (argv[1], &reference) && pgm_read (argv[2], &distorted);
  if (ok && (reference.width != distorted.width
          || reference.height != distorted.height)) {
    fprintf (stderr, "%s is %dx%d, %s %dx%d\n", argv[1], reference.width,
        reference.height, argv[2], distorted.width, distorted.height);
    ok = false;
  }
  ok = ok && compare (&reference, &distorted);
  free (reference.data);
  free (distorted.data);
  return ok ? 0 : 1;
}
