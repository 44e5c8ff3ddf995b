/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan.h"

#include <string.h>
#include "dct/metrics/metrics.h"
#include "dct/picture/render.h"
#include "dct/picture/zoom.h"

/* Steps */

static void
add_step (BdctPlan * plan, BdctStepKind kind, int group)
{
  plan->step[plan->n_steps++] = (BdctStep) { kind, group };
}

bool
bdct_plan_has (const BdctPlan * plan, BdctStepKind kind)
{
  for (int i = 0; i < plan->n_steps; i++)
    if (plan->step[i].kind == kind)
      return true;
  return false;
}

/* Groups */

static BdctTransform
get_transform (const BdctFrame * frame, int i)
{
  return i == 0 ? frame->quantizers[0].transform
      : frame->trials[i - 1].transform;
}

/* The last group with room for a job of this transform, or a new one. */
static int
find_group (const BdctPlan * plan, const BdctTransform * transform,
    BdctTransform wanted, const BdctPlanRules * rules, int max_jobs)
{
  const BdctPlanJobs *jobs = &plan->jobs;
  int g = jobs->n_groups - 1;

  while (g >= 0 && (jobs->group[g].n == max_jobs
          || (g == 0 && plan->levels.in)
          || (rules->one_transform && transform[g] != wanted)))
    g--;
  return g < 0 ? jobs->n_groups : g;
}

static void
group_jobs (BdctPlan * plan, const BdctFrame * frame,
    const BdctPlanRules * rules)
{
  const int max_jobs = plan->metrics.others != 0 ? rules->max_pictures
      : rules->max_jobs;
  BdctPlanJobs *jobs = &plan->jobs;
  BdctTransform transform[BDCT_MAX_JOBS];
  int group_of[BDCT_MAX_JOBS], next[BDCT_MAX_JOBS], first = 0;

  jobs->n_groups = 0;
  for (int i = 0; i < jobs->n; i++) {
    const BdctTransform wanted = get_transform (frame, i);
    const int g = find_group (plan, transform, wanted, rules, max_jobs);

    if (g == jobs->n_groups) {
      jobs->group[jobs->n_groups++].n = 0;
      transform[g] = wanted;
    }
    jobs->group[g].n++;
    group_of[i] = g;
  }
  for (int g = 0; g < jobs->n_groups; g++) {
    next[g] = jobs->group[g].first = first;
    first += jobs->group[g].n;
  }
  for (int i = 0; i < jobs->n; i++)
    jobs->order[next[group_of[i]]++] = i;
}

static bool
has_metrics (const BdctPlan * plan, const BdctPlanGroup * group)
{
  for (int i = 0; i < group->n; i++)
    if (bdct_plan_metrics (plan, plan->jobs.order[group->first + i]) != 0)
      return true;
  return false;
}

/* Frames */

/* Whether anything reads a frame's planes after its jobs' pictures are made.
 * If not, the pictures can be written over the planes: a block is read
 * whole, and by nothing else, before it is written, and half the memory
 * stays in the cache. */
static bool
reads_planes_again (const BdctPlan * plan, const BdctFrame * frame)
{
  return frame->metrics != 0 || plan->view.drawn || frame->bits
      || plan->levels.out || frame->n_trials > 0
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
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  blocks->by_map = (frame->quantizer_map != NULL || frame->stack_map != NULL)
      && frame->n_quantizers > 1;
  blocks->records = frame->blocks != NULL
      || (plan->view.drawn && bdct_view_is_of_blocks (view));
  blocks->sizes = bdct_job_is_tree (frame->quantizers)
      && (frame->sizes != NULL || (plan->view.drawn
          && (view->grid || view->mode == BDCT_VIEW_SIZE_MAP)));
  blocks->n = bdct_blocks_init (grid, layout, frame->quantizers);
  blocks->n_sizes = (size_t) grid[BDCT_Y].columns * grid[BDCT_Y].rows;
}

static void
plan_levels (BdctPlan * plan, const BdctLayout * layout,
    const BdctFrame * frame)
{
  BdctPlanLevels *levels = &plan->levels;

  levels->in = frame->from_levels;
  levels->out = frame->levels != NULL && !frame->from_levels;
  levels->n = bdct_count_levels (layout, frame->quantizers, levels->first);
}

static void
add_frame_steps (BdctPlan * plan, const BdctLayout * layout)
{
  if (layout->rgb.n_planes > 0
      && plan->place[BDCT_PLAN_PLANES] == BDCT_PLACE_OWN)
    add_step (plan, BDCT_STEP_RGB_TO_PLANES, 0);
  if (plan->metrics.history.copied)
    add_step (plan, BDCT_STEP_HISTORY, 0);
  for (int g = 0; g < plan->jobs.n_groups; g++) {
    add_step (plan, BDCT_STEP_TRANSFORM, g);
    if (plan->jobs.bits)
      add_step (plan, BDCT_STEP_BITS, g);
    if (has_metrics (plan, &plan->jobs.group[g]))
      add_step (plan, BDCT_STEP_METRICS, g);
  }
  if (plan->view.drawn)
    add_step (plan, BDCT_STEP_VIEW, 0);
  if (layout->rgb.n_planes > 0
      && plan->place[BDCT_PLAN_VIEW] != BDCT_PLACE_NONE)
    add_step (plan, BDCT_STEP_PLANES_TO_RGB, 0);
}

/* An empty plan; its groups and steps are undefined. */
static void
clear (BdctPlan * plan)
{
  plan->n_distorted = plan->n_steps = 0;
  plan->jobs.rgb_errors = plan->jobs.bits = plan->jobs.trial_files = false;
  plan->jobs.n_groups = 0;
  plan->metrics.history = (BdctHistoryUse) { .of = { -1, -1, -1 } };
  plan->blocks = (BdctPlanBlocks) { 0 };
  plan->levels = (BdctPlanLevels) { 0 };
  plan->view.drawn = plan->view.enlarged = false;
  memset (plan->place, 0, sizeof plan->place);
  memset (plan->packed, 0, sizeof plan->packed);
}

static void
plan_metrics (BdctPlan * plan, unsigned first, unsigned others, int frame_rate,
    uint64_t number, BdctHistory * history)
{
  plan->metrics.first = first;
  plan->metrics.others = others;
  plan->metrics.frame_rate = frame_rate;
  if (bdct_metrics_history (first | others) > 0)
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
  plan->jobs.n = 1 + frame->n_trials;
  plan->jobs.bits = frame->bits;
  plan->jobs.trial_files = frame->trial_files;
  plan_metrics (plan, frame->metrics, frame->trial_metrics, frame->frame_rate,
      frame->number, history);
  plan_levels (plan, layout, frame);
  if (layout->rgb.n_planes > 0)
    place_rgb (plan, frame, rules);
  else
    place_planes (plan, frame);
  if (plan->view.drawn && plan->view.view.mode == BDCT_VIEW_COEFFICIENTS)
    plan->place[BDCT_PLAN_LEVELS] = BDCT_PLACE_OWN;
  plan_blocks (plan, layout, frame);
  group_jobs (plan, frame, rules);
  add_frame_steps (plan, layout);
  plan->jobs.rgb_errors = frame->src.data[0] != NULL
      && bdct_plan_has (plan, BDCT_STEP_PLANES_TO_RGB);
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
    add_step (plan, BDCT_STEP_PACK, 0);
  if (plan->metrics.history.copied)
    add_step (plan, BDCT_STEP_HISTORY, 0);
  if (comparison->errors)
    add_step (plan, BDCT_STEP_ERRORS, 0);
  if (comparison->metrics != 0)
    add_step (plan, BDCT_STEP_METRICS, 0);
  if (plan->view.drawn) {
    if (plan->blocks.records)
      add_step (plan, BDCT_STEP_RECORDS, 0);
    if (has_map (&plan->view.view, layout))
      add_step (plan, BDCT_STEP_MAP, 0);
    add_step (plan, BDCT_STEP_VIEW, 0);
    if (layout->rgb.n_planes > 0)
      add_step (plan, BDCT_STEP_PLANES_TO_RGB, 0);
  }
  if (plan->view.enlarged)
    add_step (plan, BDCT_STEP_ZOOM, 0);
}

void
bdct_plan_comparison (BdctPlan * plan, const BdctLayout * layout,
    const BdctComparison * comparison, const BdctJob * job,
    BdctHistory * history)
{
  const bool rgb = layout->rgb.n_planes > 0;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctImage image;

  clear (plan);
  plan->n_distorted = plan->jobs.n = comparison->n_distorted;
  plan->jobs.n_groups = 1;
  plan->jobs.group[0] = (BdctPlanGroup) { 0, plan->jobs.n };
  for (int i = 0; i < plan->jobs.n; i++)
    plan->jobs.order[i] = i;
  plan->jobs.rgb_errors = comparison->errors && rgb;
  plan_metrics (plan, comparison->metrics, comparison->metrics,
      comparison->frame_rate, comparison->number, history);
  for (int i = 0; i <= plan->n_distorted; i++) {
    plan->packed[i] = rgb || bdct_picture_arrange (bdct_comparison_picture
        (comparison, i - 1), layout, &image);
    plan->place[BDCT_PLAN_PLANES + i] = rgb ? BDCT_PLACE_OWN : BDCT_PLACE_SRC;
  }
  plan->blocks.n = bdct_blocks_init (grid, layout, job);
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

  for (int k = 0; k < BDCT_PLAN_IMAGES; k++) {
    const int i = order[k];

    switch (plan->place[i]) {
      case BDCT_PLACE_NONE:
        image[i] = (BdctImage) { 0 };
        break;
      case BDCT_PLACE_SRC:
        image[i] = src[i - BDCT_PLAN_PLANES];
        break;
      case BDCT_PLACE_DST:
        image[i] = *dst;
        break;
      case BDCT_PLACE_OWN:
      case BDCT_PLACE_BEFORE:
        image[i] = own[i];
        break;
      case BDCT_PLACE_PLANES:
        image[i] = image[BDCT_PLAN_PLANES];
        break;
      case BDCT_PLACE_RECONSTRUCTION:
        image[i] = image[BDCT_PLAN_RECONSTRUCTION];
        break;
      case BDCT_PLACE_BASE:
        image[i] = image[BDCT_PLAN_BASE];
        break;
    }
  }
}

void
bdct_plan_begin_stats (const BdctPlan * plan, const BdctLayout * layout,
    int i, const BdctJob * job, BdctStats * stats)
{
  memset (stats, 0, sizeof *stats);
  bdct_engine_count (layout, plan->n_distorted > 0 ? NULL : job, stats);
  for (int k = 0; k < 3 && plan->jobs.rgb_errors
      && (plan->n_distorted > 0 || i == 0); k++)
    stats->rgb[k].samples = stats->component[BDCT_Y].samples;
}
