/* blockdct tests: pictures as plain arrays of samples, frames as an engine
 * takes them, and the way from one to the other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FRAME_H
#define TESTS_FRAME_H

#include <glib.h>
#include "dct/engine/engine.h"
#include "reference.h"

typedef enum {
  FORMAT_GRAY,
  FORMAT_I420,
  FORMAT_YV12, /* V before U */
  FORMAT_NV12,
  FORMAT_NV21, /* V before U in each pair */
  FORMAT_Y42B,
  FORMAT_NV16,
  FORMAT_Y444,
  N_FORMATS
} Format;

/* The engines under test, at most MAX_ENGINES: the CPU engine once for each of
 * this processor's instruction sets, best first; or, where the environment has
 * BLOCKDCT_TEST_BACKEND=cuda, the CUDA engine alone, as it is and without the
 * tensor cores. The caller's. A test without its engine ends with an error. */
#define MAX_ENGINES 8
guint engines_open (BdctEngine *engines[MAX_ENGINES]);
void engines_close (BdctEngine *const *engines, guint n_engines);

/* Submit a frame with one job and nothing else. */
gboolean engine_submit (BdctEngine *engine, const BdctJob *job,
    const BdctImage *src, const BdctImage *dst, BdctError *error);

/* Have an engine do a frame, or a comparison, and nothing else; what is wrong
 * ends the program. */
void engine_run (BdctEngine *engine, const BdctLayout *layout,
    const BdctFrame *frame, BdctStats *stats);
void engine_compare (BdctEngine *engine, const BdctLayout *layout,
    const BdctComparison *comparison, BdctStats *stats);

/* The layout of a format; chroma is half the luma's size, rounded up. */
void format_layout (Format format, int depth, int shift, int width, int height,
    BdctLayout *layout);

typedef enum {
  CONTENT_SMOOTH,  /* gradients and waves, a little noise */
  CONTENT_RANDOM,  /* every value alike */
  CONTENT_EXTREME, /* every sample 0 or peak, at random */
  CONTENT_BASIS    /* block after block the sign pattern of each basis
                        function of `transform` between 0 and peak */
} Content;

typedef RefPicture Picture;

void picture_init (Picture *picture, const BdctLayout *layout);
void picture_clear (Picture *picture);
void picture_fill (Picture *picture, Content content, const BdctLayout *layout,
    BdctTransform transform, guint32 seed);

/* Read a binary PGM as a picture of one component; FALSE, with the test
 * skipped and the reason given, if there is none. */
gboolean picture_load (Picture *picture, const char *name);

/* Set dct-8x8 with the table of NVIDIA's DCT8x8 whitepaper ("quality 0 of
 * 12"). */
void whitepaper_params (BdctParams *params);

typedef enum {
  STRIDE_TIGHT,    /* no byte beside the rows: a sanitizer sees any excess */
  STRIDE_ODD,      /* rows and first sample on odd bytes (words above 8) */
  STRIDE_NEGATIVE, /* the last row first */
  N_STRIDES
} Stride;

/* An image with its memory, which is filled with a pattern at first. */
typedef struct {
  BdctImage image;
  guint8 *memory[BDCT_MAX_PLANES];
  gsize size[BDCT_MAX_PLANES];
} Frame;

void frame_init (Frame *frame, const BdctLayout *layout, Stride stride);
void frame_clear (Frame *frame);

/* Write a picture. With `dirty`, the bits below `shift` become noise. */
void frame_put (Frame *frame, const BdctLayout *layout, const Picture *picture,
    gboolean dirty);

/* Read the picture back. */
void frame_get (const Frame *frame, const BdctLayout *layout,
    Picture *picture);

#endif
