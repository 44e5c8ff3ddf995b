/* blockdct element tests: blockdctcompare between pads and a sink that the
 * test holds in its hands.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ELEMENT_DUEL_H
#define TESTS_ELEMENT_DUEL_H

#include "bench.h"

/* The reference and its distorted inputs. */
#define DUEL_MAX_INPUTS 4

typedef struct
{
  GstElement *pipeline, *element, *sink;
  GstPad *feeder[DUEL_MAX_INPUTS];      /* which push; NULL: no more */
  GstBus *bus;
} Duel;

/* A pipeline of a launch line, not started, whose element is named compare and
 * whose sink is named out. */
void duel_launch (Duel * duel, const gchar * line);

/* A playing pipeline of 2 to 4 inputs, with properties of the element as in a
 * launch line, and frames of I420 announced. */
void duel_open (Duel * duel, GstVideoInfo * info, gint width, gint height,
    guint n_inputs, const gchar * properties);

/* Fails on an error or a warning that no test asked for. */
void duel_clear (Duel * duel);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Duel, duel_clear)

/* A picture that no reference has, at the time of frame `n`. */
GstBuffer *duel_distorted_new (const GstVideoInfo * info, guint n);

/* The next buffer that leaves, the caller's; NULL at the end. Fails after two
 * minutes. */
GstBuffer *duel_pull (Duel * duel);

/* Push a pair of frames: what must leave then, the caller's. */
GstBuffer *duel_show (Duel * duel, GstBuffer * reference,
    GstBuffer * distorted);

/* The same with frame `n`, and a picture that no reference has. */
GstBuffer *duel_show_pair (Duel * duel, const GstVideoInfo * info, guint n);

/* The figures of a pad that a buffer carries; NULL: there are none. */
GstStructure *duel_figures (GstBuffer * buffer, const gchar * pad);

/* The text and the debug text of the next warning or error, joined, within two
 * minutes; the caller's. */
gchar *duel_wait_text (Duel * duel, GstMessageType type);

/* The next blockdct-compare message of a type; others before it are skipped.
 * The caller's. */
GstStructure *duel_wait_report (Duel * duel, const gchar * type);

/* An event to all inputs, which is taken; what is before frames; and a
 * flush. */
void duel_push_all (Duel * duel, GstEvent * event);
void duel_begin (Duel * duel, const GstVideoInfo * info);
void duel_flush (Duel * duel);

#endif
