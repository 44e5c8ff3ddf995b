/* What the programs let a file be decoded with, and why it was not.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROGRAMS_DECODING_H
#define PROGRAMS_DECODING_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether an element may open what a file names: other files, or addresses. */
gboolean decoding_refuses (GstElementFactory * factory);

/* Let a decodebin plug none of these. */
void decoding_guard (GstElement * decodebin);

/* Whether a guarded decodebin met a list of other files. */
gboolean decoding_met_list (GstElement * decodebin);

/* What is wrong with the file that a guarded decodebin did not decode, as "it
 * is a list of other files ...". `error` is decodebin's, with its `debug` or
 * NULL; or both are NULL: no picture came. Owned by the caller. */
gchar *decoding_explain (GstElement * decodebin, const GError * error,
    const gchar * debug);

/* So for a message of an element that a file is elsewhere; NULL for any other
 * message. The error that follows may be lost: decodebin drops errors of a
 * demuxer that it starts. */
gchar *decoding_explain_redirect (GstMessage * message);

G_END_DECLS
#endif
