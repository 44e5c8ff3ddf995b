/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-blockdctcompare
 * @title: blockdctcompare
 * @see_also: blockdct, blockdctpreview
 *
 * blockdctcompare compares up to three videos, whoever made them, with the
 * reference at its pad `ref_sink`: frames are matched by running time. Each
 * matched frame has a message and a custom meta `blockdct-compare` for each
 * distorted pad, with PSNR and the other #GstBlockDctCompare:metrics. The
 * source pad shows two of the pictures, in one #GstBlockDctCompare:view.
 *
 * With #GstBlockDctCompare:interactive keys and the pointer in the sink's
 * window change the view.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -m blockdctcompare name=c metrics=psnr+ssim ! fakesink
 *     videotestsrc num-buffers=30 ! tee name=t ! queue ! c.ref_sink
 *     t. ! queue ! x264enc ! avdec_h264 ! c.dist_sink
 * ]|
 * Post the PSNR and the SSIM of what x264 does to each frame.
 * |[
 * gst-launch-1.0 blockdctcompare name=c view=wipe interactive=true !
 *     videoconvert ! autovideosink
 *     filesrc location=original.mp4 ! decodebin ! videoconvert ! c.ref_sink
 *     filesrc location=encoded.mp4 ! decodebin ! videoconvert ! c.dist_sink
 * ]|
 * Show two files on both sides of a line that the pointer drags.
 */
#include "gstblockdctcompare.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "gstblockdctcompareaggregate.h"
#include "gstblockdctcomparecaps.h"
#include "gstblockdctcomparefinish.h"
#include "gstblockdctcompareframes.h"
#include "gstblockdctcompareproperties.h"
#include "gstblockdctcompareupstream.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_blockdct_compare_debug

G_DEFINE_FINAL_TYPE_WITH_CODE (GstBlockDctCompare, gst_blockdct_compare,
    GST_TYPE_AGGREGATOR,
    gst_blockdct_debug_init ();
    gst_blockdct_statistics_init ();
    gst_blockdct_compare_coded_init ());
GST_ELEMENT_REGISTER_DEFINE (blockdctcompare, "blockdctcompare", GST_RANK_NONE,
    GST_TYPE_BLOCKDCT_COMPARE);

/* Open the backend and the file, or post an error. */
static gboolean
open_all (GstBlockDctCompare * self)
{
  gchar *path;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  path = g_strdup (self->settings.stats_file);
  GST_OBJECT_UNLOCK (self);
  ok = gst_blockdct_stats_file_open (&self->stats_file, path,
      GST_ELEMENT (self));
  g_free (path);
  if (ok && gst_blockdct_compare_frames_open (self))
    return TRUE;
  gst_blockdct_stats_file_close (&self->stats_file, GST_ELEMENT (self));
  return FALSE;
}

static void
set_started (GstBlockDctCompare * self, gboolean started)
{
  GST_OBJECT_LOCK (self);
  self->started = started;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
gst_blockdct_compare_start (GstAggregator * agg)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);

  set_started (self, TRUE);
  g_atomic_int_set (&self->flush_pending, FALSE);
  self->match = (GstBlockDctCompareMatch) {
  .smallest_gap = GST_CLOCK_TIME_NONE};
  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++) {
    self->statistics[i] = (GstBlockDctStatistics) { 0 };
    gst_blockdct_statistics_flush (&self->statistics[i]);
    self->shifts[i].done = FALSE;
  }
  self->output = (GstBlockDctCompareOutput) {
  .single = GST_BLOCKDCT_COMPARE_DRAWN};
  self->warned = 0;
  self->below = 0;
  gst_blockdct_compare_finish_publish (self);
  if (open_all (self))
    return TRUE;
  set_started (self, FALSE);
  return FALSE;
}

static gboolean
gst_blockdct_compare_stop (GstAggregator * agg)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);
  GstBlockDctComparePad *pads[1 + BDCT_MAX_DISTORTED];

  gst_blockdct_compare_forget (self);
  gst_blockdct_compare_frames_close (self);
  gst_blockdct_compare_get_pads (GST_ELEMENT (self), pads);
  for (guint i = 0; i <= BDCT_MAX_DISTORTED; i++)
    if (pads[i] != NULL) {
      gst_clear_caps (&pads[i]->caps);
      gst_blockdct_compare_pad_set_flushing (pads[i], FALSE);
    }
  gst_blockdct_compare_put_pads (pads);
  gst_clear_caps (&self->output.shown);
  gst_blockdct_overlay_clear (&self->overlay);
  gst_blockdct_navigation_set_size (&self->navigation, 0, 0);
  gst_blockdct_backend_set_context (GST_ELEMENT (self), &self->context, NULL);
  set_started (self, FALSE);
  gst_blockdct_stats_file_close (&self->stats_file, GST_ELEMENT (self));
  return TRUE;
}

/* Pads */

/* Create dist_sink_1 or dist_sink_2, or the first of these that is free. */
static GstAggregatorPad *
gst_blockdct_compare_create_new_pad (GstAggregator * agg,
    GstPadTemplate * templ, const gchar * req_name, const GstCaps * caps)
{
  (void) caps;
  for (gint i = 1; i < BDCT_MAX_DISTORTED; i++) {
    gchar *name = g_strdup_printf ("dist_sink_%d", i);
    GstPad *other = gst_element_get_static_pad (GST_ELEMENT (agg), name);
    gboolean fits = other == NULL && (req_name == NULL
        || strcmp (req_name, name) == 0
        || strcmp (req_name, GST_PAD_TEMPLATE_NAME_TEMPLATE (templ)) == 0);
    GstBlockDctComparePad *pad = fits
        ? gst_blockdct_compare_pad_new (name, templ, i,
        &GST_BLOCKDCT_COMPARE_CAST (agg)->gate) : NULL;

    gst_clear_object (&other);
    g_free (name);
    if (pad != NULL)
      return GST_AGGREGATOR_PAD (pad);
  }
  GST_WARNING_OBJECT (agg, "no pad %s: there are dist_sink_1 and dist_sink_2, "
      "once each", req_name != NULL ? req_name : "is left");
  return NULL;
}



/* GstAggregator has stopped the aggregating thread, unless a change of state
 * has interrupted an earlier flush: then that thread still runs, and drops its
 * state itself. */
static GstFlowReturn
gst_blockdct_compare_flush (GstAggregator * agg)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);
  GstPad *src = GST_AGGREGATOR_SRC_PAD (agg);
  gboolean stopped;

  GST_OBJECT_LOCK (src);
  stopped = GST_PAD_TASK (src) == NULL;
  GST_OBJECT_UNLOCK (src);
  g_atomic_int_set (&self->flush_pending, TRUE);
  if (stopped)
    gst_blockdct_compare_follow_flush (self);
  gst_blockdct_compare_gate_set_open (&self->gate, FALSE);
  return GST_FLOW_OK;
}

/* Handle an event, after the frames that came before it. */
static gboolean
gst_blockdct_compare_sink_event (GstAggregator * agg,
    GstAggregatorPad * agg_pad, GstEvent * event)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);
  GstBlockDctComparePad *pad = GST_BLOCKDCT_COMPARE_PAD (agg_pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    GstCaps *caps;
    gboolean ok;

    /* The new caps replace these. */
    caps = gst_blockdct_compare_pad_take_sticky_caps (pad);
    gst_clear_caps (&caps);
    gst_event_parse_caps (event, &caps);
    ok = gst_blockdct_compare_set_caps (self, pad, caps);
    gst_event_unref (event);
    return ok;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START) {
    gst_blockdct_compare_pad_set_flushing (pad, TRUE);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    /* The pad flushes again since it let the event through, and stop() may run
     * now. */
    if (GST_PAD_IS_FLUSHING (pad)) {
      gst_event_unref (event);
      return FALSE;
    }
    gst_blockdct_compare_pad_set_flushing (pad, FALSE);
  }
  /* GstAggregator forwards the other serialized events, such as tags: only the
   * reference's may go downstream. */
  if (GST_EVENT_IS_SERIALIZED (event) && GST_EVENT_TYPE (event)
      > GST_EVENT_SEGMENT && GST_EVENT_TYPE (event) != GST_EVENT_GAP
      && GST_EVENT_TYPE (event) != GST_EVENT_EOS
      && pad->number != GST_BLOCKDCT_COMPARE_REFERENCE) {
    gst_event_unref (event);
    return TRUE;
  }
  return GST_AGGREGATOR_CLASS (gst_blockdct_compare_parent_class)->sink_event
      (agg, agg_pad, event);
}

/* An event arrives. From now on the pad's encoder, if it has one, is linked. */
static GstFlowReturn
gst_blockdct_compare_sink_event_pre_queue (GstAggregator * agg,
    GstAggregatorPad * agg_pad, GstEvent * event)
{
  GstAggregatorClass *parent =
      GST_AGGREGATOR_CLASS (gst_blockdct_compare_parent_class);
  GstBlockDctComparePad *pad = GST_BLOCKDCT_COMPARE_PAD (agg_pad);

  if (pad->number != GST_BLOCKDCT_COMPARE_REFERENCE
      && (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START
          || GST_EVENT_TYPE (event) == GST_EVENT_CAPS))
    gst_blockdct_compare_coded_watch (&GST_BLOCKDCT_COMPARE_CAST (agg)->coded
        [pad->number], GST_PAD (pad));
  return parent->sink_event_pre_queue (agg, agg_pad, event);
}

static gboolean
gst_blockdct_compare_sink_query (GstAggregator * agg, GstAggregatorPad * pad,
    GstQuery * query)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);

  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT
      && gst_blockdct_backend_answer_context (GST_ELEMENT (self),
          &self->context, query))
    return TRUE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS) {
    GstCaps *filter, *all = gst_pad_get_pad_template_caps (GST_PAD (pad));

    gst_query_parse_caps (query, &filter);
    if (filter != NULL) {
      GstCaps *both = gst_caps_intersect_full (filter, all,
          GST_CAPS_INTERSECT_FIRST);

      gst_caps_unref (all);
      all = both;
    }
    gst_query_set_caps_result (query, all);
    gst_caps_unref (all);
    return TRUE;
  }
  return GST_AGGREGATOR_CLASS (gst_blockdct_compare_parent_class)->sink_query
      (agg, pad, query);
}

/* Queries about the whole stream go to the reference. */
static gboolean
gst_blockdct_compare_src_query (GstAggregator * agg, GstQuery * query)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CONTEXT:
      if (gst_blockdct_backend_answer_context (GST_ELEMENT (self),
              &self->context, query))
        return TRUE;
      break;
    case GST_QUERY_SEEKING:
    case GST_QUERY_DURATION:
    case GST_QUERY_POSITION:
    case GST_QUERY_SEGMENT:
    {
      GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (agg), "ref_sink");
      gboolean ok = gst_pad_peer_query (pad, query);

      gst_object_unref (pad);
      return ok;
    }
    default:
      break;
  }
  return GST_AGGREGATOR_CLASS (gst_blockdct_compare_parent_class)->src_query
      (agg, query);
}

/* Seeking */

/* Do not send a seek to a source that seeks already, through another pad. */
static GstPadProbeReturn
swallow_seek (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  (void) pad;
  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK
      || gst_event_get_seqnum (event) != GPOINTER_TO_UINT (data))
    return GST_PAD_PROBE_OK;
  gst_event_unref (event);
  return GST_PAD_PROBE_HANDLED;
}

/* Whether the reference's source reports that it cannot seek. GstAggregator
 * stops for a flushing seek, and only a flush starts it again. */
static gboolean
is_unseekable (GstBlockDctCompare * self)
{
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (self), "ref_sink");
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean seekable = TRUE;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  gst_query_unref (query);
  gst_object_unref (pad);
  return !seekable;
}

/* GstAggregator sends a seek up each pad. Behind a tee the pads have one
 * source, which would seek once for each: a pad that shares its source with an
 * earlier pad sends none. */
static gboolean
seek (GstBlockDctCompare * self, GstEvent * event)
{
  GstBlockDctComparePad *pads[1 + BDCT_MAX_DISTORTED];
  GstPad *peers[1 + BDCT_MAX_DISTORTED] = { NULL };
  gulong probes[1 + BDCT_MAX_DISTORTED] = { 0 };
  const guint32 seqnum = gst_event_get_seqnum (event);
  gboolean ok;

  if (is_unseekable (self)) {
    gst_event_unref (event);
    return FALSE;
  }
  gst_blockdct_compare_get_pads (GST_ELEMENT (self), pads);
  for (guint i = 0; i <= BDCT_MAX_DISTORTED; i++) {
    gboolean common = FALSE;

    if (pads[i] == NULL)
      continue;
    peers[i] = gst_pad_get_peer (GST_PAD (pads[i]));
    for (guint k = 0; k < i; k++)
      common |= pads[k] != NULL && gst_blockdct_compare_share_source
          (GST_PAD (pads[k]), GST_PAD (pads[i]));
    if (common && peers[i] != NULL)
      probes[i] = gst_pad_add_probe (peers[i],
          GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, swallow_seek,
          GUINT_TO_POINTER (seqnum), NULL);
  }
  ok = GST_AGGREGATOR_CLASS (gst_blockdct_compare_parent_class)->src_event
      (GST_AGGREGATOR (self), event);
  for (guint i = 0; i <= BDCT_MAX_DISTORTED; i++) {
    if (probes[i] != 0)
      gst_pad_remove_probe (peers[i], probes[i]);
    gst_clear_object (&peers[i]);
  }
  gst_blockdct_compare_put_pads (pads);
  return ok;
}

static gboolean
gst_blockdct_compare_src_event (GstAggregator * agg, GstEvent * event)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    return seek (self, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION) {
    GstPad *pad;
    gboolean ok;

    if (gst_blockdct_navigation_event (&self->navigation, GST_ELEMENT (self),
            event)) {
      gst_event_unref (event);
      return TRUE;
    }
    pad = gst_element_get_static_pad (GST_ELEMENT (agg), "ref_sink");
    ok = gst_pad_push_event (pad, event);
    gst_object_unref (pad);
    return ok;
  }
  return GST_AGGREGATOR_CLASS (gst_blockdct_compare_parent_class)->src_event
      (agg, event);
}

void
gst_blockdct_compare_set_lockstep (GstElement * compare, guint max_frames)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (compare);

  g_mutex_lock (&self->gate.lock);
  self->gate.max_frames = max_frames > 0 ? max_frames
      : GST_BLOCKDCT_COMPARE_MAX_FRAMES;
  self->gate.max_time = max_frames > 0 ? 0 : GST_BLOCKDCT_COMPARE_MAX_TIME;
  g_cond_broadcast (&self->gate.cond);
  g_mutex_unlock (&self->gate.lock);
}

/* GstElement, GObject */

static void
gst_blockdct_compare_set_context (GstElement * element, GstContext * context)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (element);
  GstBlockDctCompareSettings settings =
      gst_blockdct_compare_get_settings (self);

  gst_blockdct_backend_offer_context (element, context, settings.backend,
      settings.device_id, &self->context);
  GST_ELEMENT_CLASS (gst_blockdct_compare_parent_class)->set_context (element,
      context);
}

/* Find encoders that are linked before the stream starts, so that no coded
 * frame is missed. */
static void
watch_encoders (GstBlockDctCompare * self)
{
  GstBlockDctComparePad *pads[1 + BDCT_MAX_DISTORTED];

  gst_blockdct_compare_get_pads (GST_ELEMENT (self), pads);
  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++)
    if (pads[1 + i] != NULL)
      gst_blockdct_compare_coded_watch (&self->coded[i], GST_PAD (pads[1 + i]));
  gst_blockdct_compare_put_pads (pads);
}

static GstStateChangeReturn
gst_blockdct_compare_change_state (GstElement * element,
    GstStateChange transition)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    watch_encoders (self);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_blockdct_stats_file_cancel (self->stats_file);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED
      || transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_blockdct_compare_gate_set_open (&self->gate,
        transition == GST_STATE_CHANGE_PAUSED_TO_READY);
  ret = GST_ELEMENT_CLASS (gst_blockdct_compare_parent_class)->change_state
      (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE))
    for (guint i = 0; i < BDCT_MAX_DISTORTED; i++)
      gst_blockdct_compare_coded_clear (&self->coded[i]);
  return ret;
}

static void
gst_blockdct_compare_release_pad (GstElement * element, GstPad * pad)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (element);
  const gint number = GST_BLOCKDCT_COMPARE_PAD (pad)->number;

  gst_blockdct_compare_pad_set_flushing (GST_BLOCKDCT_COMPARE_PAD (pad),
      TRUE);
  GST_ELEMENT_CLASS (gst_blockdct_compare_parent_class)->release_pad (element,
      pad);
  if (number != GST_BLOCKDCT_COMPARE_REFERENCE)
    gst_blockdct_compare_coded_clear (&self->coded[number]);
}

static void
gst_blockdct_compare_finalize (GObject * object)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (object);

  gst_blockdct_compare_gate_clear (&self->gate);
  g_mutex_clear (&self->navigation.lock);
  gst_clear_object (&self->context);
  g_free (self->active_backend);
  g_free (self->settings.stats_file);
  G_OBJECT_CLASS (gst_blockdct_compare_parent_class)->finalize (object);
}

static void
gst_blockdct_compare_class_init (GstBlockDctCompareClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *agg_class = GST_AGGREGATOR_CLASS (klass);
  GstCaps *caps = gst_blockdct_format_caps ();

  object_class->finalize = GST_DEBUG_FUNCPTR (gst_blockdct_compare_finalize);
  gst_blockdct_compare_install_properties (object_class);

  element_class->set_context =
      GST_DEBUG_FUNCPTR (gst_blockdct_compare_set_context);
  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_blockdct_compare_change_state);
  element_class->release_pad =
      GST_DEBUG_FUNCPTR (gst_blockdct_compare_release_pad);
  gst_element_class_set_static_metadata (element_class,
      "Block DCT compare", "Analyzer/Video",
      "Measure videos against a reference, and show two of them in one picture",
      "The gst-blockdct developers");
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new_with_gtype ("ref_sink", GST_PAD_SINK,
          GST_PAD_ALWAYS, caps, GST_TYPE_BLOCKDCT_COMPARE_PAD));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new_with_gtype ("dist_sink", GST_PAD_SINK,
          GST_PAD_ALWAYS, caps, GST_TYPE_BLOCKDCT_COMPARE_PAD));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new_with_gtype ("dist_sink_%u", GST_PAD_SINK,
          GST_PAD_REQUEST, caps, GST_TYPE_BLOCKDCT_COMPARE_PAD));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new_with_gtype ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
          caps, GST_TYPE_AGGREGATOR_PAD));
  gst_caps_unref (caps);

  agg_class->start = GST_DEBUG_FUNCPTR (gst_blockdct_compare_start);
  agg_class->stop = GST_DEBUG_FUNCPTR (gst_blockdct_compare_stop);
  agg_class->flush = GST_DEBUG_FUNCPTR (gst_blockdct_compare_flush);
  agg_class->create_new_pad =
      GST_DEBUG_FUNCPTR (gst_blockdct_compare_create_new_pad);
  agg_class->sink_event = GST_DEBUG_FUNCPTR (gst_blockdct_compare_sink_event);
  agg_class->sink_event_pre_queue =
      GST_DEBUG_FUNCPTR (gst_blockdct_compare_sink_event_pre_queue);
  agg_class->sink_query = GST_DEBUG_FUNCPTR (gst_blockdct_compare_sink_query);
  agg_class->src_query = GST_DEBUG_FUNCPTR (gst_blockdct_compare_src_query);
  agg_class->src_event = GST_DEBUG_FUNCPTR (gst_blockdct_compare_src_event);
  gst_blockdct_compare_install_caps (agg_class);
  gst_blockdct_compare_install_aggregate (agg_class);
  gst_type_mark_as_plugin_api (GST_TYPE_BLOCKDCT_COMPARE_PAD, 0);
}

static void
gst_blockdct_compare_init (GstBlockDctCompare * self)
{
  GstElementClass *klass = GST_ELEMENT_GET_CLASS (self);

  gst_blockdct_compare_gate_init (&self->gate);
  self->gate.open = TRUE;
  g_mutex_init (&self->navigation.lock);
  gst_blockdct_compare_init_properties (self);
  gst_element_add_pad (GST_ELEMENT (self), GST_PAD
      (gst_blockdct_compare_pad_new ("ref_sink",
              gst_element_class_get_pad_template (klass, "ref_sink"),
              GST_BLOCKDCT_COMPARE_REFERENCE, &self->gate)));
  gst_element_add_pad (GST_ELEMENT (self), GST_PAD
      (gst_blockdct_compare_pad_new ("dist_sink",
              gst_element_class_get_pad_template (klass, "dist_sink"), 0,
              &self->gate)));
}
