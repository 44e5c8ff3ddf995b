/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The player gives pictures as they are taken; each goes on to what compares,
 * at a time that only rises. A held frame is a set of pictures: it goes there
 * again whenever a setting changes. */
#include "parts.h"

#include "gst-plugin/common/gstblockdctstatistics.h"

/* Frames in what compares, with those that a blockdct holds back. */
#define AHEAD 8
/* The time in what compares between a frame and one of another run. */
#define GAP GST_SECOND
/* By which a file's times are rounded. */
#define ROUNDING GST_MSECOND

void
preview_flow_clear (PreviewSession * self)
{
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++) {
    g_clear_pointer (&self->set.sample[i], gst_sample_unref);
    g_clear_pointer (&self->before[i], gst_sample_unref);
  }
}

gboolean
preview_flow_encodes (PreviewSession * self)
{
  for (guint i = 0; i < 2; i++)
    if (preview_pipeline_encodes (self, PREVIEW_OF_A + i))
      return TRUE;
  return FALSE;
}

gint
preview_flow_count (PreviewSession * self, guint side)
{
  const PreviewStream stream = PREVIEW_OF_A + side;

  return (self->holds ? !self->complete && self->set.sample[stream] == NULL
      : self->start == 0 && !self->live) && self->player != NULL
      && self->line[side] != NULL && preview_player_has (self->player, stream)
      ? (gint) self->n_before[side] : -1;
}

/* The held frame */

/* Called with the lock. */
static GstBuffer *
make_copy (PreviewSession * self, GstSample * sample, GstClockTime time,
    gint64 away)
{
  GstBuffer *copy = gst_buffer_copy (gst_sample_get_buffer (sample));

  GST_BUFFER_PTS (copy) = time + away;
  GST_BUFFER_DTS (copy) = GST_CLOCK_TIME_NONE;
  PREVIEW_TIME (copy) = time;
  PREVIEW_RUN (copy) = self->run;
  self->last = MAX (self->last, GST_BUFFER_PTS (copy));
  return copy;
}

/* Show the held set, again if it was shown. Any thread may call this. */
static void
push_set (PreviewSession * self, gboolean again)
{
  GstBuffer *copy[PREVIEW_N_STREAMS] = { NULL };
  GstCaps *caps[PREVIEW_N_STREAMS] = { NULL };

  g_mutex_lock (&self->lock);
  if (self->complete && self->holds && !self->pushed) {
    GstSample *first = self->set.sample[PREVIEW_ORIGINAL];
    const GstClockTime time = PREVIEW_TIME (gst_sample_get_buffer (first));
    const gint64 away = self->last + GAP - time;

    self->pushed = TRUE;
    self->stale = FALSE;
    for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
      if (self->set.sample[i] != NULL) {
        copy[i] = make_copy (self, self->set.sample[i], time, away);
        caps[i] = gst_caps_ref (gst_sample_get_caps (self->set.sample[i]));
        if (again)
          gst_blockdct_mark_add (copy[i], GST_BLOCKDCT_MARK_REPEATED);
      }
  } else {
    self->stale = TRUE;
  }
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    if (copy[i] != NULL) {
      preview_pipeline_push (self, i, copy[i], caps[i]);
      preview_pipeline_drain (self, i);
      gst_buffer_unref (copy[i]);
      gst_caps_unref (caps[i]);
    }
}

void
preview_flow_change (PreviewSession * self)
{
  gboolean holds;

  g_mutex_lock (&self->lock);
  holds = self->holds;
  g_mutex_unlock (&self->lock);
  if (holds)
    push_set (self, TRUE);
}

/* Unless it plays again since. */
static gboolean
end_now (gpointer session)
{
  PreviewSession *self = session;
  gboolean ended;

  g_mutex_lock (&self->lock);
  ended = self->end_shown;
  g_mutex_unlock (&self->lock);
  if (ended)
    preview_transport_end (self);
  return G_SOURCE_REMOVE;
}

/* Up to which time in `pipeline` all streams have frames; called with the
 * lock. GST_CLOCK_TIME_NONE: none has ended. */
static GstClockTime
find_end (PreviewSession * self)
{
  GstClockTime end = GST_CLOCK_TIME_NONE;

  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    if (self->ended & 1 << i)
      end = MIN (end, self->given[i]);
  return end;
}

/* What one stream does not have is not shown. Called with the lock. */
static void
check_end (PreviewSession * self)
{
  if (self->end_shown || self->holds || self->options.ends
      || self->ended == 0 || self->reached + ROUNDING < find_end (self))
    return;
  self->end_shown = TRUE;
  g_idle_add_full (G_PRIORITY_DEFAULT, end_now, g_object_ref (self),
      g_object_unref);
}

/* What is on its way is not shown. Called with the lock. */
void
preview_flow_drop (PreviewSession * self)
{
  self->run++;
  self->is_away = self->pushed = self->stale = FALSE;
  self->fresh = TRUE;
  self->start = 0;
  self->seen = self->reached = self->last;
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    self->given[i] = self->last;
  check_end (self);
  g_cond_broadcast (&self->changed);
}

/* Begin another run. Called with the lock. */
void
preview_flow_begin (PreviewSession * self, gboolean holds)
{
  self->holds = holds;
  self->complete = FALSE;
  self->n_before[0] = self->n_before[1] = 0;
  preview_flow_clear (self);
  preview_flow_drop (self);
}

/* Hold the frame that is shown; FALSE: there is none. */
gboolean
preview_flow_hold (PreviewSession * self)
{
  PreviewSet set;
  gboolean any;

  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    set.sample[i] = i == PREVIEW_ORIGINAL || preview_pipeline_is_made (self, i)
        ? preview_frames_get (self->frames, i) : NULL;
  any = set.sample[PREVIEW_ORIGINAL] != NULL;
  g_mutex_lock (&self->lock);
  preview_flow_begin (self, TRUE);
  self->target = 0;
  self->set = set;
  self->complete = any;
  self->synced = FALSE;
  g_mutex_unlock (&self->lock);
  if (any)
    push_set (self, TRUE);
  return any;
}

/* Pictures of the player */

/* What was sought has come, unless something else has been sought since. */
static gboolean
came (gpointer session)
{
  PreviewSession *self = session;
  gboolean came;

  g_mutex_lock (&self->lock);
  came = self->arrives;
  self->arrives = FALSE;
  g_mutex_unlock (&self->lock);
  if (came) {
    push_set (self, FALSE);
    preview_transport_go_on (self);
  }
  return G_SOURCE_REMOVE;
}

/* Called with the lock. */
static void
go_on_soon (PreviewSession * self)
{
  self->arrives = TRUE;
  g_idle_add_full (G_PRIORITY_DEFAULT, came, g_object_ref (self),
      g_object_unref);
}

/* Called with the lock. */
static void
check_set (PreviewSession * self)
{
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    if (preview_player_has (self->player, i) && self->set.sample[i] == NULL)
      return;
  self->complete = TRUE;
  self->synced = !preview_flow_encodes (self);
  g_cond_broadcast (&self->changed);
  go_on_soon (self);
}

static gboolean
has_duration (GstSample * sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);

  return GST_BUFFER_DURATION_IS_VALID (buffer)
      && GST_BUFFER_DURATION (buffer) > 0;
}

/* Whether a decoder may have cut the start or the end of a frame's time. */
static gboolean
is_cut (GstSample * sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  const GstSegment *segment = gst_sample_get_segment (sample);

  return GST_BUFFER_PTS (buffer) <= segment->start
      || GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer)
      >= segment->stop;
}

/* Keep a frame's duration; called with the lock. Where a stream has none, it is
 * the time since the one before. */
static void
take_duration (PreviewSession * self, GstSample * sample, GstClockTime time)
{
  const GstClockTime before = self->duration;

  if (is_cut (sample))
    return;
  if (has_duration (sample))
    self->duration = GST_BUFFER_DURATION (gst_sample_get_buffer (sample));
  else if (GST_CLOCK_TIME_IS_VALID (self->taken) && time > self->taken)
    self->duration = time - self->taken;
  self->longest = MAX (self->longest, self->duration);
  /* Matroska's times are whole milliseconds. */
  self->varies |= GST_CLOCK_TIME_IS_VALID (self->taken)
      && ABS ((gint64) self->duration - (gint64) before)
      > (gint64) (before / 8 + GST_MSECOND);
  self->taken = time;
}

/* Take a picture for the set; called with the lock. FALSE: it has to wait. That
 * of the target is the last one that begins before, or ends after it. */
static gboolean
gather (PreviewSession * self, PreviewStream stream, GstSample * sample,
    GstClockTime time)
{
  GstSample **place = &self->set.sample[stream];
  const GstClockTime round = MIN (self->duration / 8, ROUNDING);
  gboolean waits;

  if (self->complete || *place != NULL)
    return self->live || (!self->complete && preview_flow_encodes (self));
  if (time + (has_duration (sample) ? GST_BUFFER_DURATION
          (gst_sample_get_buffer (sample)) : 0) <= self->target + round) {
    if (stream != PREVIEW_ORIGINAL)
      self->n_before[stream - PREVIEW_OF_A]++;
    g_clear_pointer (&self->before[stream], gst_sample_unref);
    self->before[stream] = gst_sample_ref (sample);
    return TRUE;
  }
  waits = !has_duration (sample) && self->before[stream] != NULL;
  *place = waits ? g_steal_pointer (&self->before[stream])
      : gst_sample_ref (sample);
  check_set (self);
  return !waits;
}

/* Whether it is too late for a frame; called with the lock. An encoder needs
 * all of them. */
static gboolean
is_late (PreviewSession * self, GstClockTime time)
{
  return self->start != 0 && !self->live && self->output == PREVIEW_PAGE
      && !preview_flow_encodes (self) && self->file[0] == NULL
      && self->file[1] == NULL
      && (GstClockTime) (g_get_monotonic_time () - self->start) * GST_USECOND
      > time - self->start_time + 2 * self->duration;
}

/* Called with the lock. */
static GstClockTime
get_time (PreviewSession * self, PreviewStream stream, GstSample * sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  const GstSegment *segment = gst_sample_get_segment (sample);
  GstClockTime time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer));

  if (!GST_CLOCK_TIME_IS_VALID (time))
    time = GST_BUFFER_PTS_IS_VALID (buffer) ? GST_BUFFER_PTS (buffer) : 0;
  return stream == PREVIEW_ORIGINAL ? time
      : (GstClockTime) ((gint64) time - self->shift[stream - PREVIEW_OF_A]);
}

/* Whether what compares has as many frames as it needs: it would take some
 * seconds, in which a changed setting would not be seen. Called with the
 * lock. */
static gboolean
has_enough (PreviewSession * self)
{
  const GstClockTime given = MIN (self->given[PREVIEW_ORIGINAL], find_end
      (self));

  return self->is_away && !preview_flow_encodes (self) && given > self->seen
      && given - self->seen > AHEAD * self->duration;
}

/* Whether a version has to wait for the original. Once what compares takes no
 * more of its frames, a pause or a seek would wait for it, while it waits for
 * the other version. Called with the lock. */
static gboolean
is_ahead (PreviewSession * self, PreviewStream stream)
{
  return !(self->ended & 1 << PREVIEW_ORIGINAL)
      && self->given[stream] > self->given[PREVIEW_ORIGINAL]
      + MIN (AHEAD * self->duration, GAP);
}

/* Called with the lock. */
static gboolean
is_wanted (PreviewSession * self, PreviewPlayer * player, PreviewStream stream)
{
  return player == self->player && !self->closed
      && !preview_player_is_stale (player, stream);
}

/* Frames that blockdctcompare does not match do not leave. Called with the
 * lock. */
static void
wait_for_change (PreviewSession * self)
{
  if (self->holds || !has_enough (self))
    g_cond_wait (&self->changed, &self->lock);
  else if (!g_cond_wait_until (&self->changed, &self->lock,
          g_get_monotonic_time () + G_TIME_SPAN_SECOND) && !self->holds)
    self->seen = self->given[PREVIEW_ORIGINAL];
}

void
preview_flow_take (PreviewSession * self, PreviewPlayer * player,
    PreviewStream stream, GstSample * sample)
{
  GstClockTime time;
  GstBuffer *copy = NULL;
  gboolean ends = FALSE, wanted, encoded;

  g_mutex_lock (&self->lock);
  time = get_time (self, stream, sample);
  PREVIEW_TIME (gst_sample_get_buffer (sample)) = time;
  /* What is shifted may begin before the original. */
  if ((gint64) time < 0) {
    g_mutex_unlock (&self->lock);
    return;
  }
  if (stream == PREVIEW_ORIGINAL) {
    self->moves |= GST_CLOCK_TIME_IS_VALID (self->came) && time != self->came;
    self->came = time;
    take_duration (self, sample, time);
  }
  while (is_wanted (self, player, stream) && (self->holds
          ? !gather (self, stream, sample, time)
          : stream == PREVIEW_ORIGINAL ? has_enough (self)
          : self->caps == NULL || is_ahead (self, stream)))
    wait_for_change (self);
  encoded = self->holds && stream != PREVIEW_ORIGINAL;
  wanted = is_wanted (self, player, stream) && !self->holds
      && (stream != PREVIEW_ORIGINAL || self->left > 0);
  if (wanted) {
    ends = stream == PREVIEW_ORIGINAL && --self->left == 0;
    self->n_taken += stream == PREVIEW_ORIGINAL;
    if (!self->is_away) {
      self->away = self->last + GAP - time;
      self->seen = self->last + GAP - 1;
      go_on_soon (self);
    }
    self->is_away = TRUE;
    if (is_late (self, time))
      self->late++;
    else if (time + self->away - ROUNDING <= find_end (self))
      copy = make_copy (self, sample, time, self->away);
    if (copy != NULL)
      self->given[stream] = GST_BUFFER_PTS (copy);
    /* Versions wait for it. */
    if (copy != NULL && stream == PREVIEW_ORIGINAL)
      g_cond_broadcast (&self->changed);
  }
  g_mutex_unlock (&self->lock);
  if (encoded)
    g_signal_emit_by_name (self, "changed");
  if (copy != NULL)
    preview_pipeline_push (self, stream, copy, gst_sample_get_caps (sample));
  gst_clear_buffer (&copy);
  if (ends)
    preview_pipeline_end (self, PREVIEW_ORIGINAL);
}

void
preview_flow_end (PreviewSession * self, PreviewPlayer * player,
    PreviewStream stream)
{
  gboolean again = FALSE;

  g_mutex_lock (&self->lock);
  if (is_wanted (self, player, stream)) {
    self->ended |= 1 << stream;
    if (self->holds && !self->complete && self->set.sample[stream] == NULL
        && self->before[stream] != NULL) {
      self->set.sample[stream] = g_steal_pointer (&self->before[stream]);
      check_set (self);
    } else if (self->holds && !self->complete
        && stream == PREVIEW_ORIGINAL && self->set.sample[stream] == NULL) {
      again = TRUE;
    } else {
      check_end (self);
    }
    if (self->holds ? !self->complete : !self->is_away)
      go_on_soon (self);
    g_cond_broadcast (&self->changed);
  }
  g_mutex_unlock (&self->lock);
  if (self->options.ends)
    preview_pipeline_end (self, stream);
  /* There is no next frame. */
  if (again)
    preview_flow_hold (self);
}

gboolean
preview_flow_show (PreviewSession * self, GstBuffer * original)
{
  const guint64 run = PREVIEW_RUN (original);
  const GstClockTime time = PREVIEW_TIME (original);
  gboolean shown;

  g_mutex_lock (&self->lock);
  if (self->output == PREVIEW_PAGE && !self->live && !self->holds) {
    if (self->start == 0) {
      self->start = g_get_monotonic_time ();
      self->start_time = time;
    }
    while (run == self->run && !self->holds && time > self->start_time
        && g_cond_wait_until (&self->changed, &self->lock, self->start
            + (time - self->start_time) / GST_USECOND));
  }
  shown = run == self->run;
  if (shown) {
    self->fresh = FALSE;
    self->shown = time;
    self->seen = MAX (self->seen, GST_BUFFER_PTS (original));
    g_cond_broadcast (&self->changed);
  }
  g_mutex_unlock (&self->lock);
  return shown;
}

void
preview_flow_shown (PreviewSession * self, GstSample * view)
{
  gboolean again;

  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->view, gst_sample_unref);
  self->view = gst_sample_ref (view);
  self->reached = self->seen;
  check_end (self);
  again = self->pushed && self->stale;
  self->pushed = self->stale = FALSE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  if (again)
    push_set (self, TRUE);
}

GstSample *
preview_flow_get_view (PreviewSession * self)
{
  const gint64 limit = g_get_monotonic_time () + PREVIEW_LIMIT / GST_USECOND;
  GstSample *view = NULL;

  g_mutex_lock (&self->lock);
  while (self->pushed && g_cond_wait_until (&self->changed, &self->lock,
          limit));
  if (self->view != NULL)
    view = gst_sample_ref (self->view);
  g_mutex_unlock (&self->lock);
  return view;
}
