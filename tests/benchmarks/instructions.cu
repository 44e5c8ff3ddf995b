/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many cycles the instructions that the kernels are made of take: for each,
 * the cycles between two of them that one of a multiprocessor's four schedulers
 * issues, with four warps that never wait. Prints a table. GPUs older than 8.0
 * lack some of them: nothing is measured there. */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

namespace {

constexpr int kRepeats = 8, kRounds = 64, kChains = 8, kWarps = 16;

struct State
{
  uint32_t a[kChains], s;
  float f[kChains], d[4][4];
};

#define PRODUCT(shape, a, b)                                                  \
  "mma.sync.aligned." shape ".row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "        \
  a ", " b ", {%0,%1,%2,%3};"

/* Sixteen-column and eight-column products onto accumulator i. */
__device__ __forceinline__ void
product (State &t, int i)
{
#if __CUDA_ARCH__ >= 800
  asm volatile (PRODUCT ("m16n8k16", "{%4,%5,%6,%7}", "{%8,%9}")
      : "+f" (t.d[i][0]), "+f" (t.d[i][1]), "+f" (t.d[i][2]), "+f" (t.d[i][3])
      : "r" (t.a[0]), "r" (t.a[1]), "r" (t.a[2]), "r" (t.a[3]), "r" (t.a[4]),
      "r" (t.a[5]));
#endif
}

__device__ __forceinline__ void
half_product (State &t, int i)
{
#if __CUDA_ARCH__ >= 800
  asm volatile (PRODUCT ("m16n8k8", "{%4,%5}", "{%6}")
      : "+f" (t.d[i][0]), "+f" (t.d[i][1]), "+f" (t.d[i][2]), "+f" (t.d[i][3])
      : "r" (t.a[0]), "r" (t.a[1]), "r" (t.a[4]));
#endif
}

__device__ __forceinline__ void
multiply_add (State &t, int i)
{
  asm volatile ("fma.rm.f32 %0, %0, %1, %2;" : "+f" (t.f[i])
      : "f" (__uint_as_float (t.s)), "f" (t.f[(i + 1) % kChains]));
}

struct MultiplyAdd
{
  static constexpr const char *name = "FFMA";
  static __device__ void run (State &t, int i, int) { multiply_add (t, i); }
};

struct MultiplyAddInteger
{
  static constexpr const char *name = "IMAD";
  static __device__ void run (State &t, int i, int)
  {
    asm volatile ("mad.lo.s32 %0, %0, %1, %2;" : "+r" (t.a[i])
        : "r" (t.s), "r" (t.a[(i + 1) % kChains]));
  }
};

struct Permute
{
  static constexpr const char *name = "PRMT";
  static __device__ void run (State &t, int i, int)
  {
    asm volatile ("prmt.b32 %0, %0, %1, 0x5410;" : "+r" (t.a[i]) : "r" (t.s));
  }
};

struct Logic
{
  static constexpr const char *name = "LOP3";
  static __device__ void run (State &t, int i, int)
  {
    asm volatile ("lop3.b32 %0, %0, %1, %2, 0xae;" : "+r" (t.a[i])
        : "r" (t.s), "r" (t.a[(i + 1) % kChains]));
  }
};

struct Pack
{
  static constexpr const char *name = "F2FP";
  static __device__ void run (State &t, int i, int)
  {
#if __CUDA_ARCH__ >= 800
    asm volatile ("cvt.rz.f16x2.f32 %0, %1, %2;" : "=r" (t.a[i])
        : "f" (t.f[i]), "f" (__uint_as_float (t.a[i])));
#endif
  }
};

struct MultiplyAddHalves
{
  static constexpr const char *name = "HFMA2";
  static __device__ void run (State &t, int i, int)
  {
    asm volatile ("fma.rn.f16x2 %0, %0, %1, %2;" : "+r" (t.a[i])
        : "r" (t.s), "r" (t.a[(i + 1) % kChains]));
  }
};

/* One for each two steps: there are four accumulators. */
struct Product
{
  static constexpr const char *name = "HMMA.16816.F32";
  static __device__ void run (State &t, int i, int)
  {
    if (i % 2 == 0)
      product (t, i / 2);
  }
};

struct HalfProduct
{
  static constexpr const char *name = "HMMA.1688.F32";
  static __device__ void run (State &t, int i, int)
  {
    if (i % 2 == 0)
      half_product (t, i / 2);
  }
};

struct Both
{
  static constexpr const char *name = "8 FFMA and HMMA.16816.F32";
  static __device__ void run (State &t, int i, int repeat)
  {
    multiply_add (t, i);
    if (i == 0)
      product (t, repeat % 4);
  }
};

template <typename Op> __global__ void
measure (long long *cycles, uint32_t *sink, uint32_t seed)
{
  State t;

  t.s = seed;
  for (int i = 0; i < kChains; i++) {
    t.a[i] = threadIdx.x * 7 + i + seed;
    t.f[i] = (float) (threadIdx.x + i + seed);
  }
  for (int i = 0; i < 16; i++)
    t.d[i / 4][i % 4] = (float) (seed + i);
  const long long start = clock64 ();
  for (int round = 0; round < kRounds; round++)
    _Pragma ("unroll") for (int r = 0; r < kRepeats; r++)
      _Pragma ("unroll") for (int i = 0; i < kChains; i++)
        Op::run (t, i, r);
  const long long end = clock64 ();
  uint32_t sum = 0;
  for (int i = 0; i < kChains; i++)
    sum += t.a[i] + __float_as_uint (t.f[i]);
  for (int i = 0; i < 16; i++)
    sum += __float_as_uint (t.d[i / 4][i % 4]);
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *cycles = end - start;
}

void
must (cudaError_t err, const char *call)
{
  if (err == cudaSuccess)
    return;
  fprintf (stderr, "%s: %s\n", call, cudaGetErrorString (err));
  exit (err == cudaErrorNoDevice || err == cudaErrorInsufficientDriver ? 77
      : 1);
}

/* `steps` of the op in kChains. */
template <typename Op> void
print (int steps, long long *cycles, uint32_t *sink)
{
  long long n;

  for (int i = 0; i < 2; i++)
    measure<Op> <<<1, kWarps * 32>>> (cycles, sink, 3);
  must (cudaGetLastError (), "cudaLaunchKernel");
  must (cudaMemcpy (&n, cycles, sizeof n, cudaMemcpyDeviceToHost),
      "cudaMemcpy");
  printf ("%-28s %6.2f\n", Op::name,
      (double) n / (kRounds * kRepeats * steps * (kWarps / 4)));
}

} // namespace

int
main (void)
{
  cudaDeviceProp prop;
  long long *cycles;
  uint32_t *sink;

  must (cudaGetDeviceProperties (&prop, 0), "cudaGetDeviceProperties");
  if (prop.major < 8) {
    printf ("skipped: %s has compute capability %d.%d; 8.0 is needed\n",
        prop.name, prop.major, prop.minor);
    return 77;
  }
  must (cudaMalloc ((void **) &cycles, sizeof *cycles), "cudaMalloc");
  must (cudaMalloc ((void **) &sink, kWarps * 32 * sizeof *sink),
      "cudaMalloc");
  printf ("%s: cycles of a scheduler\n", prop.name);
  print<MultiplyAdd> (8, cycles, sink);
  print<MultiplyAddHalves> (8, cycles, sink);
  print<MultiplyAddInteger> (8, cycles, sink);
  print<Permute> (8, cycles, sink);
  print<Logic> (8, cycles, sink);
  print<Pack> (8, cycles, sink);
  print<Product> (4, cycles, sink);
  print<HalfProduct> (4, cycles, sink);
  print<Both> (1, cycles, sink);
  cudaFree (cycles);
  cudaFree (sink);
  return 0;
}
