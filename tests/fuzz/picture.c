/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture.h"

#include <math.h>
#include <string.h>
#include "cpu/jpeg-file.h"
#include "cpu/simd/colour-rows.h"
#include "dct/entropy/rate.h"
#include "tests/unit/reference.h"
#include "tests/unit/rgb-formats.h"

G_STATIC_ASSERT (N_FORMATS == N_TEST_FORMATS + G_N_ELEMENTS (rgb_formats));

const gchar *
shape_format (guint n)
{
  return n < N_TEST_FORMATS ? test_formats[n].name
      : rgb_formats[n - N_TEST_FORMATS].name;
}

static void
make_layout (const Shape * s, BdctLayout * layout)
{
  if (s->rgb != NULL) {
    bdct_layout_init_rgb (layout, s->rgb, s->width, s->height, s->chroma);
    return;
  }
  *layout = (BdctLayout) {.depth = s->depth,.chroma = s->chroma,.n_planes =
        s->n_components
  };
  for (gint c = 0; c < s->n_components; c++)
    layout->plane[c] = (BdctPlaneLayout) {
    s->w[c], s->h[c], 0, 1, {c}};
}

void
shape_subsample (Shape * s, BdctChromaFormat chroma)
{
  BdctLayout layout;

  s->chroma = chroma;
  s->sub_x = chroma == BDCT_CHROMA_420 || chroma == BDCT_CHROMA_422;
  s->sub_y = chroma == BDCT_CHROMA_420 || chroma == BDCT_CHROMA_440;
  for (gint c = 0; c < s->n_components; c++) {
    s->w[c] = c > 0 ? (s->width + s->sub_x) >> s->sub_x : s->width;
    s->h[c] = c > 0 ? (s->height + s->sub_y) >> s->sub_y : s->height;
  }
  make_layout (s, &layout);
  for (gint c = 0; c < s->n_components; c++)
    s->columns[c] = s->rgb == NULL ? s->w[c] : bdct_colour_columns (&layout, c);
}

static void
init_rgb (Shape * s, const BdctRgb * rgb)
{
  s->rgb = rgb;
  s->depth = 8;
  s->bytes = 1;
  s->n_planes = rgb->n_planes;
  s->n_components = 3;
  for (gint p = 0; p < s->n_planes; p++) {
    s->row[p] = s->width * rgb->bytes;
    s->rows[p] = s->height;
  }
  shape_subsample (s, BDCT_CHROMA_420);
}

void
shape_init (Shape * s, const gchar * format, gint width, gint height)
{
  const TestFormat *f = test_formats;

  *s = (Shape) {.format = format,.width = width,.height = height };
  for (guint i = 0; i < G_N_ELEMENTS (rgb_formats); i++)
    if (strcmp (rgb_formats[i].name, format) == 0) {
      init_rgb (s, &rgb_formats[i].rgb);
      return;
    }
  while (strcmp (f->name, format) != 0)
    f++;
  s->depth = f->depth;
  s->shift = f->shift;
  s->bytes = f->depth > 8 ? 2 : 1;
  s->n_planes = f->n_planes;
  s->n_components = f->chroma == BDCT_CHROMA_400 ? 1 : 3;
  shape_subsample (s, f->chroma);
  for (gint i = 0; i < s->n_components; i++) {
    BdctComponent c = f->order[i];

    s->plane[c] = MIN (i, f->n_planes - 1);
    s->index[c] = i - s->plane[c];
    s->step[c] = f->n_planes == 2 && i > 0 ? 2 : 1;
    s->row[s->plane[c]] = s->w[c] * s->step[c] * s->bytes;
    s->rows[s->plane[c]] = s->h[c];
  }
}

static gsize
pixels_size (const Shape * s)
{
  return (gsize) s->n_planes * s->row[0] * s->height;
}

void
samples_init (Samples * samples, const Shape * s)
{
  memset (samples, 0, sizeof *samples);
  for (gint c = 0; c < s->n_components; c++)
    samples->v[c] = g_new0 (gint, s->w[c] * s->h[c]);
  if (s->rgb != NULL)
    samples->pixels = g_malloc0 (pixels_size (s));
}

void
samples_clear (Samples * samples)
{
  for (gint c = 0; c < 3; c++)
    g_clear_pointer (&samples->v[c], g_free);
  g_clear_pointer (&samples->pixels, g_free);
}

static guint32
noise (guint32 * state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static gint
draw (guint content, guint32 * state, gint c, gint x, gint y, gint peak)
{
  switch (content % 5) {
    case 0:                    /* slopes and a little noise */
      return (40 + 31 * c + 5 * x + 3 * y + noise (state) % 24) & peak;
    case 1:
      return noise (state) & peak;
    case 2:
      return noise (state) & 0x100 ? peak : 0;
    case 3:                    /* flat: identical at most qualities */
      return (content * 37) & peak;
    default:
      return ((x ^ y) & 1) * peak;
  }
}

static guint8 *
sample_at (const Shape * s, const GstVideoFrame * frame, gint c, gint x, gint y)
{
  gint p = s->plane[c];

  return (guint8 *) frame->data[p] + (gssize) y * frame->info.stride[p]
      + (x * s->step[c] + s->index[c]) * s->bytes;
}

/* R, G and B, and noise in bytes that are none. */
static void
draw_pixels (const Shape * s, guint content, guint32 * state,
    GstVideoFrame * frame, guint8 * pixels)
{
  const BdctRgb *rgb = s->rgb;

  for (gsize i = 0; i < pixels_size (s) && rgb->bytes == 4; i++)
    pixels[i] = noise (state);
  for (gint k = 0; k < 3; k++)
    for (gint y = 0; y < s->height; y++)
      for (gint x = 0; x < s->width; x++)
        pixels[((gsize) rgb->plane[k] * s->height + y) * s->row[0]
            + x * rgb->bytes + rgb->offset[k]] =
            draw (content, state, k, x, y, 255);
  for (gint i = 0; i < s->n_planes * s->height; i++)
    memcpy ((guint8 *) frame->data[i / s->height]
        + (gssize) (i % s->height) * frame->info.stride[i / s->height],
        pixels + (gsize) i * s->row[0], s->row[0]);
}

void
picture_write (const Shape * s, const GstVideoInfo * info, GstBuffer * buffer,
    guint content, guint32 seed, gboolean dirty, Samples * samples)
{
  guint32 state = seed * 2654435761u + 1;
  gint peak = (1 << s->depth) - 1, shift = s->shift;
  GstVideoFrame frame;

  samples_init (samples, s);
  if (!gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE))
    g_error ("a buffer of our own cannot be mapped");
  if (state == 0)
    state = 1;
  if (s->rgb != NULL)
    draw_pixels (s, content, &state, &frame, samples->pixels);
  for (gint c = 0; c < s->n_components && s->rgb == NULL; c++)
    for (gint y = 0; y < s->h[c]; y++)
      for (gint x = 0; x < s->w[c]; x++) {
        gint v = draw (content, &state, c, x, y, peak);
        guint8 *at = sample_at (s, &frame, c, x, y);

        if (s->bytes == 1) {
          *at = v;
        } else {
          guint word = v << shift;

          if (dirty && shift > 0)
            word |= noise (&state) & ((1 << shift) - 1);
          else if (dirty && noise (&state) % 7 == 0)
            word = noise (&state) & 0xffff;
          v = MIN ((gint) (word >> shift), peak);
          at[0] = word & 0xff;
          at[1] = word >> 8;
        }
        samples->v[c][y * s->w[c] + x] = v;
      }
  gst_video_frame_unmap (&frame);
}

/* Memories of just that size each, so that a sanitizer sees what is read or
 * written beside them. */
static GstBuffer *
new_buffer (const gsize * sizes, guint n)
{
  GstBuffer *buffer = gst_buffer_new ();

  for (guint i = 0; i < n; i++) {
    GstMemory *memory = gst_allocator_alloc (NULL, sizes[i], NULL);
    GstMapInfo map;

    if (gst_memory_map (memory, &map, GST_MAP_WRITE)) {
      memset (map.data, 0xa5, map.size);
      gst_memory_unmap (memory, &map);
    }
    gst_buffer_append_memory (buffer, memory);
  }
  return buffer;
}

GstBuffer *
picture_draw (const Shape * s, const GstVideoInfo * info, guint content,
    guint32 seed, Layout layout, guint n_memories, gboolean dirty,
    Samples * samples)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 }, size = 0, parts[4];
  gint stride[GST_VIDEO_MAX_PLANES] = { 0 };
  guint n_parts = 0;
  GstBuffer *buffer;

  if (layout <= LAYOUT_META) {
    memcpy (offset, info->offset, sizeof offset);
    memcpy (stride, info->stride, sizeof stride);
    size = info->size;
  }
  for (gint i = 0; i < s->n_planes && layout > LAYOUT_META; i++) {
    gint p = layout == LAYOUT_REVERSED ? s->n_planes - 1 - i : i;

    parts[n_parts] = size;
    stride[p] = s->row[p];
    if (layout == LAYOUT_PADDED)
      stride[p] = (stride[p] + 31) / 16 * 16 + 16 * p;
    if (layout == LAYOUT_ODD) {
      stride[p] += 1 + stride[p] % 2;
      size += 1 + size % 2;
    }
    offset[p] = size;
    /* The last row is as short as it may be. */
    size += (gsize) stride[p] * (s->rows[p] - 1) + s->row[p];
    if (layout == LAYOUT_NEGATIVE) {
      offset[p] += (gsize) stride[p] * (s->rows[p] - 1);
      stride[p] = -stride[p];
    }
    parts[n_parts] = size - parts[n_parts];
    n_parts++;
  }
  /* A meta's planes are in one memory each; without, anything goes. */
  if (layout == LAYOUT_PLAIN)
    for (gsize left = size; n_parts < n_memories; left -= parts[n_parts++])
      parts[n_parts] = n_parts + 1 == n_memories ? left : left / 3;
  buffer = n_memories == 1 || n_parts == 0 ? new_buffer (&size, 1)
      : new_buffer (parts, n_parts);
  if (layout != LAYOUT_PLAIN)
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_INFO_FORMAT (info), s->width, s->height, s->n_planes,
        offset, stride);
  /* Writing would merge them: draw into a copy that is one. */
  if (gst_buffer_n_memory (buffer) > 1) {
    GstBuffer *whole = gst_buffer_copy_deep (buffer);
    GstMapInfo map;

    picture_write (s, info, whole, content, seed, dirty, samples);
    if (!gst_buffer_map (whole, &map, GST_MAP_READ))
      g_error ("a buffer of our own cannot be mapped");
    gst_buffer_fill (buffer, 0, map.data, map.size);
    gst_buffer_unmap (whole, &map);
    gst_buffer_unref (whole);
  } else {
    picture_write (s, info, buffer, content, seed, dirty, samples);
  }
  return buffer;
}

gboolean
picture_read (const Shape * s, const GstVideoInfo * info, GstBuffer * buffer,
    Samples * samples, const gchar ** why)
{
  gint peak = (1 << s->depth) - 1, shift = s->shift;
  GstVideoFrame frame;

  samples_init (samples, s);
  *why = "cannot be mapped";
  if (!gst_video_frame_map (&frame, info, buffer, GST_MAP_READ))
    return FALSE;
  *why = NULL;
  for (gint i = 0; i < s->n_planes * s->height && s->rgb != NULL; i++)
    memcpy (samples->pixels + (gsize) i * s->row[0],
        (guint8 *) frame.data[i / s->height]
        + (gssize) (i % s->height) * frame.info.stride[i / s->height],
        s->row[0]);
  for (gint c = 0; c < s->n_components && s->rgb == NULL; c++)
    for (gint y = 0; y < s->h[c]; y++)
      for (gint x = 0; x < s->w[c]; x++) {
        const guint8 *at = sample_at (s, &frame, c, x, y);
        gint v = s->bytes == 1 ? *at : at[0] | at[1] << 8;

        if (v & ((1 << shift) - 1) || v >> shift > peak)
          *why = "has bits that should be 0";
        samples->v[c][y * s->w[c] + x] = v >> shift;
      }
  gst_video_frame_unmap (&frame);
  return *why == NULL;
}

static BdctImage
describe_pixels (const Shape * s, const guint8 * pixels)
{
  BdctImage image = { 0 };

  for (gint p = 0; p < s->n_planes; p++) {
    image.data[p] = (void *) (pixels + (gsize) p * s->row[0] * s->height);
    image.stride[p] = s->row[0];
  }
  return image;
}

void
picture_split (const Shape * s, Samples * in)
{
  const BdctImage src = describe_pixels (s, in->pixels);
  BdctImage planes;
  BdctLayout layout;
  guint8 *memory;

  make_layout (s, &layout);
  memory = bdct_colour_planes (&layout, &src, &planes);
  for (gint c = 0; c < s->n_components; c++) {
    const gint n = s->columns[c];

    g_free (in->v[c]);
    in->v[c] = g_new (gint, n * s->h[c]);
    for (gint i = 0; i < n * s->h[c]; i++)
      in->v[c][i] = ((guint8 *) planes.data[c])[i / n * planes.stride[c]
          + i % n];
  }
  free (memory);
}

void
picture_join (const Shape * s, const Samples * in, Samples * out,
    guint64 sse[3])
{
  BdctLayout layout;
  guint8 *memory = NULL;
  BdctColour colour = {.layout = &layout };

  make_layout (s, &layout);
  memcpy (out->pixels, in->pixels, pixels_size (s));
  colour.src = describe_pixels (s, in->pixels);
  colour.dst = describe_pixels (s, out->pixels);
  if (!bdct_image_alloc (&layout, TRUE, &memory, &colour.rec))
    g_error ("out of memory");
  for (gint c = 0; c < s->n_components; c++)
    for (gint i = 0; i < s->w[c] * s->h[c]; i++)
      ((guint8 *) colour.rec.data[c])[i / s->w[c] * colour.rec.stride[c]
          + i % s->w[c]] = out->v[c][i];
  memset (sse, 0, 3 * sizeof sse[0]);
  for (gint i = 0; i < bdct_colour_count_strips (&layout); i++)
    bdct_colour_baseline.planes_to_rgb (&colour, i, sse);
  free (memory);
}

static void
transform_plane (const Shape * s, gint c, RefPlane * plane,
    const Samples * in, Samples * out, Samples * slack, Figures * figures)
{
  const gint size = ref_block_width (plane->params->transform, s->chroma, c);
  const gint width = MIN ((s->w[c] + size - 1) / size * size, s->columns[c]);
  gint *from = g_new (gint, width * s->h[c]);
  gint *to = g_new (gint, width * s->h[c]);
  guint8 *bytes = slack->v[c] != NULL ? g_malloc0 (width * s->h[c]) : NULL;
  RefResult result;

  for (gint i = 0; i < width * s->h[c]; i++)
    from[i] = in->v[c][i / width * s->columns[c] + i % width];
  plane->component = c;
  plane->width = width;
  plane->height = s->h[c];
  ref_plane (plane, from, to, bytes, &result);
  for (gint i = 0; i < s->w[c] * s->h[c]; i++) {
    const gint at = i / s->w[c] * width + i % s->w[c];
    const gint64 e = to[at] - from[at];

    out->v[c][i] = to[at];
    figures->sse[c] += e * e;
    if (bytes != NULL)
      slack->v[c][i] = bytes[at];
  }
  figures->samples[c] = s->w[c] * s->h[c];
  figures->levels += result.levels;
  figures->nonzero += result.nonzero;
  figures->unsure += result.unsure;
  g_free (from);
  g_free (to);
  g_free (bytes);
}

/* A plane a component, whatever the format. */
static gpointer
get_plane (const Shape * s, const Samples * in, gint c)
{
  gint n = s->w[c] * s->h[c];
  guint8 *bytes = g_malloc (n * s->bytes);

  for (gint i = 0; i < n; i++)
    if (s->bytes == 1)
      bytes[i] = in->v[c][i];
    else
      ((guint16 *) bytes)[i] = in->v[c][i];
  return bytes;
}

/* Have the CPU engine work on samples, with as many jobs as there are
 * parameters; `coded`: with the sizes of coded files. */
static void
run_engine (const Shape * s, const Samples * in, const BdctParams * params,
    gint n, guint8 ** sizes, gboolean coded, BdctStats * stats)
{
  BdctEngineOptions options = {.threads = 1 };
  BdctEngine *engine = bdct_cpu_engine.create (&options, NULL);
  BdctJob *jobs = g_new (BdctJob, n);
  BdctFrame frame = {.n_quantizers = 1,.bits = TRUE };
  BdctError error = { "no engine" };
  gboolean ok = engine != NULL;
  BdctLayout layout;

  make_layout (s, &layout);
  if (s->rgb != NULL)
    frame.src = describe_pixels (s, in->pixels);
  for (gint c = 0; c < s->n_components && s->rgb == NULL; c++) {
    frame.src.data[c] = get_plane (s, in, c);
    frame.src.stride[c] = s->w[c] * s->bytes;
  }
  for (gint i = 0; i < n && ok; i++)
    ok = bdct_job_init (&jobs[i], &params[i], &layout, &error);
  if (sizes != NULL)
    frame.sizes = *sizes = g_malloc (s->width * s->height);
  ok = ok && engine->klass->configure (engine, &layout, 1, &error);
  for (gint i = 0; i < n && ok; i++) {
    frame.quantizers = &jobs[i];
    ok = engine->klass->submit (engine, &frame, &error)
        && engine->klass->collect (engine, &stats[i], &error);
    frame.sizes = NULL;
  }
  if (!ok)
    g_error ("%s", error.message);
  for (gint i = 0; i < n && coded && bdct_rate_is_exact (jobs); i++)
    if (!bdct_file_size (&layout, &jobs[i], &frame.src, &stats[i].file_size,
            &error))
      g_error ("%s", error.message);
  engine->klass->destroy (engine);
  for (gint c = 0; c < s->n_components && s->rgb == NULL; c++)
    g_free (frame.src.data[c]);
  g_free (jobs);
}

/* What hevc-quadtree makes of samples: the fixed transforms', each where the
 * CPU engine chose its blocks, and as many levels as there. */
static void
transform_tree (const Shape * s, RefPlane * plane, const Samples * in,
    Samples * out, Figures * figures)
{
  static const BdctTransform transforms[] = {
    BDCT_HEVC_4X4, BDCT_HEVC_8X8, BDCT_HEVC_16X16, BDCT_HEVC_32X32
  };
  BdctParams params = *plane->params;
  const gint side = params.min_block;
  Samples slack = {.v = {NULL} };
  BdctStats stats;
  guint8 *sizes;

  run_engine (s, in, &params, 1, &sizes, FALSE, &stats);
  plane->params = &params;
  for (gint size = 0; size < 4; size++) {
    Figures unused = {.levels = 0 };
    Samples fixed;

    params.transform = transforms[size];
    samples_init (&fixed, s);
    for (gint c = 0; c < s->n_components; c++) {
      transform_plane (s, c, plane, in, &fixed, &slack, &unused);
      for (gint i = 0; i < s->w[c] * s->h[c]; i++) {
        const gint x = (i % s->w[c]) << (c > 0 ? s->sub_x : 0);
        const gint y = (i / s->w[c]) << (c > 0 ? s->sub_y : 0);
        const gint64 e = fixed.v[c][i]
            - in->v[c][i / s->w[c] * s->columns[c] + i % s->w[c]];

        if (sizes[y / side * ((s->width + side - 1) / side) + x / side]
            != size + 2)
          continue;
        out->v[c][i] = fixed.v[c][i];
        figures->sse[c] += e * e;
        figures->samples[c]++;
      }
    }
    samples_clear (&fixed);
  }
  figures->levels = bdct_stats_total (&stats).levels;
  figures->nonzero = bdct_stats_total (&stats).nonzero;
  g_free (sizes);
}

void
picture_transform (const Shape * s, const BdctParams * params,
    const Samples * in, Samples * out, Samples * slack, Figures * figures,
    gboolean cuda)
{
  gboolean real = params->transform == BDCT_DCT_8X8;
  RefPlane plane = {.params = params,.chroma = s->chroma,.depth = s->depth,
    .precision = cuda ? REF_TENSOR : REF_FLOAT
  };

  memset (figures, 0, sizeof *figures);
  samples_init (out, s);
  if (real)
    samples_init (slack, s);
  else
    memset (slack, 0, sizeof *slack);
  if (params->transform == BDCT_HEVC_QUADTREE)
    transform_tree (s, &plane, in, out, figures);
  else
    for (gint c = 0; c < s->n_components; c++)
      transform_plane (s, c, &plane, in, out, slack, figures);
  if (s->rgb != NULL)
    picture_join (s, in, out, figures->rgb_sse);
}

void
picture_curve (const Shape * s, const BdctParams * params,
    const Samples * in, const gint * settings, gint n, gboolean coded,
    BdctStats * stats)
{
  gboolean qp = params->transform >= BDCT_HEVC_DST_4X4;
  BdctParams *all = g_new (BdctParams, n);

  for (gint i = 0; i < n; i++) {
    all[i] = *params;
    *(qp ? &all[i].qp : &all[i].quality) = settings[i];
  }
  run_engine (s, in, all, n, NULL, coded, stats);
  g_free (all);
}
