/* blockdct element tests: frames to push through the element, and what the CPU
 * engine makes of them when called directly.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ELEMENT_FRAMES_H
#define TESTS_ELEMENT_FRAMES_H

#include <gst/gst.h>
#include <gst/video/video.h>
#include "dct/engine/engine.h"

/* Frames are shown at 25 per second. */
#define FRAME (40 * GST_MSECOND)

/* The contract's formats, written down apart from the element's own table. */
typedef struct
{
  const gchar *name;
  gint depth, shift;
  BdctChromaFormat chroma;
  gint n_planes;
  BdctComponent order[3];       /* in memory */
} TestFormat;

#define N_TEST_FORMATS 16
extern const TestFormat test_formats[N_TEST_FORMATS];

GstCaps *video_caps (const gchar * format, gint width, gint height);
void video_info (GstVideoInfo * info, const gchar * format, gint width,
    gint height);

/* Make a buffer the `n`th frame of a stream, with the time that goes with it.
 * Each has its own content. */
void frame_fill (const GstVideoInfo * info, GstBuffer * buffer, guint n);
GstBuffer *frame_new (const GstVideoInfo * info, guint n);

/* What the CPU engine makes of a frame when called directly, and its bits. */
GstBuffer *frame_expect (const GstVideoInfo * info, GstBuffer * in,
    const BdctParams * params, BdctStats * stats);

/* Whether the visible samples are the same; if not, the test log says where
 * the first difference is. */
gboolean frames_equal (const GstVideoInfo * info, GstBuffer * a, GstBuffer * b);

#endif
