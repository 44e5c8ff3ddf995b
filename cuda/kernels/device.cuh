/* blockdct: qualifiers of device code.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_DEVICE_CUH
#define BDCT_DEVICE_CUH

#define BDCT_INLINE __device__ __forceinline__
#define BDCT_UNROLL _Pragma ("unroll")
#define BDCT_NO_UNROLL _Pragma ("unroll 1")

#endif
