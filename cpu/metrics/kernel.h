/* blockdct: the metrics on the CPU, built once for each instruction set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CPU_METRIC_KERNEL_H
#define BDCT_CPU_METRIC_KERNEL_H

#include "cpu/scratch.h"
#include "dct/base/compiler.h"
#include "dct/metrics/kernel.h"

/* `baseline` runs on every processor. */
extern const BdctMetricKernels bdct_metrics_baseline, bdct_metrics_sse41,
    bdct_metrics_avx2, bdct_metrics_avx512;

/* The name of a kernel in this instruction set. */
#define BDCT_METRIC_NAME(metric)                                              \
  BDCT_CONCAT (bdct_metric_##metric##_, BDCT_ISA)

#endif
