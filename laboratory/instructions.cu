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

#define INSTRUCTION(text)                                                     \
  asm volatile (text : "+r" (t.a[i]) : "r" (t.s), "r" (next))

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

enum Kind { FFMA, HFMA2, IMAD, PRMT, LOP3, F2FP };

/* An instruction of one of the kinds. */
template <Kind KIND> struct One
{
  static __device__ void run (State &t, int i, int)
  {
    const uint32_t next = t.a[(i + 1) % kChains];

    if (KIND == FFMA)
      asm volatile ("fma.rm.f32 %0, %0, %1, %2;" : "+f" (t.f[i])
          : "f" (__uint_as_float (t.s)), "f" (t.f[(i + 1) % kChains]));
    else if (KIND == HFMA2)
      INSTRUCTION ("fma.rn.f16x2 %0, %0, %1, %2;");
    else if (KIND == IMAD)
      INSTRUCTION ("mad.lo.s32 %0, %0, %1, %2;");
    else if (KIND == PRMT)
      INSTRUCTION ("prmt.b32 %0, %0, %1, 0x5410;");
    else if (KIND == LOP3)
      INSTRUCTION ("lop3.b32 %0, %0, %1, %2, 0xae;");
#if __CUDA_ARCH__ >= 800
    else
      asm volatile ("cvt.rz.f16x2.f32 %0, %1, %2;" : "=r" (t.a[i])
          : "f" (t.f[i]), "f" (__uint_as_float (t.a[i])));
#endif
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
      One<PRMT>::run (t, i, repeat);
    else if (OTHERS > 0)
      One<IMAD>::run (t, i, repeat);
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

long long *cycles;
uint32_t *sink;

/* Print an op's cycles; there are `steps` of them in kChains. */
template <typename Op> void
print (double steps)
{
  long long n;

  for (int i = 0; i < 2; i++)
    measure<Op> <<<1, kWarps * 32>>> (cycles, sink, 3);
  must (cudaGetLastError (), "cudaLaunchKernel");
  must (cudaMemcpy (&n, cycles, sizeof n, cudaMemcpyDeviceToHost),
      "cudaMemcpy");
  printf (" %6.2f", n / (kRounds * kRepeats * steps * (kWarps / 4)));
}

template <Kind KIND> void
print_one (const char *name)
{
  printf ("%-16s", name);
  print<One<KIND>> (kChains);
  putchar ('\n');
}

template <Product KIND, int... OTHERS> void
print_product (const char *name)
{
  printf ("%-16s", name);
  (print<Beside<KIND, OTHERS>> ((double) kChains
      / Beside<KIND, OTHERS>::every), ...);
  putchar ('\n');
}

} // namespace

int
main (void)
{
  cudaDeviceProp prop;

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
  print_one<FFMA> ("FFMA");
  print_one<HFMA2> ("HFMA2");
  print_one<IMAD> ("IMAD");
  print_one<PRMT> ("PRMT");
  print_one<LOP3> ("LOP3");
  print_one<F2FP> ("F2FP");
  printf ("%-16s %6s %6s %6s %6s\n", "a product", "alone", "+ 4", "+ 8",
      "+ 16 PRMT and IMAD in turn");
  print_product<HMMA_16816, 0, 4, 8, 16> ("HMMA.16816.F32");
  print_product<HMMA_1688, 0, 4, 8, 16> ("HMMA.1688.F32");
  print_product<IMMA_16832, 0, 4, 8, 16> ("IMMA.16832");
  print_product<IMMA_16816, 0, 4, 8, 16> ("IMMA.16816");
  return 0;
}
