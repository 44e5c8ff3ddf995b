/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What libblockdct makes of levels alone is what the element shows: ten
 * pictures, every transform, on the backend under test. */
#include <string.h>
#include "bench.h"

#define WIDTH 171
#define HEIGHT 139
#define N_PICTURES 10

typedef struct
{
  BdctEngine *engine;
  BdctLayout layout;
  BdctJob *job;
  BdctJobInfo info;
  BdctFrame frame;
} Library;

static void
library_init (Library * self, BdctTransform transform)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;

  params.transform = transform;
  self->info.size = sizeof self->info;
  bdct_layout_init (&self->layout, BDCT_CHROMA_420, 8, 0, 2, WIDTH, HEIGHT);
  self->engine = bdct_engine_new (test_on_cuda () ? BDCT_BACKEND_CUDA
      : BDCT_BACKEND_CPU, NULL, NULL);
  g_assert_true (bdct_engine_configure (self->engine, &self->layout, 1, NULL));
  self->job = bdct_jobs_new (&params, 1, &self->layout, NULL);
  g_assert_true (bdct_job_describe (self->job, &self->layout, &self->info,
          NULL));
  self->frame = (BdctFrame) {
    .size = sizeof self->frame, .quantizers = self->job, .n_quantizers = 1,
    .sizes = g_malloc (self->info.n_blocks),
    .levels = g_aligned_alloc (self->info.n_levels, 2, BDCT_LEVELS_ALIGN),
    .n_levels = self->info.n_levels
  };
}

static void
library_clear (Library * self)
{
  g_free (self->frame.sizes);
  g_aligned_free (self->frame.levels);
  bdct_jobs_free (self->job);
  bdct_engine_free (self->engine);
}

static BdctImage
find_image (const GstVideoInfo * info, const GstMapInfo * map)
{
  BdctImage image = {.memory = BDCT_MEMORY_HOST };

  for (gint p = 0; p < 2; p++) {
    image.data[p] = map->data + info->offset[p];
    image.stride[p] = info->stride[p];
  }
  return image;
}

static void
run (Library * self)
{
  g_assert_true (bdct_engine_submit (self->engine, &self->frame, NULL));
  g_assert_true (bdct_engine_collect (self->engine, NULL, NULL));
}

/* The frame's levels, and from these alone the picture. */
static GstBuffer *
reconstruct (Library * self, const GstVideoInfo * info, GstBuffer * in)
{
  GstBuffer *out = gst_buffer_copy_deep (in);
  GstMapInfo map;

  gst_buffer_map (in, &map, GST_MAP_READ);
  self->frame.src = find_image (info, &map);
  run (self);
  gst_buffer_unmap (in, &map);
  memset (&self->frame.src, 0, sizeof self->frame.src);
  gst_buffer_map (out, &map, GST_MAP_READWRITE);
  self->frame.dst = find_image (info, &map);
  self->frame.from_levels = true;
  run (self);
  gst_buffer_unmap (out, &map);
  memset (&self->frame.dst, 0, sizeof self->frame.dst);
  self->frame.from_levels = false;
  return out;
}

/* Where tensor cores make the picture of dct-8x8, samples may be rounded the
 * other way (docs/reference/c.md). */
static void
expect_near (const GstVideoInfo * info, GstBuffer * a, GstBuffer * b)
{
  for (int c = 0; c < 3; c++) {
    gint w, h, different = 0;
    gint *of_a = frame_samples (info, a, c, &w, &h);
    gint *of_b = frame_samples (info, b, c, &w, &h);

    for (gint i = 0; i < w * h; i++) {
      g_assert_cmpint (ABS (of_a[i] - of_b[i]), <=, 1);
      different += of_a[i] != of_b[i];
    }
    g_assert_cmpint (different * 20, <=, w * h);
    g_free (of_a);
    g_free (of_b);
  }
}

static void
test_pictures (void)
{
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++) {
    Library library = { 0 };
    Bench bench;

    library_init (&library, t);
    bench_init (&bench, "NV12", WIDTH, HEIGHT, "transform", t, NULL);
    for (guint n = 0; n < N_PICTURES; n++) {
      GstBuffer *in = frame_new (&bench.info, n), *out, *again;

      again = reconstruct (&library, &bench.info, in);
      gst_harness_push (bench.h, in);
      out = bench_take (&bench);
      if (test_on_cuda () && t == BDCT_DCT_8X8)
        expect_near (&bench.info, out, again);
      else
        g_assert_true (frames_equal (&bench.info, out, again));
      gst_buffer_unref (out);
      gst_buffer_unref (again);
    }
    bench_clear (&bench);
    library_clear (&library);
  }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/levels/pictures", test_pictures);
  return test_run ();
}
