/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels without tensor cores, compiled to run without a GPU. */
#include "tensor-emulation.h"

#define BDCT_WORDS_CUH
#undef __constant__
#undef __align__
#define __constant__
#define __align__(n) __attribute__ ((aligned (n)))

namespace {

inline void
__syncthreads ()
{
  wait_for_block ();
}

inline bool
__all_sync (uint32_t, bool v)
{
  return !any_lane (!v);
}

inline float
__int_as_float (int32_t v)
{
  return __uint_as_float ((uint32_t) v);
}

inline int32_t
__float_as_int (float v)
{
  return (int32_t) __float_as_uint (v);
}

inline float
__fadd_rd (float a, float b)
{
  return rounded_fma (1, a, b, FE_DOWNWARD);
}

/* cuda/scalar/words.cuh's */

template <bool SIGNED, bool UPPER> int32_t
dot (uint32_t pair, uint32_t entries, int32_t sum)
{
  for (int i = 0; i < 2; i++) {
    const uint32_t v = pair >> 16 * i;

    sum += (SIGNED ? (int16_t) v : (uint16_t) v)
        * (int8_t) (entries >> (8 * i + 16 * UPPER));
  }
  return sum;
}

inline uint32_t
pack_signed (int32_t first, int32_t second)
{
  return (uint32_t) max (-32768, min (second, 32767)) << 16
      | (uint16_t) max (-32768, min (first, 32767));
}

inline uint32_t
is_nonzero (int32_t v)
{
  return v != 0;
}

} // namespace

#define bdct_scalar_find found_by_host
#include "cuda/scalar/scalar.cu"
#undef bdct_scalar_find

extern "C" const BdctCudaKernel *
bdct_scalar_find (const BdctCudaWork *work)
{
  return emulated_kernel (found_by_host (work));
}

extern "C" bool
fake_scalar (const void *function, const BdctCudaBatch *batch)
{
  return run_emulated<BdctCudaKernel> (function, batch);
}
