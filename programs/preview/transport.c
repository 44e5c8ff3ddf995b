/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A session's position in its stream. The pipeline is always in PLAYING:
 * blockdctpage's `freeze` holds the frame during a pause, and the last
 * one. */
#include "parts.h"

void
preview_transport_stop (PreviewSession * self)
{
  if (self->rewind != 0)
    g_source_remove (self->rewind);
  self->rewind = 0;
}

/* Set `freeze`. Called with the lock, so that no thread sets an older state
 * afterwards. */
static void
apply (PreviewSession * self)
{
  g_object_set (self->bin, "freeze", self->ended || (self->paused
          && self->steps == 0), NULL);
}

void
preview_transport_reset (PreviewSession * self)
{
  preview_transport_stop (self);
  self->shown = self->sought = self->wanted = GST_CLOCK_TIME_NONE;
  self->from = self->to = GST_CLOCK_TIME_NONE;
  self->duration = GST_SECOND / 30;
  self->seeking = self->moves = self->stays = FALSE;
  self->steps_after = 0;
  preview_transport_flush (self);
}

/* The first frame after a seek starts at the seek's target, and its duration is
 * counted from there. */
void
preview_transport_take_figures (PreviewSession * self,
    const GstStructure * figures)
{
  guint64 index, duration;

  if (gst_structure_get_uint64 (figures, "index", &index) && index > 0)
    self->moves = TRUE;
  gst_structure_get_uint64 (figures, "stream-time", &self->shown);
  if (self->shown != self->sought && gst_structure_get_uint64 (figures,
          "duration", &duration) && duration != 0
      && GST_CLOCK_TIME_IS_VALID (duration))
    self->duration = duration;
}

gboolean
preview_session_is_paused (PreviewSession * self)
{
  gboolean paused;

  g_mutex_lock (&self->lock);
  paused = self->paused;
  g_mutex_unlock (&self->lock);
  return paused;
}

gboolean
preview_session_stays (PreviewSession * self)
{
  return self->stays;
}

gboolean
preview_session_moves (PreviewSession * self)
{
  return self->moves;
}

/* Use the frame's position, as the pipeline's advances while it is frozen. */
gboolean
preview_session_get_time (PreviewSession * self, GstClockTime * position,
    GstClockTime * duration)
{
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean ok = gst_element_query (self->pipeline, query);
  gint64 all;

  if (ok)
    gst_query_parse_seeking (query, NULL, &ok, NULL, NULL);
  gst_query_unref (query);
  if (!ok || !gst_element_query_duration (self->pipeline, GST_FORMAT_TIME, &all)
      || all <= 0 || !GST_CLOCK_TIME_IS_VALID (self->shown))
    return FALSE;
  *position = MIN (self->shown, (GstClockTime) all);
  *duration = all;
  return TRUE;
}

GstClockTime
preview_session_get_frame_duration (PreviewSession * self)
{
  return self->duration;
}

/* A stop position stays in force until another one is set. */
static gboolean
seek_now (PreviewSession * self, GstClockTime place)
{
  GstClockTime end = GST_CLOCK_TIME_IS_VALID (self->to) && place < self->to
      ? self->to : GST_CLOCK_TIME_NONE;

  preview_transport_stop (self);
  self->sought = place;
  self->stays = FALSE;
  self->seeking = gst_element_seek (self->pipeline, 1, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, place,
      GST_SEEK_TYPE_SET, end);
  return self->seeking;
}

/* A seek after the last frame would show none. */
gboolean
preview_session_seek (PreviewSession * self, GstClockTime place)
{
  GstClockTime position, duration;

  if (preview_session_get_time (self, &position, &duration)
      && place >= duration)
    place = duration - MIN (duration, self->duration / 2);
  self->steps_after = 0;
  if (!self->seeking)
    return seek_now (self, place);
  self->wanted = place;
  return TRUE;
}

void
preview_transport_arrive (PreviewSession * self)
{
  GstClockTime wanted = self->wanted;
  const guint steps = self->steps_after;

  self->seeking = FALSE;
  self->wanted = GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (wanted)) {
    seek_now (self, wanted);
  } else if (steps > 0) {
    self->steps_after = 0;
    preview_session_step (self, steps);
  }
}

/* Seek to the start, or to that of the range. */
static gboolean
rewind_now (gpointer data)
{
  PreviewSession *self = data;

  self->rewind = 0;
  self->stays = !seek_now (self,
      GST_CLOCK_TIME_IS_VALID (self->from) ? self->from : 0);
  return G_SOURCE_REMOVE;
}

/* Show the last frame as long as the others; a still picture stays. */
void
preview_transport_end (PreviewSession * self)
{
  preview_transport_stop (self);
  if (!self->moves)
    self->stays = TRUE;
  else if (!preview_session_is_paused (self))
    self->rewind = g_timeout_add (self->duration / GST_MSECOND, rewind_now,
        self);
}

/* After steps, the frames' times are ahead of the clock; at the end there are
 * no more frames. */
void
preview_session_set_paused (PreviewSession * self, gboolean paused)
{
  gboolean stepped, ended;

  g_mutex_lock (&self->lock);
  stepped = self->stepped && self->paused && !paused;
  ended = self->end_shown && self->paused && !paused;
  self->paused = paused;
  self->steps = 0;
  g_mutex_unlock (&self->lock);
  self->steps_after = 0;
  if (paused)
    preview_transport_stop (self);
  else if (ended && self->moves)
    rewind_now (self);
  else if (stepped && GST_CLOCK_TIME_IS_VALID (self->shown))
    preview_session_seek (self, self->shown);
  g_mutex_lock (&self->lock);
  apply (self);
  g_mutex_unlock (&self->lock);
}

void
preview_transport_follow (PreviewSession * self)
{
  gboolean frozen, ended, expected;

  g_mutex_lock (&self->lock);
  g_object_get (self->bin, "freeze", &frozen, NULL);
  ended = self->ended;
  expected = ended || (self->paused && self->steps == 0);
  if (ended && !frozen)
    apply (self);
  g_mutex_unlock (&self->lock);
  if (!ended && frozen != expected)
    preview_session_set_paused (self, frozen);
}

/* Seek to one frame's duration before the start of this frame. Frames' times
 * are rounded: if this frame was not reached by a seek, a target slightly later
 * is safe; from there on each step is a whole duration. */
static gboolean
step_back (PreviewSession * self)
{
  GstClockTime from = GST_CLOCK_TIME_IS_VALID (self->wanted) ? self->wanted
      : self->seeking ? self->sought : self->shown;
  GstClockTime length = self->duration;

  if (!GST_CLOCK_TIME_IS_VALID (from))
    return FALSE;
  if (from != self->sought && from != self->wanted)
    length -= length / 8;
  return preview_session_seek (self, from - MIN (from, length));
}

gboolean
preview_session_step (PreviewSession * self, gint frames)
{
  gboolean ok;

  if (!preview_session_is_paused (self)) {
    preview_session_set_paused (self, TRUE);
    return TRUE;
  }
  if (frames < 0)
    return step_back (self);
  /* A seek in progress would flush the frames of a step. */
  if (self->seeking) {
    self->steps_after += frames;
    return TRUE;
  }
  g_mutex_lock (&self->lock);
  ok = !self->ended;
  if (ok)
    self->steps += frames;
  apply (self);
  g_mutex_unlock (&self->lock);
  return ok;
}

gboolean
preview_session_mark (PreviewSession * self)
{
  GstClockTime position, duration, to;

  if (!preview_session_get_time (self, &position, &duration))
    return FALSE;
  if (GST_CLOCK_TIME_IS_VALID (self->to)) {
    self->from = self->to = GST_CLOCK_TIME_NONE;
    return preview_session_seek (self, position);
  }
  if (!GST_CLOCK_TIME_IS_VALID (self->from)) {
    self->from = self->shown;
    return TRUE;
  }
  to = MAX (self->from, self->shown);
  self->from = MIN (self->from, self->shown);
  self->to = to + self->duration;
  return preview_session_seek (self, self->from);
}

void
preview_session_get_range (PreviewSession * self, GstClockTime * from,
    GstClockTime * to)
{
  *from = self->from;
  *to = self->to;
}

/* Streaming threads */

/* Without a frame since the flush there is no frame to hold. */
gboolean
preview_transport_may_end (PreviewSession * self)
{
  gboolean may;

  g_mutex_lock (&self->lock);
  may = self->options.ends || !self->passed;
  if (!may) {
    self->ended = TRUE;
    apply (self);
  }
  g_mutex_unlock (&self->lock);
  return may;
}

void
preview_transport_flush (PreviewSession * self)
{
  preview_frames_flush (self->frames);
  g_mutex_lock (&self->lock);
  self->ended = self->end_shown = self->passed = self->stepped = FALSE;
  self->steps = 0;
  apply (self);
  g_mutex_unlock (&self->lock);
}

gboolean
preview_transport_pass (PreviewSession * self)
{
  gboolean step;

  g_mutex_lock (&self->lock);
  self->passed = TRUE;
  step = self->steps > 0;
  if (step) {
    self->steps--;
    self->stepped = TRUE;
    apply (self);
  }
  g_mutex_unlock (&self->lock);
  return step;
}

gboolean
preview_transport_is_end (PreviewSession * self)
{
  gboolean is_end;

  g_mutex_lock (&self->lock);
  is_end = self->ended && !self->end_shown;
  self->end_shown = self->end_shown || is_end;
  g_mutex_unlock (&self->lock);
  return is_end;
}
