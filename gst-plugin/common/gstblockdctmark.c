/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctmark.h"

static const gchar *const names[] = {
  [GST_BLOCKDCT_MARK_REPEATED] = "blockdct-repeated",
  [GST_BLOCKDCT_MARK_ABSENT] = "blockdct-absent",
};

static const GstMetaInfo *infos[G_N_ELEMENTS (names)];

void
gst_blockdct_mark_init (void)
{
  static const gchar *no_tags[] = { NULL };
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      infos[i] =
          gst_meta_register_custom (names[i], no_tags, NULL, NULL, NULL);
    g_once_init_leave (&once, 1);
  }
}

GstBuffer *
gst_blockdct_mark_copy (GstBuffer * buffer, GstBlockDctMark mark)
{
  GstBuffer *copy = gst_buffer_copy (buffer);

  gst_blockdct_mark_add (copy, mark);
  return copy;
}

void
gst_blockdct_mark_add (GstBuffer * buffer, GstBlockDctMark mark)
{
  if (!gst_blockdct_mark_is (buffer, mark))
    gst_buffer_add_meta (buffer, infos[mark], NULL);
}

gboolean
gst_blockdct_mark_is (GstBuffer * buffer, GstBlockDctMark mark)
{
  return gst_buffer_get_meta (buffer, infos[mark]->api) != NULL;
}
