/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transport.h"

struct _PreviewTransport
{
  GstElement *pipeline;
  GstClockTime shown;           /* the frame's time */
  GstClockTime duration;        /* of a frame */
  GstClockTime sought;          /* where the last seek went */
  GstClockTime wanted;          /* where to go when that one has arrived */
  GstClockTime from, to;        /* what is repeated */
  gboolean seeking;
  gboolean moves;               /* it is no still picture */
  gboolean stays;               /* at its end, as there is no way back */
};

PreviewTransport *
preview_transport_new (GstElement * pipeline)
{
  PreviewTransport *self = g_new0 (PreviewTransport, 1);

  self->pipeline = gst_object_ref (pipeline);
  preview_transport_reset (self);
  return self;
}

void
preview_transport_free (PreviewTransport * self)
{
  gst_object_unref (self->pipeline);
  g_free (self);
}

void
preview_transport_reset (PreviewTransport * self)
{
  self->shown = self->sought = self->wanted = GST_CLOCK_TIME_NONE;
  self->from = self->to = GST_CLOCK_TIME_NONE;
  self->duration = GST_SECOND / 30;
  self->seeking = self->moves = self->stays = FALSE;
}

/* The first frame after a seek begins where that went, and lasts from there. */
void
preview_transport_take_figures (PreviewTransport * self,
    const GstStructure * figures)
{
  guint64 index, duration;

  if (g_strcmp0 (gst_structure_get_string (figures, "type"), "pooled") == 0)
    return;
  if (gst_structure_get_uint64 (figures, "index", &index) && index > 0)
    self->moves = TRUE;
  gst_structure_get_uint64 (figures, "stream-time", &self->shown);
  if (self->shown != self->sought && gst_structure_get_uint64 (figures,
          "duration", &duration) && duration != 0
      && GST_CLOCK_TIME_IS_VALID (duration))
    self->duration = duration;
}

gboolean
preview_transport_is_paused (PreviewTransport * self)
{
  return GST_STATE_TARGET (self->pipeline) == GST_STATE_PAUSED;
}

void
preview_transport_set_paused (PreviewTransport * self, gboolean paused)
{
  gst_element_set_state (self->pipeline,
      paused ? GST_STATE_PAUSED : GST_STATE_PLAYING);
}

gboolean
preview_transport_get_time (PreviewTransport * self, GstClockTime * position,
    GstClockTime * duration)
{
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gint64 now, all;
  gboolean ok = gst_element_query (self->pipeline, query);

  if (ok)
    gst_query_parse_seeking (query, NULL, &ok, NULL, NULL);
  gst_query_unref (query);
  if (!ok || !gst_element_query_duration (self->pipeline, GST_FORMAT_TIME, &all)
      || !gst_element_query_position (self->pipeline, GST_FORMAT_TIME, &now)
      || all <= 0 || now < 0)
    return FALSE;
  *position = now;
  *duration = all;
  return TRUE;
}

/* An end once set stays until another one is. */
static gboolean
seek_now (PreviewTransport * self, GstClockTime place)
{
  GstClockTime end = GST_CLOCK_TIME_IS_VALID (self->to) && place < self->to
      ? self->to : GST_CLOCK_TIME_NONE;

  self->sought = place;
  self->stays = FALSE;
  self->seeking = gst_element_seek (self->pipeline, 1, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, place,
      GST_SEEK_TYPE_SET, end);
  return self->seeking;
}

gboolean
preview_transport_seek (PreviewTransport * self, GstClockTime place)
{
  if (!self->seeking)
    return seek_now (self, place);
  self->wanted = place;
  return TRUE;
}

void
preview_transport_arrive (PreviewTransport * self)
{
  GstClockTime wanted = self->wanted;

  self->seeking = FALSE;
  self->wanted = GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (wanted))
    seek_now (self, wanted);
}

/* To a frame's length before where this one begins. Frames' times are rounded:
 * if this one was not sought, a bit later is safe, and from there on it is a
 * whole length each time. */
static gboolean
step_back (PreviewTransport * self)
{
  GstClockTime from = GST_CLOCK_TIME_IS_VALID (self->wanted) ? self->wanted
      : self->seeking ? self->sought : self->shown;
  GstClockTime length = self->duration;

  if (!GST_CLOCK_TIME_IS_VALID (from))
    return FALSE;
  if (from != self->sought && from != self->wanted)
    length -= length / 8;
  return preview_transport_seek (self, from - MIN (from, length));
}

gboolean
preview_transport_step (PreviewTransport * self, gint frames)
{
  if (!preview_transport_is_paused (self)) {
    preview_transport_set_paused (self, TRUE);
    return TRUE;
  }
  if (frames < 0)
    return step_back (self);
  return gst_element_send_event (self->pipeline, gst_event_new_step
      (GST_FORMAT_BUFFERS, frames, 1, TRUE, FALSE));
}

gboolean
preview_transport_mark (PreviewTransport * self)
{
  GstClockTime position, duration, to;

  if (!preview_transport_get_time (self, &position, &duration)
      || !GST_CLOCK_TIME_IS_VALID (self->shown))
    return FALSE;
  if (GST_CLOCK_TIME_IS_VALID (self->to)) {
    self->from = self->to = GST_CLOCK_TIME_NONE;
    return preview_transport_seek (self, position);
  }
  if (!GST_CLOCK_TIME_IS_VALID (self->from)) {
    self->from = self->shown;
    return TRUE;
  }
  to = MAX (self->from, self->shown);
  self->from = MIN (self->from, self->shown);
  self->to = to + self->duration;
  return preview_transport_seek (self, self->from);
}

void
preview_transport_get_range (PreviewTransport * self, GstClockTime * from,
    GstClockTime * to)
{
  *from = self->from;
  *to = self->to;
}

void
preview_transport_rewind (PreviewTransport * self)
{
  if (self->stays)
    return;
  self->stays = !self->moves || !seek_now (self,
      GST_CLOCK_TIME_IS_VALID (self->from) ? self->from : 0);
}

gboolean
preview_transport_stays (PreviewTransport * self)
{
  return self->stays;
}

gboolean
preview_transport_moves (PreviewTransport * self)
{
  return self->moves;
}
