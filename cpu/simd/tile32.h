/* blockdct: the CPU engine's inner part, built once for each instruction set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TILE32_H
#define BDCT_TILE32_H

#include "dct/quantizer/block-grid.h"
#include "colour-rows.h"
#include "tile16-tables.h"
#include "compare-rows.h"
#include "dct/engine/engine.h"
#include "dct/metrics/kernel.h"
#include "cpu/scratch.h"
#include "dct/entropy/rate.h"

#ifndef BDCT_UNROLL             /* defined as empty in builds with sanitizers */
#ifdef __clang__                /* clang takes a count as exact */
#define BDCT_UNROLL _Pragma ("clang loop unroll(full)")
#else
#define BDCT_UNROLL _Pragma ("GCC unroll 64")
#endif
#endif

/* Rows and columns of a tile, which has whole blocks: 32, or 64 if a side of a
 * block is 64. */
#define BDCT_TILE 32

static inline int
bdct_tile_side (const BdctComponentJob *job)
{
  return job->log2_width > 5 || job->log2_height > 5 ? 2 * BDCT_TILE
      : BDCT_TILE;
}

/* Samples or coefficients of a tile, row-major without a gap: int32_t, or
 * float in dct-8x8. */
typedef struct {
  int32_t value[4 * BDCT_TILE * BDCT_TILE];
} __attribute__ ((aligned (64))) BdctTileValues;

/* One component's quantizer. Row v, of at most 8, has entries (v, u) of the
 * job's tables (quantize.h: quant and companion), repeated as vectors need
 * them. BDCT_TILE_FIRST is a block's first row: row 0 with the entry of (0,
 * 0). */
enum { BDCT_TILE_FIRST = 8, BDCT_TILE_ROWS };
typedef struct {
  BdctComponentJob job;
  int32_t quant[BDCT_TILE_ROWS][BDCT_MAX_SIZE] __attribute__ ((aligned (64)));
  int32_t companion[BDCT_TILE_ROWS][BDCT_MAX_SIZE]
      __attribute__ ((aligned (64)));
  float column;         /* the largest sum of |level| times the dequantizer's
                           entry, in a column of given levels */
  BdctTile16 tile16;
} BdctTileQuantizer;

/* Quantizers by their numbers, as bits. */
typedef struct {
  uint64_t word[2];
} BdctQuantizerSet;

static inline void
bdct_quantizers_add (BdctQuantizerSet *set, int quantizer)
{
  const uint64_t bit = 1ull << quantizer % 64;

  /* An index would keep the words in memory. */
  set->word[0] |= quantizer < 64 ? bit : 0;
  set->word[1] |= quantizer < 64 ? 0 : bit;
}

/* Remove the lowest one. Returns its number; -1 if there is none. */
static inline int
bdct_quantizers_take (BdctQuantizerSet *set)
{
  for (int i = 0; i < 2; i++)
    if (set->word[i] != 0) {
      const int quantizer = 64 * i + __builtin_ctzll (set->word[i]);

      set->word[i] &= set->word[i] - 1;
      return quantizer;
    }
  return -1;
}

/* The number of the only one; -1 if there are more. */
static inline int
bdct_quantizers_only (BdctQuantizerSet set)
{
  const int quantizer = bdct_quantizers_take (&set);

  return bdct_quantizers_take (&set) < 0 ? quantizer : -1;
}

/* One component of one frame, ready for processing strip by strip. */
typedef struct {
  BdctFamily family;
  BdctComponent component;
  int depth;
  const void *row, *column;      /* the bases' matrices: int32_t, or float */
  const BdctTileQuantizer *quantizer[BDCT_MAX_STACK_QUANTIZERS];
  BdctPlaneLayout layout;
  int columns;                   /* samples in a row of `src`, possibly
                                      more than the picture's */
  BdctSamples src;
  BdctSamples dst;               /* no data: compute statistics alone */
  BdctBlockGrid grid;            /* blocks of the component */
  const uint8_t *quantizer_map;   /* of the frame; NULL: the first
                                       quantizer for all */
  BdctBlockRecord *blocks;       /* records of the frame; NULL: none */
} BdctTilePlane;

/* The position of a sample of the plane's component in memory. */
static inline uint8_t *
bdct_tile_at (const BdctTilePlane *p, const BdctSamples *s, int row,
    int column)
{
  return s->data + row * s->stride
      + (int64_t) column * p->layout.interleave * (p->depth > 8 ? 2 : 1);
}

/* Call FUNCTION (..., bytes, step) with constants: the bytes of a sample, and
 * samples from one to the next. */
#define BDCT_TILE_CALL(p, function, ...)                                      \
  ((p)->depth == 8                                                            \
      ? (p)->layout.interleave == 1 ? function (__VA_ARGS__, 1, 1)            \
      : function (__VA_ARGS__, 1, 2)                                          \
      : (p)->layout.interleave == 1 ? function (__VA_ARGS__, 2, 1)            \
      : function (__VA_ARGS__, 2, 2))

/* The results of a strip. */
typedef struct {
  BdctCounters counters; /* sse and nonzero are added to */
  BdctLevel *levels;     /* receives the strip's levels (block-grid.h);
                              NULL: not requested */
  bool given;            /* these are input: the samples are computed from
                              them, and `src` may have no data */
  bool beyond;           /* is set where they exceed what the kernel computes
                              exactly: all results are then void */
} BdctTileStrip;

/* Process the strip of bdct_tile_side() rows from row `row` on. `scratch` has
 * BDCT_SCRATCH_SIZE bytes. */
typedef void (*BdctTileFunc) (const BdctTilePlane *plane, int row,
    BdctTileStrip *strip, void *scratch);

/* A tile's values between stages. */
typedef struct {
  BdctTileValues residual;        /* the residuals, later the
                                       reconstruction */
  BdctTileValues coefficient;     /* float in dct-8x8; times 8 */
  BdctTileValues level;
  BdctTileValues between;         /* for the passes alone */
} BdctTileStages;

/* Process one tile with the plane's first quantizer: from the residuals on or,
 * if not `forward`, from the coefficients on. Returns the number of levels that
 * are not 0. */
typedef uint64_t (*BdctTileStagesFunc) (const BdctTilePlane *plane,
    BdctTileStages *stages, bool forward);

/* The plain chains of an instruction set (tile32.c), for all jobs. */
typedef struct {
  BdctTileFunc strip;
  BdctTileStagesFunc stages;
} BdctTileChains;

extern const BdctTileChains bdct_tile_baseline, bdct_tile_sse41,
    bdct_tile_avx2, bdct_tile_avx512;

/* The same in 16-bit lanes (tile16.c), for planes with bdct_tile_is_tile16().
 * The components that a plane of memory interleaves are processed at once, with
 * an entry of `planes` and of `strips` each. */
typedef void (*BdctTile16Func) (const BdctTilePlane *const *planes, int row,
    BdctTileStrip *strips, void *scratch);

extern const BdctTile16Func bdct_tile16_sse41, bdct_tile16_avx2,
    bdct_tile16_avxvnni, bdct_tile16_avx512, bdct_tile16_avx512vnni,
    bdct_tile16_neon;

/* Strips of dct-8x8 (dct8x8.c) that have no levels as input. */
extern const BdctTileFunc bdct_dct8x8_sse41, bdct_dct8x8_avx2,
    bdct_dct8x8_avx512;

/* The kernels of a processor. */
typedef struct {
  const char *isa;
  const BdctTileChains *plain;
  const BdctTile16Func *tile16; /* NULL: none */
  const BdctTileFunc *dct8x8;     /* NULL: none */
  const BdctColourKernel *colour;
  const BdctMetricKernels *metrics;
  const BdctCompareKernel *compare;
} BdctTileKernel;

/* Set the quantizer of one component. */
void bdct_tile_quantizer_init (BdctTileQuantizer *quantizer, const BdctJob *job,
    BdctComponent component);

/* Set what a plane has from the job: family, component, depth and matrices;
 * zero the rest. */
void bdct_tile_plane_init (BdctTilePlane *plane, const BdctJob *job,
    BdctComponent component);

/* Whether 16-bit lanes support a plane's job. */
static inline bool
bdct_tile_is_tile16 (const BdctTilePlane *plane)
{
  for (int i = 0; i < BDCT_MAX_STACK_QUANTIZERS && plane->quantizer[i] != NULL;
      i++)
    if (plane->quantizer[i]->tile16.basis == NULL)
      return false;
  return true;
}

/* The kernels that this processor can run, best first, then NULL. */
const BdctTileKernel *const *bdct_tile_kernels (void);

#endif
