/* blockdct fuzzer: frames as samples by component, in and out of buffers; and
 * what the definitions make of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_PICTURE_H
#define TESTS_FUZZ_PICTURE_H

#include <gst/video/video.h>
#include "check/element/frames.h"
#include "model.h"

/** A format in a size. Components are Y, U, V whatever their order. */
typedef struct
{
  const TestFormat *format;
  gint width, height, depth, bytes, n_components, n_planes;
  gint w[3], h[3];              /**< of a component */
  gint plane[3], index[3], step[3];     /**< where a component is, in samples */
  gint row[3], rows[3];         /**< bytes and rows of a plane */
} Shape;

/** By component, row by row; NULL where there is none. */
typedef struct
{
  gint *v[3];
} Samples;

void shape_init (Shape * shape, guint format, gint width, gint height);
void samples_init (Samples * samples, const Shape * shape);
void samples_clear (Samples * samples);

/** How a buffer is laid out. */
typedef enum
{
  LAYOUT_PLAIN,                 /**< as the caps say, no meta */
  LAYOUT_META,                  /**< the same, with a meta */
  LAYOUT_PADDED,
  LAYOUT_ODD,                   /**< strides and offsets on odd bytes */
  LAYOUT_NEGATIVE,              /**< last row first */
  LAYOUT_REVERSED,              /**< last plane first */
  N_LAYOUTS
} Layout;

/** Draw a picture and put it into a new buffer of that many memories. `dirty`
 * sets bits that have to be ignored. */
GstBuffer *picture_draw (const Shape * shape, const GstVideoInfo * info,
    guint content, guint32 seed, Layout layout, guint n_memories,
    gboolean dirty, Samples * samples);

/** The same in a buffer that is there, as its meta or the caps lay it out. */
void picture_write (const Shape * shape, const GstVideoInfo * info,
    GstBuffer * buffer, guint content, guint32 seed, gboolean dirty,
    Samples * samples);

/** Read a buffer; FALSE if it cannot be mapped, or has bits it must not. */
gboolean picture_read (const Shape * shape, const GstVideoInfo * info,
    GstBuffer * buffer, Samples * samples, const gchar ** why);

/** What the definitions say. */
typedef struct
{
  guint64 samples[3], sse[3], levels, nonzero, unsure;
} Figures;

void picture_transform (const Shape * shape, const BdctParams * params,
    const Samples * in, Samples * out, Samples * slack, Figures * figures,
    gboolean cuda);

/** The statistics at several qualities, or QPs, with their bits, by the CPU
 * engine: its own tests are elsewhere. */
void picture_sweep (const Shape * shape, const BdctParams * params,
    const Samples * in, const gint * settings, gint n, BdctStats * stats);

/** What a view shows of a component's sample; -1 if that is not checked here.
 * The grid is another function's. */
gint picture_view (const Shape * shape, const Choice * choice,
    const Samples * in, const Samples * rec, gint c, gint x, gint y);
gboolean picture_view_known (const Choice * choice);

/** Where luma's (x, y) of a view comes from; TRUE: the reconstruction. */
gboolean picture_origin (const Shape * shape, const Choice * choice, gint * x,
    gint * y);

#endif
