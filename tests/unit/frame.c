/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/simd/tile32.h"
#include "reference.h"

static BdctEngine *
engine_open (const BdctEngineClass * klass, const char *isa)
{
  BdctEngineOptions options = { .threads = 2, .isa = isa };
  BdctError error = { "" };
  BdctEngine *engine = klass->create (&options, &error);

  if (engine == NULL)
    g_error ("%s", error.message);
  g_test_message ("%s", engine->description);
  return engine;
}

void
engine_run (BdctEngine * engine, const BdctLayout * layout,
    const BdctFrame * frame, BdctStats * stats)
{
  BdctError error = { "" };

  if (!engine->klass->configure (engine, layout, 1, &error)
      || !engine->klass->submit (engine, frame, &error)
      || !engine->klass->collect (engine, stats, &error))
    g_error ("%s: %s", engine->description, error.message);
}

void
engine_compare (BdctEngine * engine, const BdctLayout * layout,
    const BdctComparison * comparison, BdctStats * stats)
{
  BdctError error = { "" };

  if (!engine->klass->configure (engine, layout, 1, &error)
      || !engine->klass->compare (engine, comparison, &error)
      || !engine->klass->collect (engine, stats, &error))
    g_error ("%s: %s", engine->description, error.message);
}

static gboolean
engines_on_cuda (void)
{
  return g_strcmp0 (g_getenv ("BLOCKDCT_TEST_BACKEND"), "cuda") == 0;
}

guint
engines_open (BdctEngine * engines[MAX_ENGINES])
{
  guint n = 0;

  if (engines_on_cuda ()) {
#ifdef HAVE_CUDA
    engines[n++] = engine_open (&bdct_cuda_engine, NULL);
    engines[n++] = engine_open (&bdct_cuda_engine, "cuda-cores");
#else
    g_error ("this build has no CUDA engine");
#endif
    return n;
  }
  for (const BdctTileKernel * const *k = bdct_tile_kernels (); *k; k++)
    engines[n++] = engine_open (&bdct_cpu_engine, (*k)->isa);
  return n;
}

void
engines_close (BdctEngine * const *engines, guint n_engines)
{
  for (guint i = 0; i < n_engines; i++)
    engines[i]->klass->destroy (engines[i]);
}

gboolean
engine_submit (BdctEngine * engine, const BdctJob * job,
    const BdctImage * src, const BdctImage * dst, BdctError * error)
{
  BdctFrame frame = {.quantizers = job,.n_quantizers = 1,.src = *src,.dst =
        *dst };

  return engine->klass->submit (engine, &frame, error);
}

void
format_layout (Format format, int depth, int shift, int width, int height,
    BdctLayout * layout)
{
  static const struct
  {
    BdctChromaFormat chroma;
    int n_planes;
    BdctComponent order[3];
  } formats[N_FORMATS] = {
    {BDCT_CHROMA_400, 1, {BDCT_Y, BDCT_U, BDCT_V}},
    {BDCT_CHROMA_420, 3, {BDCT_Y, BDCT_U, BDCT_V}},
    {BDCT_CHROMA_420, 3, {BDCT_Y, BDCT_V, BDCT_U}},
    {BDCT_CHROMA_420, 2, {BDCT_Y, BDCT_U, BDCT_V}},
    {BDCT_CHROMA_420, 2, {BDCT_Y, BDCT_V, BDCT_U}},
    {BDCT_CHROMA_422, 3, {BDCT_Y, BDCT_U, BDCT_V}},
    {BDCT_CHROMA_422, 2, {BDCT_Y, BDCT_U, BDCT_V}},
    {BDCT_CHROMA_444, 3, {BDCT_Y, BDCT_U, BDCT_V}},
  };

  bdct_layout_init (layout, formats[format].chroma, depth, shift,
      formats[format].n_planes, width, height);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      layout->plane[p].component[i] = formats[format].order[p + i];
}

void
picture_init (Picture * picture, const BdctLayout * layout)
{
  memset (picture, 0, sizeof *picture);
  for (int p = 0; p < layout->n_planes; p++) {
    const BdctPlaneLayout *plane = &layout->plane[p];

    for (int i = 0; i < plane->interleave; i++) {
      BdctComponent c = plane->component[i];

      picture->width[c] = plane->width;
      picture->height[c] = plane->height;
      picture->sample[c] = g_new0 (int, (gsize) plane->width * plane->height);
    }
  }
}

void
picture_clear (Picture * picture)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    g_free (picture->sample[c]);
  memset (picture, 0, sizeof *picture);
}

static int
basis_sample (BdctTransform transform, BdctChromaFormat chroma, int component,
    int x, int y, int peak)
{
  int size = ref_block_size (transform, chroma, component);
  int v = y / size % size, u = x / size % size;
  int sign = ref_basis_sign (transform, chroma, component, v, y % size)
      * ref_basis_sign (transform, chroma, component, u, x % size);

  return sign > 0 ? peak : 0;
}

void
picture_fill (Picture * picture, Content content, const BdctLayout * layout,
    BdctTransform transform, guint32 seed)
{
  int peak = bdct_layout_peak (layout);
  GRand *rand = g_rand_new_with_seed (seed);

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    double fx = g_rand_double_range (rand, 0.02, 0.3);
    double fy = g_rand_double_range (rand, 0.02, 0.3);

    for (int i = 0; i < picture->width[c] * picture->height[c]; i++) {
      int x = i % picture->width[c], y = i / picture->width[c], v = 0;

      switch (content) {
        case CONTENT_SMOOTH:
          v = peak * (0.5 + 0.25 * sin (fx * x) + 0.2 * cos (fy * y + fx * x)
              + g_rand_double_range (rand, -0.03, 0.03));
          break;
        case CONTENT_RANDOM:
          v = g_rand_int_range (rand, 0, peak + 1);
          break;
        case CONTENT_EXTREME:
          v = g_rand_boolean (rand) ? peak : 0;
          break;
        default:
          v = basis_sample (transform, layout->chroma, c, x, y, peak);
          break;
      }
      picture->sample[c][i] = v;
    }
  }
  g_rand_free (rand);
}

gboolean
picture_load (Picture * picture, const char *name)
{
  const char *folder = g_getenv ("BLOCKDCT_DATA");
  char *path = g_build_filename (folder ? folder : BLOCKDCT_DATA_DEFAULT, name,
      NULL);
  int width = 0, height = 0, peak = 0, start = 0;
  char *bytes = NULL;
  gsize length = 0;
  gboolean ok;

  memset (picture, 0, sizeof *picture);
  ok = g_file_get_contents (path, &bytes, &length, NULL)
      && sscanf (bytes, "P5 %d %d %d%n", &width, &height, &peak, &start) == 3
      && peak == 255 && width > 0 && height > 0
      && length == (gsize) start + 1 + (gsize) width * height;
  if (ok) {
    picture->width[0] = width;
    picture->height[0] = height;
    picture->sample[0] = g_new (int, (gsize) width * height);
    for (int i = 0; i < width * height; i++)
      picture->sample[0][i] = (guint8) bytes[start + 1 + i];
  } else {
    char *reason = g_strdup_printf ("no 8-bit PGM at %s; BLOCKDCT_DATA names "
        "its folder", path);

    g_test_skip (reason);
    g_free (reason);
  }
  g_free (bytes);
  g_free (path);
  return ok;
}

void
frame_init (Frame * frame, const BdctLayout * layout, Stride stride)
{
  int unit = bdct_layout_sample_size (layout);

  memset (frame, 0, sizeof *frame);
  frame->image.memory = BDCT_MEMORY_HOST;
  for (int p = 0; p < bdct_image_planes (layout); p++) {
    gsize row = bdct_image_row_size (layout, p);
    gsize height = bdct_image_height (layout, p);
    /* Neither 4 nor 8 divides these, for rows of any width. */
    gsize guard = stride == STRIDE_TIGHT ? 0 : 37 * unit;
    gsize step = stride == STRIDE_TIGHT ? row : (row | unit) + 14 * unit;

    frame->size[p] = 2 * guard + (height - 1) * step + row;
    frame->memory[p] = g_malloc (frame->size[p]);
    memset (frame->memory[p], 0xa5, frame->size[p]);
    frame->image.data[p] = frame->memory[p] + guard;
    frame->image.stride[p] = (ptrdiff_t) step;
    if (stride == STRIDE_NEGATIVE) {
      frame->image.data[p] = (guint8 *) frame->image.data[p]
          + (height - 1) * step;
      frame->image.stride[p] = -(ptrdiff_t) step;
    }
  }
}

void
frame_clear (Frame * frame)
{
  for (int p = 0; p < BDCT_MAX_PLANES; p++)
    g_free (frame->memory[p]);
  memset (frame, 0, sizeof *frame);
}

static guint8 *
frame_at (const Frame * frame, const BdctLayout * layout,
    BdctComponent component, int x, int y)
{
  for (int p = 0; p < layout->n_planes; p++) {
    const BdctPlaneLayout *plane = &layout->plane[p];

    for (int i = 0; i < plane->interleave; i++)
      if (plane->component[i] == component)
        return (guint8 *) frame->image.data[p] + y * frame->image.stride[p]
            + (x * plane->interleave + i) * bdct_layout_sample_size (layout);
  }
  g_assert_not_reached ();
}

void
frame_put (Frame * frame, const BdctLayout * layout, const Picture * picture,
    gboolean dirty)
{
  int shift = layout->plane[0].shift;
  guint32 noise = 1;

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    for (int i = 0; i < picture->width[c] * picture->height[c]; i++) {
      guint8 *at = frame_at (frame, layout, c, i % picture->width[c],
          i / picture->width[c]);
      int v = picture->sample[c][i];

      if (layout->depth == 8) {
        at[0] = v;
      } else {
        v <<= shift;
        noise = noise * 1664525 + 1013904223;
        if (dirty)
          v |= (noise >> 16) & ((1 << shift) - 1);
        at[0] = v & 0xff;
        at[1] = v >> 8;
      }
    }
}

void
frame_get (const Frame * frame, const BdctLayout * layout, Picture * picture)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    for (int i = 0; i < picture->width[c] * picture->height[c]; i++) {
      const guint8 *at = frame_at (frame, layout, c, i % picture->width[c],
          i / picture->width[c]);

      picture->sample[c][i] = layout->depth == 8 ? at[0]
          : (at[0] | at[1] << 8) >> layout->plane[0].shift;
    }
}

void
whitepaper_params (BdctParams * params)
{
  /* Each row up to its last entry that is not 12. */
  static const int table[8][8] = {
    {32, 33, 51, 81, 66, 39, 34, 17},
    {33, 36, 48, 47, 28, 23},
    {51, 48, 47, 28, 23},
    {81, 47, 28, 23},
    {66, 28, 23},
    {39, 23},
    {34},
    {17},
  };

  params->transform = BDCT_DCT_8X8;
  params->n_steps = 64;
  for (int i = 0; i < 64; i++)
    params->steps[i] = table[i / 8][i % 8] ? table[i / 8][i % 8] : 12;
}
