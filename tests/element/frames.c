/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frames.h"

#include <string.h>
#include "rgb-formats.h"

const TestFormat test_formats[N_TEST_FORMATS] = {
  {"GRAY8", 8, 0, BDCT_CHROMA_400, 1, {BDCT_Y}},
  {"I420", 8, 0, BDCT_CHROMA_420, 3, {BDCT_Y, BDCT_U, BDCT_V}},
  {"YV12", 8, 0, BDCT_CHROMA_420, 3, {BDCT_Y, BDCT_V, BDCT_U}},
  {"NV12", 8, 0, BDCT_CHROMA_420, 2, {BDCT_Y, BDCT_U, BDCT_V}},
  {"NV21", 8, 0, BDCT_CHROMA_420, 2, {BDCT_Y, BDCT_V, BDCT_U}},
  {"Y42B", 8, 0, BDCT_CHROMA_422, 3, {BDCT_Y, BDCT_U, BDCT_V}},
  {"NV16", 8, 0, BDCT_CHROMA_422, 2, {BDCT_Y, BDCT_U, BDCT_V}},
  {"Y444", 8, 0, BDCT_CHROMA_444, 3, {BDCT_Y, BDCT_U, BDCT_V}},
  {"P010_10LE", 10, 6, BDCT_CHROMA_420, 2, {BDCT_Y, BDCT_U, BDCT_V}},
  {"I420_10LE", 10, 0, BDCT_CHROMA_420, 3, {BDCT_Y, BDCT_U, BDCT_V}},
  {"I422_10LE", 10, 0, BDCT_CHROMA_422, 3, {BDCT_Y, BDCT_U, BDCT_V}},
  {"Y444_10LE", 10, 0, BDCT_CHROMA_444, 3, {BDCT_Y, BDCT_U, BDCT_V}},
  {"P012_LE", 12, 4, BDCT_CHROMA_420, 2, {BDCT_Y, BDCT_U, BDCT_V}},
  {"I420_12LE", 12, 0, BDCT_CHROMA_420, 3, {BDCT_Y, BDCT_U, BDCT_V}},
  {"I422_12LE", 12, 0, BDCT_CHROMA_422, 3, {BDCT_Y, BDCT_U, BDCT_V}},
  {"Y444_12LE", 12, 0, BDCT_CHROMA_444, 3, {BDCT_Y, BDCT_U, BDCT_V}},
};

GstCaps *
video_caps (const gchar * format, gint width, gint height)
{
  return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format,
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height,
      "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
}

void
video_info (GstVideoInfo * info, const gchar * format, gint width, gint height)
{
  GstCaps *caps = video_caps (format, width, height);

  g_assert_true (gst_video_info_from_caps (info, caps));
  gst_caps_unref (caps);
}

static const TestFormat *
find_format (const GstVideoInfo * info)
{
  for (guint i = 0; i < N_TEST_FORMATS; i++)
    if (strcmp (test_formats[i].name, GST_VIDEO_INFO_NAME (info)) == 0)
      return &test_formats[i];
  g_assert_not_reached ();
}

static void
make_layout (const GstVideoInfo * info, BdctLayout * layout)
{
  const gint width = info->width, height = info->height;
  const TestFormat *f;

  for (guint i = 0; i < G_N_ELEMENTS (rgb_formats); i++)
    if (strcmp (rgb_formats[i].name, GST_VIDEO_INFO_NAME (info)) == 0) {
      bdct_layout_init_rgb (layout, &rgb_formats[i].rgb, width, height,
          BDCT_CHROMA_420);
      return;
    }
  f = find_format (info);
  bdct_layout_init (layout, f->chroma, f->depth, f->shift, f->n_planes, width,
      height);
  for (gint p = 0; p < f->n_planes; p++)
    for (gint i = 0; i < layout->plane[p].interleave; i++)
      layout->plane[p].component[i] = f->order[p + i];
}

/* Where a sample lies in a mapped frame, found with no help of GStreamer's
 * format description. */
static guint8 *
sample_at (const GstVideoFrame * frame, const BdctLayout * layout, gint p,
    gint i, gint x, gint y)
{
  gint bytes = bdct_layout_sample_size (layout);

  return (guint8 *) frame->data[p] + (gssize) y * frame->info.stride[p]
      + (x * layout->plane[p].interleave + i) * bytes;
}

static void
map (GstVideoFrame * frame, const GstVideoInfo * info, GstBuffer * buffer,
    GstMapFlags flags)
{
  if (!gst_video_frame_map (frame, info, buffer, flags))
    g_error ("cannot map a %s %dx%d", GST_VIDEO_INFO_NAME (info),
        GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info));
}

/* Bytes of R, G and B and what else there is; the noise is between pixels. */
static void
fill_pixels (const GstVideoFrame * frame, const BdctLayout * layout, guint n)
{
  for (gint p = 0; p < bdct_image_planes (layout); p++)
    for (gint y = 0; y < bdct_image_height (layout, p); y++)
      for (gsize i = 0; i < bdct_image_row_size (layout, p); i++)
        ((guint8 *) frame->data[p] + (gssize) y * frame->info.stride[p])[i] =
            50 * p + 60 * (i % 4) + 13 * n + i + 3 * y + (i * i * (y + 7)) % 23;
}

/* Slopes, an edge where they wrap, and noise: something for all frequencies. */
void
frame_fill (const GstVideoInfo * info, GstBuffer * buffer, guint n)
{
  GRand *rand = g_rand_new_with_seed (n + 1);
  BdctLayout layout;
  GstVideoFrame frame;

  make_layout (info, &layout);
  map (&frame, info, buffer, GST_MAP_WRITE);
  if (layout.rgb.n_planes > 0)
    fill_pixels (&frame, &layout, n);
  for (gint p = 0; p < layout.n_planes && layout.rgb.n_planes == 0; p++) {
    const BdctPlaneLayout *plane = &layout.plane[p];

    for (gint y = 0; y < plane->height; y++)
      for (gint x = 0; x < plane->width; x++)
        for (gint i = 0; i < plane->interleave; i++) {
          guint8 *at = sample_at (&frame, &layout, p, i, x, y);
          gint v = 40 + 31 * plane->component[i] + 13 * n + 5 * x + 3 * y
              + g_rand_int_range (rand, 0, 24);

          v = (v << (layout.depth - 8)) & bdct_layout_peak (&layout);
          if (bdct_layout_sample_size (&layout) > 1) {
            v <<= plane->shift;
            at[1] = v >> 8;
          }
          at[0] = v;
        }
  }
  gst_video_frame_unmap (&frame);
  g_rand_free (rand);
  GST_BUFFER_PTS (buffer) = n * FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
}

GstBuffer *
frame_new (const GstVideoInfo * info, guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);

  gst_buffer_memset (buffer, 0, 0, info->size);
  frame_fill (info, buffer, n);
  return buffer;
}

static void
get_image (BdctImage * image, const GstVideoFrame * frame)
{
  image->memory = BDCT_MEMORY_HOST;
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (frame); p++) {
    image->data[p] = frame->data[p];
    image->stride[p] = frame->info.stride[p];
  }
}

GstBuffer *
frame_expect (const GstVideoInfo * info, GstBuffer * in,
    const BdctParams * params, BdctStats * stats)
{
  GstBuffer *out = gst_buffer_new_allocate (NULL, info->size, NULL);
  BdctEngineOptions options = {.threads = 1 };
  GstVideoFrame in_frame, out_frame;
  BdctError error = { "" };
  BdctEngine *engine;
  BdctLayout layout;
  BdctJob job;
  BdctFrame frame = {.quantizers = &job,.n_quantizers = 1,.bits = TRUE };

  engine = bdct_cpu_engine.create (&options, &error);
  g_assert_nonnull (engine);
  make_layout (info, &layout);
  map (&in_frame, info, in, GST_MAP_READ);
  map (&out_frame, info, out, GST_MAP_WRITE);
  get_image (&frame.src, &in_frame);
  get_image (&frame.dst, &out_frame);
  if (!bdct_job_init (&job, params, &layout, &error)
      || !engine->klass->configure (engine, &layout, 1, &error)
      || !engine->klass->submit (engine, &frame, &error)
      || !engine->klass->collect (engine, stats, &error))
    g_error ("%s", error.message);
  engine->klass->destroy (engine);
  gst_video_frame_unmap (&in_frame);
  gst_video_frame_unmap (&out_frame);
  return out;
}

gboolean
frames_equal (const GstVideoInfo * info, GstBuffer * a, GstBuffer * b)
{
  GstVideoFrame fa, fb;
  BdctLayout layout;
  gboolean equal = TRUE;

  make_layout (info, &layout);
  map (&fa, info, a, GST_MAP_READ);
  map (&fb, info, b, GST_MAP_READ);
  for (gint p = 0; p < bdct_image_planes (&layout) && equal; p++)
    for (gint y = 0; y < bdct_image_height (&layout, p) && equal; y++) {
      equal = memcmp (sample_at (&fa, &layout, p, 0, 0, y),
          sample_at (&fb, &layout, p, 0, 0, y),
          bdct_image_row_size (&layout, p)) == 0;
      if (!equal)
        g_test_message ("%s %dx%d: plane %d, row %d differs",
            GST_VIDEO_INFO_NAME (info), info->width, info->height, p, y);
    }
  gst_video_frame_unmap (&fa);
  gst_video_frame_unmap (&fb);
  return equal;
}
