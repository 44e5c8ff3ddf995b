/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The metrics' kernels, compiled to run without a GPU. */
#include "cuda/metric-ssim.cu"
