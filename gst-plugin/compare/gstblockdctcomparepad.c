/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctcompare.h"
#include "gstblockdctcomparepad.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/common/gstblockdctpool.h"

#define GST_CAT_DEFAULT gst_blockdct_compare_debug

/* How far an input may run ahead where its frames are few a second. */
#define MAX_TIME (4 * GST_SECOND)

/* How long a pad has to be full while another is empty, until a warning is
 * posted. */
#define PATIENCE (2 * G_TIME_SPAN_SECOND)

/* The number of frames of a limited pool that may wait uncopied: MAX_HELD, or a
 * HELD_PART-th of the pool if that is more. */
#define MAX_HELD 2
#define HELD_PART 4

G_DEFINE_FINAL_TYPE (GstBlockDctComparePad, gst_blockdct_compare_pad,
    GST_TYPE_AGGREGATOR_PAD);

const gchar *const gst_blockdct_compare_pad_names[BDCT_MAX_DISTORTED] = {
  "dist_sink", "dist_sink_1", "dist_sink_2"
};

void
gst_blockdct_compare_get_pads (GstElement * compare,
    GstBlockDctComparePad * pads[1 + BDCT_MAX_DISTORTED])
{
  for (guint i = 0; i <= BDCT_MAX_DISTORTED; i++)
    pads[i] = NULL;
  GST_OBJECT_LOCK (compare);
  for (GList * l = compare->sinkpads; l != NULL; l = l->next) {
    GstBlockDctComparePad *pad = l->data;

    pads[1 + pad->number] = gst_object_ref (pad);
  }
  GST_OBJECT_UNLOCK (compare);
}

void
gst_blockdct_compare_put_pads (GstBlockDctComparePad *
    pads[1 + BDCT_MAX_DISTORTED])
{
  for (guint i = 0; i <= BDCT_MAX_DISTORTED; i++)
    g_clear_object (&pads[i]);
}

gboolean
gst_blockdct_compare_is_gap (GstBuffer * buffer)
{
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
      && gst_buffer_get_size (buffer) == 0;
}

/* FFmpeg's AV_NOPTS_VALUE is the least signed number; avenc_mpeg4 of 1.22
 * passes it on as a time, and a parser continues from there. */
static gboolean
has_time (const GstSegment * segment, GstBuffer * buffer)
{
  return segment->format == GST_FORMAT_TIME
      && GST_BUFFER_PTS (buffer) <= G_MAXINT64;
}

GstClockTime
gst_blockdct_compare_find_running_time (const GstSegment * segment,
    GstBuffer * buffer)
{
  return has_time (segment, buffer) ? gst_segment_to_running_time (segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer)) : GST_CLOCK_TIME_NONE;
}

GstSegment
gst_blockdct_compare_pad_get_segment (GstBlockDctComparePad * self)
{
  GstSegment segment;

  GST_OBJECT_LOCK (self);
  segment = GST_AGGREGATOR_PAD (self)->segment;
  GST_OBJECT_UNLOCK (self);
  return segment;
}

GstClockTime
gst_blockdct_compare_pad_get_running_time (GstBlockDctComparePad * self,
    GstBuffer * buffer)
{
  const GstSegment segment = gst_blockdct_compare_pad_get_segment (self);

  return gst_blockdct_compare_find_running_time (&segment, buffer);
}

void
gst_blockdct_compare_pad_set_caps (GstBlockDctComparePad * self,
    GstCaps * caps, const GstVideoInfo * info, GstVideoConverter * converter)
{
  g_clear_pointer (&self->converter, gst_video_converter_free);
  self->converter = converter;
  gst_caps_replace (&self->caps, caps);
  if (caps == NULL)
    return;
  self->info = *info;
  gst_blockdct_format_layout (info, BDCT_CHROMA_444, &self->layout);
}

/* The queue */

/* 0: the default limit. */
static void
set_limit (GstBlockDctComparePad * self, guint max_frames)
{
  self->max_frames = max_frames > 0 ? max_frames
      : GST_BLOCKDCT_COMPARE_MAX_FRAMES;
  self->max_time = max_frames > 0 ? 0 : MAX_TIME;
}

void
gst_blockdct_compare_pad_open (GstBlockDctComparePad * self)
{
  g_mutex_lock (&self->lock);
  self->open = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

void
gst_blockdct_compare_pad_flush (GstBlockDctComparePad * self)
{
  g_mutex_lock (&self->lock);
  self->flushed = self->open = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

gboolean
gst_blockdct_compare_pad_begin (GstBlockDctComparePad * self)
{
  gboolean flushed;

  g_mutex_lock (&self->lock);
  flushed = self->flushed;
  if (flushed) {
    gst_queue_array_clear (self->queue);
    self->flushed = self->open = self->begun = self->warned = FALSE;
    self->beyond = 0;
  }
  g_mutex_unlock (&self->lock);
  return flushed;
}

void
gst_blockdct_compare_set_lockstep (GstElement * compare, guint max_frames)
{
  GstBlockDctComparePad *pads[1 + BDCT_MAX_DISTORTED];

  gst_blockdct_compare_get_pads (compare, pads);
  for (guint i = 0; i <= BDCT_MAX_DISTORTED; i++)
    if (pads[i] != NULL) {
      g_mutex_lock (&pads[i]->lock);
      set_limit (pads[i], max_frames);
      g_cond_broadcast (&pads[i]->cond);
      g_mutex_unlock (&pads[i]->lock);
    }
  gst_blockdct_compare_put_pads (pads);
}

guint
gst_blockdct_compare_pad_count (GstBlockDctComparePad * self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = gst_queue_array_get_length (self->queue);
  g_mutex_unlock (&self->lock);
  return n;
}

/* Whether there is no room for the next frame. Of frames without times the
 * number counts alone. Called with the lock. */
static gboolean
is_full (GstBlockDctComparePad * self)
{
  const GstClockTime next = self->next;
  const GstClockTime *oldest;

  if (gst_queue_array_get_length (self->queue) < self->max_frames)
    return FALSE;
  oldest = gst_queue_array_peek_head_struct (self->queue);
  return !GST_CLOCK_TIME_IS_VALID (next) || !GST_CLOCK_TIME_IS_VALID (*oldest)
      || next < *oldest || next - *oldest >= self->max_time;
}

GstBuffer *
gst_blockdct_compare_pad_clip (GstAggregator * agg, GstAggregatorPad * pad,
    GstBuffer * buffer)
{
  GstBlockDctComparePad *self = GST_BLOCKDCT_COMPARE_PAD (pad);

  /* Gaps have not entered. */
  if (gst_blockdct_compare_is_gap (buffer))
    return buffer;
  g_mutex_lock (&self->lock);
  gst_queue_array_pop_head_struct (self->queue);
  if (self->waits && !is_full (self)) {
    self->waits = FALSE;
    g_cond_broadcast (&self->cond);
  }
  g_mutex_unlock (&self->lock);
  return buffer;
}

/* Warn if another pad is empty. */
static void
warn_full (GstBlockDctComparePad * self, GstElement * element)
{
  GstBlockDctComparePad *pads[1 + BDCT_MAX_DISTORTED], *empty = NULL;

  gst_blockdct_compare_get_pads (element, pads);
  for (guint i = 0; i <= BDCT_MAX_DISTORTED && empty == NULL; i++)
    if (pads[i] != NULL && gst_blockdct_compare_pad_count (pads[i]) == 0
        && !GST_PAD_IS_EOS (pads[i]))
      empty = pads[i];
  self->warned = empty != NULL;
  if (empty != NULL && !gst_pad_is_linked (GST_PAD (empty)))
    GST_ELEMENT_WARNING (element, STREAM, FAILED,
        ("%s has %u frames waiting, and %s is not linked.",
            GST_PAD_NAME (self), gst_blockdct_compare_pad_count (self),
            GST_PAD_NAME (empty)), ("Link %s to a video.",
            GST_PAD_NAME (empty)));
  else if (empty != NULL)
    GST_ELEMENT_WARNING (element, STREAM, FAILED,
        ("%s has %u frames waiting, and %s has none.", GST_PAD_NAME (self),
            gst_blockdct_compare_pad_count (self), GST_PAD_NAME (empty)),
        ("The branch to %s is slow, or holds back more frames than this "
            "element stores. Put 'queue max-size-buffers=0 max-size-bytes=0 "
            "max-size-time=0' in front of both pads, or lower the encoder's "
            "lookahead (x264enc rc-lookahead, or tune=zerolatency).",
            GST_PAD_NAME (empty)));
  gst_blockdct_compare_put_pads (pads);
}

/* Wait until there is room for a frame, and count it. Returns the number of
 * frames, with this one. */
static guint
enter (GstBlockDctComparePad * self, GstElement * element, GstClockTime time)
{
  guint n;

  g_mutex_lock (&self->lock);
  self->next = time;
  self->beyond = is_full (self) ? self->beyond + 1 : 0;
  /* A thread that waits goes on when the pad is no longer full, and then a
   * quarter further, so that it does not wake for each frame. */
  self->waits = self->beyond > self->max_frames / 4;
  if (self->waits) {
    GST_LOG_OBJECT (self, "full: waits");
    self->beyond = 0;
  }
  while (self->waits && !self->open && is_full (self)) {
    const gint64 end = g_get_monotonic_time () + PATIENCE;
    const guint before = gst_queue_array_get_length (self->queue);

    if (g_cond_wait_until (&self->cond, &self->lock, end) || self->warned
        || gst_queue_array_get_length (self->queue) < before)
      continue;
    g_mutex_unlock (&self->lock);
    warn_full (self, element);
    g_mutex_lock (&self->lock);
  }
  self->waits = FALSE;
  gst_queue_array_push_tail_struct (self->queue, &time);
  n = gst_queue_array_get_length (self->queue);
  g_mutex_unlock (&self->lock);
  return n;
}

/* GstAggregator has refused the frame that entered last: it is not there, and
 * a tee sends others that no frame would make room for. */
static void
leave (GstBlockDctComparePad * self)
{
  g_mutex_lock (&self->lock);
  gst_queue_array_pop_tail_struct (self->queue);
  g_mutex_unlock (&self->lock);
}

/* Whether upstream's pool may run empty if this buffer is kept. The limit is
 * that of the pool that was asked last: to look it up copies a structure. No
 * other pool can have its address while frames of it wait. */
static gboolean
holds_too_many (GstBlockDctComparePad * self, guint queued, GstBuffer * buffer)
{
  if (queued <= MAX_HELD) {
    self->pool = NULL;
    return FALSE;
  }
  if (buffer->pool == NULL || buffer->pool != self->pool)
    self->limit = gst_blockdct_pool_get_limit (buffer);
  self->pool = buffer->pool;
  return self->limit > 0 && queued > MAX (self->limit / HELD_PART, MAX_HELD);
}

/* Frames outside of the segment are neither shown nor compared. */
static gboolean
is_outside (const GstSegment * segment, GstBuffer * buffer)
{
  const GstClockTime start = GST_BUFFER_PTS (buffer);

  return has_time (segment, buffer) && (start < segment->start
      || !gst_segment_clip (segment, GST_FORMAT_TIME, start,
          GST_BUFFER_DURATION_IS_VALID (buffer) ? start
          + GST_BUFFER_DURATION (buffer) : GST_CLOCK_TIME_NONE, NULL, NULL));
}

/* Before GstAggregator's own: its clip() is called when frames leave the queue,
 * in its own thread, which is too late. */
static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstBlockDctComparePad *self = GST_BLOCKDCT_COMPARE_PAD (pad);
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstClockTime time = GST_CLOCK_TIME_NONE;
  gboolean outside = FALSE;
  const GstSegment *segment;
  GstFlowReturn ret;

  if (event != NULL) {
    gst_event_parse_segment (event, &segment);
    outside = is_outside (segment, buffer);
    time = gst_blockdct_compare_find_running_time (segment, buffer);
  }
  if (outside) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  if (gst_blockdct_compare_is_gap (buffer))
    return self->parent_chain (pad, parent, buffer);
  if (!self->begun)
    gst_blockdct_compare_follow_latency (GST_ELEMENT (parent));
  self->begun = TRUE;
  if (holds_too_many (self, enter (self, GST_ELEMENT (parent), time), buffer)) {
    GstBuffer *copy = gst_buffer_copy_deep (buffer);

    GST_LOG_OBJECT (self, "copied: its pool has %u buffers", self->limit);
    gst_buffer_unref (buffer);
    if (copy == NULL) {
      GST_ELEMENT_ERROR (parent, RESOURCE, NO_SPACE_LEFT,
          ("A frame of %s cannot be copied.", GST_PAD_NAME (pad)),
          ("The memory may be full: close other programs that use it."));
      return GST_FLOW_ERROR;
    }
    buffer = copy;
  }
  ret = self->parent_chain (pad, parent, buffer);
  if (ret != GST_FLOW_OK)
    leave (self);
  return ret;
}

static gboolean
activate (GstPad * pad, GstObject * parent, GstPadMode mode, gboolean active)
{
  GstBlockDctComparePad *self = GST_BLOCKDCT_COMPARE_PAD (pad);

  if (active)
    gst_blockdct_compare_pad_begin (self);
  else
    gst_blockdct_compare_pad_flush (self);
  return self->parent_activate (pad, parent, mode, active);
}

GstBlockDctComparePad *
gst_blockdct_compare_pad_new (const gchar * name, GstPadTemplate * templ,
    gint number)
{
  GstBlockDctComparePad *self = g_object_new (GST_TYPE_BLOCKDCT_COMPARE_PAD,
      "name", name, "direction", GST_PAD_SINK, "template", templ, NULL);

  self->number = number;
  return self;
}

static void
gst_blockdct_compare_pad_constructed (GObject * object)
{
  GstPad *pad = GST_PAD (object);
  GstBlockDctComparePad *self = GST_BLOCKDCT_COMPARE_PAD (object);

  G_OBJECT_CLASS (gst_blockdct_compare_pad_parent_class)->constructed (object);
  self->parent_chain = GST_PAD_CHAINFUNC (pad);
  self->parent_activate = GST_PAD_ACTIVATEMODEFUNC (pad);
  gst_pad_set_chain_function (pad, GST_DEBUG_FUNCPTR (chain));
  gst_pad_set_activatemode_function (pad, GST_DEBUG_FUNCPTR (activate));
  /* Caps that do not fit the reference's are accepted, and an error then names
   * both. */
  GST_PAD_SET_ACCEPT_TEMPLATE (pad);
  gst_blockdct_format_explain (pad);
}

static void
gst_blockdct_compare_pad_finalize (GObject * object)
{
  GstBlockDctComparePad *self = GST_BLOCKDCT_COMPARE_PAD (object);

  gst_blockdct_compare_pad_set_caps (self, NULL, NULL, NULL);
  gst_queue_array_free (self->queue);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  G_OBJECT_CLASS (gst_blockdct_compare_pad_parent_class)->finalize (object);
}

static void
gst_blockdct_compare_pad_class_init (GstBlockDctComparePadClass * klass)
{
  G_OBJECT_CLASS (klass)->constructed = gst_blockdct_compare_pad_constructed;
  G_OBJECT_CLASS (klass)->finalize = gst_blockdct_compare_pad_finalize;
}

static void
gst_blockdct_compare_pad_init (GstBlockDctComparePad * self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->queue = gst_queue_array_new_for_struct (sizeof (GstClockTime),
      GST_BLOCKDCT_COMPARE_MAX_FRAMES);
  set_limit (self, 0);
  self->last_time = GST_CLOCK_TIME_NONE;
  gst_video_info_init (&self->info);
}
