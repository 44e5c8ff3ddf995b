/** @file
 * libblockdct: transforms, their quantizers, and the jobs made of these.
 *
 * BdctParams is a user's choice. A BdctJob is the same, resolved for one layout
 * into the numbers that an engine needs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_TRANSFORM_H
#define BLOCKDCT_TRANSFORM_H

#include <blockdct/picture.h>

BDCT_BEGIN_DECLS

/** What blocks are transformed by, and how their levels are quantized. */
typedef enum {
  /** ITU-T T.81 with the integer DCT of libjpeg's `islow`. */
  BDCT_JPEG_8X8,
  /** The orthonormal DCT-II in floating point ("Discrete Cosine Transform for
   * 8x8 Blocks with CUDA", NVIDIA 2008). */
  BDCT_DCT_8X8,
  /** ITU-T H.265 clause 8.6.4 with HM's forward transform and quantizer. */
  BDCT_HEVC_DST_4X4, BDCT_HEVC_4X4, BDCT_HEVC_8X8, BDCT_HEVC_16X16,
  BDCT_HEVC_32X32,
  /** ITU-T H.264 clauses 8.5.12 and 8.5.13 with flat scaling, JM's forward
   * transform and quantizer. In 4:2:0 and 4:2:2 chroma is that of clause
   * 8.5.11: its block is a macroblock's part, of 8 x 8 or 8 x 16 samples in
   * transforms of 4 x 4, whose DCs have a transform of their own. */
  BDCT_H264_4X4, BDCT_H264_8X8,
  /** ITU-T H.266 clause 8.7.4: the lowest 32 x 32 frequencies are kept. */
  BDCT_VVC_64X64,
  /** H.265 blocks whose sizes rate and distortion choose. */
  BDCT_HEVC_QUADTREE,
  BDCT_N_TRANSFORMS
} BdctTransform;

/** A transform. */
typedef struct {
  const char *name;        /**< "jpeg-8x8" */
  const char *description; /**< a line for people */
  bool has_qp;             /**< `qp` determines the step; else `quality` or a
                                table does */
  bool has_rdoq, has_lists; /**< BdctParams.rdoq, .scaling_list apply */
} BdctTransformInfo;

/** NULL for a value outside the enumeration. To find a name, count from 0 until
 * NULL. */
const BdctTransformInfo *bdct_transform_info (BdctTransform transform);

/** The tables that quality scales, in the order of mozjpeg's `cjpeg
 * -quant-table N`. */
typedef enum {
  BDCT_PRESET_ANNEX_K, BDCT_PRESET_FLAT, BDCT_PRESET_MS_SSIM,
  BDCT_PRESET_ROBIDOUX, BDCT_PRESET_PSNR_HVS, BDCT_PRESET_KLEIN,
  BDCT_PRESET_WATSON, BDCT_PRESET_AHUMADA, BDCT_PRESET_PETERSON,
  BDCT_N_PRESETS
} BdctPreset;

/** The two tables of a preset, for luma and chroma: row-major, rows are
 * vertical frequency. */
typedef struct {
  const char *name;        /**< "annex-k" */
  const char *description; /**< origin */
  const uint16_t *step[2];
} BdctPresetInfo;

/** NULL for a value outside the enumeration. */
const BdctPresetInfo *bdct_preset_info (BdctPreset preset);

/** The largest step of any table: libjpeg's limit for 12 bits. */
#define BDCT_MAX_STEP 32767

/** Steps from a file, row-major: 0 (no file), 64 for every component, or 128,
 * luma's and then chroma's. Unused entries are 0. `name` is the caller's name
 * for the file; the library does not read it. */
typedef struct {
  uint32_t name;
  int n_steps;
  int steps[128];
} BdctTables;

/** Read tables from the text that `cjpeg -qtables` takes, or from a JPEG file.
 * Sets all of `tables` but the name; on failure nothing, and the error names
 * line and value or the byte. */
bool bdct_tables_parse (const void *data, size_t size, BdctTables *tables,
    BdctError *error);

/** Limits of BdctScalingLists. */
#define BDCT_MIN_FACTOR 4
#define BDCT_MAX_FACTOR 255
#define BDCT_N_SCALING_SIZES 4

/** H.265's factors of intra blocks, BDCT_MIN_FACTOR to BDCT_MAX_FACTOR (16 is
 * flat), for sides 4, 8, 16 and 32 and each component. Entry 8 v + u is for
 * vertical frequency v and horizontal frequency u of blocks of side 4 or 8. It
 * is replicated by 2 for side 16 and by 4 for side 32, whose frequency (0, 0)
 * has `dc` instead. All 0: there are no lists. `name` as in BdctTables. */
typedef struct {
  uint32_t name;
  uint8_t factor[BDCT_N_SCALING_SIZES][BDCT_MAX_COMPONENTS][64];
  uint8_t dc[BDCT_N_SCALING_SIZES][BDCT_MAX_COMPONENTS];
} BdctScalingLists;

/** Read lists from the text that HM's ScalingListFile and x265's scaling-list
 * take. Sets all of `lists` but the name; on failure nothing. */
bool bdct_scaling_parse (const void *data, size_t size,
    BdctScalingLists *lists, BdctError *error);

/** Flat, the intra lists of H.265 Tables 7-5 and 7-6, or BdctParams.lists. */
typedef enum {
  BDCT_SCALING_FLAT, BDCT_SCALING_DEFAULT, BDCT_SCALING_FILE,
  BDCT_N_SCALING_LISTS
} BdctScalingList;

/** The offsets of HM and JM for inter blocks (1/6) and intra blocks (1/3). */
#define BDCT_MIN_DEADZONE (1.0 / 6)
#define BDCT_MAX_DEADZONE (1.0 / 3)

#define BDCT_MAX_LAMBDA_SCALE 1000

/** Members that a transform does not use are checked, and without effect. */
typedef struct {
  size_t size;          /**< sizeof (BdctParams) */
  BdctTransform transform;
  int quality;          /**< 1 to 100; see bdct_params_has_quality() */
  int qp;               /**< 0 to 51; for transforms with a QP */
  int chroma_qp_offset; /**< -12 to 12; likewise */
  /** Sides of hevc-quadtree's luma blocks: 4, 8, 16 or 32. lambda_scale
   * multiplies HM's lambda, 0 to BDCT_MAX_LAMBDA_SCALE, for hevc-quadtree and
   * rdoq. */
  int min_block, max_block;
  double lambda_scale;
  /** Transforms with a QP: what the quantizer adds before it rounds down, in
   * steps, BDCT_MIN_DEADZONE to BDCT_MAX_DEADZONE. */
  double deadzone;
  int rdoq;             /**< choose levels by rate and distortion */
  BdctScalingList scaling_list;
  BdctScalingLists lists;       /**< for BDCT_SCALING_FILE */
  /** The steps of jpeg-8x8 and dct-8x8: `steps`; without these, `tables`;
   * without either, those of `preset` scaled by quality. Row-major, rows are
   * vertical frequency. A count of 0 is no steps, 64 is steps for every
   * component, 128 is luma's and then chroma's. Steps are 1 to BDCT_MAX_STEP;
   * for jpeg-8x8 at a depth of 8 with `baseline` 1 to 255. Booleans are ints,
   * so that there is no padding and parameters can be compared byte by byte. */
  int baseline;         /**< limit scaled steps to 255, at a depth of 8 */
  int scale_tables;     /**< scale `tables` by quality, too */
  BdctPreset preset;
  BdctTables tables;
  int n_steps;
  int steps[128];
} BdctParams;

/** jpeg-8x8 at quality 85, QP 26, and all else as an encoder has it. */
#define BDCT_PARAMS_DEFAULT                                                   \
  {                                                                           \
    .size = sizeof (BdctParams), .transform = BDCT_JPEG_8X8, .quality = 85,   \
    .qp = 26, .min_block = 4, .max_block = 32, .lambda_scale = 1,             \
    .deadzone = BDCT_MAX_DEADZONE, .baseline = true                           \
  }

/** Whether `quality` determines the steps. */
bool bdct_params_has_quality (const BdctParams *params);

/** Check steps as of BdctParams.steps for a transform at a depth (0: any).
 * Returns false, naming the first value outside its range or the wrong
 * count. */
bool bdct_steps_check (const int *steps, int n_steps, BdctTransform transform,
    int depth, bool baseline, BdctError *error);

/** The most quantizers of a frame, and of a stack of pictures. */
#define BDCT_MAX_QUANTIZERS 8
#define BDCT_MAX_STACK_QUANTIZERS 128

/** An array of jobs; a `BdctJob *` points to its first job, or to that of
 * bdct_jobs_at(). Jobs do not change, and any thread may read them. */
typedef struct BdctJob BdctJob;

/** Resolve `n` parameters, 1 or more, for a layout. NULL, naming the value and
 * the range, if one is outside its range. */
BdctJob *bdct_jobs_new (const BdctParams *params, int n,
    const BdctLayout *layout, BdctError *error);

/** Free an array, by its first job; NULL is nothing. */
void bdct_jobs_free (BdctJob *jobs);

/** Job `i`, from 0, of an array. */
const BdctJob *bdct_jobs_at (const BdctJob *jobs, int i);

/** The blocks of one component, numbered from left to right, then downwards.
 * The last column and row may reach beyond the picture. For hevc-quadtree:
 * places of its smallest blocks. */
typedef struct {
  int32_t columns, rows; /**< 0 for a component that the format lacks */
  size_t first;          /**< number of the first one: all blocks of Y come
                              first, then U's and V's */
} BdctBlockGrid;

/** The share of a block in a frame's statistics. */
typedef struct {
  uint32_t sse;     /**< squared errors of its visible samples, at most
                         2^32 - 1 */
  uint16_t nonzero; /**< levels that are not 0 */
  uint16_t reserved; /**< 0 */
} BdctBlockRecord;

/** What a job makes of pictures of a layout. */
typedef struct {
  size_t size;     /**< sizeof (BdctJobInfo) */
  bool exact_bits; /**< bits (statistics.h) are exactly a file's and no
                        estimate: jpeg-8x8 at a depth of 8 */
  size_t n_blocks; /**< of all components */
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  int log2_width[BDCT_MAX_COMPONENTS];  /**< of a block */
  int log2_height[BDCT_MAX_COMPONENTS];
  /** Of BdctFrame.levels: all; those of one block, which vvc-64x64 has fewer of
   * than samples (32 x 32), 0 for hevc-quadtree; and the first one. */
  size_t n_levels, block_levels[BDCT_MAX_COMPONENTS];
  size_t first_level[BDCT_MAX_COMPONENTS];
} BdctJobInfo;

/** Set all of `info` but its size. */
bool bdct_job_describe (const BdctJob *job, const BdctLayout *layout,
    BdctJobInfo *info, BdctError *error);

/** Bytes of the JFIF file of a picture in host memory, with Annex K's Huffman
 * tables, for a job with exact bits: the picture is coded, on the calling
 * thread. With `src` NULL: of the file without its scan. False without memory,
 * or if the bits are not exact. */
bool bdct_jpeg_file_size (const BdctLayout *layout, const BdctJob *job,
    const BdctImage *src, uint64_t *size, BdctError *error);

BDCT_END_DECLS
#endif
