/* What the parts of long-run share: pipelines, and what goes wrong on a GPU.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LONG_RUN_H
#define LONG_RUN_H

#include <gst/gst.h>

#define PATIENCE 60             /* s, for frames or an error */
#define CUDA "video/x-raw(memory:CUDAMemory)"

typedef enum { PASSED = 0, FAILED = 1, SKIPPED = 77 } Outcome;

/* The pipelines' async-depth. */
extern gint depth;

/* The backend under test. */
const gchar *backend (void);
gboolean on_cuda (void);

/* A pipeline with blockdct once or twice, and what its messages say. */
typedef struct
{
  GstElement *pipeline;
  const gchar *engine;
  guint n_elements;
  gint64 last;                  /* frame of each that is checked */
  GMutex lock;
  GCond changed;
  guint64 n[2], wrong;          /* messages of each, and wrong ones ever */
  gdouble psnr[2];              /* 0: the first is to tell */
  gboolean eos;
  GError *error;
  gchar *debug;
  gboolean error_is_ours;
} Stream;

/* A pipeline that plays `n` frames, or without an end (-1); `between`: caps
 * between two elements, or NULL: one element. Its engine is the one under test
 * and its figures have to be the CPU engine's; or the engine is given, and the
 * first frame's figures tell the others'. */
Stream *stream_new (gint width, const gchar * between, gint at, gint n);
Stream *stream_make (const gchar * engine, gint width, const gchar * between,
    gint at, gint n);
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

/* What goes wrong on a GPU, and whether it goes on after one of these. */
extern const gchar *const faults[];
extern const guint n_faults;
gboolean run_fault (const gchar * name, const gchar * between);

/* Be the program that takes all of the GPU's memory; its exit status. */
gint take_memory (void);

#endif
