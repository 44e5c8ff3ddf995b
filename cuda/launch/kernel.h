/* blockdct: what the CUDA engine's host side (engine.c, dispatch.c) and its
 * kernels have in common.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_LAUNCH_H
#define BDCT_LAUNCH_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include "dct/base/layout.h"
#include "dct/engine/engine.h"
#include "dct/entropy/rate.h"
#include "dct/quantizer/block-grid.h"
#include "dct/quantizer/job.h"
#include "dct/transform/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A cell of the index map: so many rows and samples of a row (of both
 * components together, where two are interleaved). A whole number of tiles of
 * every kernel that has such, of blocks of up to 32 x 32, and the tile of the
 * kernels without tensor cores for those. In a plane of larger blocks all cells
 * are mixed. */
#define BDCT_CUDA_MAP_TILE_ROWS 32
#define BDCT_CUDA_MAP_TILE_SAMPLES 128

/** What a cell of the map holds in place of a set's number: its blocks take
 * different quantizers. */
#define BDCT_CUDA_MIXED 0xff

/** One plane, all in device memory. */
typedef struct {
  BdctSamples src;
  BdctSamples dst;        /**< data NULL: nothing is written */
  BdctPlaneLayout layout;
  int32_t last_column;    /**< the last one that rows have in memory; what
                               blocks have beyond it repeats it */
  union
  {
    struct BdctCudaAccumulator *accumulators; /**< BDCT_CUDA_CELLS of them, zeroed */
    unsigned long long *counts; /**< of what counts for bits, zeroed: those of a
                                     BdctRateCounts */
  };
  const uint8_t *quantizer_of_tile;  /**< NULL: the first everywhere */
  /* By interleaved component, the first block's: */
  const uint8_t *quantizer_map[2]; /**< NULL if set_of_cell is */
  union
  {
    BdctBlockRecord *blocks[2];   /**< NULL: not asked for */
    BdctLevel *levels[2];         /**< of what writes levels, or reads them and
                                       has no records; aligned to 16 bytes */
  };
  /* The following is what planning and launching fill in (dispatch.h). */
  int32_t row_bytes;      /**< of a row's samples */
  int32_t log2_width, log2_height; /**< of a transform block */
  int32_t grey;           /**< the middle sample, as it lies in memory */
  int32_t aligned;        /**< whether every row begins at a multiple of 16 */
  int32_t columns;        /**< blocks from left to right, of each component */
  union
  {
    struct
    {
      int32_t mcu_width, mcu_height; /**< of what counts symbols
                                          (dct/entropy/huffman-symbols.h): a
                                          component's blocks in an MCU */
    };
    const BdctLevel *from_levels;    /**< of BDCT_CUDA_FROM_LEVELS: the levels
                                          of the first component and, behind
                                          them, of the second */
    BdctLevel *coefficients;         /**< of what chooses levels: likewise, and
                                          behind them as much room */
  };
  int32_t map_tiles_x;    /**< tiles of the map from left to right */
  int32_t tiles_x;        /**< tiles of the plane from left to right, or of a
                               component where they are blocks in a row */
  int32_t first_tile;     /**< of the plane among the launch's */
  int32_t set_size;       /**< bytes from one set's constants to the next's */
  const uint8_t *constants; /**< the kernel's, of each set */
} BdctCudaPlane;

/** What a frame's blocks add up. Every block adds to one of several cells, so
 * that a whole frame does not queue for the same few addresses; the host adds
 * the cells. */
typedef struct BdctCudaAccumulator {
  unsigned long long sse[BDCT_MAX_COMPONENTS];
  unsigned long long nonzero[BDCT_MAX_COMPONENTS];
  unsigned long long rgb_sse[3];
  /* Of a tree: */
  unsigned long long levels[BDCT_MAX_COMPONENTS];
  unsigned long long area[BDCT_TREE_SIZES];
} BdctCudaAccumulator; /* it has cache sectors of its own */

#define BDCT_CUDA_ACCUMULATORS 16

/** The most planes of a launch: as many as fit a kernel's 4 KiB of parameters.
 */
#define BDCT_CUDA_MAX_PLANES 24

/** A kernel's only parameter: planes of one depth and one sort of kernel, of
 * some frames and jobs. */
typedef struct {
  BdctCudaPlane plane[BDCT_CUDA_MAX_PLANES];
  int32_t n_planes, n_tiles;
  int32_t depth;
  int32_t span;        /**< tiles that a warp of a tensor-core kernel does */
  int32_t maps;        /**< whether a plane has a map of quantizers */
  int32_t mixed;       /**< only cells of the map that are mixed; else all that
                            the kernel takes */
  int32_t jobs_per_block;    /**< jobs that go together: the first of them has the
                            tiles, the others are ... */
  int32_t job_planes;  /**< ... so many planes behind each other */
} BdctCudaBatch;

/** One kernel and what it needs from the host. */
typedef struct BdctCudaKernel {
  const void *function; /**< with a BdctCudaBatch as parameter */
  int rows;             /**< of a tile, ... */
  int row_bytes;        /**< ... bytes of each: of all components */
  int warps;            /**< of a block */
  int tile_warps;       /**< that share a tile: `warps`, or 1 */
  bool spans;           /**< a warp does some tiles one after another, and from
                             9.0 on waits for the launch before by itself */
  int constants_size;   /**< bytes of a plane's constants; a multiple of 16 */
  int jobs_per_block;         /**< jobs of a frame that a thread block does one after
                             another, which then must have the same planes */
  /** NULL, or that a tile is so many blocks of one component, in whatever order
   * the kernel takes them; it then has no rows. */
  int (*tile_blocks) (const BdctComponentJob *job);
  /** Write a plane's constants for one job. Kernels that have this in common
   * have the constants in common. */
  void (*make_constants) (void *to, const BdctCudaPlane *plane,
      const BdctJob *job);
} BdctCudaKernel;

/** What is asked of the planes of a frame. */
typedef enum
{
  BDCT_CUDA_STATISTICS,   /**< these, and if wanted the picture and the blocks'
                               records */
  BDCT_CUDA_FROM_LEVELS,        /**< the same of given levels */
  BDCT_CUDA_LEVELS,       /**< the levels, or with a `dst` their picture there
                               (dct/picture/render.h, bdct_render_level());
                               nothing is counted */
  BDCT_CUDA_COEFFICIENTS, /**< in place of levels, what these are made of */
  BDCT_CUDA_N_OUTPUTS
} BdctCudaOutput;

/** The planes of a frame with the jobs that are done to them. */
typedef struct {
  const BdctJob *quantizers;  /**< of one transform and depth */
  int n_quantizers;
  BdctCudaPlane plane[BDCT_MAX_PLANES];
  int n_planes;
  bool mixed;           /**< there is a map, and it has mixed cells */
  BdctCudaOutput output;
  const BdctCudaKernel *kernel; /**< what does all of it; NULL: the best */
} BdctCudaWork;

/** A tensor-core kernel. */
typedef struct {
  BdctCudaKernel kernel;
  const char *name;     /**< of this one alone */
  bool extras;          /**< writes records of blocks */
} BdctTensorKernel;

/** What of a GPU and its code chooses between tensor-core kernels. */
typedef enum
{
  BDCT_TENSOR_TALL = 1, /**< a multiprocessor has the shared memory of 9.0: room
                             for tall tiles, which large planes gain by */
  BDCT_TENSOR_75 = 2,   /**< code for 7.5, whose products' sums have too few
                             bits for jpeg-8x8 */
} BdctTensorTraits;

/** The tensor-core kernel that takes this work, all of its quantizers and
 * planes; NULL if none does (tensor.cu). It leaves mixed tiles of a map alone.
 * `traits`: of BdctTensorTraits. */
const BdctTensorKernel *bdct_tensor_find (const BdctCudaWork *work,
    unsigned traits);

/** The kernel without tensor cores, which takes any work (scalar.cu); given
 * levels and coefficients, that of blocks that H.265 has. */
const BdctCudaKernel *bdct_scalar_find (const BdctCudaWork *work);

/** What is counted for a frame's bits (dct/entropy/rate.h) into the planes'
 * `counts`: Huffman's symbols from the samples, or one after the other CABAC's
 * bins and their cost, both from the planes' `levels`. */
typedef enum
{
  BDCT_CUDA_SYMBOLS,
  BDCT_CUDA_BINS,
  BDCT_CUDA_COST,
} BdctCudaCount;

/** The kernel that counts so, for jobs such as this one (rate.cu). */
const BdctCudaKernel *bdct_rate_find (BdctCudaCount count, const BdctJob *job);

/** What is done for levels by rate and distortion (dct/rd/rdoq.h): they are
 * chosen from the planes' `coefficients`, or their picture drawn to `dst`. */
typedef enum
{
  BDCT_CUDA_CHOOSE,
  BDCT_CUDA_DRAW,
} BdctCudaRdoq;

/** The kernel that does it to the planes' `levels` (rdoq.cu). */
const BdctCudaKernel *bdct_rdoq_find (BdctCudaRdoq what);

#ifdef __cplusplus
}
#endif
#endif
