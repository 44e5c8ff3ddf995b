/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What dct/entropy/cabac.h estimates of whole frames against what an encoder
 * written from the standard writes (residual-coding.h). The frames are computed
 * here; barbara.pgm is taken from the folder that BLOCKDCT_DATA names. */
#include <blockdct/blockdct.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "residual-coding.h"
#include "support.h"

static double
lattice (guint x, guint y, guint seed)
{
  guint h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ seed * 0xc2b2ae3du;

  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return (h ^ h >> 15) / 4294967296.0;
}

/* Noise in 0 to 1 in octaves, each half as wide as the one before and of
 * 2^-slope the amplitude, down to `finest` samples: the larger the slope, the
 * smoother. */
static double
octaves (double x, double y, double slope, double finest, guint seed)
{
  double sum = 0, total = 0, amplitude = 1;

  for (double width = 256; width >= finest; width /= 2) {
    const double u = x / width, v = y / width;
    const guint i = (guint) u, j = (guint) v;
    const double a = u - i, b = v - j;
    const double s = a * a * (3 - 2 * a), t = b * b * (3 - 2 * b);
    const guint key = seed + 7 * (guint) width;

    sum += amplitude * ((1 - t) * ((1 - s) * lattice (i, j, key)
            + s * lattice (i + 1, j, key))
        + t * ((1 - s) * lattice (i, j + 1, key)
            + s * lattice (i + 1, j + 1, key)));
    total += amplitude;
    amplitude *= pow (2, -slope);
  }
  return sum / total;
}

/* Hills under a sky, before water: regions of unlike roughness with edges
 * between them, and a sensor's noise. */
static int
hills (int c, double x, double y)
{
  static const double colour[4][3] = {
    {205, 140, 112}, {150, 134, 122}, {96, 122, 120}, {120, 136, 118},
  };
  static const double relief[4] = { 60, 90, 190, 110 };
  static const double slope[4] = { 1.6, 0.9, 0.55, 1.1 };
  int region = 0;
  double v;

  if (y > 130 + 160 * (octaves (x, 0, 1.2, 1, 1) - 0.5))
    region = 1;
  if (y > 215 + 150 * (octaves (x, 0, 0.9, 1, 2) - 0.5))
    region = 2;
  if (y > 310)
    region = 3;
  v = octaves (x, region == 3 ? 5 * y : y, slope[region], 1, 10 + region) - 0.5;
  v *= c == 0 ? relief[region] : relief[region] / 6;
  return (int) CLAMP (colour[region][c] + v + 4 * (lattice ((guint) x,
              (guint) y, 77 + c) - 0.5) + 0.5, 0, 255);
}

/* Letters: strokes in cells of 9 x 14 with words and lines between. */
static int
text (int x, int y)
{
  const int column = x / 9, row = y / 14, cx = x % 9, cy = y % 14;
  const guint letter = (guint) (lattice (column, row, 5) * 4096);

  if (letter % 6 == 0 || cx > 6 || cy > 10 || lattice (0, row, 6) < 0.1)
    return 245;
  return ((letter >> 2 & 1) && cx < 2) || ((letter >> 3 & 1) && cx > 4)
      || ((letter >> 4 & 1) && cy < 2) || ((letter >> 5 & 1) && cy > 8)
      || ((letter >> 6 & 1) && (cy == 5 || cy == 6))
      || ((letter >> 7 & 1) && abs (cx - cy / 2) < 1) ? 20 : 245;
}

typedef enum
{
  SCENE_HILLS, SCENE_NOISE, SCENE_GRADIENT, SCENE_TEXT, SCENE_BLACK, N_SCENES
} Scene;

static const char *const scene_names[N_SCENES] = {
  "hills", "noise", "gradient", "text", "black"
};

static int
scene_sample (Scene scene, int c, int x, int y)
{
  switch (scene) {
    case SCENE_HILLS:
      return hills (c, x, y);
    case SCENE_NOISE:
      return (int) (256 * lattice (x, y, 50 + c));
    case SCENE_GRADIENT:
      return c == 0 ? (x + y) * 255 / 894 : c == 1 ? x / 2 : 255 - y / 2;
    case SCENE_TEXT:
      return c == 0 ? text (x, y) : 128;
    default:
      return c == 0 ? 16 : 128;
  }
}

typedef struct {
  double truth[BDCT_MAX_COMPONENTS], estimate[BDCT_MAX_COMPONENTS];
} Bits;

/* A frame's bits by the encoder, of the engine's levels, and by its
 * estimate. */
static void
measure (const Picture * picture, BdctChromaFormat chroma,
    const BdctParams * params, Bits * bits)
{
  const int n = chroma == BDCT_CHROMA_400 ? 1 : 3;
  BdctEngine *engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, NULL);
  BdctFrame frame = {.size = sizeof frame,.n_quantizers = 1,.bits = true };
  BdctJobInfo info = {.size = sizeof info };
  BdctStats stats = {.size = sizeof stats };
  guint8 *bytes[BDCT_MAX_COMPONENTS];
  ResidualCoder encoder;
  BdctLayout layout;
  BdctJob *job;

  bdct_layout_init (&layout, chroma, 8, 0, n, picture->width[0],
      picture->height[0]);
  job = bdct_jobs_new (params, 1, &layout, NULL);
  g_assert_true (bdct_job_describe (job, &layout, &info, NULL));
  for (int c = 0; c < n; c++) {
    const int size = picture->width[c] * picture->height[c];

    frame.src.data[c] = bytes[c] = g_malloc (size);
    frame.src.stride[c] = picture->width[c];
    for (int i = 0; i < size; i++)
      bytes[c][i] = picture->sample[c][i];
  }
  frame.quantizers = job;
  frame.n_levels = info.n_levels;
  frame.levels = g_aligned_alloc (info.n_levels, sizeof *frame.levels, 64);
  g_assert_true (bdct_engine_configure (engine, &layout, 1, NULL)
      && bdct_engine_submit (engine, &frame, NULL)
      && bdct_engine_collect (engine, &stats, NULL));
  memset (bits, 0, sizeof *bits);
  residual_encoder_init (&encoder, params->qp);
  for (int c = 0; c < n; c++) {
    const double before = residual_bits (&encoder);

    for (int i = 0; i < info.grid[c].columns * info.grid[c].rows; i++)
      residual_encode (&encoder, frame.levels + info.first_level[c]
          + (gsize) i * info.block_levels[c], info.log2_width[c], c > 0);
    bits->truth[c] = residual_bits (&encoder) - before;
    bits->estimate[c] = stats.component[c].bits;
    g_free (bytes[c]);
  }
  g_aligned_free (frame.levels);
  bdct_jobs_free (job);
  bdct_engine_free (engine);
}

/* Whole frames of one picture: what its errors come to, in %. */
typedef struct {
  int n;
  double sum, worst;            /* of the frames */
  double luma, chroma;          /* the worst of Y alone, of U and V alone, where
                                   these have 500 bytes and more */
  double least, most;           /* bits of a frame */
} Errors;

static double
percent (double estimate, double truth)
{
  return 100 * (estimate / truth - 1);
}

/* The larger of `worst` and the error of one component, or two. */
static double
worse (double worst, double estimate, double truth)
{
  return truth < 4000 ? worst : MAX (worst, fabs (percent (estimate, truth)));
}

/* Measure a picture at all sizes and QPs, and print a line for each size; at
 * each N-th where the environment has BLOCKDCT_TEST_EVERY=N. */
static void
measure_picture (const char *name, const Picture * picture,
    BdctChromaFormat chroma, Errors * errors)
{
  static const int qps[] = { 12, 22, 27, 32, 37, 42 };
  const char *every = g_getenv ("BLOCKDCT_TEST_EVERY");

  for (int t = BDCT_HEVC_DST_4X4; t <= BDCT_HEVC_32X32; t++) {
    GString *line = g_string_new (NULL);
    BdctParams params = BDCT_PARAMS_DEFAULT;

    params.transform = t;
    g_string_printf (line, "%s, %s: bits (error in %%)", name,
        bdct_transform_info (t)->name);
    for (guint q = 0; q < G_N_ELEMENTS (qps); q++) {
      double truth, estimate, error;
      Bits bits;

      if (every != NULL && (t + q) % atoi (every) != 0)
        continue;
      params.qp = qps[q];
      measure (picture, chroma, &params, &bits);
      truth = bits.truth[0] + bits.truth[1] + bits.truth[2];
      estimate = bits.estimate[0] + bits.estimate[1] + bits.estimate[2];
      error = percent (estimate, truth);
      g_string_append_printf (line, " %.0f (%+.2f)", truth, error);
      errors->sum += fabs (error);
      errors->worst = MAX (errors->worst, fabs (error));
      errors->luma = worse (errors->luma, bits.estimate[0], bits.truth[0]);
      errors->chroma = worse (errors->chroma,
          bits.estimate[1] + bits.estimate[2], bits.truth[1] + bits.truth[2]);
      errors->least = errors->n ? MIN (errors->least, truth) : truth;
      errors->most = MAX (errors->most, truth);
      errors->n++;
    }
    g_test_message ("%s", line->str);
    g_string_free (line, TRUE);
  }
}

/* The row of docs/evidence/fidelity.md. Natural pictures are held to a mean
 * error of 0.4% and a worst one of 2.5%, others to a worst one of 8%. */
static void
judge (const char *name, const Errors * e, gboolean natural)
{
  g_test_message ("| %s | %.0f to %.0f | %.2f | %.2f | %.2f | %.2f |", name,
      e->least, e->most, e->sum / e->n, e->worst, e->luma, e->chroma);
  if (natural)
    g_assert_cmpfloat (e->sum / e->n, <=, 0.4);
  g_assert_cmpfloat (e->worst, <=, natural ? 2.5 : 8);
}

static void
test_scene (gconstpointer data)
{
  const Scene scene = GPOINTER_TO_INT (data);
  const gboolean natural = scene == SCENE_HILLS;
  Errors errors = { 0 };
  Picture picture;
  BdctLayout layout;

  if (natural)
    bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 3, 640, 448);
  else
    bdct_layout_init (&layout, BDCT_CHROMA_444, 8, 0, 3, 512, 384);
  picture_init (&picture, &layout);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const int step = layout.plane[0].width / picture.width[c];

    for (int y = 0; y < picture.height[c]; y++)
      for (int x = 0; x < picture.width[c]; x++)
        picture.sample[c][y * picture.width[c] + x]
            = scene_sample (scene, c, step * x, step * y);
  }
  measure_picture (scene_names[scene], &picture, layout.chroma, &errors);
  judge (scene_names[scene], &errors, natural);
  picture_clear (&picture);
}

static void
test_barbara (void)
{
  Errors errors = { 0 };
  Picture picture;

  if (!picture_load (&picture, "barbara.pgm"))
    return;
  measure_picture ("Barbara", &picture, BDCT_CHROMA_400, &errors);
  judge ("Barbara", &errors, TRUE);
  picture_clear (&picture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (int i = 0; i < N_SCENES; i++)
    tests_add (test_scene, i, "/cabac/frames/%s", scene_names[i]);
  g_test_add_func ("/cabac/frames/barbara", test_barbara);
  return g_test_run ();
}
