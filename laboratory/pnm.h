/* blockdct benchmarks: pictures from files, and errors, for programs run by
 * hand.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCHMARKS_PNM_H
#define BENCHMARKS_PNM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Print an error and exit. */
static void
die (const char *what)
{
  fprintf (stderr, "%s\n", what);
  exit (1);
}

/* Read a binary PGM (`components` 1) or PPM (3) of 8 bits, without padding;
 * the caller owns it. */
static uint8_t *
read_pnm (const char *name, int components, int *width, int *height)
{
  FILE *file = fopen (name, "rb");
  uint8_t *samples;
  char kind;

  if (file == NULL || fscanf (file, "P%c %d %d 255", &kind, width, height) != 3
      || kind != (components == 1 ? '5' : '6') || fgetc (file) == EOF
      || *width < 1 || *height < 1)
    die ("no such picture of 8 bits");
  samples = malloc ((size_t) components * *width * *height);
  if (samples == NULL || fread (samples, (size_t) components * *width, *height,
          file) != (size_t) *height)
    die ("the picture is too short");
  fclose (file);
  return samples;
}

#endif
