/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A video and a picture, and blockdct-preview's pipeline with one of them, told
 * where to go as its main loop does. Needs no display. */
#ifndef PLAYER_BENCH_H
#define PLAYER_BENCH_H

#include "session.h"

/* Of the video, at 30 a second: Matroska has whole milliseconds. */
#define N_FRAMES 60
#define LENGTH (GST_SECOND / 30)

extern gchar *player_folder, *player_video, *player_still;

typedef struct
{
  PreviewOptions options;
  PreviewSession *session;
  gint frame;                   /* the last one that came out; -1: none */
  GstStructure *figures;        /* its; or NULL */
  guint n_frames;               /* how many did */
  gboolean ended;
} Player;

typedef struct
{
  const gchar *path;
  void (*run) (Player * player);
  gchar **file;                 /* one of those above */
  PreviewOutput output;         /* a page's begins again at the end */
} PlayerTest;

/* Run tests with these files, each with a session; returns the exit status:
 * 77, having said so, without what writes the files. */
gint player_run (int argc, char **argv, const PlayerTest * tests, guint n);

/* Set what "NAME=VALUE" says. */
void player_set (Player * player, const gchar * pair);

/* Have it play until a frame is this one; until nothing else comes; until it is
 * and stays this one; go to a place, where it is. */
void player_wait (Player * player, gint frame);
void player_settle (Player * player);
void player_rest (Player * player, gint frame);
void player_seek (Player * player, GstClockTime place, gint frame);

/* Wait until this line makes B, NULL: the transform; the PSNR of B. */
gdouble player_wait_for_b (Player * player, const gchar * line);

/* Paused at the first frame. */
void player_start_paused (Player * player);

#endif
