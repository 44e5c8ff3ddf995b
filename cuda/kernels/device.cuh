/* blockdct: qualifiers of device code, and what launches know of each other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_DEVICE_CUH
#define BDCT_DEVICE_CUH

#define BDCT_INLINE __device__ __forceinline__
#define BDCT_UNROLL _Pragma ("unroll")
#define BDCT_NO_UNROLL _Pragma ("unroll 1")

namespace {

/* Let the stream's next launch begin where this launch's blocks have ended. */
BDCT_INLINE void
let_next_begin (void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}

/* Wait until the previous launch has ended; needed before access to anything
 * that other launches write. */
BDCT_INLINE void
wait_for_last (void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.wait;" : : : "memory");
#endif
}

} // namespace

#endif
