/* blockdct: the parts of the kernel without tensor cores, each as one lane of a
 * warp does it.
 *
 * A warp owns a square of samples of one component, which is a whole number of
 * blocks of every size it is used for, so it waits for nobody but itself. The
 * square lies in shared memory with an odd pitch: the 32 lanes reach 32 banks
 * whether they are its columns or its rows. A lane is a column for load, store
 * and the vertical passes, a row for the horizontal ones (of a larger square,
 * two of them), and does its part of every block in registers. The order of the
 * stages is dct/job.h's. A `transposed` job's square holds the transposed
 * samples.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SCALAR_CUH
#define BDCT_SCALAR_CUH

#include <type_traits>
#include "dct/matrices.h"
#include "dct/render.h"
#include "dct/sample.h"
#include "launch.h"
#include "passes.cuh"

/* What dct/quantize.h asks for: a lane does one value. */
#define BDCT_NAME(name) lane_##name
#define BDCT_INT int32_t
#define BDCT_REAL float

BDCT_INLINE float
lane_to_real (int32_t v)
{
  return (float) v;
}

BDCT_INLINE int32_t
lane_to_int (float v)
{
  return (int32_t) v;
}

BDCT_INLINE float
lane_as_real (int32_t v)
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

#include "dct/quantize.h"

#define BDCT_FLOW(name) name##_lane
#define BDCT_VALUE int32_t
#include "dct/flows.h"

namespace {

/* A basis's matrix, in dct/pass.h's order. Compile-time indices after unrolling
 * make the entries operands of the arithmetic instructions: no load, no
 * register. */
template <BdctBasis BASIS, int N, typename Value> struct Entries
{
  Value at[N * N] = {};

  constexpr Entries ()
  {
    for (int k = 0; k < N; k++)
      for (int n = 0; n < N; n++)
        if constexpr (std::is_same_v<Value, float>)
          at[k * N + n] = bdct_matrix_real (k, n);
        else
          at[k * N + n] = bdct_matrix_int (BASIS, k, n);
  }
};

template <BdctBasis BASIS, int N, typename Value>
__constant__ constexpr Entries<BASIS, N, Value> entries;

/* A basis for a type of values: its size, and the passes. */
template <BdctBasis BASIS, typename Value> struct Basis;

#define BASIS_PASSES(id, n, forward_, inverse_)                               \
  template <typename Value> struct Basis<BDCT_BASIS_##id, Value>              \
  {                                                                           \
    static constexpr int size = n;                                            \
    template <int KEEP> static BDCT_INLINE void                               \
    forward (Value *y, Value *x)                                              \
    {                                                                         \
      forward_;                                                               \
    }                                                                         \
    template <int KEEP> static BDCT_INLINE void                               \
    inverse (Value *y, const Value *x)                                        \
    {                                                                         \
      inverse_;                                                               \
    }                                                                         \
  };
#define BASIS_MATRIX(id, n, kind)                                             \
  BASIS_PASSES (id, n, (forward_##kind<n, KEEP> (y, x,                        \
              entries<BDCT_BASIS_##id, n, Value>.at)),                        \
      (inverse_##kind<n, KEEP> (y, x, entries<BDCT_BASIS_##id, n, Value>.at)))
#define BASIS_BUTTERFLIES(id, n) BASIS_MATRIX (id, n, butterflies)
#define BASIS_DENSE(id, n) BASIS_MATRIX (id, n, dense)
#define BASIS_FLOW(id, n)                                                     \
  BASIS_PASSES (id, n, BDCT_FLOW (forward_##id) (y, x),                       \
      BDCT_FLOW (inverse_##id) (y, x))
#define BASIS(id, n, kind) BASIS_##kind (id, n)
#include "dct/transforms.def"

constexpr int
log2_of (int n)
{
  return n > 1 ? 1 + log2_of (n / 2) : 0;
}

template <BdctFamily FAMILY, BdctBasis ROW, BdctBasis COLUMN, int KEEP>
struct ChainOf
{
  static constexpr BdctFamily family = FAMILY;
  static constexpr bool clip16 = BDCT_QUANTIZE_CLIP16 (FAMILY);
  using Value = std::conditional_t<FAMILY == BDCT_FAMILY_REAL, float, int32_t>;
  using Row = Basis<ROW, Value>;
  using Column = Basis<COLUMN, Value>;
  static constexpr int width = Row::size, height = Column::size;
  static constexpr int log2_width = log2_of (width);
  static constexpr int log2_height = log2_of (height);
  /* Frequencies that are kept. */
  static constexpr int columns = KEEP < width ? KEEP : width;
  static constexpr int rows = KEEP < height ? KEEP : height;
  /* Of a square of whole blocks. */
  static constexpr int side = width > 32 || height > 32 ? 64 : 32;
  /* Whether a job may be transposed: what its axes have is then the same. */
  static constexpr bool square = ROW == COLUMN;
};

template <BdctChain> struct Chain;

#define CHAIN(id, family, row, column, keep)                                  \
  template <> struct Chain<BDCT_CHAIN_##id>                                   \
      : ChainOf<BDCT_FAMILY_##family, BDCT_BASIS_##row, BDCT_BASIS_##column,  \
          keep>                                                               \
  {                                                                           \
  };
#include "dct/transforms.def"

/* What a kernel is made for. */
enum Ask
{
  PLAIN,                        /* the statistics, and the picture if wanted */
  RECORDS,                      /* them and the blocks' records */
  MAPPED,                       /* them with a map of sets, records if wanted */
  LEVELS,                       /* the levels or a picture of them, map or
                                   not */
};

__host__ __device__ constexpr bool
has_records (Ask ask)
{
  return ask == RECORDS || ask == MAPPED;
}

/* Whether a block's tables may be any set's, and stay where those are. */
__host__ __device__ constexpr bool
has_sets (Ask ask)
{
  return ask == MAPPED || ask == LEVELS;
}

template <typename Value, int SIDE> using Square = Value[SIDE][SIDE + 1];

/* A component's constants in device memory: its job, with what
 * bdct_quantize_companion() gives in place of `dequant`, and both tables as the
 * square's rows and columns. */
struct alignas (16) Constants
{
  BdctComponentJob job;
};

inline void
make_component (Constants *to, const BdctJob *job, int component)
{
  const BdctComponentJob *from = &job->component[component];

  to->job = *from;
  for (int i = 0; i < 64; i++) {
    const int index = from->transposed ? i % 8 * 8 + i / 8 : i;

    to->job.quant[i] = from->quant[index];
    to->job.dequant[i] = bdct_quantize_companion (job, from, index);
  }
}

} // namespace

/* Those of a plane, by its components. Not the host side's, but kernels of
 * several sources have them. */
extern "C" void bdct_scalar_constants (void *to, const BdctCudaPlane *plane,
    const BdctJob *job);

namespace {

/* What the stages need of a job but the tables, in registers. The compiler is
 * to know what the chain fixes. */
template <typename C> BDCT_INLINE void
get_job (BdctComponentJob *job, const Constants *from)
{
  const BdctComponentJob *in = &from->job;

  job->log2_width = C::log2_width;
  job->log2_height = C::log2_height;
  job->transposed = C::square ? __ldg (&in->transposed) : 0;
  job->clip16 = C::clip16;
  for (int i = 0; i < 2; i++) {
    job->fwd_shift[i] = __ldg (&in->fwd_shift[i]);
    job->inv_shift[i] = __ldg (&in->inv_shift[i]);
  }
  job->quant_bits = __ldg (&in->quant_bits);
  job->quant_add = __ldg (&in->quant_add);
  job->dequant_bits = __ldg (&in->dequant_bits);
}

/* One component's samples as one warp sees them. */
struct Window
{
  const uint8_t *src;           /* the square's first sample */
  uint8_t *dst;                 /* NULL: nothing is written */
  int64_t src_stride, dst_stride;
  int step;                     /* bytes from a sample to the next */
  int width, height;            /* what of the square is in the picture, 1 or
                                   more; the last row is repeated, ... */
  int last;                     /* ... and this column */
  int shift, depth;
  bool chroma;
};

/* The blocks of a warp's square. */
struct Blocks
{
  int width, height;            /* samples in the picture */
  int first;                    /* number of the first one in its plane */
  int next_x, next_y;           /* from a block's number to its neighbours' */
  const uint8_t *set_of_block;  /* NULL: all take the first set */
  const Constants *sets;
  int set_size;
  union
  {
    BdctBlockRecord *records;   /* NULL: not asked for */
    BdctLevel *levels;          /* of LEVELS */
  };

  BDCT_INLINE Blocks
  transposed () const
  {
    return { height, width, first, next_y, next_x, set_of_block, sets, set_size,
      { records } };
  }

  /* Of the block at a sample of the square. */
  template <typename C> BDCT_INLINE int
  number (int x, int y) const
  {
    return first + x / C::width * next_x + y / C::height * next_y;
  }
};

template <typename Sample> BDCT_INLINE int
get_sample (const uint8_t *p, const Window &w)
{
  return bdct_sample_get (p, 0, sizeof (Sample), w.shift, (1 << w.depth) - 1);
}

template <bool TRANSPOSED, typename Sample, typename Value, int SIDE>
BDCT_INLINE void
load (Square<Value, SIDE> &t, const Window &w, int lane)
{
  const int middle = 1 << (w.depth - 1);

  _Pragma ("unroll 1") for (int k = 0; k < SIDE / 32; k++) {
    const int x = 32 * k + lane;
    const uint8_t *p = w.src + min (x, w.last) * w.step;

    _Pragma ("unroll 8") for (int y = 0; y < SIDE; y++) {
      (TRANSPOSED ? t[x][y] : t[y][x]) =
          (Value) (get_sample<Sample> (p, w) - middle);
      if (y + 1 < w.height)
        p += w.src_stride;
    }
  }
}

BDCT_INLINE int
pixel (int32_t v)
{
  return v;
}

/* The inverse of dct-8x8 still carries a factor of 8. */
BDCT_INLINE int
pixel (float v)
{
  return __float2int_rd (v * 0.125f + 0.5f);
}

/* The sum over the lanes that share a block. */
template <int WIDTH, typename T> BDCT_INLINE T
block_sum (T v)
{
  BDCT_UNROLL for (int i = (WIDTH < 32 ? WIDTH : 32) / 2; i > 0; i /= 2)
    v += __shfl_xor_sync (0xffffffff, v, i);
  return v;
}

/* Returns the squared errors of the lane's columns: 2 x 64 x 4095^2 < 2^32. The
 * source is read again, out of a cache, rather than kept in registers. */
template <typename C, Ask ASK, bool STORE, bool TRANSPOSED, typename Sample,
    int SIDE>
BDCT_INLINE uint32_t
store (const Square<typename C::Value, SIDE> &t, const Window &w,
    const Blocks &blocks, int lane)
{
  using Sum = std::conditional_t<(sizeof (Sample) > 1
          && C::width * C::height > 256), unsigned long long, uint32_t>;
  constexpr int rows = has_records (ASK) ? C::height : SIDE;
  const int peak = (1 << w.depth) - 1, middle = 1 << (w.depth - 1);
  uint32_t total = 0;

  _Pragma ("unroll 1") for (int y0 = 0; y0 < SIDE; y0 += rows) {
    Sum block = 0;

    _Pragma ("unroll 1") for (int k = 0; k < SIDE / 32; k++) {
      const int x = 32 * k + lane;
      const uint8_t *p = w.src + y0 * w.src_stride + x * w.step;
      uint8_t *q = w.dst + y0 * w.dst_stride + x * w.step;
      const bool visible = x < w.width;
      uint32_t sse = 0;

      _Pragma ("unroll 8") for (int i = 0; i < rows; i++) {
        const int y = y0 + i;
        const typename C::Value v = TRANSPOSED ? t[x][y] : t[y][x];

        if constexpr (ASK == LEVELS) {
          if (visible && y < w.height)
            bdct_sample_put (q, 0, sizeof (Sample), w.shift,
                bdct_render_level ((int) v, w.chroma, w.depth));
        } else {
          const int out = max (0, min (pixel (v) + middle, peak));

          if (visible && y < w.height) {
            const int e = out - get_sample<Sample> (p, w);

            sse += (uint32_t) (e * e);
            if (STORE)
              bdct_sample_put (q, 0, sizeof (Sample), w.shift, out);
          }
          p += w.src_stride;
        }
        q += w.dst_stride;
      }
      total += sse;
      block += sse;
      if (has_records (ASK) && (C::width <= 32 || k == 1)) {
        if (blocks.records != nullptr) {
          block = block_sum<C::width> (block);
          if (lane % C::width == 0 && (x & ~(C::width - 1)) < w.width
              && y0 < w.height)
            blocks.records[blocks.number<C> (x, y0)].sse =
                (uint32_t) min (block, (Sum) 0xffffffff);
        }
        block = 0;
      }
    }
  }
  return total;
}

/* Write the levels as dct/rate.h has them, 8 of a block at a time. */
template <typename C, bool TRANSPOSED, int SIDE> BDCT_INLINE void
store_levels (const Square<typename C::Value, SIDE> &t, const Blocks &blocks,
    int lane)
{
  constexpr int across = SIDE / C::width, down = SIDE / C::height;
  constexpr int size = C::columns * C::rows, parts = size / 8;

  _Pragma ("unroll 1") for (int k = lane; k < across * down * parts; k += 32) {
    const int x = k / parts % across * C::width;
    const int y = k / parts / across * C::height;
    const int at = k % parts * 8;
    uint32_t pair[4];

    if (x >= blocks.width || y >= blocks.height)
      continue;
    BDCT_UNROLL for (int i = 0; i < 8; i++) {
      const int u = x + (at + i) % C::columns, v = y + (at + i) / C::columns;
      const int level = (int) (TRANSPOSED ? t[u][v] : t[v][u]);

      pair[i / 2] = i % 2 ? pair[i / 2] | level << 16 : level & 0xffff;
    }
    *(uint4 *) (blocks.levels + (size_t) blocks.number<C> (x, y) * size + at) =
        make_uint4 (pair[0], pair[1], pair[2], pair[3]);
  }
}

/* R of job.h, clipped where its inverse is. */
template <bool CLIP> BDCT_INLINE int32_t
scale (int32_t v, int shift)
{
  v = (v + (1 << shift >> 1)) >> shift;
  return CLIP ? lane_clip16 (v) : v;
}

template <bool CLIP> BDCT_INLINE float
scale (float v, int)
{
  return v;
}

/* dct/quantize.h's by the type of a coefficient. */
template <BdctFamily FAMILY> BDCT_INLINE int32_t
quantize (const BdctComponentJob &job, int32_t c, int32_t quant,
    int32_t companion)
{
  return lane_quantize (FAMILY, &job, c, quant, companion);
}

template <BdctFamily FAMILY> BDCT_INLINE int32_t
quantize (const BdctComponentJob &, float c, int32_t quant, int32_t companion)
{
  return lane_quantize_real (c, quant, companion);
}

template <BdctFamily FAMILY> BDCT_INLINE void
dequantize (int32_t &d, const BdctComponentJob &job, int32_t level,
    int32_t quant, int32_t companion)
{
  d = lane_dequantize (FAMILY, &job, level, quant, companion);
}

template <BdctFamily FAMILY> BDCT_INLINE void
dequantize (float &d, const BdctComponentJob &, int32_t level, int32_t quant,
    int32_t)
{
  d = (float) level * (float) quant;
}

/* A horizontal pass: the lane's rows of every block. dct/tile.c, pass_int() and
 * CHAIN, says what WIDE is for. */
template <typename C, bool INVERSE, bool WIDE, int SIDE> BDCT_INLINE void
rows (Square<typename C::Value, SIDE> &t, int shift, int lane)
{
  using Value = typename C::Value;
  using Row = typename C::Row;
  constexpr int n = C::width, in_n = INVERSE ? C::columns : n;
  constexpr int out_n = INVERSE ? n : C::columns;

  _Pragma ("unroll 1") for (int k = 0; k < SIDE / 32; k++)
    _Pragma ("unroll 1") for (int x = 0; x < SIDE; x += n) {
      const int y = 32 * k + lane;
      Value in[n], out[n];

      BDCT_UNROLL for (int i = 0; i < in_n; i++)
        in[i] = t[y][x + i];
      if constexpr (WIDE) {
        Value low[n];

        BDCT_UNROLL for (int i = 0; i < in_n; i++) {
          low[i] = in[i] & 255;
          in[i] >>= 8;
        }
        Row::template inverse<C::columns> (out, in);
        Row::template inverse<C::columns> (in, low);
        BDCT_UNROLL for (int i = 0; i < n; i++)
          t[y][x + i] = (out[i] + ((in[i] + (1 << (shift - 1))) >> 8)) >>
              (shift - 8);
        continue;
      }
      if (INVERSE)
        Row::template inverse<C::columns> (out, in);
      else
        Row::template forward<C::columns> (out, in);
      BDCT_UNROLL for (int i = 0; i < out_n; i++)
        t[y][x + i] = scale<INVERSE && C::clip16> (out[i], shift);
    }
}

/* The vertical passes with the quantizer between them: the lane's columns of
 * every block. Without FORWARD the square holds coefficients. Returns how many
 * levels are not 0 in the blocks that begin in the picture. */
template <typename C, Ask ASK, bool FORWARD = true, int SIDE>
BDCT_INLINE uint32_t
columns (Square<typename C::Value, SIDE> &t, const BdctComponentJob &job,
    const int32_t *quant, const int32_t *companion, const Blocks &blocks,
    int lane)
{
  using Value = typename C::Value;
  using Column = typename C::Column;
  constexpr int n = C::height;
  uint32_t nonzero = 0;

  _Pragma ("unroll 1") for (int y = 0; y < SIDE; y += n) {
    uint32_t count = 0;

    _Pragma ("unroll 1") for (int k = 0; k < SIDE / 32; k++) {
      const int x = 32 * k + lane;
      const int u = x & (C::width - 1);
      const bool inside = x - u < blocks.width && y < blocks.height;
      BdctComponentJob own;

      if (has_sets (ASK)) {
        const Constants *set = blocks.sets;

        if (blocks.set_of_block != nullptr && inside)
          set = (const Constants *) ((const uint8_t *) set + blocks.set_size
              * __ldg (&blocks.set_of_block[blocks.number<C> (x, y)]));
        get_job<C> (&own, set);
        quant = set->job.quant;
        companion = set->job.dequant;
      }
      if (u < C::columns) {
        const BdctComponentJob &its = has_sets (ASK) ? own : job;
        Value in[n], out[n];

        BDCT_UNROLL for (int i = 0; i < n; i++)
          in[i] = t[y + i][x];
        if (FORWARD)
          Column::template forward<C::rows> (out, in);
        BDCT_UNROLL for (int i = 0; i < C::rows; i++) {
          const int index = bdct_job_index (&its, i, u);
          const Value c = FORWARD ? scale<false> (out[i], its.fwd_shift[1])
              : in[i];
          const int32_t q = has_sets (ASK) ? __ldg (quant + index)
              : quant[index];
          const int32_t a = has_sets (ASK) ? __ldg (companion + index)
              : companion[index];
          const int32_t level = quantize<C::family> (its, c, q, a);

          count += level != 0;
          if (ASK == LEVELS)
            t[y + i][x] = (Value) level;
          else
            dequantize<C::family> (in[i], its, level, q, a);
        }
        if (ASK != LEVELS) {
          Column::template inverse<C::rows> (out, in);
          BDCT_UNROLL for (int i = 0; i < n; i++)
            t[y + i][x] = scale<C::clip16> (out[i], its.inv_shift[0]);
        }
      }
      if constexpr (ASK == LEVELS) {
        /* The frequencies that are not kept. */
        for (int i = u < C::columns ? C::rows : 0; i < n; i++)
          t[y + i][x] = 0;
      }
      if (C::width <= 32 || k == 1) {
        nonzero += inside ? count : 0;
        if (has_records (ASK) && blocks.records != nullptr) {
          count = block_sum<C::width> (count);
          if (lane % C::width == 0 && inside) {
            BdctBlockRecord *record = &blocks.records[blocks.number<C> (x, y)];

            record->nonzero = (uint16_t) count;
            record->bits = 0;
          }
        }
        count = 0;
      }
    }
  }
  return nonzero;
}

} // namespace

#endif
