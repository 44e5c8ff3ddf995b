/* blockdct: the metrics on the CPU, built once for each instruction set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_CPU_H
#define BDCT_METRIC_CPU_H

#include "dct/metrics/kernel.h"

extern const BdctMetricKernels bdct_metrics_sse41, bdct_metrics_avx2,
    bdct_metrics_avx512;

#define BDCT_METRIC_NAME_(metric, isa) bdct_metric_##metric##_##isa
#define BDCT_METRIC_NAME__(metric, isa) BDCT_METRIC_NAME_ (metric, isa)
/** The name of a kernel in this instruction set. */
#define BDCT_METRIC_NAME(metric) BDCT_METRIC_NAME__ (metric, BDCT_ISA)

#endif
