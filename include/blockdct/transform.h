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

/** Block transforms, each with its quantizer. */
typedef enum {
  /** ITU-T T.81 with the integer DCT of libjpeg's `islow`. */
  BDCT_JPEG_8X8,
  /** The orthonormal DCT-II in floating point ("Discrete Cosine Transform for
   * 8x8 Blocks with CUDA", NVIDIA 2008). */
  BDCT_DCT_8X8,
  /** ITU-T H.265 clause 8.6.4 with HM's forward transform and quantizer. */
  BDCT_HEVC_DST_4X4, BDCT_HEVC_4X4, BDCT_HEVC_8X8, BDCT_HEVC_16X16,
  BDCT_HEVC_32X32,
  /** ITU-T H.264 clauses 8.5.12 and 8.5.13 with flat scaling, and JM's forward
   * transform and quantizer. Chroma in 4:2:0 and 4:2:2 follows clause 8.5.11:
   * a block is that of a macroblock, 8 x 8 or 8 x 16 samples in transforms of
   * 4 x 4, whose DCs are transformed once more. */
  BDCT_H264_4X4, BDCT_H264_8X8,
  /** ITU-T H.266 clause 8.7.4: the lowest 32 x 32 frequencies are kept. */
  BDCT_VVC_64X64,
  /** H.265 blocks whose sizes are chosen by rate and distortion. */
  BDCT_HEVC_QUADTREE,
  BDCT_N_TRANSFORMS
} BdctTransform;

/** A transform. */
typedef struct {
  const char *name;        /**< "jpeg-8x8" */
  const char *description; /**< one line of text */
  bool has_qp;             /**< `qp` determines the step; else `quality` or a
                                table does */
  bool has_lists;          /**< BdctParams.scaling_list applies */
} BdctTransformInfo;

/** The description of a transform; NULL for a value outside the enumeration.
 * To find a name, count from 0 until NULL. */
const BdctTransformInfo *bdct_transform_info (BdctTransform transform);

/** Quantization tables that quality scales, in the order of mozjpeg's `cjpeg
 * -quant-table N`. */
typedef enum {
  BDCT_PRESET_ANNEX_K, BDCT_PRESET_FLAT, BDCT_PRESET_MS_SSIM,
  BDCT_PRESET_ROBIDOUX, BDCT_PRESET_PSNR_HVS, BDCT_PRESET_KLEIN,
  BDCT_PRESET_WATSON, BDCT_PRESET_AHUMADA, BDCT_PRESET_PETERSON,
  BDCT_N_PRESETS
} BdctPreset;

/** The tables of a preset for luma and chroma: row-major, a row for each
 * vertical frequency. */
typedef struct {
  const char *name;        /**< "annex-k" */
  const char *description; /**< origin */
  const uint16_t *step[2];
} BdctPresetInfo;

/** The description of a preset; NULL for a value outside the enumeration. */
const BdctPresetInfo *bdct_preset_info (BdctPreset preset);

/** The largest step of any table: libjpeg's limit for 12 bits. */
#define BDCT_MAX_STEP 32767

/** Steps from a file, row-major: 0 (no file), 64 for every component, or 64 for
 * luma and then 64 for chroma. Unused entries are 0. `name` is the caller's
 * name for the file; the library does not read it. */
typedef struct {
  uint32_t name;
  int n_steps;
  int steps[128];
} BdctTables;

/** Read tables from the text that `cjpeg -qtables` takes, or from a JPEG file.
 * Sets all of `tables` except the name. On failure it changes nothing, and the
 * error names line and value, or the byte. */
bool bdct_tables_parse (const void *data, size_t size, BdctTables *tables,
    BdctError *error);

/** Limits of BdctScalingLists. */
#define BDCT_MIN_FACTOR 4
#define BDCT_MAX_FACTOR 255
#define BDCT_N_SCALING_SIZES 4

/** H.265's scaling factors of intra blocks, BDCT_MIN_FACTOR to BDCT_MAX_FACTOR
 * (16 is flat), for sides 4, 8, 16 and 32 and each component. Entry 8 v + u is
 * for vertical frequency v and horizontal frequency u of blocks of side 4 or 8.
 * Side 16 repeats each entry 2 x 2 times and side 32 repeats it 4 x 4 times;
 * both use `dc` for frequency (0, 0). All 0: no lists. `name` as in
 * BdctTables. */
typedef struct {
  uint32_t name;
  uint8_t factor[BDCT_N_SCALING_SIZES][BDCT_MAX_COMPONENTS][64];
  uint8_t dc[BDCT_N_SCALING_SIZES][BDCT_MAX_COMPONENTS];
} BdctScalingLists;

/** Read lists from the text that HM's ScalingListFile and x265's scaling-list
 * take. Sets all of `lists` except the name; on failure it changes nothing. */
bool bdct_scaling_parse (const void *data, size_t size,
    BdctScalingLists *lists, BdctError *error);

/** Scaling lists: flat, the intra lists of H.265 Tables 7-5 and 7-6, or
 * BdctParams.lists. */
typedef enum {
  BDCT_SCALING_FLAT, BDCT_SCALING_DEFAULT, BDCT_SCALING_FILE,
  BDCT_N_SCALING_LISTS
} BdctScalingList;

/** The range of BdctParams.deadzone: HM and JM use 1/6 for inter blocks and 1/3
 * for intra blocks. */
#define BDCT_MIN_DEADZONE (1.0 / 6)
#define BDCT_MAX_DEADZONE (1.0 / 3)

#define BDCT_MAX_LAMBDA_SCALE 1000

/** A user's choice. Members that the transform does not use have no effect, but
 * their ranges are checked, too. */
typedef struct {
  size_t size;          /**< sizeof (BdctParams) */
  BdctTransform transform;
  int quality;          /**< 1 to 100; see bdct_params_has_quality() */
  int qp;               /**< 0 to 51; for transforms with a QP */
  int chroma_qp_offset; /**< -12 to 12; for transforms with a QP */
  /** Smallest and largest side of hevc-quadtree's luma blocks: 4, 8, 16 or 32.
   * lambda_scale, 0 to BDCT_MAX_LAMBDA_SCALE, multiplies HM's lambda for
   * hevc-quadtree. */
  int min_block, max_block;
  double lambda_scale;
  /** For transforms with a QP: what the quantizer adds before it rounds down,
   * in steps, from BDCT_MIN_DEADZONE to BDCT_MAX_DEADZONE. */
  double deadzone;
  BdctScalingList scaling_list;
  BdctScalingLists lists;       /**< for BDCT_SCALING_FILE */
  /** The steps of jpeg-8x8 and dct-8x8: `steps` if n_steps is above 0, else
   * `tables` if it has steps, else `preset` scaled by quality. Row-major, a row
   * for each vertical frequency. n_steps is 0, 64 for every component, or 128:
   * 64 for luma and 64 for chroma. Steps are 1 to BDCT_MAX_STEP; for jpeg-8x8
   * at a depth of 8 with `baseline`, 1 to 255. Booleans are ints:
   * without padding between members, copies can be compared byte by byte. */
  int baseline;         /**< limit scaled steps to 255, at a depth of 8 */
  int scale_tables;     /**< scale `tables` by quality, too */
  BdctPreset preset;
  BdctTables tables;
  int n_steps;
  int steps[128];
} BdctParams;

/** jpeg-8x8 at quality 85, QP 26, and all else as in common encoders. */
#define BDCT_PARAMS_DEFAULT                                                   \
  {                                                                           \
    .size = sizeof (BdctParams), .transform = BDCT_JPEG_8X8, .quality = 85,   \
    .qp = 26, .min_block = 4, .max_block = 32, .lambda_scale = 1,             \
    .deadzone = BDCT_MAX_DEADZONE, .baseline = true                           \
  }

/** Set BDCT_PARAMS_DEFAULT, for languages without C's macros. */
void bdct_params_init (BdctParams *params);

/** Whether `quality` determines the steps. */
bool bdct_params_has_quality (const BdctParams *params);

/** Check steps, as in BdctParams.steps, for a transform and a depth (0: any).
 * Returns false if their number is wrong or a value is outside its range; the
 * error names it. */
bool bdct_steps_check (const int *steps, int n_steps, BdctTransform transform,
    int depth, bool baseline, BdctError *error);

/** The maximum numbers of quantizers of a frame, and of a stack of pictures. */
#define BDCT_MAX_QUANTIZERS 8
#define BDCT_MAX_STACK_QUANTIZERS 128

/** A job, in an array of jobs. A `BdctJob *` points to the first job of the
 * array, or is from bdct_jobs_at(). Jobs do not change, and any thread may read
 * them. */
typedef struct BdctJob BdctJob;

/** Make an array of `n` jobs, 1 or more, from parameters for a layout. They
 * serve pictures of every size and arrangement with its chroma format and
 * depth. Free it with bdct_jobs_free(). Returns NULL if a value is outside its
 * range, which the error names. */
BdctJob *bdct_jobs_new (const BdctParams *params, int n,
    const BdctLayout *layout, BdctError *error);

/** Free an array of jobs, given its first job; NULL does nothing. */
void bdct_jobs_free (BdctJob *jobs);

/** Job `i`, from 0, of an array. */
const BdctJob *bdct_jobs_at (const BdctJob *jobs, int i);

/** The blocks of one component, numbered from left to right, then downwards.
 * The last column and row may reach beyond the picture. For hevc-quadtree, the
 * grid is of the smallest blocks. */
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

/** The blocks and levels of a job for pictures of a layout. */
typedef struct {
  size_t size;     /**< sizeof (BdctJobInfo) */
  bool exact_bits; /**< bits (statistics.h) are exactly those of a file, not an
                        estimate: jpeg-8x8 at a depth of 8 */
  size_t n_blocks; /**< blocks of all components */
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  int log2_width[BDCT_MAX_COMPONENTS];  /**< log2 of a block's width */
  int log2_height[BDCT_MAX_COMPONENTS];
  /** The layout of BdctFrame.levels: the number of all levels, the number of
   * one block's (vvc-64x64: 32 x 32; hevc-quadtree: 0), and the index of each
   * component's first. */
  size_t n_levels, block_levels[BDCT_MAX_COMPONENTS];
  size_t first_level[BDCT_MAX_COMPONENTS];
} BdctJobInfo;

/** Set all of `info` except its size. Returns false, with an error, if the
 * layout is invalid. */
bool bdct_job_describe (const BdctJob *job, const BdctLayout *layout,
    BdctJobInfo *info, BdctError *error);

/** Set `size` to the bytes of a picture's JFIF file with Annex K's Huffman
 * tables, for a job with exact bits. `src` is in host memory; the calling
 * thread encodes it. With `src` NULL: the bytes of the file without its scan.
 * Returns false, with an error, if memory is short or bits are not exact. */
bool bdct_jpeg_file_size (const BdctLayout *layout, const BdctJob *job,
    const BdctImage *src, uint64_t *size, BdctError *error);

BDCT_END_DECLS
#endif
