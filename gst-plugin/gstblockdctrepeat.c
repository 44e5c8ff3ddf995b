/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * With `keep-frame`, a change that no other frame would show, while paused or
 * at the end of the stream, has the frame that left last made again.
 *
 * A sink that has its frame takes no other one before it is flushed. While it
 * is paused it has the streaming thread, too, and with it the stream lock. So
 * another thread begins to flush what is downstream, and who holds the stream
 * lock then, called back from there, ends it, makes the frame and pushes it.
 * Where nobody does, at the end of a stream, it is that other thread. Upstream
 * notices none of this. Segment and EOS, which a flush takes away, are sent
 * again; running time goes on as it was.
 *
 * Downstream is called back only out of the push of a frame, or of EOS: another
 * event that meets a flushed pad would be lost. */
#include "gstblockdct.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

void
gst_blockdct_repeat_init (GstBlockDctRepeat * repeat)
{
  g_mutex_init (&repeat->lock);
  g_cond_init (&repeat->called);
}

void
gst_blockdct_repeat_clear (GstBlockDctRepeat * repeat)
{
  g_mutex_clear (&repeat->lock);
  g_cond_clear (&repeat->called);
}

/* Called with the lock. In pull mode frames are not pushed. */
static gboolean
is_due (GstBlockDct * self)
{
  GstBlockDctRepeat *repeat = &self->repeat;
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  return repeat->asked != repeat->shown && repeat->in != NULL
      && (repeat->paused || repeat->eos != NULL)
      && repeat->running && !repeat->flushing
      && GST_PAD_MODE (trans->srcpad) == GST_PAD_MODE_PUSH
      && !gst_base_transform_is_passthrough (trans);
}

/* Send a flush event downstream. Called with the lock, which is let go
 * meanwhile. */
static void
call (GstBlockDct * self, GstEvent * event)
{
  GstBlockDctRepeat *repeat = &self->repeat;

  repeat->calling = TRUE;
  g_mutex_unlock (&repeat->lock);
  gst_pad_push_event (GST_BASE_TRANSFORM_SRC_PAD (self), event);
  g_mutex_lock (&repeat->lock);
  repeat->calling = FALSE;
  g_cond_broadcast (&repeat->called);
}

static void
wait_for_call (GstBlockDctRepeat * repeat)
{
  while (repeat->calling)
    g_cond_wait (&repeat->called, &repeat->lock);
}

/* The bin whose state changes are those of all that is in it. */
static GstElement *
get_top (GstBlockDct * self)
{
  GstObject *top = gst_object_ref (GST_OBJECT (self)), *parent;

  while ((parent = gst_object_get_parent (top)) != NULL) {
    gst_object_unref (top);
    top = parent;
  }
  return GST_ELEMENT (top);
}

/* Called with the lock. If nobody else does, the caller has the stream lock
 * then. */
static gboolean
call_back (GstBlockDct * self, gboolean * wait)
{
  GstBlockDctRepeat *repeat = &self->repeat;
  gboolean alone;

  *wait = FALSE;
  if (!is_due (self) || repeat->fetched || (repeat->busy > 0
          && !repeat->pushing))
    return FALSE;
  alone = repeat->busy == 0;
  if (alone && !GST_PAD_STREAM_TRYLOCK (GST_BASE_TRANSFORM_SINK_PAD (self))) {
    *wait = !repeat->waiting;
    repeat->waiting = TRUE;
    return FALSE;
  }
  if (alone)
    repeat->busy++;
  repeat->fetched = TRUE;
  call (self, gst_event_new_flush_start ());
  return alone;
}

/* A bin that is on its way to PLAYING does not see that a sink loses its frame,
 * and so its state: one after the other. */
static void
work (GstElement * element, gpointer data)
{
  GstBlockDct *self = GST_BLOCKDCT (element);
  GstPad *pad = GST_BASE_TRANSFORM_SINK_PAD (self);
  GstElement *top = get_top (self);
  gboolean alone, wait;

  (void) data;
  do {
    GST_STATE_LOCK (top);
    g_mutex_lock (&self->repeat.lock);
    self->repeat.scheduled = FALSE;
    alone = call_back (self, &wait);
    g_mutex_unlock (&self->repeat.lock);
    GST_STATE_UNLOCK (top);
    if (alone) {
      gst_blockdct_repeat_leave (self, GST_FLOW_OK);
      GST_PAD_STREAM_UNLOCK (pad);
    } else if (wait) {
      GST_PAD_STREAM_LOCK (pad);
      GST_PAD_STREAM_UNLOCK (pad);
      g_mutex_lock (&self->repeat.lock);
      self->repeat.waiting = FALSE;
      g_mutex_unlock (&self->repeat.lock);
    }
  } while (wait);
  gst_object_unref (top);
}

/* Who asks may hold any lock, so that it is another thread's work. One at a
 * time: it serves all who have asked. Called with the lock. */
static void
schedule (GstBlockDct * self)
{
  if (!is_due (self) || self->repeat.scheduled)
    return;
  self->repeat.scheduled = TRUE;
  gst_element_call_async (GST_ELEMENT (self), work, NULL, NULL);
}

void
gst_blockdct_repeat_ask (GstBlockDct * self)
{
  GstBlockDctRepeat *repeat = &self->repeat;

  if (!gst_blockdct_get_settings (self).keep_frame)
    return;
  g_mutex_lock (&repeat->lock);
  repeat->asked++;
  schedule (self);
  g_mutex_unlock (&repeat->lock);
}

guint64
gst_blockdct_repeat_get_asked (GstBlockDct * self)
{
  guint64 asked;

  g_mutex_lock (&self->repeat.lock);
  asked = self->repeat.asked;
  g_mutex_unlock (&self->repeat.lock);
  return asked;
}

void
gst_blockdct_repeat_keep (GstBlockDct * self, GstBuffer * in, guint64 asked)
{
  g_mutex_lock (&self->repeat.lock);
  gst_buffer_replace (&self->repeat.in, in);
  self->repeat.shown = asked;
  g_mutex_unlock (&self->repeat.lock);
}

void
gst_blockdct_repeat_enter (GstBlockDct * self)
{
  g_mutex_lock (&self->repeat.lock);
  self->repeat.busy++;
  g_mutex_unlock (&self->repeat.lock);
}

void
gst_blockdct_repeat_push (GstBlockDct * self)
{
  g_mutex_lock (&self->repeat.lock);
  self->repeat.pushing = self->repeat.busy > 0;
  /* Asked for since the frame was started. */
  schedule (self);
  g_mutex_unlock (&self->repeat.lock);
}

void
gst_blockdct_repeat_pushed (GstBlockDct * self)
{
  g_mutex_lock (&self->repeat.lock);
  self->repeat.pushing = FALSE;
  g_mutex_unlock (&self->repeat.lock);
}

void
gst_blockdct_repeat_end (GstBlockDct * self, GstEvent * eos)
{
  g_mutex_lock (&self->repeat.lock);
  gst_event_replace (&self->repeat.eos, eos);
  g_mutex_unlock (&self->repeat.lock);
  gst_blockdct_repeat_push (self);
}

void
gst_blockdct_repeat_forget (GstBlockDct * self)
{
  g_mutex_lock (&self->repeat.lock);
  gst_clear_buffer (&self->repeat.in);
  gst_event_replace (&self->repeat.eos, NULL);
  g_mutex_unlock (&self->repeat.lock);
}

void
gst_blockdct_repeat_flush (GstBlockDct * self, gboolean flushing)
{
  GstBlockDctRepeat *repeat = &self->repeat;

  if (!flushing)
    gst_blockdct_repeat_forget (self);
  g_mutex_lock (&repeat->lock);
  repeat->flushing = flushing;
  repeat->fetched = FALSE;
  /* An end of ours must not undo upstream's beginning. */
  wait_for_call (repeat);
  g_mutex_unlock (&repeat->lock);
}

void
gst_blockdct_repeat_set_paused (GstBlockDct * self, gboolean paused)
{
  g_mutex_lock (&self->repeat.lock);
  self->repeat.paused = paused;
  schedule (self);
  g_mutex_unlock (&self->repeat.lock);
}

void
gst_blockdct_repeat_run (GstBlockDct * self, gboolean running)
{
  GstBlockDctRepeat *repeat = &self->repeat;

  g_mutex_lock (&repeat->lock);
  repeat->running = repeat->paused = running;
  repeat->flushing = repeat->fetched = FALSE;
  wait_for_call (repeat);
  g_mutex_unlock (&repeat->lock);
}

/* The frame once more, with what is to follow it. Downstream is flushed. Called
 * with the lock, which is let go meanwhile. */
static GstFlowReturn
push_again (GstBlockDct * self)
{
  GstBlockDctRepeat *repeat = &self->repeat;
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  GstEvent *segment = gst_pad_get_sticky_event (trans->srcpad,
      GST_EVENT_SEGMENT, 0);
  GstFlowReturn ret = GST_FLOW_OK;
  GstBuffer *in = NULL;
  GstEvent *eos = NULL;

  gst_buffer_replace (&in, repeat->in);
  repeat->fetched = FALSE;
  repeat->shown = repeat->asked;
  call (self, gst_event_new_flush_stop (FALSE));
  g_mutex_unlock (&repeat->lock);
  if (segment != NULL)
    gst_pad_push_event (trans->srcpad, segment);
  if (in != NULL) {
    GST_DEBUG_OBJECT (self, "showing %" GST_PTR_FORMAT " again", in);
    /* No frame is too late: the sum is GST_CLOCK_TIME_NONE. */
    gst_base_transform_update_qos (trans, 1.0, -1, 0);
    self->dropped = TRUE;
    self->repeating = TRUE;
    ret = gst_blockdct_chain (self, in);
    self->repeating = FALSE;
  }
  g_mutex_lock (&repeat->lock);
  if (ret == GST_FLOW_OK)
    gst_event_replace (&eos, repeat->eos);
  if (eos != NULL) {
    g_mutex_unlock (&repeat->lock);
    gst_blockdct_repeat_push (self);
    gst_pad_push_event (trans->srcpad, eos);
    g_mutex_lock (&repeat->lock);
  }
  repeat->pushing = FALSE;
  return ret;
}

gboolean
gst_blockdct_repeat_settle (GstBlockDct * self, GstFlowReturn * ret)
{
  GstBlockDctRepeat *repeat = &self->repeat;
  gboolean again = FALSE;

  g_mutex_lock (&repeat->lock);
  repeat->pushing = FALSE;
  while (repeat->fetched) {
    wait_for_call (repeat);
    if (!repeat->running || repeat->flushing)
      break;
    *ret = push_again (self);
    again = TRUE;
  }
  g_mutex_unlock (&repeat->lock);
  return again && *ret == GST_FLOW_OK;
}

GstFlowReturn
gst_blockdct_repeat_leave (GstBlockDct * self, GstFlowReturn ret)
{
  gst_blockdct_repeat_settle (self, &ret);
  g_mutex_lock (&self->repeat.lock);
  self->repeat.busy--;
  schedule (self);
  g_mutex_unlock (&self->repeat.lock);
  return ret;
}

/* A handler of a controlled property's notification may stop the element, or
 * send it caps: the buffers are none of the engine's then. */
static GstFlowReturn
submit (GstBlockDct * self, GstBuffer * in, GstBuffer * out, guint generation)
{
  if (generation == self->generation)
    gst_blockdct_sync (self, in);
  if (generation == self->generation)
    return gst_blockdct_queue_submit (self, in, out);
  return gst_blockdct_is_stopped (self) ? GST_FLOW_FLUSHING : GST_FLOW_OK;
}

GstFlowReturn
gst_blockdct_repeat_start (GstBlockDct * self, GstBuffer * inbuf,
    GstBuffer * outbuf)
{
  GstBuffer *in[BDCT_MAX_DEPTH], *out[BDCT_MAX_DEPTH];
  guint n = gst_blockdct_queue_recall (self, in, out);
  gboolean ok = gst_blockdct_follow_subsampling (self);
  guint generation = self->generation;
  GstFlowReturn ret = GST_FLOW_FLUSHING;

  if (ok)
    ret = submit (self, inbuf, outbuf, generation);
  else if (!gst_blockdct_is_stopped (self))
    ret = GST_FLOW_ERROR;
  self->repeating = FALSE;
  for (guint i = 0; i < n; i++) {
    if (ret == GST_FLOW_OK)
      ret = submit (self, in[i], out[i], generation);
    gst_buffer_unref (in[i]);
    gst_buffer_unref (out[i]);
  }
  return ret;
}
