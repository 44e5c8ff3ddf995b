/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of metrics, comparisons and views that copy, compiled to run
 * without a GPU. */
#include "cuda/kernels/comparison.cu"
#include "cuda/kernels/ms-ssim.cu"
#include "cuda/kernels/psnr-hvs.cu"
#include "cuda/kernels/ssim.cu"
#include "cuda/kernels/view-copy.cu"
#include "cuda/kernels/xpsnr.cu"
