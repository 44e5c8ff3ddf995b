/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "origin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <blockdct/engine.h>
#include "planes.h"

/* Levels that tell a step from the next best table's, weighed by how much rarer
 * they are there: a chance of one in a million. */
#define SURE 14.0
/* The share of blocks that rounding may have turned to a wrong level, and the
 * levels of a block that are tried both ways then. */
#define MAX_WRONG 0.1
#define MAX_DOUBTS 8
#define MAX_TRIALS (MAX_DOUBTS + MAX_DOUBTS * (MAX_DOUBTS - 1) / 2)

static bool
refuse (BdctError * error, const char *why)
{
  if (error != NULL)
    snprintf (error->message, sizeof error->message, "%s", why);
  return false;
}

/* A grid of blocks in a plane. */
typedef struct
{
  const CombPlane *plane;
  int left, top, columns, rows;
} Grid;

static Grid
grid_init (const CombPlane * plane, int left, int top)
{
  return (Grid) { plane, left, top, (plane->width - left) / 8,
    (plane->height - top) / 8
  };
}

/* The DCT of block `i`, and whether all of its samples are known. */
static bool
grid_transform (const Grid * grid, int i, double c[64])
{
  const int x = grid->left + i % grid->columns * 8;
  const int y = grid->top + i / grid->columns * 8;

  comb_transform (grid->plane, x, y, c);
  return comb_is_known (grid->plane, x, y);
}

/* Whether samples are those of block `i`. */
static bool
is_block (const Grid * grid, int i, const uint8_t * sample, ptrdiff_t stride)
{
  const int x = grid->left + i % grid->columns * 8;
  const int y = grid->top + i / grid->columns * 8;

  for (int v = 0; v < 8; v++)
    for (int u = 0; u < 8; u++) {
      const size_t at = (size_t) (y + v) * grid->plane->width + x + u;

      if (sample[v * stride + u] < grid->plane->least[at]
          || sample[v * stride + u] > grid->plane->most[at])
        return false;
    }
  return true;
}

/* Decode blocks, `columns` of them side by side. */
static bool
decode (int16_t * levels, int columns, int rows, const uint16_t steps[64],
    uint8_t * samples, BdctError * error)
{
  const BdctEngineOptions options = {.size = sizeof options,.threads = 1 };
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctLayout layout;
  BdctJob *job;
  BdctEngine *engine;
  bool ok;

  bdct_layout_init (&layout, BDCT_CHROMA_400, 8, 0, 1, 8 * columns, 8 * rows);
  params.n_steps = 64;
  for (int k = 0; k < 64; k++)
    params.steps[k] = steps[k] > 0 ? steps[k] : 1;
  job = bdct_jobs_new (&params, 1, &layout, error);
  engine = job == NULL ? NULL : bdct_engine_new (BDCT_BACKEND_CPU, &options,
      error);
  ok = engine != NULL && bdct_engine_configure (engine, &layout, 1, error);
  if (ok) {
    const BdctFrame frame = {.size = sizeof frame,.quantizers = job,
      .n_quantizers = 1,.from_levels = true,.levels = levels,
      .n_levels = (size_t) columns * rows * 64,
      .dst = {.data = {samples},.stride = {8 * columns}}
    };

    ok = bdct_engine_submit (engine, &frame, error)
        && bdct_engine_collect (engine, NULL, error);
  }
  bdct_engine_free (engine);
  bdct_jobs_free (job);
  return ok;
}

/* A block's level `k`, and how near its coefficient is to the next level. */
typedef struct
{
  int k, other;
  double distance;
} Doubt;

static int
compare_doubts (const void *a, const void *b)
{
  const double x = ((const Doubt *) a)->distance;
  const double y = ((const Doubt *) b)->distance;

  return (x > y) - (x < y);
}

/* Set a block's levels, and find the most doubtful of them. */
static void
quantize (const double c[64], const uint16_t steps[64], int16_t * levels,
    Doubt doubts[64])
{
  for (int k = 0; k < 64; k++) {
    const double exact = steps[k] > 0 ? c[k] / steps[k] : 0;

    levels[k] = (int16_t) lround (exact);
    doubts[k].k = k;
    doubts[k].other = levels[k] + (exact > levels[k] ? 1 : -1);
    doubts[k].distance = steps[k] > 0 ? (0.5 - fabs (exact - levels[k]))
        * steps[k] : HUGE_VAL;
  }
  qsort (doubts, 64, sizeof *doubts, compare_doubts);
}

/* Find levels of block `i` that give it exactly: one or two of its doubtful
 * levels are the next ones. */
static bool
search (const Grid * grid, int i, const uint16_t steps[64], int16_t * levels,
    BdctError * error)
{
  int16_t trial[MAX_TRIALS][64];
  uint8_t samples[8][8 * MAX_TRIALS];
  Doubt doubts[64];
  double c[64];
  int n = 0;

  grid_transform (grid, i, c);
  quantize (c, steps, levels, doubts);
  for (int a = 0; a < MAX_DOUBTS; a++)
    for (int b = 0; b <= a; b++) {
      memcpy (trial[n], levels, sizeof trial[n]);
      trial[n][doubts[a].k] = (int16_t) doubts[a].other;
      if (b < a)
        trial[n][doubts[b].k] = (int16_t) doubts[b].other;
      n++;
    }
  if (!decode (trial[0], n, 1, steps, samples[0], error))
    return false;
  for (int t = 0; t < n; t++)
    if (is_block (grid, i, samples[0] + 8 * t, 8 * n)) {
      memcpy (levels, trial[t], sizeof trial[t]);
      return true;
    }
  return false;
}

/* What the blocks of a component say: for each frequency how many levels are
 * not 0, and the greatest common divisor of what they stand for. */
typedef struct
{
  int blocks;
  int count[64], divisor[64];
} Evidence;

static int
find_divisor (int a, int b)
{
  while (b != 0) {
    const int rest = a % b;

    a = b;
    b = rest;
  }
  return a;
}

/* Whether steps reproduce every known block. Adds to the evidence. */
static bool
verify (const Grid * grid, const uint16_t steps[64], Evidence * evidence,
    BdctError * error)
{
  const int n = grid->columns * grid->rows, stride = 8 * grid->columns;
  int16_t *levels = malloc ((size_t) n * 64 * sizeof *levels);
  uint8_t *samples = malloc ((size_t) n * 64);
  bool ok = levels != NULL && samples != NULL;
  int wrong = 0;

  for (int i = 0; i < n && ok; i++) {
    Doubt doubts[64];
    double c[64];

    grid_transform (grid, i, c);
    quantize (c, steps, levels + 64 * (size_t) i, doubts);
  }
  ok = ok && decode (levels, grid->columns, grid->rows, steps, samples, error);
  for (int i = 0; i < n && ok; i++) {
    const int x = i % grid->columns * 8, y = i / grid->columns * 8;
    int16_t *own = levels + 64 * (size_t) i;

    if (!comb_is_known (grid->plane, grid->left + x, grid->top + y))
      continue;
    if (!is_block (grid, i, samples + (size_t) y * stride + x, stride)) {
      wrong++;
      ok = wrong <= n * MAX_WRONG + 1 && search (grid, i, steps, own, error);
    }
    evidence->blocks++;
    for (int k = 0; k < 64; k++)
      if (own[k] != 0) {
        evidence->count[k]++;
        evidence->divisor[k] = find_divisor (abs (own[k] * steps[k]),
            evidence->divisor[k]);
      }
  }
  free (samples);
  free (levels);
  return ok;
}

void
jpeg_origin_scale (int preset, int quality, uint16_t steps[2][64])
{
  const BdctPresetInfo *info = bdct_preset_info ((BdctPreset) preset);
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;

  for (int c = 0; c < 2; c++)
    for (int k = 0; k < 64; k++) {
      const int step = (info->step[c][k] * percent + 50) / 100;

      steps[c][k] = (uint16_t) (step < 1 ? 1 : step > 255 ? 255 : step);
    }
}

void
jpeg_origin_name (JpegOrigin * origin, int n_tables)
{
  origin->preset = -1;
  origin->quality = 0;
  for (int p = 0; p < BDCT_N_PRESETS; p++)
    for (int quality = 1; quality <= 100; quality++) {
      uint16_t steps[2][64];

      jpeg_origin_scale (p, quality, steps);
      if (origin->preset < 0 && memcmp (steps, origin->steps,
              n_tables * sizeof steps[0]) == 0) {
        origin->preset = p;
        origin->quality = quality;
      }
    }
}

/* A grid that chroma may have. */
typedef struct
{
  Grid grid[2];                 /* of U and V */
  Comb comb;                    /* of both */
  double gain;                  /* -1: taken */
} Choice;

/* What is looked at: luma, and U and V where there are these. */
typedef struct
{
  CombPlane plane[3], small[2];
  Grid grid[3];
  Comb comb[2];                 /* of luma, of both of chroma */
  int n_grids, n_choices;
  Choice choice[4];
} Search;

static double
find_gain (const Search * s, uint16_t steps[2][64])
{
  double sum = 0;

  for (int c = 0; c < (s->n_grids > 1 ? 2 : 1); c++)
    for (int k = 0; k < 64; k++)
      sum += s->comb[c].gain[k][steps[c][k]];
  return sum;
}

static bool
verify_all (const Search * s, uint16_t steps[2][64], Evidence evidence[2],
    BdctError * error)
{
  memset (evidence, 0, 2 * sizeof *evidence);
  for (int i = 0; i < s->n_grids; i++)
    if (!verify (&s->grid[i], steps[i > 0], &evidence[i > 0], error))
      return false;
  return true;
}

/* How much the levels say for steps, if they all are multiples of these. */
static double
weigh (const Evidence evidence[2], uint16_t steps[2][64])
{
  double sum = 0;

  for (int c = 0; c < 2; c++)
    for (int k = 0; k < 64; k++) {
      if (evidence[c].divisor[k] % steps[c][k] != 0)
        return -1;
      sum += evidence[c].count[k] * log (steps[c][k]);
    }
  return sum;
}

/* Name the tables, if one name is sure: no other is nearly as good, and the
 * steps themselves are not better. */
static void
name (JpegOrigin * origin, const Evidence evidence[2])
{
  double most = 0, second = 0;
  uint16_t found[2][64];

  origin->preset = -1;
  origin->quality = 0;
  for (int p = 0; p < BDCT_N_PRESETS; p++)
    for (int quality = 1; quality <= 100; quality++) {
      uint16_t steps[2][64];
      double weight;

      jpeg_origin_scale (p, quality, steps);
      weight = weigh (evidence, steps);
      if (weight > most) {
        second = most;
        most = weight;
        origin->preset = p;
        origin->quality = quality;
      } else if (weight > second) {
        second = weight;
      }
    }
  for (int k = 0; k < 128; k++)
    found[k / 64][k % 64] = origin->steps[k / 64][k % 64] > 0
        ? origin->steps[k / 64][k % 64] : 1;
  if (most < second + SURE || weigh (evidence, found) > most + 1e-6)
    origin->preset = -1;
}

/* Find tables that reproduce the picture: those of a preset that the
 * coefficients favour, or each frequency's own likeliest step. */
static bool
find_tables (Search * s, JpegOrigin * origin, BdctError * error)
{
  uint16_t steps[2][64] = { {0} };
  Evidence evidence[2];
  double most = 0;

  for (int p = 0; p < BDCT_N_PRESETS; p++)
    for (int quality = 1; quality <= 100; quality++) {
      uint16_t these[2][64];
      double gain;

      jpeg_origin_scale (p, quality, these);
      gain = find_gain (s, these);
      if (gain > most) {
        most = gain;
        memcpy (steps, these, sizeof steps);
      }
    }
  if (most == 0 || !verify_all (s, steps, evidence, error)) {
    for (int c = 0; c < 2; c++)
      for (int k = 0; k < 64; k++)
        steps[c][k] = (uint16_t) comb_step (&s->comb[c], k, COMB_MAX_STEP);
    if (!verify_all (s, steps, evidence, error))
      return refuse (error, "no quantization steps reproduce it exactly");
  }
  for (int c = 0; c < 2; c++)
    for (int k = 0; k < 64; k++)
      origin->steps[c][k] = evidence[c].count[k] > 0 ? steps[c][k] : 0;
  name (origin, evidence);
  return true;
}

/* Measure chroma's grids: those that begin where an MCU may begin. */
static void
measure_chroma (Search * s, const CombPlane * plane[2], int h, int v, int left,
    int top)
{
  s->n_choices = h * v;
  for (int i = 0; i < h * v; i++) {
    Choice *choice = &s->choice[i];
    const int x = (left / h + i % h * 8 / h) % 8;
    const int y = (top / v + i / h * 8 / v) % 8;

    choice->gain = 0;
    memset (&choice->comb, 0, sizeof choice->comb);
    for (int c = 0; c < 2; c++) {
      Comb one;

      comb_measure (&one, plane[c], x, y, 4000, COMB_MAX_STEP);
      for (int k = 0; k < 64; k++)
        for (int step = 1; step <= COMB_MAX_STEP; step++)
          choice->comb.gain[k][step] += one.gain[k][step];
      choice->grid[c] = grid_init (plane[c], x, y);
    }
    for (int k = 0; k < 64; k++) {
      const int step = comb_step (&choice->comb, k, COMB_MAX_STEP);

      choice->gain += step > 0 ? choice->comb.gain[k][step] : 0;
    }
  }
}

/* Take the grid with the most gain that was not taken yet. Returns false if
 * there is none. */
static bool
take_chroma (Search * s)
{
  Choice *best = NULL;

  for (int i = 0; i < s->n_choices; i++)
    if (s->choice[i].gain >= 0 && (best == NULL
            || s->choice[i].gain > best->gain))
      best = &s->choice[i];
  if (best == NULL)
    return false;
  s->comb[1] = best->comb;
  for (int c = 0; c < 2; c++)
    s->grid[1 + c] = best->grid[c];
  s->n_grids = 3;
  best->gain = -1;
  return true;
}

static void
free_small (Search * s)
{
  for (int c = 0; c < 2; c++) {
    free (s->small[c].sample);
    s->small[c].sample = NULL;
  }
}

/* Reduce U and V as `h` x `v` samples to one were interpolated. */
static bool
reduce (Search * s, int h, int v, const JpegOrigin * origin)
{
  for (int c = 0; c < 2; c++)
    if (!jpeg_plane_reduce (&s->small[c], &s->plane[1 + c], h, v,
            h > 1 ? origin->left % 2 : 0, v > 1 ? origin->top % 2 : 0)) {
      s->small[c].sample = NULL;
      free_small (s);
      return false;
    }
  return true;
}

/* Find the sampling of chroma, and its grids. Where U and V are constant across
 * or down, several samplings give the same; then chroma says nothing. */
static void
find_sampling (Search * s, JpegOrigin * origin)
{
  static const int samplings[3][2] = { {2, 2}, {2, 1}, {1, 2} };
  const CombPlane *plane[2] = { &s->plane[1], &s->plane[2] };
  int h = 1, v = 1, n = 0;

  for (int i = 0; i < 3; i++)
    if (reduce (s, samplings[i][0], samplings[i][1], origin)) {
      free_small (s);
      h = samplings[i][0];
      v = samplings[i][1];
      n++;
    }
  if (n > 1)
    return;
  if (n == 1 && reduce (s, h, v, origin)) {
    plane[0] = &s->small[0];
    plane[1] = &s->small[1];
  }
  origin->h = h;
  origin->v = v;
  measure_chroma (s, plane, h, v, origin->left, origin->top);
}

static bool
find_planes (Search * s, const JpegOriginPicture * picture, BdctError * error)
{
  for (int c = 0; c < picture->components; c++)
    if (!jpeg_plane_init (&s->plane[c], picture->width, picture->height))
      return refuse (error, "no memory for its planes");
  if (picture->components == 3)
    return jpeg_planes_split (s->plane, picture->data, picture->stride)
        || refuse (error, "its colours are not made from Y, U and V");
  for (int y = 0; y < picture->height; y++)
    for (int x = 0; x < picture->width; x++) {
      const uint8_t v = picture->data[y * picture->stride + x];

      jpeg_plane_set (&s->plane[0], x, y, v, v > 0 && v < 255);
    }
  return true;
}

static bool
find (Search * s, JpegOrigin * origin, const JpegOriginPicture * picture,
    BdctError * error)
{
  if (!find_planes (s, picture, error))
    return false;
  if (!comb_find_grid (&s->plane[0], &origin->left, &origin->top))
    return refuse (error, "its coefficients are not multiples of quantization "
        "steps");
  comb_measure (&s->comb[0], &s->plane[0], origin->left, origin->top, 4000,
      COMB_MAX_STEP);
  s->grid[0] = grid_init (&s->plane[0], origin->left, origin->top);
  s->n_grids = 1;
  if (picture->components == 3)
    find_sampling (s, origin);
  if (s->n_choices == 0)
    return find_tables (s, origin, error);
  while (take_chroma (s))
    if (find_tables (s, origin, error))
      return true;
  return false;
}

bool
jpeg_origin_find (JpegOrigin * origin, const JpegOriginPicture * picture,
    BdctError * error)
{
  Search *s = calloc (1, sizeof *s);
  bool ok;

  memset (origin, 0, sizeof *origin);
  if (s == NULL)
    return refuse (error, "no memory for its planes");
  ok = find (s, origin, picture, error);
  for (int c = 0; c < 3; c++)
    free (s->plane[c].sample);
  free_small (s);
  free (s);
  return ok;
}
