/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the cycles of the kernels' instructions: for each, the cycles
 * between two of them that one of a multiprocessor's four schedulers issues,
 * with four warps that never wait; and for each matrix product, alone and among
 * other instructions. Prints a table. GPUs older than 8.0 lack some
 * instructions: nothing is measured there. */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

namespace {

constexpr int kRepeats = 8, kRounds = 64, kChains = 8, kWarps = 16;

struct State
{
  uint32_t a[kChains], s;
  float f[kChains];
  uint32_t operand[6], d[4][4]; /* of products; and accumulators */
};

/* Products that add to accumulator i. */
enum Product { HMMA_16816, HMMA_1688, IMMA_16832, IMMA_16816 };

#define PRODUCT(shape, types, a, b)                                           \
  asm volatile ("mma.sync.aligned." shape ".row.col." types " {%0,%1,%2,%3}, "\
      a ", " b ", {%0,%1,%2,%3};"                                             \
      : "+r" (t.d[i][0]), "+r" (t.d[i][1]), "+r" (t.d[i][2]),                 \
      "+r" (t.d[i][3]) : "r" (t.operand[0]), "r" (t.operand[1]),              \
      "r" (t.operand[2]), "r" (t.operand[3]), "r" (t.operand[4]),             \
      "r" (t.operand[5]))

template <Product KIND> __device__ __forceinline__ void
product (State &t, int i)
{
#if __CUDA_ARCH__ >= 800
  if (KIND == HMMA_16816)
    PRODUCT ("m16n8k16", "f32.f16.f16.f32", "{%4,%5,%6,%7}", "{%8,%9}");
  else if (KIND == HMMA_1688)
    PRODUCT ("m16n8k8", "f32.f16.f16.f32", "{%4,%5}", "{%8}");
  else if (KIND == IMMA_16832)
    PRODUCT ("m16n8k32", "s32.s8.u8.s32", "{%4,%5,%6,%7}", "{%8,%9}");
  else
    PRODUCT ("m16n8k16", "s32.s8.u8.s32", "{%4,%5}", "{%8}");
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

/* One product for each OTHERS instructions, of two pipes alternately. */
template <Product KIND, int OTHERS> struct Beside
{
  static constexpr int every = OTHERS > 0 ? OTHERS : 2;
  static __device__ void run (State &t, int i, int repeat)
  {
    const int n = repeat * kChains + i;

    if (n % every == 0)
      product<KIND> (t, n / every % 4);
    if (OTHERS > 0 && i % 2 == 0)
      Permute::run (t, i, repeat);
    else if (OTHERS > 0)
      MultiplyAddInteger::run (t, i, repeat);
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
  for (int i = 0; i < 6; i++)
    t.operand[i] = threadIdx.x + i + seed;
  for (int i = 0; i < 16; i++)
    t.d[i / 4][i % 4] = seed + i;
  __syncthreads ();
  const long long start = clock64 ();
  for (int round = 0; round < kRounds; round++)
    _Pragma ("unroll") for (int r = 0; r < kRepeats; r++)
      _Pragma ("unroll") for (int i = 0; i < kChains; i++)
        Op::run (t, i, r);
  __syncthreads ();             /* as some warps are ahead of others */
  const long long end = clock64 ();
  uint32_t sum = 0;
  for (int i = 0; i < kChains; i++)
    sum += t.a[i] + __float_as_uint (t.f[i]);
  for (int i = 0; i < 16; i++)
    sum += t.d[i / 4][i % 4];
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

/* Cycles of an op; there are `steps` of them in kChains. */
template <typename Op> double
time_op (double steps, long long *cycles, uint32_t *sink)
{
  long long n;

  for (int i = 0; i < 2; i++)
    measure<Op> <<<1, kWarps * 32>>> (cycles, sink, 3);
  must (cudaGetLastError (), "cudaLaunchKernel");
  must (cudaMemcpy (&n, cycles, sizeof n, cudaMemcpyDeviceToHost),
      "cudaMemcpy");
  return n / (kRounds * kRepeats * steps * (kWarps / 4));
}

template <typename Op> void
print (long long *cycles, uint32_t *sink)
{
  printf ("%-16s %6.2f\n", Op::name, time_op<Op> (kChains, cycles, sink));
}

template <Product KIND, int OTHERS> void
print_beside (long long *cycles, uint32_t *sink)
{
  using Op = Beside<KIND, OTHERS>;

  printf (" %6.2f", time_op<Op> ((double) kChains / Op::every, cycles, sink));
}

template <Product KIND> void
print_product (const char *name, long long *cycles, uint32_t *sink)
{
  printf ("%-16s", name);
  print_beside<KIND, 0> (cycles, sink);
  print_beside<KIND, 4> (cycles, sink);
  print_beside<KIND, 8> (cycles, sink);
  print_beside<KIND, 16> (cycles, sink);
  putchar ('\n');
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
  print<MultiplyAdd> (cycles, sink);
  print<MultiplyAddHalves> (cycles, sink);
  print<MultiplyAddInteger> (cycles, sink);
  print<Permute> (cycles, sink);
  print<Logic> (cycles, sink);
  print<Pack> (cycles, sink);
  printf ("%-16s %6s %6s %6s %6s\n", "a product", "alone", "+ 4", "+ 8",
      "+ 16 PRMT and IMAD in turn");
  print_product<HMMA_16816> ("HMMA.16816.F32", cycles, sink);
  print_product<HMMA_1688> ("HMMA.1688.F32", cycles, sink);
  print_product<IMMA_16832> ("IMMA.16832", cycles, sink);
  print_product<IMMA_16816> ("IMMA.16816", cycles, sink);
  cudaFree (cycles);
  cudaFree (sink);
  return 0;
}
