/* blockdct: the metrics of a frame on the GPU: memory, launches, figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_METRICS_H
#define BDCT_CUDA_METRICS_H

#include "frame.h"

/* Describe the runs, and allocate their results and the frame's place in the
 * history. The images are set. */
bool bdct_frame_metrics_place (BdctCudaFrame *frame, BdctStaging *staging,
    BdctError *error);

/* Steps (cuda/run.c): copy luma to the history; compute all metrics; make a
 * metric's map of a comparison's luma. */
bool bdct_frame_copy_history (BdctCudaFrame *frame, BdctStaging *staging,
    BdctError *error);
bool bdct_frame_run_metrics (BdctCudaFrame *frame, BdctStaging *staging,
    BdctError *error);
bool bdct_frame_make_map (BdctCudaFrame *frame, BdctStaging *staging,
    BdctError *error);

/* The pictures that a comparison's view shows. */
BdctMetricsInput bdct_frame_shown (const BdctCudaFrame *frame,
    const BdctStaging *staging);

/* Once the results are on the host: compute the figures, in an entry of the
 * statistics for each run. */
void bdct_frame_metrics_finish (BdctCudaFrame *frame, BdctStats *stats);

#endif
