/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bytes as a `scaling-list-file`. Nothing of an element is needed. The copy has
 * no byte behind it that a sanitizer would not see. */
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include "dct/quantizer/scaling-lists.h"

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  BdctScalingLists lists, before;
  uint8_t *copy = malloc (size ? size : 1);
  BdctError error = { "" };
  bool ok;

  memset (&lists, 0x55, sizeof lists);
  before = lists;
  memcpy (copy, data, size);
  ok = bdct_scaling_parse (copy, size, &lists, &error);
  free (copy);
  if (!ok && (error.message[0] == '\0'
          || memcmp (&lists, &before, sizeof lists) != 0))
    g_error ("a failure without a reason, or with lists");
  if (!ok)
    return 0;
  if (lists.name != before.name || !bdct_scaling_is_set (&lists))
    g_error ("no lists, or another name");
  for (int s = 0; s < BDCT_N_SCALING_SIZES; s++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      for (int i = 0; i <= 64; i++)
        if ((i < 64 ? lists.factor[s][c][i] : lists.dc[s][c])
            < BDCT_MIN_FACTOR)
          g_error ("a factor below %d", BDCT_MIN_FACTOR);
  return 0;
}
