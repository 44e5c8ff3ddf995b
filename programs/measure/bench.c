/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench.h"

#include "convert.h"
#include <blockdct/blockdct.h>
#include "error.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "origin.h"
#include "settings.h"

/* Submissions in flight. */
#define DEPTH 8

#define TOO_LARGE "a sum does not fit into 63 bits; measure parts of the " \
    "file with --first-frame and --n-frames"

/* The number of earlier frames that XPSNR uses. */
#define LEAD 2

/* A submission: one of the settings of a frame. */
typedef struct
{
  guint setting;
  gboolean lead;                /* it is not measured */
  BdctImage image;              /* on the host, where pictures are decoded */
  GstVideoFrame frame;          /* unmapped with the last setting */
} Flight;

/* A format of the file, and the engine that measures in it. */
typedef struct
{
  const MeasurePlan *plan;
  GstBlockDctBackend backend;
  GstObject *context;

  /* For the current file: */
  MeasureConversion conversion;
  BdctLayout layout;
  BdctJob *jobs;                /* of each setting; NULL: none yet */
  GQueue flights;
  guint metrics;                /* the plan's metrics that are supported */
  GString *without;             /* the reasons for the others */
  GArray *sums;                 /* BdctStats of each setting */
  GArray *metric_sums;          /* MeasureMetrics of each setting */
  GArray *frames;               /* of each frame and setting, if the plan has
                                   rows of frames */
  gint64 n_frames;
} Lane;

struct _MeasureBench
{
  const MeasurePlan *plan;
  GstElement *element;          /* posts the engines' errors */
  guint n_lanes;
  Lane *lanes;
};

MeasureBench *
measure_bench_new (const MeasurePlan * plan, gint backend, gint device,
    guint threads, const MeasureBench * beside, GError ** error)
{
  MeasureBench *bench = g_new0 (MeasureBench, 1);
  GstBus *bus;

  bench->plan = plan;
  bench->element = gst_pipeline_new (NULL);
  bus = gst_element_get_bus (bench->element);
  bench->n_lanes = MAX (plan->formats->len, 1);
  bench->lanes = g_new0 (Lane, bench->n_lanes);
  for (guint i = 0; i < bench->n_lanes; i++) {
    Lane *lane = &bench->lanes[i];
    GstMessage *message;

    lane->plan = plan;
    lane->without = g_string_new (NULL);
    lane->sums = g_array_new (FALSE, TRUE, sizeof (BdctStats));
    lane->metric_sums = g_array_new (FALSE, TRUE, sizeof (MeasureMetrics));
    lane->frames = g_array_new (FALSE, TRUE, sizeof (BdctStats));
    if (beside != NULL || i > 0)
      g_set_object (&lane->context, (beside != NULL ? beside : bench)
          ->lanes[0].context);
    if (gst_blockdct_backend_open (&lane->backend, bench->element, backend,
            device, threads, &lane->context))
      continue;
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    gst_message_parse_error (message, error, NULL);
    gst_message_unref (message);
    g_clear_pointer (&bench, measure_bench_free);
    break;
  }
  gst_object_unref (bus);
  return bench;
}

const gchar *
measure_bench_describe (MeasureBench * bench)
{
  return bdct_engine_text (bench->lanes[0].backend.engine,
      BDCT_ENGINE_DESCRIPTION);
}

void
measure_bench_free (MeasureBench * bench)
{
  for (guint i = 0; i < bench->n_lanes; i++) {
    Lane *lane = &bench->lanes[i];

    if (lane->sums == NULL)
      continue;
    gst_blockdct_backend_close (&lane->backend);
    gst_clear_object (&lane->context);
    bdct_jobs_free (lane->jobs);
    g_string_free (lane->without, TRUE);
    g_array_unref (lane->sums);
    g_array_unref (lane->metric_sums);
    g_array_unref (lane->frames);
  }
  gst_object_unref (bench->element);
  g_free (bench->lanes);
  g_free (bench);
}

static gboolean
start_lane (Lane * lane, const GstVideoInfo * decoded, GstVideoFormat format,
    GError ** error)
{
  BdctEngine *engine = lane->backend.engine;
  BdctError reason;

  if (!measure_conversion_set (&lane->conversion, decoded, format, error))
    return FALSE;
  gst_blockdct_format_layout (&lane->conversion.info,
      lane->plan->subsampling, &lane->layout);
  if (!bdct_engine_configure (engine, &lane->layout, DEPTH, &reason))
    return measure_fail (error, reason.message);
  bdct_jobs_free (lane->jobs);
  lane->jobs = bdct_jobs_new ((const BdctParams *) lane->plan->settings->data,
      lane->plan->settings->len, &lane->layout, &reason);
  if (lane->jobs == NULL)
    return measure_fail (error, reason.message);
  g_string_truncate (lane->without, 0);
  lane->metrics = measure_metrics_choose (lane->plan->metrics, &lane->layout,
      measure_format_name (GST_VIDEO_INFO_FORMAT (&lane->conversion.info),
          lane->plan->subsampling), lane->without);
  for (guint i = 0; i < lane->metric_sums->len; i++)
    g_array_index (lane->metric_sums, MeasureMetrics, i).there = lane->metrics;
  return TRUE;
}

static gboolean
has_exact_bits (const Lane * lane, guint setting)
{
  BdctJobInfo info = {.size = sizeof info };

  return bdct_job_describe (bdct_jobs_at (lane->jobs, setting), &lane->layout,
      &info, NULL) && info.exact_bits;
}

/* Compute the exact size of a JPEG file. */
static gboolean
code (Lane * lane, const Flight * flight, BdctStats * stats, GError ** error)
{
  BdctError reason;

  return !lane->plan->coded || !has_exact_bits (lane, flight->setting)
      || bdct_jpeg_file_size (&lane->layout, bdct_jobs_at (lane->jobs,
          flight->setting), &flight->image, &stats->file_size, &reason)
      || measure_fail (error, reason.message);
}

/* Add a submission's statistics to the sums. */
static gboolean
add_up (Lane * lane, const Flight * flight, const BdctStats * stats,
    GError ** error)
{
  bdct_stats_add (&g_array_index (lane->sums, BdctStats, flight->setting),
      stats);
  if (lane->plan->each_frame)
    g_array_append_vals (lane->frames, stats, 1);
  return measure_metrics_add_frame (&g_array_index (lane->metric_sums,
          MeasureMetrics, flight->setting), stats)
      || measure_fail (error, TOO_LARGE);
}

static gboolean
collect (Lane * lane, GError ** error)
{
  BdctEngine *engine = lane->backend.engine;
  Flight *flight = g_queue_pop_head (&lane->flights);
  BdctStats stats = {.size = sizeof stats };
  BdctError reason;
  gboolean ok;

  ok = bdct_engine_collect (engine, &stats, &reason)
      || measure_fail (error, reason.message);
  if (ok && !flight->lead)
    ok = code (lane, flight, &stats, error)
        && add_up (lane, flight, &stats, error);
  if (flight->frame.buffer != NULL) {
    GstBuffer *buffer = flight->frame.buffer;

    gst_video_frame_unmap (&flight->frame);
    gst_buffer_unref (buffer);
  }
  g_free (flight);
  return ok;
}

/* Submit a setting to the engine; the last one takes the mapping. */
static gboolean
submit (Lane * lane, const BdctImage * image, gint64 index, guint setting,
    GError ** error)
{
  gboolean lead = index < lane->plan->first_frame;
  BdctEngine *engine = lane->backend.engine;
  const GstVideoInfo *info = &lane->conversion.info;
  gint fps = GST_VIDEO_INFO_FPS_N (info) / MAX (GST_VIDEO_INFO_FPS_D (info),
      1);
  BdctFrame frame = {.size = sizeof frame,
    .quantizers = bdct_jobs_at (lane->jobs, setting),.n_quantizers = 1,
    .src = *image,.same_source = setting > 0,.bits = !lead,
    .metrics = lane->metrics,.frame_rate = fps,.number = index
  };
  BdctError reason;
  Flight *flight;

  if (g_queue_get_length (&lane->flights) == DEPTH && !collect (lane, error))
    return FALSE;
  if (!bdct_engine_submit (engine, &frame, &reason))
    return measure_fail (error, reason.message);
  flight = g_new0 (Flight, 1);
  flight->setting = setting;
  flight->lead = lead;
  flight->image = *image;
  g_queue_push_tail (&lane->flights, flight);
  return TRUE;
}

static gboolean
measure_frame (Lane * lane, GstBuffer * picture, gint64 index, GError ** error)
{
  GstBuffer *buffer = measure_conversion_run (&lane->conversion, picture,
      lane->backend.pinned_allocator, error);
  gboolean lead = index < lane->plan->first_frame;
  guint n_jobs = lead ? 1 : lane->plan->settings->len;
  gboolean ok = TRUE;
  GstVideoFrame frame;
  BdctImage image;
  BdctError reason;

  if (buffer == NULL)
    return FALSE;
  if (!gst_blockdct_backend_map (&lane->backend, &frame,
          &lane->conversion.info, buffer, GST_MAP_READ, &lane->layout,
          lane->context, &image, &reason)) {
    gst_buffer_unref (buffer);
    return measure_fail (error, reason.message);
  }
  for (guint i = 0; ok && i < n_jobs; i++)
    ok = submit (lane, &image, index, i, error);
  lane->n_frames += !lead;
  /* No earlier setting outlives the last one. */
  if (ok) {
    ((Flight *) g_queue_peek_tail (&lane->flights))->frame = frame;
    return TRUE;
  }
  while (!g_queue_is_empty (&lane->flights))
    collect (lane, NULL);
  gst_video_frame_unmap (&frame);
  gst_buffer_unref (buffer);
  return FALSE;
}

static void
start_file (MeasureBench * bench)
{
  for (guint i = 0; i < bench->n_lanes; i++) {
    Lane *lane = &bench->lanes[i];
    guint n = bench->plan->settings->len;

    lane->n_frames = 0;
    g_array_set_size (lane->sums, 0);
    g_array_set_size (lane->sums, n);
    g_array_set_size (lane->metric_sums, 0);
    g_array_set_size (lane->metric_sums, n);
    g_array_set_size (lane->frames, 0);
  }
}

/* Wait for all submissions, so that the engines can be configured again. */
static gboolean
finish_flights (MeasureBench * bench, GError ** error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < bench->n_lanes; i++) {
    Lane *lane = &bench->lanes[i];

    while (!g_queue_is_empty (&lane->flights))
      ok = collect (lane, ok ? error : NULL) && ok;
    measure_conversion_clear (&lane->conversion);
  }
  return ok;
}

static gboolean
take_caps (MeasureBench * bench, GstSample * sample, GstVideoInfo * decoded,
    gint64 index, GError ** error)
{
  GstVideoInfo info;

  if (!measure_read_caps (sample, &info, error))
    return FALSE;
  if (index > 0 && measure_is_same_picture (&info, decoded))
    return TRUE;
  if (index > bench->plan->first_frame) {
    measure_refuse_change (&info, decoded, index, error);
    return FALSE;
  }
  *decoded = info;
  if (!finish_flights (bench, error))
    return FALSE;
  for (guint i = 0; i < bench->n_lanes; i++)
    if (!start_lane (&bench->lanes[i], decoded, bench->plan->formats->len > 0
            ? g_array_index (bench->plan->formats, GstVideoFormat, i)
            : measure_choose_format (decoded, bench->plan->encoders->len > 0),
            error))
      return FALSE;
  return TRUE;
}

static gboolean
append_row (GArray * rows, const Lane * lane, const gchar * file, guint setting,
    gint64 frame, const BdctStats * stats, const MeasureMetrics * metrics,
    GError ** error)
{
  const BdctParams *params = &g_array_index (lane->plan->settings, BdctParams,
      setting);
  const GstVideoInfo *info = &lane->conversion.info;
  MeasureRow row = {.file = file,
    .format = measure_format_name (GST_VIDEO_INFO_FORMAT (info),
        lane->plan->subsampling),.transform = params->transform,
    .scale = measure_scale (params->transform),
    .setting = measure_setting (params),.width = GST_VIDEO_INFO_WIDTH (info),
    .height = GST_VIDEO_INFO_HEIGHT (info),.depth = lane->layout.depth,
    .frame = frame,.coded = lane->plan->coded,.metrics = *metrics,
    .exact = has_exact_bits (lane, setting)
  };

  if (!measure_row_set_stats (&row, stats, frame < 0 ? lane->n_frames : 1))
    return measure_fail (error, TOO_LARGE);
  g_array_append_val (rows, row);
  return TRUE;
}

static GArray *
make_rows (MeasureBench * bench, const gchar * file, GError ** error)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (MeasureRow));
  guint n = bench->plan->settings->len;
  gboolean ok = TRUE;

  file = g_intern_string (file);
  for (guint i = 0; i < bench->n_lanes; i++) {
    const Lane *lane = &bench->lanes[i];

    for (guint k = 0; ok && k < lane->frames->len; k++) {
      const BdctStats *stats = &g_array_index (lane->frames, BdctStats, k);
      MeasureMetrics metrics = {.there = lane->metrics };

      measure_metrics_add_frame (&metrics, stats);      /* cannot fail, as the
                                                           sum does not
                                                           overflow */
      ok = append_row (rows, lane, file, k % n,
          bench->plan->first_frame + k / n, stats, &metrics, error);
    }
    for (guint k = 0; ok && k < n; k++)
      ok = append_row (rows, lane, file, k, -1,
          &g_array_index (lane->sums, BdctStats, k),
          &g_array_index (lane->metric_sums, MeasureMetrics, k), error);
  }
  if (!ok)
    g_clear_pointer (&rows, g_array_unref);
  return rows;
}

static gchar *
tell_without (const MeasureBench * bench)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < bench->n_lanes; i++)
    g_string_append (text, bench->lanes[i].without->str);
  return g_string_free (text, text->len == 0);
}

GArray *
measure_bench_run (MeasureBench * bench, MeasureSource * source,
    const gchar * file, guint n_passes, gint * stop, gint * progress,
    gchar ** without, gchar ** origin, GError ** error)
{
  const MeasurePlan *plan = bench->plan;
  /* The first frame that the engines get. */
  gint64 lead = plan->metrics >> BDCT_METRIC_XPSNR & 1
      ? MAX (plan->first_frame - LEAD, 0) : plan->first_frame;
  gint64 index = 0, end = plan->n_frames < 0
      || plan->n_frames > G_MAXINT64 - plan->first_frame ? G_MAXINT64
      : plan->first_frame + plan->n_frames;
  GError *reason = NULL;
  GstVideoInfo decoded;
  GstSample *sample;
  gboolean ok = TRUE;

  start_file (bench);
  while (ok && index < end
      && (sample = measure_source_pull (source, stop, &reason)) != NULL) {
    GstBuffer *buffer = gst_sample_get_buffer (sample);

    if (origin != NULL && index == 0 && measure_source_frames (source) == 1)
      *origin = measure_origin_of_picture (sample);
    /* Of the earlier frames only the first one's caps are read, in case there
     * is no other frame. */
    if (index == 0 || index >= lead)
      ok = take_caps (bench, sample, &decoded, index, &reason);
    for (guint i = 0; ok && index >= lead && i < bench->n_lanes; i++)
      ok = measure_frame (&bench->lanes[i], buffer, index, &reason);
    gst_sample_unref (sample);
    index++;
    g_atomic_int_set (progress, (gint) (1000 * MAX (measure_source_progress
                (source), (gdouble) index / end) / n_passes));
  }
  ok = finish_flights (bench, reason == NULL ? &reason : NULL) && ok;
  if (reason != NULL) {
    g_propagate_error (error, reason);
    return NULL;
  }
  if (g_atomic_int_get (stop))
    return NULL;
  *without = tell_without (bench);
  return make_rows (bench, file, error);
}
