/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bytes as a `quantization-file`, text or a JPEG file, and as a
 * `scaling-list-file`. Nothing of an element is needed. The copy has no byte
 * behind it that a sanitizer would not see. */
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include "dct/quantizer/scaling-lists.h"

static void
check_tables (const BdctTables * tables)
{
  if (tables->n_steps != 64 && tables->n_steps != 128)
    g_error ("%d steps", tables->n_steps);
  for (int i = 0; i < 128; i++)
    if (i < tables->n_steps ? tables->steps[i] < 1
        || tables->steps[i] > BDCT_MAX_STEP : tables->steps[i] != 0)
      g_error ("a step of %d", tables->steps[i]);
}

static void
check_lists (const BdctScalingLists * lists)
{
  if (!bdct_scaling_is_set (lists))
    g_error ("no lists");
  for (int s = 0; s < BDCT_N_SCALING_SIZES; s++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      for (int i = 0; i <= 64; i++)
        if ((i < 64 ? lists->factor[s][c][i] : lists->dc[s][c])
            < BDCT_MIN_FACTOR)
          g_error ("a factor below %d", BDCT_MIN_FACTOR);
}

/* What cannot be read has a reason and changes nothing; a name stays. */
#define PARSE(Type, parse, check)                                             \
  G_STMT_START {                                                              \
    BdctError error = { "" };                                                 \
    Type made, before;                                                        \
    memset (&made, 0x55, sizeof made);                                        \
    before = made;                                                            \
    if (parse (copy, size, &made, &error))                                    \
      check (&made);                                                          \
    else if (error.message[0] == '\0'                                         \
        || memcmp (&made, &before, sizeof made) != 0)                         \
      g_error ("a failure without a reason, or with a result");               \
    if (made.name != before.name)                                             \
      g_error ("another name");                                               \
  } G_STMT_END

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  uint8_t *copy = malloc (size ? size : 1);

  memcpy (copy, data, size);
  PARSE (BdctTables, bdct_tables_parse, check_tables);
  PARSE (BdctScalingLists, bdct_scaling_parse, check_lists);
  free (copy);
  return 0;
}
