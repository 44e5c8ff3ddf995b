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
  guint n_frames;               /* how many did */
  gboolean ended;
} Player;

/* Begin a test program with these files. FALSE, having said so, without what
 * writes them: exit with 77 then. */
gboolean player_begin (int *argc, char ***argv);

/* Run its tests; returns the exit status. */
gint player_end (void);

/* A page's session, which `ends` at the end, or begins again. */
void player_open (Player * player, gchar * file, gboolean ends);
void player_close (Player * player);

/* Set what "NAME=VALUE" says. */
void player_set (Player * player, const gchar * pair);

/* Have it play until a frame is this one; and until nothing else comes. */
void player_wait (Player * player, gint frame);
void player_settle (Player * player);

/* Paused at the first frame. */
void player_start_paused (Player * player);

#endif
