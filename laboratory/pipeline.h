/* blockdct benchmark: pipelines with one source, one sink and the measured
 * elements between them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LAB_PIPELINE_H
#define LAB_PIPELINE_H

#include <gst/base/gstpushsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>

/* The origin of the source's frames. The source draws each buffer once and
 * reuses the same few. */
typedef enum {
  SOURCE_OWN,  /* its own memory: it ignores downstream's proposal */
  SOURCE_POOL, /* the pool that downstream proposes */
  SOURCE_CUDA, /* CUDA memory */
} SourceKind;

typedef struct {
  const gchar *format;
  gint width, height;
} Picture;

/* pipeline-source.c */

#define BENCH_TYPE_SRC (bench_src_get_type ())
G_DECLARE_FINAL_TYPE (BenchSrc, bench_src, BENCH, SRC, GstPushSrc);

/* Frame `n` has the timestamp `n` x BENCH_TICK, whatever the rate. */
#define BENCH_TICK GST_SECOND
#define BENCH_TIMES 4096
#define BENCH_OWN 8

/* A source. Others than its streaming thread only set `stop`. */
struct _BenchSrc {
  GstPushSrc parent;

  SourceKind kind;
  Picture picture;
  GstObject *context; /* a GstCudaContext, for SOURCE_CUDA */
  gint fps;           /* of a live source; 0: as fast as possible */

  GstBufferPool *pool;
  GstBuffer *own[BENCH_OWN]; /* without a pool: copies share their memory */
  guint64 n;          /* of the next frame */
  guint64 drawn;      /* the latest frame in new memory */
  gint64 first;       /* time of frame 0 */
  gint64 pushed_at[BENCH_TIMES]; /* of the latest (monotonic us) */
  gint stop;          /* atomic: it ends */
};

BenchSrc *bench_src_new (SourceKind kind, const Picture *picture,
    GstObject *context, gint fps);

/* A pipeline of the source, elements and a sink that calls a probe with
 * `data`; NULL, which it says, if the description is wrong. */
GstElement *bench_pipeline (BenchSrc *src, const gchar *middle,
    GstPadProbeCallback probe, gpointer data);

/* pipeline-run.c */

/* The result of a pipeline, between its warm-up and its end. */
typedef struct {
  gdouble fps;
  gdouble cpu_us;             /* a frame, of all threads */
  gdouble latency_us, latency_max_us; /* from push to sink: median, maximum */
  gint in_flight;             /* maximum */
  gint64 host_growth, device_growth; /* bytes, second half of the run */
  guint64 frames, messages;
} Result;

typedef struct {
  SourceKind source;
  const gchar *middle;        /* elements */
  Picture picture;
  gint device;
  gint fps;                   /* of a live source; 0: as fast as possible */
  gdouble seconds;            /* to measure */
} Run;

/* Run some pipelines at once, each to its end. Prints the reason and returns
 * FALSE if one fails. */
gboolean bench_run (const Run *runs, Result *results, guint n);

/* pipeline-limits.c */

/* Frames a second that a device copies in both directions at once, from and to
 * pinned memory, and within itself; and that the host copies into pinned
 * memory, with one thread and with as many as the engine uses. 0: failed. */
typedef enum { LIMIT_DUPLEX, LIMIT_DEVICE, LIMIT_MEMCPY, LIMIT_MEMCPY_THREADS,
  N_LIMITS } Limit;

extern const gchar *const limit_names[N_LIMITS];
gdouble limit_measure (Limit limit, gsize size, gdouble seconds);

/* The number of devices, and the free bytes of one. */
gint limit_devices (void);
gint64 limit_free_memory (gint device);
const gchar *limit_device_name (void);

#endif
