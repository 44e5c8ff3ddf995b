/* blockdct benchmark: pipelines with one source, one sink and the measured
 * elements between them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_BENCHMARKS_PIPELINE_H
#define TESTS_BENCHMARKS_PIPELINE_H

#include <gst/base/gstpushsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>

/* The origin of the source's frames. The source draws each buffer once and
 * reuses the same few. */
typedef enum
{
  SOURCE_OWN,                   /* its own memory: it ignores downstream's
                                     proposal */
  SOURCE_POOL,                  /* the pool that downstream proposes */
  SOURCE_CUDA,                  /* CUDA memory */
} SourceKind;

typedef struct
{
  const gchar *format;
  gint width, height;
} Picture;

/* Caps at `fps` frames a second. */
GstCaps *picture_caps (const Picture * picture, gboolean cuda, gint fps);

/* pipeline-source.c */

#define BENCH_TYPE_SRC (bench_src_get_type ())
G_DECLARE_FINAL_TYPE (BenchSrc, bench_src, BENCH, SRC, GstPushSrc);

/* Frame `n` has the timestamp `n` x BENCH_TICK, whatever the rate. */
#define BENCH_TICK GST_SECOND

/* A source that ends on request. `context` is a GstCudaContext, for
 * SOURCE_CUDA; with `fps` above 0 it is a live source of that rate. */
GstElement *bench_src_new (SourceKind kind, const Picture * picture,
    GstObject * context, gint fps);
void bench_src_stop (BenchSrc * src);

/* For its streaming thread: when frame `n`, one of the latest BENCH_TIMES, was
 * pushed (monotonic us), and the number of pushed frames. */
#define BENCH_TIMES 4096
gint64 bench_src_pushed_at (BenchSrc * src, guint64 n);
guint64 bench_src_n_pushed (BenchSrc * src);

/* The number of frames since one had to be drawn in new memory. */
guint64 bench_src_n_since_new (BenchSrc * src);

/* pipeline-run.c */

/* The result of a pipeline, between its warm-up and its end. */
typedef struct
{
  gdouble fps;
  gdouble cpu_us;               /* a frame, of all threads */
  gdouble latency_us, latency_max_us;   /* from push to sink: median,
                                             maximum */
  gint in_flight;               /* maximum */
  gint64 host_growth, device_growth;    /* bytes, second half of the run */
  guint64 frames, messages;
} Result;

typedef struct
{
  SourceKind source;
  const gchar *middle;          /* elements; NULL: none */
  Picture picture;
  gint device;
  gint fps;                     /* of a live source; 0: as fast as possible */
  gdouble seconds;              /* to measure, if `frames` is 0 */
  guint64 frames;
} Run;

/* Run some pipelines at once, each to its end. Prints the reason and returns
 * FALSE if one fails. */
gboolean bench_run (const Run * runs, Result * results, guint n);

/* The GstCudaContext of a device, created once; NULL: there is none. */
GstObject *bench_context (gint device);

/* pipeline-limits.c */

/* Frames a second that a device copies in both directions at once, from and to
 * pinned memory, and within itself; and that the host copies into pinned
 * memory, with one thread and with as many as the engine uses. 0: failed. */
typedef enum { LIMIT_DUPLEX, LIMIT_DEVICE, LIMIT_MEMCPY, LIMIT_MEMCPY_THREADS,
  N_LIMITS } Limit;

extern const gchar *const limit_names[N_LIMITS];
gdouble limit_measure (Limit limit, gint device, gsize size, gdouble seconds);

/* The number of devices, and the free bytes of one. */
gint limit_devices (void);
gint64 limit_free_memory (gint device);
const gchar *limit_device_name (gint device);

#endif
