/* blockdct: qualifiers and macros of headers that are C and CUDA.
 *
 * Both engines compile these headers, so that a figure's arithmetic exists
 * once. No compiler contracts a product and a sum in them (-ffp-contract=off,
 * -fmad=false).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COMPILER_H
#define BDCT_COMPILER_H

/* Qualifiers of a function that is always inlined, on host and device. */
#ifdef __CUDACC__
#define BDCT_FORCE_INLINE static __host__ __device__ __forceinline__
#else
#define BDCT_FORCE_INLINE static inline __attribute__ ((always_inline))
#endif

/* Qualifiers of a constant array in the memory of the processor that reads
 * it, of a function that reads such arrays, and of a loop in it. In CUDA they
 * exist on the device only. C compilers decide by themselves what to inline
 * and unroll. */
#ifdef __CUDACC__
#define BDCT_DEVICE_TABLE static __constant__ const
#define BDCT_DEVICE_INLINE static __device__ __forceinline__
#define BDCT_DEVICE_UNROLL _Pragma ("unroll")
#else
#define BDCT_DEVICE_TABLE static const
#define BDCT_DEVICE_INLINE static inline
#define BDCT_DEVICE_UNROLL
#endif

/* Qualifiers of a constant array whose entries C++ knows at compile time, so
 * that kernels have it as initialized constant memory, and of a function whose
 * results it knows. */
#ifdef __cplusplus
#define BDCT_CONSTANT_TABLE constexpr
#define BDCT_CONSTANT_INLINE constexpr
#else
#define BDCT_CONSTANT_TABLE static const
#define BDCT_CONSTANT_INLINE static inline
#endif

/* Both names, expanded, as one. */
#define BDCT_CONCAT_(a, b) a##b
#define BDCT_CONCAT(a, b) BDCT_CONCAT_ (a, b)

#endif
