/* blockdct: the quantized levels of a JPEG file, read and written by libjpeg.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_JPEG_FILE_H
#define BLOCKDCT_JPEG_FILE_H

#include <blockdct/picture.h>

#define JPEG_FILE_MAX_COMPONENTS 4

/* What a file's components are, by its JFIF and Adobe markers. The decoded
 * picture of the last two is C, M, Y and K. */
typedef enum
{
  JPEG_FILE_GREY, JPEG_FILE_YCC, JPEG_FILE_RGB, JPEG_FILE_CMYK, JPEG_FILE_YCCK
} JpegFileColour;

/* One component. `levels` has the blocks that cover its own samples, without
 * those that only fill an MCU: from left to right, then downwards; 64 levels
 * each, row-major, rows are vertical frequency. The steps are in this order,
 * too. */
typedef struct
{
  int h, v;                     /* sampling factors, 1 to 4 */
  int width, height;            /* in samples */
  int columns, rows;            /* in blocks */
  uint16_t steps[64];
  int16_t *levels;
} JpegFileComponent;

/* A file of 8 bits a sample. */
typedef struct
{
  int width, height;
  JpegFileColour colour;
  int n_components;
  JpegFileComponent component[JPEG_FILE_MAX_COMPONENTS];
  int16_t *levels;              /* of all components, one behind the other */
  size_t n_levels;
} JpegFile;

/* How a file is written. */
typedef struct
{
  bool optimize;                /* Huffman tables of the file's own */
  bool progressive;             /* libjpeg's scans, which implies the above */
} JpegFileOptions;

/* Read a file's levels. Fails, with the reason, if it is truncated or corrupt,
 * if it has more than `max_pixels` pixels or 500 scans, other than 8 bits a
 * sample, or sampling factors that do not divide the largest ones; or if it is
 * progressive and lacks scans, which decoders smooth. Free with
 * jpeg_file_clear(). */
bool jpeg_file_read (JpegFile * file, const void *data, size_t size,
    uint64_t max_pixels, BdctError * error);

/* Write levels as a file: what `cjpeg` writes whose quantizer gives them, with
 * these steps and sampling factors. Levels are checked here; that the
 * components are as many as the colours have, the caller has checked. `data` is
 * the caller's, to be freed with free(). */
bool jpeg_file_write (const JpegFile * file, const JpegFileOptions * options,
    unsigned char **data, size_t *size, BdctError * error);

/* Set each component's size from the picture's and the sampling factors, and
 * allocate the levels. */
bool jpeg_file_allocate (JpegFile * file, BdctError * error);

/* Free what a file holds. */
void jpeg_file_clear (JpegFile * file);

/* A decoded file: rows of pixels without gaps, one byte of a grey one, R, G and
 * B, or C, M, Y and K, inverted, as Pillow shows them. */
typedef struct
{
  int width, height, channels;
  uint8_t *pixels;
} JpegPicture;

/* Decode a file with libjpeg. Fails as jpeg_file_read() does, but not if
 * progressive scans are missing, which libjpeg smooths. The pixels are the
 * caller's, to be freed with free(). */
bool jpeg_file_decode (JpegPicture * picture, const void *data, size_t size,
    uint64_t max_pixels, BdctError * error);

/* The version of libjpeg, such as "libjpeg-turbo 2.1.5". */
const char *jpeg_file_library (void);

#endif
