/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

static const BdctRgb rgb_layouts[] = {
  {1, 3, {0}, {0, 1, 2}}, {1, 3, {0}, {2, 1, 0}}, {1, 4, {0}, {0, 1, 2}},
  {1, 4, {0}, {2, 1, 0}}, {1, 4, {0}, {1, 2, 3}}, {1, 4, {0}, {3, 2, 1}},
  {3, 1, {2, 0, 1}, {0}},
};
static const double lambda_scales[] = { 1, 0, 0.01, 3, BDCT_MAX_LAMBDA_SCALE };
static const BdctMetric metrics[] = { BDCT_METRIC_SSIM, BDCT_METRIC_MS_SSIM,
  BDCT_METRIC_PSNR_HVS, BDCT_METRIC_XPSNR
};
static const BdctViewMode views_of_frame[] = { BDCT_VIEW_RECONSTRUCTION,
  BDCT_VIEW_ORIGINAL, BDCT_VIEW_COEFFICIENTS, BDCT_VIEW_ERROR_MAP,
  BDCT_VIEW_NONZERO_MAP, BDCT_VIEW_QUALITY_MAP, BDCT_VIEW_SIZE_MAP
};
static const BdctViewMode views_of_two[] = { BDCT_VIEW_WIPE,
  BDCT_VIEW_SIDE_BY_SIDE, BDCT_VIEW_STACKED, BDCT_VIEW_FLICKER,
  BDCT_VIEW_DIFFERENCE, BDCT_VIEW_ERROR_MAP, BDCT_VIEW_SSIM_MAP,
  BDCT_VIEW_HVS_MAP
};

#define N(array) ((int) (sizeof (array) / sizeof (array)[0]))

/* The fake runtime (tests/gpu/fake-runtime.h) reads no planes beside R, G and
 * B, and counts no errors of stacks. */
#ifdef FAKE_RUNTIME
#define RGB_WIDTH(width) (((width) + 127) / 128 * 128)
#define FAKE true
#else
#define RGB_WIDTH(width) (width)
#define FAKE false
#endif

/* Layouts */

static void
exchange_chroma (BdctLayout * layout)
{
  for (int p = 1; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      layout->plane[p].component[i] =
          BDCT_U + BDCT_V - layout->plane[p].component[i];
}

static void
init_layout (BdctLayout * layout, const int *common)
{
  const int depth = common[RGB] > 0 ? 8 : common[DEPTH];
  const int shift = depth == 8 ? 0 : clamp (common[SHIFT], 0, 16 - depth);
  const int stack = common[STACK];
  int height = common[HEIGHT];

  if (common[RGB] == 0) {
    bdct_layout_init (layout, common[CHROMA], depth, shift,
        common[PAIRS] ? 2 : 3, common[WIDTH], height);
    if (common[SWAPPED])
      exchange_chroma (layout);
    return;
  }
  /* The pictures of a stack are of whole blocks, or refused. */
  if (stack > 1)
    height = clamp (height / stack / 16 * 16, 16, 256) * stack;
  bdct_layout_init_rgb (layout, &rgb_layouts[common[RGB] - 1],
      RGB_WIDTH (common[WIDTH]), height, common[CHROMA] == BDCT_CHROMA_400
      ? BDCT_CHROMA_420 : common[CHROMA]);
  layout->stack = stack;
}

/* Another arrangement of the same components. */
static BdctLayout
init_mate (const BdctLayout * layout, uint64_t * state)
{
  BdctLayout mate;

  if (layout->rgb.n_planes > 0)
    return *layout;
  bdct_layout_init (&mate, layout->chroma, layout->depth, layout->depth == 8
      ? 0 : random_below (state, 17 - layout->depth),
      2 + random_below (state, 2), layout->plane[0].width,
      layout->plane[0].height);
  if (random_chance (state, 50))
    exchange_chroma (&mate);
  return mate;
}

/* Jobs */

static void
random_steps (int *steps, int n, int bits, uint64_t * state)
{
  const int max = (1 << bits) - 1;

  for (int i = 0; i < n; i++)
    steps[i] = 1 + random_below (state, max);
}

static void
random_lists (BdctScalingLists * lists, uint64_t * state)
{
  const int range = random_chance (state, 50) ? 24
      : BDCT_MAX_FACTOR - BDCT_MIN_FACTOR + 1;

  for (int s = 0; s < BDCT_N_SCALING_SIZES; s++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      for (int i = 0; i < 64; i++)
        lists->factor[s][c][i] = BDCT_MIN_FACTOR + random_below (state, range);
      lists->dc[s][c] = lists->factor[s][c][0];
    }
  /* As a file has them: at 32x32 U and V have 16x16's. */
  for (int c = 1; c < BDCT_MAX_COMPONENTS; c++) {
    memcpy (lists->factor[3][c], lists->factor[2][c], 64);
    lists->dc[3][c] = lists->dc[2][c];
  }
}

/* Quantizer `k`: the first is as the case says, others are about it. */
static BdctParams
get_params (const int *value, int depth, int k, uint64_t * state)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  const int delta = k == 0 ? 0 : random_below (state, 41) - 20;
  int bits = value[STEP_BITS];

  params.transform = value[TRANSFORM];
  params.quality = clamp (value[QUALITY] - 2 * delta, 1, 100);
  params.qp = clamp (value[QP] + delta, 0, 51);
  params.chroma_qp_offset = value[CHROMA_QP];
  params.min_block = 1 << value[MIN_BLOCK];
  params.max_block = 1 << clamp (value[MAX_BLOCK], value[MIN_BLOCK], 5);
  params.lambda_scale = lambda_scales[value[LAMBDA]];
  params.deadzone = value[DEADZONE] == 100 ? BDCT_MAX_DEADZONE
      : BDCT_MIN_DEADZONE + (BDCT_MAX_DEADZONE - BDCT_MIN_DEADZONE)
      * value[DEADZONE] / 100;
  params.scaling_list = value[SCALING];
  if (params.scaling_list == BDCT_SCALING_FILE)
    random_lists (&params.lists, state);
  params.baseline = value[BASELINE];
  params.preset = value[PRESET];
  params.scale_tables = value[SCALE_TABLES];
  params.tables.n_steps = 64 * value[TABLES];
  params.n_steps = 64 * value[STEPS];
  if (depth == 8 && params.baseline && bits > 8)
    bits = 8;
  random_steps (params.tables.steps, params.tables.n_steps, bits, state);
  random_steps (params.steps, params.n_steps, bits, state);
  return params;
}

static BdctJob *
make_quantizers (SceneFrame * f, const BdctLayout * layout, int n,
    uint64_t * state, BdctError * error)
{
  f->params = allocate (n * sizeof *f->params);
  for (int k = 0; k < n; k++) {
    f->params[k] = get_params (f->value, layout->depth, k, state);
    if (k < BDCT_MAX_QUANTIZERS)
      f->view.delta_qp[k] = f->params[k].qp - f->params[0].qp;
  }
  return bdct_jobs_new (f->params, n, layout, error);
}

/* Blocks one by one, or rectangles one over the other. */
static void
fill_map (SceneFrame * f, uint64_t * state)
{
  const int n = f->frame.n_quantizers;

  f->map = allocate (f->info.n_blocks);
  if (f->value[MAP] == 1) {
    for (size_t i = 0; i < f->info.n_blocks; i++)
      f->map[i] = random_below (state, n);
    return;
  }
  for (int k = 1; k < n; k++) {
    const double left = random_below (state, 100) / 100.;
    const double top = random_below (state, 100) / 100.;
    const double right = left + (1 + random_below (state, 60)) / 100.;
    const double bottom = top + (1 + random_below (state, 60)) / 100.;

    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      const BdctBlockGrid *grid = &f->info.grid[c];

      for (int y = 0; y < grid->rows; y++)
        for (int x = 0; x < grid->columns; x++)
          if (x >= left * grid->columns && x < right * grid->columns
              && y >= top * grid->rows && y < bottom * grid->rows)
            f->map[grid->first + (size_t) y * grid->columns + x] = k;
    }
  }
}

static unsigned
get_metrics (int bits, const BdctLayout * layout)
{
  unsigned allowed = 0;

  for (int i = 0; i < N (metrics); i++)
    if (bits >> i & 1 && bdct_metric_check (metrics[i], layout, NULL))
      allowed |= 1u << metrics[i];
  return allowed;
}

/* Frames */

static void
init_view (SceneFrame * f, const BdctLayout * layout)
{
  const int *value = f->value, n = value[VIEW] - 1;

  bdct_view_colours (&f->view, layout->depth, 0.299, 0.114, value[FULL_RANGE]);
  f->view.bare = value[BARE];
  if (f->compares) {
    f->view.mode = views_of_two[n % N (views_of_two)];
    f->view.second = value[SECOND];
    f->view.position = value[POSITION] / 100.;
    f->view.gain = value[GAIN] / 10.;
    f->view.zoom = value[ZOOM] / 256.;
    f->view.zoom_x = value[ZOOM_X] / 100.;
    f->view.zoom_y = value[ZOOM_Y] / 100.;
  } else {
    f->view.mode = views_of_frame[n % N (views_of_frame)];
    f->view.grid = value[GRID];
  }
}

static void
init_stack (SceneFrame * f, const BdctLayout * layout, uint64_t * state)
{
  f->frame.bits = f->value[BITS] && f->value[TRANSFORM] <= BDCT_DCT_8X8;
  f->map = allocate (layout->stack);
  for (int i = 0; i < layout->stack; i++)
    f->map[i] = random_below (state, f->frame.n_quantizers);
  f->frame.stack_map = f->value[MAP] ? f->map : NULL;
}

static bool
init_frame (SceneFrame * f, const BdctLayout * layout, uint64_t number,
    uint64_t * state, BdctError * error)
{
  const int *value = f->value;
  const bool stack = layout->stack > 1;
  const int n = stack ? 1 + 18 * (value[QUANTIZERS] - 1) : value[QUANTIZERS];

  f->info.size = sizeof f->info;
  f->quantizers = make_quantizers (f, layout, n, state, error);
  if (f->quantizers == NULL
      || !bdct_job_describe (f->quantizers, layout, &f->info, error))
    return false;
  f->frame = (BdctFrame) {.size = sizeof f->frame,.n_quantizers = n,
    .quantizers = f->quantizers,.n_blocks = f->info.n_blocks,
    .n_levels = f->info.n_levels
  };
  if (stack) {
    init_stack (f, layout, state);
    return true;
  }
  f->frame.from_levels = value[FROM_LEVELS];
  f->frame.bits = value[BITS];
  f->frame.frame_rate = value[RATE];
  f->frame.number = number;
  if (value[MAP] && n > 1) {
    fill_map (f, state);
    f->frame.quantizer_map = f->map;
  }
  if (!value[FROM_LEVELS] || !value[NO_SRC])
    f->frame.metrics = get_metrics (value[METRICS], layout);
  if (value[VIEW] && !value[NO_DST])
    f->frame.view = &f->view;
  return true;
}

/* Whether a frame has the source of the one before it. */
static bool
shares_source (const Scene * scene, int i)
{
  const SceneFrame *f = &scene->frame[i];

  return i > 0 && f->value[SAME_SOURCE] && !f->compares
      && !(f->frame.from_levels && f->value[NO_SRC])
      && f[-1].source != NULL && scene->layout.stack <= 1;
}

static void
init_pictures (Scene * scene, int i, uint64_t * state)
{
  SceneFrame *f = &scene->frame[i];
  const int *value = f->value;

  picture_init (&f->dst, &scene->layout, value[DST_OFFSET],
      value[DST_SPARE], value[DST_UP]);
  if (shares_source (scene, i)) {
    f->source = f[-1].source;
    f->frame.same_source = true;
    return;
  }
  for (int k = 0; k <= (f->compares ? value[DISTORTED] : 0); k++) {
    const BdctLayout layout = f->compares && value[MATES] >> k & 1
        ? init_mate (&scene->layout, state) : scene->layout;

    picture_init (&f->picture[k], &layout, value[SRC_OFFSET],
        value[SRC_SPARE], value[SRC_UP]);
    picture_fill (&f->picture[k], value, k == 0 ? SAME
        : (value[DISTORTION] + k - 1) % N_DISTORTIONS);
  }
  if (!f->compares && !(f->frame.from_levels && value[NO_SRC]))
    f->source = &f->picture[0];
}

static void
init_comparison (SceneFrame * f, uint64_t number, const BdctLayout * layout)
{
  const int *value = f->value;

  f->comparison = (BdctComparison) {.size = sizeof f->comparison,
    .n_distorted = value[DISTORTED],.errors = value[ERRORS],
    .metrics = get_metrics (value[METRICS], layout),
    .frame_rate = value[RATE],.number = number,
    .left = clamp (value[LEFT], -1, value[DISTORTED] - 1),
    .right = clamp (value[RIGHT], -1, value[DISTORTED] - 1),
    .view = value[VIEW] ? &f->view : NULL
  };
}

bool
scene_init (Scene * scene, const Case * c, BdctError * error)
{
  uint64_t number = 0;
  bool ok = true;

  memset (scene, 0, sizeof *scene);
  scene->c = *c;
  scene->n_frames = c->n_frames;
  if (FAKE)
    scene->c.common[STACK] = 0;
  init_layout (&scene->layout, scene->c.common);
  for (int i = 0; i < c->n_frames && ok; i++) {
    SceneFrame *f = &scene->frame[i];
    const int *value = f->value = scene->c.frame[i];
    uint64_t state = value[SEED];

    f->view = (BdctView) BDCT_VIEW_DEFAULT;
    f->compares = value[COMPARE] && scene->layout.stack <= 1;
    number += 1 + value[SKIP];
    if (f->compares)
      init_comparison (f, number, &scene->layout);
    else
      ok = init_frame (f, &scene->layout, number, &state, error);
    if (ok && value[VIEW])
      init_view (f, &scene->layout);
    init_pictures (scene, i, &state);
  }
  return ok;
}

void
scene_clear (Scene * scene)
{
  for (int i = 0; i < scene->n_frames; i++) {
    SceneFrame *f = &scene->frame[i];

    for (int k = 0; k < MAX_PICTURES; k++)
      free (f->picture[k].bytes);
    free (f->dst.bytes);
    free (f->params);
    bdct_jobs_free (f->quantizers);
    free (f->map);
    free (f->levels);
    free (f->sizes);
  }
}
