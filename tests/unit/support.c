/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "support.h"

#include <stdio.h>
#include <string.h>

void
picture_clear (Picture * picture)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    g_free (picture->sample[c]);
  memset (picture, 0, sizeof *picture);
}

gboolean
picture_load (Picture * picture, const char *name)
{
  const char *folder = g_getenv ("BLOCKDCT_DATA");
  char *path = g_build_filename (folder ? folder : BLOCKDCT_DATA_DEFAULT, name,
      NULL);
  int width = 0, height = 0, peak = 0, start = 0;
  char *bytes = NULL;
  gsize length = 0;
  gboolean ok;

  memset (picture, 0, sizeof *picture);
  ok = g_file_get_contents (path, &bytes, &length, NULL)
      && sscanf (bytes, "P5 %d %d %d%n", &width, &height, &peak, &start) == 3
      && peak == 255 && width > 0 && height > 0
      && length == (gsize) start + 1 + (gsize) width * height;
  if (ok) {
    picture->width[0] = width;
    picture->height[0] = height;
    picture->sample[0] = g_new (int, (gsize) width * height);
    for (int i = 0; i < width * height; i++)
      picture->sample[0][i] = (guint8) bytes[start + 1 + i];
  } else {
    char *reason = g_strdup_printf ("no 8-bit PGM at %s; BLOCKDCT_DATA names "
        "its folder", path);

    g_test_skip (reason);
    g_free (reason);
  }
  g_free (bytes);
  g_free (path);
  return ok;
}

void
tests_add (GTestDataFunc func, int data, const char *path, ...)
{
  char *text;
  va_list args;

  va_start (args, path);
  text = g_strdup_vprintf (path, args);
  va_end (args);
  g_test_add_data_func (text, GINT_TO_POINTER (data), func);
  g_free (text);
}
