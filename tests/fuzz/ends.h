/* blockdct fuzzers: the pads before and behind an element, and what comes out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_ENDS_H
#define TESTS_FUZZ_ENDS_H

#include <gst/gst.h>

/* An element of this plugin, the caller's. */
GstElement *ends_make (const gchar * factory);

/* Have one thread do all, on this backend. */
void ends_set_backend (gpointer element, const gchar * backend);

/* A pad of ours, the caller's, active and linked to one of an element, which
 * is let go; its functions, of which a source's pad has no `chain`, find
 * `owner` by ends_owner(). */
GstPad *ends_link (GstPad * other, gpointer owner, GstPadChainFunction chain,
    GstPadEventFunction event, GstPadQueryFunction query);
gpointer ends_owner (GstPad * pad);

/* Query functions: of a pad behind, that takes any caps; and of one before,
 * that is not live and knows its position. */
gboolean ends_take_all (GstPad * pad, GstObject * parent, GstQuery * query);
gboolean ends_answer (GstPad * pad, GstObject * parent, GstQuery * query);

/* The event of a segment that changes nothing. */
GstEvent *ends_segment (void);

/* What came out of a pad. */
typedef struct
{
  GstBuffer *buffer;
  GstCaps *caps;
  GstClockTime time;            /* running time */
} Output;

/* A buffer, which is taken, as it came to a pad of ours. */
Output *output_new (GstPad * pad, GstBuffer * buffer);
void output_free (Output * output);

#endif
