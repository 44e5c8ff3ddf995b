/* blockdct element tests: keys and the pointer of somebody in front of a sink's
 * window.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ELEMENT_VIEWER_H
#define TESTS_ELEMENT_VIEWER_H

#include <gst/video/navigation.h>
#include "duel.h"

/* Send an event to the source pad of a blockdctcompare or a blockdctpreview.
 * Whether it goes on upstream, which it may only as it was. In words:
 *
 *   key NAME, up NAME     a key is pressed, let go; ctrl NAME, alt NAME: with
 *                         another
 *   press1 X Y            a button, by its number; release1 X Y; move X Y
 *   wheel X Y BY          turned; ctrl-wheel: with a key; side: sideways
 */
gboolean viewer_do (GstElement * element, const gchar * what);

/* Values of properties, also of children, are these: NAME=VALUE ...; A/B is a
 * quotient. */
void viewer_expect (GstElement * element, const gchar * values);

#endif
