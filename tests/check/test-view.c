/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The views, sample by sample, against what docs/reference.md says they are:
 * computed here in another way from the original, the engine's own
 * reconstruction and the levels of reference.c. And one block (dct/block.h)
 * against the engine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "dct/block.h"
#include "dct/metric-cpu.h"
#include "dct/view.h"
#include "frame.h"
#include "reference.h"
#include "reference-metrics.h"

static BdctEngine *engines[MAX_ENGINES];
static guint n_engines;

typedef struct {
  BdctParams params;
  Format format;
  int depth, shift, width, height;
  Stride stride;
  Content content;
} Case;

/* Everything about one frame that a view may show. */
typedef struct {
  const Case *c;
  BdctView view;
  BdctLayout layout;
  Picture source, rec;
  BdctParams b_params;          /* of the second job, its picture, and its */
  Picture b;                    /* figures; luma's blocks */
  BdctStats b_stats;
  int b_size;
  int *levels[BDCT_MAX_COMPONENTS];     /* of whole blocks */
  int *defined[BDCT_MAX_COMPONENTS];    /* dct-8x8 on the CUDA engine: what */
  guint8 *slack[BDCT_MAX_COMPONENTS];   /* it has to agree with, how far */
  int size[BDCT_MAX_COMPONENTS];
  double *value;                /* a map's, of each block of luma */
  double *most;                 /* and what it may be up to */
  guint8 *set;                  /* of each block; NULL: the first for all */
} Scene;

/* Of the same quantizers, so that the picture is that of one. */
static const double deltas[] = { 0, -8.5, 30 };

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

static void
run (BdctEngine * engine, const Scene * s, const BdctView * view,
    unsigned metrics, const Frame * src, const Frame * dst, BdctStats * stats)
{
  BdctJob job[G_N_ELEMENTS (deltas)], second;
  BdctStats all[2];
  BdctFrame frame = {.sets = job,.n_sets = s->set ? G_N_ELEMENTS (job) : 1,
    .set_of_block = s->set,.src = src->image,.dst = dst->image,.view = view,
    .metrics = metrics
  };
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctError error = { "" };
  gboolean ok = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (job); i++)
    ok = ok && bdct_job_init (&job[i], &s->c->params, &s->layout, &error);
  if (bdct_view_shows (view, BDCT_SIDE_B)) {
    ok = ok && bdct_job_init (&second, &s->b_params, &s->layout, &error);
    frame.second = &second;
  }
  frame.n_blocks = bdct_blocks_init (grid, &s->layout, job);
  if (!ok
      || !engine->klass->configure (engine, &s->layout, 1, &error)
      || !engine->klass->submit (engine, &frame, &error)
      || !engine->klass->collect (engine, all, &error))
    g_error ("%s: %s", engine->description, error.message);
  *stats = all[0];
  if (frame.second != NULL)
    g_assert_cmpmem (&all[1], sizeof all[1], &s->b_stats, sizeof s->b_stats);
}

/* What a job makes of the source, by itself. */
static void
run_alone (BdctEngine * engine, const Scene * s, const BdctParams * params,
    const Frame * src, Picture * rec, BdctStats * stats)
{
  static const BdctView plain = BDCT_VIEW_DEFAULT;
  Case c = *s->c;
  Scene alone = {.c = &c,.layout = s->layout };
  Frame dst;

  c.params = *params;
  frame_init (&dst, &s->layout, c.stride);
  run (engine, &alone, &plain, 0, src, &dst, stats);
  frame_get (&dst, &s->layout, rec);
  frame_clear (&dst);
}

static void
scene_init (Scene * s, const Case * c)
{
  *s = (Scene) { .c = c, .view = BDCT_VIEW_DEFAULT };
  format_layout (c->format, c->depth, c->shift, c->width, c->height,
      &s->layout);
  bdct_view_colours (&s->view, c->depth, 0.2126, 0.0722, false);
  picture_init (&s->source, &s->layout);
  picture_init (&s->rec, &s->layout);
  picture_init (&s->b, &s->layout);
  s->b_params = c->params;
  s->b_params.transform = (c->params.transform + 3 + c->width) % BDCT_N_FIXED;
  s->b_params.quality = 10;
  s->b_params.qp = 41;
  s->b_size = ref_block_size (s->b_params.transform, s->layout.chroma, 0);
  picture_fill (&s->source, c->content, &s->layout, c->params.transform, 7);
  for (int k = 0; k < BDCT_MAX_COMPONENTS; k++) {
    RefPlane plane = { &c->params, s->layout.chroma, k, c->depth,
      s->source.width[k], s->source.height[k],
      engines_on_cuda () ? REF_TENSOR : REF_FLOAT
    };

    if (s->source.sample[k] == NULL)
      continue;
    s->size[k] = ref_block_size (c->params.transform, s->layout.chroma, k);
    s->levels[k] = g_new0 (int, (plane.width + REF_SIZE - 1)
        * (plane.height + REF_SIZE - 1));
    ref_levels (&plane, s->source.sample[k], s->levels[k]);
    if (c->params.transform == BDCT_DCT_8X8 && engines_on_cuda ()) {
      RefResult result;

      s->defined[k] = g_new (int, plane.width * plane.height);
      s->slack[k] = g_new (guint8, plane.width * plane.height);
      ref_plane (&plane, s->source.sample[k], s->defined[k], s->slack[k],
          &result);
    }
  }
}

static void
scene_clear (Scene * s)
{
  g_free (s->value);
  g_free (s->most);
  g_free (s->set);
  picture_clear (&s->source);
  picture_clear (&s->rec);
  picture_clear (&s->b);
  for (int k = 0; k < BDCT_MAX_COMPONENTS; k++) {
    g_free (s->levels[k]);
    g_free (s->defined[k]);
    g_free (s->slack[k]);
  }
}

/* Give every block one of the sets. */
static void
scene_divide (Scene * s)
{
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctJob job;
  gsize n;

  g_assert_true (bdct_job_init (&job, &s->c->params, &s->layout, NULL));
  n = bdct_blocks_init (grid, &s->layout, &job);
  g_free (s->set);
  s->set = g_new (guint8, n);
  for (gsize i = 0; i < n; i++)
    s->set[i] = i * 7 / 3 % G_N_ELEMENTS (deltas);
  memcpy (s->view.delta_qp, deltas, sizeof deltas);
}

static int
sub_x (const Scene * s, int k)
{
  return k != BDCT_Y && s->layout.chroma != BDCT_CHROMA_444 ? 2 : 1;
}

static int
sub_y (const Scene * s, int k)
{
  return k != BDCT_Y && s->layout.chroma == BDCT_CHROMA_420 ? 2 : 1;
}

static int
at (const Picture * p, int k, int x, int y)
{
  g_assert_true (x >= 0 && y >= 0 && x < p->width[k] && y < p->height[k]);
  return p->sample[k][y * p->width[k] + x];
}

static int
level_at (const Scene * s, int k, int x, int y)
{
  int size = s->size[k];
  int across = (s->source.width[k] + size - 1) / size * size;

  return s->levels[k][y * across + x];
}

/* How much of a block's `size` luma samples from `at` on are also another's. */
static double
overlap (int at, int size, int other, int other_size)
{
  return MAX (MIN (at + size, other + other_size) - MAX (at, other), 0);
}

/* Squared errors and samples of the blocks of component k that lie over the
 * luma block at (x, y), each to the part of it that does. */
static void
add_errors (const Scene * s, int k, int x, int y, double *sum, double *count)
{
  int size = s->size[k], luma = s->size[0];
  int across = size * sub_x (s, k), down = size * sub_y (s, k);
  int x0 = MAX (x / sub_x (s, k) - size, 0);
  int y0 = MAX (y / sub_y (s, k) - size, 0);
  int x1 = MIN (x0 + luma + 2 * size, s->source.width[k]);
  int y1 = MIN (y0 + luma + 2 * size, s->source.height[k]);

  /* Wide enough for all that overlap. */
  for (int j = y0; j < y1; j++)
    for (int i = x0; i < x1; i++) {
      double part = overlap (i / size * across, across, x, luma)
          * overlap (j / size * down, down, y, luma) / (across * down);
      double e = at (&s->source, k, i, j) - at (&s->rec, k, i, j);

      *sum += part * e * e;
      *count += part;
    }
}

/* What has one colour: a square of so many samples of luma. */
static int
cell_size (const Scene * s)
{
  return s->view.mode == BDCT_VIEW_SSIM_MAP ? 4
      : s->view.mode == BDCT_VIEW_HVS_MAP ? 8 : s->size[0];
}

/* The squared errors that PSNR-HVS has of 8 x 8 samples, which are a picture of
 * their own, by sample; the metric itself has references (test-metrics.c). */
static double
hvs_of_block (const RefPair * p, int depth, int x, int y)
{
  const BdctMetricKernel *kernel = bdct_metrics_baseline[BDCT_METRIC_PSNR_HVS];
  double figure[BDCT_MAX_COMPONENTS + 1] = { 0 };
  BdctMetricPlane planes[BDCT_MAX_COMPONENTS];
  guint16 wide[2][64];
  guint8 narrow[2][64];
  gpointer memory;

  for (int i = 0; i < 64; i++) {
    const int at = (y + i / 8) * p->width + x + i % 8;

    narrow[0][i] = wide[0][i] = p->a[at];
    narrow[1][i] = wide[1][i] = p->b[at];
  }
  planes[0] = (BdctMetricPlane) {.depth = depth,.width = 8,.height = 8,
    .step = 1,.luma_width = 8,.luma_height = 8
  };
  if (depth > 8) {
    planes[0].src = (BdctSamples) {.data = (guint8 *) wide[0],.stride = 16};
    planes[0].rec = (BdctSamples) {.data = (guint8 *) wide[1],.stride = 16};
  } else {
    planes[0].src = (BdctSamples) {.data = narrow[0],.stride = 8};
    planes[0].rec = (BdctSamples) {.data = narrow[1],.stride = 8};
  }
  memory = aligned_alloc (64, (kernel->memory (&planes[0]) + 63) / 64 * 64);
  planes[0].memory = memory;
  planes[1] = planes[2] = planes[0];
  for (int stage = 0; stage < 2; stage++)
    kernel->work (&planes[0], stage, 0);
  kernel->finish (planes, 3, figure);
  free (memory);
  return isinf (figure[0]) ? 0 : (double) p->peak * p->peak
      / pow (10, figure[0] / 10);
}

/* A metric's number at (x, y) of luma, the least and the most that it may be:
 * the engines have it in single precision, and rounded to 2^-12. */
static void
metric_value (const Scene * s, int x, int y, double *least, double *most)
{
  const RefPair pair = { s->source.sample[0], s->rec.sample[0], s->c->width,
    s->c->height, (1 << s->c->depth) - 1
  };

  *least = *most = 0;
  if (MIN (s->c->width, s->c->height) < 8)
    return;
  if (s->view.mode == BDCT_VIEW_SSIM_MAP) {
    *most = 1 - ref_ssim_window (&pair, MIN (x, s->c->width / 4 * 4 - 8),
        MIN (y, s->c->height / 4 * 4 - 8)) + 3e-5;
    *least = *most - 6e-5 - 2.0 / 4096;
  } else {
    x = MIN (x, s->c->width - 8);
    y = MIN (y, s->c->height - 8);
    *most = hvs_of_block (&pair, s->c->depth, x, y);
    *least = *most - 2.0 / 4096;
  }
}

/* The block of luma at (x, y) of luma: its mean squared error over all planes,
 * its levels that are not 0, or what its set says. */
static double
block_value (const Scene * s, int x, int y)
{
  int size = s->size[0];
  double sum = 0, count = 0;

  if (s->view.mode == BDCT_VIEW_QUALITY_MAP)
    return s->set == NULL ? 0 : deltas[s->set[y / size
            * ((s->c->width + size - 1) / size) + x / size]];
  if (s->view.mode == BDCT_VIEW_SIZE_MAP)
    return log2 (size);
  if (s->view.mode == BDCT_VIEW_NONZERO_MAP) {
    for (int i = 0; i < size * size; i++)
      sum += level_at (s, 0, x + i % size, y + i / size) != 0;
    return sum / (size * size);
  }
  for (int k = 0; k < BDCT_MAX_COMPONENTS && s->size[k] > 0; k++)
    add_errors (s, k, x, y, &sum, &count);
  return sum / count;
}

static void
measure_blocks (Scene * s)
{
  int size = cell_size (s), columns = (s->c->width + size - 1) / size;
  int rows = (s->c->height + size - 1) / size;

  g_free (s->value);
  g_free (s->most);
  s->value = g_new (double, columns * rows);
  s->most = g_new (double, columns * rows);
  for (int i = 0; i < columns * rows; i++) {
    int x = i % columns * size, y = i / columns * size;

    if (bdct_view_metric (s->view.mode) >= 0)
      metric_value (s, x, y, &s->value[i], &s->most[i]);
    else
      s->value[i] = s->most[i] = block_value (s, x, y);
  }
}

/* Where on the scale a value is, from 0 to 63. */
static double
find_colour (const Scene * s, double value)
{
  double peak = (1 << s->c->depth) - 1, share;

  if (s->view.mode == BDCT_VIEW_QUALITY_MAP)
    share = 0.5 - value / 48 + 0.5 / 63;
  else if (s->view.mode == BDCT_VIEW_SIZE_MAP)
    share = (value - 2) / 4 + 0.5 / 63;
  else if (s->view.mode == BDCT_VIEW_NONZERO_MAP
      || s->view.mode == BDCT_VIEW_SSIM_MAP)
    share = sqrt (MAX (value, 0));
  else if (value <= 0)
    share = 0;
  else
    share = (60 - 10 * log10 (peak * peak / value)) / 40;
  return CLAMP (share, 0, 1) * 63;
}

/* Whether `v` is the colour of one of the values; where one is within a hair of
 * the next colour, either. */
static gboolean
is_colour (const Scene * s, int k, double value, double most, int v)
{
  const double hair = 0.03;
  int from = floor (find_colour (s, value) - hair);
  int to = floor (find_colour (s, most) + hair);
  gboolean ok = FALSE;

  for (int i = MAX (from, 0); i <= MIN (to, 63); i++)
    ok = ok || v == s->view.colour[i][k];
  return ok;
}

static int
level_sample (const Scene * s, int k, int level)
{
  int peak = (1 << s->c->depth) - 1, middle = (peak + 1) / 2, bright = 0;
  int m = ABS (level);

  if (m > 0) {
    double power = pow (2, floor (log2 (m)));
    /* In sixteenths, a straight line between the powers of 2. */
    int log16 = 16 * log2 (power) + floor (16 * m / power) - 16;

    bright = MIN (112 + log16 * 143 / 160, 255);
  }
  if (k == BDCT_Y)
    return bright * peak / 255;
  return middle + (level < 0 ? -1 : 1) * (bright * (middle - 1) / 255);
}

/* What is shown in the first part of a view, or in its second, and how large
 * luma's blocks of the grid are there. */
static const Picture *
find_picture (const Scene * s, gboolean second, int *size)
{
  const BdctView *v = &s->view;
  BdctSide side[2] = { v->left, v->right };
  const Picture *pictures[] = { &s->source, &s->rec, &s->b };
  const int sizes[] = { 0, s->size[0], s->b_size };

  if (v->mode == BDCT_VIEW_FLICKER)
    side[0] = side[1] = side[v->second];
  else if (v->mode <= BDCT_VIEW_RECONSTRUCTION_B)
    side[0] = side[1] = v->mode == BDCT_VIEW_ORIGINAL ? BDCT_SIDE_ORIGINAL
        : v->mode == BDCT_VIEW_RECONSTRUCTION ? BDCT_SIDE_A : BDCT_SIDE_B;
  else if (v->mode > BDCT_VIEW_DIFFERENCE)
    side[0] = side[1] = BDCT_SIDE_A;
  *size = sizes[side[second]];
  if (*size == 0)
    *size = sizes[side[!second]];
  if (*size == 0)
    *size = s->size[0];
  return pictures[side[second]];
}

/* Where luma's (x, y) comes from, and whether that is in the second part. */
static gboolean
origin (const Scene * s, int *x, int *y)
{
  BdctViewMode mode = s->view.mode;
  int *z = mode == BDCT_VIEW_STACKED ? y : x;
  int size = mode == BDCT_VIEW_STACKED ? s->c->height : s->c->width;
  int half = size / 4 * 2, pan = (int) round (s->view.position * half) / 2 * 2;

  if (mode == BDCT_VIEW_WIPE)
    return *x >= round (s->view.position * size);
  if (mode != BDCT_VIEW_SIDE_BY_SIDE && mode != BDCT_VIEW_STACKED)
    return TRUE;
  if (size < 4)
    return TRUE;
  if (*z < half) {
    *z += pan;
    return FALSE;
  }
  *z += pan - half;
  return TRUE;
}

/* The column or row of the enlarged picture that place `at` of the view shows;
 * zooms here are whole multiples of 1/256, which doubles have exactly. */
static double
enlarged (const Scene * s, double share, int side, int at)
{
  return at + round (share * (floor (side * s->view.zoom) - side));
}

/* Where luma's (x, y) of the view, in a half where that is at 1:1, is in the
 * picture, and whether its column or its row shows the block's border: a line
 * is one sample thick at any zoom. */
static gboolean
magnify (const Scene * s, int size, int *x, int *y)
{
  const double zoom = s->view.zoom;
  const double column = enlarged (s, s->view.zoom_x, s->c->width, *x);
  const double row = enlarged (s, s->view.zoom_y, s->c->height, *y);

  *x = floor (column / zoom);
  *y = floor (row / zoom);
  return (*x % size == 0 && floor ((column - 1) / zoom) < *x)
      || (*y % size == 0 && floor ((row - 1) / zoom) < *y);
}

/* What a component's sample has to be; -1: a map's colour, of *value to *most,
 * of which *border says whether it is on the grid. */
static int
expect (const Scene * s, int k, int x, int y, double *value, double *most,
    gboolean * border)
{
  int peak = (1 << s->c->depth) - 1, middle = (peak + 1) / 2;
  int lx = x * sub_x (s, k), ly = y * sub_y (s, k), v;
  BdctViewMode mode = s->view.mode;
  int line = round (s->view.position * s->c->width);
  int end = MIN (line + 1 + s->c->width / 1280, s->c->width);
  gboolean second = origin (s, &lx, &ly);
  int size, any, px, py;
  const Picture *picture = find_picture (s, second, &size);

  *border = magnify (s, size, &lx, &ly) && s->view.grid && k == BDCT_Y;
  px = lx / sub_x (s, k);
  py = ly / sub_y (s, k);
  if (mode == BDCT_VIEW_WIPE && line > 0 && line < s->c->width
      && x >= line / sub_x (s, k) && x <= (end - 1) / sub_x (s, k))
    return k == BDCT_Y ? peak : middle;
  if (mode == BDCT_VIEW_DIFFERENCE)
    v = CLAMP (middle + floor ((at (picture, k, px, py)
                - at (find_picture (s, FALSE, &any), k, px, py))
            * round (s->view.gain * 256) / 256
            + 0.5), 0, peak);
  else if (mode == BDCT_VIEW_COEFFICIENTS)
    v = level_sample (s, k, level_at (s, k, px, py));
  else if (mode >= BDCT_VIEW_ERROR_MAP) {
    int cell = cell_size (s), columns = (s->c->width + cell - 1) / cell;

    *value = s->value[ly / cell * columns + lx / cell];
    *most = s->most[ly / cell * columns + lx / cell];
    return -1;
  } else
    v = at (picture, k, px, py);
  if (*border)
    v += v >= middle ? -middle / 2 : middle / 2;
  return v;
}

static gboolean
in_legend (const Scene * s, const BdctLegend * legend, int k, int x, int y)
{
  int lx = x * sub_x (s, k), ly = y * sub_y (s, k);

  return legend->width > 0 && lx >= legend->x - 2 && ly >= legend->y - 2
      && lx < legend->x + legend->width + 2
      && ly < legend->y + legend->height + 2;
}

static gboolean
check_sample (const Scene * s, const BdctEngine * engine, int k, int x, int y,
    int v)
{
  double value = 0, most = 0;
  gboolean border;
  int expected = expect (s, k, x, y, &value, &most, &border);
  gboolean ok = expected < 0 ? is_colour (s, k, value, most, v)
      : v == expected;

  if (expected < 0 && border) {
    int quarter = 1 << (s->c->depth - 2);

    /* The mark changes which half the sample is in, or not. */
    ok = is_colour (s, k, value, most, v - quarter)
        || is_colour (s, k, value, most, v + quarter);
  }
  if (!ok)
    g_test_fail_printf ("%s: %s, %s depth %d, %s of %s and %s, %dx%d, grid %d, "
        "position %g, zoom %g at %g, %g, component %d (%d, %d): %d, not %d "
        "(%g to %g)", engine->description,
        bdct_transform_info (s->c->params.transform)->name,
        format_names[s->c->format], s->c->depth,
        bdct_view_info (s->view.mode)->name,
        bdct_side_info (s->view.left)->name,
        bdct_side_info (s->view.right)->name, s->c->width, s->c->height,
        s->view.grid, s->view.position, s->view.zoom, s->view.zoom_x,
        s->view.zoom_y, k, x, y, v, expected, value, most);
  return ok;
}

/* All memory of the view is as its samples say: nothing beside them. */
static gboolean
check_view (const Scene * s, const BdctEngine * engine, const Frame * dst)
{
  gboolean ok = TRUE;
  BdctLegend legend;
  Picture got;
  Frame frame;

  bdct_view_legend (&s->view, &s->layout, &legend);
  picture_init (&got, &s->layout);
  frame_get (dst, &s->layout, &got);
  for (int k = 0; k < BDCT_MAX_COMPONENTS && ok; k++)
    for (int i = 0; i < got.width[k] * got.height[k] && ok; i++) {
      int x = i % got.width[k], y = i / got.width[k];

      if (!in_legend (s, &legend, k, x, y))
        ok = check_sample (s, engine, k, x, y, got.sample[k][i]);
      tally_add (1, !ok);
    }
  frame_init (&frame, &s->layout, s->c->stride);
  frame_put (&frame, &s->layout, &got, FALSE);
  if (ok && !frame_equal (dst, &frame, &s->layout)) {
    g_test_fail_printf ("bytes beside the samples were written");
    ok = FALSE;
  }
  frame_clear (&frame);
  picture_clear (&got);
  return ok;
}

static gboolean
check_case (const Case * c)
{
  static guint n_zoomed;
  static const double positions[] = { 0, 0.3, 0.5, 1 };
  static const double zooms[] = { 2, 16, 257 / 256.0, 3, 2.5, 8, 1855 / 256.0 };
  gboolean ok = TRUE;
  Frame src;
  Scene s;

  scene_init (&s, c);
  frame_init (&src, &s.layout, c->stride);
  frame_put (&src, &s.layout, &s.source, TRUE);
  for (guint e = 0; e < n_engines && ok; e++) {
    BdctStats stats, view_stats;
    guint pair = c->width;
    Frame dst;

    frame_init (&dst, &s.layout, c->stride);
    run_alone (engines[e], &s, &c->params, &src, &s.rec, &stats);
    run_alone (engines[e], &s, &s.b_params, &src, &s.b, &s.b_stats);
    for (int i = 0; i < 4 * BDCT_N_VIEWS && ok; i++, pair++) {
      s.view.mode = i / 4;
      s.view.grid = i % 2;
      s.view.left = pair % BDCT_N_SIDES;
      s.view.right = pair / BDCT_N_SIDES % BDCT_N_SIDES;
      s.view.second = i / 8 % 2;
      s.view.position = positions[(i / 2 + c->width) % 4];
      s.view.zoom = i / 2 % 2 ? zooms[n_zoomed++ % G_N_ELEMENTS (zooms)] : 1;
      s.view.zoom_x = positions[(i + n_zoomed / 3) % 4];
      s.view.zoom_y = positions[n_zoomed / 5 % 4];
      s.view.gain = 1.3 * (1 + i % 3);
      if (s.view.mode == BDCT_VIEW_QUALITY_MAP && c->width % 2)
        scene_divide (&s);
      frame_clear (&dst);
      frame_init (&dst, &s.layout, c->stride);
      run (engines[e], &s, &s.view, 0, &src, &dst, &view_stats);
      if (bdct_view_is_map (&s.view) && i % 4 == 0)
        measure_blocks (&s);    /* the other three have the same */
      ok = check_view (&s, engines[e], &dst);
      /* Whatever is shown. */
      g_assert_cmpmem (&stats, sizeof stats, &view_stats, sizeof stats);
    }
    frame_clear (&dst);
  }
  frame_clear (&src);
  scene_clear (&s);
  return ok;
}

/* Every format, depth, packing, size and stride in every view. */
static void
test_views (gconstpointer data)
{
  static const struct
  {
    int depth, shift;
  } depths[] = { {8, 0}, {10, 6}, {12, 0}, {9, 0}, {12, 4}, {10, 0} };
  static const struct
  {
    int width, height;
  } sizes[] = { {1, 1}, {2, 3}, {5, 4}, {33, 65}, {70, 31}, {131, 97},
    {2561, 3}
  };
  Case c = { .params = defaults };
  guint n = 0;

  c.params.transform = GPOINTER_TO_INT (data);
  c.params.quality = 60;
  c.params.qp = 30;
  for (c.format = 0; c.format < N_FORMATS; c.format++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
      c.depth = depths[n % G_N_ELEMENTS (depths)].depth;
      c.shift = depths[n % G_N_ELEMENTS (depths)].shift;
      c.width = sizes[i].width;
      c.height = sizes[i].height;
      c.stride = n % N_STRIDES;
      c.content = n % 5 == 4 ? CONTENT_EXTREME : CONTENT_SMOOTH;
      /* Every depth in every format over the transforms. */
      n += 1 + (i == 0);
      if (case_due (n + c.params.transform) && !check_case (&c))
        return;
    }
}

/* The levels of dct-8x8 are compared where no tie is near; a ramp of whole
 * multiples of the steps has none. */
static void
test_real (void)
{
  Case c = {.params = defaults, .format = FORMAT_GRAY, .depth = 8,
    .width = 64, .height = 40, .content = CONTENT_CHECKER
  };

  c.params.transform = BDCT_DCT_8X8;
  g_assert_true (check_case (&c));
}

/* The legend: its colours from the bottom up, in the order of the scale. */
static void
test_legend (void)
{
  Case c = {.params = defaults, .format = FORMAT_Y444, .depth = 8,
    .width = 200, .height = 160, .content = CONTENT_SMOOTH
  };
  Scene s;
  Frame src, dst;
  BdctStats stats;
  BdctLegend legend;
  Picture got;

  scene_init (&s, &c);
  frame_init (&src, &s.layout, STRIDE_TIGHT);
  frame_put (&src, &s.layout, &s.source, FALSE);
  picture_init (&got, &s.layout);
  for (s.view.mode = BDCT_VIEW_ERROR_MAP; s.view.mode < BDCT_N_VIEWS;
      s.view.mode++) {
    guint seen = 0;

    frame_init (&dst, &s.layout, STRIDE_TIGHT);
    run (engines[0], &s, &s.view, 0, &src, &dst, &stats);
    frame_get (&dst, &s.layout, &got);
    bdct_view_legend (&s.view, &s.layout, &legend);
    g_assert_cmpint (legend.n_marks, >=, 5);
    g_assert_cmpint (legend.mark[0].y, !=, legend.mark[1].y);
    for (int i = 0; i < BDCT_VIEW_COLOURS; i++) {
      int y = legend.y + (legend.height * (63 - i) + 63) / 64;
      int x = legend.x + legend.width - 1;

      for (int k = 0; k < BDCT_MAX_COMPONENTS; k++)
        g_assert_cmpint (at (&got, k, x, y), ==, s.view.colour[i][k]);
    }
    for (int i = 0; i < legend.n_marks; i++)
      seen += at (&got, 0, legend.x, legend.mark[i].y) == 0;
    g_assert_cmpint (seen, ==, legend.n_marks);
    g_assert_cmpint (at (&got, 0, legend.x - 1, legend.y), ==, 0);
    frame_clear (&dst);
  }
  picture_clear (&got);
  frame_clear (&src);
  scene_clear (&s);
}

/* Of 8 x 8 samples there is one window, and one block: their colours are those
 * of the figures that the metrics have, which have references of their own. */
static void
test_metrics (void)
{
  static const BdctMetric metrics[] = { BDCT_METRIC_SSIM,
    BDCT_METRIC_PSNR_HVS
  };

  for (guint i = 0; i < 400; i++) {
    BdctEngine *engine = engines[i % n_engines];
    Case c = {.params = defaults,.format = FORMAT_Y444,
      .depth = i % 3 ? 8 : 12,.width = 8,.height = 8,
      .content = i % 2 ? CONTENT_RANDOM : CONTENT_SMOOTH
    };
    const BdctMetric metric = metrics[i / 2 % 2];
    double figure, value;
    BdctStats stats;
    Frame src, dst;
    Picture got;
    Scene s;

    c.params.quality = 1 + i * 7 % 100;
    scene_init (&s, &c);
    s.view.mode = metric == BDCT_METRIC_SSIM ? BDCT_VIEW_SSIM_MAP
        : BDCT_VIEW_HVS_MAP;
    g_assert_cmpint (bdct_view_metric (s.view.mode), ==, metric);
    frame_init (&src, &s.layout, STRIDE_TIGHT);
    frame_init (&dst, &s.layout, STRIDE_TIGHT);
    frame_put (&src, &s.layout, &s.source, FALSE);
    picture_init (&got, &s.layout);
    run (engine, &s, &s.view, 1 << metric, &src, &dst, &stats);
    frame_get (&dst, &s.layout, &got);
    figure = bdct_metric_figure (&stats, 1, c.depth, metric, BDCT_Y);
    value = metric == BDCT_METRIC_SSIM ? 1 - figure
        : pow ((1 << c.depth) - 1, 2) / pow (10, figure / 10);
    for (int k = 0; k < BDCT_MAX_COMPONENTS; k++)
      g_assert_true (is_colour (&s, k, value - 2.0 / 4096, value, at (&got, k,
                  i % 8, i / 8 % 8)));
    picture_clear (&got);
    frame_clear (&src);
    frame_clear (&dst);
    scene_clear (&s);
  }
}

/* What people see: lightness rises from colour to colour. */
static void
test_colours (void)
{
  for (int depth = 8; depth <= 12; depth++) {
    BdctView view = BDCT_VIEW_DEFAULT;

    bdct_view_colours (&view, depth, 0.299, 0.114, depth % 2);
    for (int i = 1; i < BDCT_VIEW_COLOURS; i++)
      g_assert_cmpint (view.colour[i][0], >, view.colour[i - 1][0]);
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < BDCT_VIEW_COLOURS; i++)
        g_assert_cmpint (view.colour[i][k], <, 1 << depth);
  }
  g_assert_null (bdct_view_info (BDCT_N_VIEWS));
  g_assert_null (bdct_side_info (BDCT_N_SIDES));
}

/* A sample of a block computed alone is the engine's, or where the engine has
 * an arithmetic of its own both are near enough to the definition's. */
static void
check_reconstruction (const Scene * s, int k, int x, int y, int alone)
{
  int i = y * s->source.width[k] + x, engine = at (&s->rec, k, x, y);

  if (s->slack[k] == NULL) {
    g_assert_cmpint (alone, ==, engine);
  } else {
    g_assert_true (ref_agrees (alone, s->defined[k][i], s->slack[k][i]));
    g_assert_true (ref_agrees (engine, s->defined[k][i], s->slack[k][i]));
  }
}

/* A block computed alone has the levels of the definition and the engine's
 * reconstruction. */
static void
test_block (gconstpointer data)
{
  static const int depths[] = { 8, 10, 12 };
  static const BdctView plain = BDCT_VIEW_DEFAULT;

  for (guint i = 0; i < 2 * G_N_ELEMENTS (depths); i++) {
    Case c = {.params = defaults, .format = i % 2 ? FORMAT_I420 : FORMAT_Y444,
      .depth = depths[i / 2], .width = 96, .height = 64,
      .content = i % 2 ? CONTENT_EXTREME : CONTENT_RANDOM
    };
    BdctStats stats;
    BdctBlock block;
    Frame src, dst;
    BdctJob job;
    Scene s;

    c.params.transform = GPOINTER_TO_INT (data);
    c.params.quality = 3 + 19 * i;
    scene_init (&s, &c);
    g_assert_true (bdct_job_init (&job, &c.params, &s.layout, NULL));
    frame_init (&src, &s.layout, STRIDE_TIGHT);
    frame_init (&dst, &s.layout, STRIDE_TIGHT);
    frame_put (&src, &s.layout, &s.source, FALSE);
    run (engines[0], &s, &plain, 0, &src, &dst, &stats);
    frame_get (&dst, &s.layout, &s.rec);
    for (int k = 0; k < BDCT_MAX_COMPONENTS; k++) {
      int n = s.size[k];

      for (int y = 0; y + n <= s.source.height[k]; y += n)
        for (int x = 0; x + n <= s.source.width[k]; x += n) {
          for (int j = 0; j < n * n; j++)
            block.sample[j] = at (&s.source, k, x + j % n, y + j / n);
          bdct_block_run (&block, &job, k);
          g_assert_cmpint (block.width, ==, n);
          g_assert_cmpint (block.height, ==, n);
          for (int j = 0; j < n * n; j++) {
            check_reconstruction (&s, k, x + j % n, y + j / n,
                block.reconstruction[j]);
            /* The definition's doubles may round a tie the other way. */
            if (c.params.transform != BDCT_DCT_8X8)
              g_assert_cmpint (block.level[j], ==,
                  level_at (&s, k, x + j % n, y + j / n));
          }
        }
    }
    frame_clear (&src);
    frame_clear (&dst);
    scene_clear (&s);
  }
}

int
main (int argc, char **argv)
{
  int ret;

  g_test_init (&argc, &argv, NULL);
  n_engines = engines_open (engines);
  for (int t = 0; t < BDCT_N_FIXED; t++) {
    const char *name = bdct_transform_info (t)->name;
    char *path = g_strdup_printf ("/view/block/%s", name);

    g_test_add_data_func (path, GINT_TO_POINTER (t), test_block);
    g_free (path);
    path = g_strdup_printf ("/view/all/%s", name);
    if (t == BDCT_DCT_8X8)
      g_test_add_func (path, test_real);
    else
      g_test_add_data_func (path, GINT_TO_POINTER (t), test_views);
    g_free (path);
  }
  g_test_add_func ("/view/legend", test_legend);
  g_test_add_func ("/view/metrics", test_metrics);
  g_test_add_func ("/view/colours", test_colours);
  ret = g_test_run ();
  engines_close (engines, n_engines);
  tally_print ("views");
  return ret;
}
