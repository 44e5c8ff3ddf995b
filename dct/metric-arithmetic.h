/* blockdct: what of a metric's arithmetic both engines have in common stands
 * in headers that are C and CUDA. No product is contracted with a sum in
 * either.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_ARITHMETIC_H
#define BDCT_METRIC_ARITHMETIC_H

#include <stdint.h>

#ifdef __CUDACC__
#define BDCT_METRIC_INLINE static __host__ __device__ __forceinline__
#else
#define BDCT_METRIC_INLINE static inline __attribute__ ((always_inline))
#endif

#endif
