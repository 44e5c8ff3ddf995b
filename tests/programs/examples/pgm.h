/* Binary PGM of 8 bits, for the examples of libblockdct.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PGM_H
#define PGM_H

#include <blockdct/blockdct.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct
{
  int width, height;
  uint8_t *data;                /* freed by the caller */
} Pgm;

static inline bool
pgm_fail (const char *path, const char *what, FILE * file)
{
  fprintf (stderr, "%s: %s\n", path, what);
  if (file != NULL)
    fclose (file);
  return false;
}

/* A number of the head, behind blanks and comments; -1 if there is none. */
static inline int
pgm_number (FILE * file)
{
  int c = getc (file), n = 0, digits = 0;

  while (c == ' ' || (c >= '\t' && c <= '\r') || c == '#') {
    if (c == '#')
      while (c != '\n' && c != EOF)
        c = getc (file);
    c = getc (file);
  }
  for (; c >= '0' && c <= '9' && n < 1000000; c = getc (file), digits++)
    n = 10 * n + c - '0';
  return digits > 0 && (c == ' ' || (c >= '\t' && c <= '\r')) ? n : -1;
}

/* False, with a message that names the file, if it cannot be read. */
static inline bool
pgm_read (const char *path, Pgm * pgm)
{
  FILE *file = fopen (path, "rb");
  size_t size;
  int peak;

  pgm->data = NULL;
  if (file == NULL)
    return pgm_fail (path, "cannot be opened", file);
  if (getc (file) != 'P' || getc (file) != '5')
    return pgm_fail (path, "is no binary PGM (P5)", file);
  pgm->width = pgm_number (file);
  pgm->height = pgm_number (file);
  peak = pgm_number (file);
  if (pgm->width < 1 || pgm->width > BDCT_MAX_SIDE || pgm->height < 1
      || pgm->height > BDCT_MAX_SIDE)
    return pgm_fail (path, "has sides outside 1 to 65535", file);
  if (peak != 255)
    return pgm_fail (path, "has not 8 bits (a maximum of 255)", file);
  size = (size_t) pgm->width * pgm->height;
  /* Memory beyond what a file can fill is not asked for. */
  {
    long here = ftell (file), end;

    if (here < 0 || fseek (file, 0, SEEK_END) != 0 || (end = ftell (file)) < 0
        || fseek (file, here, SEEK_SET) != 0)
      return pgm_fail (path, "cannot be searched", file);
    if ((size_t) (end - here) < size)
      return pgm_fail (path, "ends early", file);
  }
  pgm->data = malloc (size);
  if (pgm->data == NULL)
    return pgm_fail (path, "is too large for the memory", file);
  if (fread (pgm->data, 1, size, file) != size) {
    free (pgm->data);
    pgm->data = NULL;
    return pgm_fail (path, "cannot be read", file);
  }
  fclose (file);
  return true;
}

static inline bool
pgm_write (const char *path, const Pgm * pgm)
{
  FILE *file = fopen (path, "wb");
  size_t size = (size_t) pgm->width * pgm->height;
  bool ok;

  if (file == NULL)
    return pgm_fail (path, "cannot be written", file);
  ok = fprintf (file, "P5\n%d %d\n255\n", pgm->width, pgm->height) > 0
      && fwrite (pgm->data, 1, size, file) == size;
  /* What is buffered fails here. */
  if (fclose (file) != 0 || !ok)
    return pgm_fail (path, "cannot be written", NULL);
  return true;
}

static inline BdctImage
pgm_image (const Pgm * pgm)
{
  BdctImage image = { 0 };

  image.data[0] = pgm->data;
  image.stride[0] = pgm->width;
  return image;
}
#endif
