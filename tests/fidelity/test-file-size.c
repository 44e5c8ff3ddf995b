/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The size of a coded frame's JPEG file, which target-size limits, against
 * libjpeg's file of the engine's levels, byte for byte. Whether libjpeg has the
 * same levels is for tests/python/test_libjpeg.py. */
#include <stdlib.h>
#include <string.h>
#include "cpu/jpeg-file.h"
#include "jpeg/file.h"
#include "program.h"
#include "rgb-formats.h"

static const int sizes[][2] = {
  {64, 48}, {1, 1}, {93, 61}, {17, 9}, {23, 50}, {8, 16}, {41, 7}, {7, 9},
  {17, 33}, {161, 115}
};

/* The length of the file that libjpeg makes of a frame's levels. */
static size_t
write_file (const BdctLayout * layout, const BdctJob * job, const Frame * src)
{
  const bool wide = layout->chroma == BDCT_CHROMA_420
      || layout->chroma == BDCT_CHROMA_422;
  const bool high = layout->chroma == BDCT_CHROMA_420
      || layout->chroma == BDCT_CHROMA_440;
  gsize first[BDCT_MAX_COMPONENTS];
  BdctFrame frame = {.n_quantizers = 1,.quantizers = job,.src = src->image };
  const JpegFileOptions options = { false, false };
  JpegFile file = {.width = layout->plane[0].width,.height =
        layout->plane[0].height,.n_components =
        layout->chroma == BDCT_CHROMA_400 ? 1 : 3
  };
  unsigned char *data;
  BdctError error = { "" };
  BdctStats stats;
  size_t size;

  file.colour = file.n_components == 1 ? JPEG_FILE_GREY : JPEG_FILE_YCC;
  for (int c = 0; c < file.n_components; c++) {
    file.component[c].h = c == 0 && wide ? 2 : 1;
    file.component[c].v = c == 0 && high ? 2 : 1;
    for (int i = 0; i < 64; i++)
      file.component[c].steps[i] = job->component[c].quant[i];
  }
  frame.n_levels = bdct_count_levels (layout, job, first);
  frame.levels = g_aligned_alloc0 (frame.n_levels, sizeof *frame.levels, 64);
  engine_run (engines[0], layout, &frame, &stats);
  g_assert_true (jpeg_file_allocate (&file, &error));
  for (int c = 0; c < file.n_components; c++)
    memcpy (file.component[c].levels, frame.levels + first[c],
        file.component[c].columns * file.component[c].rows * 128);
  if (!jpeg_file_write (&file, &options, &data, &size, &error))
    g_error ("%s", error.message);
  free (data);
  jpeg_file_clear (&file);
  g_aligned_free (frame.levels);
  return size;
}

/* Bytes between two ends: flat, noise of all amplitudes, nothing but ends. */
static void
fill (Frame * frame, guint n)
{
  GRand *rand = g_rand_new_with_seed (n);
  const int amplitude = 1 << n % 9;

  for (int p = 0; p < BDCT_MAX_PLANES; p++)
    for (gsize i = 0; i < frame->size[p]; i++)
      frame->memory[p][i] = n % 10 == 9 ? -g_rand_boolean (rand)
          : CLAMP (98 + (int) (i % 61) + g_rand_int_range (rand, -amplitude,
              amplitude + 1), 0, 255);
  g_rand_free (rand);
}

static void
check (const BdctLayout * layout, guint n)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctError error = { "" };
  guint64 size = 0;
  size_t expected;
  BdctJob job;
  Frame src;

  params.quality = 1 + n % 100;
  params.preset = n / 100 % BDCT_N_PRESETS;
  params.baseline = n % 3 > 0 || params.quality < 30;
  frame_init (&src, layout, n % N_STRIDES);
  fill (&src, n);
  g_assert_true (bdct_job_init (&job, &params, layout, NULL));
  expected = write_file (layout, &job, &src);
  if (!bdct_file_size (layout, &job, &src.image, &size, &error)
      || size != expected)
    g_test_fail_printf ("%u: %dx%d: %" G_GUINT64_FORMAT " bytes, libjpeg %"
        G_GSIZE_FORMAT " %s", n, layout->plane[0].width,
        layout->plane[0].height, size, expected, error.message);
  frame_clear (&src);
}

static void
test_sizes (void)
{
  for (guint n = 0; n < 4000; n++) {
    const int *size = sizes[n / 7 % G_N_ELEMENTS (sizes)];
    BdctLayout layout;

    if (n % 2)
      bdct_layout_init_rgb (&layout,
          &rgb_formats[n % G_N_ELEMENTS (rgb_formats)].rgb, size[0], size[1],
          rgb_samplings[n / 2 % 4].chroma);
    else
      format_layout (n / 2 % N_FORMATS, 8, 0, size[0], size[1], &layout);
    check (&layout, n);
  }
}

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/file-size", test_sizes);
  return tests_run ();
}
