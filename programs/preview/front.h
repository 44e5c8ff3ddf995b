/* blockdct-preview: who shows what the pipeline does, a window or a page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_FRONT_H
#define PREVIEW_FRONT_H

#include <gst/gst.h>

G_BEGIN_DECLS typedef struct _PreviewFront PreviewFront;

/** What is NULL here has nothing to show. All are called by the main thread. */
struct _PreviewFront
{
  /** Show what the picture is of; what was said of another one is gone. */
  void (*show_source) (PreviewFront * front, const gchar * name);
  /** Show what a message of blockdct says. */
  void (*show_message) (PreviewFront * front, const GstStructure * message);
  /** Show a warning. */
  void (*show_notice) (PreviewFront * front, const gchar * text);
  /** A frame came too late for an element: show how many did. */
  void (*show_qos) (PreviewFront * front, GstMessage * message);
  /** Write all that is shown as a PNG. */
    gboolean (*save) (PreviewFront * front, const gchar * path,
      GError ** error);
  void (*free) (PreviewFront * front);
  /** Set by who made it, with the first argument: the user wants this URI. */
  void (*open) (gpointer owner, const gchar * uri);
  gpointer owner;
};

G_END_DECLS
#endif
