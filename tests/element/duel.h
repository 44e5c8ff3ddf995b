/* blockdct element tests: blockdctcompare between sources and a sink that the
 * test holds in its hands.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ELEMENT_DUEL_H
#define TESTS_ELEMENT_DUEL_H

#include "bench.h"

/* The inputs, by the pads that they feed. */
enum
{ DUEL_REFERENCE, DUEL_DISTORTED, DUEL_DISTORTED_1, DUEL_DISTORTED_2,
  DUEL_MAX_INPUTS };

typedef struct
{
  GstElement *pipeline, *element, *sink;
  GstElement *input[DUEL_MAX_INPUTS];
  guint n_inputs;
  GstPad *feeder[DUEL_MAX_INPUTS];      /* pads that push, in place of inputs */
  GstBus *bus;
} Duel;

/* A pipeline of a launch line, not started, whose element is named compare and
 * whose sink is named out; its inputs, if any, are in0 and on. */
void duel_launch (Duel * duel, const gchar * line);

/* A playing pipeline of 2 to 4 inputs, with properties of the element as in a
 * launch line. */
void duel_init (Duel * duel, guint n_inputs, const gchar * properties);

/* The same, with frames of this format and size announced on all inputs. */
void duel_open (Duel * duel, GstVideoInfo * info, const gchar * format,
    gint width, gint height, guint n_inputs, const gchar * properties);

/* Fails on an error or a warning that no test asked for. */
void duel_clear (Duel * duel);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Duel, duel_clear)

/* The same after an error that the test has read; what the bus holds beside it
 * is dropped. */
void duel_abort (Duel *duel);

/* A picture that no reference has, at the time of frame `n`. */
GstBuffer *duel_distorted_new (const GstVideoInfo * info, guint n);

void duel_set_caps (Duel * duel, guint input, const GstVideoInfo * info);

/* Give a buffer, which is taken, to an input; and the end of its stream. */
void duel_push (Duel * duel, guint input, GstBuffer * buffer);
void duel_end (Duel * duel, guint input);
void duel_end_all (Duel * duel);

/* Give a pair of frames to the reference and to the first distorted input. */
void duel_push_pair (Duel * duel, GstBuffer * reference,
    GstBuffer * distorted);

/* The next buffer that leaves, the caller's; NULL at the end. Fails after two
 * minutes. */
GstBuffer *duel_pull (Duel * duel);

/* Push a pair of frames: what must leave then, the caller's. */
GstBuffer *duel_show (Duel * duel, GstBuffer * reference,
    GstBuffer * distorted);

/* The same with frame `n`, and a picture that no reference has. */
GstBuffer *duel_show_pair (Duel * duel, const GstVideoInfo * info, guint n);

/* Let go of all that leaves, up to the end. */
void duel_drain (Duel * duel);

/* The figures of a pad that a buffer carries; NULL: there are none. */
GstStructure *duel_figures (GstBuffer * buffer, const gchar * pad);

/* The next message of these types, within two minutes; the caller's. */
GstMessage *duel_wait (Duel * duel, GstMessageType types);

/* The text and the debug text of the next warning or error, joined; the
 * caller's. */
gchar *duel_wait_text (Duel * duel, GstMessageType type);

/* The next blockdct-compare message of a type; others before it are skipped.
 * The caller's. */
GstStructure *duel_wait_report (Duel * duel, const gchar * type);

/* A playing pipeline whose two inputs are pads of the test's, with frames of
 * I420 announced. */
void duel_feed (Duel * duel, GstVideoInfo * info, gint size,
    const gchar * properties);

/* For these: an event, which is taken; what is before frames; and a flush. */
void duel_push_both (Duel * duel, GstEvent * event);
void duel_begin (Duel * duel, const GstVideoInfo * info);
void duel_flush (Duel * duel);

#endif
