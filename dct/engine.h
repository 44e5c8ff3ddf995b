/* blockdct: the engine interface, which the CPU and the CUDA engine implement.
 *
 * An engine is a queue: submit() starts a frame, collect() waits for the oldest
 * one and gives its statistics. At most `depth` frames are in it. One thread at
 * a time may call an engine.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_ENGINE_H
#define BDCT_ENGINE_H

#include <stdbool.h>
#include "job.h"
#include "layout.h"
#include "stats.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The most frames an engine takes in flight. */
#define BDCT_MAX_DEPTH 64

typedef struct BdctEngine BdctEngine;

/** Makes the device's context current for the calling thread around every call
 * of an engine, and lets it go. With `enter` NULL the CUDA engine uses the
 * current device's primary context. */
typedef struct {
  bool (*enter) (void *data);
  void (*leave) (void *data);
  void *data; /**< must outlive the engine */
} BdctContext;

typedef struct {
  unsigned threads;    /**< CPU: 0 = all processors. CUDA: threads that copy
                          images the GPU does not reach, 0 = at most 4 */
  const char *isa;     /**< CPU: instruction set. CUDA: "cuda-cores" leaves the
                          tensor cores alone. NULL = the best here */
  BdctContext context; /**< CUDA */
} BdctEngineOptions;

typedef struct BdctEngineClass {
  const char *name; /**< "cpu", "cuda" */

  /** How many devices there are; the CPU counts as one. 0 with the reason. */
  int (*count_devices) (BdctError *error);

  /** A new engine, freed with destroy(); NULL with the reason. */
  BdctEngine *(*create) (const BdctEngineOptions *options, BdctError *error);

  /** Wait for what is in flight, forget it, and free everything. */
  void (*destroy) (BdctEngine *engine);

  /** Prepare for frames of this layout, `depth` of them in flight (1 to
   * BDCT_MAX_DEPTH). Nothing may be in flight. */
  bool (*configure) (BdctEngine *engine, const BdctLayout *layout,
      unsigned depth, BdctError *error);

  /** What `dst` becomes in the frames submitted from now on. A new engine
   * shows the reconstruction. */
  void (*set_view) (BdctEngine *engine, const BdctView *view);

  /** Start one frame: `dst` becomes the view, as set_view() left it, of `src`
   * and its reconstruction; `src` and `dst` must not overlap. The images'
   * memory must stay until collect(); `job` is copied. Fails, starting nothing,
   * if `depth` frames are in flight. */
  bool (*submit) (BdctEngine *engine, const BdctJob *job, const BdctImage *src,
      const BdctImage *dst, BdctError *error);

  /** Wait for the oldest frame; `dst` is then complete. False on an error of
   * that frame, or if none is in flight; the frame is gone from the queue
   * either way. */
  bool (*collect) (BdctEngine *engine, BdctStats *stats, BdctError *error);

  /** NULL if there are no streams. The frames that are submitted from now on
   * come after what is in `stream` (a CUstream of the engine's context): for
   * device images that are not complete yet, or still read from. The calling
   * thread does not wait. */
  bool (*after) (BdctEngine *engine, void *stream, BdctError *error);

  /** Host memory that a context's device copies from and to by itself; NULL if
   * the driver refuses. From any thread, with or without an engine. The members
   * are NULL where no memory is better than another. */
  void *(*alloc_host) (const BdctContext *context, size_t size);
  void (*free_host) (const BdctContext *context, void *memory);
} BdctEngineClass;

/** What every engine begins with. */
struct BdctEngine {
  const BdctEngineClass *klass;
  char description[128]; /**< what runs: "cpu:avx2 2 threads" */
  char warning[160];     /**< what it does without, to the user's loss; empty
                            if nothing. May change in configure and submit. */
};

/** The CPU engine. Host images only. */
extern const BdctEngineClass bdct_cpu_engine;

/** The CUDA engine (folder cuda/). Host and device images, mixed freely. The
 * GPU copies to and from pinned host memory by itself; to and from other host
 * memory the calling thread does, in submit and in collect. */
extern const BdctEngineClass bdct_cuda_engine;

/** samples and levels of a frame: what the layout and the block sizes fix. */
void bdct_engine_count (const BdctLayout *layout, const BdctJob *job,
    BdctStats *stats);

#ifdef __cplusplus
}
#endif
#endif
