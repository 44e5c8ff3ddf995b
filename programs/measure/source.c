/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "source.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../decoding.h"
#include "memory.h"
#include "stall.h"

/* The number of pictures decoded in advance. */
#define AHEAD 4

/* Longer than any file. */
#define LONGEST (1000 * 3600 * GST_SECOND)

struct _MeasureSource
{
  GError *error;                /* set if the file cannot be opened; then there
                                   is no pipeline */
  GstElement *pipeline, *decoder, *sink;
  gint limit;                   /* of a wait, seconds; 0: none */
  gboolean stalled;
  guint cut_frames;             /* of a truncated AVI file */
  gint no_video, contained, image, active;      /* atomic */

  GMutex lock;
  GstClockTime end;             /* the latest end of all streams so far, in
                                   stream time */

  /* Of the pictures so far: */
  gint64 n_frames;
  gint fps_n, fps_d;
  GstClockTime position, gap;   /* the end of the last picture; the longest
                                   duration */
};

G_DEFINE_QUARK (blockdct_measure_source, measure_source_error);

static void
fail (GError ** error, const gchar * message)
{
  g_clear_error (error);
  g_set_error_literal (error, MEASURE_SOURCE_ERROR, MEASURE_OTHER, message);
}

/* Returns GST_AUTOPLUG_SELECT_TRY, which no header defines. */
static gint
note_container (GstElement * decoder, GstPad * pad, GstCaps * caps,
    GstElementFactory * factory, gpointer data)
{
  MeasureSource *source = data;

  (void) decoder, (void) pad, (void) caps;
  if (gst_element_factory_list_is_type (factory,
          GST_ELEMENT_FACTORY_TYPE_DEMUXER))
    g_atomic_int_set (&source->contained, TRUE);
  return 0;
}

/* Sound and subtitles are not decoded. */
static gboolean
is_to_decode (GstElement * decoder, GstPad * pad, GstCaps * caps, gpointer data)
{
  MeasureSource *source = data;
  const gchar *kind = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  (void) decoder, (void) pad;
  if (g_str_has_prefix (kind, "image/"))
    g_atomic_int_set (&source->image, TRUE);
  return !g_str_has_prefix (kind, "audio/")
      && !g_str_has_prefix (kind, "text/")
      && !g_str_has_prefix (kind, "subpicture/");
}

/* Whether a pad has video. A pad may have no caps yet, but only the possible
 * ones. */
static gboolean
is_video (GstPad * pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  gboolean video;

  if (caps == NULL)
    caps = gst_pad_query_caps (pad, NULL);
  video = gst_caps_get_size (caps) > 0
      && gst_structure_has_name (gst_caps_get_structure (caps, 0),
      "video/x-raw");
  gst_caps_unref (caps);
  return video;
}

static GstPadProbeReturn
note_read (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  MeasureSource *source = data;

  (void) pad, (void) info;
  g_atomic_int_set (&source->active, TRUE);
  return GST_PAD_PROBE_OK;
}

/* Record the end of a stream's latest buffer. */
static GstPadProbeReturn
note_end (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  MeasureSource *source = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstClockTime end = GST_BUFFER_PTS (buffer);
  const GstSegment *segment;

  if (event == NULL)
    return GST_PAD_PROBE_OK;
  gst_event_parse_segment (event, &segment);
  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (end)) {
    if (GST_BUFFER_DURATION_IS_VALID (buffer))
      end += GST_BUFFER_DURATION (buffer);
    end = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
        MIN (end, segment->stop));
    g_mutex_lock (&source->lock);
    if (GST_CLOCK_TIME_IS_VALID (end))
      source->end = MAX (source->end, end);
    g_mutex_unlock (&source->lock);
  }
  gst_event_unref (event);
  return GST_PAD_PROBE_OK;
}

/* Measure the first video. Other streams go to a fakesink, and have to end,
 * too, before the file has ended. */
static void
link_pad (GstElement * decoder, GstPad * pad, gpointer data)
{
  MeasureSource *source = data;
  GstPad *sink = gst_element_get_static_pad (source->sink, "sink");
  gboolean video = is_video (pad);

  (void) decoder;
  if (video && !gst_pad_is_linked (sink)) {
    gst_pad_link (pad, sink);
  } else if (!video) {
    GstElement *nowhere = gst_element_factory_make ("fakesink", NULL);

    g_object_set (nowhere, "async", FALSE, "sync", FALSE, NULL);
    gst_bin_add (GST_BIN (source->pipeline), nowhere);
    gst_object_unref (sink);
    sink = gst_element_get_static_pad (nowhere, "sink");
    gst_element_sync_state_with_parent (nowhere);
    gst_pad_link (pad, sink);
  }
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_end, source, NULL);
  gst_object_unref (sink);
}

/* Without a linked sink there would be no EOS. */
static void
check_linked (GstElement * decoder, gpointer data)
{
  MeasureSource *source = data;
  GstPad *sink = gst_element_get_static_pad (source->sink, "sink");

  (void) decoder;
  if (!gst_pad_is_linked (sink))
    g_atomic_int_set (&source->no_video, TRUE);
  gst_object_unref (sink);
}

/* The y4mdec of GStreamer 1.28 pulls, and pushes before decodebin has linked
 * its pads; after a queue it is pushed its data, when decodebin is ready. */
static void
link_file (GstElement * pipeline, GstElement * file, GstElement * decoder,
    const gchar * path)
{
  GstElement *queue;

  if (!g_str_has_suffix (path, ".y4m")) {
    gst_element_link (file, decoder);
    return;
  }
  queue = gst_element_factory_make ("queue", NULL);
  gst_bin_add (GST_BIN (pipeline), queue);
  gst_element_link_many (file, queue, decoder, NULL);
}

/* Check the file first, as opening a FIFO might block for ever. */
static gboolean
check_file (MeasureSource * source, const gchar * path, GStatBuf * status)
{
  if (g_stat (path, status) != 0)
    fail (&source->error, errno == ENOENT ? "there is no such file"
        : g_strerror (errno));
  else if (g_access (path, R_OK) != 0)
    fail (&source->error, g_strerror (errno));
  else if (!S_ISREG (status->st_mode))
    fail (&source->error, "it is not a regular file: save what a pipe or a "
        "device gives to a file first");
  return source->error == NULL;
}

/* The number of frames in an AVI file's header, if the file is shorter than its
 * header says; else 0. avidemux takes a truncated file for a complete one. */
static guint
count_cut_frames (const gchar * path, goffset size)
{
  FILE *file = fopen (path, "rb");
  guint8 head[52];
  gsize n = file != NULL ? fread (head, 1, sizeof head, file) : 0;

  if (file != NULL)
    fclose (file);
  if (n < sizeof head || memcmp (head, "RIFF", 4) != 0
      || memcmp (head + 8, "AVI LIST", 8) != 0
      || memcmp (head + 20, "hdrlavih", 8) != 0
      || GST_READ_UINT32_LE (head + 4) + G_GOFFSET_CONSTANT (8) <= size)
    return 0;
  return GST_READ_UINT32_LE (head + 48);
}

static void
start (MeasureSource * source, const gchar * path)
{
  GstElement *file = gst_element_factory_make ("filesrc", NULL);
  GstElement *decoder = gst_element_factory_make ("decodebin", NULL);
  GstPad *pad = gst_element_get_static_pad (file, "src");
  /* Frames are processed as they are in memory: a frame may interleave two
   * fields, but not store them one after the other. */
  GstCaps *woven = gst_caps_from_string ("video/x-raw, "
      "interlace-mode = (string) { progressive, interleaved, mixed }");

  source->pipeline = gst_pipeline_new (NULL);
  source->decoder = decoder;
  source->sink = gst_element_factory_make ("appsink", NULL);
  g_object_set (file, "location", path, NULL);
  g_object_set (source->sink, "caps", woven, "sync", FALSE,
      "max-buffers", AHEAD, "enable-last-sample", FALSE, NULL);
  gst_caps_unref (woven);
  gst_bin_add_many (GST_BIN (source->pipeline), file, decoder, source->sink,
      NULL);
  link_file (source->pipeline, file, decoder, path);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_PULL | GST_PAD_PROBE_TYPE_PUSH, note_read, source,
      NULL);
  gst_object_unref (pad);
  decoding_guard (decoder);
  g_signal_connect (decoder, "autoplug-select", G_CALLBACK (note_container),
      source);
  g_signal_connect (decoder, "autoplug-continue", G_CALLBACK (is_to_decode),
      source);
  g_signal_connect (decoder, "pad-added", G_CALLBACK (link_pad), source);
  g_signal_connect (decoder, "no-more-pads", G_CALLBACK (check_linked), source);
  gst_element_set_state (source->pipeline, GST_STATE_PLAYING);
}

MeasureSource *
measure_source_new (const gchar * path, gint limit)
{
  MeasureSource *source = g_new0 (MeasureSource, 1);
  GStatBuf status;

  g_mutex_init (&source->lock);
  source->limit = limit;
  source->position = GST_CLOCK_TIME_NONE;
  source->fps_d = 1;
  if (check_file (source, path, &status)) {
    source->cut_frames = count_cut_frames (path, status.st_size);
    start (source, path);
  }
  return source;
}

static gboolean
query_duration (MeasureSource * source, gint64 * duration)
{
  return gst_element_query_duration (source->pipeline, GST_FORMAT_TIME,
      duration) && *duration > 0;
}

gint64
measure_source_frames (MeasureSource * source)
{
  GstPad *pad = gst_element_get_static_pad (source->sink, "sink");
  gint64 duration, frames = 0;

  if (source->cut_frames > 0)
    frames = source->cut_frames;
  else if (!g_atomic_int_get (&source->contained))      /* a parser guesses */
    frames = g_atomic_int_get (&source->image);
  else if (gst_pad_peer_query_duration (pad, GST_FORMAT_TIME, &duration)
      && duration > 0 && duration <= (gint64) LONGEST)
    frames = gst_util_uint64_scale_round (duration, source->fps_n,
        GST_SECOND * source->fps_d);
  gst_object_unref (pad);
  return frames;
}

/* Whether a file has ended before the duration that it declares, by more than
 * the duration of one picture, as the last one's may be missing. */
static gboolean
is_cut (MeasureSource * source)
{
  GstClockTime frame = source->fps_n > 0
      ? gst_util_uint64_scale (GST_SECOND, source->fps_d, source->fps_n) : 0;
  gint64 duration;

  if (source->n_frames >= measure_source_frames (source))
    return FALSE;
  return source->cut_frames > 0
      || (source->end > 0 && query_duration (source, &duration)
      && source->end + MAX (frame, source->gap) * 3 / 2
      < (GstClockTime) duration);
}

static void
explain (MeasureSource * source, GError ** error)
{
  gchar *text = decoding_explain (source->decoder, *error, NULL);

  fail (error, text);
  g_free (text);
}

static void
check_end (MeasureSource * source, GError ** error)
{
  const gint64 n = source->n_frames;

  if (n == 0)
    explain (source, error);
  else if (is_cut (source))
    g_set_error (error, MEASURE_SOURCE_ERROR, MEASURE_OTHER,
        "it breaks off: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " frames "
        "are there (--n-frames %" G_GINT64_FORMAT " measures them)", n,
        measure_source_frames (source), n);
}

/* Whether the end is reached, or an error, which sets `*error`. */
static gboolean
find_end (MeasureSource * source, GError ** error)
{
  gboolean at_end = gst_app_sink_is_eos (GST_APP_SINK (source->sink));
  GstBus *bus = gst_element_get_bus (source->pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus,
      at_end ? MEASURE_NAP : 0, GST_MESSAGE_ERROR | GST_MESSAGE_EOS
      | GST_MESSAGE_ELEMENT);
  gboolean ended = message != NULL
      && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  gchar *elsewhere = message != NULL ? decoding_explain_redirect (message)
      : NULL;

  gst_object_unref (bus);
  if (ended)
    check_end (source, error);
  else if (elsewhere != NULL)
    fail (error, elsewhere);
  else if (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, error, NULL);
  g_free (elsewhere);
  g_clear_pointer (&message, gst_message_unref);
  if (*error != NULL && measure_memory_explain (error)) {
    /* Other errors follow from this. */
  } else if (g_atomic_int_get (&source->no_video)
      && !decoding_met_list (source->decoder)) {
    g_clear_error (error);
    g_set_error_literal (error, MEASURE_SOURCE_ERROR, MEASURE_NO_VIDEO,
        "there is no video or picture in it that GStreamer can decode");
  } else if (*error != NULL || g_atomic_int_get (&source->no_video)) {
    explain (source, error);
  }
  return ended || *error != NULL;
}

static void
take_sample (MeasureSource * source, GstSample * sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstClockTime start = GST_BUFFER_PTS (buffer), last = source->position;

  if (source->n_frames++ == 0)
    gst_structure_get_fraction (gst_caps_get_structure (gst_sample_get_caps
            (sample), 0), "framerate", &source->fps_n, &source->fps_d);
  source->position = start;
  if (GST_CLOCK_TIME_IS_VALID (start) && GST_BUFFER_DURATION_IS_VALID (buffer))
    source->position += GST_BUFFER_DURATION (buffer);
  if (GST_CLOCK_TIME_IS_VALID (start) && GST_CLOCK_TIME_IS_VALID (last)
      && source->position > last)
    source->gap = MAX (source->gap, source->position - last);
}

GstSample *
measure_source_pull (MeasureSource * source, gint * stop, GError ** error)
{
  MeasureWait wait;

  measure_wait_start (&wait, source->limit);
  if (source->error != NULL)
    *error = g_error_copy (source->error);
  while (*error == NULL && !g_atomic_int_get (stop)) {
    GstSample *sample = gst_app_sink_try_pull_sample (GST_APP_SINK
        (source->sink), MEASURE_NAP);

    if (sample != NULL) {
      take_sample (source, sample);
      return sample;
    }
    if (find_end (source, error))
      break;
    source->stalled = !measure_wait_nap (&wait,
        g_atomic_int_compare_and_exchange (&source->active, TRUE, FALSE),
        error);
    if (source->stalled)
      measure_leave_thread ();
  }
  return NULL;
}

gdouble
measure_source_progress (MeasureSource * source)
{
  gint64 duration;

  if (!GST_CLOCK_TIME_IS_VALID (source->position)
      || !query_duration (source, &duration))
    return 0.0;
  return MIN ((gdouble) source->position / duration, 1.0);
}

void
measure_source_free (MeasureSource * source)
{
  if (source->stalled)
    return;
  if (source->pipeline != NULL) {
    gst_element_set_state (source->pipeline, GST_STATE_NULL);
    gst_object_unref (source->pipeline);
  }
  g_clear_error (&source->error);
  g_mutex_clear (&source->lock);
  g_free (source);
}
