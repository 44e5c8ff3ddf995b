/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of an instruction set's metrics. Built once for each instruction
 * set. */
#include "kernel.h"

extern const BdctMetricKernel BDCT_METRIC_NAME (ssim),
    BDCT_METRIC_NAME (ms_ssim), BDCT_METRIC_NAME (psnr_hvs),
    BDCT_METRIC_NAME (xpsnr);

const BdctMetricKernels BDCT_CONCAT (bdct_metrics_, BDCT_ISA) = {
  [BDCT_METRIC_SSIM] = &BDCT_METRIC_NAME (ssim),
  [BDCT_METRIC_MS_SSIM] = &BDCT_METRIC_NAME (ms_ssim),
  [BDCT_METRIC_PSNR_HVS] = &BDCT_METRIC_NAME (psnr_hvs),
  [BDCT_METRIC_XPSNR] = &BDCT_METRIC_NAME (xpsnr),
};
