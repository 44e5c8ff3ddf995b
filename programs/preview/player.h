/* blockdct-preview: the pipeline that decodes the original, has encoders make
 * versions of it, and decodes versions that are files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PLAYER_H
#define PREVIEW_PLAYER_H

#include "source.h"

G_BEGIN_DECLS
/* The streams of pictures; also the numbers of blockdctcompare's inputs. */
    typedef enum
{
  PREVIEW_ORIGINAL, PREVIEW_OF_A, PREVIEW_OF_B, PREVIEW_N_STREAMS
} PreviewStream;

typedef struct _PreviewPlayer PreviewPlayer;

/* Streaming threads call these: a picture, which the player keeps, has come,
 * and the next one comes after the return; there are no more. */
typedef struct
{
  void (*take) (gpointer owner, PreviewPlayer * player, PreviewStream stream,
      GstSample * sample);
  void (*end) (gpointer owner, PreviewPlayer * player, PreviewStream stream);
} PreviewPlayerFuncs;

/* A stopped player of these options: `line` has A's and B's encoder, each up to
 * its decoder, `file` their files; NULL: neither. These are `shift` ns late: a
 * place is that much later in them. NULL with an error. */
PreviewPlayer *preview_player_new (const PreviewOptions * options,
    gchar * const line[2], gchar * const file[2], const gint64 shift[2],
    const PreviewPlayerFuncs * funcs, gpointer owner, GError ** error);

/* Whether there is such a stream. */
gboolean preview_player_has (PreviewPlayer * self, PreviewStream stream);

/* Play from `place` to `end`, which may be GST_CLOCK_TIME_NONE. Nothing is
 * taken before the place is reached, in the call of preview_player_arrive() for
 * the pipeline's first GST_MESSAGE_ASYNC_DONE. Returns whether it is live. */
gboolean preview_player_start (PreviewPlayer * self, GstClockTime place,
    GstClockTime end);
void preview_player_arrive (PreviewPlayer * self);

/* What comes from now on is stale, until a seek that follows. */
void preview_player_expect (PreviewPlayer * self);
gboolean preview_player_is_stale (PreviewPlayer * self, PreviewStream stream);

/* Go elsewhere. FALSE: the streams cannot seek. */
gboolean preview_player_seek (PreviewPlayer * self, GstClockTime place,
    GstClockTime end);

/* Ask the original's source. */
gboolean preview_player_query (PreviewPlayer * self, GstQuery * query);

/* The pipeline, and the source of a stream in it; NULL: it encodes the
 * original. */
GstElement *preview_player_get_pipeline (PreviewPlayer * self);
GstElement *preview_player_get_source (PreviewPlayer * self,
    PreviewStream stream);

/* The stream that an element in the pipeline belongs to. */
PreviewStream preview_player_find (PreviewPlayer * self, GstObject * object);

/* Stop it and free it: in another thread, as an encoder may take minutes for a
 * frame, unless the caller waits. Calls of `take` that wait have to return. */
void preview_player_free (PreviewPlayer * self, gboolean waits);

G_END_DECLS
#endif
