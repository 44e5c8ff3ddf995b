/* Binary PGM of 8 bits without comments, for the examples of libblockdct.
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

/* False, with a message that names the file, if it cannot be read. */
static inline bool
pgm_read (const char *path, Pgm * pgm)
{
  FILE *file = fopen (path, "rb");
  size_t size = 0;
  int peak;
  bool ok;

  pgm->data = NULL;
  ok = file != NULL
      && fscanf (file, "P5 %5d %5d %3d", &pgm->width, &pgm->height, &peak) == 3
      && peak == 255 && getc (file) != EOF
      && pgm->width > 0 && pgm->width <= BDCT_MAX_SIDE
      && pgm->height > 0 && pgm->height <= BDCT_MAX_SIDE;
  if (ok) {
    size = (size_t) pgm->width * pgm->height;
    pgm->data = malloc (size);
    ok = pgm->data != NULL && fread (pgm->data, 1, size, file) == size;
  }
  if (file != NULL)
    fclose (file);
  if (!ok)
    fprintf (stderr, "%s cannot be read as a binary PGM of 8 bits\n", path);
  return ok;
}

static inline bool
pgm_write (const char *path, const Pgm * pgm)
{
  FILE *file = fopen (path, "wb");
  size_t size = (size_t) pgm->width * pgm->height;
  bool ok = file != NULL
      && fprintf (file, "P5\n%d %d\n255\n", pgm->width, pgm->height) > 0
      && fwrite (pgm->data, 1, size, file) == size;

  /* What is buffered fails here. */
  if (file != NULL && fclose (file) != 0)
    ok = false;
  if (!ok)
    fprintf (stderr, "%s cannot be written\n", path);
  return ok;
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
