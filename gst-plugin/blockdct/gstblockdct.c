/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-blockdct
 * @title: blockdct
 * @short_description: transform and quantize video in blocks, as codecs do
 * @see_also: blockdctcompare, blockdctpreview
 *
 * blockdct transforms video in blocks and quantizes it, as JPEG, H.264, HEVC
 * and VVC do, without prediction, and outputs what a decoder would show. Each
 * buffer gets a custom meta `blockdct` with its PSNR and, by the property
 * #GstBlockDct:metrics, bits and other figures. The same structure is posted as
 * an element message unless #GstBlockDct:post-messages is %FALSE, and written
 * to #GstBlockDct:stats-file.
 *
 * Properties may change while the element plays, also by a
 * #GstControlBinding: each frame uses the values of when it comes in.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -m videotestsrc num-buffers=3 ! blockdct quality=20 ! fakesink
 * ]|
 * Post the PSNR of JPEG at quality 20, frame by frame.
 * |[
 * gst-launch-1.0 videotestsrc ! blockdct transform=hevc-16x16 qp=37 ! \
 *     videoconvert ! autovideosink
 * ]|
 * Show what HEVC's 16x16 transform does at QP 37.
 * |[
 * gst-launch-1.0 filesrc location=video.mp4 ! decodebin ! videoconvert ! \
 *     blockdct target-psnr=40 metrics=bits+ssim stats-file=video.csv ! fakesink
 * ]|
 * Find the quality with which each frame has 40 dB, and write the figures.
 *
 * Since: 0.1
 */
#include "gstblockdctprivate.h"
#include "gstblockdct.h"
#include "gst-plugin/common/gstblockdctformat.h"

GST_DEBUG_CATEGORY (gst_blockdct_debug);
#define GST_CAT_DEFAULT gst_blockdct_debug

G_DEFINE_FINAL_TYPE_WITH_CODE (GstBlockDct, gst_blockdct,
    GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_blockdct_debug, "blockdct", 0,
        "Block DCT and PSNR");
    gst_blockdct_statistics_init ();
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, NULL));
GST_ELEMENT_REGISTER_DEFINE (blockdct, "blockdct", GST_RANK_NONE,
    GST_TYPE_BLOCKDCT);

/* GstBaseTransform */

/* The sink pad is active already: with its stream lock, nothing enters yet. */
static gboolean
gst_blockdct_start (GstBaseTransform * trans)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);
  GstPad *pad = GST_BASE_TRANSFORM_SINK_PAD (trans);
  gboolean ok;

  GST_PAD_STREAM_LOCK (pad);
  self->transform = (GstBlockDctTransformState) { 0 };
  self->warned = (GstBlockDctWarned) { 0 };
  gst_blockdct_properties_start (self);
  ok = gst_blockdct_finish_open (self) && gst_blockdct_inflight_open (self);
  if (!ok) {
    gst_blockdct_stats_file_close (&self->stats_file, GST_ELEMENT (self));
    GST_OBJECT_LOCK (self);
    self->shared.started = FALSE;
    GST_OBJECT_UNLOCK (self);
  }
  GST_PAD_STREAM_UNLOCK (pad);
  return ok;
}

/* A flushing pad stops neither a query nor a FLUSH_STOP event on its way: with
 * the lock that they take, too, they find the element running or stopped. */
static gboolean
gst_blockdct_stop (GstBaseTransform * trans)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);
  GstPad *pad = GST_BASE_TRANSFORM_SINK_PAD (trans);

  GST_PAD_STREAM_LOCK (pad);
  gst_blockdct_inflight_close (self);
  gst_blockdct_stats_file_close (&self->stats_file, GST_ELEMENT (self));
  gst_blockdct_backend_set_context (&self->shared.backend, NULL);
  gst_video_info_init (&self->info);
  GST_OBJECT_LOCK (self);
  self->shared.latency = 0;
  self->shared.shown.any = FALSE;
  self->shared.started = FALSE;
  GST_OBJECT_UNLOCK (self);
  GST_PAD_STREAM_UNLOCK (pad);
  return TRUE;
}

static GstCaps *
gst_blockdct_transform_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * filter)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);
  const GstBlockDctBackendClass *klass;
  g_autoptr (GstCaps) all = NULL;

  GST_OBJECT_LOCK (self);
  klass = self->shared.backend.klass;
  /* Until one is chosen, each is possible that may be. */
  if (klass == NULL)
    klass = gst_blockdct_backend_with_memory
        (self->shared.settings.common.backend);
  GST_OBJECT_UNLOCK (self);
  all = gst_blockdct_format_transform_caps (caps, klass);
  GST_DEBUG_OBJECT (self, "%s caps %" GST_PTR_FORMAT " become %" GST_PTR_FORMAT,
      direction == GST_PAD_SINK ? "sink" : "src", caps, all);
  return filter == NULL ? g_steal_pointer (&all)
      : gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
}

/* Prefer the memory of the given pad. */
static GstCaps *
gst_blockdct_fixate_caps (GstBaseTransform * trans, GstPadDirection direction,
    GstCaps * caps, GstCaps * othercaps)
{
  GstCaps *ret = gst_caps_intersect_full (othercaps, caps,
      GST_CAPS_INTERSECT_FIRST);

  if (gst_caps_is_empty (ret))
    gst_caps_replace (&ret, othercaps);
  gst_caps_unref (othercaps);
  return gst_caps_fixate (ret);
}

/* The oldest frame leaves when the frame arrives that fills the engine. */
static void
update_latency (GstBlockDct * self)
{
  const GstClockTime latency = GST_VIDEO_INFO_FPS_N (&self->info) <= 0 ? 0
      : gst_blockdct_times_of_frames (&self->info, self->inflight.depth - 1);
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = latency != self->shared.latency;
  self->shared.latency = latency;
  self->shared.shown.any = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
}

static gboolean
gst_blockdct_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);
  GstVideoInfo info;

  if (!gst_blockdct_format_info (&info, incaps)) {
    GST_WARNING_OBJECT (self, "cannot handle %" GST_PTR_FORMAT, incaps);
    return FALSE;
  }
  /* Downstream still has the old caps: push the frames that belong to them. */
  gst_blockdct_drain (self);
  self->info = info;
  /* A move to another context that failed, with an error, leaves no engine. */
  if (self->shared.backend.engine == NULL
      || !gst_blockdct_inflight_configure (self))
    return FALSE;
  update_latency (self);
  return TRUE;
}

static gboolean
gst_blockdct_get_unit_size (GstBaseTransform * trans, GstCaps * caps,
    gsize * size)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps))
    return FALSE;
  *size = GST_VIDEO_INFO_SIZE (&info);
  return TRUE;
}

static gboolean
gst_blockdct_query (GstBaseTransform * trans, GstPadDirection direction,
    GstQuery * query)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);
  gboolean ret, started;

  if (gst_blockdct_backend_query (&self->shared.backend, query))
    return TRUE;
  if (direction == GST_PAD_SINK && GST_QUERY_IS_SERIALIZED (query)) {
    GST_OBJECT_LOCK (self);
    started = self->shared.started;
    GST_OBJECT_UNLOCK (self);
    /* The base class answers with its allocation taken away, and would put it
     * back after the stop has freed it. */
    if (!started)
      return FALSE;
    gst_blockdct_drain (self);
  }
  ret = GST_BASE_TRANSFORM_CLASS (gst_blockdct_parent_class)->query (trans,
      direction, query);
  if (ret && GST_QUERY_TYPE (query) == GST_QUERY_LATENCY
      && direction == GST_PAD_SRC) {
    GstClockTime min, max, own;
    gboolean live;

    GST_OBJECT_LOCK (self);
    own = self->shared.latency;
    GST_OBJECT_UNLOCK (self);
    gst_query_parse_latency (query, &live, &min, &max);
    /* The minimum has to be a valid time, however large; the maximum need
     * not. */
    min = gst_blockdct_times_add (min, own);
    if (!GST_CLOCK_TIME_IS_VALID (min))
      min = GST_CLOCK_TIME_NONE - 1;
    gst_query_set_latency (query, live, min, gst_blockdct_times_add (max, own));
  }
  return ret;
}

static gboolean
gst_blockdct_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);
  g_autoptr (GstCaps) caps = NULL;
  gboolean ok;

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START) {
    gst_blockdct_allocation_flush (self, TRUE);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    gst_blockdct_inflight_discard (self);
    gst_clear_buffer (&trans->queued_buf);
    gst_blockdct_inflight_interrupt (self);
    gst_blockdct_statistics_flush (&self->shared.statistics);
    gst_blockdct_allocation_flush (self, FALSE);
  } else if (GST_EVENT_IS_SERIALIZED (event)) {
    /* Frames that came before an event leave before it. */
    gst_blockdct_drain (self);
    if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
      gst_blockdct_statistics_end (&self->shared.statistics, GST_ELEMENT (self),
          gst_blockdct_get_settings (self).common.post_messages);
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_caps_ref (caps);
  }
  ok = GST_BASE_TRANSFORM_CLASS (gst_blockdct_parent_class)->sink_event (trans,
      event);
  if (!ok && caps != NULL)
    gst_blockdct_explain_refusal (self, caps);
  return ok;
}

/* The picture keeps its geometry, so its metas stay valid, except those about
 * its memory and the figures of an earlier blockdct. */
static gboolean
gst_blockdct_transform_meta (GstBaseTransform * trans, GstBuffer * outbuf,
    GstMeta * meta, GstBuffer * inbuf)
{
  if (gst_meta_info_is_custom (meta->info)
      && gst_custom_meta_has_name ((GstCustomMeta *) meta, GST_BLOCKDCT_NAME))
    return FALSE;
  return !gst_meta_api_type_has_tag (meta->info->api,
      g_quark_from_static_string (GST_META_TAG_MEMORY_STR));
}

/* GstElement, GObject */

static void
gst_blockdct_set_context (GstElement * element, GstContext * context)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (element);
  const GstBlockDctCommon start = gst_blockdct_get_settings (self).common;

  gst_blockdct_backend_offer_context (&self->shared.backend, context, &start);
  GST_ELEMENT_CLASS (gst_blockdct_parent_class)->set_context (element, context);
}

static GstStateChangeReturn
gst_blockdct_change_state (GstElement * element, GstStateChange transition)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (element);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    gst_blockdct_allocation_flush (self, TRUE);
    gst_blockdct_stats_file_cancel (self->stats_file);
  }
  return GST_ELEMENT_CLASS (gst_blockdct_parent_class)->change_state (element,
      transition);
}

static void
gst_blockdct_finalize (GObject * object)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (object);

  gst_clear_object (&self->shared.backend.context);
  g_free (self->shared.settings.common.stats_file);
  if (self->shared.refused != NULL)
    g_string_free (self->shared.refused, TRUE);
  G_OBJECT_CLASS (gst_blockdct_parent_class)->finalize (object);
}

static void
gst_blockdct_class_init (GstBlockDctClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  g_autoptr (GstCaps) caps = gst_blockdct_format_caps ();

  object_class->finalize = GST_DEBUG_FUNCPTR (gst_blockdct_finalize);
  gst_blockdct_install_properties (object_class);

  element_class->set_context = GST_DEBUG_FUNCPTR (gst_blockdct_set_context);
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_blockdct_change_state);
  gst_element_class_set_static_metadata (element_class,
      "Block DCT and PSNR", "Filter/Analyzer/Video",
      "Transform and quantize video in blocks, output what a decoder would "
      "show, and report its PSNR and bits",
      "The gst-blockdct developers");
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));

  trans_class->passthrough_on_same_caps = FALSE;
  trans_class->start = GST_DEBUG_FUNCPTR (gst_blockdct_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_blockdct_stop);
  trans_class->transform_caps = GST_DEBUG_FUNCPTR (gst_blockdct_transform_caps);
  trans_class->fixate_caps = GST_DEBUG_FUNCPTR (gst_blockdct_fixate_caps);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_blockdct_set_caps);
  trans_class->get_unit_size = GST_DEBUG_FUNCPTR (gst_blockdct_get_unit_size);
  gst_blockdct_install_transform (trans_class);
  trans_class->query = GST_DEBUG_FUNCPTR (gst_blockdct_query);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_blockdct_sink_event);
  trans_class->transform_meta = GST_DEBUG_FUNCPTR (gst_blockdct_transform_meta);
}

static void
gst_blockdct_init (GstBlockDct * self)
{
  self->shared.backend.element = GST_ELEMENT (self);
  gst_video_info_init (&self->info);
  gst_blockdct_init_properties (self);
  gst_blockdct_format_explain (GST_BASE_TRANSFORM_SINK_PAD (self));
}
