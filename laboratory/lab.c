/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Common functions of the laboratory. */
#include "lab.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

LabOptions lab_options = { .content = LAB_NATURAL, .n_qualities = 1,
  .n_qps = 1, .quality = { 75 }, .qp = { 27 }
};
LabMachine lab_machine;
const int64_t lab_batches[LAB_N_BATCHES] = { 1, 10000, 1000000 };
const char *const lab_stage_names[] = { "forward", "quantize", "inverse",
  "chain"
};
const char *const lab_shape_names[] = { "blocks", "plane of float",
  "plane of float, strided", "plane of int16", "plane, 8 bits",
  "plane, 10 bits", "NV12 frame"
};

LabEntry *lab_entries;
int lab_n_entries;

void
lab_die (const char *format, ...)
{
  va_list args;

  fflush (stdout);
  fputs ("blockdct-bench: ", stderr);
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
  fputc ('\n', stderr);
  exit (1);
}

int
lab_repetitions (void)
{
  return lab_options.quick ? 5 : 21;
}

static int
compare_doubles (const void *a, const void *b)
{
  double d = *(const double *) a - *(const double *) b;

  return d < 0 ? -1 : d > 0;
}

double
lab_median (double *values, int n)
{
  qsort (values, n, sizeof *values, compare_doubles);
  return values[n / 2];
}

bool
lab_is_listed (const char *list, const char *word)
{
  size_t length = strlen (word);

  for (const char *at = list; at != NULL; at = strchr (at, ',')) {
    at += *at == ',';
    if (strncmp (at, word, length) == 0
        && (at[length] == '\0' || at[length] == ','))
      return true;
  }
  return false;
}

bool
lab_wants (const char *source)
{
  return lab_options.only == NULL || lab_is_listed (lab_options.only, source);
}

void
lab_register (const LabEntry * entry)
{
  if (!lab_wants (entry->source))
    return;
  lab_entries = realloc (lab_entries, (lab_n_entries + 1)
      * sizeof *lab_entries);
  if (lab_entries == NULL)
    lab_die ("out of memory");
  lab_entries[lab_n_entries++] = *entry;
}
