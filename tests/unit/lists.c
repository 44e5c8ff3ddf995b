/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lists.h"

#include <glib.h>
#include <string.h>

void
random_lists (BdctParams * params, uint32_t seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  BdctScalingLists *lists = &params->lists;
  guint8 *bytes[] = { lists->factor[0][0], lists->dc[0] };
  gsize sizes[] = { sizeof lists->factor, sizeof lists->dc };

  params->scaling_list = BDCT_SCALING_FILE;
  for (int part = 0; part < 2; part++)
    for (gsize i = 0; i < sizes[part]; i++)
      switch (seed % 3) {
        case 0:
          bytes[part][i] = g_rand_int_range (rand, 12, 40);
          break;
        case 1:
          bytes[part][i] = g_rand_int_range (rand, BDCT_MIN_FACTOR,
              BDCT_MAX_FACTOR + 1);
          break;
        default:
          bytes[part][i] = g_rand_boolean (rand) ? BDCT_MIN_FACTOR
              : BDCT_MAX_FACTOR;
          break;
      }
  /* As every file has them. */
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    lists->dc[0][c] = lists->factor[0][c][0];
    lists->dc[1][c] = lists->factor[1][c][0];
    if (c > 0) {
      memcpy (lists->factor[3][c], lists->factor[2][c], 64);
      lists->dc[3][c] = lists->dc[2][c];
    }
  }
  g_rand_free (rand);
}
