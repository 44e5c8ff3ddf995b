/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctmark.h"

void
gst_blockdct_mark_init (void)
{
  static const gchar *no_tags[] = { NULL };
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    gst_meta_register_custom (GST_BLOCKDCT_MARK_REPEATED, no_tags, NULL, NULL,
        NULL);
    gst_meta_register_custom (GST_BLOCKDCT_MARK_ABSENT, no_tags, NULL, NULL,
        NULL);
    g_once_init_leave (&once, 1);
  }
}

GstBuffer *
gst_blockdct_mark_copy (GstBuffer * buffer, const gchar * mark)
{
  GstBuffer *copy = gst_buffer_copy (buffer);

  gst_blockdct_mark_add (copy, mark);
  return copy;
}

void
gst_blockdct_mark_add (GstBuffer * buffer, const gchar * mark)
{
  if (!gst_blockdct_mark_is (buffer, mark))
    gst_buffer_add_custom_meta (buffer, mark);
}

gboolean
gst_blockdct_mark_is (GstBuffer * buffer, const gchar * mark)
{
  return gst_buffer_get_custom_meta (buffer, mark) != NULL;
}
