/* blockdct-preview: what the page saves, copies and opens.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     GET view.png, original.png, a.png, b.png     of the shown frame
 *     GET command.txt, program.py                  that show the same
 *     POST open?name=holiday.mp4                   a file to show
 *     POST open?name=holiday-crf23.mp4&side=a      one that is A
 *
 * A file that is opened is kept in a temporary folder until the next one in its
 * place is, as a page cannot name one of its browser's machine. */
#ifndef PREVIEW_FILES_H
#define PREVIEW_FILES_H

#include <libsoup/soup.h>
#include "session.h"

G_BEGIN_DECLS
typedef struct _PreviewFiles PreviewFiles;

/* For a session, which outlives it. */
PreviewFiles *preview_files_new (PreviewSession * session);
/* Remove the opened file. */
void preview_files_remove (PreviewFiles * files);
/* The session has to be stopped. */
void preview_files_free (PreviewFiles * files);

/* Answer any request with a text. */
void preview_answer (SoupServerMessage * message, guint status,
    const gchar * text);

/* Answer a request for one of these; FALSE: it is for none of them. */
gboolean preview_files_get (PreviewFiles * files, SoupServerMessage * message,
    const gchar * name);

/* Answer whether a file of this size may be sent: browsers send all of it
 * before they look at the answer. */
void preview_files_check (SoupServerMessage * message, const gchar * size);
/* Called when the headers of a POST have come: write its body to a file. `side`
 * is "a" or "b", what it is to be, or NULL: the original. */
void preview_files_receive (SoupServerMessage * message, const gchar * name,
    const gchar * side);
/* Called when its body has come, too: show the file. */
void preview_files_open (PreviewFiles * files, SoupServerMessage * message);

G_END_DECLS
#endif
