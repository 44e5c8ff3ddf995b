/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-blockdctcompare
 * @title: blockdctcompare
 * @short_description: measure videos against a reference
 * @see_also: blockdct, blockdctpreview
 *
 * blockdctcompare compares up to three videos, whoever made them, with the
 * reference at its pad `ref_sink`: frames are matched by running time. Each
 * matched frame has a message and a custom meta `blockdct-compare` for each
 * distorted pad, with PSNR and the other #GstBlockDctCompare:metrics. The
 * source pad shows two of the pictures, in one #GstBlockDctCompare:view. With
 * several distorted pads #GstBlockDctCompare:stats-file should end in .csv or
 * .jsonl, which name the pad.
 *
 * With #GstBlockDctCompare:interactive keys and the pointer in the sink's
 * window change the view.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -m blockdctcompare name=c metrics=psnr+ssim ! fakesink \
 *     videotestsrc num-buffers=30 ! tee name=t ! queue ! c.ref_sink \
 *     t. ! queue ! x264enc ! avdec_h264 ! c.dist_sink
 * ]|
 * Post the PSNR and the SSIM of what x264 does to each frame.
 * |[
 * gst-launch-1.0 blockdctcompare name=c view=wipe interactive=true ! \
 *     videoconvert ! autovideosink \
 *     filesrc location=original.mp4 ! decodebin ! videoconvert ! c.ref_sink \
 *     filesrc location=encoded.mp4 ! decodebin ! videoconvert ! c.dist_sink
 * ]|
 * Show two files on both sides of a line that the pointer drags.
 *
 * Since: 0.2
 */
#include "gst-plugin/common/gstblockdctformat.h"
#include "gstblockdctcompareprivate.h"

#include <string.h>

GST_DEBUG_CATEGORY (gst_blockdct_compare_debug);
#define GST_CAT_DEFAULT gst_blockdct_compare_debug

/* Queued behind a flush; has the caps in force. */
#define FLUSHED "blockdct-compare-flushed"

G_DEFINE_FINAL_TYPE_WITH_CODE (GstBlockDctCompare, gst_blockdct_compare,
    GST_TYPE_AGGREGATOR,
    GST_DEBUG_CATEGORY_INIT (gst_blockdct_debug, "blockdct", 0,
        "Block DCT and PSNR");
    GST_DEBUG_CATEGORY_INIT (gst_blockdct_compare_debug, "blockdctcompare", 0,
        "Pictures against a reference");
    gst_blockdct_statistics_init ());
GST_ELEMENT_REGISTER_DEFINE (blockdctcompare, "blockdctcompare", GST_RANK_NONE,
    GST_TYPE_BLOCKDCT_COMPARE);

#define parent_class \
  GST_AGGREGATOR_CLASS (gst_blockdct_compare_parent_class)

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
  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++)
    gst_blockdct_statistics_reset (&self->statistics[i], GST_ELEMENT (self));
  self->output = (GstBlockDctCompareOutput) {
  .single = GST_BLOCKDCT_COMPARE_DRAWN};
  self->warned = 0;
  if (gst_blockdct_stats_file_open (&self->stats_file,
          &self->settings.common.stats_file, GST_ELEMENT (self))
      && gst_blockdct_compare_frames_open (self))
    return TRUE;
  gst_blockdct_stats_file_close (&self->stats_file, GST_ELEMENT (self));
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
      gst_blockdct_compare_pad_set_caps (pads[i], NULL, NULL, NULL);
      gst_blockdct_compare_match_restart (self, pads[i]);
    }
  gst_blockdct_compare_put_pads (pads);
  gst_blockdct_compare_announce_caps (self, NULL);
  gst_clear_caps (&self->output.shown);
  g_clear_pointer (&self->overlay.labels, g_hash_table_unref);
  self->overlay = (GstBlockDctOverlay) { 0 };
  gst_blockdct_navigation_set_size (&self->navigation, 0, 0);
  gst_blockdct_backend_set_context (&self->frames.backend, NULL);
  set_started (self, FALSE);
  gst_blockdct_stats_file_close (&self->stats_file, GST_ELEMENT (self));
  return TRUE;
}

/* Latency */

/* More than any input can run ahead. */
#define UNLIMITED (G_GUINT64_CONSTANT (1) << 60)

/* Called with the object lock. */
static guint64
get_limit (const GstBlockDctCompare * self)
{
  return self->live ? self->settings.latency : UNLIMITED;
}

/* GstAggregator's latency limits its queues, also where nothing is live and the
 * pads do so by themselves: there it is out of their way. Returns whether
 * `live` has changed. */
static gboolean
set_live (GstBlockDctCompare * self, gboolean live)
{
  GObjectClass *klass = G_OBJECT_CLASS (parent_class);
  GParamSpec *pspec = g_object_class_find_property (klass, "latency");
  GValue value = G_VALUE_INIT;
  gboolean changed;
  guint64 latency;

  g_value_init (&value, G_TYPE_UINT64);
  GST_OBJECT_LOCK (self);
  changed = self->live != live;
  self->live = live;
  /* It posts a message, so without the lock: whoever sets it last sees what
   * holds then. */
  do {
    latency = get_limit (self);
    GST_OBJECT_UNLOCK (self);
    g_value_set_uint64 (&value, latency);
    klass->set_property (G_OBJECT (self), pspec->param_id, &value, pspec);
    GST_OBJECT_LOCK (self);
  } while (latency != get_limit (self));
  GST_OBJECT_UNLOCK (self);
  g_value_unset (&value);
  return changed;
}

void
gst_blockdct_compare_follow_latency (GstElement * compare)
{
  set_live (GST_BLOCKDCT_COMPARE_CAST (compare), GST_CLOCK_TIME_IS_VALID
      (gst_aggregator_get_latency (GST_AGGREGATOR (compare))));
}

static gboolean
query_latency (GstBlockDctCompare * self, GstQuery * query)
{
  const guint64 ours = gst_blockdct_compare_get_settings (self).latency;
  GstClockTime min, max;
  gboolean live;

  do {
    if (!parent_class->src_query (GST_AGGREGATOR (self), query))
      return FALSE;
    gst_query_parse_latency (query, &live, &min, &max);
  } while (set_live (self, live));
  /* GstPad passes the limits of live sources alone on. */
  if (!live)
    gst_query_set_latency (query, FALSE, min - UNLIMITED + ours,
        GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* Pads */

/* Create dist_sink_1 or dist_sink_2, or the first of these that is free. */
static GstAggregatorPad *
gst_blockdct_compare_create_new_pad (GstAggregator * agg,
    GstPadTemplate * templ, const gchar * req_name, const GstCaps * caps)
{
  for (gint i = 1; i < BDCT_MAX_DISTORTED; i++) {
    const gchar *name = gst_blockdct_compare_pad_names[i];
    g_autoptr (GstPad) other =
        gst_element_get_static_pad (GST_ELEMENT (agg), name);

    if (other == NULL && (req_name == NULL || strcmp (req_name, name) == 0
            || strcmp (req_name, GST_PAD_TEMPLATE_NAME_TEMPLATE (templ)) == 0))
      return GST_AGGREGATOR_PAD (gst_blockdct_compare_pad_new (name, templ, i));
  }
  GST_WARNING_OBJECT (agg, "no pad %s: there are dist_sink_1 and dist_sink_2, "
      "once each", req_name != NULL ? req_name : "is left");
  return NULL;
}

/* Its thread may wait in the pad. */
static void
gst_blockdct_compare_release_pad (GstElement * element, GstPad * pad)
{
  gst_blockdct_compare_pad_open (GST_BLOCKDCT_COMPARE_PAD (pad));
  GST_ELEMENT_CLASS (parent_class)->release_pad (element, pad);
}

/* Events */

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
  return GST_FLOW_OK;
}

/* The first frame after a flush comes next. After an error or EOS GstAggregator
 * has dropped caps with its queue, and upstream does not send them again. */
static gboolean
follow_mark (GstBlockDctCompare * self, GstBlockDctComparePad * pad,
    GstEvent * mark)
{
  g_autoptr (GstCaps) caps = NULL;

  gst_structure_get (gst_event_get_structure (mark), "caps", GST_TYPE_CAPS,
      &caps, NULL);
  gst_event_unref (mark);
  gst_blockdct_compare_match_restart (self, pad);
  return caps == NULL || gst_blockdct_compare_set_caps (self, pad, caps);
}

/* A pad's flush has ended: GstAggregator takes its frames again, unless the pad
 * flushes once more meanwhile. */
static void
end_flush (GstAggregator * agg, GstAggregatorPad * pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (GST_PAD (pad));

  if (parent_class->sink_event_pre_queue (agg, pad, gst_event_new_custom
          (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new (FLUSHED, "caps",
                  GST_TYPE_CAPS, caps, NULL))) != GST_FLOW_OK)
    gst_blockdct_compare_pad_open (GST_BLOCKDCT_COMPARE_PAD (pad));
}

/* The pad flushes again if that has begun since the event was let through, and
 * stop() may run now. */
static gboolean
follow_flush_stop (GstAggregator * agg, GstAggregatorPad * pad,
    GstEvent * event)
{
  gboolean ended, ok;

  if (GST_PAD_IS_FLUSHING (pad)) {
    gst_event_unref (event);
    return FALSE;
  }
  ended = gst_blockdct_compare_pad_begin (GST_BLOCKDCT_COMPARE_PAD (pad));
  ok = parent_class->sink_event (agg, pad, event);
  if (ended)
    end_flush (agg, pad);
  return ok;
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

    gst_event_parse_caps (event, &caps);
    ok = gst_blockdct_compare_set_caps (self, pad, caps);
    gst_event_unref (event);
    return ok;
  }
  if (gst_event_has_name (event, FLUSHED))
    return follow_mark (self, pad, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    return follow_flush_stop (agg, agg_pad, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    gst_blockdct_compare_pad_flush (pad);
  /* GstAggregator forwards the other serialized events, such as tags: only the
   * reference's may go downstream. And it clips a gap by the pad's segment,
   * which a flush may have removed. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_GAP
      ? gst_blockdct_compare_pad_get_segment (pad).format
      == GST_FORMAT_UNDEFINED : GST_EVENT_IS_SERIALIZED (event)
      && GST_EVENT_TYPE (event) > GST_EVENT_SEGMENT
      && GST_EVENT_TYPE (event) != GST_EVENT_EOS && pad != self->reference) {
    gst_event_unref (event);
    return TRUE;
  }
  return parent_class->sink_event (agg, agg_pad, event);
}

/* An event arrives. FLUSH_STOP may not, as GStreamer's main branch handles most
 * of them by itself: then the segment that follows it ends the flush. */
static GstFlowReturn
gst_blockdct_compare_sink_event_pre_queue (GstAggregator * agg,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT
      && gst_blockdct_compare_pad_begin (GST_BLOCKDCT_COMPARE_PAD (pad)))
    end_flush (agg, pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS
      && pad == GST_AGGREGATOR_PAD (self->reference)) {
    gst_event_parse_caps (event, &caps);
    gst_blockdct_compare_announce_caps (self, caps);
  }
  return parent_class->sink_event_pre_queue (agg, pad, event);
}

static gboolean
gst_blockdct_compare_src_event (GstAggregator * agg, GstEvent * event)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);

  if (GST_EVENT_TYPE (event) != GST_EVENT_NAVIGATION)
    return parent_class->src_event (agg, event);
  if (!gst_blockdct_navigation_event (&self->navigation, GST_ELEMENT (self),
          event))
    return gst_pad_push_event (GST_PAD (self->reference), event);
  gst_event_unref (event);
  return TRUE;
}

/* Queries */

static gboolean
gst_blockdct_compare_sink_query (GstAggregator * agg, GstAggregatorPad * pad,
    GstQuery * query)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);

  if (gst_blockdct_backend_query (&self->frames.backend, query))
    return TRUE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return parent_class->sink_query (agg, pad, query);
  gst_blockdct_compare_query_caps (self, GST_BLOCKDCT_COMPARE_PAD (pad), query);
  return TRUE;
}

/* Queries about the whole stream go to the reference. */
static gboolean
gst_blockdct_compare_src_query (GstAggregator * agg, GstQuery * query)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);

  if (gst_blockdct_backend_query (&self->frames.backend, query))
    return TRUE;
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_LATENCY:
      return query_latency (self, query);
    case GST_QUERY_SEEKING:
    case GST_QUERY_DURATION:
    case GST_QUERY_POSITION:
    case GST_QUERY_SEGMENT:
      return gst_pad_peer_query (GST_PAD (self->reference), query);
    default:
      return parent_class->src_query (agg, query);
  }
}

/* GstElement, GObject */

static void
gst_blockdct_compare_set_context (GstElement * element, GstContext * context)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (element);
  const GstBlockDctCommon start =
      gst_blockdct_compare_get_settings (self).common;

  gst_blockdct_backend_offer_context (&self->frames.backend, context, &start);
  GST_ELEMENT_CLASS (parent_class)->set_context (element, context);
}

/* A thread goes on that waits for the statistics' reader, or for an output
 * buffer while others keep all of them. */
static GstStateChangeReturn
gst_blockdct_compare_change_state (GstElement * element,
    GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    g_autoptr (GstBufferPool) pool =
        gst_aggregator_get_buffer_pool (GST_AGGREGATOR (element));

    if (pool != NULL && gst_buffer_pool_is_active (pool))
      gst_buffer_pool_set_flushing (pool, TRUE);
    gst_blockdct_stats_file_cancel (GST_BLOCKDCT_COMPARE (element)->stats_file);
  }
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

static void
gst_blockdct_compare_finalize (GObject * object)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (object);

  g_mutex_clear (&self->navigation.lock);
  gst_clear_caps (&self->reference_caps);
  gst_clear_object (&self->frames.backend.context);
  g_free (self->settings.common.stats_file);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
add_template (GstElementClass * klass, const gchar * name,
    GstPadDirection direction, GstPadPresence presence, GType type)
{
  g_autoptr (GstCaps) caps = gst_blockdct_format_caps ();

  gst_element_class_add_pad_template (klass, gst_pad_template_new_with_gtype
      (name, direction, presence, caps, type));
}

static void
gst_blockdct_compare_class_init (GstBlockDctCompareClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *agg_class = GST_AGGREGATOR_CLASS (klass);

  object_class->finalize = GST_DEBUG_FUNCPTR (gst_blockdct_compare_finalize);
  gst_blockdct_compare_install_properties (object_class);

  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_blockdct_compare_change_state);
  element_class->set_context =
      GST_DEBUG_FUNCPTR (gst_blockdct_compare_set_context);
  element_class->release_pad =
      GST_DEBUG_FUNCPTR (gst_blockdct_compare_release_pad);
  gst_element_class_set_static_metadata (element_class,
      "Block DCT compare", "Analyzer/Video",
      "Measure videos against a reference, and show two of them in one picture",
      "The gst-blockdct developers");
  add_template (element_class, "ref_sink", GST_PAD_SINK, GST_PAD_ALWAYS,
      GST_TYPE_BLOCKDCT_COMPARE_PAD);
  add_template (element_class, "dist_sink", GST_PAD_SINK, GST_PAD_ALWAYS,
      GST_TYPE_BLOCKDCT_COMPARE_PAD);
  add_template (element_class, "dist_sink_%u", GST_PAD_SINK, GST_PAD_REQUEST,
      GST_TYPE_BLOCKDCT_COMPARE_PAD);
  add_template (element_class, "src", GST_PAD_SRC, GST_PAD_ALWAYS,
      GST_TYPE_AGGREGATOR_PAD);

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

static GstBlockDctComparePad *
add_pad (GstBlockDctCompare * self, const gchar * name, gint number)
{
  GstPadTemplate *templ = gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (self), name);
  GstBlockDctComparePad *pad = gst_blockdct_compare_pad_new (name, templ,
      number);

  gst_element_add_pad (GST_ELEMENT (self), GST_PAD (pad));
  return pad;
}

static void
gst_blockdct_compare_init (GstBlockDctCompare * self)
{
  g_mutex_init (&self->navigation.lock);
  self->frames.backend.element = GST_ELEMENT (self);
  set_live (self, FALSE);
  self->reference = add_pad (self, "ref_sink", GST_BLOCKDCT_COMPARE_REFERENCE);
  add_pad (self, "dist_sink", 0);
}
