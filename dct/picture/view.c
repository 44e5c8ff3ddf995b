/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view.h"

#include <math.h>
#include "render.h"

static const BdctViewInfo views[BDCT_N_VIEWS] = {
  [BDCT_VIEW_RECONSTRUCTION] = {"reconstruction", "what a decoder would show"},
  [BDCT_VIEW_ORIGINAL] = {"original", "the input"},
  [BDCT_VIEW_WIPE] = {"wipe",
      "left up to wipe-position, then right"},
  [BDCT_VIEW_SIDE_BY_SIDE] = {"side-by-side",
      "half of left, beside the same half of right"},
  [BDCT_VIEW_STACKED] = {"stacked",
      "half of left, above the same half of right"},
  [BDCT_VIEW_FLICKER] = {"flicker", "left and right in turn, half a second "
      "each"},
  [BDCT_VIEW_DIFFERENCE] = {"difference",
      "right minus left, times difference-gain, plus mid-grey"},
  [BDCT_VIEW_COEFFICIENTS] = {"coefficients",
      "quantized coefficients of each block, log magnitude, DC at its corner"},
  [BDCT_VIEW_ERROR_MAP] = {"error-map", "PSNR of each block as a colour"},
  [BDCT_VIEW_NONZERO_MAP] = {"nonzero-map",
      "share of each block's coefficients that are not 0, as a colour"},
  [BDCT_VIEW_QUALITY_MAP] = {"quality-map",
      "how much finer or coarser than the frame's setting each block is "
      "quantized, as a colour"},
  [BDCT_VIEW_SIZE_MAP] = {"size-map",
      "side of each block as a colour, for hevc-quadtree"},
  [BDCT_VIEW_SSIM_MAP] = {"ssim-map",
      "SSIM of each window of luma, as a colour"},
  [BDCT_VIEW_HVS_MAP] = {"hvs-map",
      "PSNR-HVS of each 8x8 block of luma, as a colour"},
};

/* Ten colours of matplotlib's viridis. Its lightness rises evenly, so that it
 * also works in grey and for people with red-green colour blindness. */
static const uint8_t viridis[10][3] = {
  {0x44, 0x01, 0x54}, {0x48, 0x28, 0x78}, {0x3e, 0x49, 0x89},
  {0x31, 0x68, 0x8e}, {0x26, 0x82, 0x8e}, {0x1f, 0x9e, 0x89},
  {0x35, 0xb7, 0x79}, {0x6d, 0xcd, 0x59}, {0xb4, 0xde, 0x2c},
  {0xfd, 0xe7, 0x25},
};

typedef struct {
  double value;
  const char *text;
} Mark;

static const Mark error_marks[] = {
  {20, "20 dB"}, {30, "30 dB"}, {40, "40 dB"}, {50, "50 dB"}, {60, "60 dB"},
  {0, NULL}
};

static const Mark nonzero_marks[] = {
  {0, "0 %"}, {0.01, "1 %"}, {0.1, "10 %"}, {0.25, "25 %"}, {0.5, "50 %"},
  {1, "100 %"}, {0, NULL}
};

static const Mark quality_marks[] = {
  {24, "+24 QP"}, {12, "+12 QP"}, {0, "0"}, {-12, "-12 QP"}, {-24, "-24 QP"},
  {0, NULL}
};

static const Mark size_marks[] = {
  {2, "4x4"}, {3, "8x8"}, {4, "16x16"}, {5, "32x32"}, {6, "64x64"}, {0, NULL}
};

static const Mark ssim_marks[] = {
  {1, "1"}, {0.99, "0.99"}, {0.9, "0.9"}, {0.75, "0.75"}, {0.5, "0.5"},
  {0, "0"}, {0, NULL}
};

/* The legend's marks of each map. */
static const Mark *const marks_of[BDCT_N_VIEWS] = {
  [BDCT_VIEW_ERROR_MAP] = error_marks,
  [BDCT_VIEW_NONZERO_MAP] = nonzero_marks,
  [BDCT_VIEW_QUALITY_MAP] = quality_marks,
  [BDCT_VIEW_SIZE_MAP] = size_marks,
  [BDCT_VIEW_SSIM_MAP] = ssim_marks,
  [BDCT_VIEW_HVS_MAP] = error_marks,
};

int
bdct_view_metric (BdctViewMode mode)
{
  return mode == BDCT_VIEW_SSIM_MAP ? BDCT_METRIC_SSIM
      : mode == BDCT_VIEW_HVS_MAP ? BDCT_METRIC_PSNR_HVS : -1;
}

const BdctViewInfo *
bdct_view_info (BdctViewMode mode)
{
  return (unsigned) mode < BDCT_N_VIEWS ? &views[mode] : NULL;
}

void
bdct_view_colours (BdctView * view, int depth, double kr, double kb,
    bool full_range)
{
  double peak = (1 << depth) - 1, unit = 1 << (depth - 8);
  double black = full_range ? 0 : 16 * unit;
  double luma = full_range ? peak : 219 * unit;
  double chroma = full_range ? peak : 224 * unit;

  if (view == NULL)
    return;
  for (int i = 0; i < BDCT_VIEW_COLOURS; i++) {
    double at = i * 9.0 / (BDCT_VIEW_COLOURS - 1), rgb[3], y;
    int low = at < 8 ? (int) at : 8;

    for (int k = 0; k < 3; k++)
      rgb[k] = (viridis[low][k] + (at - low) * (viridis[low + 1][k]
              - viridis[low][k])) / 255;
    y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];
    view->colour[i][BDCT_Y] = (uint16_t) lround (black + luma * y);
    view->colour[i][BDCT_U] = (uint16_t) lround ((1 << (depth - 1))
        + chroma * (rgb[2] - y) / (2 * (1 - kb)));
    view->colour[i][BDCT_V] = (uint16_t) lround ((1 << (depth - 1))
        + chroma * (rgb[0] - y) / (2 * (1 - kr)));
  }
}

/* A value's position along the legend, 0 to 1. */
static double
legend_share (BdctViewMode mode, double value)
{
  if (mode == BDCT_VIEW_SIZE_MAP)
    return (value - BDCT_VIEW_LEAST_LOG2)
        / (BDCT_VIEW_MOST_LOG2 - BDCT_VIEW_LEAST_LOG2);
  if (mode == BDCT_VIEW_QUALITY_MAP)
    return (1 - value / BDCT_VIEW_MOST_QP) / 2;
  if (mode == BDCT_VIEW_SSIM_MAP)
    return sqrt (1 - value);
  return mode == BDCT_VIEW_NONZERO_MAP ? sqrt (value)
      : (BDCT_VIEW_BEST_PSNR - value)
      / (BDCT_VIEW_BEST_PSNR - BDCT_VIEW_WORST_PSNR);
}

void
bdct_view_legend (const BdctView * view, const BdctLayout * layout,
    BdctLegend * legend)
{
  const Mark *marks;
  int width, height;

  if (view == NULL || layout == NULL || legend == NULL)
    return;
  *legend = (BdctLegend) { 0 };
  width = layout->plane[0].width;
  height = layout->plane[0].height;
  if (bdct_view_info (view->mode) == NULL || !bdct_view_is_map (view)
      || view->bare || width < 96 || height < 96)
    return;
  marks = marks_of[view->mode];
  /* On even samples, so that chroma has the same borders. */
  legend->width = (8 + width / 64) & ~1;
  legend->height = height / 2 & ~1;
  legend->x = (width - 2 * legend->width) & ~1;
  legend->y = height / 4 & ~1;
  for (; marks->text != NULL; marks++) {
    double share = legend_share (view->mode, marks->value);

    legend->mark[legend->n_marks].text = marks->text;
    legend->mark[legend->n_marks++].y = legend->y
        + (int) lround ((1 - share) * (legend->height - 1));
  }
}

/* For each colour but the first, the least value (of a block or of a
 * metric's map) that has it, times 2^12 and per sample. */
static void
set_thresholds (BdctRender * r)
{
  const bool share_of = r->mode == BDCT_VIEW_NONZERO_MAP
      || r->mode == BDCT_VIEW_SSIM_MAP;
  double peak = (1 << r->depth) - 1;

  for (int i = 1; i < BDCT_VIEW_COLOURS; i++) {
    double share = i / (BDCT_VIEW_COLOURS - 1.0);
    double value = share_of ? share * share
        : peak * peak / pow (10, (BDCT_VIEW_BEST_PSNR
            - share * (BDCT_VIEW_BEST_PSNR - BDCT_VIEW_WORST_PSNR)) / 10);

    r->threshold[i - 1] = (uint32_t) ceil (value * 4096);
  }
}

static void
set_set_colours (BdctRender * r, const BdctView * view)
{
  for (int i = 0; i < BDCT_MAX_QUANTIZERS; i++) {
    double share = legend_share (BDCT_VIEW_QUALITY_MAP, view->delta_qp[i]);

    r->set_colour[i] = (uint8_t) lround (fmax (0, fmin (share, 1))
        * (BDCT_VIEW_COLOURS - 1));
  }
}

static void
set_size_colours (BdctRender * r)
{
  for (int i = 0; i <= BDCT_VIEW_MOST_LOG2; i++)
    r->size_colour[i] = i < BDCT_VIEW_LEAST_LOG2 ? 0
        : (uint8_t) lround (legend_share (BDCT_VIEW_SIZE_MAP, i)
        * (BDCT_VIEW_COLOURS - 1));
}

void
bdct_render_place (BdctRender * r, const BdctView * view,
    const BdctLayout * layout)
{
  int size = r->mode == BDCT_VIEW_STACKED ? layout->plane[0].height
      : layout->plane[0].width;
  double position = view->position >= 0 ? fmin (view->position, 1) : 0;
  double gain = view->gain >= 0 ? fmin (view->gain, BDCT_VIEW_MAX_GAIN) : 0;

  r->gain = (int32_t) lround (gain * 256);
  if (r->mode == BDCT_VIEW_WIPE) {
    r->split = (int32_t) lround (position * size);
    /* A wide picture is scaled down for display, and its line with it. */
    if (!view->bare && r->split > 0 && r->split < size)
      r->divider = (int32_t) fmin (1 + size / 1280, size - r->split);
    /* Chroma, too, has nothing to the right. */
    r->split += r->split == size;
  } else if (r->mode == BDCT_VIEW_SIDE_BY_SIDE
      || r->mode == BDCT_VIEW_STACKED) {
    r->split = size / 2 & ~1;
    r->pan = (int32_t) lround (position * r->split) & ~1;
  }
}

static void
set_legend (BdctRender * r, const BdctView * view, const BdctLayout * layout)
{
  BdctLegend legend;

  bdct_view_legend (view, layout, &legend);
  r->legend_x = legend.x;
  r->legend_y = legend.y;
  r->legend_width = legend.width;
  r->legend_height = legend.height;
  r->n_marks = legend.n_marks;
  for (int i = 0; i < legend.n_marks; i++)
    r->mark[i] = legend.mark[i].y;
}

void
bdct_render_init (BdctRender * r, const BdctView * view,
    const BdctLayout * layout, const BdctImage * src,
    const BdctRenderPicture * rec, const BdctImage * dst,
    const BdctBlockRecord * blocks, const uint8_t * quantizer_map,
    const uint32_t * map)
{
  const BdctImage *shown = bdct_render_is_first (view) ? src : &rec->image;
  const BdctJob *job = rec->job;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  const int metric = bdct_view_metric (view->mode);

  *r = (BdctRender) {
    .mode = view->mode,
    .grid = view->grid,
    .depth = layout->depth,
    .n_components = bdct_layout_components (layout),
    .blocks = blocks,
    .quantizer_map = quantizer_map,
    .map = map,
    .log2_block = {job->component[BDCT_Y].log2_width,
        job->component[BDCT_Y].log2_height},
    .sizes = rec->sizes,
  };
  if (metric >= 0) {
    r->of = bdct_metric_map (metric, layout->plane[0].width,
        layout->plane[0].height);
    r->log2_block[0] = r->log2_block[1] = r->of.log2_side;
  }
  bdct_render_place (r, view, layout);
  set_legend (r, view, layout);
  if (r->mode == BDCT_VIEW_QUALITY_MAP)
    set_set_colours (r, view);
  else if (r->mode == BDCT_VIEW_SIZE_MAP)
    set_size_colours (r);
  else if (bdct_view_is_map (view))
    set_thresholds (r);
  for (int i = 0; i < BDCT_VIEW_COLOURS; i++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      r->colour[i][c] = view->colour[i][c];
  bdct_blocks_init (grid, layout, job);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      BdctComponent c = layout->plane[p].component[i];

      r->plane[c] = (BdctRenderPlane) {
        .first = bdct_image_samples (src, layout, p, i),
        .second = bdct_image_samples (shown, layout, p, i),
        .dst = bdct_image_samples (dst, layout, p, i),
        .layout = layout->plane[p],
        .sub_x = bdct_layout_sub_x (layout, c),
        .sub_y = bdct_layout_sub_y (layout, c),
        .log2_width = job->component[c].log2_width,
        .log2_height = job->component[c].log2_height,
        .grid = grid[c],
      };
    }
}
