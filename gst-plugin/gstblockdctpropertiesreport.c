/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of where frames are made, what they aim at, and what is
 * reported of them. */
#include "gstblockdctfields.h"
#include "gstblockdctproperties.h"

/* Both beyond what a frame can have: levels of 16 bits, or one sample of the
 * largest picture that differs by 1. */
#define MAX_BPP 1000
#define MAX_DB 200

static GType
metrics_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static GFlagsValue values[BDCT_N_METRICS + 1];

    for (gint i = 0; i < BDCT_N_METRICS; i++) {
      const BdctMetricInfo *info = bdct_metric_info (i);

      values[i] = (GFlagsValue) {
      1 << i, info->description, info->name};
    }
    g_once_init_leave (&type,
        g_flags_register_static ("GstBlockDctMetrics", values));
  }
  return type;
}

static gboolean
is_all (const GValue * v)
{
  return G_VALUE_HOLDS_STRING (v)
      && g_strcmp0 (g_value_get_string (v), "all") == 0;
}

static gboolean
set_curve (GstBlockDct * self, const GValue * value)
{
  guint n = gst_value_array_get_size (value);
  GstBlockDctCurve curve = {.n = n };
  BdctError error;
  gboolean ok = TRUE;

  if (n == 1 && is_all (gst_value_array_get_value (value, 0))) {
    curve.n = -1;
    n = 0;
  }
  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (curve.setting)) && ok; i++) {
    const GValue *v = gst_value_array_get_value (value, i);

    ok = G_VALUE_HOLDS_INT (v)
        || bdct_error (&error, "what is at index %u is no whole number", i);
    curve.setting[i] = ok ? g_value_get_int (v) : 0;
  }
  ok = ok && gst_blockdct_sweep_check (&curve, BDCT_N_TRANSFORMS, &error);
  return gst_blockdct_property_set_checked (self, PROP_CURVE,
      GST_BLOCKDCT_CURVE, &curve, ok, &error);
}

static void
get_curve (GstBlockDct * self, const GstBlockDctSettings * settings,
    GValue * value)
{
  const GstBlockDctCurve *curve = &settings->curve;
  GValue all = G_VALUE_INIT;

  (void) self;
  for (gint i = 0; i < curve->n; i++)
    gst_blockdct_property_append_int (value, curve->setting[i]);
  if (curve->n >= 0)
    return;
  g_value_init (&all, G_TYPE_STRING);
  g_value_set_static_string (&all, "all");
  gst_value_array_append_and_take_value (value, &all);
}

static gboolean
set_stats_file (GstBlockDct * self, const GValue * value)
{
  const gchar *path = g_value_get_string (value);
  gboolean ok;

  GST_OBJECT_LOCK (self);
  ok = !self->changes.started || g_strcmp0 (path, self->stats_path) == 0;
  if (ok && !self->changes.started) {
    g_free (self->stats_path);
    self->stats_path = g_strdup (path);
  }
  GST_OBJECT_UNLOCK (self);
  return ok;
}

static void
get_stats_file (GstBlockDct * self, const GstBlockDctSettings * settings,
    GValue * value)
{
  (void) settings;
  g_value_set_string (value, self->stats_path);
}

static void
get_active_backend (GstBlockDct * self, const GstBlockDctSettings * settings,
    GValue * value)
{
  (void) settings;
  g_value_set_string (value, self->active_backend);
}

static void
get_stats (GstBlockDct * self, const GstBlockDctSettings * settings,
    GValue * value)
{
  (void) settings;
  g_value_take_boxed (value, gst_blockdct_fields_stats (&self->totals, NULL));
}

/* What chooses quality or QP frame by frame. */
static void
install_targets (GObjectClass * klass)
{
  /**
   * GstBlockDct:target-psnr:
   *
   * Each frame is made with the coarsest quality or QP at which its PSNR is not
   * below this; 0 for none. At most one target at a time.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_TARGET_PSNR, FIELD (targets.psnr),
      g_param_spec_double ("target-psnr", "Target PSNR",
          "Make each frame with the coarsest quality or qp that keeps this "
          "PSNR (dB; 0 = off)", 0, MAX_DB, 0, LIVE));
  /**
   * GstBlockDct:target-ssim:
   *
   * Each frame is made with the coarsest quality or QP at which its SSIM, of
   * all components as #GstBlockDct:metrics has it, is not below this; 0 for
   * none. At most one target at a time.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_TARGET_SSIM, FIELD (targets.ssim),
      g_param_spec_double ("target-ssim", "Target SSIM",
          "Make each frame with the coarsest quality or qp that keeps this "
          "SSIM (0 = off)", 0, 1, 0, LIVE));
  /**
   * GstBlockDct:target-bpp:
   *
   * Each frame is made with the finest quality or QP that costs no more bits
   * per luma sample than this; 0 for none. At most one target at a time.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_TARGET_BPP, FIELD (targets.bpp),
      g_param_spec_double ("target-bpp", "Target bits per sample",
          "Make each frame with the finest quality or qp that costs no more "
          "bits per luma sample (0 = off)", 0, MAX_BPP, 0, LIVE));
  /**
   * GstBlockDct:target-size:
   *
   * Each frame is made with the finest quality or QP that needs no more bytes
   * than this: those of a JPEG file for jpeg-8x8 at 8 bits, else of the
   * estimated bits; 0 for none. At most one target at a time.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_TARGET_SIZE, FIELD (targets.size),
      g_param_spec_uint ("target-size", "Target size",
          "Make each frame with the finest quality or qp that needs no more "
          "bytes (0 = off)", 0, G_MAXUINT, 0, LIVE));
}

/* Where it runs. */
static void
install_engine (GObjectClass * klass)
{
  /**
   * GstBlockDct:backend:
   *
   * The engine to run on; by name it is that one or an error.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_BACKEND, READY_FIELD (backend),
      g_param_spec_enum ("backend", "Backend", "Engine to run on",
          gst_blockdct_backend_get_type (), GST_BLOCKDCT_BACKEND_AUTO, READY));
  /**
   * GstBlockDct:cuda-device-id:
   *
   * The GPU to run on. -1 takes the context of the pipeline, or else makes one
   * on the first GPU, and follows the stream to another context.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_CUDA_DEVICE_ID, READY_FIELD (device_id),
      g_param_spec_int ("cuda-device-id", "CUDA device ID",
          "GPU to run on (-1 = the pipeline's context, else the first)",
          -1, G_MAXINT, -1, READY));
  /**
   * GstBlockDct:threads:
   *
   * Threads of the CPU engine, 0 for one a processor; on CUDA those that copy
   * pageable memory, 0 for at most 4.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_THREADS, READY_FIELD (threads),
      g_param_spec_uint ("threads", "Threads",
          "Threads of the CPU engine (0 = one a processor), or on CUDA those "
          "that copy pageable memory (0 = at most 4)",
          0, 1024, 0, READY));
  /**
   * GstBlockDct:async-depth:
   *
   * Frames in flight. A frame leaves when the last of them has entered; each
   * one above the first adds a frame to the LATENCY query.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_ASYNC_DEPTH, READY_FIELD (async_depth),
      g_param_spec_uint ("async-depth", "Asynchronous depth",
          "Frames in flight; each one above the first adds a frame of latency",
          1, BDCT_MAX_DEPTH, 1, READY));
  /**
   * GstBlockDct:active-backend:
   *
   * What runs, such as "cuda:0 NVIDIA H200" or "cpu:avx2 2 threads"; %NULL
   * while stopped.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_ACTIVE_BACKEND, NO_FIELD,
      g_param_spec_string ("active-backend", "Active backend",
          "What runs, such as 'cuda:0 NVIDIA H200' or 'cpu:avx2 2 threads'; "
          "NULL while stopped", NULL, READ));
  gst_blockdct_property_access (PROP_ACTIVE_BACKEND, NULL, get_active_backend);
  gst_type_mark_as_plugin_api (gst_blockdct_backend_get_type (), 0);
}

/* What is reported. */
static void
install_figures (GObjectClass * klass)
{
  /**
   * GstBlockDct:post-messages:
   *
   * Whether element messages are posted. The buffers' meta and
   * #GstBlockDct:stats are there in any case.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_POST_MESSAGES, QUIET_FIELD (post_messages),
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post element messages with the statistics", TRUE, PLAYING));
  /**
   * GstBlockDct:interval:
   *
   * One message for each stretch of this many nanoseconds, pooled over its
   * frames; 0 for one a frame.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_INTERVAL, QUIET_FIELD (interval),
      g_param_spec_uint64 ("interval", "Interval",
          "Post one message for this time, pooled over it (ns; 0 = one for "
          "each frame)", 0, G_MAXUINT64 / 4, 0, PLAYING));
  /**
   * GstBlockDct:rate:
   *
   * Whether each frame's bits are reported: those of a baseline JPEG file for
   * jpeg-8x8 at 8 bits, an estimate for all else.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_RATE, FIELD (rate),
      g_param_spec_boolean ("rate", "Rate",
          "Report the bits of each frame: a JPEG file's, or an estimate",
          FALSE, LIVE));
  /**
   * GstBlockDct:metrics:
   *
   * Perceptual figures to report of each frame. One that the caps or the engine
   * do not allow is warned of, and its fields are absent.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_METRICS, FIELD (metrics),
      g_param_spec_flags ("metrics", "Metrics",
          "Perceptual figures to report of each frame", metrics_get_type (), 0,
          LIVE));
  /**
   * GstBlockDct:curve:
   *
   * Qualities, or QPs, at which each frame is evaluated besides, for a
   * `blockdct-curve` message: none, at most 128, or all that the transform has.
   * In gst-launch-1.0: curve="<20, 50, 80>" or curve="<all>".
   *
   * Since: 0.1
   */
  /* No type for the elements: "all" is none of theirs. */
  gst_blockdct_property (klass, PROP_CURVE, FIELD (curve),
      gst_param_spec_array ("curve", "Curve",
          "Qualities (1 to 100) or QPs (0 to 51) to evaluate each frame at "
          "besides, as ints; <all> = every one", NULL, PLAYING));
  /**
   * GstBlockDct:min-psnr-error:
   *
   * A frame whose PSNR is below this is an error; 0 for none is.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_MIN_PSNR_ERROR,
      QUIET_FIELD (min_psnr_error),
      g_param_spec_double ("min-psnr-error", "Least PSNR, or an error",
          "End with an error at a frame whose PSNR is below this (dB; "
          "0 = off)", 0, MAX_DB, 0, PLAYING));
  /**
   * GstBlockDct:min-psnr-warning:
   *
   * A frame whose PSNR is below this is a warning, unless the one before it
   * was; 0 for none is.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_MIN_PSNR_WARNING,
      QUIET_FIELD (min_psnr_warning),
      g_param_spec_double ("min-psnr-warning", "Least PSNR, or a warning",
          "Warn when a frame's PSNR falls below this (dB; 0 = off)", 0, MAX_DB,
          0, PLAYING));
  /**
   * GstBlockDct:stats-file:
   *
   * A file that gets a line for each frame, as ffmpeg's psnr filter writes it
   * or, by the file's ending, as .csv or .json; "-" is standard output.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_STATS_FILE, NO_FIELD,
      g_param_spec_string ("stats-file", "Statistics file",
          "Write each frame's figures there (- = standard output): as ffmpeg's "
          "psnr filter, or by its ending as .csv or as .json (JSON lines)",
          NULL, READY));
  /**
   * GstBlockDct:stats:
   *
   * Counters since the start: `frames`, `dropped`, and for each plane `sse-y`
   * (sum of squared errors) and `samples-y`; from them `mse`, `psnr` (global)
   * and, over the frames, `psnr-min`, `psnr-max`, `psnr-mean`; if
   * #GstBlockDct:rate was on all the time, `bits` and what goes with them.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_STATS, NO_FIELD,
      g_param_spec_boxed ("stats", "Statistics", "Statistics since the start",
          GST_TYPE_STRUCTURE, READ));
  gst_blockdct_property_access (PROP_CURVE, set_curve, get_curve);
  gst_blockdct_property_access (PROP_STATS_FILE, set_stats_file,
      get_stats_file);
  gst_blockdct_property_access (PROP_STATS, NULL, get_stats);
  gst_type_mark_as_plugin_api (metrics_get_type (), 0);
}

void
gst_blockdct_install_reports (GObjectClass * klass)
{
  install_targets (klass);
  install_engine (klass);
  install_figures (klass);
}
