/* blockdct: the interface between the CUDA engine's host side (run.c,
 * launch/dispatch.c) and its kernels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_KERNEL_H
#define BDCT_CUDA_KERNEL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include "dct/base/layout.h"
#include "dct/base/error.h"
#include "dct/entropy/rate.h"
#include "dct/quantizer/block-grid.h"
#include "dct/quantizer/job.h"
#include "dct/transform/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tile of the index map: samples of a row (counting both components where
 * two are interleaved), and rows, by those of the highest blocks of any plane.
 * It is a whole number of tiles of each tensor-core kernel, and the tile of the
 * other kernels. */
#define BDCT_CUDA_MAP_TILE_SAMPLES 128
#define BDCT_CUDA_MAP_TILE_ROWS(highest) ((highest) > 32 ? (highest) : 32)

/* The map's entry, in place of a quantizer's number, for a map tile whose
 * blocks have different quantizers. */
#define BDCT_CUDA_MIXED 0xff

/* One plane, all in device memory. */
typedef struct {
  BdctSamples src;
  BdctSamples dst;        /* data NULL: no output */
  BdctPlaneLayout layout;
  int32_t last_column;    /* the last column that rows have in memory;
                               blocks beyond repeat it */
  union
  {
    struct BdctCudaAccumulator *accumulators; /* BDCT_CUDA_ACCUMULATORS of
                                                   them, zeroed */
    unsigned long long *counts; /* of kernels that count bits, zeroed: the
                                     counters of a BdctRateCounts; of a stack,
                                     of one for each picture */
  };
  const uint8_t *quantizer_of_tile;  /* by map tile; NULL: the first
                                          quantizer for all */
  /* By interleaved component, from the first block on: */
  const uint8_t *quantizer_map[2]; /* NULL if quantizer_of_tile is */
  union
  {
    BdctBlockRecord *blocks[2];   /* NULL: not requested */
    BdctLevel *levels[2];         /* of kernels that write levels, or that
                                       read them; aligned to 16 bytes */
  };
  /* Planning and launching set the following (dispatch.h). */
  int32_t row_bytes;      /* bytes of a row's samples */
  int32_t log2_width, log2_height; /* of the transform's blocks */
  int32_t grey;           /* the middle sample, as stored in memory */
  int32_t aligned;        /* whether every row begins at a multiple of 16 */
  int32_t columns;        /* blocks in a row of each component */
  union
  {
    struct
    {
      int32_t mcu_width, mcu_height; /* of kernels that count symbols
                                          (dct/entropy/huffman-symbols.h): a
                                          component's blocks in an MCU */
    };
    const BdctLevel *from_levels;    /* of kernels that read given ones: the
                                          levels of the first component,
                                          followed by the second's */
    uint16_t *bins;                  /* of BDCT_CUDA_BINS and _PRICE: records
                                          by component and run */
    BdctBlockRecord *records;        /* of tensor-core kernels that write
                                          `levels`: in place of `blocks`, the
                                          first component's, followed by the
                                          second's */
  };
  int32_t map_tiles_x;    /* tiles in a row of the map */
  int32_t tiles_x;        /* tiles in a row of the plane; of a component if
                               a tile is blocks in a row */
  int32_t first_tile;     /* number of the plane's first tile in the launch */
  int32_t quantizer_size; /* bytes from one quantizer's constants to the
                               next's */
  const uint8_t *constants; /* the kernel's, of each quantizer */
} BdctCudaPlane;

/* Sums over a frame's blocks. Each block adds to one of several accumulators,
 * so that a frame's blocks do not contend for a few addresses; the host adds
 * the accumulators. */
typedef struct BdctCudaAccumulator {
  unsigned long long sse[BDCT_MAX_COMPONENTS];
  unsigned long long nonzero[BDCT_MAX_COMPONENTS];
  unsigned long long rgb_sse[3];
  /* Of a tree: */
  unsigned long long levels[BDCT_MAX_COMPONENTS];
  unsigned long long area[BDCT_TREE_SIZES];
} BdctCudaAccumulator; /* whole cache sectors */

#define BDCT_CUDA_ACCUMULATORS 16

/* The maximum number of planes of a launch: as many as fit a kernel's 4 KiB
 * of parameters. */
#define BDCT_CUDA_MAX_PLANES 24

/* A kernel's only parameter: planes of one depth, of some frames, for one
 * kernel. */
typedef struct {
  BdctCudaPlane plane[BDCT_CUDA_MAX_PLANES];
  int32_t n_planes, n_tiles;
  int32_t depth;
  int32_t span;        /* tiles that a warp of a tensor-core kernel
                            processes */
  int32_t maps;        /* whether a plane has a map of quantizers */
  int32_t mixed;       /* only mixed map tiles; else all that the kernel
                            supports */
} BdctCudaBatch;

/* A kernel and what the host needs to know of it. */
typedef struct BdctCudaKernel {
  const void *function; /* takes a BdctCudaBatch */
  int rows;             /* of a tile */
  int row_bytes;        /* bytes of a tile's row, of all components */
  int warps;            /* of a thread block */
  int tile_warps;       /* that share a tile: `warps`, or 1 */
  bool spans;           /* a warp processes several tiles one after
                             another */
  int constants_size;   /* bytes of a plane's constants; a multiple of 16 */
  /* NULL; or the number of blocks in a tile, which then has blocks of one
   * component in the kernel's own order, and no rows. */
  int (*tile_blocks) (const BdctComponentJob *job);
  /* Write a plane's constants for one job. Kernels with the same function
   * share constants. */
  void (*make_constants) (void *to, const BdctCudaPlane *plane,
      const BdctJob *job);
  bool early;           /* from 9.0 on it waits for the previous launch by
                             itself */
} BdctCudaKernel;

/* The output requested from the planes of a frame. */
typedef enum
{
  BDCT_CUDA_STATISTICS,   /* statistics and, where there is memory for
                               them, the picture and the blocks' records */
  BDCT_CUDA_LEVELS,       /* the levels; no statistics */
  BDCT_CUDA_N_OUTPUTS
} BdctCudaOutput;

/* The planes of a frame with their jobs. */
typedef struct {
  const BdctJob *quantizers;  /* of one transform and depth */
  int n_quantizers;
  BdctCudaPlane plane[BDCT_MAX_PLANES];
  int n_planes;
  bool mixed;           /* there is a map with mixed tiles */
  bool levels;          /* of BDCT_CUDA_STATISTICS: the levels are wanted as
                             well, if a kernel writes both */
  BdctCudaOutput output;
  const BdctCudaKernel *kernel; /* the kernel for all of it; NULL: the best
                                     one */
  int pictures;         /* of a kernel that counts Huffman symbols: how many
                             are in the planes, one below the other; a thread
                             block's third coordinate is the picture. 0: one */
  int n_tiles;          /* planning sets it (dispatch.h) */
} BdctCudaWork;

/* A tensor-core kernel. */
typedef struct {
  BdctCudaKernel kernel;
  const char *name;     /* unique name */
  bool extras;          /* writes blocks' records */
  bool levels;          /* writes the planes' `levels` */
} BdctTensorKernel;

/* Properties of a GPU and its code that determine the tensor-core kernel. */
typedef enum
{
  BDCT_TENSOR_TALL = 1, /* a multiprocessor has the shared memory of 9.0,
                             room for the tall tiles that large planes gain
                             by */
  BDCT_TENSOR_75 = 2,   /* code for 7.5, whose tensor cores sum with too
                             few bits for jpeg-8x8 */
} BdctTensorTraits;

/* The tensor-core kernel that supports this work, with all of its quantizers
 * and planes; NULL if none does (tensor.cu). It leaves out mixed tiles of a
 * map. `traits` are BdctTensorTraits. */
const BdctTensorKernel *bdct_tensor_find (const BdctCudaWork *work,
    unsigned traits);

/* The kernel without tensor cores, which supports any work (scalar.cu). */
const BdctCudaKernel *bdct_scalar_find (const BdctCudaWork *work);

/* What kernels make from any levels. RECONSTRUCT reads the plane's
 * `from_levels`, in which U's come before V's, and makes the same as
 * BDCT_CUDA_STATISTICS, without errors if there is no `src`. The others read
 * `levels`: they count Huffman symbols, those of a stack by picture, or draw
 * the levels to `dst`. */
typedef enum
{
  BDCT_LEVELS_RECONSTRUCT,
  BDCT_LEVELS_RECONSTRUCT_JPEG, /* likewise, of jpeg-8x8 at a depth of 8 */
  BDCT_LEVELS_SYMBOLS,
  BDCT_LEVELS_DRAW,
} BdctLevelsKernel;

/* The kernel that does this (levels.cu). */
const BdctCudaKernel *bdct_levels_find (BdctLevelsKernel what);

/* CABAC's bits (dct/entropy/rate.h): first the bins of the planes' `levels`,
 * whose counts are left in `bins`, and then their price, in `counts`. */
typedef enum
{
  BDCT_CUDA_BINS,
  BDCT_CUDA_PRICE,
} BdctCudaCount;

/* The kernel that does this count (rate.cu). */
const BdctCudaKernel *bdct_rate_find (BdctCudaCount count);

#ifdef __cplusplus
}
#endif
#endif
