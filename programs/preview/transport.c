/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A session's position in its stream. The player gives pictures as they are
 * taken; each goes on to what compares, at a time that only rises. A held frame
 * is a set of pictures: it goes there again whenever a setting changes. */
#include <string.h>
#include "line.h"
#include "parts.h"

#include "gst-plugin/common/gstblockdctstatistics.h"

/* What an encoder is given before the frame that is asked for. */
#define RUN_UP GST_SECOND
/* Frames in what compares, with those that a blockdct holds back. */
#define AHEAD 8
/* The time in what compares between a frame and one of another run. */
#define GAP GST_SECOND
/* The longest wait for a picture, in microseconds. */
#define LIMIT (20 * G_TIME_SPAN_SECOND)

static void
clear_samples (GstSample ** samples)
{
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    g_clear_pointer (&samples[i], gst_sample_unref);
}

static gboolean
encodes (PreviewSession * self)
{
  return self->line[0] != NULL || (self->line[1] != NULL
      && preview_session_shows_b (self));
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
preview_transport_change (PreviewSession * self)
{
  gboolean holds;

  g_mutex_lock (&self->lock);
  holds = self->holds;
  g_mutex_unlock (&self->lock);
  if (holds)
    push_set (self, TRUE);
}

static gboolean
end_now (gpointer session)
{
  preview_transport_end (session);
  return G_SOURCE_REMOVE;
}

/* Called with the lock. */
static void
check_end (PreviewSession * self)
{
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    if (preview_player_has (self->player, i) && !(self->ended & 1 << i))
      return;
  if (self->end_shown || self->holds || self->reached < self->given
      || self->options.ends)
    return;
  self->end_shown = TRUE;
  g_idle_add_full (G_PRIORITY_DEFAULT, end_now, g_object_ref (self),
      g_object_unref);
}

/* What is on its way is not shown. Called with the lock. */
static void
drop_frames (PreviewSession * self)
{
  self->run++;
  self->is_away = self->pushed = self->stale = FALSE;
  self->start = 0;
  self->seen = self->reached = self->given = self->last;
  check_end (self);
  g_cond_broadcast (&self->changed);
}

/* Begin another run. Called with the lock. */
static void
begin_run (PreviewSession * self, gboolean holds)
{
  self->holds = holds;
  self->complete = FALSE;
  self->n_before = 0;
  clear_samples (self->set.sample);
  clear_samples (self->before);
  drop_frames (self);
}

/* Hold the frame that is shown; FALSE: there is none. */
static gboolean
hold_shown (PreviewSession * self)
{
  PreviewSet set;
  gboolean any;

  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    set.sample[i] = i == PREVIEW_ORIGINAL || preview_pipeline_is_made (self, i)
        ? preview_frames_get (self->frames, i) : NULL;
  any = set.sample[PREVIEW_ORIGINAL] != NULL;
  g_mutex_lock (&self->lock);
  begin_run (self, TRUE);
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

static gboolean seek_now (PreviewSession * self, GstClockTime place);

/* Make the seek that was to wait, or else a step. */
static void
go_on (PreviewSession * self)
{
  const GstClockTime wanted = self->wanted;
  gboolean complete;

  g_mutex_lock (&self->lock);
  complete = self->complete;
  g_mutex_unlock (&self->lock);
  self->seeking = FALSE;
  self->wanted = GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (wanted)) {
    seek_now (self, wanted);
  } else if (self->steps_after > 0 && complete) {
    self->steps_after--;
    preview_session_step (self, 1);
  }
}

/* What was sought has come. */
static gboolean
came (gpointer session)
{
  push_set (session, FALSE);
  go_on (session);
  return G_SOURCE_REMOVE;
}

static void
go_on_soon (PreviewSession * self)
{
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
  self->synced = !encodes (self);
  g_cond_broadcast (&self->changed);
  go_on_soon (self);
}

static GstClockTime
get_duration (PreviewSession * self, GstSample * sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);

  return GST_BUFFER_DURATION_IS_VALID (buffer) && GST_BUFFER_DURATION (buffer)
      > 0 ? GST_BUFFER_DURATION (buffer) : self->duration;
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

/* Take a picture for the set; called with the lock. FALSE: it has to wait. */
static gboolean
gather (PreviewSession * self, PreviewStream stream, GstSample * sample,
    GstClockTime time)
{
  GstSample **place = &self->set.sample[stream];
  const GstClockTime duration = self->duration;

  if (self->complete || *place != NULL)
    return self->live || (!self->complete && encodes (self));
  if (time + get_duration (self, sample) <= self->target + duration / 8) {
    self->n_before += stream != PREVIEW_ORIGINAL;
    g_clear_pointer (&self->before[stream], gst_sample_unref);
    self->before[stream] = gst_sample_ref (sample);
    return TRUE;
  }
  *place = gst_sample_ref (sample);
  check_set (self);
  return TRUE;
}

/* Whether it is too late for a frame; called with the lock. An encoder needs
 * all of them. */
static gboolean
is_late (PreviewSession * self, GstClockTime time)
{
  return self->start != 0 && !self->live && self->output == PREVIEW_PAGE
      && !encodes (self) && self->file[0] == NULL && self->file[1] == NULL
      && (GstClockTime) (g_get_monotonic_time () - self->start) * GST_USECOND
      > time - self->start_time + 2 * self->duration;
}

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
  return self->is_away && !encodes (self) && self->given > self->seen
      && self->given - self->seen > AHEAD * self->duration;
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
    self->seen = self->given;
}

static void
take (gpointer session, PreviewPlayer * player, PreviewStream stream,
    GstSample * sample)
{
  PreviewSession *self = session;
  const GstClockTime time = get_time (self, stream, sample);
  GstBuffer *copy = NULL;
  gboolean ends = FALSE, wanted, encoded;

  PREVIEW_TIME (gst_sample_get_buffer (sample)) = time;
  /* What is shifted may begin before the original. */
  if ((gint64) time < 0)
    return;
  g_mutex_lock (&self->lock);
  if (stream == PREVIEW_ORIGINAL && !is_cut (sample))
    self->duration = get_duration (self, sample);
  while (is_wanted (self, player, stream) && (self->holds
          ? !gather (self, stream, sample, time)
          : stream == PREVIEW_ORIGINAL ? has_enough (self)
          : self->caps == NULL))
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
    if (!is_late (self, time))
      copy = make_copy (self, sample, time, self->away);
    else
      self->late++;
    if (copy != NULL && stream == PREVIEW_ORIGINAL)
      self->given = GST_BUFFER_PTS (copy);
  }
  g_mutex_unlock (&self->lock);
  if (encoded)
    g_signal_emit_by_name (self, "changed", PREVIEW_N_CONTROLS);
  if (copy != NULL)
    preview_pipeline_push (self, stream, copy, gst_sample_get_caps (sample));
  gst_clear_buffer (&copy);
  if (ends)
    preview_pipeline_end (self, PREVIEW_ORIGINAL);
}

static void
end (gpointer session, PreviewPlayer * player, PreviewStream stream)
{
  PreviewSession *self = session;
  gboolean again = FALSE, comes = FALSE;

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
    comes = self->holds ? !self->complete : !self->is_away;
  }
  g_mutex_unlock (&self->lock);
  if (self->options.ends)
    preview_pipeline_end (self, stream);
  /* There is no next frame. */
  if (again)
    hold_shown (self);
  if (comes)
    go_on_soon (self);
}

static const PreviewPlayerFuncs player_funcs = { take, end };

gboolean
preview_transport_show (PreviewSession * self, GstBuffer * original)
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
    self->seen = MAX (self->seen, GST_BUFFER_PTS (original));
    g_cond_broadcast (&self->changed);
  }
  g_mutex_unlock (&self->lock);
  return shown;
}

void
preview_transport_shown (PreviewSession * self, GstSample * view)
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
preview_transport_get_view (PreviewSession * self)
{
  const gint64 limit = g_get_monotonic_time () + LIMIT;
  GstSample *view = NULL;

  g_mutex_lock (&self->lock);
  while (self->pushed && g_cond_wait_until (&self->changed, &self->lock,
          limit));
  if (self->view != NULL)
    view = gst_sample_ref (self->view);
  g_mutex_unlock (&self->lock);
  return view;
}

/* The main thread's */

void
preview_transport_reset (PreviewSession * self)
{
  if (self->rewind != 0)
    g_source_remove (self->rewind);
  self->rewind = 0;
  self->shown = self->sought = self->wanted = GST_CLOCK_TIME_NONE;
  self->from = self->to = GST_CLOCK_TIME_NONE;
  self->duration = GST_SECOND / 30;
  self->length = 0;
  self->seeking = self->moves = self->stays = FALSE;
  self->steps_after = 0;
  preview_frames_clear (self->frames);
}

static void
replace_player (PreviewSession * self, PreviewPlayer * player, gboolean waits)
{
  PreviewPlayer *old = self->player;

  if (self->bus_watch != 0)
    g_source_remove (self->bus_watch);
  self->bus_watch = 0;
  g_mutex_lock (&self->lock);
  self->player = player;
  self->ended = 0;
  self->end_shown = FALSE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  if (old != NULL)
    preview_player_free (old, waits);
}

void
preview_transport_stop (PreviewSession * self)
{
  if (self->rewind != 0)
    g_source_remove (self->rewind);
  self->rewind = 0;
  g_mutex_lock (&self->lock);
  self->closed = TRUE;
  self->run++;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  replace_player (self, NULL, TRUE);
  g_mutex_lock (&self->lock);
  clear_samples (self->set.sample);
  clear_samples (self->before);
  g_clear_pointer (&self->view, gst_sample_unref);
  g_mutex_unlock (&self->lock);
  preview_pipeline_clear (self);
}

/* The frames after which encoders begin anew, unless a scene does; x264enc
 * takes those of 10 s. */
#define GROUP 250

static GstClockTime
get_group (PreviewSession * self, const gchar * line)
{
  const gchar *number = strstr (line, "key-int-max=");
  guint64 frames = number == NULL ? 0
      : g_ascii_strtoull (strchr (number, '=') + 1, NULL, 10);

  if (frames == 0)
    frames = strstr (line, "x264enc") == NULL ? GROUP
        : (10 * GST_SECOND + self->duration / 2) / self->duration;
  return frames * self->duration;
}

/* Where to start for a held frame: before it, as decoders cut what is shown at
 * the start; with an encoder so that the frame is the one of a stream. */
static GstClockTime
find_start (PreviewSession * self, GstClockTime place)
{
  GstClockTime start = place - MIN (place, self->duration);

  for (guint i = 0; i < 2; i++)
    if (self->line[i] != NULL && preview_pipeline_uses (self,
            PREVIEW_OF_A + i)) {
      const GstClockTime group = get_group (self, self->line[i]);
      /* Open groups depend on what is before them. */
      const GstClockTime before = strstr (self->line[i], "x264enc") != NULL
          ? RUN_UP : MAX (group, RUN_UP);

      start = MIN (start, place < before ? 0 : (place - before) / group
          * group);
    }
  return start;
}

static void
watch (PreviewSession * self)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (preview_player_get_pipeline
      (self->player));

  self->bus_watch = gst_bus_add_watch (bus, preview_session_take_message, self);
}

/* Another run, elsewhere. Called with the lock. */
static void
restart_run (PreviewSession * self, gboolean holds, GstClockTime target)
{
  self->ended = 0;
  self->end_shown = FALSE;
  begin_run (self, holds);
  self->target = holds ? target : 0;
}

static GstClockTime
get_stop (PreviewSession * self, GstClockTime place)
{
  return GST_CLOCK_TIME_IS_VALID (self->to) && place < self->to ? self->to
      : GST_CLOCK_TIME_NONE;
}

/* Start another player at a place. */
static gboolean
start_at (PreviewSession * self, GstClockTime place, gboolean holds,
    GError ** error)
{
  gchar *line[2] = { NULL }, *file[2] = { NULL };
  PreviewPlayer *player = NULL;
  gboolean ok = TRUE;

  for (guint i = 0; i < 2; i++)
    if (preview_pipeline_uses (self, PREVIEW_OF_A + i)) {
      file[i] = self->file[i];
      if (file[i] == NULL && self->line[i] != NULL)
        ok = (line[i] = preview_line_describe (self->line[i], error)) != NULL
            && ok;
    }
  if (ok)
    player = preview_player_new (&self->options, line, file, &player_funcs,
        self, error);
  g_free (line[0]);
  g_free (line[1]);
  if (player == NULL)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    preview_player_set_shift (player, PREVIEW_OF_A + i, self->shift[i]);
  replace_player (self, player, FALSE);
  g_mutex_lock (&self->lock);
  restart_run (self, holds, place);
  g_mutex_unlock (&self->lock);
  watch (self);
  self->sought = place;
  self->seeking = TRUE;
  self->live = preview_player_start (player, holds ? find_start (self, place)
      : place, get_stop (self, place));
  if (self->live)
    self->seeking = FALSE;
  return TRUE;
}

gboolean
preview_transport_start (PreviewSession * self, GError ** error)
{
  self->left = self->options.frames > 0 ? (guint64) self->options.frames
      : G_MAXUINT64;
  preview_pipeline_arrange (self);
  return start_at (self, 0, preview_session_is_paused (self), error);
}

void
preview_transport_restart (PreviewSession * self)
{
  const GstClockTime place = GST_CLOCK_TIME_IS_VALID (self->shown)
      && self->moves ? self->shown : 0;
  g_autoptr (GError) error = NULL;

  if (self->player == NULL)
    return;
  preview_pipeline_arrange (self);
  preview_frames_clear (self->frames);
  if (!start_at (self, place, preview_session_is_paused (self), &error))
    g_signal_emit_by_name (self, "notice", error->message);
}

void
preview_transport_shift (PreviewSession * self, guint side, gint frames)
{
  self->shift[side] = frames * (gint64) self->duration;
  preview_transport_restart (self);
}

/* Hold the frame that is shown. Before there is one, what came may be dropped,
 * and the last: it comes again. */
static void
hold (PreviewSession * self)
{
  if (!hold_shown (self) && self->n_taken > 0 && !self->live)
    preview_transport_restart (self);
}

void
preview_transport_follow_b (PreviewSession * self)
{
  if (self->player == NULL || self->has_b == preview_session_shows_b (self))
    return;
  if (preview_pipeline_is_made (self, PREVIEW_OF_B)) {
    preview_transport_restart (self);
    return;
  }
  preview_pipeline_arrange (self);
  g_mutex_lock (&self->lock);
  drop_frames (self);
  g_mutex_unlock (&self->lock);
  preview_transport_change (self);
}

/* Until a second frame says more. */
void
preview_transport_take_rate (PreviewSession * self, const GstCaps * caps)
{
  gint n, d;

  if (gst_structure_get_fraction (gst_caps_get_structure (caps, 0),
          "framerate", &n, &d) && n > 0)
    self->duration = gst_util_uint64_scale_int (GST_SECOND, d, n);
}

void
preview_transport_take_figures (PreviewSession * self,
    const GstStructure * figures)
{
  GstClockTime before = self->shown;

  gst_structure_get_uint64 (figures, "stream-time", &self->shown);
  self->moves |= GST_CLOCK_TIME_IS_VALID (before) && before != self->shown;
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
preview_session_moves (PreviewSession * self)
{
  GstClockTime position, duration;

  return self->moves || (preview_session_get_time (self, &position, &duration)
      && duration >= 2 * self->duration);
}

static gboolean
can_seek (PreviewSession * self)
{
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean ok = self->player != NULL && preview_player_query (self->player,
      query);

  if (ok)
    gst_query_parse_seeking (query, NULL, &ok, NULL, NULL);
  gst_query_unref (query);
  return ok;
}

gboolean
preview_session_get_time (PreviewSession * self, GstClockTime * position,
    GstClockTime * duration)
{
  GstQuery *query = gst_query_new_duration (GST_FORMAT_TIME);
  gint64 all = 0;

  if (can_seek (self) && preview_player_query (self->player, query))
    gst_query_parse_duration (query, NULL, &all);
  else if (self->seeking)
    all = self->length;
  self->length = all;
  gst_query_unref (query);
  if (all <= 0 || !GST_CLOCK_TIME_IS_VALID (self->shown))
    return FALSE;
  *position = MIN (self->shown, (GstClockTime) all);
  *duration = all;
  return TRUE;
}

gint
preview_session_get_encoded (PreviewSession * self)
{
  gint n;

  g_mutex_lock (&self->lock);
  n = self->holds && !self->complete && encodes (self) ? (gint) self->n_before
      : -1;
  g_mutex_unlock (&self->lock);
  return n;
}

GstClockTime
preview_session_get_frame_duration (PreviewSession * self)
{
  return self->duration;
}

static gboolean
seek_now (PreviewSession * self, GstClockTime place)
{
  const gboolean holds = preview_session_is_paused (self);

  if (self->rewind != 0)
    g_source_remove (self->rewind);
  self->rewind = 0;
  if (!can_seek (self))
    return FALSE;
  self->stays = FALSE;
  if (encodes (self))
    return start_at (self, place, holds, NULL);
  self->sought = place;
  g_mutex_lock (&self->lock);
  preview_player_expect (self->player);
  restart_run (self, holds, place);
  g_mutex_unlock (&self->lock);
  self->seeking = preview_player_seek (self->player, holds ? find_start (self,
          place) : place, get_stop (self, place));
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
  preview_player_arrive (self->player);
  go_on (self);
}

/* Seek to the start, or to that of the range. */
static gboolean
rewind_now (gpointer data)
{
  PreviewSession *self = data;

  self->rewind = 0;
  self->stays = !seek_now (self,
      GST_CLOCK_TIME_IS_VALID (self->from) ? self->from : 0);
  if (self->stays)
    hold (self);
  return G_SOURCE_REMOVE;
}

/* Show the last frame as long as the others; a still picture stays. */
void
preview_transport_end (PreviewSession * self)
{
  if (self->rewind != 0)
    g_source_remove (self->rewind);
  self->rewind = 0;
  if (!self->moves) {
    self->stays = TRUE;
    hold (self);
  } else if (!preview_session_is_paused (self)) {
    self->rewind = g_timeout_add (self->duration / GST_MSECOND, rewind_now,
        self);
  }
}

void
preview_session_set_paused (PreviewSession * self, gboolean paused)
{
  gboolean ended, changes, comes;

  g_mutex_lock (&self->lock);
  changes = self->paused != paused;
  self->paused = paused;
  ended = self->ended & 1 << PREVIEW_ORIGINAL;
  g_mutex_unlock (&self->lock);
  self->steps_after = 0;
  if (!changes || self->player == NULL || self->stays)
    return;
  if (paused) {
    if (self->rewind != 0)
      g_source_remove (self->rewind);
    self->rewind = 0;
    /* What is sought comes, unless it has come and is on its way. */
    g_mutex_lock (&self->lock);
    comes = self->seeking && !self->is_away && self->ended == 0;
    if (comes) {
      begin_run (self, TRUE);
      self->target = self->sought;
    }
    g_mutex_unlock (&self->lock);
    if (!comes)
      hold (self);
  } else if (ended && self->moves) {
    rewind_now (self);
  } else if (!GST_CLOCK_TIME_IS_VALID (self->shown)
      || !preview_session_seek (self, self->shown)) {
    g_mutex_lock (&self->lock);
    begin_run (self, FALSE);
    g_mutex_unlock (&self->lock);
  }
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
  gboolean ok, synced, comes;

  if (!preview_session_is_paused (self)) {
    preview_session_set_paused (self, TRUE);
    return TRUE;
  }
  if (frames < 0)
    return step_back (self);
  g_mutex_lock (&self->lock);
  ok = !(self->ended & 1 << PREVIEW_ORIGINAL) || encodes (self);
  synced = self->synced && self->complete;
  comes = !self->complete;
  if (ok && synced) {
    begin_run (self, TRUE);
    self->target = 0;
  }
  g_mutex_unlock (&self->lock);
  /* A frame that comes would be lost. */
  if (ok && comes)
    self->steps_after += frames;
  else if (ok && !synced)
    ok = preview_session_seek (self, self->shown + self->duration
        + self->duration / 8);
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
