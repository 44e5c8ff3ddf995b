/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan.h"

#include <string.h>
#include "dct/metrics/metrics.h"
#include "dct/picture/render.h"
#include "dct/picture/zoom.h"

/* Steps */

static void
add_step (BdctPlan * plan, BdctStepKind kind)
{
  plan->step[plan->n_steps++] = kind;
}

bool
bdct_plan_has (const BdctPlan * plan, BdctStepKind kind)
{
  for (int i = 0; i < plan->n_steps; i++)
    if (plan->step[i] == kind)
      return true;
  return false;
}

/* Frames */

/* Whether anything reads a frame's planes after its picture is made. If not,
 * this can be written over the planes: a block is read whole, and by nothing
 * else, before it is written, and half the memory stays in the cache. */
static bool
reads_planes_again (const BdctPlan * plan, const BdctFrame * frame)
{
  return frame->metrics != 0 || plan->view.drawn || frame->bits
      || (frame->levels != NULL && !frame->from_levels)
      || plan->metrics.history.needed;
}

/* R, G and B are made in any case, for their errors. */
static void
place_rgb (BdctPlan * plan, const BdctFrame * frame,
    const BdctPlanRules * rules)
{
  bool in_place = rules->in_place;
  const bool shown = frame->dst.data[0] != NULL;

  if (frame->src.data[0] != NULL)
    plan->place[BDCT_PLAN_PLANES] = frame->same_source && rules->kept
        ? BDCT_PLACE_BEFORE : BDCT_PLACE_OWN;
  else
    in_place = false;
  if (shown || frame->metrics != 0)
    plan->place[BDCT_PLAN_RECONSTRUCTION] = in_place
        && !reads_planes_again (plan, frame) ? BDCT_PLACE_PLANES
        : BDCT_PLACE_OWN;
  if (shown)
    plan->place[BDCT_PLAN_VIEW] = plan->view.drawn ? BDCT_PLACE_OWN
        : BDCT_PLACE_RECONSTRUCTION;
}

static void
place_planes (BdctPlan * plan, const BdctFrame * frame)
{
  BdctPlace rec = BDCT_PLACE_NONE;

  if (frame->src.data[0] != NULL)
    plan->place[BDCT_PLAN_PLANES] = BDCT_PLACE_SRC;
  if (frame->dst.data[0] != NULL)
    plan->place[BDCT_PLAN_VIEW] = BDCT_PLACE_DST;
  if (!plan->view.drawn)
    rec = plan->place[BDCT_PLAN_VIEW];
  else if (plan->view.view.mode == BDCT_VIEW_RECONSTRUCTION)
    rec = BDCT_PLACE_OWN;
  if (rec == BDCT_PLACE_NONE && frame->metrics != 0)
    rec = BDCT_PLACE_OWN;
  plan->place[BDCT_PLAN_RECONSTRUCTION] = rec;
}

static void
plan_blocks (BdctPlan * plan, const BdctLayout * layout,
    const BdctFrame * frame)
{
  const BdctView *view = &plan->view.view;
  BdctPlanBlocks *blocks = &plan->blocks;
  const BdctBlockGrid *luma = &blocks->grid[BDCT_Y];

  blocks->by_map = (frame->quantizer_map != NULL || frame->stack_map != NULL)
      && frame->n_quantizers > 1;
  blocks->records = frame->blocks != NULL
      || (plan->view.drawn && bdct_view_is_of_blocks (view));
  blocks->sizes = bdct_job_is_tree (frame->quantizers)
      && (frame->sizes != NULL || (plan->view.drawn
          && (view->grid || view->mode == BDCT_VIEW_SIZE_MAP)));
  blocks->n = bdct_blocks_init (blocks->grid, layout, frame->quantizers);
  blocks->n_sizes = (size_t) luma->columns * luma->rows;
}

/* The levels in the caller's memory or, if they are drawn or a stack's bits are
 * wanted, in the engine's. */
static void
plan_levels (BdctPlan * plan, const BdctLayout * layout,
    const BdctFrame * frame)
{
  BdctPlanLevels *levels = &plan->levels;

  levels->in = frame->from_levels;
  levels->out = frame->levels != NULL && !frame->from_levels;
  if (frame->levels != NULL || frame->stack_bits != NULL
      || plan->place[BDCT_PLAN_LEVELS] != BDCT_PLACE_NONE)
    levels->n = bdct_count_levels (layout, frame->quantizers, levels->first);
}

static void
add_frame_steps (BdctPlan * plan, const BdctLayout * layout)
{
  if (plan->place[BDCT_PLAN_PLANES] == BDCT_PLACE_OWN)
    add_step (plan, BDCT_STEP_RGB_TO_PLANES);
  if (plan->metrics.history.copied)
    add_step (plan, BDCT_STEP_HISTORY);
  add_step (plan, BDCT_STEP_TRANSFORM);
  if (plan->bits)
    add_step (plan, BDCT_STEP_BITS);
  if (plan->metrics.wanted != 0)
    add_step (plan, BDCT_STEP_METRICS);
  if (plan->view.drawn)
    add_step (plan, BDCT_STEP_VIEW);
  if (layout->rgb.n_planes > 0
      && plan->place[BDCT_PLAN_VIEW] != BDCT_PLACE_NONE)
    add_step (plan, BDCT_STEP_PLANES_TO_RGB);
}

/* An empty plan; its steps are undefined. */
static void
clear (BdctPlan * plan)
{
  plan->n_distorted = plan->n_steps = 0;
  plan->n_results = 1;
  plan->bits = plan->rgb_errors = false;
  plan->metrics.history = (BdctHistoryUse) { .of = { -1, -1, -1 } };
  plan->blocks = (BdctPlanBlocks) { 0 };
  plan->levels = (BdctPlanLevels) { 0 };
  plan->view.drawn = plan->view.enlarged = false;
  memset (plan->place, 0, sizeof plan->place);
  memset (plan->packed, 0, sizeof plan->packed);
}

static void
plan_metrics (BdctPlan * plan, unsigned wanted, int frame_rate,
    uint64_t number, BdctHistory * history)
{
  plan->metrics.wanted = wanted;
  plan->metrics.frame_rate = frame_rate;
  if (wanted != 0 && bdct_metrics_history (wanted) > 0)
    bdct_history_enter (history, number, &plan->metrics.history);
}

void
bdct_plan_frame (BdctPlan * plan, const BdctLayout * layout,
    const BdctFrame * frame, const BdctPlanRules * rules,
    BdctHistory * history)
{
  clear (plan);
  plan->view.drawn = frame->view != NULL && !bdct_view_is_plain (frame->view);
  if (plan->view.drawn)
    plan->view.view = *frame->view;
  plan->bits = frame->bits;
  plan_metrics (plan, frame->metrics, frame->frame_rate, frame->number,
      history);
  if (layout->rgb.n_planes > 0)
    place_rgb (plan, frame, rules);
  else
    place_planes (plan, frame);
  if (plan->view.drawn && plan->view.view.mode == BDCT_VIEW_COEFFICIENTS)
    plan->place[BDCT_PLAN_LEVELS] = BDCT_PLACE_OWN;
  add_frame_steps (plan, layout);
  plan->rgb_errors = frame->src.data[0] != NULL
      && bdct_plan_has (plan, BDCT_STEP_PLANES_TO_RGB);
  plan_blocks (plan, layout, frame);
  plan_levels (plan, layout, frame);
}

/* Comparisons */

/* Planes are computed with, and become R, G and B if the layout has these.
 * R, G and B that are only copied come from the pictures themselves, as in
 * an enlarged view. */
static void
plan_view (BdctPlan * plan, const BdctLayout * layout,
    const BdctComparison * comparison)
{
  const bool rgb = layout->rgb.n_planes > 0;
  const BdctView *view = comparison->view;
  const bool copies = bdct_render_is_copy (view->mode);
  BdctPlanView *to = &plan->view;

  to->left = 1 + comparison->left;
  to->right = 1 + comparison->right;
  to->enlarged = bdct_view_is_zoomed (view) || (rgb && copies);
  to->drawn = !to->enlarged || !copies;
  to->view = to->zoomed = *view;
  if (to->enlarged)
    to->view = bdct_zoom_base (view);
  if (!to->drawn)
    return;
  if (to->enlarged)
    plan->place[BDCT_PLAN_BASE] = BDCT_PLACE_OWN;
  plan->place[BDCT_PLAN_VIEW] = rgb ? BDCT_PLACE_OWN
      : to->enlarged ? BDCT_PLACE_BASE : BDCT_PLACE_DST;
  plan->blocks.records = view->mode == BDCT_VIEW_ERROR_MAP;
}

/* Whether a view shows a metric's map, and the map has numbers. */
static bool
has_map (const BdctView * view, const BdctLayout * layout)
{
  const int metric = bdct_view_metric (view->mode);

  return metric >= 0 && bdct_metric_map (metric, layout->plane[0].width,
      layout->plane[0].height).rows > 0;
}

static void
add_comparison_steps (BdctPlan * plan, const BdctLayout * layout,
    const BdctComparison * comparison)
{
  bool packed = false;

  for (int i = 0; i <= plan->n_distorted; i++)
    packed = packed || plan->packed[i];
  if (packed)
    add_step (plan, BDCT_STEP_PACK);
  if (plan->metrics.history.copied)
    add_step (plan, BDCT_STEP_HISTORY);
  if (comparison->errors)
    add_step (plan, BDCT_STEP_ERRORS);
  if (comparison->metrics != 0)
    add_step (plan, BDCT_STEP_METRICS);
  if (plan->view.drawn) {
    if (plan->blocks.records)
      add_step (plan, BDCT_STEP_RECORDS);
    if (has_map (&plan->view.view, layout))
      add_step (plan, BDCT_STEP_MAP);
    add_step (plan, BDCT_STEP_VIEW);
    if (layout->rgb.n_planes > 0)
      add_step (plan, BDCT_STEP_PLANES_TO_RGB);
  }
  if (plan->view.enlarged)
    add_step (plan, BDCT_STEP_ZOOM);
}

void
bdct_plan_comparison (BdctPlan * plan, const BdctLayout * layout,
    const BdctComparison * comparison, const BdctJob * job,
    BdctHistory * history)
{
  const bool rgb = layout->rgb.n_planes > 0;
  BdctImage image;

  clear (plan);
  plan->n_distorted = plan->n_results = comparison->n_distorted;
  plan->rgb_errors = comparison->errors && rgb;
  plan_metrics (plan, comparison->metrics, comparison->frame_rate,
      comparison->number, history);
  for (int i = 0; i <= plan->n_distorted; i++) {
    plan->packed[i] = rgb || bdct_picture_arrange (bdct_comparison_picture
        (comparison, i - 1), layout, &image);
    plan->place[BDCT_PLAN_PLANES + i] = rgb ? BDCT_PLACE_OWN : BDCT_PLACE_SRC;
  }
  plan->blocks.n = bdct_blocks_init (plan->blocks.grid, layout, job);
  if (comparison->view != NULL)
    plan_view (plan, layout, comparison);
  add_comparison_steps (plan, layout, comparison);
}

/* Carrying it out */

void
bdct_plan_find_images (const BdctPlan * plan, const BdctImage * src,
    const BdctImage * dst, const BdctImage own[BDCT_PLAN_IMAGES],
    BdctImage image[BDCT_PLAN_IMAGES])
{
  /* The base is before the view that lies in it. */
  static const int order[BDCT_PLAN_IMAGES] = { 0, 1, 2, 3,
    BDCT_PLAN_RECONSTRUCTION, BDCT_PLAN_LEVELS, BDCT_PLAN_BASE, BDCT_PLAN_VIEW
  };
  static const BdctImage none = { 0 };

  for (int k = 0; k < BDCT_PLAN_IMAGES; k++) {
    const int i = order[k];
    const BdctImage *const at[] = {
      [BDCT_PLACE_NONE] = &none,
      [BDCT_PLACE_SRC] = i <= BDCT_MAX_DISTORTED ? &src[i] : &none,
      [BDCT_PLACE_DST] = dst,
      [BDCT_PLACE_OWN] = &own[i],
      [BDCT_PLACE_BEFORE] = &own[i],
      [BDCT_PLACE_PLANES] = &image[BDCT_PLAN_PLANES],
      [BDCT_PLACE_RECONSTRUCTION] = &image[BDCT_PLAN_RECONSTRUCTION],
      [BDCT_PLACE_BASE] = &image[BDCT_PLAN_BASE],
    };

    image[i] = *at[plan->place[i]];
  }
}

void
bdct_plan_begin_stats (const BdctPlan * plan, const BdctLayout * layout,
    const BdctJob * job, BdctStats * stats)
{
  memset (stats, 0, sizeof *stats);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      const BdctComponent c = layout->plane[p].component[i];
      const BdctBlockGrid *grid = &plan->blocks.grid[c];

      stats->component[c].samples = (uint64_t) layout->plane[p].width
          * layout->plane[p].height;
      /* The number of a tree's levels is only known with the tree. */
      if (plan->n_distorted == 0 && !bdct_job_is_tree (job))
        stats->component[c].levels = (uint64_t) grid->columns * grid->rows
            << (job->component[c].log2_width + job->component[c].log2_height);
    }
  for (int k = 0; k < 3 && plan->rgb_errors; k++)
    stats->rgb[k].samples = stats->component[BDCT_Y].samples;
}
