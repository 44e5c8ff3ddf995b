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
/* On a device alone, and as inline as compilers think best elsewhere. */
#define BDCT_METRIC_FUNCTION static __device__ __forceinline__
#define BDCT_METRIC_TABLE static __constant__ const
#define BDCT_METRIC_UNROLL _Pragma ("unroll")
#else
#define BDCT_METRIC_INLINE static inline __attribute__ ((always_inline))
#define BDCT_METRIC_FUNCTION static inline
#define BDCT_METRIC_TABLE static const
#define BDCT_METRIC_UNROLL
#endif

#endif
