/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Upstream's thread pushes buffers through. The source pad's own thread pushes
 * repeated buffers, and sleeps otherwise. Only one of them pushes at a time. */
#include "freeze.h"
#include "gst-plugin/common/gstblockdctstatistics.h"

GST_DEBUG_CATEGORY_STATIC (gst_blockdct_page_debug);
#define GST_CAT_DEFAULT gst_blockdct_page_debug

#define REPEAT_INTERVAL G_TIME_SPAN_SECOND

struct _GstBlockDctPageFreeze
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  GMutex lock;                  /* protects all following members */
  GCond changed;                /* one of them has changed */
  gboolean frozen;
  gboolean flushing;            /* or not running */
  gboolean passes;              /* the next frame passes, even if frozen */
  gboolean live;                /* upstream is live, as of the first frame */
  gboolean pushing;             /* a thread is downstream */
  GstBuffer *last;              /* the buffer that left last; or NULL */
  gboolean stale;               /* it would look different now */
  gint64 due;                   /* when it leaves again in any case, in us */
  gboolean on_its_way;          /* a repeated buffer has not been shown yet */
  GstClockTime since;           /* running time at which it was frozen */
  GstClockTimeDiff offset;      /* of the running times of buffers that leave */
};

G_DEFINE_FINAL_TYPE_WITH_CODE (GstBlockDctPageFreeze,
    gst_blockdct_page_freeze, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_blockdct_page_debug, "blockdctpage", 0,
        "Original, A and B"));

static gboolean
is_live (GstBlockDctPageFreeze * self)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (self->sinkpad, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  gst_query_unref (query);
  return live;
}

/* Called with the lock. */
static void
reset (GstBlockDctPageFreeze * self, gboolean flushing)
{
  self->flushing = flushing;
  self->passes = TRUE;
  self->stale = self->on_its_way = FALSE;
  gst_clear_buffer (&self->last);
  g_cond_broadcast (&self->changed);
}

/* Wait until upstream's thread may push; while frozen, it may not push buffers
 * that are `held`. FALSE: it never may. Called with the lock. */
static gboolean
begin_push (GstBlockDctPageFreeze * self, gboolean held)
{
  while (!self->flushing && (self->pushing || (held && self->frozen
              && !self->passes)))
    g_cond_wait (&self->changed, &self->lock);
  self->pushing = !self->flushing;
  return self->pushing;
}

/* Handle downstream's result. While downstream flushes, a refused event may
 * look like an error. */
static GstFlowReturn
end_push (GstBlockDctPageFreeze * self, GstFlowReturn ret)
{
  g_mutex_lock (&self->lock);
  if (self->flushing && ret != GST_FLOW_OK)
    ret = GST_FLOW_FLUSHING;
  self->pushing = FALSE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return ret;
}

/* Add the time for which frames have been held to their running time. Called
 * with the lock, in upstream's thread. */
static void
follow_offset (GstBlockDctPageFreeze * self)
{
  GstClockTimeDiff offset = self->offset;

  if (gst_pad_get_offset (self->srcpad) == offset)
    return;
  g_mutex_unlock (&self->lock);
  gst_pad_set_offset (self->srcpad, offset);
  g_mutex_lock (&self->lock);
}

/* Find out whether upstream is live, before the first frame. Called with the
 * lock, which is released meanwhile. */
static void
look_for_live (GstBlockDctPageFreeze * self)
{
  gboolean live;

  g_mutex_unlock (&self->lock);
  live = is_live (self);
  g_mutex_lock (&self->lock);
  self->live = live;
}

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstBlockDctPageFreeze *self = GST_BLOCKDCT_PAGE_FREEZE (parent);
  GstFlowReturn ret = GST_FLOW_OK;
  gboolean drops;

  (void) pad;
  g_mutex_lock (&self->lock);
  if (self->passes)
    look_for_live (self);
  if (!begin_push (self, !self->live)) {
    g_mutex_unlock (&self->lock);
    gst_buffer_unref (buffer);
    return GST_FLOW_FLUSHING;
  }
  drops = self->frozen && !self->passes;
  if (!drops) {
    follow_offset (self);
    self->passes = FALSE;
    gst_buffer_replace (&self->last, buffer);
  }
  g_mutex_unlock (&self->lock);
  if (drops)
    gst_buffer_unref (buffer);
  else
    ret = gst_pad_push (self->srcpad, buffer);
  return end_push (self, ret);
}

static GstFlowReturn
push_event (GstBlockDctPageFreeze * self, GstEvent * event)
{
  return gst_pad_push_event (self->srcpad, event) ? GST_FLOW_OK
      : GST_PAD_IS_FLUSHING (self->srcpad) ? GST_FLOW_FLUSHING : GST_FLOW_ERROR;
}

/* Whether the last buffer does not belong to the stream that follows this
 * event. */
static gboolean
is_before_another (GstEvent * event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START
      || GST_EVENT_TYPE (event) == GST_EVENT_CAPS
      || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT;
}

/* Push an event when buffers may be pushed. A live input's events, except EOS,
 * pass at once. */
static GstFlowReturn
serialize (GstBlockDctPageFreeze * self, GstEvent * event)
{
  g_mutex_lock (&self->lock);
  if (!begin_push (self, !self->live
          || GST_EVENT_TYPE (event) == GST_EVENT_EOS)) {
    g_mutex_unlock (&self->lock);
    gst_event_unref (event);
    return GST_FLOW_FLUSHING;
  }
  if (is_before_another (event)) {
    gst_clear_buffer (&self->last);
    self->passes = TRUE;
  }
  follow_offset (self);
  g_mutex_unlock (&self->lock);
  return end_push (self, push_event (self, event));
}

static void loop (gpointer data);

static GstFlowReturn
sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstBlockDctPageFreeze *self = GST_BLOCKDCT_PAGE_FREEZE (parent);
  GstFlowReturn ret;
  gboolean reset_time;

  (void) pad;
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      g_mutex_lock (&self->lock);
      reset (self, TRUE);
      g_mutex_unlock (&self->lock);
      ret = push_event (self, event);
      gst_pad_pause_task (self->srcpad);
      return ret;
    case GST_EVENT_FLUSH_STOP:
      gst_event_parse_flush_stop (event, &reset_time);
      ret = push_event (self, event);
      g_mutex_lock (&self->lock);
      if (reset_time)
        self->offset = self->since = 0;
      /* The source pad may have been deactivated meanwhile. */
      reset (self, !GST_PAD_IS_ACTIVE (self->srcpad));
      if (!self->flushing)
        gst_pad_start_task (self->srcpad, loop, self, NULL);
      g_mutex_unlock (&self->lock);
      return ret;
    default:
      return GST_EVENT_IS_SERIALIZED (event) ? serialize (self, event)
          : push_event (self, event);
  }
}

/* Whether the last buffer is to leave again now. Called with the lock. */
static gboolean
is_due (GstBlockDctPageFreeze * self)
{
  const gboolean late = g_get_monotonic_time () >= self->due;

  return self->frozen && self->last != NULL && !self->pushing
      && (late || (self->stale && !self->on_its_way));
}

/* The source pad's thread. */
static void
loop (gpointer data)
{
  GstBlockDctPageFreeze *self = data;
  GstBuffer *buffer;
  GstFlowReturn ret;

  g_mutex_lock (&self->lock);
  while (!self->flushing && !is_due (self)) {
    if (self->frozen && self->last != NULL && !self->pushing)
      g_cond_wait_until (&self->changed, &self->lock, self->due);
    else
      g_cond_wait (&self->changed, &self->lock);
  }
  if (self->flushing) {
    g_mutex_unlock (&self->lock);
    gst_pad_pause_task (self->srcpad);
    return;
  }
  buffer = gst_blockdct_mark_copy (self->last, GST_BLOCKDCT_MARK_REPEATED);
  self->pushing = self->on_its_way = TRUE;
  self->stale = FALSE;
  self->due = g_get_monotonic_time () + REPEAT_INTERVAL;
  g_mutex_unlock (&self->lock);
  ret = end_push (self, gst_pad_push (self->srcpad, buffer));
  if (ret == GST_FLOW_OK)
    return;
  /* Downstream refuses buffers; upstream learns it with its next frame. */
  GST_DEBUG_OBJECT (self, "not shown again: %s", gst_flow_get_name (ret));
  g_mutex_lock (&self->lock);
  if (!self->flushing)
    gst_clear_buffer (&self->last);
  g_mutex_unlock (&self->lock);
}

static gboolean
activate_src (GstPad * pad, GstObject * parent, GstPadMode mode,
    gboolean active)
{
  GstBlockDctPageFreeze *self = GST_BLOCKDCT_PAGE_FREEZE (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  g_mutex_lock (&self->lock);
  self->offset = self->since = 0;
  reset (self, !active);
  g_mutex_unlock (&self->lock);
  return active ? gst_pad_start_task (pad, loop, self, NULL)
      : gst_pad_stop_task (pad);
}

void
gst_blockdct_page_freeze_set (GstBlockDctPageFreeze * self, gboolean frozen)
{
  const GstClockTime now =
      gst_element_get_current_running_time (GST_ELEMENT (self));

  g_mutex_lock (&self->lock);
  if (frozen && !self->frozen) {
    /* Without a clock the pipeline has not run yet. */
    self->since = GST_CLOCK_TIME_IS_VALID (now) ? now : 0;
    self->stale = TRUE;
  } else if (!frozen && self->frozen && !self->live
      && GST_CLOCK_TIME_IS_VALID (now) && now > self->since) {
    self->offset += now - self->since;
  }
  self->frozen = frozen;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

void
gst_blockdct_page_freeze_stop (GstBlockDctPageFreeze * self)
{
  g_mutex_lock (&self->lock);
  reset (self, TRUE);
  g_mutex_unlock (&self->lock);
}

gboolean
gst_blockdct_page_freeze_get (GstBlockDctPageFreeze * self)
{
  gboolean frozen;

  g_mutex_lock (&self->lock);
  frozen = self->frozen;
  g_mutex_unlock (&self->lock);
  return frozen;
}

void
gst_blockdct_page_freeze_change (GstBlockDctPageFreeze * self)
{
  g_mutex_lock (&self->lock);
  self->stale = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

void
gst_blockdct_page_freeze_shown (GstBlockDctPageFreeze * self)
{
  g_mutex_lock (&self->lock);
  self->on_its_way = FALSE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void
gst_blockdct_page_freeze_finalize (GObject * object)
{
  GstBlockDctPageFreeze *self = GST_BLOCKDCT_PAGE_FREEZE (object);

  gst_clear_buffer (&self->last);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  G_OBJECT_CLASS (gst_blockdct_page_freeze_parent_class)->finalize (object);
}

static void
gst_blockdct_page_freeze_class_init (GstBlockDctPageFreezeClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize =
      GST_DEBUG_FUNCPTR (gst_blockdct_page_freeze_finalize);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Block DCT freeze", "Generic", "Shows a frame again and again",
      "The gst-blockdct developers");
}

static void
gst_blockdct_page_freeze_init (GstBlockDctPageFreeze * self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  reset (self, TRUE);
  self->sinkpad = gst_pad_new ("sink", GST_PAD_SINK);
  gst_pad_set_chain_function (self->sinkpad, GST_DEBUG_FUNCPTR (chain));
  gst_pad_set_event_full_function (self->sinkpad,
      GST_DEBUG_FUNCPTR (sink_event));
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  self->srcpad = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_activatemode_function (self->srcpad,
      GST_DEBUG_FUNCPTR (activate_src));
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}

GstElement *
gst_blockdct_page_freeze_new (void)
{
  return g_object_new (GST_TYPE_BLOCKDCT_PAGE_FREEZE, "name", "freeze", NULL);
}
