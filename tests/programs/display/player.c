/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What becomes of the frames of blockdct-preview's pipeline on their way, told
 * by the figures that come out. Needs no display. */
#include "parts.h"
#include "gst-plugin/blockdct/gstblockdct.h"

#include <glib/gstdio.h>

/* Of the video, at 30 a second: Matroska has whole milliseconds. */
#define N_FRAMES 60
#define LENGTH (GST_SECOND / 30)
#define LIMIT (2 * G_TIME_SPAN_MINUTE)

typedef struct
{
  PreviewOptions options;
  PreviewSession *session;
  gint frame;                   /* the last one that came out; -1: none */
  guint n_frames;               /* how many did */
  gboolean ended;
} Player;

typedef struct
{
  const gchar *path, *file;
  void (*run) (Player * player);
} PlayerTest;

static void
take_figures (Player * player, const GstStructure * figures)
{
  guint64 place;

  if (gst_structure_get_uint64 (figures, "stream-time", &place))
    player->frame = (place + GST_MSECOND) / LENGTH;
  player->n_frames++;
}

static void
take_end (Player * player, const gchar * text)
{
  if (text != NULL)
    g_error ("%s", text);
  player->ended = TRUE;
}

static void
set (Player * player, const gchar * pair)
{
  GError *error = NULL;

  preview_session_set_text (player->session, pair, &error);
  g_assert_no_error (error);
}

/* Have it play until a frame is this one. */
static void
wait_for (Player * player, gint frame)
{
  gint64 end = g_get_monotonic_time () + LIMIT;

  while (player->frame != frame) {
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
    if (g_get_monotonic_time () > end)
      g_error ("frame %d, not %d", player->frame, frame);
  }
}

/* Until nothing else comes. */
static void
settle (void)
{
  gint64 last = g_get_monotonic_time ();

  while (g_get_monotonic_time () < last + G_TIME_SPAN_SECOND / 5) {
    if (g_main_context_iteration (NULL, FALSE))
      last = g_get_monotonic_time ();
    else
      g_usleep (1000);
  }
}

/* Until it is and stays this one. */
static void
rest (Player * player, gint frame)
{
  wait_for (player, frame);
  settle ();
  g_assert_cmpint (player->frame, ==, frame);
}

static void
start_paused (Player * player)
{
  preview_session_set_paused (player->session, TRUE);
  preview_session_start (player->session);
  rest (player, 0);
}

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  (void) pad, (void) info, (void) unused;
  return GST_PAD_PROBE_OK;
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

  start_paused (player);
  g_assert_true (preview_session_seek (self, 20.5 * LENGTH));
  set (player, "encoder=jpegenc-quality");
  rest (player, 20);
  set (player, "encoder=transform");
  preview_session_set_paused (self, FALSE);
  wait_for (player, 22);
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
  rest (player, 10);
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

/* A picture stays, cannot be gone through, and is shown again; until it
 * stops. */
static void
test_still (Player * player)
{
  GstElement *const a = GST_ELEMENT (player->session->part[PREVIEW_A]);

  preview_session_start (player->session);
  rest (player, 0);
  while (!player->session->stays)
    settle ();
  g_assert_false (preview_session_moves (player->session));
  g_assert_false (preview_session_mark (player->session));
  for (guint i = 0; i < 3; i++) {
    player->frame = -1;
    set (player, i % 2 ? "quality=10" : "quality=20");
    wait_for (player, 0);
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

  start_paused (player);
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

  start_paused (player);
  for (guint attempt = 0; attempt < 20 && took > G_TIME_SPAN_SECOND * 9 / 10;
      attempt++) {
    g_assert_true (preview_session_seek (player->session, 0));
    rest (player, 0);
    for (gint i = 1; i <= 30; i++) {
      g_assert_true (preview_session_step (player->session, 1));
      wait_for (player, i);
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
  start_paused (player);
  g_assert_true (preview_session_seek (player->session,
          (N_FRAMES - 2.5) * LENGTH));
  rest (player, N_FRAMES - 3);
  for (gint i = N_FRAMES - 2; i < N_FRAMES; i++) {
    g_assert_true (preview_session_step (player->session, 1));
    rest (player, i);
  }
  /* That there is no other frame is not known before one is asked for. */
  while (preview_session_step (player->session, 1))
    settle ();
  settle ();
  g_assert_cmpint (player->frame, ==, N_FRAMES - 1);
  preview_session_set_paused (player->session, FALSE);
  wait_for (player, 0);
  wait_for (player, N_FRAMES - 1);
  wait_for (player, 0);
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
      set (player, "right=b");
    gst_pad_remove_probe (pad, probe);
    rest (player, 0);
    player->frame = -1;
  }
}

static GstPadProbeReturn
count (GstPad * pad, GstPadProbeInfo * info, gpointer n)
{
  (void) pad, (void) info;
  g_atomic_int_inc ((gint *) n);
  return GST_PAD_PROBE_OK;
}

/* A version does not run so far ahead of another one that what compares takes
 * no more of it: a pause and a seek would wait for ever. */
static void
test_behind (Player * player)
{
  PreviewSession *self = player->session;
  static gint n;                /* it counts until the player has stopped */
  gint before = -1;
  g_autoptr (GstPad) a = NULL, b = NULL;
  gulong probe;

  for (guint side = 0; side < 2; side++)
    preview_session_set_version (self, side, self->options.file);
  set (player, "left=a");
  set (player, "right=b");
  preview_session_start (self);
  wait_for (player, 5);
  a = gst_element_get_static_pad (preview_player_get_source (self->player,
          PREVIEW_OF_A), "src");
  b = gst_element_get_static_pad (preview_player_get_source (self->player,
          PREVIEW_OF_B), "src");
  probe = gst_pad_add_probe (b, GST_PAD_PROBE_TYPE_BLOCK
      | GST_PAD_PROBE_TYPE_BUFFER, hold, NULL, NULL);
  gst_pad_add_probe (a, GST_PAD_PROBE_TYPE_BUFFER, count, &n, NULL);
  while (before != g_atomic_int_get (&n)) {
    before = g_atomic_int_get (&n);
    settle ();
  }
  g_assert_cmpint (n, <, 60);
  preview_session_set_paused (self, TRUE);
  g_assert_true (preview_session_seek (self, 10.5 * LENGTH));
  gst_pad_remove_probe (b, probe);
  rest (player, 10);
}

static void
run (gconstpointer data)
{
  const PlayerTest *test = data;
  Player player = {.options.file = (gchar *) test->file,.frame = -1 };
  GError *error = NULL;

  player.session = preview_session_new (&player.options, PREVIEW_PAGE, &error);
  g_assert_no_error (error);
  g_signal_connect_swapped (player.session, "figures",
      G_CALLBACK (take_figures), &player);
  g_signal_connect_swapped (player.session, "ended", G_CALLBACK (take_end),
      &player);
  test->run (&player);
  preview_session_stop (player.session);
  g_object_unref (player.session);
}

static gboolean
make (const gchar * description, const gchar * file)
{
  g_autofree gchar *all = g_strdup_printf ("%s ! filesink location=%s",
      description, file);
  g_autoptr (GstElement) pipeline = gst_parse_launch_full (all, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) message = NULL;

  if (pipeline == NULL)
    return FALSE;
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
}

int
main (int argc, char **argv)
{
  g_autofree gchar *folder = g_dir_make_tmp ("blockdct-XXXXXX", NULL);
  g_autofree gchar *video = g_build_filename (folder, "video.mkv", NULL);
  g_autofree gchar *long_video = g_build_filename (folder, "long.mkv", NULL);
  g_autofree gchar *still = g_build_filename (folder, "still.jpg", NULL);
  const PlayerTest tests[] = {
    {"/player/change-on-way", video, test_change_on_way},
    {"/player/late", video, test_late},
    {"/player/still", still, test_still},
    {"/player/same", video, test_same},
    {"/player/play-on", video, test_play_on},
    {"/player/end", video, test_end},
    {"/player/dropped", still, test_dropped},
    {"/player/behind", long_video, test_behind},
  };
  gint status = 77;

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add_data_func (tests[i].path, &tests[i], run);
  if (make ("videotestsrc pattern=ball num-buffers=" G_STRINGIFY (N_FRAMES)
          " ! video/x-raw,format=I420,width=64,height=48,framerate=30/1 ! "
          "jpegenc ! matroskamux", video)
      && make ("videotestsrc num-buffers=600 ! video/x-raw,format=I420,"
          "width=64,height=48,framerate=30/1 ! jpegenc ! matroskamux",
          long_video)
      && make ("videotestsrc num-buffers=1 ! jpegenc", still))
    status = g_test_run ();
  else
    g_print ("SKIPPED: no jpegenc and matroskamux "
        "(gstreamer1.0-plugins-good)\n");
  g_unlink (video);
  g_unlink (long_video);
  g_unlink (still);
  g_rmdir (folder);
  return status;
}
