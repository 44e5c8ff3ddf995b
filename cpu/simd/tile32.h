/* blockdct: the CPU engine's inner part, built once for each instruction set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TILE_H
#define BDCT_TILE_H

#include "dct/quantizer/block-grid.h"
#include "colour-rows.h"
#include "tile16.h"
#include "compare-rows.h"
#include "dct/engine/engine.h"
#include "cpu/metrics/kernel.h"
#include "dct/entropy/rate.h"
#include "dct/rd/rdoq.h"

#ifndef BDCT_UNROLL             /* empty in a build with sanitizers */
#ifdef __clang__                /* to which a count is what it has to reach */
#define BDCT_UNROLL _Pragma ("clang loop unroll(full)")
#else
#define BDCT_UNROLL _Pragma ("GCC unroll 64")
#endif
#endif

/** Rows and columns of a tile, a whole number of blocks: 32, or 64 where a side
 * of a block is. */
#define BDCT_TILE 32

static inline int
bdct_tile_side (const BdctComponentJob *job)
{
  return job->log2_width > 5 || job->log2_height > 5 ? 2 * BDCT_TILE
      : BDCT_TILE;
}

/** Samples or coefficients of a tile, row by row without a gap: int32_t, or
 * float in the real chain. */
typedef struct {
  int32_t value[4 * BDCT_TILE * BDCT_TILE];
} __attribute__ ((aligned (64))) BdctTileValues;

/** One component's quantizer: entry (v, u) of the job's tables (quantize.h:
 * quant and companion) in row v of at most 8, as often as vectors want it; and
 * what a block's first row has, which is row 0 but for (0, 0). */
enum { BDCT_TILE_FIRST = 8, BDCT_TILE_ROWS };
typedef struct {
  BdctComponentJob job;
  int32_t quant[BDCT_TILE_ROWS][BDCT_MAX_SIZE] __attribute__ ((aligned (64)));
  int32_t companion[BDCT_TILE_ROWS][BDCT_MAX_SIZE]
      __attribute__ ((aligned (64)));
  BdctTile16 tile16;
  BdctRdoq rdoq;
} BdctTileQuantizer;

/** One component of one frame, ready to be worked on strip by strip. */
typedef struct {
  BdctFamily family;
  BdctComponent component;
  int depth;
  const void *row, *column;      /**< the bases' matrices: int32_t, or float */
  const BdctTileQuantizer *set[BDCT_MAX_QUANTIZERS];
  BdctPlaneLayout layout;
  int columns;                   /**< samples in a row of `src`, which may be
                                      more than the picture has */
  BdctSamples src;
  BdctSamples dst;               /**< no data: statistics alone */
  BdctSamples levels;            /**< the levels' picture (render.h); likewise
                                      no data: none */
  BdctBlockGrid grid;            /**< its blocks, in the frame's ... */
  const uint8_t *quantizer_map;   /**< ... map; NULL: the first set for all */
  BdctBlockRecord *blocks;       /**< ... records; NULL: none */
} BdctTilePlane;

/** What comes of a strip. */
typedef struct {
  BdctCounters counters; /**< its sse and nonzero are added here */
  BdctLevel *levels;     /**< receives its blocks (rate.h); NULL: not asked */
} BdctTileStrip;

/** Transform the strip of bdct_tile_side() rows from row `row` on, and finish
 * it with each of `n` planes, which differ in nothing before the quantizer. */
typedef void (*BdctTileFunc) (const BdctTilePlane *const *planes, int n,
    int row, BdctTileStrip *strips);

/** What a tile is on its way. */
typedef struct {
  BdctTileValues residual;        /**< before, and then after it all */
  BdctTileValues coefficient;     /**< float in the real chain, times 8 */
  BdctTileValues level;
} BdctTileStages;

/** One tile alone, with the plane's first set: from the residuals on or, if not
 * `forward`, from the coefficients. Returns the levels that are not 0. */
typedef uint64_t (*BdctTileStagesFunc) (const BdctTilePlane *plane,
    BdctTileStages *stages, bool forward);

/** The plain chains of an instruction set (tile32.c), for all jobs. */
typedef struct {
  BdctTileFunc strip;
  BdctTileStagesFunc stages;
} BdctTileChains;

extern const BdctTileChains bdct_tile_baseline, bdct_tile_sse41,
    bdct_tile_avx2, bdct_tile_avx512;

/** The most planes of one strip. */
#define BDCT_TILE_JOBS 16

/** The same in 16-bit lanes (tile16.c), for the planes that
 * bdct_tile_is_tile16() is true of. What a plane of memory interleaves is done
 * together: planes and strips of each of its components. */
typedef void (*BdctTile16Func) (
    const BdctTilePlane *const (*planes)[BDCT_TILE_JOBS], int n, int row,
    BdctTileStrip (*strips)[BDCT_TILE_JOBS]);

extern const BdctTile16Func bdct_tile16_sse41, bdct_tile16_avx2,
    bdct_tile16_avxvnni, bdct_tile16_avx512, bdct_tile16_avx512vnni,
    bdct_tile16_neon;

/** Strips of dct-8x8 (float8x8.c), for the planes that bdct_tile_is_real() is
 * true of. */
extern const BdctTileFunc bdct_float8x8_sse41, bdct_float8x8_avx2,
    bdct_float8x8_avx512;

/** What a processor runs. */
typedef struct {
  const char *isa;
  const BdctTileChains *plain;
  const BdctTile16Func *tile16; /**< NULL: none */
  const BdctTileFunc *real;       /**< NULL: none */
  const BdctColourKernel *colour;
  const BdctMetricKernels *metrics;
  const BdctCompareKernel *compare;
} BdctTileKernel;

/** Fill a set of one component's. */
void bdct_tile_quantizer_init (BdctTileQuantizer *set, const BdctJob *job,
    BdctComponent component);

/** Fill what a plane has from the job: family, component, depth and matrices;
 * the rest is 0. */
void bdct_tile_plane_init (BdctTilePlane *plane, const BdctJob *job,
    BdctComponent component);

/** Fill what a plane has from a frame: it is component `i` of those in plane
 * `p`. Of R, G and B, the images are the planes made of these. */
void bdct_tile_plane_place (BdctTilePlane *plane, const BdctLayout *layout,
    const BdctBlockGrid *grid, const BdctImage *src, const BdctImage *dst,
    int p, int i);

/** Whether a plane's jobs and what is asked of it are for 16-bit lanes. */
bool bdct_tile_is_tile16 (const BdctTilePlane *plane);

/** The same for BdctTileKernel's `real`. */
bool bdct_tile_is_float8x8 (const BdctTilePlane *plane);

/** The kernels this processor can run, best first, NULL at the end. */
const BdctTileKernel *const *bdct_tile_kernels (void);

#endif
