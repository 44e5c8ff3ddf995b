/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctcomparecoded.h"

#include <string.h>

/* Whether a unit, by its first byte, is part of a picture. */
typedef gboolean (*IsPicture) (guint8 type);

/* H.264, 7.4.1: slices, their partitions and extensions. */
static gboolean
is_h264_picture (guint8 byte)
{
  const guint type = byte & 31;

  return (type >= 1 && type <= 5) || type == 20;
}

/* H.265, 7.4.2.2: VCL units. */
static gboolean
is_h265_picture (guint8 byte)
{
  return byte >> 1 < 32;
}

/* H.262, 6.2.1: picture_start_code and slices. */
static gboolean
is_mpeg2_picture (guint8 byte)
{
  return byte < 0xb0;
}

/* ISO/IEC 14496-2, 6.2.1: vop_start_code. */
static gboolean
is_mpeg4_picture (guint8 byte)
{
  return byte == 0xb6;
}

/* Count units after start codes, 00 00 01; zeros before a start code belong to
 * its unit. */
static gsize
count_start_codes (const guint8 * data, gsize size, IsPicture is_picture)
{
  gsize start = 0, picture = 0;
  gboolean counted = FALSE;

  for (gsize i = 0; i + 3 < size; i++) {
    gsize begin = i;

    if (data[i] != 0 || data[i + 1] != 0 || data[i + 2] != 1)
      continue;
    while (begin > start && data[begin - 1] == 0)
      begin--;
    if (counted)
      picture += begin - start;
    start = begin;
    counted = is_picture (data[i + 3]);
    i += 2;
  }
  return counted ? picture + size - start : picture;
}

/* Count units after their lengths, which have `bytes` bytes. */
static gsize
count_lengths (const guint8 * data, gsize size, guint bytes,
    IsPicture is_picture)
{
  gsize at = 0, picture = 0;

  while (at + bytes < size) {
    gsize n = 0;

    for (guint i = 0; i < bytes; i++)
      n = n << 8 | data[at + i];
    n = MIN (n, size - at - bytes);
    if (n > 0 && is_picture (data[at + bytes]))
      picture += bytes + n;
    at += bytes + n;
  }
  return picture;
}

/* AV1, 5.3: count the OBUs of frame headers, frames, tile groups and tile
 * lists. */
static gsize
count_obus (const guint8 * data, gsize size)
{
  gsize at = 0, picture = 0;

  while (at < size) {
    const guint8 header = data[at];
    const guint type = header >> 3 & 15;
    gsize n = 0, body = at + 1 + (header >> 2 & 1), next = size;

    if (header & 2) {
      for (guint i = 0; i < 8 && body < size; i++) {
        n |= (gsize) (data[body] & 127) << 7 * i;
        if (!(data[body++] & 128))
          break;
      }
      next = body + MIN (n, size - MIN (body, size));
    }
    if (type == 3 || type == 4 || (type >= 6 && type <= 8))
      picture += next - at;
    at = next;
  }
  return picture;
}

/* T.81, B.1.1: count the entropy-coded data after each SOS. */
static gsize
count_scans (const guint8 * data, gsize size)
{
  gsize at = 2, picture = 0;

  while (at + 3 < size && data[at] == 0xff) {
    const guint8 marker = data[at + 1];
    const gsize end = MIN (at + 2 + (data[at + 2] << 8 | data[at + 3]), size);

    at = end;
    if (marker != 0xda)
      continue;
    while (at < size && !(data[at] == 0xff && at + 1 < size
            && data[at + 1] != 0 && (data[at + 1] & 0xf8) != 0xd0))
      at++;
    picture += at - end;
  }
  return picture;
}

/* The number of bytes in a unit's length, from byte `at` of the codec_data. */
static guint
get_length_bytes (const GstStructure * s, gsize at)
{
  const GValue *value = gst_structure_get_value (s, "codec_data");
  guint8 byte = 3;

  if (value != NULL && GST_VALUE_HOLDS_BUFFER (value))
    gst_buffer_extract (gst_value_get_buffer (value), at, &byte, 1);
  return (byte & 3) + 1;
}

static gsize
count_nal_units (const GstStructure * s, const guint8 * data, gsize size,
    gsize length_at, IsPicture is_picture)
{
  const gchar *form = gst_structure_get_string (s, "stream-format");

  if (form != NULL && strcmp (form, "byte-stream") != 0)
    return count_lengths (data, size, get_length_bytes (s, length_at),
        is_picture);
  return count_start_codes (data, size, is_picture);
}

void
gst_blockdct_compare_coded_split (const GstCaps * caps, gboolean header,
    const guint8 * data, gsize size, guint64 * bits, guint64 * headers)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *name = gst_structure_get_name (s);
  gsize picture = header ? 0 : size;
  gint version = 0;

  gst_structure_get_int (s, "mpegversion", &version);
  if (strcmp (name, "video/x-h264") == 0)
    picture = count_nal_units (s, data, size, 4, is_h264_picture);
  else if (strcmp (name, "video/x-h265") == 0)
    picture = count_nal_units (s, data, size, 21, is_h265_picture);
  else if (strcmp (name, "video/x-av1") == 0)
    picture = count_obus (data, size);
  else if (strcmp (name, "video/mpeg") == 0)
    picture = count_start_codes (data, size, version == 4 ? is_mpeg4_picture
        : is_mpeg2_picture);
  else if (strcmp (name, "image/jpeg") == 0)
    picture = count_scans (data, size);
  *bits = 8 * (guint64) picture;
  *headers = 8 * (guint64) (size - picture);
}

void
gst_blockdct_compare_coded_init (void)
{
  static const gchar *no_tags[] = { NULL };
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    gst_meta_register_custom (GST_BLOCKDCT_CODED_NAME, no_tags, NULL, NULL,
        NULL);
    g_once_init_leave (&once, 1);
  }
}

/* Headers that came in buffers of their own, and belong to the next frame. Used
 * by the encoder's streaming thread. */
typedef struct
{
  guint64 headers;
} Pending;

/* Count a buffer, which is taken, and attach its numbers. */
static GstBuffer *
count (GstPad * pad, GstBuffer * buffer, Pending * pending)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  guint64 bits, headers;
  GstStructure *s;
  GstMapInfo map;

  if (caps == NULL || gst_buffer_get_custom_meta (buffer,
          GST_BLOCKDCT_CODED_NAME) != NULL
      || !gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    gst_clear_caps (&caps);
    return buffer;
  }
  gst_blockdct_compare_coded_split (caps,
      GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER), map.data,
      map.size, &bits, &headers);
  gst_buffer_unmap (buffer, &map);
  gst_caps_unref (caps);
  pending->headers += headers;
  if (bits == 0)
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  s = gst_custom_meta_get_structure (gst_buffer_add_custom_meta (buffer,
          GST_BLOCKDCT_CODED_NAME));
  gst_structure_set (s, "bits", G_TYPE_UINT64, bits, "bits-headers",
      G_TYPE_UINT64, pending->headers, NULL);
  pending->headers = 0;
  return buffer;
}

static GstPadProbeReturn
on_coded (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    info->data = count (pad, info->data, data);
  } else {
    GstBufferList *list = gst_buffer_list_make_writable (info->data);

    for (guint i = 0; i < gst_buffer_list_length (list); i++) {
      GstBuffer *buffer = gst_buffer_ref (gst_buffer_list_get (list, i));

      gst_buffer_list_remove (list, i, 1);
      gst_buffer_list_insert (list, i, count (pad, buffer, data));
    }
    info->data = list;
  }
  return GST_PAD_PROBE_OK;
}

static gboolean
is_encoder (GstElement * element)
{
  const gchar *klass = gst_element_get_metadata (element,
      GST_ELEMENT_METADATA_KLASS);

  return klass != NULL && strstr (klass, "Encoder") != NULL;
}

/* The source pad of the nearest encoder upstream, with a reference. */
static GstPad *
find_encoder (GstPad * sink)
{
  GstPad *peer = gst_pad_get_peer (sink), *found = NULL;
  GstElement *element;
  GstIterator *links;
  GValue item = G_VALUE_INIT;

  if (peer == NULL)
    return NULL;
  element = gst_pad_get_parent_element (peer);
  if (element != NULL && !GST_IS_BIN (element) && is_encoder (element)) {
    gst_object_unref (element);
    return peer;
  }
  gst_clear_object (&element);
  links = gst_pad_iterate_internal_links (peer);
  while (links != NULL && found == NULL
      && gst_iterator_next (links, &item) == GST_ITERATOR_OK) {
    found = find_encoder (g_value_get_object (&item));
    g_value_reset (&item);
  }
  if (G_IS_VALUE (&item))
    g_value_unset (&item);
  if (links != NULL)
    gst_iterator_free (links);
  gst_object_unref (peer);
  return found;
}

void
gst_blockdct_compare_coded_watch (GstBlockDctCompareCoded * coded,
    GstPad * sink)
{
  GstPad *pad = find_encoder (sink);

  if (pad == coded->pad) {
    gst_clear_object (&pad);
    return;
  }
  gst_blockdct_compare_coded_clear (coded);
  coded->pad = pad;
  if (pad != NULL)
    coded->probe = gst_pad_add_probe (coded->pad, GST_PAD_PROBE_TYPE_BUFFER
        | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_coded, g_new0 (Pending, 1),
        g_free);
}

void
gst_blockdct_compare_coded_clear (GstBlockDctCompareCoded * coded)
{
  if (coded->pad != NULL)
    gst_pad_remove_probe (coded->pad, coded->probe);
  gst_clear_object (&coded->pad);
}

gboolean
gst_blockdct_compare_coded_get (GstBuffer * buffer, guint64 * bits,
    guint64 * headers)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      GST_BLOCKDCT_CODED_NAME);
  const GstStructure *s;

  if (meta == NULL)
    return FALSE;
  s = gst_custom_meta_get_structure (meta);
  return gst_structure_get_uint64 (s, "bits", bits)
      && gst_structure_get_uint64 (s, "bits-headers", headers);
}

const gchar *
gst_blockdct_compare_coded_get_encoder (GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      GST_BLOCKDCT_CODED_NAME);

  return meta == NULL ? NULL : gst_structure_get_string
      (gst_custom_meta_get_structure (meta), GST_BLOCKDCT_CODED_ENCODER);
}
