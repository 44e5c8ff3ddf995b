/* blockdct-pgm: what a block transform and its quantizer do to a grey picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   cc blockdct-pgm.c $(pkg-config --cflags --libs blockdct) -o blockdct-pgm
 *   blockdct-pgm TRANSFORM QUALITY-OR-QP IN.pgm OUT.pgm
 *
 * such as `blockdct-pgm jpeg-8x8 50 in.pgm out.pgm`: transforms with a QP take
 * 0 to 51, the others a quality of 1 to 100. Prints PSNR, bits and SSIM, and
 * writes what a decoder would show. */
#include <string.h>
#include "pgm.h"

static bool
read_params (BdctParams * params, const char *name, const char *value)
{
  const BdctTransformInfo *info;
  char *end;
  long n = strtol (value, &end, 10);

  if (end == value || *end != '\0' || n < -1000 || n > 1000) {
    fprintf (stderr, "%s is no quality or QP\n", value);
    return false;
  }
  for (int i = 0; (info = bdct_transform_info ((BdctTransform) i)) != NULL; i++)
    if (strcmp (info->name, name) == 0) {
      params->transform = (BdctTransform) i;
      *(info->has_qp ? &params->qp : &params->quality) = (int) n;
      return true;
    }
  fprintf (stderr, "there is no transform %s, but these:\n", name);
  for (int i = 0; (info = bdct_transform_info ((BdctTransform) i)) != NULL; i++)
    fprintf (stderr, "  %-16s %s\n", info->name, info->description);
  return false;
}

/* Into the memory of `out`; and the SSIM of that. */
static bool
transform (const BdctParams * params, const Pgm * in, const Pgm * out,
    BdctStats * stats, double *ssim)
{
  BdctFrame frame = {.size = sizeof frame,.n_quantizers = 1,.bits = true };
  BdctComparison comparison = {.size = sizeof comparison,.n_distorted = 1,
    .metrics = 1u << BDCT_METRIC_SSIM
  };
  BdctStats compared = {.size = sizeof compared };
  BdctEngine *engine = NULL;
  BdctError error = { "" };
  BdctLayout layout;
  BdctJob *job;
  bool ok;

  bdct_layout_init (&layout, BDCT_CHROMA_400, 8, 0, 1, in->width, in->height);
  job = bdct_jobs_new (params, 1, &layout, &error);
  frame.quantizers = job;
  frame.src = comparison.reference.image = pgm_image (in);
  frame.dst = comparison.distorted[0].image = pgm_image (out);
  stats->size = sizeof *stats;
  ok = job != NULL
      && (engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, &error)) != NULL
      && bdct_engine_configure (engine, &layout, 1, &error)
      && bdct_engine_submit (engine, &frame, &error)
      && bdct_engine_collect (engine, stats, &error)
      && bdct_engine_compare (engine, &comparison, &error)
      && bdct_engine_collect (engine, &compared, &error)
      && bdct_metric_figure (&compared, 1, 8, BDCT_METRIC_SSIM, BDCT_Y, ssim);
  if (!ok)
    fprintf (stderr, "%s\n", error.message);
  bdct_engine_free (engine);
  bdct_jobs_free (job);
  return ok;
}

int
main (int argc, char **argv)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  Pgm in = { 0 }, out;
  BdctStats stats;
  double ssim;
  int status = 1;

  if (argc != 5) {
    fprintf (stderr, "usage: %s TRANSFORM QUALITY-OR-QP IN.pgm OUT.pgm\n",
        argv[0]);
    return 2;
  }
  if (!read_params (&params, argv[1], argv[2]) || !pgm_read (argv[3], &in))
    return 1;
  out = in;
  out.data = malloc ((size_t) in.width * in.height);
  if (out.data == NULL)
    fprintf (stderr, "no memory for a second picture\n");
  else if (transform (&params, &in, &out, &stats, &ssim)
      && pgm_write (argv[4], &out)) {
    printf ("PSNR %.4f dB, %llu bits, SSIM %.6f\n",
        bdct_psnr (bdct_mse (&stats.component[BDCT_Y]), 8),
        (unsigned long long) stats.component[BDCT_Y].bits, ssim);
    status = 0;
  }
  free (out.data);
  free (in.data);
  return status;
}
