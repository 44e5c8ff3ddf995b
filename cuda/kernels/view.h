/* blockdct: drawing views on the GPU (view.cu, view-copy.cu, zoom.cu), as
 * cuda/run.c calls it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_VIEW_H
#define BDCT_CUDA_VIEW_H

#include <cuda_runtime_api.h>
#include "dct/picture/zoom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueue drawing a view, after the kernels that compute its inputs. All
 * planes, aligned to their samples, and records are in device memory. */
cudaError_t bdct_cuda_view_launch (const BdctRender *render,
    cudaStream_t stream);

/* The part of it that copies or subtracts samples (view-copy.cu); and whether
 * that part supports a view. */
cudaError_t bdct_cuda_copy_launch (const BdctRender *render,
    cudaStream_t stream);
bool bdct_cuda_copy_takes (const BdctRender *render);

/* Enqueue drawing a zoomed view, after the kernels that compute its base and,
 * for R, G and B, the base's pixels. */
cudaError_t bdct_cuda_zoom_launch (const BdctZoom *zoom, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
