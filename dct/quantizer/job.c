/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "job.h"

#include <math.h>
#include <string.h>

#include "dct/transform/jpeg-islow-rounding.h"

/* HM quantScales and H.265 (8-309) levelScale, by QP % 6. */
static const int32_t hevc_quant_scale[6] =
    { 26214, 23302, 20560, 18396, 16384, 14564 };
static const int32_t hevc_level_scale[6] = { 40, 45, 51, 57, 64, 72 };

/* H.265 Table 8-10: QpC for qPi 30 to 43 where ChromaArrayType is 1. */
static const int8_t hevc_qpc[14] =
    { 29, 30, 31, 32, 33, 33, 34, 34, 35, 35, 36, 36, 37, 37 };

/* H.264 Table 8-15: QPC for qPI 30 to 51. */
static const int8_t h264_qpc[22] = {
  29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36, 36, 37, 37, 37, 38, 38, 38, 39,
  39, 39, 39
};

/* H.264 clause 8.5.9, normAdjust4x4 and normAdjust8x8 by qP % 6, and JM's
 * quant_coef that belong to them. A column is for one class of coefficients.
 * The classes of its two frequencies determine a coefficient's class: 0 1 0 1
 * for a side of 4, 0 1 2 1 0 1 2 1 for a side of 8. */
static const uint8_t h264_sort_4[2][2] = { {0, 2}, {2, 1} };
static const uint8_t h264_sort_8[3][3] = { {0, 3, 4}, {3, 1, 5}, {4, 5, 2} };

static const uint8_t h264_norm_4[6][3] = {
  {10, 16, 13}, {11, 18, 14}, {13, 20, 16},
  {14, 23, 18}, {16, 25, 20}, {18, 29, 23},
};

static const uint16_t h264_quant_4[6][3] = {
  {13107, 5243, 8066}, {11916, 4660, 7490}, {10082, 4194, 6554},
  {9362, 3647, 5825}, {8192, 3355, 5243}, {7282, 2893, 4559},
};

static const uint8_t h264_norm_8[6][6] = {
  {20, 18, 32, 19, 25, 24}, {22, 19, 35, 21, 28, 26},
  {26, 23, 42, 24, 33, 31}, {28, 25, 45, 26, 35, 33},
  {32, 28, 51, 30, 40, 38}, {36, 32, 58, 34, 46, 43},
};

static const uint16_t h264_quant_8[6][6] = {
  {13107, 11428, 20972, 12222, 16777, 15481},
  {11916, 10826, 19174, 11058, 14980, 14290},
  {10082, 8943, 15978, 9675, 12710, 11985},
  {9362, 8228, 14913, 8931, 11984, 11259},
  {8192, 7346, 13159, 7740, 10486, 9777},
  {7282, 6428, 11570, 6830, 9118, 8640},
};

static int
clip (int v, int min, int max)
{
  return v < min ? min : v > max ? max : v;
}

int
bdct_scale_step (int base, int quality, int max)
{
  const int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;

  return clip ((base * scale + 50) / 100, 1, max);
}

int
bdct_hevc_chroma_qp (int qp, int offset, BdctChromaFormat chroma, int depth)
{
  const int bd_offset = 6 * (depth - 8);
  int qpi = clip (qp + offset, -bd_offset, 57);

  if (chroma != BDCT_CHROMA_420)
    qpi = qpi < 51 ? qpi : 51;
  else if (qpi > 43)
    qpi -= 6;
  else if (qpi >= 30)
    qpi = hevc_qpc[qpi - 30];
  return qpi + bd_offset;
}

/* QP'C of H.264 clause 8.5.8, which does not depend on the chroma format. */
static int
h264_chroma_qp (int qp, int offset, int depth)
{
  const int bd_offset = 6 * (depth - 8);
  const int qpi = clip (qp + offset, -bd_offset, 51);

  return (qpi < 30 ? qpi : h264_qpc[qpi - 30]) + bd_offset;
}

static bool
check_range (const char *name, int value, int min, int max, BdctError * error)
{
  return (value >= min && value <= max)
      || bdct_error (error, "%s %d is outside %d to %d", name, value, min, max);
}

/* A test's table has more rows than the public enumeration. */
static bool
check_transform (BdctTransform transform, BdctError * error)
{
  return bdct_transform_info (transform) != NULL
      || bdct_error (error, "transform %d is outside 0 to %d", (int) transform,
      BDCT_N_TRANSFORMS - 1);
}

bool
bdct_steps_check (const int *steps, int n_steps, BdctTransform transform,
    int depth, bool baseline, BdctError * error)
{
  int max = transform == BDCT_JPEG_8X8 && depth == 8 && baseline ? 255
      : BDCT_MAX_STEP;

  if (steps == NULL)
    return bdct_error (error, "steps is NULL");
  if (!check_transform (transform, error))
    return false;
  if (n_steps != 0 && n_steps != 64 && n_steps != 128)
    return bdct_error (error, "a quantization matrix has 0, 64 or 128 entries, "
        "not %d", n_steps);
  for (int i = 0; i < n_steps; i++)
    if (steps[i] < 1 || steps[i] > max)
      return bdct_error (error, "quantization step %d at index %d is outside "
          "1 to %d%s", steps[i], i, max,
          max == 255 ? " (8-bit jpeg-8x8 with baseline=true)" : "");
  return true;
}

static bool
check_steps (const BdctParams * params, int depth, BdctError * error)
{
  return bdct_steps_check (params->steps, params->n_steps, params->transform,
      depth, params->baseline, error)
      && (params->scale_tables
      || bdct_steps_check (params->tables.steps, params->tables.n_steps,
          params->transform, depth, params->baseline, error));
}

bool
bdct_params_has_quality (const BdctParams * params)
{
  return params != NULL && bdct_transform_info (params->transform) != NULL
      && !bdct_transform_info (params->transform)->has_qp
      && params->n_steps == 0
      && (params->tables.n_steps == 0 || params->scale_tables);
}

static void
init_steps (BdctComponentJob * job, const BdctParams * params, bool chroma,
    int depth)
{
  const int max = depth == 8 && params->baseline ? 255 : BDCT_MAX_STEP;
  const BdctTables *tables = &params->tables;

  for (int i = 0; i < 64; i++)
    if (params->n_steps > 0)
      job->quant[i] = params->steps[i + (chroma && params->n_steps == 128
              ? 64 : 0)];
    else if (tables->n_steps > 0) {
      job->quant[i] = tables->steps[i + (chroma && tables->n_steps == 128
              ? 64 : 0)];
      if (params->scale_tables)
        job->quant[i] = bdct_scale_step (job->quant[i], params->quality, max);
    } else
      job->quant[i] = bdct_scale_step (bdct_preset_info (params->preset)
          ->step[chroma][i], params->quality, max);
}

static void
init_jpeg (BdctComponentJob * job, int depth)
{
  for (int i = 0; i < 2; i++) {
    job->fwd_shift[i] = bdct_jpeg_islow_shift (i, depth);
    job->inv_shift[i] = bdct_jpeg_islow_shift (2 + i, depth);
  }
}

/* The scaling lists; NULL if all entries are 16. */
static const BdctScalingLists *
get_lists (const BdctParams * params)
{
  switch (params->scaling_list) {
    case BDCT_SCALING_DEFAULT:
      return &bdct_scaling_default;
    case BDCT_SCALING_FILE:
      return &params->lists;
    default:
      return NULL;
  }
}

/* H.265's rounding offset in 1/512 step: HM's 171 is 1/3, its 85 is 1/6. */
static int
hevc_rounding (const BdctParams * params)
{
  return (int) lround (512 * params->deadzone);
}

static void
init_hevc (BdctComponentJob * job, const BdctScalingLists * lists,
    BdctComponent component, int qp, int rounding, int depth)
{
  int log2_size = (job->log2_width + job->log2_height) / 2;
  int rem = qp % 6, per = qp / 6, scale = hevc_quant_scale[rem] << 4;
  /* H.266 replicates for 64 as H.265 does for 32. */
  int list = log2_size < 5 ? log2_size - 2 : 3, dc;

  job->fwd_shift[0] = job->log2_width + depth - 9;
  job->fwd_shift[1] = job->log2_height + 6;
  job->inv_shift[0] = 7;
  job->inv_shift[1] = 20 - depth;
  job->clip16 = 1;
  job->quant_bits = 14 + per + 15 - depth - log2_size;
  job->quant_add = rounding << (job->quant_bits - 9);
  job->dequant_bits = depth + log2_size - 5;
  for (int i = 0; i < 64; i++) {
    int m = lists ? lists->factor[list][component][i] : 16;

    job->quant[i] = scale / m;
    job->dequant[i] = (m * hevc_level_scale[rem]) << per;
  }
  dc = lists ? lists->dc[list][component] : 16;
  job->quant_dc = scale / dc;
  job->dequant_dc = (dc * hevc_level_scale[rem]) << per;
}

/* All numbers fit 32 bits, up to 12 bits of depth and QP' 75:
 * - A coefficient is at most 2^11, the largest residual, times the sums of the
 *   magnitudes of its two basis functions. By class these are 4 and 6 for a
 *   side of 4, and 8, 7.75 and 6 for a side of 8; the roundings inside add less
 *   than 20. The product with quant is largest for the first class of 8x8: 64 *
 *   2^11 * 13107 < 1.72e9. With quant_add, at most 2^28 / 3 < 0.09e9, it stays
 *   below 2^31 = 2.14e9.
 * - A level times dequant is its coefficient times quant * dequant /
 *   2^quant_bits, give or take a step. By class that factor is 64, 41, 51 for
 *   4x4, and 64, 50, 164, 57, 102, 91 for 8x8. The largest product has a
 *   coefficient of 36 * 2^11; with a step of 16 * 45 * 2^12 more it is below
 *   2^24, and after the shift below 2^19.
 * - An inverse pass sums eight such numbers, each at most one and a half
 * times. */
static void
init_h264 (BdctComponentJob * job, int qp, double deadzone)
{
  int size = 1 << bdct_job_log2_across (job);
  int rem = qp % 6, per = qp / 6;

  /* The standard's inverse transforms rows first; x264's forward transform
   * transforms columns first. */
  job->transposed = 1;
  job->inv_shift[1] = 6;
  job->quant_bits = (size == 4 ? 15 : 16) + per;
  /* Rounded down, which for 1/3 gives JM's 2^bits / 3, and likewise for 1/6. */
  job->quant_add = (int32_t) ldexp (deadzone, job->quant_bits);
  job->dequant_bits = size == 4 ? 4 : 6;
  for (int v = 0; v < size; v++)
    for (int u = 0; u < size; u++) {
      int sort = size == 4 ? h264_sort_4[v & 1][u & 1]
          : h264_sort_8[v & 1 ? 1 : v & 2][u & 1 ? 1 : u & 2];
      int i = bdct_job_index (job, v, u);

      job->quant[i] = size == 4 ? h264_quant_4[rem][sort]
          : h264_quant_8[rem][sort];
      /* weightScale is 16. */
      job->dequant[i] = (16 * (size == 4 ? h264_norm_4[rem][sort]
              : h264_norm_8[rem][sort])) << per;
    }
}

/* The second stage of chroma's 4x4 transforms: H.264 clause 8.5.11 with JM's
 * quantizer, which has twice the step of a coefficient, as 2 x 2 DCs together
 * grow by 4, 2 x 4 by 8. The quotient of the latter's square root and 2 are
 * the 3 QP more (8.5.11.2, QP'c,dc). There the standard rounds, with 2 x 2 it
 * does not.
 *
 * A DC is at most 16 * 2^11, so c is at most 2^18, and its product with quant
 * and quant_add below 2^18 * 13107 + 2^28 / 3 < 2^32: unsigned numbers of 32
 * bits have it. In d's formula c itself is at most 64 * 2^15 = 2^21. Quantizing
 * changes it by less than 6 / 7 of a step, and eight of these are less than 7 *
 * 16 * 18 * 2^11 < 2^22. */
static void
init_h264_dc (BdctComponentJob * job, int qp, double deadzone)
{
  BdctJobDc *dc = &job->dc;
  const bool eight = bdct_job_log2_parts (job) == 3;
  const int dc_qp = eight ? qp + 3 : qp;
  const int rem = dc_qp % 6, per = dc_qp / 6;

  dc->quant = h264_quant_4[rem][0];
  dc->quant_bits = 16 + per;
  dc->quant_add = 2 * (int32_t) ldexp (deadzone, 15 + per);
  dc->dequant = (16 * h264_norm_4[rem][0]) << per;
  dc->dequant_bits = eight ? 6 : 5;
  dc->dequant_add = eight ? 32 : 0;
}

/* QP' of a component. */
static int
hevc_qp (const BdctParams * params, const BdctLayout * layout,
    BdctComponent component)
{
  return component != BDCT_Y ? bdct_hevc_chroma_qp (params->qp,
      params->chroma_qp_offset, layout->chroma, layout->depth)
      : params->qp + 6 * (layout->depth - 8);
}

static bool
check_scaling_list (const BdctParams * params, BdctError * error)
{
  if (!check_range ("scaling-list", (int) params->scaling_list, 0,
          BDCT_N_SCALING_LISTS - 1, error))
    return false;
  if (params->scaling_list == BDCT_SCALING_FILE
      && !bdct_scaling_is_set (&params->lists))
    return bdct_error (error, "scaling-list=file needs a scaling-list-file");
  return true;
}

static void
init_chain (BdctComponentJob * job, BdctTransform transform,
    BdctChromaFormat chroma, BdctComponent component)
{
  const BdctChainInfo *chain;

  job->chain = bdct_transform_chain (transform, chroma, component);
  chain = bdct_chain_info (job->chain);
  if (chain->dc == BDCT_DC_MACROBLOCK) {
    job->dc.log2_columns = BDCT_MACROBLOCK_LOG2 - chain->log2_width
        - (component != BDCT_Y && chroma != BDCT_CHROMA_444);
    job->dc.log2_rows = BDCT_MACROBLOCK_LOG2 - chain->log2_height
        - (component != BDCT_Y && chroma == BDCT_CHROMA_420);
  }
  job->log2_width = chain->log2_width + job->dc.log2_columns;
  job->log2_height = chain->log2_height + job->dc.log2_rows;
  job->keep = chain->keep;
}

static void
init_h264_component (BdctComponentJob * job, const BdctParams * params,
    BdctComponent component, int depth)
{
  const int qp = component != BDCT_Y ? h264_chroma_qp (params->qp,
      params->chroma_qp_offset, depth) : params->qp + 6 * (depth - 8);

  init_h264 (job, qp, params->deadzone);
  if (bdct_job_has_dc (job))
    init_h264_dc (job, qp, params->deadzone);
}

static bool
is_side (int side)
{
  return side == 4 || side == 8 || side == 16 || side == 32;
}

bool
bdct_blocks_check (int min_block, int max_block, BdctError * error)
{
  if (!is_side (min_block))
    return bdct_error (error, "min-block %d is not 4, 8, 16 or 32", min_block);
  if (!is_side (max_block))
    return bdct_error (error, "max-block %d is not 4, 8, 16 or 32", max_block);
  if (min_block > max_block)
    return bdct_error (error, "min-block %d is above max-block %d", min_block,
        max_block);
  return true;
}

void
bdct_job_of_size (BdctJob * job, const BdctJob * tree, int log2_size)
{
  static const BdctTransform transform[] = {
    BDCT_HEVC_4X4, BDCT_HEVC_8X8, BDCT_HEVC_16X16, BDCT_HEVC_32X32
  };

  *job = (BdctJob) {
    .key = tree->key + log2_size,
    .transform = transform[log2_size - 2], .family = BDCT_FAMILY_HEVC,
    .depth = tree->depth, .slice_qp = tree->slice_qp
  };
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    init_chain (&job->component[c], job->transform, tree->tree.chroma, c);
    init_hevc (&job->component[c],
        bdct_scaling_is_set (&tree->tree.lists) ? &tree->tree.lists : NULL, c,
        tree->tree.qp[c], tree->tree.rounding, tree->depth);
  }
}

/* Set lambda and distortion_shift. */
static void
init_lambda (BdctJobTree * tree, double scale, int qp, int depth)
{
  /* BDCT_MAX_LAMBDA_SCALE, 1000, has 10 bits. */
  const int bits = scale > 1 ? 10 - (int) ceil (log2 (scale)) : 10;

  tree->lambda = (uint64_t) llround (ldexp (scale * 0.57
          * exp2 ((qp + 24 - 12) / 3.0), bits));
  tree->distortion_shift = 15 + bits + 2 * (12 - depth);
}

/* Set the tree, and the components from its smallest blocks. */
static void
init_tree (BdctJob * job, const BdctParams * params,
    const BdctLayout * layout)
{
  const BdctScalingLists *lists = get_lists (params);
  BdctJobTree *tree = &job->tree;
  BdctJob smallest;

  tree->min_log2 = (int) log2 (params->min_block);
  tree->max_log2 = (int) log2 (params->max_block);
  tree->chroma = layout->chroma;
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    tree->qp[c] = hevc_qp (params, layout, c);
  tree->rounding = hevc_rounding (params);
  if (lists != NULL)
    tree->lists = *lists;
  init_lambda (tree, params->lambda_scale, params->qp, job->depth);
  bdct_job_of_size (&smallest, job, tree->min_log2);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    job->component[c] = smallest.component[c];
}

static void
init_components (BdctJob * job, const BdctParams * params,
    const BdctLayout * layout)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    BdctComponentJob *cj = &job->component[c];
    bool chroma = c != BDCT_Y;

    init_chain (cj, params->transform, layout->chroma, c);
    switch (job->family) {
      case BDCT_FAMILY_JPEG:
        init_jpeg (cj, job->depth);
        init_steps (cj, params, chroma, job->depth);
        break;
      case BDCT_FAMILY_DCT8X8:
        init_steps (cj, params, chroma, job->depth);
        break;
      case BDCT_FAMILY_HEVC:
        init_hevc (cj, get_lists (params), c, hevc_qp (params, layout, c),
            hevc_rounding (params), job->depth);
        break;
      case BDCT_FAMILY_H264:
        init_h264_component (cj, params, c, job->depth);
        break;
    }
    if (job->family != BDCT_FAMILY_HEVC) {
      cj->quant_dc = cj->quant[0];
      cj->dequant_dc = cj->dequant[0];
    }
  }
}

static uint64_t
make_key (const BdctJob * job)
{
  const uint8_t *bytes = (const uint8_t *) job;
  uint64_t key = 0, word;

  for (size_t i = 0; i + sizeof word <= sizeof *job; i += sizeof word) {
    memcpy (&word, bytes + i, sizeof word);
    key = (key ^ word) * 0x9e3779b97f4a7c15u;
    key ^= key >> 29;
  }
  return key;
}

bool
bdct_job_init (BdctJob * job, const BdctParams * params,
    const BdctLayout * layout, BdctError * error)
{
  const BdctTransformRow *row = bdct_transform_row (params->transform);
  int depth = layout->depth;

  if (!check_transform (params->transform, error))
    return false;
  if (!check_range ("depth", depth, 8, 12, error)
      || !check_range ("quality", params->quality, 1, 100, error)
      || !check_range ("quantization table", (int) params->preset, 0,
          BDCT_N_PRESETS - 1, error)
      || !check_range ("qp", params->qp, 0, 51, error)
      || !check_range ("chroma-qp-offset", params->chroma_qp_offset, -12, 12,
          error))
    return false;
  if (!(params->deadzone >= BDCT_MIN_DEADZONE
          && params->deadzone <= BDCT_MAX_DEADZONE))
    return bdct_error (error, "deadzone %g is outside 1/6 to 1/3",
        params->deadzone);
  if (!bdct_family_has_qp (row->family)
      && !check_steps (params, depth, error))
    return false;
  if (row->family == BDCT_FAMILY_HEVC
      && !check_scaling_list (params, error))
    return false;
  if (!(params->lambda_scale >= 0
          && params->lambda_scale <= BDCT_MAX_LAMBDA_SCALE))
    return bdct_error (error, "lambda-scale %g is outside 0 to %d",
        params->lambda_scale, BDCT_MAX_LAMBDA_SCALE);
  if (params->transform == BDCT_HEVC_QUADTREE
      && !bdct_blocks_check (params->min_block, params->max_block, error))
    return false;

  /* The padding too, as the key is of all bytes. */
  memset (job, 0, sizeof *job);
  job->transform = params->transform;
  job->family = row->family;
  job->depth = depth;
  job->slice_qp = bdct_family_has_qp (row->family) ? params->qp : 0;
  if (params->transform == BDCT_HEVC_QUADTREE)
    init_tree (job, params, layout);
  else
    init_components (job, params, layout);
  job->key = make_key (job);
  return true;
}
