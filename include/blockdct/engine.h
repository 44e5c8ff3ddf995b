/** @file
 * libblockdct: engines, which transform frames and compare pictures.
 *
 * An engine is a queue: bdct_engine_submit() and bdct_engine_compare() start
 * work, bdct_engine_collect() waits for the oldest and returns its statistics.
 * One thread at a time may call an engine.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_ENGINE_H
#define BLOCKDCT_ENGINE_H

#include <blockdct/statistics.h>
#include <blockdct/view.h>

BDCT_BEGIN_DECLS

#define BDCT_MAX_DEPTH 64     /**< frames in flight */
#define BDCT_MAX_TRIALS 128   /**< of a frame */
#define BDCT_MAX_DISTORTED 3  /**< pictures of a comparison */
#define BDCT_LEVELS_ALIGN 16  /**< bytes */

/** One frame and what to do with it: the verb `transform`. What it points to
 * belongs to the caller. The memory of `src`, `dst`, `blocks`, `sizes` and
 * `levels` must stay until collect; the rest is copied, jobs too. */
typedef struct {
  size_t size; /**< sizeof (BdctFrame) */
  /** Jobs with the same transform and depth; each block uses one of them. They
   * make `dst`, `blocks` and the first statistics. */
  const BdctJob *quantizers;
  int n_quantizers;             /**< 1 to BDCT_MAX_QUANTIZERS */
  const uint8_t *quantizer_map; /**< each block's index, by its number
                                     (BdctBlockGrid); NULL: all 0 */
  /** Jobs tried on the whole frame, of any transform. They yield statistics and
   * no picture. */
  const BdctJob *trials;
  int n_trials;                 /**< 0 to BDCT_MAX_TRIALS */
  BdctImage src;                /**< data[0] may be NULL only with
                                     `from_levels`; then no errors, metrics,
                                     trials, or views of these */
  BdctImage dst;                /**< must not overlap `src`. data[0] NULL: no
                                     picture, and no errors of R, G and B; those
                                     of Y, U and V are counted all the same */
  BdctBlockRecord *blocks;      /**< receives every block's; NULL: not wanted */
  uint8_t *sizes;               /**< hevc-quadtree: receives log2 of the luma
                                     block's side, for each place of the
                                     smallest blocks; NULL: not wanted. With
                                     `from_levels` it is read */
  size_t n_blocks;              /**< entries of `quantizer_map` and `blocks`;
                                     unused if there is neither */
  /** The quantizers' levels, Y's before U's and V's; each block's row-major,
   * rows are vertical frequency; aligned to BDCT_LEVELS_ALIGN. NULL: not
   * wanted. Blocks are in the order of BdctBlockGrid. In h264-*'s subsampled
   * chroma a block's 4 x 4 transforms follow each other row by row, and the DC
   * levels, c of H.264's clause 8.5.11, are in the first places of the
   * transforms that they lie over. Those of hevc-quadtree
   * are in H.265's coding order in squares of 32 x 32 luma samples, which
   * follow each other row by row; blocks beyond the picture have their places,
   * too, with zeros. Levels of dct-8x8 equal the CPU's, even where tensor
   * cores make a picture that differs by a rounding. */
  int16_t *levels;
  BdctMemory levels_memory;
  size_t n_levels;              /**< BdctJobInfo.n_levels or more */
  bool from_levels;             /**< reconstruct from `levels`, of any values,
                                     as a decoder does, and do not transform
                                     `src` */
  bool bits;                    /**< set BdctCounters.bits; else they are 0 */
  bool trial_files;             /**< set the file sizes of trials, too; the
                                     quantizers' always are with bits */
  unsigned metrics, trial_metrics; /**< of the quantizers' picture and of each
                                     trial: bits 1 << BdctMetric, which
                                     bdct_metric_check() allows */
  int frame_rate;               /**< for XPSNR: whole frames a second */
  uint64_t number;              /**< for XPSNR: the frame's number in the
                                     stream. It compares the frame with those
                                     numbered 1 and 2 lower, if the engine has
                                     had them since configure. The same number
                                     again means the same picture. */
  const BdctView *view;         /**< what `dst` becomes; NULL: the
                                     reconstruction */
  /* For a stack (BdctLayout.stack), which has `src`, `dst`, up to
   * BDCT_MAX_STACK_QUANTIZERS quantizers, pictures of whole blocks, `bits` of
   * jpeg-8x8 and dct-8x8, and nothing else of the above. This memory must stay
   * until collect: */
  const uint8_t *stack_map;     /**< each picture's index of `quantizers`; NULL:
                                     all 0 */
  ptrdiff_t src_pitch, dst_pitch; /**< bytes from one picture to the next, in
                                     each plane; 0: rows follow, as they must
                                     in host memory with CUDA */
  uint64_t (*stack_sse)[3];     /**< receives each picture's squared errors of
                                     R, G and B; NULL: not wanted */
  uint64_t (*stack_bits)[2];    /**< with `bits`: receives each picture's bits,
                                     which statistics then have not, and
                                     BdctStats.file_size */
  void *wait[2];                /**< streams (CUstream of the engine's context)
                                     whose work so far comes before the frame's;
                                     NULL: none. The calling thread does not
                                     wait. */
} BdctFrame;

/** A picture of a comparison. Size, chroma format and depth are the engine's.
 * How components lie in planes may differ (NV12 beside I420 or YV12, P010
 * beside I420_10LE); how R, G and B lie in pixels may not. */
typedef struct {
  BdctImage image;
  const BdctLayout *layout; /**< NULL: the engine's */
} BdctPicture;

/** Pictures to compare with a reference: the verb `compare`. What it points to
 * belongs to the caller; the memory of all images must stay until collect, the
 * rest is copied. */
typedef struct {
  size_t size;              /**< sizeof (BdctComparison) */
  BdctPicture reference;
  BdctPicture distorted[BDCT_MAX_DISTORTED];
  int n_distorted;          /**< 1 to BDCT_MAX_DISTORTED */
  bool errors;              /**< count squared errors; else they are 0 */
  unsigned metrics;         /**< of each distorted picture: bits
                                 1 << BdctMetric */
  int frame_rate;           /**< as in BdctFrame; `number` is the reference's */
  uint64_t number;
  const BdctView *view;     /**< what is drawn on `dst`, without the grid; NULL:
                                 nothing */
  int left, right;          /**< the pictures it shows: -1 is the reference,
                                 else the index of a distorted one. The maps
                                 are of `right` against `left` */
  BdctImage dst;            /**< in the engine's layout; overlaps no picture */
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

/** How an engine works; all but `size` may be 0. */
typedef struct {
  size_t size;         /**< sizeof (BdctEngineOptions) */
  unsigned threads;    /**< CPU: 0 = all processors, but submit runs small
                            frames itself. CUDA: threads that copy images out of
                            the GPU's reach, 0 = at most 4 */
  const char *isa;     /**< CPU: instruction set. CUDA: "cuda-cores" leaves the
                            tensor cores alone. NULL = the best here */
  BdctContext context; /**< CUDA */
  /** Receives a line for people when the engine becomes slower than it could
   * be, on the thread that calls the engine; NULL: nothing does. */
  void (*log) (void *data, const char *line);
  void *log_data;
} BdctEngineOptions;

/** A queue of frames and comparisons. */
typedef struct BdctEngine BdctEngine;

/** How many devices a backend has; the CPU counts as one. 0 with the reason. */
int bdct_backend_count_devices (BdctBackend backend, BdctError *error);

/** Whether a context is lost, as after a fault on the device. From any thread,
 * with or without an engine. */
bool bdct_backend_is_lost (BdctBackend backend, const BdctContext *context);

/** Memory of a context: pinned on the host, or zeroed on the device. From any
 * thread, with or without an engine. NULL if the driver refuses; the CPU has
 * neither. */
void *bdct_memory_alloc (BdctBackend backend, const BdctContext *context,
    BdctMemory kind, size_t size);
/** Free it; NULL is nothing. */
void bdct_memory_free (BdctBackend backend, const BdctContext *context,
    BdctMemory kind, void *memory);

/** Copy `size` bytes between both kinds of bdct_memory_alloc(), and wait. False
 * if the driver refuses. */
bool bdct_memory_copy (BdctBackend backend, const BdctContext *context,
    void *device, void *host, size_t size, bool to_device);

/** A new engine; NULL with the reason. `options` may be NULL. */
BdctEngine *bdct_engine_new (BdctBackend backend,
    const BdctEngineOptions *options, BdctError *error);

/** Wait for what is in flight, forget it, and free everything. */
void bdct_engine_free (BdctEngine *engine);

/** What bdct_engine_text() tells. */
typedef enum {
  BDCT_ENGINE_DESCRIPTION, /**< what runs: "cpu:avx2 2 threads" */
  BDCT_ENGINE_WARNING,     /**< why it is slower than it could be */
  BDCT_ENGINE_DISTRUST,    /**< CUDA: why the tensor cores are not used */
} BdctEngineText;

/** What an engine says of itself; "" if nothing. Configure and submit may
 * change it. */
const char *bdct_engine_text (const BdctEngine *engine, BdctEngineText which);

/** Prepare for pictures of a layout, `depth` of them in flight (1 to
 * BDCT_MAX_DEPTH). Nothing may be in flight. */
bool bdct_engine_configure (BdctEngine *engine, const BdctLayout *layout,
    unsigned depth, BdctError *error);

/** Allocate the scratch memory of a job of hevc-quadtree or with rdoq; without
 * this, its first frame does. Nothing may be in flight. */
bool bdct_engine_reserve (BdctEngine *engine, const BdctJob *job,
    BdctError *error);

/** Start one frame. Fails, starting nothing, if `depth` frames or comparisons
 * are in flight or a value is outside its range, which the error names. */
bool bdct_engine_submit (BdctEngine *engine, const BdctFrame *frame,
    BdctError *error);

/** Start one comparison, likewise. */
bool bdct_engine_compare (BdctEngine *engine,
    const BdctComparison *comparison, BdctError *error);

/** Wait for the oldest; its outputs are then complete. `stats` is NULL or an
 * array; the caller sets `size` in the first. A frame fills 1 + n_trials, the
 * quantizers' first; a comparison n_distorted, without levels. False on an
 * error of that frame, or if none is in flight; the frame is gone either
 * way. */
bool bdct_engine_collect (BdctEngine *engine, BdctStats *stats,
    BdctError *error);

/** One block on its way. All row-major; rows of `coefficient` and `level` are
 * vertical frequency; those of several transforms in a block lie where the
 * samples do. */
typedef struct {
  int x, y;          /**< its first sample in its component */
  int width, height; /**< 4 to 64 */
  int quantizer;     /**< index of BdctFrame.quantizers */
  int sample[64 * 64], level[64 * 64], reconstruction[64 * 64];
  double coefficient[64 * 64]; /**< whole numbers as the transform leaves them
                        (jpeg-8x8: times 8; h264-*: DCs before a transform
                        of their own), or the orthonormal DCT's (dct-8x8) */
} BdctBlock;

/** Compute the block of each component that covers (x, y), a luma sample of a
 * frame in host memory, on the calling thread, from `src`, the quantizers and
 * their map. Returns the number of components; 0 with the reason. */
int bdct_block_inspect (const BdctLayout *layout, const BdctFrame *frame,
    int x, int y, BdctBlock block[BDCT_MAX_COMPONENTS], BdctError *error);

/** The library's version: "0.1.0". */
const char *bdct_version (void);

BDCT_END_DECLS
#endif
