/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A session's position in its stream; the main thread's alone. */
#include <string.h>
#include "parts.h"

/* What an encoder is given before the frame that is asked for. */
#define RUN_UP GST_SECOND

void
preview_transport_reset (PreviewSession * self)
{
  g_clear_handle_id (&self->rewind, g_source_remove);
  self->sought = self->wanted = GST_CLOCK_TIME_NONE;
  self->from = self->to = GST_CLOCK_TIME_NONE;
  g_mutex_lock (&self->lock);
  self->run++;
  self->shown = GST_CLOCK_TIME_NONE;
  self->duration = self->longest = GST_SECOND / 30;
  self->varies = self->moves = FALSE;
  self->came = GST_CLOCK_TIME_NONE;
  self->shift[0] = self->shift[1] = 0;
  g_mutex_unlock (&self->lock);
  self->length = 0;
  self->seeking = self->stays = FALSE;
  self->steps_after = 0;
  preview_frames_clear (self->frames);
}

/* The time of the frame that was shown last. */
static GstClockTime
get_shown (PreviewSession * self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->shown;
}

/* Where it is, or will be: what is shown may still be what was before. Called
 * with the lock. */
static GstClockTime
find_place (PreviewSession * self)
{
  if (GST_CLOCK_TIME_IS_VALID (self->wanted))
    return self->wanted;
  if (self->complete)
    return PREVIEW_TIME (gst_sample_get_buffer (self->set.sample
            [PREVIEW_ORIGINAL]));
  return self->fresh ? self->sought : self->shown;
}

static void
replace_player (PreviewSession * self, PreviewPlayer * player, gboolean waits)
{
  PreviewPlayer *old = self->player;

  g_clear_handle_id (&self->bus_watch, g_source_remove);
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
  g_clear_handle_id (&self->rewind, g_source_remove);
  g_mutex_lock (&self->lock);
  self->closed = TRUE;
  self->run++;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  replace_player (self, NULL, TRUE);
  g_mutex_lock (&self->lock);
  preview_flow_clear (self);
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
  const GstClockTime duration = preview_session_get_frame_duration (self);
  const gchar *number = strstr (line, "key-int-max=");
  guint64 frames = number == NULL ? 0
      : g_ascii_strtoull (strchr (number, '=') + 1, NULL, 10);

  if (frames == 0)
    frames = strstr (line, "x264enc") == NULL ? GROUP
        : (10 * GST_SECOND + duration / 2) / duration;
  return frames * duration;
}

/* Where to start for a held frame: before it, as decoders cut what is shown at
 * the start; with an encoder so that the frame is the one of a stream. */
static GstClockTime
find_start (PreviewSession * self, GstClockTime place)
{
  GstClockTime frame, start;

  g_mutex_lock (&self->lock);
  frame = MIN (self->longest, RUN_UP);
  g_mutex_unlock (&self->lock);
  start = place - MIN (place, frame + frame / 8);
  for (guint i = 0; i < 2; i++)
    if (preview_pipeline_encodes (self, PREVIEW_OF_A + i)) {
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
  self->taken = GST_CLOCK_TIME_NONE;
  self->arrives = FALSE;
  preview_flow_begin (self, holds);
  self->target = holds ? target : 0;
}

static GstClockTime
get_stop (PreviewSession * self, GstClockTime place)
{
  return GST_CLOCK_TIME_IS_VALID (self->to) && place < self->to ? self->to
      : GST_CLOCK_TIME_NONE;
}

/* Where all files that are shown have begun, if that is after a place. */
static GstClockTime
limit_place (PreviewSession * self, GstClockTime place)
{
  for (guint i = 0; i < 2; i++)
    if (self->file[i] != NULL && self->shift[i] < 0
        && preview_pipeline_uses (self, PREVIEW_OF_A + i))
      place = MAX (place, (GstClockTime) - self->shift[i]);
  return place;
}

/* Start another player at a place. */
static gboolean
start_at (PreviewSession * self, GstClockTime place, gboolean holds,
    GError ** error)
{
  gchar *line[2] = { NULL }, *file[2] = { NULL };
  PreviewPlayer *player = NULL;
  gboolean ok = TRUE;

  g_clear_handle_id (&self->rewind, g_source_remove);
  place = limit_place (self, place);
  for (guint i = 0; i < 2; i++)
    if (preview_pipeline_uses (self, PREVIEW_OF_A + i)
        && preview_pipeline_is_made (self, PREVIEW_OF_A + i)) {
      file[i] = self->file[i];
      if (file[i] == NULL && self->line[i] != NULL)
        ok = (line[i] = preview_line_describe (self->line[i], error)) != NULL
            && ok;
    }
  if (ok)
    player = preview_player_new (self, line, file, error);
  g_free (line[0]);
  g_free (line[1]);
  if (player == NULL)
    return FALSE;
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
  if (self->options.hold > 0 && self->output == PREVIEW_PAGE)
    preview_session_set_paused (self, TRUE);
  return start_at (self, self->options.hold * GST_SECOND, self->paused, error);
}

void
preview_transport_restart (PreviewSession * self)
{
  g_autoptr (GError) error = NULL;
  GstClockTime place;

  if (self->player == NULL)
    return;
  g_mutex_lock (&self->lock);
  place = find_place (self);
  g_mutex_unlock (&self->lock);
  preview_pipeline_arrange (self);
  preview_frames_clear (self->frames);
  if (!start_at (self, GST_CLOCK_TIME_IS_VALID (place)
          && preview_session_moves (self) ? place : 0, self->paused, &error))
    g_signal_emit_by_name (self, "notice", error->message);
}

/* Hold the frame that is shown. Before there is one, what came may be dropped,
 * and the last: it comes again. */
static void
hold (PreviewSession * self)
{
  if (!preview_flow_hold (self) && self->n_taken > 0 && !self->live)
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
  self->sought = find_place (self);
  preview_flow_drop (self);
  g_mutex_unlock (&self->lock);
  preview_flow_change (self);
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

gboolean
preview_session_moves (PreviewSession * self)
{
  GstClockTime position, duration;
  gboolean moves;

  g_mutex_lock (&self->lock);
  moves = self->moves;
  g_mutex_unlock (&self->lock);
  return moves || (preview_session_get_time (self, &position, &duration)
      && duration >= 2 * preview_session_get_frame_duration (self));
}

static gboolean
can_seek (PreviewSession * self)
{
  return self->player != NULL
      && preview_player_get_duration (self->player) >= 0;
}

gboolean
preview_session_get_time (PreviewSession * self, GstClockTime * position,
    GstClockTime * duration)
{
  const GstClockTime shown = get_shown (self);
  const gint64 all = self->player == NULL ? -1
      : preview_player_get_duration (self->player);

  if (all >= 0 || !self->seeking)
    self->length = MAX (all, 0);
  if (self->length <= 0 || !GST_CLOCK_TIME_IS_VALID (shown))
    return FALSE;
  *position = MIN (shown, (GstClockTime) self->length);
  *duration = self->length;
  return TRUE;
}

GstClockTime
preview_session_get_frame_duration (PreviewSession * self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->duration;
}

static gboolean
seek_now (PreviewSession * self, GstClockTime place)
{
  const gboolean holds = self->paused;

  g_clear_handle_id (&self->rewind, g_source_remove);
  if (!can_seek (self))
    return FALSE;
  self->stays = FALSE;
  if (preview_flow_encodes (self))
    return start_at (self, place, holds, NULL);
  self->sought = place = limit_place (self, place);
  g_mutex_lock (&self->lock);
  preview_player_expect (self->player);
  restart_run (self, holds, place);
  g_mutex_unlock (&self->lock);
  self->seeking = preview_player_seek (self->player, holds ? find_start (self,
          place) : place, get_stop (self, place));
  return self->seeking;
}

/* A seek after the last frame would show none. */
static gboolean
go_to (PreviewSession * self, GstClockTime place)
{
  GstClockTime position, duration;

  if (preview_session_get_time (self, &position, &duration)
      && place >= duration)
    place = duration - MIN (duration, preview_session_get_frame_duration (self)
        / 2);
  if (!self->seeking)
    return seek_now (self, place);
  self->wanted = place;
  return TRUE;
}

gboolean
preview_session_seek (PreviewSession * self, GstClockTime place)
{
  self->steps_after = 0;
  return go_to (self, place);
}

void
preview_transport_go_on (PreviewSession * self)
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
  } else if (self->steps_after != 0 && complete) {
    const gint step = self->steps_after > 0 ? 1 : -1;

    self->steps_after -= step;
    preview_session_step (self, step);
  }
}

void
preview_transport_arrive (PreviewSession * self)
{
  preview_player_arrive (self->player);
  preview_transport_go_on (self);
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
  g_clear_handle_id (&self->rewind, g_source_remove);
  if (!preview_session_moves (self)) {
    self->stays = TRUE;
    hold (self);
  } else if (!self->paused) {
    self->rewind = g_timeout_add (preview_session_get_frame_duration (self)
        / GST_MSECOND, rewind_now, self);
  }
}

void
preview_session_set_paused (PreviewSession * self, gboolean paused)
{
  GstClockTime place;
  gboolean ended, changes, comes, fresh;

  g_mutex_lock (&self->lock);
  changes = self->paused != paused;
  self->paused = paused;
  ended = self->ended & 1 << PREVIEW_ORIGINAL;
  place = find_place (self);
  fresh = self->fresh;
  g_mutex_unlock (&self->lock);
  self->steps_after = 0;
  if (!changes || self->player == NULL || self->stays)
    return;
  if (paused) {
    g_clear_handle_id (&self->rewind, g_source_remove);
    /* What is sought comes, or is sought again if it is on its way. */
    g_mutex_lock (&self->lock);
    comes = self->seeking && !self->is_away && self->ended == 0;
    if (comes) {
      preview_flow_begin (self, TRUE);
      self->target = self->sought;
    }
    g_mutex_unlock (&self->lock);
    if (!comes && !(fresh && seek_now (self, place)))
      hold (self);
  } else if (ended && preview_session_moves (self)) {
    rewind_now (self);
  } else if (!GST_CLOCK_TIME_IS_VALID (get_shown (self))
      || !preview_session_seek (self, place)) {
    g_mutex_lock (&self->lock);
    preview_flow_begin (self, FALSE);
    g_mutex_unlock (&self->lock);
  }
}

/* Hold the frame before the held one: what is shown shortly before that
 * begins, as frames' durations vary. Rounded to milliseconds, one may end 1 ms
 * before the next frame. */
static gboolean
step_back (PreviewSession * self)
{
  GstClockTime place;
  gboolean comes;

  g_mutex_lock (&self->lock);
  place = find_place (self);
  comes = !self->complete;
  g_mutex_unlock (&self->lock);
  if (!comes && !self->seeking)
    return seek_now (self, place - MIN (place, MIN
            (preview_session_get_frame_duration (self) / 4, 3 * GST_MSECOND)));
  self->steps_after--;
  return TRUE;
}

gboolean
preview_session_step (PreviewSession * self, gint frames)
{
  GstClockTime place;
  gboolean ok, synced, comes;

  if (!self->paused) {
    preview_session_set_paused (self, TRUE);
    return TRUE;
  }
  if (frames < 0)
    return step_back (self);
  g_mutex_lock (&self->lock);
  ok = !(self->ended & 1 << PREVIEW_ORIGINAL) || preview_flow_encodes (self);
  comes = !self->complete || self->seeking;
  synced = self->synced && !comes;
  place = find_place (self) + self->duration + self->duration / 8;
  if (ok && synced) {
    self->sought = place;
    preview_flow_begin (self, TRUE);
    self->target = 0;
  }
  g_mutex_unlock (&self->lock);
  /* A frame that comes would be lost, and a seek that waits has this step after
   * it. */
  if (ok && comes)
    self->steps_after += frames;
  else if (ok && !synced)
    ok = go_to (self, place);
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
    self->from = position;
    return TRUE;
  }
  to = MAX (self->from, position);
  self->from = MIN (self->from, position);
  self->to = to + preview_session_get_frame_duration (self);
  return preview_session_seek (self, self->from);
}
