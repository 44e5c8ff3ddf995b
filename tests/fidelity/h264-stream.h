/* blockdct tests: H.264 streams of chroma levels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_H264_STREAM_H
#define TESTS_H264_STREAM_H

#include <glib.h>

/* What all pictures of a stream have in common. */
typedef struct {
  int depth;
  gboolean tall;         /* 4:2:2, else 4:2:0 */
  int width, height;     /* of luma; even, in 4:2:0 */
  int chroma_qp_offset;
} H264Stream;

/* Begin a stream: its parameter sets. */
void h264_begin (GByteArray *stream, const H264Stream *of);

/* Add a picture of intra macroblocks, each a slice by itself, so that with
 * nothing beside it the prediction is mid-grey, which is all that luma has.
 * `levels` are those of U and V, macroblock by macroblock, 4 x 4 block by
 * block, the DC transform's in their first places. */
void h264_add (GByteArray *stream, const H264Stream *of, guint number, int qp,
    const gint16 *const levels[2]);

#endif
