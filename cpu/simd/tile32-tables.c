/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables of tiles, the same for every instruction set. */
#include "tile32.h"

#include <pthread.h>
#include <string.h>
#include "dct/quantizer/quantize.h"
#include "dct/transform/matrices.h"

#define BASIS(id, n, kind) static int32_t matrix_##id[n * n];
#include "dct/transform/transforms.def"

static float matrix_dct8x8[64];

static int32_t *const matrices[] = {
#define BASIS(id, n, kind) matrix_##id,
#include "dct/transform/transforms.def"
};

_Static_assert (BDCT_MAX_STACK_QUANTIZERS <= 128,
    "BdctQuantizerSet has a bit for each");

static void
fill_matrices (void)
{
  for (int b = 0; b < BDCT_N_BASES; b++) {
    int n = bdct_basis_size (b);

    for (int i = 0; i < n * n; i++)
      matrices[b][i] = bdct_matrix_int (b, i / n, i % n);
  }
  for (int i = 0; i < 64; i++)
    matrix_dct8x8[i] = bdct_matrix_dct8x8 (i / 8, i % 8);
}

/* Given levels may have any sum S of |level| times the dequantizer's entry in a
 * column. The plain chains' 32 bits suffice up to these, by family:
 *     HEVC    all products, and with them d, which is clipped as each pass is
 *     H264    |d| is at most S 2^-dequant_bits; both passes add at most 2^7
 *     JPEG    the first pass is at most 11363 S, and a sample's magnitudes in
 *             the matrix add up to 61213: the second pass is at most 61213
 *             11363 S / 2^11 at a depth of 8, and has 8 bits less above it
 *             (chains32.h)
 *     DCT8X8    the samples are below 2^31
 * Sums in single precision are less than 2^-16 of S from S. */
static float
find_column (BdctFamily family, const BdctComponentJob * job, int depth)
{
  switch (family) {
    case BDCT_FAMILY_JPEG:
      return depth > 8 ? 188000 : 6300;
    case BDCT_FAMILY_H264:
      return 1 << (22 + job->dequant_bits);
    case BDCT_FAMILY_DCT8X8:
      return 1 << 24;
    default:
      return 1 << 30;
  }
}

void
bdct_tile_quantizer_init (BdctTileQuantizer * quantizer, const BdctJob * job,
    BdctComponent component)
{
  const BdctComponentJob *cj = &job->component[component];
  int log2_down = bdct_job_log2_down (cj);
  int shift = log2_down > 3 ? log2_down - 3 : 0;
  int width = 1 << bdct_job_log2_across (cj);

  quantizer->job = *cj;
  quantizer->column = find_column (job->family, cj, job->depth);
  for (int v = 0; v < BDCT_TILE_ROWS; v++) {
    for (int x = 0; x < width; x++) {
      int index = bdct_job_index (cj, v % BDCT_TILE_FIRST << shift, x);

      quantizer->quant[v][x] = cj->quant[index];
      quantizer->companion[v][x] = bdct_quantize_companion (job, cj, index);
    }
    if (v == BDCT_TILE_FIRST && bdct_family_has_qp (job->family)) {
      quantizer->quant[v][0] = cj->quant_dc;
      quantizer->companion[v][0] = cj->dequant_dc;
    }
    for (int x = width; x < BDCT_MAX_SIZE; x++) {
      quantizer->quant[v][x] = quantizer->quant[v][x - width];
      quantizer->companion[v][x] = quantizer->companion[v][x - width];
    }
  }
  bdct_tile16_init (&quantizer->tile16, job, cj);
}

void
bdct_tile_plane_init (BdctTilePlane * plane, const BdctJob * job,
    BdctComponent component)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const BdctChainInfo *chain =
      bdct_chain_info (job->component[component].chain);

  pthread_once (&once, fill_matrices);
  memset (plane, 0, sizeof *plane);
  plane->family = job->family;
  plane->component = component;
  plane->depth = job->depth;
  plane->row = matrices[chain->row];
  plane->column = matrices[chain->column];
  if (job->family == BDCT_FAMILY_DCT8X8)
    plane->row = plane->column = matrix_dct8x8;
}
