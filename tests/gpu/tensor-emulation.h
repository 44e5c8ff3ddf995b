/* The kernels of cuda/tensor without a GPU: the instructions of
 * cuda/tensor/mma.cuh, by their documentation, for lanes that take turns
 * (warp-emulation.h). A sum that would have to be rounded is an error.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_TENSOR_EMULATION_H
#define TESTS_TENSOR_EMULATION_H

#include "warp-emulation.h"

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <fenv.h>
#include <math.h>

#define BDCT_DEVICE_CUH         /* thread-emulation.h has these */
#define BDCT_MMA_CUH

#undef __global__
#undef __shared__
#undef __host__
#undef __device__
#undef __grid_constant__
#undef __launch_bounds__
#define __global__
#define __shared__ static thread_local
#define __host__
#define __device__
#define __grid_constant__
#define __launch_bounds__(...)
#define __CUDA_ARCH__ 900

namespace {

struct EmulatedIndex
{
  int x;
};

thread_local EmulatedIndex blockIdx;
#define threadIdx (EmulatedIndex { emulated->t })

template <typename A, typename B> auto
min (A a, B b) -> decltype (a + b)
{
  return a < b ? a : b;
}

template <typename A, typename B> auto
max (A a, B b) -> decltype (a + b)
{
  return a > b ? a : b;
}

inline float
__uint_as_float (uint32_t v)
{
  float r;

  memcpy (&r, &v, sizeof r);
  return r;
}

inline uint32_t
__float_as_uint (float v)
{
  uint32_t r;

  memcpy (&r, &v, sizeof r);
  return r;
}

inline float
rounded_fma (float a, float b, float c, int mode)
{
  volatile float va = a, vb = b, vc = c, r;

  fesetround (mode);
  r = fmaf (va, vb, vc);
  fesetround (FE_TONEAREST);
  return r;
}

inline float
__fmaf_rd (float a, float b, float c)
{
  return rounded_fma (a, b, c, FE_DOWNWARD);
}

inline float
__fmaf_rz (float a, float b, float c)
{
  return rounded_fma (a, b, c, FE_TOWARDZERO);
}

inline float
__fmaf_rn (float a, float b, float c)
{
  return fmaf (a, b, c);
}

/* F of each N bits of two registers. */
template <int N, typename F> uint32_t
each (uint32_t a, uint32_t b, F f)
{
  const uint32_t mask = (uint32_t) ((1ull << N) - 1);
  uint32_t r = 0;

  for (int i = 0; i < 32; i += N)
    r |= ((uint32_t) f ((int) (a >> i & mask), (int) (b >> i & mask)) & mask)
        << i;
  return r;
}

inline uint32_t
__vmaxu2 (uint32_t a, uint32_t b)
{
  return each<16> (a, b, [] (int x, int y) { return max (x, y); });
}

inline uint32_t
__viaddmin_u16x2 (uint32_t a, uint32_t b, uint32_t c)
{
  return __vminu2 (each<16> (a, b, [] (int x, int y) { return x + y; }), c);
}

inline void
__syncwarp ()
{
  wait_for_warp ();
}

template <typename T> T
__shfl_xor_sync (uint32_t, T v, int mask)
{
  return from_xor (v, mask);
}

template <typename T> T
__shfl_sync (uint32_t, T v, int lane, int width)
{
  return from_lane (v, (lane & (width - 1)) + emulated->t % 32 / width * width);
}

template <typename T> void
__stcs (T *to, const T &v)
{
  if ((uintptr_t) to % sizeof (T) != 0)
    fake_die ("a store that is not aligned");
  *to = v;
}

} // namespace

#include "cuda/tensor/fragments.cuh"

namespace {

/* What all lanes hold of an operand. */
template <typename T> struct OfWarp
{
  uint32_t r[sizeof (T) / 4][32];

  explicit OfWarp (const T &own)
  {
    uint32_t w[sizeof (T) / 4];

    memcpy (w, &own, sizeof w);
    for (size_t i = 0; i < sizeof (T) / 4; i++) {
      const uint64_t *all = meet_warp (w[i]);

      for (int lane = 0; lane < 32; lane++)
        r[i][lane] = (uint32_t) all[lane];
    }
  }
};

template <typename T> inline int
byte_of (uint32_t word, int i)
{
  return (T) (word >> 8 * i);
}

template <typename A, typename B> FragC16x8i
mma_bytes (const FragA16x32b &own_a, const FragB32x8b &own_b,
    const FragC16x8i &c)
{
  const OfWarp<FragA16x32b> a (own_a);
  const OfWarp<FragB32x8b> b (own_b);
  const int g = emulated->t % 32 / 4, t = emulated->t % 4;
  FragC16x8i d;

  for (int i = 0; i < 4; i++) {
    const int half = i / 2, column = 2 * t + i % 2;
    int64_t sum = (int32_t) c.v[i];

    for (int k = 0; k < 32; k++)
      sum += byte_of<A> (a.r[half + k / 16 * 2][4 * g + k % 16 / 4], k % 4)
          * byte_of<B> (b.r[k / 16][4 * column + k % 16 / 4], k % 4);
    if (sum != (int32_t) sum)
      fake_die ("a sum that does not fit");
    d.v[i] = (uint32_t) sum;
  }
  return d;
}

inline FragC16x8i
mma_16x8x32_s8_s8 (const FragA16x32b &a, const FragB32x8b &b,
    const FragC16x8i &c)
{
  return mma_bytes<int8_t, int8_t> (a, b, c);
}

inline FragC16x8i
mma_16x8x32_s8_u8 (const FragA16x32b &a, const FragB32x8b &b,
    const FragC16x8i &c)
{
  return mma_bytes<int8_t, uint8_t> (a, b, c);
}

inline FragC16x8i
mma_16x8x32_u8_s8 (const FragA16x32b &a, const FragB32x8b &b,
    const FragC16x8i &c)
{
  return mma_bytes<uint8_t, int8_t> (a, b, c);
}

inline FragC16x8i
mma_16x8x16_s8_u8 (const FragA16x16b &a, const FragB16x8b &b,
    const FragC16x8i &c)
{
  return mma_bytes<int8_t, uint8_t> ({ { a.r[0], a.r[1], 0, 0 } },
      { { b.r[0], 0 } }, c);
}

inline double
half_of (uint32_t word, int i)
{
  const __half_raw raw = { (unsigned short) (word >> 16 * i) };

  return (double) __half2float (__half (raw));
}

inline FragC16x8f
mma_16x8x16_f16 (const FragA16x16h &own_a, const FragB16x8h &own_b,
    const FragC16x8f &c)
{
  const OfWarp<FragA16x16h> a (own_a);
  const OfWarp<FragB16x8h> b (own_b);
  const int g = emulated->t % 32 / 4, t = emulated->t % 4;
  FragC16x8f d;

  for (int i = 0; i < 4; i++) {
    const int half = i / 2, column = 2 * t + i % 2;
    double sum = c.v[i];

    for (int k = 0; k < 16; k++)
      sum += half_of (a.r[half + k / 8 * 2][4 * g + k % 8 / 2], k % 2)
          * half_of (b.r[k / 8][4 * column + k % 8 / 2], k % 2);
    d.v[i] = (float) sum;
    if (d.v[i] != sum)
      fake_die ("a sum that is rounded");
  }
  return d;
}

inline FragC16x8f
mma_16x8x8_f16 (const FragA16x8h &a, const FragB8x8h &b, const FragC16x8f &c)
{
  return mma_16x8x16_f16 ({ { a.r[0], a.r[1], 0, 0 } }, { { b.r[0], 0 } }, c);
}

/* Shared memory: its addresses are the lower halves of pointers. */
thread_local uintptr_t shared_upper;

inline uint32_t
shared_address (const void *p)
{
  shared_upper = (uintptr_t) p >> 32 << 32;
  return (uint32_t) (uintptr_t) p;
}

template <typename T> T *
shared (uint32_t address)
{
  if (address % sizeof (T) != 0)
    fake_die ("an address that is not aligned");
  return (T *) (shared_upper | address);
}

inline uint4
load_shared (uint32_t address)
{
  return *shared<uint4> (address);
}

inline void
store_shared (uint32_t address, const uint4 &v)
{
  *shared<uint4> (address) = v;
}

inline void
load_shared (uint32_t v[2], uint32_t address)
{
  memcpy (v, shared<uint64_t> (address), 8);
}

inline void
store_shared (uint32_t address, uint32_t v0, uint32_t v1)
{
  *shared<uint64_t> (address) = v0 | (uint64_t) v1 << 32;
}

inline uint32_t
load_word (uint32_t address)
{
  return *shared<uint32_t> (address);
}

inline void
store_word (uint32_t address, uint32_t v)
{
  *shared<uint32_t> (address) = v;
}

inline uint32_t
load_byte (uint32_t address)
{
  return *shared<uint8_t> (address);
}

inline void
store_byte (uint32_t address, uint32_t v)
{
  *shared<uint8_t> (address) = (uint8_t) v;
}

inline void
load_matrices (uint32_t *w, uint32_t row)
{
  const uint64_t *rows = meet_warp (row);
  const int g = emulated->t % 32 / 4, t = emulated->t % 4;

  for (int i = 0; i < 4; i++)
    w[i] = load_word ((uint32_t) rows[8 * i + g] + 4 * t);
}

template <int PITCH, int NEXT_ROWS, int NEXT_CHUNKS, int PAIR_ROWS,
    int PAIR_CHUNKS> struct Matrices
{
  static uint32_t
  row (int lane)
  {
    const int next = lane / 8 % 2, pair = lane / 16;

    return (lane % 8 + next * NEXT_ROWS + pair * PAIR_ROWS) * PITCH
        + (next * NEXT_CHUNKS + pair * PAIR_CHUNKS) * 16;
  }

  static void
  store (uint32_t row, const uint32_t *w)
  {
    const uint64_t *rows = meet_warp (row);
    const int g = emulated->t % 32 / 4, t = emulated->t % 4;

    for (int i = 0; i < 4; i++)
      store_word ((uint32_t) rows[8 * i + g] + 4 * t, w[i]);
  }
};

inline void
copy_async (uint32_t to, const void *global)
{
  if ((uintptr_t) global % 16 != 0)
    fake_die ("a copy that is not aligned");
  memcpy (shared<uint4> (to), global, 16);
}

inline void
copies_end ()
{
}

template <int LEFT> void
copies_wait ()
{
}

/* Two floats as halves rounded to nearest, or towards zero. */
inline uint32_t
pack_half (float low, float high)
{
  const __half_raw a = __float2half_rn (low), b = __float2half_rn (high);

  return a.x | (uint32_t) b.x << 16;
}

inline uint32_t
truncate_half (float low, float high)
{
  const __half_raw a = __float2half_rz (low), b = __float2half_rz (high);

  return a.x | (uint32_t) b.x << 16;
}

inline uint32_t
clip (uint32_t v, int peak)
{
  return (uint32_t) max (0, min ((int32_t) v, peak));
}

inline uint32_t
pack_bytes (uint32_t low, uint32_t high, uint32_t upper)
{
  return upper << 16 | clip (high, 255) << 8 | clip (low, 255);
}

inline uint32_t
pack_words (uint32_t low, uint32_t high)
{
  return clip (high, 65535) << 16 | clip (low, 65535);
}

inline uint32_t
half_mul (uint32_t a, uint32_t b)
{
  return pack_half ((float) (half_of (a, 0) * half_of (b, 0)),
      (float) (half_of (a, 1) * half_of (b, 1)));
}

inline uint32_t
signs_of (uint32_t halves)
{
  return (halves >> 31 ? 0xffff0000 : 0) | (halves >> 15 & 1 ? 0xffff : 0);
}

inline float
with_sign (uint32_t magnitude, float sign)
{
  return __uint_as_float (magnitude | (__float_as_uint (sign) & 0x80000000));
}

/* Kernels as the runtime knows them, by an address, with their code. */
template <typename Kernel> struct Emulated
{
  Kernel own;
  const Kernel *of;
  void (*code) (const BdctCudaBatch);
};

template <typename Kernel> Emulated<Kernel> all[256];

template <typename Kernel> const Kernel *
emulated_kernel (const Kernel *found)
{
  Emulated<Kernel> *e = all<Kernel>;

  while (e->of != nullptr && e->of != found)
    e++;
  if (e->of == nullptr) {
    /* A tensor-core kernel begins with the other kind. */
    BdctCudaKernel &kernel = (BdctCudaKernel &) e->own;

    e->own = *found;
    e->code = (void (*) (const BdctCudaBatch)) kernel.function;
    kernel.function = &e->own;
    e->of = found;
  }
  return &e->own;
}

template <typename Kernel> bool
run_emulated (const void *function, const BdctCudaBatch *batch)
{
  const Emulated<Kernel> *e = (const Emulated<Kernel> *) function;

  if (e < all<Kernel> || e >= all<Kernel> + 256)
    return false;
  const BdctCudaKernel &kernel = (const BdctCudaKernel &) e->own;

  for (int p = 0; p < batch->n_planes; p++) {
    const BdctCudaPlane &plane = batch->plane[p];
    const void *of[] = { plane.src.data, plane.dst.data, plane.constants,
      plane.accumulators, plane.quantizer_of_tile, plane.blocks[0],
      plane.blocks[1], plane.quantizer_map[0], plane.quantizer_map[1] };

    for (const void *memory : of)
      fake_need_device (memory, 1, "a kernel on memory of the host");
  }
  emulate_blocks<char> (32 * kernel.warps, fake_blocks (&kernel, batch),
      [e, batch] (int i, int, char &) {
        blockIdx.x = i;
        e->code (*batch);
      });
  return true;
}

} // namespace

#endif
