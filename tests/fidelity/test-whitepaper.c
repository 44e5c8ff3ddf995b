/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The figure of "Discrete Cosine Transform for 8x8 Blocks with CUDA" (NVIDIA
 * 2008) for the picture Barbara: 32.777092 dB. Not more than four digits of it
 * can hold for every order of float operations, for 46 coefficients of this
 * picture are exact ties. */
#include <string.h>
#include "frame.h"
#include "reference.h"

static void
test_barbara (void)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctEngine *engines[MAX_ENGINES];
  guint n_engines;
  Picture barbara, expected;
  double definition;
  BdctLayout layout;
  RefResult result;
  BdctJob job;

  if (!picture_load (&barbara, "barbara.pgm"))
    return;
  whitepaper_params (&params);
  format_layout (FORMAT_GRAY, 8, 0, barbara.width[0], barbara.height[0],
      &layout);
  g_assert_true (bdct_job_init (&job, &params, &layout, NULL));

  picture_init (&expected, &layout);
  {
    RefPlane plane = { &params, BDCT_CHROMA_400, BDCT_Y, 8, barbara.width[0],
      barbara.height[0]
    };

    ref_plane (&plane, barbara.sample[0], expected.sample[0], NULL, &result);
  }
  definition = bdct_psnr ((double) result.sse / result.samples, 8);
  g_test_message ("by definition in double: %.6f dB", definition);
  g_assert_cmpfloat_with_epsilon (definition, 32.7771, 0.0002);

  n_engines = engines_open (engines);
  for (guint i = 0; i < n_engines; i++) {
    BdctEngine *engine = engines[i];
    Frame src, dst;
    BdctStats stats;
    double psnr;

    frame_init (&src, &layout, STRIDE_TIGHT);
    frame_init (&dst, &layout, STRIDE_TIGHT);
    frame_put (&src, &layout, &barbara, FALSE);
    g_assert_true (engine->klass->configure (engine, &layout, 1, NULL));
    g_assert_true (engine_submit (engine, &job, &src.image, &dst.image,
            NULL));
    g_assert_true (engine->klass->collect (engine, &stats, NULL));
    psnr = bdct_psnr (bdct_mse (&stats.component[0]), 8);
    g_test_message ("%s: %.6f dB", engine->description, psnr);
    g_assert_cmpfloat_with_epsilon (psnr, 32.7771, 0.0002);
    frame_clear (&src);
    frame_clear (&dst);
  }
  engines_close (engines, n_engines);
  picture_clear (&barbara);
  picture_clear (&expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/whitepaper/barbara", test_barbara);
  return g_test_run ();
}
