/* Pipelines that play for long, and what goes wrong with them on a GPU.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LONG_RUN_H
#define LONG_RUN_H

#include <gst/gst.h>

#define PATIENCE 60             /* s, for frames or an error */
#define CUDA "video/x-raw(memory:CUDAMemory)"

/* The pipelines' async-depth. */
extern gint depth;

/* The backend under test. */
const gchar *backend (void);

/* A pipeline with blockdct once or twice, and what its messages say. */
typedef struct
{
  GstElement *pipeline;
  const gchar *engine;
  guint n_elements;
  GMutex lock;
  GCond changed;
  guint64 n[2], wrong;          /* messages of each, and wrong ones ever */
  gdouble psnr[2];              /* 0: the first is to tell */
  gboolean eos;
  gchar *error;                 /* whose it is, and what it says */
} Stream;

/* A pipeline that plays `n` frames, or without an end (-1); `between`: caps
 * between two elements, or NULL: one element. Its figures have to be the CPU
 * engine's, but those of `n` = REFERENCE frames, which are to tell them. */
#define REFERENCE 2
Stream *stream_new (const gchar * engine, gint width, const gchar * between,
    gint n);
void stream_play (Stream * self);
void stream_end (Stream * self);
void stream_free (Stream * self);

/* Frames that have passed all elements. */
guint64 stream_frames (Stream * self);

/* Wait for so many frames, or for what ends it: whether that came in time. */
gboolean stream_wait (Stream * self, guint64 frames, gdouble seconds);

/* Whether neither an error nor a wrong figure came; what did is printed. */
gboolean stream_is_well (Stream * self);

/* Play `n` frames to their end. */
gboolean stream_run (Stream * self, guint64 n);

/* What goes wrong on a GPU ("stop", "stray" or "memory"): whether the process
 * goes on after it. */
gboolean run_fault (const gchar * name, const gchar * between);

#endif
