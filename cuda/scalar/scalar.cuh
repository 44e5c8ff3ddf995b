/* blockdct: what the kernels without tensor cores share.
 *
 * A thread has a block of up to 8 x 8 (scalar/small.cuh), a warp a larger one
 * (scalar/large.cuh). The order of the stages is that of dct/quantizer/job.h. A
 * `transposed` chain works on the transposed block.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <string.h>
#include <type_traits>
#include "cuda/launch/kernel.h"
#include "dct/base/sample.h"
#include "dct/transform/matrices.h"
#include "rows.cuh"

/* The definitions for dct/quantizer/quantize.h: a lane has one value. */
#define BDCT_NAME(name) lane_##name
#define BDCT_INT int32_t
#define BDCT_FLOAT float

BDCT_INLINE float
lane_to_float (int32_t v)
{
  return (float) v;
}

BDCT_INLINE int32_t
lane_to_int (float v)
{
  return (int32_t) v;
}

BDCT_INLINE float
lane_as_float (int32_t v)
{
  return __int_as_float (v);
}

/* With the correctly rounded reciprocal, the first step makes v faithful and
 * the second exact (Markstein, IBM J. Res. Dev. 34 (1990) 111). */
BDCT_INLINE float
lane_divide (float c, float d, float reciprocal)
{
  float v = c * reciprocal;

  v = fmaf (fmaf (-v, d, c), reciprocal, v);
  return fmaf (fmaf (-v, d, c), reciprocal, v);
}

BDCT_INLINE int32_t
lane_clip16 (int32_t v)
{
  return max (-32768, min (v, 32767));
}

BDCT_INLINE float
lane_with_sign (float magnitude, float c)
{
  return copysignf (magnitude, c);
}

#include "dct/quantizer/quantize.h"

/* nvcc unrolls butterflies.h up to 8 samples; longer lines are dot products. */
#define BDCT_PASS(name) name##_lane
#define BDCT_FLOW(name) name##_lane
#define BDCT_VALUE int32_t
#define BDCT_SCALAR int32_t
#include "dct/transform/butterflies.h"
#include "dct/transform/flows.h"
#undef BDCT_VALUE
#undef BDCT_SCALAR
#define BDCT_VALUE float
#define BDCT_SCALAR float
#include "dct/transform/butterflies.h"

namespace {

/* A basis' matrix, in the order of dct/transform/butterflies.h. Indices are
 * compile-time constants after unrolling, so that entries are operands of the
 * arithmetic instructions: they need no load and no register. */
template <BdctBasis BASIS, int N, typename Value> struct Entries
{
  Value at[N * N] = {};

  constexpr Entries ()
  {
    for (int k = 0; k < N; k++)
      for (int n = 0; n < N; n++)
        if constexpr (std::is_same_v<Value, float>)
          at[k * N + n] = bdct_matrix_dct8x8 (k, n);
        else
          at[k * N + n] = bdct_matrix_int (BASIS, k, n);
  }
};

template <BdctBasis BASIS, int N, typename Value>
__constant__ constexpr Entries<BASIS, N, Value> entries;

/* A basis for a value type: its size, whether its matrix lacks symmetry, the
 * coefficient of frequency 0 for samples that are all 1 (the others are 0), and
 * its passes. */
template <BdctBasis BASIS, typename Value> struct Basis;

#define BASIS_PASSES(id_, n, dense_, ones_, forward_, inverse_)               \
  template <typename Value> struct Basis<BDCT_BASIS_##id_, Value>             \
  {                                                                           \
    static constexpr BdctBasis id = BDCT_BASIS_##id_;                         \
    static constexpr int size = n;                                            \
    static constexpr bool dense = dense_;                                     \
    static constexpr int ones = ones_;                                        \
    static BDCT_INLINE void                                                   \
    forward (Value *y, const Value *x)                                        \
    {                                                                         \
      forward_;                                                               \
    }                                                                         \
    static BDCT_INLINE void                                                   \
    inverse (Value *y, const Value *x)                                        \
    {                                                                         \
      inverse_;                                                               \
    }                                                                         \
  };
#define BASIS_MATRIX(id, n, dense, forward, inverse)                          \
  BASIS_PASSES (id, n, dense, n * bdct_matrix_int (BDCT_BASIS_##id, 0, 0),    \
      (BDCT_PASS (forward) (y, x, entries<BDCT_BASIS_##id, n, Value>.at, n,   \
              n)), (BDCT_PASS (inverse) (y, x,                                \
              entries<BDCT_BASIS_##id, n, Value>.at, n, n)))
#define BASIS_BUTTERFLIES(id, n)                                              \
  BASIS_MATRIX (id, n, false, forward, inverse)
#define BASIS_DENSE(id, n)                                                    \
  BASIS_MATRIX (id, n, true, forward_dense, inverse_dense)
#define BASIS_FLOW(id, n)                                                     \
  BASIS_PASSES (id, n, false, n, BDCT_FLOW (forward_##id) (y, x),             \
      BDCT_FLOW (inverse_##id) (y, x))
#define BASIS(id, n, kind) BASIS_##kind (id, n)
#include "dct/transform/transforms.def"

template <BdctFamily FAMILY, BdctBasis ROW, BdctBasis COLUMN, int KEEP,
    BdctDcStage DC>
struct ChainOf
{
  static constexpr BdctFamily family = FAMILY;
  static constexpr bool clip16 = BDCT_QUANTIZE_CLIP16 (FAMILY);
  static constexpr bool transposed = BDCT_TRANSPOSED (FAMILY);
  /* Whether it is quantized by steps, which the tables have as floats. */
  static constexpr bool stepped =
      FAMILY == BDCT_FAMILY_JPEG || FAMILY == BDCT_FAMILY_DCT8X8;
  using Value =
      std::conditional_t<FAMILY == BDCT_FAMILY_DCT8X8, float, int32_t>;
  using Row = Basis<ROW, Value>;
  using Column = Basis<COLUMN, Value>;
  static constexpr int width = Row::size, height = Column::size;
  /* Whether it has a second stage, of the DCs of 8 x 8 or 8 x 16 samples. */
  static constexpr bool dc = DC == BDCT_DC_MACROBLOCK;
  static_assert (!dc || (Row::id == BDCT_BASIS_H264_4
          && Column::id == BDCT_BASIS_H264_4),
      "scalar/macroblock.cuh adds samples for a DC");
  /* The frequencies that are kept. */
  static constexpr int columns = KEEP < width ? KEEP : width;
  static constexpr int rows = KEEP < height ? KEEP : height;
  /* The side of a square of whole blocks, and whether a thread has a whole
   * block. */
  static constexpr int side = width > 32 || height > 32 ? 64 : 32;
  static constexpr bool small = width <= 8 && height <= 8;
  /* Whether a block is in shared memory between its passes
   * (scalar/small.cuh). */
  static constexpr bool shared = small && width * height > 16 && !transposed;
  /* Whether its passes are dot products (scalar/dots.cuh). */
  static constexpr bool dots = FAMILY == BDCT_FAMILY_HEVC;
  static_assert (width == height, "only squares are transposed and halved");
  static_assert (small || dots, "numbers above 8 x 8 have no kernel");
};

template <BdctChain> struct Chain;

#define CHAIN(id, family, row, column, keep, dc)                              \
  template <> struct Chain<BDCT_CHAIN_##id>                                   \
      : ChainOf<BDCT_FAMILY_##family, BDCT_BASIS_##row, BDCT_BASIS_##column,  \
          keep, BDCT_DC_##dc>                                                 \
  {                                                                           \
  };
#include "dct/transform/transforms.def"

/* A component's constants in device memory: its job, with the tables by columns
 * of the block, so that a column's entries are loaded at once. `dequant` has
 * the results of bdct_quantize_companion(), and steps are floats. */
struct alignas (16) Constants
{
  int32_t clips;                /* whether levels may exceed 16 bits */
  int32_t unused[2];
  BdctComponentJob job;
};

static_assert (offsetof (Constants, job.quant) % 16 == 0
    && offsetof (Constants, job.dequant) % 16 == 0, "loaded by 16 bytes");

inline void
make_component (Constants *to, const BdctJob *job, int component)
{
  const BdctComponentJob *from = &job->component[component];

  to->job = *from;
  for (int i = 0; i < 64; i++) {
    const int index = from->transposed ? i : i % 8 * 8 + i / 8;
    const float step = (float) from->quant[index];

    to->job.quant[i] = from->quant[index];
    if (!bdct_family_has_qp (job->family))
      memcpy (&to->job.quant[i], &step, sizeof step);
    to->job.dequant[i] = bdct_quantize_companion (job, from, index);
  }
  if (bdct_family_has_qp (job->family))
    to->clips = bdct_quantize_largest (from) > INT16_MAX;
}

/* The requested output of a kernel instance. */
using Output = BdctCudaOutput;

/* A job's shifts of the passes. */
struct Shifts
{
  int32_t fwd[2], inv[2];
};

template <typename C> BDCT_INLINE Shifts
get_shifts (const Constants *from)
{
  const BdctComponentJob *job = &from->job;

  if (BDCT_ROUNDS_LAST (C::family))
    return { { 0, 0 }, { 0, __ldg (&job->inv_shift[1]) } };
  return { { __ldg (&job->fwd_shift[0]), __ldg (&job->fwd_shift[1]) },
    { __ldg (&job->inv_shift[0]), __ldg (&job->inv_shift[1]) } };
}

/* A job's quantizer without its tables. */
template <typename C> BDCT_INLINE BdctComponentJob
get_job (const Constants *from)
{
  BdctComponentJob job;

  /* requantize_column() clips levels, and the pairs of dot products clip
   * values. */
  job.clip16 = false;
  if (C::stepped)
    return job;
  job.quant_bits = __ldg (&from->job.quant_bits);
  job.quant_add = __ldg (&from->job.quant_add);
  job.dequant_bits = __ldg (&from->job.dequant_bits);
  return job;
}

/* Load four entries of a column, from row v on. */
BDCT_INLINE void
load_entries (int32_t *to, const int32_t *table, int u, int v)
{
  const int4 four = __ldg ((const int4 *) (table + u * 8 + v));

  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}

/* The blocks of one component of a plane. */
struct ComponentBlocks
{
  int columns;
  bool tall;                    /* a block with a second stage is 16 high */
  const uint8_t *quantizer_map;  /* NULL: the first quantizer for all */
  const Constants *quantizers;
  int quantizer_size;
  union
  {
    BdctBlockRecord *records;   /* NULL: not requested */
    BdctLevel *levels;          /* for instances that store levels */
  };

  BDCT_INLINE
  ComponentBlocks (const BdctCudaPlane &plane, int i, Output output)
  {
    columns = plane.columns;
    tall = plane.log2_height > 3;
    quantizer_map = plane.quantizer_map[i];
    quantizers = (const Constants *) plane.constants + i;
    quantizer_size = plane.quantizer_size;
    if (output == BDCT_CUDA_LEVELS)
      levels = plane.levels[i];
    else
      records = plane.blocks[i];
  }

  /* The number of the block at a sample. */
  template <typename C> BDCT_INLINE int
  number (int x, int y) const
  {
    return y / C::height * columns + x / C::width;
  }

  BDCT_INLINE const Constants *
  set (int number, bool inside) const
  {
    if (quantizer_map == nullptr || !inside)
      return quantizers;
    return (const Constants *) ((const uint8_t *) quantizers
        + quantizer_size * __ldg (&quantizer_map[number]));
  }

  /* Write a block's record. */
  BDCT_INLINE void
  put (int number, unsigned long long sse, uint32_t nonzero) const
  {
    *(uint2 *) &records[number] =
        make_uint2 ((uint32_t) min (sse, 0xffffffffull), nonzero);
  }
};

/* R of job.h; `more` is added to the rounding. */
BDCT_INLINE int32_t
scale (int32_t v, int shift, int32_t more = 0)
{
  return (v + ((1 << shift >> 1) + more)) >> shift;
}

BDCT_INLINE float
scale (float v, int, int32_t = 0)
{
  return v;
}

/* Conversions between numbers below 2^22 and floats by one addition: a float
 * from 2^23 to 2^24 has the number in its lowest bits. */
constexpr float kHalfway = 12582912;    /* 1.5 2^23: for signed numbers */
constexpr float kWhole = 8388608;       /* 2^23: for unsigned numbers; its
                                           last place is 1 */

BDCT_INLINE float
small_to_float (int32_t v)
{
  return __int_as_float (v + __float_as_int (kHalfway)) - kHalfway;
}

BDCT_INLINE int32_t
small_to_int (float v)
{
  return __float_as_int (v + kHalfway) - __float_as_int (kHalfway);
}

/* |level| + 2^23 of a coefficient that is quantized by a step.
 *
 * JPEG: dct/quantizer/quantize.h states the distance of (n + 1/2) / d from any
 * integer; here the only error is one rounding, that of the reciprocal. */
BDCT_INLINE float
quantize_magnitude (int32_t c, float step, float reciprocal, float *sign)
{
  *sign = small_to_float (c);
  return __fmaf_rd (fabsf (*sign) + fmaf (4, step, 0.5f), reciprocal, kWhole);
}

BDCT_INLINE float
quantize_magnitude (float c, float step, float reciprocal, float *sign)
{
  *sign = lane_divide (c, 8 * step, reciprocal);
  return __fadd_rd (fabsf (*sign) + 0.5f, kWhole);
}

BDCT_INLINE void
set_value (float &d, float v)
{
  d = v;
}

BDCT_INLINE void
set_value (int32_t &d, float v)
{
  d = small_to_int (v);
}

/* The level of a coefficient that is quantized by a step, and its value if
 * requested. Returns 1 if the level is not 0. */
template <typename Value> BDCT_INLINE uint32_t
requantize_stepped (Value c, int32_t quant, int32_t companion, int *level,
    Value *value)
{
  const float step = __int_as_float (quant);
  float sign, magnitude = quantize_magnitude (c, step,
      __int_as_float (companion), &sign);
  const float signed_level = copysignf (magnitude - kWhole, sign);

  if (level != nullptr)
    *level = small_to_int (signed_level);
  if (value != nullptr)
    set_value (*value, signed_level * step);
  return is_nonzero (__float_as_int (magnitude) - __float_as_int (kWhole));
}

/* Turn a column of COUNT coefficients into values or, with ALONE, into levels.
 * entry (v) is the quantizer and companion of each. Returns the number of
 * levels that are not 0. */
template <typename C, bool ALONE, int COUNT, typename Entry>
BDCT_INLINE uint32_t
requantize_column (typename C::Value *c, const BdctComponentJob &job,
    bool clips, Entry entry)
{
  uint32_t nonzero = 0;

  if constexpr (C::stepped) {
    BDCT_UNROLL for (int v = 0; v < COUNT; v++) {
      const int2 own = entry (v);
      int level;

      nonzero += requantize_stepped<typename C::Value> (c[v], own.x, own.y,
          ALONE ? &level : nullptr, ALONE ? nullptr : &c[v]);
      if (ALONE)
        c[v] = (typename C::Value) level;
    }
  } else {
    BDCT_UNROLL for (int v = 0; v < COUNT; v++) {
      const int2 own = entry (v);

      c[v] = lane_quantize (C::family, &job, c[v], own.x, own.y);
      nonzero += is_nonzero (c[v]);
    }
    if (C::clip16 && clips)
      BDCT_UNROLL for (int v = 0; v < COUNT; v++)
        c[v] = lane_clip16 (c[v]);
    if (!ALONE)
      BDCT_UNROLL for (int v = 0; v < COUNT; v++) {
        const int2 own = entry (v);

        c[v] = lane_dequantize (C::family, &job, c[v], own.x, own.y);
      }
  }
  return nonzero;
}

/* The sum over the lanes that differ only in the bits from FIRST to LAST of
 * their number. */
template <int FIRST, int LAST, typename T> BDCT_INLINE T
lanes_sum (T v)
{
  BDCT_UNROLL for (int i = LAST; i >= FIRST; i /= 2)
    v += __shfl_xor_sync (0xffffffff, v, i);
  return v;
}

} // namespace
