/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "coefficients.h"

#include <string.h>
#include "reference.h"

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
  int side = plane->width;

  for (int y = 0; y < side; y += size)
    for (int x = 0; x < side; x += size) {
      int64_t block[REF_SIZE][REF_SIZE];

      for (int v = 0; v < size; v++)
        for (int u = 0; u < size; u++)
          block[v][u] = cells[(y + v) * side + x + u];
      ref_backward (plane, block, &result);
      for (int v = 0; v < size; v++)
        for (int u = 0; u < size; u++)
          cells[(y + v) * side + x + u] = (int32_t) block[v][u];
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
        BdctLayout layout = { .depth = depth, .chroma = BDCT_CHROMA_400 };
        RefPlane plane = { &params, BDCT_CHROMA_400, BDCT_Y, depth, 0, 0,
          REF_FLOAT
        };
        int32_t got[REF_SIZE * REF_SIZE], expected[REF_SIZE * REF_SIZE];
        int size, side, keep;
        uint64_t got_nonzero, expected_nonzero;
        BdctJob job;

        params.transform = transform;
        params.qp = qp;
        params.deadzone = ref_deadzone (*n_tiles);
        params.scaling_list = qp & 1 ? BDCT_SCALING_DEFAULT : BDCT_SCALING_FLAT;
        if (!bdct_job_init (&job, &params, &layout, error))
          return 1;
        size = 1 << job.component[0].log2_width;
        keep = job.component[0].keep;
        plane.width = plane.height = side = bdct_tile_side (&job.component[0]);
        for (int i = 0; i < side * side; i++)
          got[i] = i % side % size < keep && i / side % size < keep
              ? coefficient (pattern, i % side, i / side,
                  next_random (&random)) : 0;
        memcpy (expected, got, sizeof got);
        got_nonzero = backward (data, &job, got);
        expected_nonzero = expect (&plane, size, expected);
        ++*n_tiles;
        if ((memcmp (got, expected, side * side * sizeof got[0]) != 0
                || got_nonzero != expected_nonzero) && differ++ == 0)
          bdct_error (error, "%s depth %d qp %d pattern %d",
              bdct_transform_info (transform)->name, depth, qp, pattern);
      }
  return differ;
}
