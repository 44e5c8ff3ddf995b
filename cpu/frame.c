/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a frame needs: its passes, batches and stages, and the memory for all of
 * them, which stays from frame to frame. */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include "cabac-bins.h"
#include "dct/entropy/huffman-symbols.h"
#include "render.h"

/* What the passes of a frame read and make, and what a view is drawn on; what
 * is not needed has no data. */
typedef struct {
  BdctImage src, rec, levels, view;
} Images;

/* A job's tables; chroma's two components often have the same, and luma, but
 * where levels are chosen by what they cost. */
static void
init_sets (Pass * pass)
{
  const BdctComponentJob *job = pass->job.component;
  const int alone = pass->job.rdoq.distortion_shift != 0 ? BDCT_U : BDCT_Y;

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    if (c > alone && memcmp (&job[c], &job[c - 1], sizeof *job) == 0)
      pass->set[c] = pass->set[c - 1];
    else
      bdct_tile_quantizer_init (&pass->set[c], &pass->job, c);
}

/* The tables stay from frame to frame. */
bool
bdct_cpu_prepare_pass (Slot * slot, int i, const BdctJob * job)
{
  Pass *pass = slot->pass[i];

  if (pass == NULL) {
    pass = slot->pass[i] = aligned_alloc (64, (sizeof *pass + 63) / 64 * 64);
    if (pass == NULL)
      return false;
    pass->prepared = false;
    pass->tree = NULL;
    pass->all_ends = NULL;
    pass->sizes = NULL;
  }
  if (!pass->prepared || memcmp (&pass->job, job, sizeof *job) != 0) {
    pass->prepared = false;
    pass->job = *job;
    init_sets (pass);
    if (bdct_cpu_is_tree (pass) && !bdct_cpu_tree_init (&pass->tree, job))
      return false;
    pass->prepared = true;
  }
  return true;
}

void
bdct_cpu_start_pass (const CpuEngine * self, Pass * pass,
    const BdctImage * src, const BdctImage * dst)
{
  const BdctLayout *layout = &self->layout;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  memset (&pass->stats, 0, sizeof pass->stats);
  memset (pass->strips, 0, sizeof pass->strips);
  pass->rec = *dst;
  bdct_engine_count (layout, &pass->job, &pass->stats);
  bdct_blocks_init (grid, layout, &pass->job);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      BdctComponent c = layout->plane[p].component[i];
      int side = bdct_tile_side (&pass->job.component[c]);
      BdctTilePlane *plane = &pass->plane[c];

      bdct_tile_plane_init (plane, &pass->job, c);
      plane->set[0] = &pass->set[c];
      bdct_tile_plane_place (plane, layout, &grid[c], src, dst, p, i);
      pass->strips[c] = (layout->plane[p].height + side - 1) / side;
      pass->sub_x[c] = bdct_layout_sub_x (layout, c);
      pass->sub_y[c] = bdct_layout_sub_y (layout, c);
    }
}

/* What the pass of the quantizers has and the others have not. */
static void
start_sets (const CpuEngine * self, Slot * slot, const BdctFrame * frame,
    BdctBlockRecord * blocks, const BdctImage * levels)
{
  const BdctLayout *layout = &self->layout;

  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      slot->pass[0]->plane[layout->plane[p].component[i]].levels =
          bdct_image_samples (levels, layout, p, i);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    BdctTilePlane *plane = &slot->pass[0]->plane[c];

    for (int i = 1; i < frame->n_quantizers; i++)
      plane->set[i] = &slot->pass[i]->set[c];
    plane->blocks = blocks;
    if (frame->quantizer_map != NULL)
      plane->quantizer_map = slot->quantizer_map;
  }
  if (frame->quantizer_map != NULL)
    memcpy (slot->quantizer_map, frame->quantizer_map, frame->n_blocks);
}

/* Memory for what is counted of a frame's passes, which have started. */
static bool
prepare_rate (CpuEngine * self, Slot * slot)
{
  size_t n_strips = 0, n_bins = 0;

  /* No frame in flight uses these if there are none. */
  if (self->strip_levels == NULL)
    self->strip_levels = malloc ((self->max_threads + 1)
        * bdct_cpu_piece_levels (&self->layout) * sizeof *self->strip_levels);
  if (self->strip_levels == NULL)
    return false;
  for (int p = 0; p < self->layout.n_planes; p++)
    n_strips += (size_t) self->layout.plane[p].interleave
        * ((self->layout.plane[p].height + BDCT_TILE - 1) / BDCT_TILE);
  for (int i = 0; i < slot->n_batches; i++) {
    Batch *batch = &slot->batch[i];
    size_t of_pass = 0;

    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      of_pass += bdct_cpu_count_bins (batch->pass[0], c);
    if (n_bins < batch->n * of_pass)
      n_bins = batch->n * of_pass;
    for (int k = 0; k < batch->n; k++) {
      Pass *pass = batch->pass[k];

      if (pass->all_ends == NULL)
        pass->all_ends = malloc (n_strips * sizeof *pass->all_ends);
      if (pass->all_ends == NULL)
        return false;
    }
  }
  if (slot->n_bins < n_bins) {
    free (slot->bins);
    slot->bins = malloc (n_bins * sizeof *slot->bins);
    slot->n_bins = slot->bins != NULL ? n_bins : 0;
  }
  return slot->n_bins >= n_bins;
}

void
bdct_cpu_make_batches (Slot * slot)
{
  slot->n_batches = 0;
  for (int i = 0; i <= slot->n_trials; i++) {
    Pass *pass = bdct_cpu_pass (slot, i);
    int b = slot->n_batches - 1;

    while (b >= 0 && (slot->batch[b].n == MAX_BATCH
            || slot->batch[b].pass[0]->job.transform != pass->job.transform))
      b--;
    if (b < 0) {
      b = slot->n_batches++;
      slot->batch[b].n = 0;
    }
    slot->batch[b].pass[slot->batch[b].n++] = pass;
  }
}

/* Describe the way of a frame of R, G and B. */
static bool
prepare_colour (CpuEngine * self, Slot * slot, const BdctFrame * frame,
    bool plain)
{
  const BdctLayout *layout = &self->layout;
  BdctColour *colour = &slot->colour;

  *colour = (BdctColour) {.layout = layout,.src = frame->src,
      .dst = frame->dst };
  if (!bdct_colour_image (layout, &slot->planes, &colour->planes))
    return false;
  if (frame->dst.data[0] == NULL)
    return true;
  if (!bdct_colour_image (layout, &slot->rec, &colour->rec))
    return false;
  if (plain)
    return true;
  colour->render = &slot->render;
  return bdct_colour_image (layout, &slot->shown, &colour->shown);
}

/* Have the images that a frame goes through. */
static bool
prepare_images (CpuEngine * self, Slot * slot, const BdctFrame * frame,
    const BdctView * view, Images * images)
{
  const bool plain = bdct_view_is_plain (view);
  const bool levels = view->mode == BDCT_VIEW_COEFFICIENTS;

  *images = (Images) {.src = frame->src,.view = frame->dst };
  if (self->layout.rgb.n_planes > 0) {
    if (!prepare_colour (self, slot, frame, plain))
      return false;
    images->src = slot->colour.planes;
    images->rec = slot->colour.rec;
    images->view = slot->colour.shown;
  } else if (plain) {
    images->rec = frame->dst;
  } else if (view->mode == BDCT_VIEW_RECONSTRUCTION
      && !bdct_cpu_own_image (self, &slot->scratch, &images->rec)) {
    return false;
  }
  return !levels || bdct_cpu_own_image (self, &slot->scratch,
      &images->levels);
}

/* Have what trees are found in, and where they are kept for who asks or looks
 * at them. */
static bool
prepare_trees (CpuEngine * self, Slot * slot, const BdctFrame * frame,
    const BdctView * view)
{
  Pass *quantizers = slot->pass[0];
  const bool is_tree = bdct_cpu_is_tree (quantizers);

  quantizers->sizes = is_tree ? frame->sizes : NULL;
  if (is_tree && quantizers->sizes == NULL
      && (view->grid || view->mode == BDCT_VIEW_SIZE_MAP)) {
    slot->own_sizes = bdct_cpu_alloc_by_block (self, slot->own_sizes, 1);
    if (slot->own_sizes == NULL)
      return false;
    quantizers->sizes = slot->own_sizes;
  }
  /* No frame in flight uses this if there is none. */
  for (int i = 0; i <= slot->n_trials && self->tree_scratch == NULL; i++)
    if (bdct_cpu_is_tree (bdct_cpu_pass (slot, i))) {
      self->tree_scratch = aligned_alloc (64, (self->max_threads + 1)
          * bdct_cpu_tree_scratch_size ());
      return self->tree_scratch != NULL;
    }
  return true;
}

/* The passes of jobs beside the quantizers. */
static bool
prepare_others (Slot * slot, const BdctFrame * frame)
{
  slot->n_trials = frame->n_trials;
  for (int i = 0; i < slot->n_trials; i++) {
    if (!bdct_cpu_prepare_pass (slot, BDCT_MAX_QUANTIZERS + i,
            &frame->trials[i]))
      return false;
    slot->pass[BDCT_MAX_QUANTIZERS + i]->sizes = NULL;
  }
  return true;
}

/* Have all that a frame needs. */
static bool
prepare (CpuEngine * self, Slot * slot, const BdctFrame * frame,
    const BdctView * view, Images * images)
{
  for (int i = 0; i < frame->n_quantizers; i++)
    if (!bdct_cpu_prepare_pass (slot, i, &frame->quantizers[i]))
      return false;
  if (!prepare_others (slot, frame))
    return false;
  slot->rate = frame->rate;
  slot->trial_files = frame->trial_files;
  bdct_cpu_make_batches (slot);
  if (frame->quantizer_map != NULL) {
    slot->quantizer_map =
        bdct_cpu_alloc_by_block (self, slot->quantizer_map, 1);
    if (slot->quantizer_map == NULL)
      return false;
  }
  if (bdct_view_is_of_blocks (view)) {
    slot->blocks = bdct_cpu_alloc_by_block (self, slot->blocks,
        sizeof *slot->blocks);
    if (slot->blocks == NULL)
      return false;
  }
  return prepare_trees (self, slot, frame, view)
      && prepare_images (self, slot, frame, view, images);
}

/* Have a batch's counts and bins begin. */
static void
start_rate (Slot * slot, Batch * batch)
{
  uint64_t *bins = slot->bins;

  for (int i = 0; i < batch->n; i++) {
    Pass *pass = batch->pass[i];
    BdctLevel (*ends)[2] = pass->all_ends;

    memset (&pass->counts, 0, sizeof pass->counts);
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      pass->ends[c] = ends;
      ends += pass->strips[c];
      pass->bins[c] = bins;
      bins += bdct_cpu_count_bins (pass, c);
    }
  }
}

void
bdct_cpu_start_stages (Slot * slot)
{
  slot->stage = slot->n_stages = 0;
  slot->next_piece = slot->done_pieces = 0;
}

Stage *
bdct_cpu_add_stage (Slot * slot, int kind, int batch)
{
  Stage *stage = &slot->stages[slot->n_stages++];

  *stage = (Stage) {.kind = kind,.batch = batch };
  return stage;
}

bool
bdct_cpu_add_metrics (Slot * slot, int b)
{
  const Batch *batch = &slot->batch[b];
  int step = 0, n;

  while (step < BDCT_METRIC_STAGES
      && (n = bdct_cpu_count_metrics (slot, batch, step)) > 0) {
    Stage *stage = bdct_cpu_add_stage (slot, STAGE_METRICS, b);

    stage->step = step++;
    stage->n_pieces = n;
  }
  if (step > 0)
    bdct_cpu_add_stage (slot, STAGE_FIGURES, b)->n_pieces = batch->n;
  return step > 0;
}

/* The frame's stages: as few as there can be. */
static void
make_stages (const CpuEngine * self, Slot * slot, bool plain)
{
  const BdctLayout *layout = &self->layout;
  const bool colour = layout->rgb.n_planes > 0;
  const int n_kept = bdct_cpu_count_kept (self, slot);
  Stage *strips = NULL;

  bdct_cpu_start_stages (slot);
  if (colour)
    bdct_cpu_add_stage (slot, STAGE_SPLIT, 0)->n_pieces =
        bdct_colour_count_strips (layout);
  if (n_kept > 0) {
    bdct_cpu_add_stage (slot, STAGE_KEEP, 0)->n_pieces = n_kept;
    slot->kept_stage = slot->n_stages;
  }
  for (int b = 0; b < slot->n_batches; b++) {
    Batch *batch = &slot->batch[b];
    int n_segments = 0;

    if (slot->rate)
      start_rate (slot, batch);
    for (int i = 0; slot->rate && i < batch->n; i++)
      for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
        n_segments += bdct_cpu_count_segment_pieces (batch->pass[i], c);
    if (strips == NULL)
      strips = bdct_cpu_add_stage (slot, STAGE_STRIPS, b);
    strips->n_pieces += bdct_cpu_count_strips (batch->pass[0]);
    if (n_segments > 0) {
      bdct_cpu_add_stage (slot, STAGE_SEGMENTS, b)->n_pieces = n_segments;
      strips = NULL;
    }
    if (bdct_cpu_add_metrics (slot, b))
      strips = NULL;
  }
  if (!plain)
    bdct_cpu_add_stage (slot, STAGE_VIEW, 0)->n_pieces =
        bdct_render_count_strips (layout);
  if (colour && slot->colour.dst.data[0] != NULL) {
    bdct_cpu_add_stage (slot, STAGE_JOIN, 0)->n_pieces =
        bdct_colour_count_strips (layout);
    for (int k = 0; k < 3; k++)
      slot->pass[0]->stats.rgb[k].samples =
          (uint64_t) layout->plane[0].width * layout->plane[0].height;
  }
}

bool
bdct_cpu_start_frame (CpuEngine * self, Slot * slot, const BdctFrame * frame,
    BdctError * error)
{
  static const BdctView default_view = BDCT_VIEW_DEFAULT;
  const BdctView *view = frame->view != NULL ? frame->view : &default_view;
  const bool plain = bdct_view_is_plain (view);
  const BdctImage none = { 0 };
  BdctBlockRecord *blocks = frame->blocks;
  BdctRenderPicture rec = {.job = frame->quantizers };
  Images images;

  if (!prepare (self, slot, frame, view, &images))
    return bdct_error (error, "out of memory");
  if (bdct_view_is_of_blocks (view) && blocks == NULL)
    blocks = slot->blocks;
  bdct_cpu_start_pass (self, slot->pass[0], &images.src, &images.rec);
  start_sets (self, slot, frame, blocks, &images.levels);
  for (int i = 1; i <= slot->n_trials; i++)
    bdct_cpu_start_pass (self, bdct_cpu_pass (slot, i), &images.src, &none);
  if (frame->rate && !prepare_rate (self, slot))
    return bdct_error (error, "out of memory");
  if (!bdct_cpu_prepare_metrics (self, slot, frame, &images.src))
    return bdct_error (error, "out of memory");
  make_stages (self, slot, plain);
  rec.image = images.levels.data[0] != NULL ? images.levels : images.rec;
  rec.sizes = slot->pass[0]->sizes;
  if (!plain)
    bdct_render_init (&slot->render, view, &self->layout, &images.src, &rec,
        &images.view, blocks, frame->quantizer_map != NULL ? slot->quantizer_map
        : NULL, NULL);
  return true;
}

/* Set the bits of a pass; what remains to be counted of it are the DC
 * differences from strip to strip. */
static void
price_pass (const CpuEngine * self, Pass * pass, bool files)
{
  if (bdct_rate_coder (pass->job.family) == BDCT_CODER_HUFFMAN)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      for (int i = 0; i < pass->strips[c]; i++)
        pass->counts.counter[c][BDCT_RATE_DC
            + bdct_symbol_category (pass->ends[c][i][0]
                - (i > 0 ? pass->ends[c][i - 1][1] : 0))]++;
  bdct_rate_price (&pass->counts, &self->layout, &pass->job, files,
      &pass->stats);
}

void
bdct_cpu_finish_frame (const CpuEngine * self, const Slot * slot,
    BdctStats * stats)
{
  for (int i = 0; i <= slot->n_trials; i++) {
    Pass *pass = bdct_cpu_pass (slot, i);

    if (slot->rate)
      price_pass (self, pass, i == 0 || slot->trial_files);
    stats[i] = pass->stats;
  }
}

void
bdct_cpu_free_slots (CpuEngine * self)
{
  for (unsigned i = 0; i < self->depth; i++) {
    Slot *slot = &self->slots[i];

    for (int k = 0; k < BDCT_MAX_QUANTIZERS - 1 + MAX_PASSES; k++) {
      if (slot->pass[k] != NULL) {
        free (slot->pass[k]->all_ends);
        free (slot->pass[k]->tree);
      }
      free (slot->pass[k]);
    }
    free (slot->planes);
    free (slot->rec);
    free (slot->shown);
    free (slot->scratch);
    free (slot->quantizer_map);
    free (slot->own_sizes);
    free (slot->blocks);
    free (slot->bins);
    bdct_cpu_free_comparison (slot);
  }
  bdct_cpu_free_metrics (self);
  free (self->slots);
  free (self->strip_levels);
  self->strip_levels = NULL;
  free (self->tree_scratch);
  self->tree_scratch = NULL;
}
