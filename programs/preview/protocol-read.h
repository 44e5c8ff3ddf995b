/* blockdct-preview: the commands that a viewer of the page may send.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     set NAME=VALUE                            of a control
 *     preset NAME
 *     no-original                               A's file is in its place
 *     pause, play
 *     step, back                                to the next frame, the last one
 *     seek SECONDS
 *     mark                                      the start of a repeated range,
 *                                               its end, none
 *     press X Y, move X Y, release X Y          of the picture's samples
 *     key NAME                                  such as Up, g, space
 */
#ifndef PREVIEW_PROTOCOL_READ_H
#define PREVIEW_PROTOCOL_READ_H

#include "session.h"

G_BEGIN_DECLS
/* Run a command; FALSE with an error. */
gboolean preview_protocol_run (PreviewSession * session, const gchar * text,
    GError ** error);

G_END_DECLS
#endif
