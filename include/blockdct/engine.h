/** @file
 * libblockdct: engines, which transform frames and compare pictures.
 *
 * An engine is a queue: bdct_engine_submit() and bdct_engine_compare() start
 * work, bdct_engine_collect() waits for the oldest and returns its statistics.
 * One thread at a time may call an engine; several threads may call an engine
 * each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_ENGINE_H
#define BLOCKDCT_ENGINE_H

#include <blockdct/statistics.h>
#include <blockdct/view.h>

BDCT_BEGIN_DECLS

#define BDCT_MAX_DEPTH 64     /**< frames in flight */
#define BDCT_MAX_DISTORTED 3  /**< distorted pictures of a comparison */
#define BDCT_LEVELS_ALIGN 16  /**< alignment of BdctFrame.levels in bytes */

/** One frame and what to do with it: the verb `transform`. The caller owns what
 * it points to. The memory of `src`, `dst`, `blocks`, `sizes` and `levels` must
 * stay valid until collect; submit copies all else, jobs too. */
typedef struct {
  size_t size; /**< sizeof (BdctFrame) */
  /** Jobs with the same transform and depth. Each block uses one of them. */
  const BdctJob *quantizers;
  int n_quantizers;             /**< 1 to BDCT_MAX_QUANTIZERS */
  const uint8_t *quantizer_map; /**< index of `quantizers` for each block, in
                                     the order of BdctBlockGrid; NULL: all 0 */
  BdctImage src;                /**< data[0] may be NULL only with
                                     `from_levels`; then there are no errors,
                                     metrics, or views of these */
  bool same_source;             /**< `src` is that of the frame submitted just
                                     before, unchanged: CUDA neither uploads nor
                                     converts it again. Not for stacks */
  BdctImage dst;                /**< must not overlap `src`. data[0] NULL: no
                                     picture and no errors of R, G and B; errors
                                     of Y, U and V are still counted */
  BdctBlockRecord *blocks;      /**< receives a record of each block; NULL: not
                                     wanted */
  uint8_t *sizes;               /**< hevc-quadtree: receives log2 of the luma
                                     block's side for each entry of
                                     BdctBlockGrid; NULL: not wanted. With
                                     `from_levels` it is input */
  size_t n_blocks;              /**< entries of `quantizer_map` and `blocks`;
                                     unused if both are NULL */
  /** The levels of the quantizers: first those of Y, then U and V; blocks in
   * the order of BdctBlockGrid; the levels of a block row-major, a row for each
   * vertical frequency. Aligned to BDCT_LEVELS_ALIGN. NULL: not wanted.
   *
   * In subsampled chroma of h264-*, the 4 x 4 transforms of a block follow each
   * other row by row. The DC levels, c of H.264 clause 8.5.11, are the first
   * levels of the transforms at the same positions. With hevc-quadtree, levels
   * are in H.265's coding order within each square of 32 x 32 luma samples, and
   * squares follow each other row by row; blocks beyond the picture are
   * included, as zeros. Levels of dct-8x8 equal the CPU's even if tensor cores
   * make a picture that differs by a rounding. */
  int16_t *levels;
  BdctMemory levels_memory;
  size_t n_levels;              /**< BdctJobInfo.n_levels or more */
  bool from_levels;             /**< reconstruct from `levels`, of any values,
                                     as a decoder does, instead of transforming
                                     `src` */
  bool bits;                    /**< set BdctCounters.bits; else they are 0 */
  unsigned metrics;             /**< of the picture: bits 1 << BdctMetric that
                                     bdct_metric_check() allows */
  int frame_rate;               /**< for XPSNR: frames per second, rounded; any
                                     number. From 32 on XPSNR weighs changes
                                     against two frames, else against one */
  uint64_t number;              /**< for XPSNR: number of the frame in the
                                     stream. XPSNR compares the frame with the
                                     two before it, if the engine has received
                                     them since configure. The same number
                                     again means the same picture. */
  const BdctView *view;         /**< what to draw on `dst`; NULL: the
                                     reconstruction */
  /* For a stack of pictures (BdctLayout.stack). Of the above, a stack uses
   * `src`, `dst`, up to BDCT_MAX_STACK_QUANTIZERS quantizers, and `bits` for
   * jpeg-8x8 and dct-8x8; its pictures must be of whole blocks. This memory
   * must stay valid until collect: */
  const uint8_t *stack_map;     /**< index of `quantizers` for each picture;
                                     NULL: all 0 */
  ptrdiff_t src_pitch, dst_pitch; /**< bytes from one picture to the next, in
                                     each plane; 0: without a gap, the only
                                     choice for host memory with CUDA */
  uint64_t (*stack_sse)[3];     /**< receives the squared errors of R, G and B
                                     of each picture; NULL: not wanted */
  uint64_t (*stack_bits)[2];    /**< with `bits`: receives bits and
                                     BdctStats.file_size of each picture, which
                                     the statistics then lack */
  void *wait[2];                /**< streams (CUstream of the engine's context)
                                     whose work so far is to end before the
                                     frame's begins; NULL: none. The calling
                                     thread does not wait. */
} BdctFrame;

/** A picture of a comparison. It has the size, chroma format and depth of the
 * engine's layout. The arrangement of components in planes may differ (NV12
 * with I420 or YV12, P010 with I420_10LE), that of R, G and B in pixels may
 * not. */
typedef struct {
  BdctImage image;
  const BdctLayout *layout; /**< NULL: the engine's */
} BdctPicture;

/** Pictures to compare with a reference: the verb `compare`. The caller owns
 * what it points to. The memory of all images must stay valid until collect;
 * compare copies all else. */
typedef struct {
  size_t size;              /**< sizeof (BdctComparison) */
  BdctPicture reference;
  BdctPicture distorted[BDCT_MAX_DISTORTED];
  int n_distorted;          /**< 1 to BDCT_MAX_DISTORTED */
  bool errors;              /**< count squared errors; else they are 0 */
  unsigned metrics;         /**< metrics of each distorted picture: bits
                                 1 << BdctMetric */
  int frame_rate;           /**< as in BdctFrame; `number`: of the reference */
  uint64_t number;
  const BdctView *view;     /**< what to draw on `dst`, without a grid; NULL:
                                 nothing */
  int left, right;          /**< the pictures to show: -1 for the reference, or
                                 the index of a distorted one. Maps compare
                                 `right` with `left` */
  BdctImage dst;            /**< in the engine's layout; must not overlap any
                                 picture */
  void *wait[2 + BDCT_MAX_DISTORTED]; /**< as in BdctFrame */
} BdctComparison;

/** What computes. */
typedef enum { BDCT_BACKEND_CPU, BDCT_BACKEND_CUDA } BdctBackend;

/** A CUDA context: `enter` makes it current on the calling thread, `leave`
 * restores the previous one. A NULL context, or one without `enter`, means the
 * current device's primary context. The CPU has none. */
typedef struct {
  bool (*enter) (void *data);
  void (*leave) (void *data);
  void *data; /**< must outlive the engine */
} BdctContext;

/** Options of an engine; all but `size` may be 0. */
typedef struct {
  size_t size;         /**< sizeof (BdctEngineOptions) */
  unsigned threads;    /**< CPU: 0 = one per processor; with 0 and 1, submit
                            runs small frames on the calling thread. CUDA:
                            threads that copy images that the GPU cannot
                            reach, 0 = at most 4 */
  const char *isa;     /**< CPU: instruction set. CUDA: "cuda-cores" does not
                            use the tensor cores. NULL = the best available */
  BdctContext context; /**< CUDA */
  /** Called on the thread that calls the engine when the engine becomes slower
   * than it could be, with a line of text that says why; may be NULL. */
  void (*log) (void *data, const char *line);
  void *log_data;
} BdctEngineOptions;

/** A queue of frames and comparisons. */
typedef struct BdctEngine BdctEngine;

/** The number of a backend's devices; the CPU counts as one. 0, with an error,
 * if there are none. */
int bdct_backend_count_devices (BdctBackend backend, BdctError *error);

/** Whether a context is lost, as after a fault on the device. Any thread may
 * call this, with or without an engine. */
bool bdct_backend_is_lost (BdctBackend backend, const BdctContext *context);

/** Allocate `size` bytes in a context: pinned memory of the host, or zeroed
 * memory of the device. Any thread may call this, with or without an engine.
 * Returns NULL if the driver refuses, and always for the CPU. */
void *bdct_memory_alloc (BdctBackend backend, const BdctContext *context,
    BdctMemory kind, size_t size);
/** Free memory of bdct_memory_alloc(); NULL does nothing. */
void bdct_memory_free (BdctBackend backend, const BdctContext *context,
    BdctMemory kind, void *memory);

/** Copy `size` bytes between memory of the device and of the host, both from
 * bdct_memory_alloc(), and wait for the end. Returns false if the driver
 * refuses. */
bool bdct_memory_copy (BdctBackend backend, const BdctContext *context,
    void *device, void *host, size_t size, bool to_device);

/** Create an engine. `options` may be NULL. Returns NULL, with an error, if the
 * backend cannot run. Free it with bdct_engine_free(). */
BdctEngine *bdct_engine_new (BdctBackend backend,
    const BdctEngineOptions *options, BdctError *error);

/** Wait for what is in flight, discard it, and free the engine; NULL does
 * nothing. */
void bdct_engine_free (BdctEngine *engine);

/** A text of bdct_engine_text(). */
typedef enum {
  BDCT_ENGINE_DESCRIPTION, /**< what runs: "cpu:avx2 2 threads" */
  BDCT_ENGINE_WARNING,     /**< why it is slower than it could be */
  BDCT_ENGINE_DISTRUST,    /**< CUDA: why the tensor cores are not used */
} BdctEngineText;

/** A text about an engine; "" if there is none. The engine owns it; configure
 * and submit may change it. */
const char *bdct_engine_text (const BdctEngine *engine, BdctEngineText which);

/** Prepare for pictures of a layout, with up to `depth` frames or comparisons
 * in flight (1 to BDCT_MAX_DEPTH). Nothing may be in flight. Returns false,
 * with an error, if a value is outside its range or memory is short. */
bool bdct_engine_configure (BdctEngine *engine, const BdctLayout *layout,
    unsigned depth, BdctError *error);

/** Allocate the scratch memory that a job of hevc-quadtree needs;
 * otherwise its first frame allocates it. Nothing may be in flight. */
bool bdct_engine_reserve (BdctEngine *engine, const BdctJob *job,
    BdctError *error);

/** Start one frame. Returns false and starts nothing if `depth` frames or
 * comparisons are in flight, or a value is outside its range; the error names
 * value and range. */
bool bdct_engine_submit (BdctEngine *engine, const BdctFrame *frame,
    BdctError *error);

/** Start one comparison. Fails as bdct_engine_submit() does. */
bool bdct_engine_compare (BdctEngine *engine,
    const BdctComparison *comparison, BdctError *error);

/** Wait for the oldest frame or comparison in flight; its outputs are then
 * complete. `stats` is NULL, or an array in whose first entry the caller sets
 * `size`. A frame fills one entry; a comparison fills n_distorted, without
 * levels. Returns false, with an error, if that frame failed, if `stats` has
 * another size, or if none is in flight. After each of these the frame is no
 * longer in flight; later frames are not affected, unless the context is
 * lost. */
bool bdct_engine_collect (BdctEngine *engine, BdctStats *stats,
    BdctError *error);

/** One block at each step of its way. All arrays are row-major; rows of
 * `coefficient` and `level` are vertical frequencies. If a block has several
 * transforms, each is at the position of its samples. */
typedef struct {
  int x, y;          /**< position of its first sample in its component */
  int width, height; /**< 4 to 64 */
  int quantizer;     /**< index of BdctFrame.quantizers */
  int sample[64 * 64], level[64 * 64], reconstruction[64 * 64];
  double coefficient[64 * 64]; /**< output of the transform, in whole numbers
                        (jpeg-8x8: times 8; h264-*: before the second
                        transform of DCs); dct-8x8: orthonormal DCT */
} BdctBlock;

/** Compute the block of each component that covers luma sample (x, y), on the
 * calling thread, from `src` in host memory, the quantizers and their map.
 * Returns the number of components; 0, with an error, if it fails. */
int bdct_block_inspect (const BdctLayout *layout, const BdctFrame *frame,
    int x, int y, BdctBlock block[BDCT_MAX_COMPONENTS], BdctError *error);

/** The library's version: "0.2.0". */
const char *bdct_version (void);

BDCT_END_DECLS
#endif
