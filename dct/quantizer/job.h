/* blockdct: a job's inside: the numbers that an engine needs, so that engines
 * know no quality, QP or table of a standard.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_JOB_H
#define BDCT_JOB_H

#include "dct/base/compiler.h"
#include "dct/base/error.h"
#include "dct/base/layout.h"
#include "dct/transform/transform.h"
#include "scaling-lists.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The second stage of a block, over the DCs of its transforms. They are W, as
 * many columns and rows as there are transforms in the block, and A and B are
 * the Hadamard matrices of these sizes in the order of their sign changes
 * (dct/transform/hadamard.h):
 *     c = A W B, level = sign(c) ((|c| quant + quant_add) >> quant_bits)
 *     d = (A level B dequant + dequant_add) >> dequant_bits
 * where d is the DCs' dequantized coefficients. */
typedef struct {
  int32_t log2_columns, log2_rows; /* both 0: there is no second stage */
  int32_t quant, quant_bits, quant_add;
  int32_t dequant, dequant_bits, dequant_add;
} BdctJobDc;

/* All numbers of one component.
 *
 * The chain over a block x of residuals (sample - 2^(B-1)), with the bases'
 * matrices H (of the rows) and V (of the columns), or the flows in their place,
 * and R(v, s) = (v + 2^(s-1)) >> s, or v for s = 0:
 *     forward     t = R(x H^T, fwd_shift[0]) (rows), c = R(V t, fwd_shift[1]);
 *                 of each axis only the lowest `keep` frequencies
 *     quantize    by family, see below
 *     inverse     t = R(V^T d, inv_shift[0]) (columns) clipped to 16 bits if
 *                 clip16, y = R(t H, inv_shift[1]) likewise
 *     store       clip(y + 2^(B-1), 0, 2^B - 1)
 * With `transposed` all of this is done to the transposed block: columns come
 * first in the forward transform, rows in the inverse.
 *     JPEG    level = sign(c) ((|c| + 4q) / 8q), d = level q with q = step[];
 *             the 8 is the scale of the forward transform
 *             (jpeg-islow-rounding.h)
 *     DCT8X8    no shifts: c = M x M^T / 8, level = round(c / q) half away from
 *             zero, d = level q, y = M^T d M / 8 rounded half up. M is sqrt(8)
 *             times the orthonormal matrix: its rows 0 and 4 are then whole
 *             numbers and ties in them exact.
 *     HEVC    level =
 *                 Clip16(sign(c) ((|c| quant[] + quant_add) >> quant_bits)),
 *             d = Clip16((level dequant[] + 2^(dequant_bits-1))
 *                 >> dequant_bits)
 *             (HM TComTrQuant::xQuant; H.265 equation 8-309)
 * bdct_job_index() is the index into the tables for vertical frequency v and
 * horizontal frequency u: H.265 (7-45, 7-46) replicates its 8x8 lists this way.
 * 4x4 uses the first 4 entries of the first 4 rows. Frequency (0, 0) has
 * quant_dc and dequant_dc, for which lists of 16x16 and 32x32 have an entry of
 * their own. For other sizes, and in the flat and default lists, they equal
 * entry 0.
 *
 * With a second stage a block is several transforms of which all this holds,
 * except that the second stage has the coefficients of frequency (0, 0). */
typedef struct {
  BdctChain chain;
  int32_t log2_width, log2_height; /* of the block */
  int32_t keep;
  int32_t transposed;
  int32_t fwd_shift[2];
  int32_t inv_shift[2];
  int32_t clip16;
  int32_t quant_bits, quant_add, dequant_bits;
  int32_t quant[64];   /* HEVC: quant; else: step */
  int32_t dequant[64]; /* HEVC: dequant; else unused */
  int32_t quant_dc, dequant_dc;
  BdctJobDc dc;
} BdctComponentJob;

/* How a job chooses among block sizes (quadtree.h), and what
 * bdct_job_of_size() needs. */
typedef struct {
  int32_t min_log2, max_log2; /* of luma's blocks: 2 to 5; 0: the job has
                                   one block size and no tree */
  BdctChromaFormat chroma;
  int32_t qp[BDCT_MAX_COMPONENTS]; /* QP', with QpBdOffset */
  int32_t rounding;           /* of the quantizers, in 1/512 of a step */
  uint64_t lambda;            /* of the costs in quadtree.h */
  int32_t distortion_shift;   /* likewise */
  BdctScalingLists lists;     /* not set: flat */
} BdctJobTree;

struct BdctJob {
  uint64_t key;         /* equal jobs have the same; so have unlike ones by
                             a chance of 2^-64 */
  BdctTransform transform;
  BdctFamily family;
  int depth;
  int slice_qp;         /* 0 to 51; of families with a QP */
  BdctComponentJob component[BDCT_MAX_COMPONENTS]; /* for a tree: of its
                                                        smallest blocks */
  BdctJobTree tree;
};

/* Whether a job chooses among block sizes. */
static inline bool
bdct_job_is_tree (const BdctJob *job)
{
  return job->tree.max_log2 > 0;
}

/* Whether a block has a second stage. */
BDCT_FORCE_INLINE bool
bdct_job_has_dc (const BdctComponentJob *job)
{
  return (job->dc.log2_columns | job->dc.log2_rows) != 0;
}

/* log2 of the number of transforms in a block. */
BDCT_FORCE_INLINE int
bdct_job_log2_parts (const BdctComponentJob *job)
{
  return job->dc.log2_columns + job->dc.log2_rows;
}

/* log2 of the sides of a transform, which are those of the block unless this
 * has a second stage. */
BDCT_FORCE_INLINE int
bdct_job_log2_across (const BdctComponentJob *job)
{
  return job->log2_width - job->dc.log2_columns;
}

BDCT_FORCE_INLINE int
bdct_job_log2_down (const BdctComponentJob *job)
{
  return job->log2_height - job->dc.log2_rows;
}

/* The index into a job's tables of vertical frequency v and horizontal
 * frequency u. */
BDCT_FORCE_INLINE int
bdct_job_index (const BdctComponentJob *job, int v, int u)
{
  const int down = bdct_job_log2_down (job);
  const int across = bdct_job_log2_across (job);
  const int sv = down > 3 ? down - 3 : 0;
  const int su = across > 3 ? across - 3 : 0;

  return (v >> sv << 3) + (u >> su);
}

typedef struct {
  int32_t quant, dequant;
} BdctQuantizer;

/* The entries of vertical frequency v and horizontal frequency u. */
BDCT_FORCE_INLINE BdctQuantizer
bdct_job_entry (const BdctComponentJob *job, int v, int u)
{
  const int index = bdct_job_index (job, v, u);
  const BdctQuantizer dc = { job->quant_dc, job->dequant_dc };
  const BdctQuantizer entry = { job->quant[index], job->dequant[index] };

  return v == 0 && u == 0 ? dc : entry;
}

/* Resolve parameters for a layout. Returns false, naming the value and the
 * range, if one is outside its range. */
bool bdct_job_init (BdctJob *job, const BdctParams *params,
    const BdctLayout *layout, BdctError *error);

/* Check the sides of hevc-quadtree's blocks. Returns false, naming the
 * property. */
bool bdct_blocks_check (int min_block, int max_block, BdctError *error);

/* The job of a tree's blocks of one size, 2^log2_size luma samples a side:
 * that of hevc-4x4, hevc-8x8, hevc-16x16 or hevc-32x32. */
void bdct_job_of_size (BdctJob *job, const BdctJob *tree, int log2_size);

/* A table's step at a quality, as libjpeg scales it (jcparam.c): s = Q < 50 ?
 * 5000 / Q : 200 - 2 Q, q = clip((base s + 50) / 100, 1, max). */
int bdct_scale_step (int base, int quality, int max);

/* Qp'C of H.265 clause 8.6.1, the QP that scales chroma, from QpY, the offset
 * and ChromaArrayType. It includes QpBdOffset = 6 (depth - 8). */
int bdct_hevc_chroma_qp (int qp, int offset, BdctChromaFormat chroma,
    int depth);

#ifdef __cplusplus
}
#endif
#endif
