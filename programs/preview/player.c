/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parts.h"

#include <gst/app/gstappsink.h>
#include "gst-plugin/common/gstblockdctformat.h"

typedef struct
{
  PreviewPlayer *player;
  PreviewStream number;
  GstElement *source;           /* of its own; NULL: it encodes the original */
  GstElement *chain, *sink;
  GstPad *entrance;             /* of an encoder, at the tee */
  gulong gate;                  /* blocks the entrance; 0: it is open */
  gboolean exists;
  gint64 shift;                 /* by which it is late */
  gint stale;                   /* atomic: until it is flushed */
} Stream;

struct _PreviewPlayer
{
  PreviewSession *session;
  GstElement *pipeline;
  Stream stream[PREVIEW_N_STREAMS];
  GstClockTime place, end;      /* to start with */
  gboolean plays;
};

static GstFlowReturn
take_sample (GstAppSink * sink, gpointer data)
{
  Stream *stream = data;
  GstSample *sample = gst_app_sink_pull_sample (sink);
  PreviewPlayer *self = stream->player;

  if (sample == NULL)
    return GST_FLOW_EOS;
  if (!preview_player_is_stale (self, stream->number))
    preview_flow_take (self->session, self, stream->number, sample);
  gst_sample_unref (sample);
  return GST_FLOW_OK;
}

static void
take_end (GstAppSink * sink, gpointer data)
{
  Stream *stream = data;
  PreviewPlayer *self = stream->player;

  (void) sink;
  preview_flow_end (self->session, self, stream->number);
}

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  (void) pad, (void) info, (void) unused;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
flush (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Stream *stream = data;

  (void) pad;
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_FLUSH_STOP)
    g_atomic_int_set (&stream->stale, FALSE);
  return GST_PAD_PROBE_OK;
}

/* x265enc fails if it is flushed before it has caps, when there is nothing to
 * flush. */
static GstPadProbeReturn
drop_early_flush (GstPad * pad, GstPadProbeInfo * info, gpointer stream)
{
  if (gst_pad_has_current_caps (pad))
    return GST_PAD_PROBE_OK;
  flush (pad, info, stream);
  return GST_PAD_PROBE_DROP;
}

static void
drop_early_flushes (Stream * stream)
{
  for (GList * l = GST_BIN_CHILDREN (stream->chain); l != NULL; l = l->next)
    for (GList * k = GST_ELEMENT (l->data)->sinkpads; k != NULL; k = k->next)
      gst_pad_add_probe (k->data, GST_PAD_PROBE_TYPE_EVENT_FLUSH,
          drop_early_flush, stream, NULL);
}

/* Add a chain with a sink for a stream behind `from`. With a gate, nothing
 * enters before it is opened. */
static gboolean
add_chain (PreviewPlayer * self, PreviewStream number, GstElement * from,
    const gchar * elements, gboolean gate, GError ** error)
{
  static GstAppSinkCallbacks callbacks = {.new_sample = take_sample,
    .eos = take_end
  };
  Stream *stream = &self->stream[number];
  GstElement *chain = gst_parse_bin_from_description_full (elements, TRUE, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  GstElement *sink = gst_element_factory_make ("appsink", NULL);
  g_autoptr (GstPad) pad = NULL, end = gst_element_get_static_pad (sink,
      "sink");

  gst_pad_add_probe (end, GST_PAD_PROBE_TYPE_EVENT_FLUSH, flush, stream, NULL);
  stream->player = self;
  stream->number = number;
  stream->exists = TRUE;
  gst_bin_add (GST_BIN (self->pipeline), sink);
  stream->sink = sink;
  if (chain == NULL)
    return FALSE;
  gst_bin_add (GST_BIN (self->pipeline), chain);
  stream->chain = chain;
  g_object_set (sink, "sync", FALSE, "async", !gate, "max-buffers", 1, NULL);
  if (!gate && number == PREVIEW_ORIGINAL) {
    GstCaps *caps = gst_blockdct_format_caps ();

    g_object_set (sink, "caps", caps, NULL);
    gst_caps_unref (caps);
  }
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, stream, NULL);
  if (!gst_element_link_many (from, chain, sink, NULL)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "'%s' does not take pictures and give pictures", elements);
    return FALSE;
  }
  if (gate) {
    drop_early_flushes (stream);
    pad = gst_element_get_static_pad (chain, "sink");
    stream->entrance = gst_pad_get_peer (pad);
    stream->gate = gst_pad_add_probe (stream->entrance, GST_PAD_PROBE_TYPE_BLOCK
        | GST_PAD_PROBE_TYPE_BUFFER, hold, NULL, NULL);
  }
  return TRUE;
}

/* A coded frame of a file, as blockdctcoded counts it; decoders carry this
 * on. */
static GstPadProbeReturn
count_bits (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER
      (info));
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, "blockdct-coded");

  (void) pad, (void) unused;
  gst_structure_set (gst_custom_meta_get_structure (meta), "bits",
      G_TYPE_UINT64, (guint64) 8 * gst_buffer_get_size (buffer),
      "bits-headers", G_TYPE_UINT64, G_GUINT64_CONSTANT (0), NULL);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

static void
follow_decoder (GstBin * source, GstBin * bin, GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");

  (void) source, (void) bin;
  if (pad != NULL && factory != NULL && gst_element_factory_list_is_type
      (factory, GST_ELEMENT_FACTORY_TYPE_DECODER
          | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
          | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_bits, NULL, NULL);
}

static GstElement *
add_source (PreviewPlayer * self, PreviewStream number,
    const PreviewOptions * options, GError ** error)
{
  GstElement *source = preview_source_new (options, error);

  if (source != NULL)
    gst_bin_add (GST_BIN (self->pipeline), source);
  if (source != NULL && number != PREVIEW_ORIGINAL)
    g_signal_connect (source, "deep-element-added",
        G_CALLBACK (follow_decoder), NULL);
  self->stream[number].source = source;
  return source;
}

static gboolean
build (PreviewPlayer * self, const PreviewOptions * options,
    gchar * const line[2], gchar * const file[2], GError ** error)
{
  GstElement *source = add_source (self, PREVIEW_ORIGINAL, options, error);
  GstElement *convert = preview_make ("videoconvert", error);
  GstElement *tee = gst_element_factory_make ("tee", NULL);
  g_autoptr (GstElementFactory) download =
      gst_element_factory_find ("cudadownload");
  gboolean ok = source != NULL && convert != NULL;

  gst_bin_add (GST_BIN (self->pipeline), tee);
  if (convert != NULL) {
    /* GStreamer 1.22 dithers v210 to 10 bits, although nothing is rounded. */
    gst_util_set_object_arg (G_OBJECT (convert), "dither", "none");
    gst_bin_add (GST_BIN (self->pipeline), convert);
  }
  ok = ok && gst_element_link_many (source, convert, tee, NULL)
      && add_chain (self, PREVIEW_ORIGINAL, tee, "queue max-size-buffers=3 "
      "max-size-bytes=0 max-size-time=0", FALSE, error);
  for (guint i = 0; ok && i < 2; i++) {
    const PreviewStream number = PREVIEW_OF_A + i;
    const PreviewOptions other = {.file = file[i] };
    g_autofree gchar *coder = g_strconcat ("queue max-size-buffers=1 ! ",
        download != NULL ? "cudadownload ! " : "", "videoconvert ! ", line[i],
        NULL);

    if (line[i] != NULL)
      ok = add_chain (self, number, tee, coder, TRUE, error);
    else if (file[i] != NULL)
      ok = (source = add_source (self, number, &other, error)) != NULL
          && add_chain (self, number, source, "queue max-size-buffers=3",
          FALSE, error);
  }
  return ok;
}

PreviewPlayer *
preview_player_new (PreviewSession * session, gchar * const line[2],
    gchar * const file[2], GError ** error)
{
  PreviewPlayer *self = g_new0 (PreviewPlayer, 1);

  self->session = session;
  self->pipeline = gst_object_ref_sink (gst_pipeline_new ("player"));
  for (guint i = 0; i < 2; i++)
    self->stream[PREVIEW_OF_A + i].shift = session->shift[i];
  if (build (self, &session->options, line, file, error))
    return self;
  preview_player_free (self, TRUE);
  return NULL;
}

gboolean
preview_player_has (PreviewPlayer * self, PreviewStream stream)
{
  return self->stream[stream].exists;
}

GstElement *
preview_player_get_pipeline (PreviewPlayer * self)
{
  return self->pipeline;
}

GstElement *
preview_player_get_source (PreviewPlayer * self, PreviewStream stream)
{
  return self->stream[stream].source;
}

/* A sink posts the tags of its stream. */
PreviewStream
preview_player_find (PreviewPlayer * self, GstObject * object)
{
  for (guint i = PREVIEW_OF_A; i < PREVIEW_N_STREAMS; i++) {
    const Stream *stream = &self->stream[i];
    GstElement *parts[] = { stream->source, stream->chain, stream->sink };

    for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
      if (parts[k] != NULL && gst_object_has_as_ancestor (object,
              GST_OBJECT (parts[k])))
        return i;
  }
  return PREVIEW_ORIGINAL;
}

static gboolean
can_seek (GstPad * pad)
{
  g_autoptr (GstQuery) query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean seeks = FALSE;

  if (gst_pad_query (pad, query))
    gst_query_parse_seeking (query, NULL, &seeks, NULL, NULL);
  return seeks;
}

gint64
preview_player_get_duration (PreviewPlayer * self)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad
      (self->stream[PREVIEW_ORIGINAL].source, "src");
  gint64 duration = 0;

  if (!can_seek (pad))
    return -1;
  return gst_pad_query_duration (pad, GST_FORMAT_TIME, &duration) ? duration
      : 0;
}

void
preview_player_expect (PreviewPlayer * self)
{
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++) {
    GstElement *source = self->stream[i].source != NULL
        ? self->stream[i].source : self->stream[PREVIEW_ORIGINAL].source;
    g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");

    /* What cannot seek goes on from where it is. */
    g_atomic_int_set (&self->stream[i].stale, self->plays && can_seek (pad));
  }
}

gboolean
preview_player_is_stale (PreviewPlayer * self, PreviewStream stream)
{
  return g_atomic_int_get (&self->stream[stream].stale);
}

/* Sinks that wait for a first picture after each seek may wait forever in
 * GStreamer 1.22, when a seek comes while the pipeline follows the last one. */
static void
start_sinks (PreviewPlayer * self)
{
  self->plays = TRUE;
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    if (self->stream[i].sink != NULL)
      g_object_set (self->stream[i].sink, "async", FALSE, NULL);
}

/* Sources are told, not sinks: those behind one tee would each tell it. Before
 * it plays, it is told where to start. */
gboolean
preview_player_seek (PreviewPlayer * self, GstClockTime place, GstClockTime end)
{
  gboolean ok = TRUE;

  self->place = place;
  self->end = end;
  for (guint i = 0; self->plays && i < PREVIEW_N_STREAMS; i++)
    if (self->stream[i].source != NULL) {
      g_autoptr (GstPad) pad = gst_element_get_static_pad
          (self->stream[i].source, "src");
      const gint64 shift = self->stream[i].shift;
      GstEvent *seek = gst_event_new_seek (1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
          MAX ((gint64) place + shift, 0), GST_SEEK_TYPE_SET,
          GST_CLOCK_TIME_IS_VALID (end) ? (gint64) end + shift : -1);

      ok = gst_pad_send_event (pad, seek) && ok;
    }
  if (!ok)
    for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
      g_atomic_int_set (&self->stream[i].stale, FALSE);
  return ok;
}

static void
open_gates (PreviewPlayer * self)
{
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    if (self->stream[i].gate != 0)
      gst_pad_remove_probe (self->stream[i].entrance, self->stream[i].gate);
}

gboolean
preview_player_start (PreviewPlayer * self, GstClockTime place,
    GstClockTime end)
{
  gboolean live;

  self->place = place;
  self->end = end;
  live = gst_element_set_state (self->pipeline, GST_STATE_PAUSED)
      == GST_STATE_CHANGE_NO_PREROLL;
  if (live) {
    start_sinks (self);
    open_gates (self);
    gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
  }
  return live;
}

/* Seek after PLAYING, not before. A sink that is flushed in PAUSED may render
 * its next frame before its change to PLAYING has its preroll lock. A version's
 * frame waits there for the original, whose sink would never play. */
void
preview_player_arrive (PreviewPlayer * self)
{
  gboolean sought = self->place > 0 || GST_CLOCK_TIME_IS_VALID (self->end);

  if (self->plays)
    return;
  start_sinks (self);
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    sought = sought || self->stream[i].shift > 0;
  if (sought)
    preview_player_expect (self);
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
  if (sought)
    preview_player_seek (self, self->place, self->end);
  open_gates (self);
}

static gpointer
stop (gpointer data)
{
  PreviewPlayer *self = data;

  preview_source_stop (self->pipeline);
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    gst_clear_object (&self->stream[i].entrance);
  gst_object_unref (self->pipeline);
  g_free (self);
  return NULL;
}

void
preview_player_free (PreviewPlayer * self, gboolean waits)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);
  GThread *thread;

  gst_bus_set_flushing (bus, TRUE);
  thread = g_thread_new ("stop", stop, self);
  if (waits)
    g_thread_join (thread);
  else
    g_thread_unref (thread);
}
