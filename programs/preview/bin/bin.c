/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bin.h"
#include "blocks.h"
#include "encoder.h"
#include "keys.h"

#include <gst/base/gstbasetransform.h>
#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/common/gstblockdctpinned.h"
#include "gst-plugin/common/gstblockdctstatistics.h"
#include "gst-plugin/common/gstblockdctparam.h"
#include "gst-plugin/common/gstblockdctpool.h"

/* The least number of input buffers that the bin holds: one in each of A, B,
 * their queues and compare, and the frozen one. */
#define MIN_BUFFERS 6

enum
{ PROP_0, PROP_FREEZE, PROP_B_ENCODER };

G_DEFINE_FINAL_TYPE_WITH_CODE (GstBlockDctPage, gst_blockdct_page,
    GST_TYPE_BIN, gst_blockdct_statistics_init ());
GST_ELEMENT_REGISTER_DEFINE (blockdctpage, "blockdctpage", GST_RANK_NONE,
    GST_TYPE_BLOCKDCT_PAGE);

/* B */

/* `left` or `right` has changed, in any thread. */
static void
on_side (GstBlockDctPage * self)
{
  gint left, right;

  g_object_get (self->compare, "left", &left, "right", &right, NULL);
  g_atomic_int_set (&self->shows_b, left == GST_BLOCKDCT_PAGE_B
      || right == GST_BLOCKDCT_PAGE_B);
}

/* While B is not shown, its frames bypass the transform; while an encoder makes
 * B's pictures, so do these. */
static GstPadProbeReturn
on_input_of_b (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBlockDctPage *self = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstFlowReturn ret;

  (void) pad;
  if (!g_atomic_int_get (&self->shows_b)) {
    gst_blockdct_page_encoder_pass (self, buffer);
    ret = gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (self->b),
        gst_blockdct_mark_copy (buffer, GST_BLOCKDCT_MARK_ABSENT));
  } else if (!gst_blockdct_page_encoder_handle (self, buffer, &ret)) {
    gst_blockdct_page_blocks_enter (self, TRUE, buffer);
    return GST_PAD_PROBE_OK;
  }
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = ret;
  gst_buffer_unref (buffer);
  return GST_PAD_PROBE_HANDLED;
}

/* Queries and FLUSH_STOP reach the pad also while it flushes, and the element
 * may stop then. */
static GstPadProbeReturn
on_event_of_b (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (GST_EVENT_TYPE (event) != GST_EVENT_FLUSH_STOP
      || !GST_PAD_IS_FLUSHING (pad))
    gst_blockdct_page_encoder_see (data, event);
  return GST_PAD_PROBE_OK;
}

/* On a drain query upstream needs its buffers back. */
static GstPadProbeReturn
on_query_of_b (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  if (GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) == GST_QUERY_DRAIN
      && !GST_PAD_IS_FLUSHING (pad))
    gst_blockdct_page_encoder_drain (data);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_answer_of_b (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  (void) pad;
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    gst_blockdct_page_encoder_add_latency (data, query);
  return GST_PAD_PROBE_OK;
}

/* Frames */

/* The allocator that A's engine prefers, owned by the caller; NULL: any. */
static GstAllocator *
find_allocator (GstBlockDctPage * self, GstCaps * caps)
{
  GstQuery *query = gst_query_new_allocation (caps, FALSE);
  GstAllocator *allocator = NULL;

  if (gst_pad_query (self->entrance_of_a, query)
      && gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  gst_query_unref (query);
  return allocator;
}

/* Answer upstream's allocation query, as a tee would offer nothing. This memory
 * is uploaded to the GPU once for all elements that read it. */
static GstPadProbeReturn
on_query (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstBlockDctBackend backend = { 0 };
  GstAllocator *allocator;
  GstCaps *caps;
  gboolean answered;

  (void) pad;
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_parse_allocation (query, &caps, NULL);
  allocator = caps != NULL ? find_allocator (data, caps) : NULL;
  if (allocator == NULL)
    return GST_PAD_PROBE_OK;
  backend.pinned_allocator = gst_blockdct_pinned_allocator_of_kind (allocator,
      GST_BLOCKDCT_PINNED_SHARED);
  answered = backend.pinned_allocator != NULL
      && gst_blockdct_pool_propose (&backend, NULL, query, MIN_BUFFERS);
  gst_clear_object (&backend.pinned_allocator);
  gst_object_unref (allocator);
  return answered ? GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_input_of_a (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  (void) pad;
  gst_blockdct_page_blocks_enter (data, FALSE,
      GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_output (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBlockDctPage *self = data;
  const gboolean of_b = pad == GST_BASE_TRANSFORM_SRC_PAD (self->b);

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

    if (!gst_blockdct_mark_is (buffer, GST_BLOCKDCT_MARK_ABSENT))
      gst_blockdct_page_blocks_leave (self, of_b, buffer);
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_FLUSH_STOP) {
    gst_blockdct_page_blocks_flush (self, of_b);
  }
  return GST_PAD_PROBE_OK;
}

/* Remove a repeated frame's time, so that it is shown at once. */
static GstPadProbeReturn
on_picture (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBlockDctPage *self = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  (void) pad;
  gst_blockdct_page_blocks_follow (self);
  if (!gst_blockdct_mark_is (buffer, GST_BLOCKDCT_MARK_REPEATED))
    return GST_PAD_PROBE_OK;
  buffer = gst_buffer_make_writable (buffer);
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  gst_blockdct_page_freeze_shown (self->freeze);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_upstream_event (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBlockDctPage *self = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  (void) pad;
  if (GST_EVENT_TYPE (event) != GST_EVENT_NAVIGATION
      || !gst_blockdct_param_get_int (self->compare, "interactive"))
    return GST_PAD_PROBE_OK;
  gst_blockdct_page_blocks_see (self, event);
  if (!gst_blockdct_page_keys_handle (self, event))
    return GST_PAD_PROBE_OK;
  gst_event_unref (event);
  return GST_PAD_PROBE_HANDLED;
}

static void
on_change (GstBlockDctPage * self)
{
  gst_blockdct_page_freeze_change (self->freeze);
}

/* GObject, GstElement */

static void
gst_blockdct_page_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstBlockDctPage *self = GST_BLOCKDCT_PAGE (object);

  switch (id) {
    case PROP_FREEZE:
      gst_blockdct_page_freeze_set (self->freeze, g_value_get_boolean (value));
      break;
    case PROP_B_ENCODER:
      gst_blockdct_page_encoder_set (self, g_value_get_string (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

static void
gst_blockdct_page_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstBlockDctPage *self = GST_BLOCKDCT_PAGE (object);

  switch (id) {
    case PROP_FREEZE:
      g_value_set_boolean (value, gst_blockdct_page_freeze_get (self->freeze));
      break;
    case PROP_B_ENCODER:
      g_value_take_string (value, gst_blockdct_page_encoder_get (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

static GstStateChangeReturn
gst_blockdct_page_change_state (GstElement * element, GstStateChange transition)
{
  GstBlockDctPage *self = GST_BLOCKDCT_PAGE (element);
  /* Also from READY, as a start may have failed halfway. */
  const gboolean stops = transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || transition == GST_STATE_CHANGE_READY_TO_NULL;
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    gst_blockdct_page_encoder_start (self);
  if (stops) {
    gst_blockdct_page_encoder_interrupt (self);
    gst_blockdct_page_freeze_stop (self->freeze);
  }
  ret = GST_ELEMENT_CLASS (gst_blockdct_page_parent_class)->change_state
      (element, transition);
  /* No frame comes from now on. */
  if (stops) {
    gst_blockdct_page_encoder_stop (self);
    gst_blockdct_page_blocks_forget (self);
  }
  return ret;
}

static void
gst_blockdct_page_finalize (GObject * object)
{
  GstBlockDctPage *self = GST_BLOCKDCT_PAGE (object);

  gst_blockdct_page_blocks_forget (self);
  g_mutex_clear (&self->blocks.lock);
  g_cond_clear (&self->blocks.read);
  gst_blockdct_page_encoder_clear (self);
  gst_object_unref (self->entrance_of_a);
  G_OBJECT_CLASS (gst_blockdct_page_parent_class)->finalize (object);
}

static void
gst_blockdct_page_class_init (GstBlockDctPageClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstCaps *caps = gst_blockdct_format_caps ();

  object_class->set_property =
      GST_DEBUG_FUNCPTR (gst_blockdct_page_set_property);
  object_class->get_property =
      GST_DEBUG_FUNCPTR (gst_blockdct_page_get_property);
  object_class->finalize = GST_DEBUG_FUNCPTR (gst_blockdct_page_finalize);
  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_blockdct_page_change_state);
  g_object_class_install_property (object_class, PROP_FREEZE,
      g_param_spec_boolean ("freeze", "Freeze",
          "Hold the input back, and show its last frame again whenever a "
          "property changes", FALSE, PLAYING));
  g_object_class_install_property (object_class, PROP_B_ENCODER,
      g_param_spec_string ("b-encoder", "B's encoder",
          "Encoder that makes B's pictures in place of blockdct b, written as "
          "for gst-launch-1.0, such as 'x264enc pass=quant quantizer=30'", NULL,
          PLAYING));
  gst_element_class_set_static_metadata (element_class, "Block DCT preview",
      "Filter/Analyzer/Video",
      "Show a video and two versions of it, by blockdct or an encoder, and "
      "change them live", "The gst-blockdct developers");
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
}

static GstPad *
add_ghost_pad (GstBlockDctPage * self, GstElement * element,
    const gchar * target, const gchar * name)
{
  GstPad *pad = gst_element_get_static_pad (element, target);
  GstPadTemplate *templ = gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (self), name);
  GstPad *ghost = gst_ghost_pad_new_from_template (name, pad, templ);

  gst_element_add_pad (GST_ELEMENT (self), ghost);
  gst_object_unref (pad);
  return ghost;
}

/* Add a blockdct behind the tee, after `queue` and with a thread of its own. */
static GstElement *
add_transform (GstBlockDctPage * self, GstElement * tee, GstElement * queue,
    const gchar * name, const gchar * pad)
{
  GstElement *transform = gst_element_factory_make ("blockdct", name);

  g_object_set (queue, "max-size-buffers", 1, "max-size-bytes", 0,
      "max-size-time", G_GUINT64_CONSTANT (0), NULL);
  gst_bin_add_many (GST_BIN (self), queue, transform, NULL);
  gst_element_link_many (tee, queue, transform, NULL);
  gst_element_link_pads (transform, "src", self->compare, pad);
  g_signal_connect_swapped (transform, "notify", G_CALLBACK (on_change), self);
  return transform;
}

static void
add_probe (GstElement * element, const gchar * name, GstPadProbeType type,
    GstPadProbeCallback callback, GstBlockDctPage * self)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, type, callback, self, NULL);
  gst_object_unref (pad);
}

static void
gst_blockdct_page_init (GstBlockDctPage * self)
{
  GstElement *freeze = gst_blockdct_page_freeze_new ();
  GstElement *tee = gst_element_factory_make ("tee", NULL);
  GstElement *to_a = gst_element_factory_make ("queue", NULL);
  GstElement *to_b = gst_element_factory_make ("queue", NULL);

  g_mutex_init (&self->blocks.lock);
  g_cond_init (&self->blocks.read);
  gst_blockdct_page_encoder_init (self);
  self->freeze = GST_BLOCKDCT_PAGE_FREEZE (freeze);
  self->compare = gst_element_factory_make ("blockdctcompare", "compare");
  gst_bin_add_many (GST_BIN (self), freeze, tee, self->compare, NULL);
  gst_element_link (freeze, tee);
  gst_element_link_pads (tee, NULL, self->compare, "ref_sink");
  self->a = add_transform (self, tee, to_a, "a", "dist_sink");
  self->b = add_transform (self, tee, to_b, "b", "dist_sink_1");
  self->entrance_of_a = gst_element_get_static_pad (to_a, "sink");
  gst_blockdct_format_explain (add_ghost_pad (self, freeze, "sink", "sink"));
  add_ghost_pad (self, self->compare, "src", "src");
  add_probe (freeze, "sink", GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_PUSH, on_query, self);
  add_probe (self->a, "sink", GST_PAD_PROBE_TYPE_BUFFER, on_input_of_a, self);
  add_probe (self->b, "sink", GST_PAD_PROBE_TYPE_BUFFER, on_input_of_b, self);
  add_probe (self->a, "src", GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_output, self);
  add_probe (self->b, "src", GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_output, self);
  add_probe (self->b, "sink", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_event_of_b, self);
  add_probe (self->b, "sink", GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_PUSH, on_query_of_b, self);
  add_probe (self->b, "src", GST_PAD_PROBE_TYPE_QUERY_UPSTREAM
      | GST_PAD_PROBE_TYPE_PULL, on_answer_of_b, self);
  add_probe (self->compare, "src", GST_PAD_PROBE_TYPE_BUFFER, on_picture, self);
  add_probe (GST_ELEMENT (self), "src", GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      on_upstream_event, self);
  g_signal_connect_swapped (self->compare, "notify::left",
      G_CALLBACK (on_side), self);
  g_signal_connect_swapped (self->compare, "notify::right",
      G_CALLBACK (on_side), self);
  g_signal_connect_swapped (self->compare, "notify", G_CALLBACK (on_change),
      self);
}
