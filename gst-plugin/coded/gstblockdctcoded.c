/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-blockdctcoded
 * @title: blockdctcoded
 * @short_description: attach the size of each coded frame to its buffer
 *
 * Put it behind an encoder. Each coded frame gets the custom meta
 * `blockdct-coded`, a #GstStructure with the fields `bits` and `bits-headers`
 * (both #guint64), which parsers and decoders pass on to the picture. The two
 * add up to the buffers' bytes: parameter sets, SEI and the like are headers,
 * all else is the frame. What caps carry, such as the parameter sets of
 * `stream-format=avc`, does not count. What has no picture to show, such as a
 * buffer of headers or an alternative reference frame of VP8, joins the next
 * frame. #blockdctcompare behind the decoder reports both.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m blockdctcompare name=c ! fakesink \
 *     videotestsrc num-buffers=60 ! tee name=t ! queue ! c.ref_sink \
 *     t. ! queue ! x264enc ! blockdctcoded ! avdec_h264 ! c.dist_sink
 * ]| Print the PSNR and the bits of each frame that x264enc codes.
 *
 * Since: 0.2
 */
#include "gstblockdctcoded.h"
#include "gst-plugin/common/gstblockdctstatistics.h"

#include <gst/base/gstbytereader.h>

GST_DEBUG_CATEGORY_STATIC (gst_blockdct_coded_debug);
#define GST_CAT_DEFAULT gst_blockdct_coded_debug

/* Whether a unit, by the byte behind its start code or length, is part of a
 * picture. */
typedef gboolean (*IsPicture) (guint8 byte);

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

typedef struct
{
  const guint8 *data;
  gsize size;
  guint length_bytes;           /* in the length of a unit; 0: units have start
                                   codes */
  IsPicture is_picture;         /* where there are units */
} Frame;

/* Sum the units behind start codes. Zeros ahead of a start code belong to its
 * unit. */
static gsize
count_start_codes (const Frame * frame)
{
  gsize start = 0, at = 0, picture = 0;
  gboolean counted = FALSE;
  GstByteReader reader;

  gst_byte_reader_init (&reader, frame->data, frame->size);
  while (at + 4 <= frame->size) {
    const guint found = gst_byte_reader_masked_scan_uint32 (&reader,
        0xffffff00, 0x00000100, at, frame->size - at);
    gsize begin = found;

    if (found == (guint) - 1)
      break;
    while (begin > start && frame->data[begin - 1] == 0)
      begin--;
    if (counted)
      picture += begin - start;
    start = begin;
    counted = frame->is_picture (frame->data[found + 3]);
    at = found + 3;
  }
  return counted ? picture + frame->size - start : picture;
}

static gsize
count_units (const Frame * frame)
{
  const guint bytes = frame->length_bytes;
  gsize at = 0, picture = 0;

  if (bytes == 0)
    return count_start_codes (frame);
  while (at + bytes < frame->size) {
    gsize n = 0;

    for (guint i = 0; i < bytes; i++)
      n = n << 8 | frame->data[at + i];
    n = MIN (n, frame->size - at - bytes);
    if (n > 0 && frame->is_picture (frame->data[at + bytes]))
      picture += bytes + n;
    at += bytes + n;
  }
  return picture;
}

/* AV1, 5.3: sum the OBUs of frame headers, frames, tile groups and tile
 * lists. */
static gsize
count_obus (const Frame * frame)
{
  gsize at = 0, picture = 0;

  while (at < frame->size) {
    const guint8 header = frame->data[at];
    const guint type = header >> 3 & 15;
    gsize n = 0, body = at + 1 + (header >> 2 & 1), next = frame->size;

    if (header & 2) {
      for (guint i = 0; i < 8 && body < frame->size; i++) {
        n |= (gsize) (frame->data[body] & 127) << 7 * i;
        if (!(frame->data[body++] & 128))
          break;
      }
      body = MIN (body, frame->size);
      next = body + MIN (n, frame->size - body);
    }
    if (type == 3 || type == 4 || (type >= 6 && type <= 8))
      picture += next - at;
    at = next;
  }
  return picture;
}

/* T.81, B.1.1: sum the entropy-coded data behind each SOS. */
static gsize
count_scans (const Frame * frame)
{
  const guint8 *data = frame->data;
  const gsize size = frame->size;
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

/* Theora, 6.1: the first bit of a packet says whether it is a header. */
static gsize
count_theora (const Frame * frame)
{
  return frame->size > 0 && frame->data[0] & 0x80 ? 0 : frame->size;
}

/* RFC 6386, 9.1: show_frame. */
static gboolean
is_shown_vp8 (const Frame * frame)
{
  return frame->size > 0 && frame->data[0] & 0x10;
}

/* VP9, 6.2: show_existing_frame or show_frame, behind one more bit in profile
 * 3. A superframe (Annex B) shows its last frame. */
static gboolean
is_shown_vp9 (const Frame * frame)
{
  guint8 first;

  if (frame->size == 0)
    return FALSE;
  first = frame->data[0];
  return (frame->data[frame->size - 1] & 0xe0) == 0xc0
      || first << ((first & 0x30) == 0x30) & 0x0a;
}

/* A frame without data repeats the one before. */
static gboolean
is_shown_theora (const Frame * frame)
{
  return frame->size == 0 || !(frame->data[0] & 0x80);
}

/* The number of bytes of pictures in a frame. */
typedef gsize (*Count) (const Frame * frame);

typedef gboolean (*IsShown) (const Frame * frame);

/* How a codec's frames are split. */
typedef struct
{
  GstStaticCaps caps;
  Count count;                  /* NULL: all bytes */
  IsPicture is_picture;
  IsShown is_shown;             /* NULL: if there are bytes of pictures */
  guint length_at;              /* the byte of codec_data with the size of
                                   units' lengths */
} Codec;

/* Alignments that put a picture into each buffer. */
static Codec codecs[] = {
  {GST_STATIC_CAPS ("video/x-h264, alignment=(string)au"), count_units,
      is_h264_picture, NULL, 4},
  {GST_STATIC_CAPS ("video/x-h265, alignment=(string)au"), count_units,
      is_h265_picture, NULL, 21},
  {GST_STATIC_CAPS ("video/x-av1, alignment=(string)tu"), count_obus, NULL,
      NULL, 0},
  {GST_STATIC_CAPS ("video/x-vp8"), NULL, NULL, is_shown_vp8, 0},
  {GST_STATIC_CAPS ("video/x-vp9"), NULL, NULL, is_shown_vp9, 0},
  {GST_STATIC_CAPS ("video/mpeg, mpegversion=(int){ 1, 2 }, "
            "systemstream=(boolean)false"), count_units, is_mpeg2_picture, NULL,
      0},
  {GST_STATIC_CAPS ("video/mpeg, mpegversion=(int)4, "
            "systemstream=(boolean)false"), count_units, is_mpeg4_picture, NULL,
      0},
  {GST_STATIC_CAPS ("image/jpeg"), count_scans, NULL, NULL, 0},
  {GST_STATIC_CAPS ("video/x-theora"), count_theora, NULL, is_shown_theora, 0},
};

typedef struct
{
  guint64 frames, bits, headers;
} Sums;

struct _GstBlockDctCoded
{
  GstBaseTransform parent;

  /* Used by the streaming thread. */
  const Codec *codec;
  guint length_bytes;
  Sums pending;                 /* what joins the next frame */

  Sums sums;                    /* protected by the object lock */
};

enum
{ PROP_0, PROP_STATS };

G_DEFINE_FINAL_TYPE_WITH_CODE (GstBlockDctCoded, gst_blockdct_coded,
    GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_blockdct_coded_debug, "blockdctcoded", 0,
        "Sizes of coded frames"));
GST_ELEMENT_REGISTER_DEFINE (blockdctcoded, "blockdctcoded", GST_RANK_NONE,
    GST_TYPE_BLOCKDCT_CODED);

/* The number of bytes in a unit's length, by default 4. */
static guint
get_length_bytes (const GstStructure * s, guint at)
{
  const GValue *value = gst_structure_get_value (s, "codec_data");
  guint8 byte = 3;

  if (value != NULL && GST_VALUE_HOLDS_BUFFER (value))
    gst_buffer_extract (gst_value_get_buffer (value), at, &byte, 1);
  return (byte & 3) + 1;
}

static gboolean
gst_blockdct_coded_set_caps (GstBaseTransform * trans, GstCaps * caps,
    GstCaps * out)
{
  GstBlockDctCoded *self = GST_BLOCKDCT_CODED (trans);
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *form = gst_structure_get_string (s, "stream-format");

  self->codec = NULL;
  for (guint i = 0; self->codec == NULL && i < G_N_ELEMENTS (codecs); i++) {
    g_autoptr (GstCaps) known = gst_static_caps_get (&codecs[i].caps);

    if (gst_caps_can_intersect (known, caps))
      self->codec = &codecs[i];
  }
  self->length_bytes = 0;
  if (self->codec != NULL && self->codec->length_at > 0 && form != NULL
      && !g_str_equal (form, "byte-stream"))
    self->length_bytes = get_length_bytes (s, self->codec->length_at);
  return self->codec != NULL;
}

static void
add (Sums * sums, const Sums * more)
{
  sums->frames += more->frames;
  sums->bits += more->bits;
  sums->headers += more->headers;
}

/* A buffer whose metas can be changed, as GstIdentity does it. */
static GstFlowReturn
gst_blockdct_coded_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * in, GstBuffer ** out)
{
  *out = gst_buffer_is_writable (in) ? in : gst_buffer_copy (in);
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_blockdct_coded_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstBlockDctCoded *self = GST_BLOCKDCT_CODED (trans);
  const Codec *codec = self->codec;
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      GST_BLOCKDCT_CODED_NAME);
  gsize picture;
  GstMapInfo map;
  Frame frame;
  Sums sums;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR (self, RESOURCE, READ,
        ("A coded frame of %" G_GSIZE_FORMAT " bytes cannot be read.",
            gst_buffer_get_size (buffer)),
        ("Its memory cannot be mapped: copy it to system memory first."));
    return GST_FLOW_ERROR;
  }
  frame = (Frame) {
  map.data, map.size, self->length_bytes, codec->is_picture};
  picture = codec->count != NULL ? codec->count (&frame) : map.size;
  sums = (Sums) {
  codec->is_shown != NULL ? codec->is_shown (&frame) : picture > 0,
        8 * (guint64) picture, 8 * (guint64) (map.size - picture)};
  gst_buffer_unmap (buffer, &map);
  GST_LOG_OBJECT (self, "%s: %" G_GUINT64_FORMAT " bits and %" G_GUINT64_FORMAT
      " of headers", sums.frames > 0 ? "shown" : "not shown", sums.bits,
      sums.headers);
  add (&self->pending, &sums);
  GST_OBJECT_LOCK (self);
  add (&self->sums, &sums);
  GST_OBJECT_UNLOCK (self);
  /* One that is there already describes what was coded before. */
  if (meta != NULL)
    gst_buffer_remove_meta (buffer, (GstMeta *) meta);
  if (sums.frames == 0)
    return GST_FLOW_OK;
  meta = gst_buffer_add_custom_meta (buffer, GST_BLOCKDCT_CODED_NAME);
  gst_structure_set (gst_custom_meta_get_structure (meta),
      "bits", G_TYPE_UINT64, self->pending.bits,
      "bits-headers", G_TYPE_UINT64, self->pending.headers, NULL);
  self->pending = (Sums) { 0 };
  return GST_FLOW_OK;
}

/* No frame comes for what waits for one. */
static gboolean
gst_blockdct_coded_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    GST_BLOCKDCT_CODED (trans)->pending = (Sums) { 0 };
  return GST_BASE_TRANSFORM_CLASS (gst_blockdct_coded_parent_class)->sink_event
      (trans, event);
}

static gboolean
gst_blockdct_coded_start (GstBaseTransform * trans)
{
  GstBlockDctCoded *self = GST_BLOCKDCT_CODED (trans);

  self->pending = (Sums) { 0 };
  GST_OBJECT_LOCK (self);
  self->sums = (Sums) { 0 };
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static void
gst_blockdct_coded_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  const Sums *sums = &GST_BLOCKDCT_CODED (object)->sums;

  GST_OBJECT_LOCK (object);
  g_value_take_boxed (value, gst_structure_new (GST_BLOCKDCT_CODED_NAME,
          "frames", G_TYPE_UINT64, sums->frames,
          "bits", G_TYPE_UINT64, sums->bits,
          "bits-headers", G_TYPE_UINT64, sums->headers, NULL));
  GST_OBJECT_UNLOCK (object);
}

static void
gst_blockdct_coded_class_init (GstBlockDctCodedClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  static const gchar *no_tags[] = { NULL };
  g_autoptr (GstCaps) caps = gst_caps_new_empty ();

  /* Decoders drop metas whose tags they do not know. */
  gst_meta_register_custom (GST_BLOCKDCT_CODED_NAME, no_tags, NULL, NULL, NULL);
  object_class->get_property =
      GST_DEBUG_FUNCPTR (gst_blockdct_coded_get_property);
  /**
   * GstBlockDctCoded:stats:
   *
   * The sums since the start: `frames`, `bits` and `bits-headers`.
   */
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Frames, bits and bits-headers since the start", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  for (guint i = 0; i < G_N_ELEMENTS (codecs); i++)
    gst_caps_append (caps, gst_static_caps_get (&codecs[i].caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_element_class_set_static_metadata (element_class,
      "Sizes of coded frames", "Analyzer/Video",
      "Attach the size of each coded frame to its buffer, for blockdctcompare "
      "behind the decoder", "The gst-blockdct developers");
  trans_class->passthrough_on_same_caps = TRUE;
  trans_class->start = GST_DEBUG_FUNCPTR (gst_blockdct_coded_start);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_blockdct_coded_sink_event);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_blockdct_coded_set_caps);
  trans_class->prepare_output_buffer =
      GST_DEBUG_FUNCPTR (gst_blockdct_coded_prepare_output_buffer);
  trans_class->transform_ip =
      GST_DEBUG_FUNCPTR (gst_blockdct_coded_transform_ip);
}

static void
gst_blockdct_coded_init (GstBlockDctCoded * self)
{
  gst_base_transform_set_gap_aware (GST_BASE_TRANSFORM (self), TRUE);
}
