/* blockdct fuzzer: frames as samples by component, in and out of buffers; and
 * what the definitions make of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_PICTURE_H
#define TESTS_FUZZ_PICTURE_H

#include <gst/video/video.h>
#include "dct/engine/engine.h"
#include "tests/element/frames.h"

/* A format in a size. Components are Y, U, V whatever their order; of R, G and
 * B, the planes that they become. */
typedef struct
{
  const gchar *format;
  const BdctRgb *rgb;           /* NULL: the format is not of R, G and B */
  BdctChromaFormat chroma;
  gint width, height, depth, shift, bytes, n_components, n_planes;
  gint sub_x, sub_y;            /* of U and V: they are half as large */
  gint w[3], h[3];              /* of a component */
  gint columns[3];              /* of the input's: planes of R, G and B go on
                                     beside the picture, as far as blocks may */
  gint plane[3], index[3], step[3];     /* where a component is, in samples */
  gint row[3], rows[3];         /* bytes and rows of a plane in memory */
} Shape;

/* By component, row by row; NULL where there is none. Of R, G and B there are
 * also the bytes as they are, without what is between rows. */
typedef struct
{
  gint *v[3];
  guint8 *pixels;
} Samples;

/* The formats' names, those of R, G and B last. */
#define N_FORMATS (N_TEST_FORMATS + 11)
const gchar *shape_format (guint n);

void shape_init (Shape * shape, const gchar * format, gint width, gint height);

/* R, G and B are to become planes with chroma of another size. */
void shape_subsample (Shape * shape, BdctChromaFormat chroma);
void samples_init (Samples * samples, const Shape * shape);
void samples_clear (Samples * samples);

/* How a buffer is laid out. */
typedef enum
{
  LAYOUT_PLAIN,                 /* as the caps say, no meta */
  LAYOUT_META,                  /* the same, with a meta */
  LAYOUT_PADDED,
  LAYOUT_ODD,                   /* strides and offsets on odd bytes */
  LAYOUT_NEGATIVE,              /* last row first */
  LAYOUT_REVERSED,              /* last plane first */
  N_LAYOUTS
} Layout;

/* Draw a picture and put it into a new buffer of that many memories. `dirty`
 * sets bits that have to be ignored. */
GstBuffer *picture_draw (const Shape * shape, const GstVideoInfo * info,
    guint content, guint32 seed, Layout layout, guint n_memories,
    gboolean dirty, Samples * samples);

/* The same in a buffer that is there, as its meta or the caps lay it out. */
void picture_write (const Shape * shape, const GstVideoInfo * info,
    GstBuffer * buffer, guint content, guint32 seed, gboolean dirty,
    Samples * samples);

/* Read a buffer; FALSE if it cannot be mapped, or has bits it must not. */
gboolean picture_read (const Shape * shape, const GstVideoInfo * info,
    GstBuffer * buffer, Samples * samples, const gchar ** why);

/* Have planes of pixels, and pixels, with their errors, of what became of the
 * planes: by the CPU engine's functions, which libjpeg's results are compared
 * with elsewhere. */
void picture_split (const Shape * shape, Samples * in);
void picture_join (const Shape * shape, const Samples * in, Samples * out,
    guint64 sse[3]);

/* What the definitions say; of hevc-quadtree those of the sizes that the CPU
 * engine chooses, whose own tests are elsewhere. */
typedef struct
{
  guint64 samples[3], sse[3], levels, nonzero, unsure;
  guint64 rgb_sse[3];           /* of R, G and B */
} Figures;

void picture_transform (const Shape * shape, const BdctParams * params,
    const Samples * in, Samples * out, Samples * slack, Figures * figures,
    gboolean cuda);

/* The statistics at several qualities, or QPs, with their bits, by the CPU
 * engine: its own tests are elsewhere. `coded`: the sizes of JPEG files are
 * those of coded frames. */
void picture_curve (const Shape * shape, const BdctParams * params,
    const Samples * in, const gint * settings, gint n, gboolean coded,
    BdctStats * stats);

#endif
