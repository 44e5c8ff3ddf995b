/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bytes as a JPEG file: an error with a reason, or levels, which are the same
 * after they are written and read again. */
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include "jpeg/file.h"

#define MAX_PIXELS (1 << 20)

static void
check_again (const JpegFile * file)
{
  const JpegFileOptions options = { false, false };
  unsigned char *data;
  BdctError error;
  JpegFile again;
  size_t size;

  if (!jpeg_file_write (file, &options, &data, &size, &error))
    return;                     /* levels or sides that no encoder makes */
  if (!jpeg_file_read (&again, data, size, MAX_PIXELS, &error))
    g_error ("what is written cannot be read: %s", error.message);
  for (int c = 0; c < file->n_components; c++) {
    const JpegFileComponent *a = &file->component[c];
    const JpegFileComponent *b = &again.component[c];

    if (a->columns != b->columns || a->rows != b->rows
        || memcmp (a->levels, b->levels, (size_t) a->columns * a->rows * 64
            * sizeof *a->levels) != 0)
      g_error ("component %d differs", c);
  }
  jpeg_file_clear (&again);
  free (data);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  uint8_t *copy = malloc (size ? size : 1);
  BdctError error = { "" };
  JpegFile file;

  memcpy (copy, data, size);
  if (jpeg_file_read (&file, copy, size, MAX_PIXELS, &error)) {
    check_again (&file);
    jpeg_file_clear (&file);
  } else if (error.message[0] == '\0') {
    g_error ("a failure without a reason");
  }
  free (copy);
  return 0;
}
