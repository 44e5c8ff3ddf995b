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

#include <blockdct/engine.h>
#include "compare.h"
#include "dct/base/layout.h"
#include "dct/base/stats.h"
#include "levels.h"
#include "dct/metrics/metrics.h"
#include "dct/picture/view.h"
#include "dct/quantizer/block-grid.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

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

  /** Have the memory that a job with trees or rdoq takes beside the frames';
   * its first frame has to get it otherwise. Nothing may be in flight. */
  bool (*reserve) (BdctEngine *engine, const BdctJob *job, BdctError *error);

  /** Start one frame. Fails, starting nothing, if `depth` frames are in flight,
   * or with the value and the range named if the frame is not as described. */
  bool (*submit) (BdctEngine *engine, const BdctFrame *frame,
      BdctError *error);

  /** Start one comparison (compare.h), which is in flight as a frame is, among
   * frames if there are any. Fails likewise. */
  bool (*compare) (BdctEngine *engine, const BdctComparison *comparison,
      BdctError *error);

  /** Wait for the oldest frame; `dst` and `blocks` are then complete. `stats`,
   * which may be NULL, receives 1 + n_trials: of the quantizers, then of each
   * trial. Of a comparison it receives n_distorted, without levels. False on an
   * error of that frame, or if none is in flight; the frame is gone from the
   * queue either way. */
  bool (*collect) (BdctEngine *engine, BdctStats *stats, BdctError *error);

  /** Host memory that a context's device copies from and to by itself; NULL if
   * the driver refuses. From any thread, with or without an engine. The members
   * are NULL where no memory is better than another. */
  void *(*alloc_host) (const BdctContext *context, size_t size);
  void (*free_host) (const BdctContext *context, void *memory);

  /** Memory on a context's device, zeroed, and a copy between it and as much of
   * alloc_host()'s, which is done when it returns. NULL and false if the driver
   * refuses. From any thread, with or without an engine. NULL as alloc_host. */
  void *(*alloc_device) (const BdctContext *context, size_t size);
  void (*free_device) (const BdctContext *context, void *memory);
  bool (*copy) (const BdctContext *context, void *device, void *host,
      size_t size, bool to_device);

  /** Whether nothing can be computed in a context any more, as after a fault on
   * the device; what it holds is out of reach then. From any thread, with or
   * without an engine; does not wait for what others have in flight. NULL where
   * there are no contexts. */
  bool (*is_lost) (const BdctContext *context);
} BdctEngineClass;

/** What every engine begins with. */
struct BdctEngine {
  const BdctEngineClass *klass;
  char description[128]; /**< what runs: "cpu:avx2 2 threads"; changes in submit
                              where `distrust` appears */
  char warning[160];     /**< what it does without, to the user's loss; empty
                            if nothing. May change in configure and submit. */
  char distrust[160];    /**< CUDA: why the tensor cores are not used any more;
                              empty if they are, or never were */
  /* The caller's (lib/blockdct.c): */
  void (*log) (void *data, const char *line);
  void *log_data;
  char logged[2][160];   /**< of `warning` and `distrust` */
  BdctLayout layout;     /**< as configured; size 0: not yet */
};

/** The CPU engine. Host images only. */
extern const BdctEngineClass bdct_cpu_engine;

/** The CUDA engine (folder cuda/). Host and device images, mixed freely. The
 * GPU copies to and from pinned host memory by itself; to and from other host
 * memory the calling thread does, in submit and in collect. */
extern const BdctEngineClass bdct_cuda_engine;

/** Whether a frame is as described, for a layout: what all engines ask for. */
bool bdct_frame_check (const BdctFrame *frame, const BdctLayout *layout,
    BdctError *error);

/** Whether a layout's sides are within what is exact: what all engines ask for
 * in configure(). */
bool bdct_layout_check_sides (const BdctLayout *layout, BdctError *error);

/** Whether all of a layout is as picture.h says: what the library asks for. */
bool bdct_layout_check (const BdctLayout *layout, BdctError *error);

/** samples and levels of a frame: what the layout and the block sizes fix; of
 * a comparison, where there is no job, samples alone. */
void bdct_engine_count (const BdctLayout *layout, const BdctJob *job,
    BdctStats *stats);

#ifdef __cplusplus
}
#endif
#endif
