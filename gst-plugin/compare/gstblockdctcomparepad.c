/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctcomparepad.h"
#include "gst-plugin/common/gstblockdctdebug.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/common/gstblockdctpool.h"
#include "gstblockdctcompareupstream.h"

#define GST_CAT_DEFAULT gst_blockdct_compare_debug

/* More than any input can run ahead, so that the gate decides, not
 * GstAggregator. */
#define UNLIMITED (G_GUINT64_CONSTANT (1) << 60)

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

void
gst_blockdct_compare_gate_init (GstBlockDctCompareGate * gate)
{
  g_mutex_init (&gate->lock);
  g_cond_init (&gate->cond);
  gate->max_frames = GST_BLOCKDCT_COMPARE_MAX_FRAMES;
  gate->max_time = GST_BLOCKDCT_COMPARE_MAX_TIME;
}

void
gst_blockdct_compare_gate_clear (GstBlockDctCompareGate * gate)
{
  g_mutex_clear (&gate->lock);
  g_cond_clear (&gate->cond);
}

void
gst_blockdct_compare_gate_set_open (GstBlockDctCompareGate * gate,
    gboolean open)
{
  g_mutex_lock (&gate->lock);
  gate->open = open;
  g_cond_broadcast (&gate->cond);
  g_mutex_unlock (&gate->lock);
}

gboolean
gst_blockdct_compare_is_gap (GstBuffer * buffer)
{
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
      && gst_buffer_get_size (buffer) == 0;
}

/* FFmpeg's AV_NOPTS_VALUE is the least signed number; avenc_mpeg4 of 1.22
 * passes it on as a time, and a parser continues from there. */
static GstClockTime
find_running_time (const GstSegment * segment, GstBuffer * buffer)
{
  return segment->format == GST_FORMAT_TIME
      && GST_BUFFER_PTS (buffer) <= G_MAXINT64
      ? gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer)) : GST_CLOCK_TIME_NONE;
}

/* A buffer's running time in the pad's current segment. */
static GstClockTime
get_running_time (GstPad * pad, GstBuffer * buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstClockTime time = GST_CLOCK_TIME_NONE;
  const GstSegment *segment;

  if (event == NULL)
    return time;
  gst_event_parse_segment (event, &segment);
  time = find_running_time (segment, buffer);
  gst_event_unref (event);
  return time;
}

/* Whether there is no room for the frame of `next`. A frame of unknown time
 * counts as late. Called with the gate's lock. */
static gboolean
is_full (const GstBlockDctComparePad * self,
    const GstBlockDctCompareGate * gate)
{
  return self->queued >= gate->max_frames
      && (!GST_CLOCK_TIME_IS_VALID (self->next)
      || !GST_CLOCK_TIME_IS_VALID (self->oldest) || self->next < self->oldest
      || self->next - self->oldest >= gate->max_time);
}

/* A pad that is empty, with a reference; NULL: there is none. */
static GstPad *
find_empty (GstElement * element, GstBlockDctCompareGate * gate)
{
  GstPad *pad = NULL;

  GST_OBJECT_LOCK (element);
  g_mutex_lock (&gate->lock);
  for (GList * l = element->sinkpads; l != NULL; l = l->next)
    if (pad == NULL && GST_BLOCKDCT_COMPARE_PAD (l->data)->queued == 0
        && !GST_PAD_IS_EOS (l->data))
      pad = gst_object_ref (l->data);
  g_mutex_unlock (&gate->lock);
  GST_OBJECT_UNLOCK (element);
  return pad;
}

/* Warn that a pad has been full for long, with `queued` frames. If the thread
 * that waits here also feeds the empty pad, it would wait for ever: post an
 * error and return FALSE. */
static gboolean
report_full (GstElement * element, GstBlockDctComparePad * pad, guint queued)
{
  static const gchar cure[] = "Put 'queue max-size-buffers=0 max-size-bytes=0 "
      "max-size-time=0' in front of both pads, or lower the encoder's "
      "lookahead (x264enc rc-lookahead, or tune=zerolatency).";
  GstPad *empty = find_empty (element, pad->gate);
  gboolean stuck;

  if (empty == NULL)
    return TRUE;
  stuck = gst_blockdct_compare_share_thread (GST_PAD (pad), empty);
  if (stuck)
    GST_ELEMENT_ERROR (element, STREAM, FAILED,
        ("%s has %u frames waiting, %s has none, and one thread feeds both.",
            GST_PAD_NAME (pad), queued, GST_PAD_NAME (empty)),
        ("%s", cure));
  else
    GST_ELEMENT_WARNING (element, STREAM, FAILED,
        ("%s has %u frames waiting, and %s has none.", GST_PAD_NAME (pad),
            queued, GST_PAD_NAME (empty)),
        ("The branch to %s is slow, or holds back more frames than this "
            "element stores. %s",
            GST_PAD_NAME (empty), cure));
  gst_object_unref (empty);
  return !stuck;
}

/* GstAggregator's own limit is its latency, which a live pipeline adds to each
 * frame's time: there it is left unchanged, and GstAggregator synchronizes with
 * the clock. */
static gboolean
is_live (GstElement * element, GstBlockDctCompareGate * gate)
{
  const gboolean live = GST_CLOCK_TIME_IS_VALID (gst_aggregator_get_latency
      (GST_AGGREGATOR (element)));
  gboolean changes;

  g_mutex_lock (&gate->lock);
  changes = gate->buffering == live;
  gate->buffering = !live;
  g_mutex_unlock (&gate->lock);
  if (changes)
    g_object_set (element, "latency", live ? G_GUINT64_CONSTANT (0) : UNLIMITED,
        NULL);
  return live;
}

/* Wait until there is room. Returns the number of frames that are then queued
 * at the pad; 0: there will never be room. */
static guint
enter (GstElement * element, GstBlockDctComparePad * pad, GstClockTime time)
{
  GstBlockDctCompareGate *gate = pad->gate;
  gboolean ok = TRUE;
  guint n;

  g_mutex_lock (&gate->lock);
  pad->next = time;
  pad->beyond = is_full (pad, gate) ? pad->beyond + 1 : 0;
  /* A thread that waits continues only when the pad is no longer full, so that
   * it does not wake for each frame. */
  pad->waits = pad->beyond > gate->max_frames / 4;
  while (ok && !gate->open && !pad->flushing && pad->waits
      && is_full (pad, gate)) {
    const gint64 end = g_get_monotonic_time () + GST_BLOCKDCT_COMPARE_PATIENCE;
    const guint queued = pad->queued;

    if (g_cond_wait_until (&gate->cond, &gate->lock, end) || pad->warned
        || pad->queued < queued)
      continue;
    pad->warned = TRUE;
    g_mutex_unlock (&gate->lock);
    ok = report_full (element, pad, queued);
    g_mutex_lock (&gate->lock);
  }
  if (pad->waits)
    pad->beyond = 0;
  pad->waits = FALSE;
  if (pad->queued == 0 && !GST_CLOCK_TIME_IS_VALID (pad->oldest))
    pad->oldest = time;
  n = ++pad->queued;
  g_mutex_unlock (&gate->lock);
  return ok ? n : 0;
}

/* Whether upstream's pool may run empty if this buffer is kept. */
static gboolean
holds_too_many (guint queued, GstBuffer * buffer)
{
  const guint limit = queued > MAX_HELD
      ? gst_blockdct_pool_get_limit (buffer) : 0;

  return limit > 0 && queued > MAX (limit / HELD_PART, MAX_HELD);
}

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstElement *element = GST_ELEMENT_CAST (parent);
  GstBlockDctComparePad *own = GST_BLOCKDCT_COMPARE_PAD (pad);

  if (gst_blockdct_compare_is_gap (buffer))
    return own->parent_chain (pad, parent, buffer);
  if (!is_live (element, own->gate)) {
    const guint queued = enter (element, own, get_running_time (pad, buffer));

    if (queued == 0) {
      gst_buffer_unref (buffer);
      return GST_FLOW_ERROR;
    }
    if (holds_too_many (queued, buffer)) {
      GstBuffer *copy = gst_buffer_copy_deep (buffer);

      gst_buffer_unref (buffer);
      if (copy == NULL) {
        GST_ELEMENT_ERROR (element, RESOURCE, NO_SPACE_LEFT,
            ("A frame of %s cannot be copied.", GST_PAD_NAME (pad)),
            ("The memory may be full: close other programs that use it."));
        return GST_FLOW_ERROR;
      }
      buffer = copy;
    }
  } else {
    g_mutex_lock (&own->gate->lock);
    own->queued++;
    g_mutex_unlock (&own->gate->lock);
  }
  return own->parent_chain (pad, parent, buffer);
}

void
gst_blockdct_compare_pad_set_flushing (GstBlockDctComparePad * self,
    gboolean flushing)
{
  GstBlockDctCompareGate *gate = self->gate;
  GstCaps *caps = flushing ? NULL : gst_pad_get_current_caps (GST_PAD (self));

  g_mutex_lock (&gate->lock);
  self->flushing = flushing;
  if (!flushing) {
    gst_caps_replace (&self->sticky_caps, caps);
    g_atomic_int_inc (&self->flushes);
    self->queued = 0;
    self->oldest = GST_CLOCK_TIME_NONE;
    self->warned = FALSE;
  }
  g_cond_broadcast (&gate->cond);
  g_mutex_unlock (&gate->lock);
  gst_clear_caps (&caps);
}

GstCaps *
gst_blockdct_compare_pad_take_sticky_caps (GstBlockDctComparePad * self)
{
  GstCaps *caps;

  g_mutex_lock (&self->gate->lock);
  caps = g_steal_pointer (&self->sticky_caps);
  g_mutex_unlock (&self->gate->lock);
  return caps;
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

  return find_running_time (&segment, buffer);
}

void
gst_blockdct_compare_pad_leave (GstBlockDctComparePad * self,
    GstBuffer * buffer)
{
  GstBlockDctCompareGate *gate = self->gate;
  GstClockTime time;

  /* Gaps have not entered. */
  if (gst_blockdct_compare_is_gap (buffer))
    return;
  time = gst_blockdct_compare_pad_get_running_time (self, buffer);
  g_mutex_lock (&gate->lock);
  if (self->queued > 0)
    self->queued--;
  self->oldest = time;
  if (self->waits && !is_full (self, gate))
    g_cond_broadcast (&gate->cond);
  g_mutex_unlock (&gate->lock);
}

GstBlockDctComparePad *
gst_blockdct_compare_pad_new (const gchar * name, GstPadTemplate * templ,
    gint number, GstBlockDctCompareGate * gate)
{
  GstBlockDctComparePad *self = g_object_new (GST_TYPE_BLOCKDCT_COMPARE_PAD,
      "name", name, "direction", GST_PAD_SINK, "template", templ, NULL);

  self->number = number;
  self->gate = gate;
  return self;
}

static void
gst_blockdct_compare_pad_constructed (GObject * object)
{
  GstPad *pad = GST_PAD (object);

  G_OBJECT_CLASS (gst_blockdct_compare_pad_parent_class)->constructed (object);
  GST_BLOCKDCT_COMPARE_PAD (pad)->parent_chain = GST_PAD_CHAINFUNC (pad);
  gst_pad_set_chain_function (pad, GST_DEBUG_FUNCPTR (chain));
  gst_blockdct_format_explain (pad);
}

static void
gst_blockdct_compare_pad_finalize (GObject * object)
{
  GstBlockDctComparePad *self = GST_BLOCKDCT_COMPARE_PAD (object);

  gst_clear_caps (&self->caps);
  gst_clear_caps (&self->sticky_caps);
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
  self->oldest = self->last_time = GST_CLOCK_TIME_NONE;
  gst_video_info_init (&self->info);
}
