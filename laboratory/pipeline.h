/* blockdct benchmark: pipelines with one source, one sink and what is measured
 * between them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_BENCHMARKS_PIPELINE_H
#define TESTS_BENCHMARKS_PIPELINE_H

#include <gst/base/gstpushsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>

/** Where the source's frames come from. It draws each buffer once and hands the
 * same few out again and again. */
typedef enum
{
  SOURCE_OWN,                   /**< memory of its own: it does not cooperate */
  SOURCE_POOL,                  /**< the pool that downstream proposes */
  SOURCE_CUDA,                  /**< CUDA memory */
} SourceKind;

typedef struct
{
  const gchar *format;
  gint width, height;
} Picture;

/** Caps at `fps` frames a second. */
GstCaps *picture_caps (const Picture * picture, gboolean cuda, gint fps);

/* pipeline-source.c */

#define BENCH_TYPE_SRC (bench_src_get_type ())
G_DECLARE_FINAL_TYPE (BenchSrc, bench_src, BENCH, SRC, GstPushSrc);

/** Frame `n` has the timestamp `n` x BENCH_TICK, whatever the rate. */
#define BENCH_TICK GST_SECOND

/** A source that stops when told to. `context` is a GstCudaContext, for
 * SOURCE_CUDA; with `fps` above 0 it is that fast and no faster. */
GstElement *bench_src_new (SourceKind kind, const Picture * picture,
    GstObject * context, gint fps);
void bench_src_stop (BenchSrc * src);

/** For its streaming thread: when frame `n`, one of the latest BENCH_TIMES, was
 * pushed (monotonic us), and how many were. */
#define BENCH_TIMES 4096
gint64 bench_src_pushed_at (BenchSrc * src, guint64 n);
guint64 bench_src_n_pushed (BenchSrc * src);

/** Frames since one that was drawn, as its memory was new. */
guint64 bench_src_n_since_new (BenchSrc * src);

/* pipeline-run.c */

/** What a pipeline did between its warm-up and its end. */
typedef struct
{
  gdouble fps;
  gdouble cpu_us;               /**< of all threads, a frame */
  gdouble latency_us, latency_max_us;   /**< push to sink: median, greatest */
  gint in_flight;               /**< at most */
  gint64 host_growth, device_growth;    /**< bytes, second half of the run */
  guint64 frames, messages;
} Result;

typedef struct
{
  SourceKind source;
  const gchar *middle;          /**< elements; NULL: none */
  Picture picture;
  gint device;
  gint fps;                     /**< of a live source; 0: as fast as it goes */
  gdouble seconds;              /**< to measure, if `frames` is 0 */
  guint64 frames;
} Run;

/** Run some pipelines at once, each to its end. FALSE, with the reason printed,
 * if one fails. */
gboolean bench_run (const Run * runs, Result * results, guint n);

/** The GstCudaContext of a device, made once; NULL without. */
GstObject *bench_context (gint device);

/* pipeline-limits.c */

/** Frames a second that a device copies: in both directions at once, from and
 * to pinned memory; within itself; and that the host copies into pinned memory,
 * by one thread and by as many as the engine takes. 0 where that fails. */
typedef enum { LIMIT_DUPLEX, LIMIT_DEVICE, LIMIT_MEMCPY, LIMIT_MEMCPY_THREADS,
  N_LIMITS } Limit;

extern const gchar *const limit_names[N_LIMITS];
gdouble limit_measure (Limit limit, gint device, gsize size, gdouble seconds);

/** Devices there are, and bytes free on one. */
gint limit_devices (void);
gint64 limit_free_memory (gint device);
const gchar *limit_device_name (gint device);

#endif
