/* blockdct long run: pipelines of which every message is checked, and what they
 * take of the process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_GPU_LONG_RUN_H
#define TESTS_GPU_LONG_RUN_H

#include <gst/base/gstpushsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>

/* How many pictures a source hands out in turn. */
#define N_PICTURES 4

/* The backend under test is that of BLOCKDCT_TEST_BACKEND, else the CPU. */
const gchar *backend (void);
gboolean on_cuda (void);

/* What the process is doing: what it says if it has to be ended. */
void stage (const gchar * format, ...) G_GNUC_PRINTF (1, 2);

/* long-run-source.c */

typedef struct
{
  const gchar *format;
  gint width, height;           /* even */
} Form;

/* Where a source's frames lie. */
typedef enum
{
  MEMORY_OWN,                   /* its own, in system memory */
  MEMORY_POOL,                  /* downstream's pool, in system memory */
  MEMORY_CUDA,                  /* likewise, in CUDA memory */
} Memory;

#define TYPE_LONG_SRC (long_src_get_type ())
G_DECLARE_FINAL_TYPE (LongSrc, long_src, LONG, SRC, GstPushSrc);

/* A source of `n_frames` frames, or without end for 0. It draws a buffer once
 * and hands the same few out again and again. It may be started again. */
LongSrc *long_src_new (Memory memory, const Form forms[2], guint64 n_frames);

/* Have it end; from any thread. */
void long_src_stop (LongSrc * src);

/* Have it go over to the second form; from any thread. */
void long_src_change (LongSrc * src);

/* Frames since it was last started; when it has ended. */
guint64 long_src_frames (LongSrc * src);

/* What a frame's timestamp says of it. */
#define FRAME_PICTURE(time) ((time) % N_PICTURES)
#define FRAME_FORM(time) ((time) / N_PICTURES % 2)

/* long-run-stream.c */

#define CUDA_CAPS "video/x-raw(memory:CUDAMemory)"

/* The most blockdct elements in a stream. */
#define MAX_ELEMENTS 2

typedef struct
{
  Memory memory;
  const gchar *between;         /* caps between two elements; NULL: one */
  Form forms[2];
  guint depth;
} Recipe;

typedef struct
{
  gdouble psnr, nonzero;
} Figures;

/* The figures of a recipe's pictures: of each form, element and picture. */
typedef Figures Expected[2][MAX_ELEMENTS][N_PICTURES];

/* A pipeline: a source, blockdct once or twice, and a sink. The elements' own
 * messages are checked as they are posted. */
typedef struct
{
  Recipe recipe;
  GstElement *pipeline;
  const gchar *engine;          /* that all messages are to name */
  LongSrc *src;
  guint n_elements;

  GMutex lock;
  GCond changed;
  /* Protected by the lock. */
  Expected expected;
  gboolean learns;              /* what is expected, instead of checking it */
  guint64 n[MAX_ELEMENTS];      /* messages since it was last started */
  guint64 wrong;                /* messages, ever */
  gboolean eos;
  GError *error;                /* the first since then */
  gchar *debug;                 /* its second text */
  gboolean error_is_ours;       /* it comes from a blockdct */
} Stream;

/* A stopped one. Its figures are to be those of the CPU engine, which makes
 * them first. NULL, with the reason printed, if that fails. */
Stream *stream_new (const Recipe * recipe, guint64 n_frames);
void stream_free (Stream * stream);

/* Leave the choice of the backend to a stopped one's elements: it must be the
 * CPU. */
void stream_fall_back (Stream * stream);

void stream_play (Stream * stream);
void stream_end (Stream * stream);      /* to NULL */

/* Frames that have passed all elements since it was last started. */
guint64 stream_frames (Stream * stream);

/* Wait until so many frames have passed, the stream ends, an error is posted,
 * or so many seconds are over, which is said. TRUE if what was waited for came;
 * FRAMES_EOS and FRAMES_ERROR wait for nothing but the end and an error. */
#define FRAMES_EOS (G_MAXUINT64 - 1)
#define FRAMES_ERROR G_MAXUINT64
gboolean stream_wait (Stream * stream, guint64 frames, gdouble seconds);

/* Whether neither an error nor a wrong figure came; what did is printed. */
gboolean stream_is_well (Stream * stream);

/* Play to the end and stop: whether all was well. */
gboolean stream_run (Stream * stream, guint64 n_frames);

/* long-run-usage.c */

typedef struct
{
  gint64 resident;              /* bytes */
  gint descriptors, threads;
  gint gpu;                     /* MiB; -1: not asked for */
} Usage;

/* What the process takes now. With `gpu`, which starts a program, also of the
 * GPU; of the whole device, which is said once, if the driver does not tell
 * this process's part. */
Usage usage_now (gboolean gpu);

/* What it takes over a run: the most in its first part, and what came then. */
typedef struct
{
  Usage warm, last, most;       /* `most`: after the first part */
  gboolean is_warm;
} Growth;

/* Add one; `warm` for the first part. */
void growth_add (Growth * growth, const Usage * usage, gboolean warm);

/* Whether nothing grew after the first part; what did is printed. */
gboolean growth_is_flat (const Growth * growth);

/* long-run-faults.c */

/* How a phase ends, each in a process of its own: its exit status. */
typedef enum { PASSED = 0, FAILED = 1, SKIPPED = 77 } Outcome;

/* Each runs at several depths, and those that need a GPU also with frames in
 * CUDA memory between two elements. */
typedef struct
{
  const gchar *name, *what;
  gboolean (*run) (const gchar * between, guint depth); /* all was well */
  gboolean needs_gpu;
} Fault;

extern const Fault faults[];
extern const guint n_faults;

/* Take all of the GPU's memory, say so, and hold it until standard input ends;
 * what others free meanwhile too. For a process of its own. */
gint take_memory (void);

#endif
