/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctcomparecoded.h"
#include "gst-plugin/coded/gstblockdctcoded.h"

/* The meta's content; NULL: the buffer has none. */
static const GstStructure *
get_content (GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      GST_BLOCKDCT_CODED_NAME);

  return meta == NULL ? NULL : gst_custom_meta_get_structure (meta);
}

gboolean
gst_blockdct_compare_coded_get (GstBuffer * buffer, guint64 * bits,
    guint64 * headers)
{
  const GstStructure *s = get_content (buffer);

  return s != NULL && gst_structure_get_uint64 (s, "bits", bits)
      && gst_structure_get_uint64 (s, "bits-headers", headers);
}

const gchar *
gst_blockdct_compare_coded_get_encoder (GstBuffer * buffer)
{
  const GstStructure *s = get_content (buffer);

  return s == NULL ? NULL : gst_structure_get_string (s, "encoder");
}
