/** @file
 * JPEG files that a GPU decodes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_JPEG_H
#define BLOCKDCT_JPEG_H

#include <blockdct/engine.h>

BDCT_BEGIN_DECLS

/** A file, and the picture that it becomes. */
typedef struct {
  size_t size;
  const void *data;           /**< all of the file, in host memory */
  size_t n_bytes;
  uint8_t *dst;               /**< on the device, 1 byte a pixel of a grey
                                   picture, else R, G and B; or NULL: only what
                                   follows is wanted */
  ptrdiff_t stride;           /**< bytes from one row to the next; 0: no gaps */
  int width, height;          /**< are set; 0: another decoder has to read it */
  int channels;               /**< is set: 1 or 3 */
  bool decoded;               /**< is set; false with a `dst`: likewise, its
                                   pixels are any */
} BdctJpeg;

#define BDCT_JPEG_DEFAULT { .size = sizeof (BdctJpeg) }

/** Decode files on an engine's GPU, to the pixels of libjpeg-turbo's djpeg and
 * so of Pillow. These are files in baseline Huffman coding of one scan with one
 * component or three, which libjpeg reads without a warning; all others, and
 * damaged ones, are left to another decoder. Work that is on the stream `wait`,
 * which may be NULL, is completed first. Returns when the pictures are
 * complete; false with an error of the device. Of the files' `dst` only some
 * are checked; where another one is not on the device, CUDA loses its
 * context. */
bool bdct_jpeg_decode (BdctEngine *engine, BdctJpeg *files, int n, void *wait,
    BdctError *error);

BDCT_END_DECLS
#endif
