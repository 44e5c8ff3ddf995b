/* blockdct: comparing the pictures of a frame's jobs with the original.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COMPARE_H
#define BDCT_COMPARE_H

#include "cuda/frame/frame.h"

/** A frame's luma (dct/metrics/kernel.h), for XPSNR of those after it. */
typedef struct {
  BdctBuffer samples;
  bool there;
  uint64_t number;
} BdctKept;

/** What frames use one after the other. */
typedef struct {
  BdctBuffer scratch;
  BdctBuffer pictures; /**< of trials */
  unsigned n_kept;     /**< as the engine has it, with BDCT_MORE_KEPT */
  BdctKept kept[BDCT_MAX_DEPTH + BDCT_MORE_KEPT]; /**< by number */
} BdctCompareMemory;

/** The luma of a frame and of those before it: what is kept when its turn
 * comes; nothing where no metric looks at it. */
bool bdct_compare_place_luma (const BdctSlot *slot, const BdctStaging *staging,
    BdctCompareMemory *memory, const uint16_t *luma[3], BdctError *error);

/** Describe the metrics of a frame whose passes are planned. */
bool bdct_compare_describe (BdctSlot *slot, const BdctStaging *staging,
    const BdctFrame *frame, BdctError *error);

/** Enqueue all of it behind the passes of the quantizers. `rd`: memory of
 * rate-distortion jobs (rd.h). */
bool bdct_compare_enqueue (BdctSlot *slot, const BdctStaging *staging,
    BdctCompareMemory *memory, BdctBuffer *rd, BdctError *error);

void bdct_compare_clear (BdctCompareMemory *memory, bool in_context);

#endif
