/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "coder.h"

#include <gst/app/gstappsrc.h>
#include <math.h>
#include <string.h>
#include "convert.h"
#include "error.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "merge.h"
#include "settings.h"
#include "stall.h"

#define JUDGE "blockdctcompare"

/* Frames a second of a file that does not declare them. */
#define DEFAULT_FPS 25

/* A run. Its own thread reads blockdctcompare's messages; appsrc's thread pulls
 * pictures when the encoder needs one. */
typedef struct
{
  const MeasureCoding *coding;
  MeasureSource *source;
  MeasureConversion conversion;
  guint64 samples[BDCT_MAX_COMPONENTS];
  GstElement *pipeline;
  MeasureRow row;               /* common to all of its rows */
  MeasureRow sum;
  gboolean given_up;            /* its end is not awaited */

  /* Used by appsrc's thread until the pipeline has stopped, with the lock: */
  GMutex lock;
  gboolean over;                /* no more pictures are given out */
  GstSample *first;             /* pulled in advance */
  gint64 index, end;            /* of the next picture in the file */
  gint64 n_given;
  GError *error;                /* of the file */
} Run;

gboolean
measure_coder_check (GError ** error)
{
  GstElementFactory *factory = gst_element_factory_find (JUDGE);

  if (factory == NULL) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--encoder needs the element " JUDGE ", which GStreamer does not find: "
        "set GST_PLUGIN_PATH to its folder");
    return FALSE;
  }
  gst_object_unref (factory);
  return TRUE;
}

/* Pictures */

/* The next picture of the part that is measured; NULL at its end, or on an
 * error. */
static GstSample *
pull (Run * run)
{
  const MeasureCoding *coding = run->coding;
  GstSample *sample = g_steal_pointer (&run->first);
  GstVideoInfo info;

  if (sample != NULL)
    return sample;
  if (run->index >= run->end)
    return NULL;
  sample = measure_source_pull (run->source, coding->stop, &run->error);
  if (sample == NULL)
    return NULL;
  if (measure_read_caps (sample, &info, &run->error) && (run->index == 0
          || !measure_is_same_picture (&info, &run->conversion.decoded))) {
    if (run->index <= coding->plan->first_frame)
      run->conversion.decoded = info;
    else
      measure_refuse_change (&info, &run->conversion.decoded, run->index,
          &run->error);
  }
  run->index++;
  if (run->error != NULL)
    g_clear_pointer (&sample, gst_sample_unref);
  return sample;
}

static void
note_progress (Run * run)
{
  const MeasureCoding *coding = run->coding;
  gdouble share = MAX (measure_source_progress (run->source),
      (gdouble) run->index / run->end);

  g_atomic_int_set (coding->progress, (gint) (1000 * (coding->pass + share)
          / coding->n_passes));
}

/* Set times by the file's frame rate, so that each frame has a unique time, by
 * which it is matched with its original. */
static GstBuffer *
set_times (const Run * run, GstBuffer * buffer)
{
  const GstVideoInfo *info = &run->conversion.info;
  GstClockTime start = gst_util_uint64_scale (run->n_given, GST_SECOND
      * info->fps_d, info->fps_n);

  buffer = gst_buffer_make_writable (buffer);
  GST_BUFFER_PTS (buffer) = start;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = gst_util_uint64_scale (run->n_given + 1,
      GST_SECOND * info->fps_d, info->fps_n) - start;
  return buffer;
}

/* The next picture for the encoder; NULL: none. */
static GstBuffer *
make_picture (Run * run)
{
  GstSample *sample = pull (run);
  GstBuffer *buffer;

  if (sample == NULL)
    return NULL;
  buffer = measure_conversion_run (&run->conversion,
      gst_sample_get_buffer (sample), NULL, &run->error);
  gst_sample_unref (sample);
  if (buffer == NULL)
    return NULL;
  buffer = set_times (run, buffer);
  run->n_given++;
  note_progress (run);
  return buffer;
}

static void
give_picture (GstAppSrc * appsrc, guint length, gpointer data)
{
  Run *run = data;
  GstBuffer *buffer = NULL;

  (void) length;
  g_mutex_lock (&run->lock);
  if (!run->over)
    buffer = make_picture (run);
  g_mutex_unlock (&run->lock);
  if (buffer != NULL)
    gst_app_src_push_buffer (appsrc, buffer);
  else
    gst_app_src_end_of_stream (appsrc);
}

/* Pull pictures up to the first one of the part, whose caps the encoder gets;
 * if the part is after the end, the last picture's caps are used. */
static gboolean
find_first (Run * run)
{
  const MeasurePlan *plan = run->coding->plan;

  do {
    g_clear_pointer (&run->first, gst_sample_unref);
    run->first = pull (run);
  } while (run->first != NULL && run->index <= plan->first_frame);
  return run->error == NULL && !g_atomic_int_get (run->coding->stop);
}

/* The pipeline */

static GstCaps *
make_caps (Run * run)
{
  GstVideoInfo *info = &run->conversion.info;

  if (info->fps_n <= 0 || info->fps_d <= 0) {
    info->fps_n = DEFAULT_FPS;
    info->fps_d = 1;
  }
  return gst_video_info_to_caps (info);
}

static GstElement *
make_judge (const Run * run)
{
  GstElement *judge = gst_element_factory_make (JUDGE, NULL);
  GString *metrics = g_string_new ("psnr");

  for (guint m = 0; m < BDCT_N_METRICS; m++)
    if (run->row.metrics.there >> m & 1)
      g_string_append_printf (metrics, "+%s", bdct_metric_info (m)->name);
  gst_util_set_object_arg (G_OBJECT (judge), "metrics", metrics->str);
  gst_util_set_object_arg (G_OBJECT (judge), "view", "single");
  g_object_set (judge, "backend", run->coding->backend, "threads",
      run->coding->threads, NULL);
  g_string_free (metrics, TRUE);
  return judge;
}

static gboolean
make_pipeline (Run * run, GError ** error)
{
  GstAppSrcCallbacks callbacks = {.need_data = give_picture };
  GstElement *encoder = measure_encoder_make (run->coding->encoder,
      run->coding->value, error), *decoder;
  GstElement *appsrc = gst_element_factory_make ("appsrc", NULL);
  GstElement *tee = gst_element_factory_make ("tee", NULL);
  GstElement *queues[] = { gst_element_factory_make ("queue", NULL),
    gst_element_factory_make ("queue", NULL)
  };
  GstElement *judge = make_judge (run);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstCaps *caps = make_caps (run);
  gboolean ok;

  run->pipeline = gst_pipeline_new (NULL);
  gst_bin_add_many (GST_BIN (run->pipeline), appsrc, tee, queues[0], queues[1],
      judge, sink, NULL);
  g_object_set (appsrc, "caps", caps, "format", GST_FORMAT_TIME, NULL);
  g_object_set (sink, "sync", FALSE, NULL);
  gst_app_src_set_callbacks (GST_APP_SRC (appsrc), &callbacks, run, NULL);
  ok = encoder != NULL;
  if (ok) {
    gst_bin_add (GST_BIN (run->pipeline), encoder);
    gst_element_set_state (encoder, GST_STATE_READY);
    ok = measure_encoder_check (encoder, caps, error);
  }
  gst_caps_unref (caps);
  if (!ok)
    return FALSE;
  decoder = measure_encoder_make_decoder (encoder, error);
  if (decoder == NULL)
    return FALSE;
  gst_bin_add (GST_BIN (run->pipeline), decoder);
  return (gst_element_link_many (appsrc, tee, queues[0], NULL)
      && gst_element_link_pads (queues[0], "src", judge, "ref_sink")
      && gst_element_link_many (tee, queues[1], encoder, decoder, NULL)
      && gst_element_link_pads (decoder, "src", judge, "dist_sink")
      && gst_element_link (judge, sink)) || measure_fail (error,
      "it cannot be linked between pictures and a decoder");
}

/* Figures */

/* The sum that a metric has for one frame, computed from its figure. */
static gdouble
undo_figure (const Run * run, guint metric, guint component, gdouble figure)
{
  const gdouble peak = (1 << run->row.depth) - 1;
  const gdouble ratio = pow (10.0, -figure / 10.0) * peak * peak;

  if (metric == BDCT_METRIC_XPSNR)      /* it has components alone */
    return sqrt (ratio * run->samples[component]);
  return figure;
}

/* Read a frame's statistics from its message. */
static gboolean
read_stats (const Run * run, const GstStructure * s, BdctStats * stats,
    GError ** error)
{
  static const gchar *const mses[] = { "mse-y", "mse-u", "mse-v" };
  gdouble value;

  *stats = (BdctStats) {
  .metrics = run->row.metrics.there};
  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    if (run->samples[c] == 0)
      continue;
    if (!gst_structure_get_double (s, mses[c], &value))
      return measure_fail (error, JUDGE " has no errors of a frame");
    stats->component[c].samples = run->samples[c];
    stats->component[c].sse = rint (value * run->samples[c]);
  }
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint k = 0; k <= BDCT_METRIC_ALL; k++) {
      if (!bdct_metric_figure (stats, 1, run->row.depth, m, k, &value))
        continue;
      if (!gst_structure_get_double (s, bdct_metric_info (m)->figure[k],
              &value))
        return measure_fail (error,
            JUDGE " does not have all metrics of a frame");
      stats->metric[m][k] = undo_figure (run, m, k, value);
    }
  return TRUE;
}

static gboolean
add_frame (Run * run, const GstStructure * s, GArray * rows, GError ** error)
{
  MeasureRow row = run->row;
  guint64 bits, headers;
  BdctStats stats;

  if (!read_stats (run, s, &stats, error))
    return FALSE;
  if (!gst_structure_get_uint64 (s, "bits", &bits)
      || !gst_structure_get_uint64 (s, "bits-headers", &headers))
    return measure_fail (error, "the bits of a frame are unknown: put "
        "'blockdctcoded' behind the encoder in the line, ahead of a decoder");
  row.frame = run->coding->plan->first_frame + run->sum.count[MEASURE_FRAMES];
  if (!measure_row_set_stats (&row, &stats, 1)
      || !measure_metrics_add_frame (&row.metrics, &stats))
    return measure_fail (error, "a sum does not fit into 63 bits");
  row.count[MEASURE_BITS] = bits;
  row.count[MEASURE_BITS_HEADERS] = headers;
  row.count[MEASURE_FILE_SIZE] = (bits + headers) / 8;
  if (run->coding->plan->each_frame)
    g_array_append_val (rows, row);
  return measure_row_add (&run->sum, &row, error);
}

/* Make an error of an element's message, with its debug text as the cause. */
static void
take_error (GstMessage * message, GError ** error)
{
  gchar *debug = NULL, *text;
  GError *reason;

  gst_message_parse_error (message, &reason, &debug);
  text = debug != NULL ? strrchr (debug, '\n') : NULL;
  g_set_error (error, reason->domain, reason->code, "%s: %s%s%s%s",
      GST_OBJECT_NAME (GST_MESSAGE_SRC (message)), reason->message,
      text != NULL ? " (" : "", text != NULL ? text + 1 : "",
      text != NULL ? ")" : "");
  g_error_free (reason);
  g_free (debug);
}

/* Whether the encoder has got more than `*n_given` pictures, or waits for
 * one. */
static gboolean
is_given (Run * run, gint64 * n_given)
{
  gint64 before = *n_given;

  if (!g_mutex_trylock (&run->lock))
    return TRUE;
  *n_given = run->n_given;
  g_mutex_unlock (&run->lock);
  return *n_given != before;
}

/* Read blockdctcompare's messages until the end, or until the encoder
 * stalls. */
static gboolean
listen (Run * run, GArray * rows, GError ** error)
{
  GstBus *bus = gst_element_get_bus (run->pipeline);
  gboolean ok = TRUE, ended = FALSE;
  gint64 n_given = 0;
  MeasureWait wait;

  measure_wait_start (&wait, run->coding->stall_limit);
  while (ok && !ended && !run->given_up) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, MEASURE_NAP,
        GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_ELEMENT);
    const GstStructure *s;

    run->given_up = g_atomic_int_get (run->coding->stop) || (message == NULL
        && !measure_wait_nap (&wait, is_given (run, &n_given), error));
    if (message == NULL)
      continue;
    measure_wait_start (&wait, run->coding->stall_limit);
    s = gst_message_get_structure (message);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      take_error (message, error);
      ok = FALSE;
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS) {
      ended = TRUE;
    } else if (gst_structure_has_name (s, "blockdct-compare")
        && g_strcmp0 (gst_structure_get_string (s, "type"), "frame") == 0) {
      ok = add_frame (run, s, rows, error);
    }
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return ok && ended;
}

static gboolean
code (Run * run, GArray * rows, GError ** error)
{
  gboolean ok = make_pipeline (run, error);

  if (ok) {
    gst_element_set_state (run->pipeline, GST_STATE_PLAYING);
    ok = listen (run, rows, error);
  }
  if (ok && run->error == NULL
      && run->sum.count[MEASURE_FRAMES] != run->n_given) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "of %" G_GINT64_FORMAT " frames %" G_GINT64_FORMAT " came back",
        run->n_given, run->sum.count[MEASURE_FRAMES]);
    ok = FALSE;
  }
  return ok;
}

/* Start a run, and set what its rows have in common. */
static gboolean
start (Run * run, GString * without, GError ** error)
{
  const MeasureCoding *coding = run->coding;
  const MeasurePlan *plan = coding->plan;
  GstVideoInfo decoded = run->conversion.decoded, *info = &run->conversion.info;
  GstVideoFormat format = coding->format != GST_VIDEO_FORMAT_UNKNOWN
      ? coding->format : measure_choose_format (&decoded, TRUE);
  BdctLayout layout;

  if (!measure_conversion_set (&run->conversion, &decoded, format, error))
    return FALSE;
  gst_blockdct_format_layout (info, plan->subsampling, &layout);
  for (gint p = 0; p < layout.n_planes; p++)
    for (gint i = 0; i < layout.plane[p].interleave; i++)
      run->samples[layout.plane[p].component[i]] =
          (guint64) layout.plane[p].width * layout.plane[p].height;
  run->row = (MeasureRow) {.file = coding->file,
    .format = measure_format_name (format, plan->subsampling),
    .encoder = coding->encoder->line,.transform = BDCT_N_TRANSFORMS,
    .scale = coding->encoder->scale,.setting = coding->value,
    .width = GST_VIDEO_INFO_WIDTH (info),
    .height = GST_VIDEO_INFO_HEIGHT (info),.depth = layout.depth,.frame = -1,
    .exact = TRUE,.coded = TRUE
  };
  run->row.metrics.there = measure_metrics_choose (plan->metrics, &layout,
      run->row.format, without);
  run->sum = run->row;
  return TRUE;
}

/* Stop a run, which may take long, or hang. */
static gpointer
end (gpointer data)
{
  Run *run = data;

  if (run->pipeline != NULL) {
    gst_element_set_state (run->pipeline, GST_STATE_NULL);
    gst_object_unref (run->pipeline);
  }
  g_clear_pointer (&run->first, gst_sample_unref);
  measure_conversion_clear (&run->conversion);
  g_clear_error (&run->error);
  g_mutex_clear (&run->lock);
  g_free (run);
  return NULL;
}

gboolean
measure_coder_run (const MeasureCoding * coding, MeasureSource * source,
    GArray * rows, GString * without, gboolean * of_file, GError ** error)
{
  const MeasurePlan *plan = coding->plan;
  const guint n_rows = rows->len;
  Run *run = g_new0 (Run, 1);
  gboolean ok;

  run->coding = coding;
  run->source = source;
  g_mutex_init (&run->lock);
  run->end = plan->n_frames < 0
      || plan->n_frames > G_MAXINT64 - plan->first_frame ? G_MAXINT64
      : plan->first_frame + plan->n_frames;
  ok = find_first (run) && start (run, without, &run->error);
  if (ok && run->first != NULL)
    ok = code (run, rows, error);
  g_mutex_lock (&run->lock);
  run->over = TRUE;             /* source and coding return to the caller */
  *of_file = run->error != NULL;
  if (*of_file) {
    g_clear_error (error);
    g_propagate_error (error, g_steal_pointer (&run->error));
    ok = FALSE;
  }
  g_mutex_unlock (&run->lock);
  if (ok)
    g_array_append_val (rows, run->sum);
  else
    g_array_set_size (rows, n_rows);
  if (run->given_up) {
    measure_leave_thread ();
    g_thread_unref (g_thread_new ("end", end, run));
  } else {
    end (run);
  }
  return ok;
}
