/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of metrics, comparisons and views that copy, compiled to run
 * without a GPU. */
#include "cuda/comparison.cu"
#include "cuda/metric-ms-ssim.cu"
#include "cuda/metric-psnr-b.cu"
#include "cuda/metric-psnr-hvs.cu"
#include "cuda/metric-ssim.cu"
#include "cuda/metric-xpsnr.cu"
#include "cuda/view-copy.cu"
