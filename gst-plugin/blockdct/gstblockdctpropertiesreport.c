/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of targets, views, reports and the backend. */
#include "gst-plugin/common/gstblockdctfail.h"
#include "gstblockdctproperties.h"

/* Both are out of reach of any frame: levels of 16 bits, or a single sample
 * of the largest picture that differs by 1. */
#define MAX_BPP 1000
#define MAX_DB 200

static GType
metrics_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static GFlagsValue values[BDCT_N_METRICS + 2];

    for (gint i = 0; i < BDCT_N_METRICS; i++) {
      const BdctMetricInfo *info = bdct_metric_info (i);

      values[i] = (GFlagsValue) {
      1 << i, info->description, info->name};
    }
    values[BDCT_N_METRICS] = (GFlagsValue) {
    GST_BLOCKDCT_BITS,
          "Bits: exact for a baseline JPEG file (jpeg-8x8 at 8 bits), else an "
          "estimate", "bits"};
    g_once_init_leave (&type, g_flags_register_static ("GstBlockDctMetrics",
            values));
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
parse_curve (const GValue * value, gpointer field, BdctError * error)
{
  GstBlockDctCurve *curve = field;
  const guint n = gst_value_array_get_size (value);

  if (n == 1 && is_all (gst_value_array_get_value (value, 0))) {
    curve->n = -1;
    return TRUE;
  }
  curve->n = n;
  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (curve->setting)); i++) {
    const GValue *v = gst_value_array_get_value (value, i);

    if (!G_VALUE_HOLDS_INT (v))
      return gst_blockdct_fail (error, "the entry at index %u is not a whole "
          "number",
          i);
    curve->setting[i] = g_value_get_int (v);
  }
  return gst_blockdct_curve_check (curve, BDCT_N_TRANSFORMS, error);
}

static void
format_curve (gconstpointer field, GValue * value)
{
  const GstBlockDctCurve *curve = field;
  GValue all = G_VALUE_INIT;

  for (gint i = 0; i < curve->n; i++)
    gst_blockdct_property_append_int (value, curve->setting[i]);
  if (curve->n >= 0)
    return;
  g_value_init (&all, G_TYPE_STRING);
  g_value_set_static_string (&all, "all");
  gst_value_array_append_and_take_value (value, &all);
}

/* Targets choose quality or QP for each frame. */
static void
install_targets (GObjectClass * klass)
{
  gst_blockdct_property (klass, PROP_TARGET_PSNR, FIELD (targets.psnr),
      g_param_spec_double ("target-psnr", "Target PSNR",
          "For each frame, choose the coarsest quality or qp found to reach "
          "this PSNR (dB; 0 = off)", 0, MAX_DB, 0, LIVE));
  gst_blockdct_property (klass, PROP_TARGET_SSIM, FIELD (targets.ssim),
      g_param_spec_double ("target-ssim", "Target SSIM",
          "For each frame, choose the coarsest quality or qp found to reach "
          "this SSIM over all planes (0 = off)", 0, 1, 0, LIVE));
  gst_blockdct_property (klass, PROP_TARGET_BPP, FIELD (targets.bpp),
      g_param_spec_double ("target-bpp", "Target bits per sample",
          "For each frame, choose the finest quality or qp found to take at "
          "most this many bits per luma sample (0 = off)", 0, MAX_BPP, 0,
          LIVE));
  gst_blockdct_property (klass, PROP_TARGET_SIZE, FIELD (targets.size),
      g_param_spec_uint ("target-size", "Target size",
          "For each frame, choose the finest quality or qp found to take at "
          "most this many bytes: of the JPEG file for 8-bit jpeg-8x8, else of "
          "the estimated bits (0 = off)", 0, G_MAXUINT, 0, LIVE));
}

static GType
view_get_type (void)
{
  static const BdctViewMode modes[] = {
    BDCT_VIEW_RECONSTRUCTION, BDCT_VIEW_ORIGINAL, BDCT_VIEW_COEFFICIENTS,
    BDCT_VIEW_NONZERO_MAP, BDCT_VIEW_QUALITY_MAP, BDCT_VIEW_SIZE_MAP,
    BDCT_VIEW_ERROR_MAP
  };
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static GEnumValue values[G_N_ELEMENTS (modes) + 1];

    for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
      const BdctViewInfo *info = bdct_view_info (modes[i]);

      values[i] = (GEnumValue) {
      modes[i], info->description, info->name};
    }
    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctView", values));
  }
  return type;
}

static void
install_views (GObjectClass * klass)
{
  gst_blockdct_property (klass, PROP_VIEW, FIELD (view),
      g_param_spec_enum ("view", "View",
          "What the output shows; the figures always describe the "
          "reconstruction",
          view_get_type (), BDCT_VIEW_RECONSTRUCTION, LIVE));
  gst_blockdct_property (klass, PROP_GRID, FIELD (grid),
      g_param_spec_boolean ("grid", "Grid",
          "Draw the borders of luma blocks, in any view", FALSE, LIVE));
}

static void
install_figures (GObjectClass * klass)
{
  gst_blockdct_property (klass, PROP_POST_MESSAGES, FIELD (post_messages),
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post the figures as element messages; buffers carry them as a meta "
          "in any case", TRUE, LIVE));
  gst_blockdct_property (klass, PROP_INTERVAL, FIELD (interval),
      g_param_spec_uint64 ("interval", "Interval",
          "Post one message for each interval of this length, with the figures "
          "of all its frames (ns; 0 = one per frame)", 0, G_MAXUINT64 / 4, 0,
          LIVE));
  gst_blockdct_property (klass, PROP_METRICS, FIELD (metrics),
      g_param_spec_flags ("metrics", "Metrics",
          "What to measure for each frame besides PSNR", metrics_get_type (),
          0, LIVE));
  /* The elements have no type, as "all" is a string. */
  gst_blockdct_property (klass, PROP_CURVE, FIELD (curve),
      gst_param_spec_array ("curve", "Curve",
          "Evaluate each frame also at these qualities (1 to 100) or QPs (0 to "
          "51), and post a blockdct-curve message: up to 128 ints, or <all>",
          NULL, PLAYING));
  gst_blockdct_property (klass, PROP_MIN_PSNR_ERROR, FIELD (min_psnr_error),
      g_param_spec_double ("min-psnr-error", "Minimum PSNR, error",
          "Stop with an error at the first frame whose PSNR is below this (dB; "
          "0 = off)", 0, MAX_DB, 0, LIVE));
  gst_blockdct_property (klass, PROP_MIN_PSNR_WARNING, FIELD (min_psnr_warning),
      g_param_spec_double ("min-psnr-warning", "Minimum PSNR, warning",
          "Warn when a frame's PSNR falls below this (dB; 0 = off)", 0, MAX_DB,
          0, LIVE));
  gst_blockdct_property (klass, PROP_STATS_FILE, FIELD (start.stats_file),
      g_param_spec_string ("stats-file", "Statistics file",
          "File to write each frame's figures to. Its ending chooses the "
          "format: .log (as ffmpeg's psnr filter), .csv or .jsonl; - is "
          "standard output, as .log", NULL,
          READY));
  gst_blockdct_property (klass, PROP_STATS, 0, 0, g_param_spec_boxed ("stats",
          "Statistics", "Figures over all frames since the start",
          GST_TYPE_STRUCTURE, READ));
  gst_blockdct_property_convert (PROP_CURVE, parse_curve, format_curve);
}

/* What is read when the element starts. */
static void
install_start (GObjectClass * klass)
{
  gst_blockdct_property (klass, PROP_BACKEND, FIELD (start.backend),
      g_param_spec_enum ("backend", "Backend",
          "Where to compute; with cuda, it is an error if CUDA cannot run",
          gst_blockdct_backend_get_type (), GST_BLOCKDCT_BACKEND_AUTO, READY));
  gst_blockdct_property (klass, PROP_CUDA_DEVICE_ID, FIELD (start.device_id),
      g_param_spec_int ("cuda-device-id", "CUDA device ID",
          "GPU to run on (-1 = the GPU of the pipeline's CUDA context, or else "
          "the first)", -1, G_MAXINT, -1, READY));
  gst_blockdct_property (klass, PROP_THREADS, FIELD (start.threads),
      g_param_spec_uint ("threads", "Threads",
          "Threads of the CPU engine (0 = one per processor); with CUDA, "
          "threads that copy pageable memory (0 = at most 4)",
          0, 1024, 0, READY));
  gst_blockdct_property (klass, PROP_ASYNC_DEPTH, FIELD (start.async_depth),
      g_param_spec_uint ("async-depth", "Asynchronous depth",
          "Frames in flight; each one above the first adds a frame of latency",
          1, BDCT_MAX_DEPTH, 1, READY));
  gst_blockdct_property (klass, PROP_ACTIVE_BACKEND, 0, 0,
      g_param_spec_string ("active-backend", "Active backend",
          "The engine in use, such as 'cuda:0 NVIDIA H200' or 'cpu:avx2 2 "
          "threads'; NULL while stopped", NULL, READ));
}

void
gst_blockdct_install_reports (GObjectClass * klass)
{
  install_targets (klass);
  install_figures (klass);
  install_views (klass);
  install_start (klass);
}
