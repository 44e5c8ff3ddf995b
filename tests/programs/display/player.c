/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where blockdct-preview goes in a video: the very frame that is asked for, by
 * its figures. */
#include <string.h>
#include "parts.h"
#include "player-bench.h"
#include "gst-plugin/blockdct/gstblockdct.h"

/* From the middle of a frame, and many at once. */
static void
test_back (Player * player)
{
  player_start_paused (player);
  player_seek (player, 20.5 * LENGTH, 20);
  for (guint i = 0; i < 7; i++)
    g_assert_true (preview_session_step (player->session, -1));
  player_rest (player, 13);
  g_assert_true (preview_session_step (player->session, 1));
  player_wait (player, 14);
}

/* A step that is asked for while seeks are under way is made where they end. */
static void
test_step_after_seek (Player * player)
{
  player_start_paused (player);
  g_assert_true (preview_session_seek (player->session, 10.5 * LENGTH));
  g_assert_true (preview_session_seek (player->session, 20.5 * LENGTH));
  g_assert_true (preview_session_step (player->session, 1));
  player_wait (player, 21);
  player_rest (player, 21);
}

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  (void) pad, (void) info, (void) unused;
  return GST_PAD_PROBE_OK;
}

/* So it is behind an encoder, whose frames are not shown at once. */
static void
test_steps_of_encoder (Player * player)
{
  player_set (player, "encoder=jpegenc-quality");
  player_start_paused (player);
  for (guint i = 0; i < 3; i++)
    g_assert_true (preview_session_step (player->session, 1));
  player_wait (player, 3);
  player_rest (player, 3);
}

/* What is sought stays so when the player starts again, or is paused while it
 * is on its way. */
static void
test_change_on_way (Player * player)
{
  PreviewSession *self = player->session;
  g_autoptr (GstPad) pad = gst_element_get_static_pad (self->compare, "src");
  gboolean comes = FALSE;
  gulong probe;

  player_start_paused (player);
  g_assert_true (preview_session_seek (self, 20.5 * LENGTH));
  player_set (player, "encoder=jpegenc-quality");
  player_rest (player, 20);
  player_set (player, "encoder=transform");
  preview_session_set_paused (self, FALSE);
  player_wait (player, 22);
  probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK
      | GST_PAD_PROBE_TYPE_BUFFER, hold, NULL, NULL);
  g_assert_true (preview_session_seek (self, 10.5 * LENGTH));
  while (!comes) {
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
    g_mutex_lock (&self->lock);
    comes = self->is_away;
    g_mutex_unlock (&self->lock);
  }
  preview_session_set_paused (self, TRUE);
  gst_pad_remove_probe (pad, probe);
  player_rest (player, 10);
}

/* Takes as long as some frames, and counts it. */
static GstPadProbeReturn
dawdle (GstPad * pad, GstPadProbeInfo * info, gpointer n)
{
  (void) pad, (void) info;
  g_atomic_int_inc ((gint *) n);
  g_usleep (6 * LENGTH / GST_USECOND);
  return GST_PAD_PROBE_OK;
}

/* Who is late skips frames before they are transformed, not after that. */
static void
test_late (Player * player)
{
  gint n_shown = 0;
  g_autoptr (GstPad) pad = NULL;

  player->session->options.ends = TRUE;
  pad = gst_element_get_static_pad (player->session->sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, dawdle, &n_shown, NULL);
  preview_session_start (player->session);
  while (!player->ended)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (g_atomic_int_get (&n_shown), ==, player->n_frames);
  g_assert_cmpuint (player->n_frames, >, 0);
  g_assert_cmpuint (player->n_frames, <, N_FRAMES);
}

/* Each one as soon as the last one has come. */
static void
test_seeks (Player * player)
{
  PreviewSession *self = player->session;

  player_start_paused (player);
  for (guint i = 0; i < 1000; i++) {
    g_assert_true (preview_session_seek (self, (i % 30 + 0.5) * LENGTH));
    for (guint k = 0; self->seeking && k < 100; k++)
      if (!g_main_context_iteration (NULL, FALSE))
        g_usleep (100);
  }
  player_rest (player, 999 % 30);
}

/* A picture stays, cannot be gone through, and is shown again; until it
 * stops. */
static void
test_still (Player * player)
{
  GstElement *const a = GST_ELEMENT (player->session->part[PREVIEW_A]);

  preview_session_start (player->session);
  player_rest (player, 0);
  while (!player->session->stays)
    player_settle (player);
  g_assert_false (preview_session_moves (player->session));
  g_assert_false (preview_session_mark (player->session));
  for (guint i = 0; i < 3; i++) {
    player->frame = -1;
    player_set (player, i % 2 ? "quality=10" : "quality=20");
    player_wait (player, 0);
  }
  g_assert_true (gst_blockdct_get_shown (a).any);
  gst_element_set_state (player->session->pipeline, GST_STATE_READY);
  g_assert_false (gst_blockdct_get_shown (a).any);
}

/* What is the same is not announced each time that it is shown again. */
static void
test_same (Player * player)
{
  guint n;

  player_start_paused (player);
  n = player->n_frames;
  for (guint i = 0; i < 25; i++) {
    g_usleep (G_TIME_SPAN_MILLISECOND * 100);
    while (g_main_context_iteration (NULL, FALSE));
  }
  g_assert_cmpuint (player->n_frames, <=, n + 1);
}

/* What was stepped through plays on at its pace, not after as long as the steps
 * took: on a machine that others use, in one of some attempts. */
static void
test_play_on (Player * player)
{
  gint64 took = G_MAXINT64;

  player_start_paused (player);
  for (guint attempt = 0; attempt < 20 && took > G_TIME_SPAN_SECOND * 9 / 10;
      attempt++) {
    player_seek (player, 0, 0);
    for (gint i = 1; i <= 30; i++) {
      g_assert_true (preview_session_step (player->session, 1));
      player_wait (player, i);
    }
    took = -g_get_monotonic_time ();
    preview_session_set_paused (player->session, FALSE);
    while (player->frame < 33)
      g_main_context_iteration (NULL, TRUE);
    took += g_get_monotonic_time ();
    preview_session_set_paused (player->session, TRUE);
  }
  g_assert_cmpint (took, <=, G_TIME_SPAN_SECOND * 9 / 10);
}

/* The last frame is there before it begins again, and stays while paused. */
static void
test_end (Player * player)
{
  player_start_paused (player);
  player_seek (player, (N_FRAMES - 2.5) * LENGTH, N_FRAMES - 3);
  for (gint i = N_FRAMES - 2; i < N_FRAMES; i++) {
    g_assert_true (preview_session_step (player->session, 1));
    player_rest (player, i);
  }
  /* That there is no other frame is not known before one is asked for. */
  while (preview_session_step (player->session, 1))
    player_settle (player);
  player_settle (player);
  g_assert_cmpint (player->frame, ==, N_FRAMES - 1);
  preview_session_set_paused (player->session, FALSE);
  player_wait (player, 0);
  player_wait (player, N_FRAMES - 1);
  player_wait (player, 0);
}

/* Another file in the same window, as often as it is asked for. */
static void
test_open (Player * player)
{
  gchar *uri[] = { gst_filename_to_uri (player_video, NULL),
    gst_filename_to_uri (player_still, NULL)
  };
  GError *error = NULL;

  preview_session_start (player->session);
  player_rest (player, 0);
  g_assert_false (preview_session_open (player->session, "none:nothing",
          &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_false (player->session->paused);
  for (guint i = 0; i < 3; i++) {
    player->frame = -1;
    g_assert_true (preview_session_open (player->session, uri[i % 2], &error));
    player_wait (player, i % 2 == 0 ? N_FRAMES - 1 : 0);
    while (preview_session_moves (player->session) != (i % 2 == 0))
      player_settle (player);
  }
  g_free (uri[0]);
  g_free (uri[1]);
}

/* The only picture is on its way when what is to be seen changes. */
static void
test_dropped (Player * player)
{
  PreviewSession *self = player->session;
  g_autoptr (GstPad) pad = gst_element_get_static_pad (self->compare, "src");

  for (gint pause = 0; pause < 2; pause++) {
    const gulong probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK
        | GST_PAD_PROBE_TYPE_BUFFER, hold, NULL, NULL);
    gboolean ended = FALSE;

    if (pause == 0)
      preview_session_start (self);
    else
      preview_session_open (self, self->options.file, NULL);
    while (!ended) {
      if (!g_main_context_iteration (NULL, FALSE))
        g_usleep (1000);
      g_mutex_lock (&self->lock);
      ended = self->ended != 0 && gst_pad_is_blocking (pad);
      g_mutex_unlock (&self->lock);
    }
    if (pause)
      preview_session_set_paused (self, TRUE);
    else
      player_set (player, "right=b");
    gst_pad_remove_probe (pad, probe);
    player_rest (player, 0);
    player->frame = -1;
  }
}

int
main (int argc, char **argv)
{
  static const PlayerTest tests[] = {
    {"/player/step-after-seek", test_step_after_seek, &player_video,
        PREVIEW_PAGE},
    {"/player/steps-of-encoder", test_steps_of_encoder, &player_video,
        PREVIEW_PAGE},
    {"/player/change-on-way", test_change_on_way, &player_video, PREVIEW_PAGE},
    {"/player/back", test_back, &player_video, PREVIEW_PAGE},
    {"/player/late", test_late, &player_video, PREVIEW_PAGE},
    {"/player/seeks", test_seeks, &player_video, PREVIEW_PAGE},
    {"/player/still", test_still, &player_still, PREVIEW_PAGE},
    {"/player/same", test_same, &player_video, PREVIEW_PAGE},
    {"/player/play-on", test_play_on, &player_video, PREVIEW_PAGE},
    {"/player/end", test_end, &player_video, PREVIEW_PAGE},
    {"/player/open", test_open, &player_still, PREVIEW_PAGE},
    {"/player/dropped", test_dropped, &player_still, PREVIEW_PAGE},
  };

  return player_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
