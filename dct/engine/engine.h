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
#include <blockdct/jpeg.h>
#include "compare.h"
#include "dct/base/layout.h"
#include "dct/base/stats.h"
#include "dct/metrics/metrics.h"
#include "dct/picture/view.h"
#include "dct/quantizer/block-grid.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BdctEngineClass {
  const char *name; /* "cpu", "cuda" */

  /* The number of devices; the CPU counts as one. 0 with an error. */
  int (*count_devices) (BdctError *error);

  /* Create an engine, to be freed with destroy(); NULL with an error. */
  BdctEngine *(*create) (const BdctEngineOptions *options, BdctError *error);

  /* Wait for what is in flight, discard it, and free everything. */
  void (*destroy) (BdctEngine *engine);

  /* Prepare for frames of this layout, `depth` of them in flight (1 to
   * BDCT_MAX_DEPTH). Nothing may be in flight. */
  bool (*configure) (BdctEngine *engine, const BdctLayout *layout,
      unsigned depth, BdctError *error);

  /* Allocate the memory that a job with trees needs besides that of
   * frames; otherwise its first frame allocates it. Nothing may be in
   * flight. */
  bool (*reserve) (BdctEngine *engine, const BdctJob *job, BdctError *error);

  /* Start one frame. Fails and starts nothing if `depth` frames are in
   * flight or the frame is invalid; the error names the value and the range. */
  bool (*submit) (BdctEngine *engine, const BdctFrame *frame,
      BdctError *error);

  /* Start one comparison (compare.h), in flight like a frame, and mixed
   * with frames. Fails likewise. */
  bool (*compare) (BdctEngine *engine, const BdctComparison *comparison,
      BdctError *error);

  /* Wait for the oldest frame; `dst` and `blocks` are then complete.
   * `stats`, which may be NULL, receives one entry; for a comparison,
   * n_distorted entries without levels. Returns false if that frame failed or
   * none is in flight; a failed frame is no longer in flight. */
  bool (*collect) (BdctEngine *engine, BdctStats *stats, BdctError *error);

  /* Decode files (blockdct/jpeg.h), whatever is in flight. NULL if the engine
   * cannot. */
  bool (*decode) (BdctEngine *engine, BdctJpeg *files, int n, void *wait,
      BdctError *error);

  /* Host memory that a context's device copies from and to by itself; NULL
   * if the driver refuses. Any thread may call this, with or without an
   * engine. The members are NULL if no memory is better than another. */
  void *(*alloc_host) (const BdctContext *context, size_t size);
  void (*free_host) (const BdctContext *context, void *memory);

  /* Zeroed memory on a context's device, and a copy between it and memory
   * of alloc_host(), which is complete when the function returns. NULL and
   * false if the driver refuses. Any thread may call these, with or without
   * an engine. The members are NULL as alloc_host is. */
  void *(*alloc_device) (const BdctContext *context, size_t size);
  void (*free_device) (const BdctContext *context, void *memory);
  bool (*copy) (const BdctContext *context, void *device, void *host,
      size_t size, bool to_device);

  /* Whether a context is lost, as after a fault on the device: it computes
   * nothing more, and its memory is out of reach. Any thread may call this,
   * with or without an engine; it does not wait for work in flight. NULL if
   * there are no contexts. */
  bool (*is_lost) (const BdctContext *context);
} BdctEngineClass;

/* What every engine begins with. */
struct BdctEngine {
  const BdctEngineClass *klass;
  char description[128]; /* what runs: "cpu:avx2 2 threads"; changes in submit
                              where `distrust` appears */
  char warning[160];     /* what it does without, to the user's loss; empty
                            if nothing. May change in configure and submit. */
  char distrust[160];    /* CUDA: why the tensor cores are not used any more;
                              empty if they are, or never were */
  /* The caller's (lib/blockdct.c): */
  void (*log) (void *data, const char *line);
  void *log_data;
  char logged[2][160];   /* of `warning` and `distrust` */
  BdctLayout layout;     /* as configured; size 0: not yet */
  BdctImage source;      /* of the frame submitted last; no data: there is
                              none that a frame can share */
};

/* The CPU engine. Host images only. */
extern const BdctEngineClass bdct_cpu_engine;

/* The CUDA engine (folder cuda/). Host and device images, mixed freely. The
 * GPU copies to and from pinned host memory by itself; to and from other host
 * memory the calling thread does, in submit and in collect. */
extern const BdctEngineClass bdct_cuda_engine;

/* Check a frame for a layout, on behalf of all engines. */
bool bdct_frame_check (const BdctFrame *frame, const BdctLayout *layout,
    BdctError *error);

/* Check all of a layout, as picture.h describes it, on behalf of the
 * library. */
bool bdct_layout_check (const BdctLayout *layout, BdctError *error);

#ifdef __cplusplus
}
#endif
#endif
