/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "coefficients.h"

#include <string.h>
#include "reference.h"

#define T BDCT_TILE
#define N_PATTERNS 6

static uint32_t
next_random (uint32_t * state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static int32_t
coefficient (int pattern, int x, int y, uint32_t random)
{
  switch (pattern) {
    case 0:
      return -32768;
    case 1:
      return 32767;
    case 2:
      return (x + y) & 1 ? 32767 : -32768;
    case 3:
      return random & 1 ? 32767 : -32768;
    case 4:                    /* one alone in some blocks */
      return random % 29 ? 0 : random & 64 ? 32767 : -32768;
    default:
      return (int16_t) (random >> 8);
  }
}

/* The definition, block by block. */
static uint64_t
expect (const RefPlane * plane, int size, int32_t * cells)
{
  RefResult result = { 0 };

  for (int y = 0; y < T; y += size)
    for (int x = 0; x < T; x += size) {
      int64_t block[REF_SIZE][REF_SIZE];

      for (int v = 0; v < size; v++)
        for (int u = 0; u < size; u++)
          block[v][u] = cells[(y + v) * T + x + u];
      ref_backward (plane, block, &result);
      for (int v = 0; v < size; v++)
        for (int u = 0; u < size; u++)
          cells[(y + v) * T + x + u] = (int32_t) block[v][u];
    }
  return result.nonzero;
}

int
coefficients_compare (BdctTransform transform, Backward backward, void *data,
    int *n_tiles, BdctError * error)
{
  uint32_t random = 1;
  int differ = 0;

  *n_tiles = 0;
  for (int depth = 8; depth <= 12; depth += 2)
    for (int qp = 0; qp <= 51; qp++)
      for (int pattern = 0; pattern < N_PATTERNS; pattern++) {
        BdctParams params = BDCT_PARAMS_DEFAULT;
        BdctLayout layout = { depth, BDCT_CHROMA_400, 1,
          {{T, T, 0, 1, {BDCT_Y, BDCT_Y}}}
        };
        RefPlane plane = { &params, BDCT_CHROMA_400, BDCT_Y, depth, T, T,
          REF_FLOAT
        };
        int32_t got[T * T], expected[T * T];
        uint64_t got_nonzero, expected_nonzero;
        BdctJob job;

        params.transform = transform;
        params.qp = qp;
        params.scaling_list = qp & 1 ? BDCT_SCALING_DEFAULT : BDCT_SCALING_FLAT;
        if (!bdct_job_init (&job, &params, &layout, error))
          return 1;
        for (int i = 0; i < T * T; i++)
          got[i] = coefficient (pattern, i % T, i / T, next_random (&random));
        memcpy (expected, got, sizeof got);
        got_nonzero = backward (data, &job, got);
        expected_nonzero = expect (&plane, 1 << job.component[0].log2_width,
            expected);
        ++*n_tiles;
        if ((memcmp (got, expected, sizeof got) != 0
                || got_nonzero != expected_nonzero) && differ++ == 0)
          bdct_error (error, "%s depth %d qp %d pattern %d",
              bdct_transform_info (transform)->name, depth, qp, pattern);
      }
  return differ;
}
