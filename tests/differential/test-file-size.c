/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The size of a coded frame's JPEG file, which target-size limits, against
 * libjpeg's file of the engine's levels, byte for byte. Whether libjpeg has the
 * same levels is for tests/python/test_libjpeg.py. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include "dct/quantizer/job.h"
#include "jpeg/file.h"
#include "run.h"

static BdctEngine *engine;

/* The length of the file that libjpeg makes of a frame's levels. */
static size_t
write_file (const BdctLayout * layout, const SceneFrame * f, int16_t * levels)
{
  const bool wide = layout->chroma == BDCT_CHROMA_420
      || layout->chroma == BDCT_CHROMA_422;
  const bool high = layout->chroma == BDCT_CHROMA_420
      || layout->chroma == BDCT_CHROMA_440;
  const JpegFileOptions options = { false, false };
  JpegFile file = {.width = layout->plane[0].width,.height =
        layout->plane[0].height,.n_components =
        layout->chroma == BDCT_CHROMA_400 ? 1 : 3
  };
  unsigned char *data;
  BdctError error = { "" };
  size_t size;

  file.colour = file.n_components == 1 ? JPEG_FILE_GREY : JPEG_FILE_YCC;
  for (int c = 0; c < file.n_components; c++) {
    file.component[c].h = c == 0 && wide ? 2 : 1;
    file.component[c].v = c == 0 && high ? 2 : 1;
    for (int i = 0; i < 64; i++)
      file.component[c].steps[i] = f->quantizers->component[c].quant[i];
  }
  g_assert_true (jpeg_file_allocate (&file, &error));
  for (int c = 0; c < file.n_components; c++)
    memcpy (file.component[c].levels, levels + f->info.first_level[c],
        file.component[c].columns * file.component[c].rows * 128);
  if (!jpeg_file_write (&file, &options, &data, &size, &error))
    g_error ("%s", error.message);
  free (data);
  jpeg_file_clear (&file);
  return size;
}

static void
check (const char *text)
{
  BdctError error = { "" };
  uint64_t size = 0;
  size_t expected;
  Outcome outcome;
  Scene scene;
  Case c;

  g_assert_true (case_parse (&c, text) && scene_init (&scene, &c, &error));
  run_scene (&scene, engine, BDCT_BACKEND_CPU, &outcome);
  g_assert_cmpstr (outcome.frame[0].error.message, ==, "");
  expected = write_file (&scene.layout, &scene.frame[0],
      (int16_t *) outcome.frame[0].bytes[LEVEL_BYTES]);
  if (!bdct_jpeg_file_size (&scene.layout, scene.frame[0].quantizers,
          &scene.frame[0].picture[0].image, &size, &error) || size != expected)
    g_test_fail_printf ("%s: %" G_GUINT64_FORMAT " bytes, libjpeg %"
        G_GSIZE_FORMAT " %s", text, size, expected, error.message);
  outcome_clear (&outcome);
  scene_clear (&scene);
}

static void
test_sizes (void)
{
  static const int sizes[][2] = {
    {64, 48}, {1, 1}, {93, 61}, {17, 9}, {23, 50}, {8, 16}, {41, 7}, {7, 9},
    {17, 33}, {161, 115}
  };

  for (int n = 0; n < 4000; n++) {
    const int *size = sizes[n / 7 % G_N_ELEMENTS (sizes)];
    const int quality = 1 + n % 100;
    g_autofree char *text = g_strdup_printf ("width=%d height=%d chroma=%d "
        "pairs=%d swapped=%d rgb=%d / quality=%d preset=%d baseline=%d "
        "content=%d seed=%d src-spare=%d src-up=%d levels=1", size[0], size[1],
        n / 16 % 5, n / 2 % 2, n / 4 % 2, n % 2 ? n / 2 % 8 : 0, quality,
        n / 100 % BDCT_N_PRESETS, n % 3 > 0 || quality < 30, n % 10, n, n % 5,
        n / 8 % 2);

    check (text);
  }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, NULL);
  g_test_add_func ("/file-size", test_sizes);
  status = g_test_run ();
  bdct_engine_free (engine);
  return status;
}
