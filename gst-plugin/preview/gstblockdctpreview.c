/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-blockdctpreview
 * @title: blockdctpreview
 * @short_description: a video, and two versions of it, A and B
 *
 * A and B are descriptions of bins, as gst-launch-1.0 takes them: a `blockdct`,
 * or an encoder and its decoder. Both can be exchanged at any time. A
 * #blockdctcompare measures them and shows two of the three pictures. The
 * children are set through #GstChildProxy: `a::quality`, `b::qp`,
 * `compare::view`; those of a longer description by the names that it gives, as
 * `b::enc::bitrate` with `x264enc name=enc ! avdec_h264`.
 *
 * With `compare::interactive=true` Up, Down and the wheel make A finer or
 * coarser, Left and Right change its transform, b keeps its settings as B, x
 * swaps them, and g shows the grid, where A and B are `blockdct` alone.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 playbin uri=file:///holiday.mp4 \
 *     video-filter='blockdctpreview a::quality=8 compare::interactive=true'
 * ]| Show a video to the left of a line that you drag, and A to its right.
 * |[
 * gst-launch-1.0 -m videotestsrc num-buffers=60 ! blockdctpreview \
 *     b="x264enc pass=quant quantizer=30 ! blockdctcoded ! avdec_h264" \
 *     compare::left=0 compare::right=1 ! videoconvert ! autovideosink
 * ]| Compare A with x264's pictures, and print the figures of both.
 *
 * Since: 0.2
 */
#include "gstblockdctpreview.h"

#include <gst/video/navigation.h>
#include "gst-plugin/blockdct/gstblockdct.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/common/gstblockdctparam.h"
#include "gst-plugin/common/gstblockdctpinned.h"
#include "gst-plugin/common/gstblockdctpool.h"
#include "gst-plugin/compare/gstblockdctnavigation.h"
#include "gstblockdctpreviewbranch.h"

#define get_int gst_blockdct_param_get_int

/* The least number of input buffers that the bin holds: one in each of A, B,
 * their queues and compare. */
#define MIN_BUFFERS 5

enum
{ PROP_0, PROP_A, PROP_B };

GST_DEBUG_CATEGORY (gst_blockdct_preview_debug);

G_DEFINE_FINAL_TYPE_WITH_CODE (GstBlockDctPreview, gst_blockdct_preview,
    GST_TYPE_BIN,
    GST_DEBUG_CATEGORY_INIT (gst_blockdct_preview_debug, "blockdctpreview", 0,
        "Original, A and B"));
GST_ELEMENT_REGISTER_DEFINE (blockdctpreview, "blockdctpreview", GST_RANK_NONE,
    GST_TYPE_BLOCKDCT_PREVIEW);

/* Memory */

/* Answer upstream's allocation query by what A's engine prefers, as a tee
 * offers no memory. This memory is uploaded to the GPU once for all elements
 * that read it. */
static gboolean
offer_memory (GstBlockDctPreview * self, GstQuery * query)
{
  g_autoptr (GstPad) of_a = gst_element_get_static_pad (self->a.queue, "sink");
  g_autoptr (GstAllocator) preferred = NULL, shared = NULL;
  g_autoptr (GstQuery) asked = NULL;
  GstBlockDctBackend backend = { 0 };
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  asked = gst_query_new_allocation (caps, FALSE);
  if (caps != NULL && gst_pad_query (of_a, asked)
      && gst_query_get_n_allocation_params (asked) > 0)
    gst_query_parse_nth_allocation_param (asked, 0, &preferred, NULL);
  if (preferred != NULL)
    shared = gst_blockdct_pinned_allocator_of_kind (preferred,
        GST_BLOCKDCT_PINNED_SHARED);
  backend.pinned_allocator = shared;
  return shared != NULL
      && gst_blockdct_pool_propose (&backend, query, MIN_BUFFERS);
}

static gboolean
sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  return (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION
      && offer_memory (GST_BLOCKDCT_PREVIEW (parent), query))
      || gst_pad_query_default (pad, parent, query);
}

/* Events from downstream */

/* Compare handles the other keys. Every change is one of properties, as an
 * application's would be. */

/* Change a property by `by`, within its range. */
static void
turn (GstElement * element, const gchar * property, gint by)
{
  GParamSpecInt *range = G_PARAM_SPEC_INT (g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), property));

  g_object_set (element, property, CLAMP (get_int (element, property) + by,
          range->minimum, range->maximum), NULL);
}

/* Make A finer by `by`. */
static void
turn_quality (GstElement * a, gint by)
{
  const gboolean has_qp =
      bdct_transform_info (get_int (a, "transform"))->has_qp;

  turn (a, has_qp ? "qp" : "quality", has_qp ? -by : by);
}

/* Make B what A is, and show both. */
static void
store_b (GstBlockDctPreview * self, GstElement * a)
{
  g_autofree gchar *line =
      g_strdup_printf ("blockdct transform=%d quality=%d qp=%d",
      get_int (a, "transform"), get_int (a, "quality"), get_int (a, "qp"));

  gst_blockdct_preview_branch_set (&self->b, line, TRUE);
  g_object_notify (G_OBJECT (self), "b");
}

static void
swap (GstElement * a, GstElement * b)
{
  static const gchar *const settings[] = { "transform", "quality", "qp" };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    const gint of_a = get_int (a, settings[i]);

    g_object_set (a, settings[i], get_int (b, settings[i]), NULL);
    g_object_set (b, settings[i], of_a, NULL);
  }
}

static gboolean
handle_key (GstBlockDctPreview * self, const gchar * key, GstElement * a,
    GstElement * b)
{
  const gboolean both = GST_IS_BLOCKDCT (b);

  if (g_str_equal (key, "Up") || g_str_equal (key, "Down")) {
    turn_quality (a, g_str_equal (key, "Up") ? 1 : -1);
  } else if (g_str_equal (key, "Right") || g_str_equal (key, "Left")) {
    g_object_set (a, "transform", (get_int (a, "transform")
            + (g_str_equal (key, "Right") ? 1 : BDCT_N_TRANSFORMS - 1))
        % BDCT_N_TRANSFORMS, NULL);
  } else if (g_str_equal (key, "b")) {
    store_b (self, a);
  } else if (g_str_equal (key, "x") && both) {
    swap (a, b);
  } else if (g_str_equal (key, "g")) {
    const gboolean grid = !get_int (a, "grid");

    g_object_set (a, "grid", grid, NULL);
    if (both)
      g_object_set (b, "grid", grid, NULL);
  } else {
    return FALSE;
  }
  return TRUE;
}

/* Whether a navigation event is for A or B. */
static gboolean
handle_keys (GstBlockDctPreview * self, GstEvent * event)
{
  g_autoptr (GstElement) a = gst_blockdct_preview_branch_get_version (&self->a);
  g_autoptr (GstElement) b = gst_blockdct_preview_branch_get_version (&self->b);
  const gint steps = gst_blockdct_navigation_get_steps (event);
  const gchar *key;

  /* Keys with modifiers are left to others, and the wheel to compare. */
  if (!GST_IS_BLOCKDCT (a) || gst_blockdct_navigation_has_modifier (event))
    return FALSE;
  if (gst_navigation_event_get_type (event) == GST_NAVIGATION_EVENT_KEY_PRESS)
    return gst_navigation_event_parse_key_event (event, &key) && key != NULL
        && handle_key (self, key, a, b);
  if (steps != 0)
    turn_quality (a, steps);
  return steps != 0;
}

/* A seek would fail where a version is not linked. One that does not flush
 * waits for frames that an exchange may hold back: it waits for an exchange to
 * end, and lets the next one begin. */
static gboolean
src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (parent);
  GstSeekFlags flags;
  gboolean ok;

  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION
      && get_int (self->compare, "interactive")
      && handle_keys (self, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return gst_pad_event_default (pad, parent, event);
  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  g_rec_mutex_lock (&self->relinks);
  if (!(flags & GST_SEEK_FLAG_FLUSH))
    g_rec_mutex_unlock (&self->relinks);
  ok = gst_pad_event_default (pad, parent, event);
  if (flags & GST_SEEK_FLAG_FLUSH)
    g_rec_mutex_unlock (&self->relinks);
  return ok;
}

/* GObject, GstElement */

static void
gst_blockdct_preview_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (object);

  gst_blockdct_preview_branch_set (id == PROP_A ? &self->a : &self->b,
      g_value_get_string (value), FALSE);
}

static void
gst_blockdct_preview_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (object);

  g_mutex_lock (&self->lock);
  g_value_set_string (value, id == PROP_A ? self->a.description
      : self->b.description);
  g_mutex_unlock (&self->lock);
}

/* Whether a description was refused before the start, which is now an error. */
static gboolean
post_refusal (GstBlockDctPreview * self,
    const GstBlockDctPreviewBranch * branch)
{
  GstMessage *message = NULL;

  g_mutex_lock (&self->lock);
  if (branch->refusal != NULL)
    message = gst_message_new_error (GST_OBJECT (self), branch->refusal, NULL);
  g_mutex_unlock (&self->lock);
  if (message != NULL)
    gst_element_post_message (GST_ELEMENT (self), message);
  return message != NULL;
}

static GstStateChangeReturn
gst_blockdct_preview_change_state (GstElement * element,
    GstStateChange transition)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY
      && (post_refusal (self, &self->a) || post_refusal (self, &self->b)))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_atomic_int_set (&self->flows, TRUE);
    gst_blockdct_preview_branch_follow_depth (self);
  }
  ret = GST_ELEMENT_CLASS (gst_blockdct_preview_parent_class)->change_state
      (element, transition);
  /* No frame comes from now on. */
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE)) {
    g_atomic_int_set (&self->flows, FALSE);
    gst_blockdct_preview_branch_stop (&self->a);
    gst_blockdct_preview_branch_stop (&self->b);
  }
  return ret;
}

static void
gst_blockdct_preview_finalize (GObject * object)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (object);

  gst_blockdct_preview_branch_clear (&self->a);
  gst_blockdct_preview_branch_clear (&self->b);
  gst_object_unref (self->entrance);
  g_mutex_clear (&self->lock);
  g_rec_mutex_clear (&self->relinks);
  G_OBJECT_CLASS (gst_blockdct_preview_parent_class)->finalize (object);
}

static void
gst_blockdct_preview_class_init (GstBlockDctPreviewClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  g_autoptr (GstCaps) caps = gst_blockdct_format_caps ();

  object_class->set_property =
      GST_DEBUG_FUNCPTR (gst_blockdct_preview_set_property);
  object_class->get_property =
      GST_DEBUG_FUNCPTR (gst_blockdct_preview_get_property);
  object_class->finalize = GST_DEBUG_FUNCPTR (gst_blockdct_preview_finalize);
  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_blockdct_preview_change_state);
  /**
   * GstBlockDctPreview:a:
   *
   * The bin that makes A's pictures.
   */
  g_object_class_install_property (object_class, PROP_A,
      g_param_spec_string ("a", "A", "What makes A's pictures, written as for "
          "gst-launch-1.0", "blockdct", PLAYING));
  /**
   * GstBlockDctPreview:b:
   *
   * The bin that makes B's pictures; empty: there is no B.
   */
  g_object_class_install_property (object_class, PROP_B,
      g_param_spec_string ("b", "B", "What makes B's pictures, such as "
          "'x264enc ! blockdctcoded ! avdec_h264'; empty: there is no B", "",
          PLAYING));
  gst_element_class_set_static_metadata (element_class, "Block DCT preview",
      "Filter/Analyzer/Video", "Show a video and two versions of it, by "
      "blockdct or an encoder, and change them live",
      "The gst-blockdct developers");
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
}

static GstPad *
add_ghost_pad (GstBlockDctPreview * self, GstElement * element,
    const gchar * name)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);
  GstPadTemplate *templ = gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (self), name);
  GstPad *ghost = gst_ghost_pad_new_from_template (name, pad, templ);

  gst_element_add_pad (GST_ELEMENT (self), ghost);
  return ghost;
}

static void
gst_blockdct_preview_init (GstBlockDctPreview * self)
{
  GstPad *sink, *src;

  g_mutex_init (&self->lock);
  g_rec_mutex_init (&self->relinks);
  self->a = (GstBlockDctPreviewBranch) {
  .preview = self,.name = "a",.side = "dist_sink"};
  self->b = (GstBlockDctPreviewBranch) {
  .preview = self,.name = "b",.side = "dist_sink_1"};
  self->b.description = g_strdup ("");
  self->tee = gst_element_factory_make ("tee", NULL);
  self->compare = gst_element_factory_make ("blockdctcompare", "compare");
  gst_bin_add_many (GST_BIN (self), self->tee, self->compare, NULL);
  gst_element_link_pads (self->tee, NULL, self->compare, "ref_sink");
  sink = add_ghost_pad (self, self->tee, "sink");
  self->entrance = GST_PAD (gst_proxy_pad_get_internal (GST_PROXY_PAD (sink)));
  gst_blockdct_preview_branch_set (&self->a, "blockdct", FALSE);
  src = add_ghost_pad (self, self->compare, "src");
  gst_blockdct_format_explain (sink);
  gst_pad_set_query_function (sink, GST_DEBUG_FUNCPTR (sink_query));
  gst_pad_set_event_function (src, GST_DEBUG_FUNCPTR (src_event));
}
