/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bytes as a `quantization-file`: text or a JPEG file. Nothing of an element is
 * needed. The copy has no byte behind it that a sanitizer would not see. */
#include "target.h"

#include <blockdct/transform.h>
#include <stdlib.h>
#include <string.h>

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  BdctTables tables, before;
  uint8_t *copy = malloc (size ? size : 1);
  BdctError error = { "" };
  bool ok;

  memset (&tables, 0x55, sizeof tables);
  before = tables;
  memcpy (copy, data, size);
  ok = bdct_tables_parse (copy, size, &tables, &error);
  free (copy);
  if (!ok && (error.message[0] == '\0'
          || memcmp (&tables, &before, sizeof tables) != 0))
    g_error ("a failure without a reason, or with tables");
  if (!ok)
    return 0;
  if (tables.name != before.name
      || (tables.n_steps != 64 && tables.n_steps != 128))
    g_error ("%d steps", tables.n_steps);
  for (int i = 0; i < 128; i++)
    if (i < tables.n_steps ? tables.steps[i] < 1
        || tables.steps[i] > BDCT_MAX_STEP : tables.steps[i] != 0)
      g_error ("a step of %d", tables.steps[i]);
  return 0;
}
