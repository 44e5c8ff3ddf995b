/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jpeg-8x8 on R, G and B against libjpeg: compressed from R, G and B and
 * decompressed to R, G and B as cjpeg -baseline -dct int -sample and djpeg
 * -dct int do it. Every sample must be the same, bytes that are none must be as
 * they were, the scan's bits and the squared errors those of libjpeg's file.
 * With --whole all qualities are tried with each format and sampling, which
 * takes minutes. */
#include "frame.h"

#ifdef HAVE_LIBJPEG
#include <stdio.h>              /* jpeglib.h wants it first */
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include "rgb-formats.h"
#include "scan.h"

/* The narrow ones on either side of where chroma has 1, 2 and 3 columns, of
 * blocks and MCUs, and of the runs that the CPU engine makes. */
static const int sizes[][2] = {
  {1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 3}, {4, 4}, {5, 3}, {6, 7}, {7, 9},
  {8, 8}, {9, 7}, {15, 17}, {16, 16}, {17, 15}, {1, 33}, {33, 1}, {2, 31},
  {31, 2}, {3, 64}, {65, 4}, {31, 33}, {64, 48}, {127, 5}, {129, 34}, {5, 127},
  {511, 3}, {512, 8}, {513, 9}, {1025, 17}, {93, 61}
};

#define QUALITIES(n) (sizeof (n) / sizeof (n)[0])
static const int some_qualities[] = { 1, 7, 25, 50, 76, 90, 97, 100 };

static BdctEngine *engines[MAX_ENGINES];
static guint n_engines;
static gboolean whole;

/* A picture: R, G and B of each pixel. */
typedef struct
{
  const char *what;
  int width, height;
  guint8 *rgb;
} Colours;

typedef struct
{
  guint f, s;
  int quality;
} Setting;

static void
compress (const Colours * picture, const Setting * setting,
    unsigned char **bytes, unsigned long *length)
{
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr error;

  info.err = jpeg_std_error (&error);
  jpeg_create_compress (&info);
  jpeg_mem_dest (&info, bytes, length);
  info.image_width = picture->width;
  info.image_height = picture->height;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults (&info);
  jpeg_set_quality (&info, setting->quality, TRUE);
  info.dct_method = JDCT_ISLOW;
  info.comp_info[0].h_samp_factor = rgb_samplings[setting->s].h;
  info.comp_info[0].v_samp_factor = rgb_samplings[setting->s].v;
  jpeg_start_compress (&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = picture->rgb + (gsize) 3 * picture->width
        * info.next_scanline;

    jpeg_write_scanlines (&info, &row, 1);
  }
  jpeg_finish_compress (&info);
  jpeg_destroy_compress (&info);
}

static void
decompress (unsigned char *bytes, unsigned long length, guint8 * rgb)
{
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr error;

  info.err = jpeg_std_error (&error);
  jpeg_create_decompress (&info);
  jpeg_mem_src (&info, bytes, length);
  jpeg_read_header (&info, TRUE);
  info.dct_method = JDCT_ISLOW;
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress (&info);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = rgb + (gsize) 3 * info.output_width * info.output_scanline;

    jpeg_read_scanlines (&info, &row, 1);
  }
  jpeg_finish_decompress (&info);
  jpeg_destroy_decompress (&info);
}

static guint8 *
sample_at (const Frame * frame, const BdctRgb * rgb, int k, int x, int y)
{
  return (guint8 *) frame->image.data[rgb->plane[k]]
      + y * frame->image.stride[rgb->plane[k]] + x * rgb->bytes
      + rgb->offset[k];
}

/* What has to be in an image: bytes that are no samples are those of the input,
 * and what lies beside the rows is as it was. */
static void
expect (Frame * frame, const BdctRgb * rgb, const Frame * src,
    const Colours * picture, const guint8 * samples)
{
  for (int y = 0; y < picture->height; y++)
    for (int p = 0; p < rgb->n_planes; p++)
      memcpy ((guint8 *) frame->image.data[p] + y * frame->image.stride[p],
          (guint8 *) src->image.data[p] + y * src->image.stride[p],
          picture->width * rgb->bytes);
  for (int i = 0; i < picture->width * picture->height; i++)
    for (int k = 0; k < 3; k++)
      *sample_at (frame, rgb, k, i % picture->width, i / picture->width) =
          samples[3 * i + k];
}

static void
fill_noise (Frame * frame, const BdctLayout * layout)
{
  for (int p = 0; p < bdct_image_planes (layout); p++)
    for (gsize i = 0; i < frame->size[p]; i++)
      frame->memory[p][i] = i * 2654435761u >> 24;
}

/* The first sample that differs, said. */
static void
tell_difference (const Frame * ours, const Frame * theirs,
    const Colours * picture, const Setting * setting, const char *engine)
{
  const BdctRgb *rgb = &rgb_formats[setting->f].rgb;

  for (int i = 0; i < picture->width * picture->height; i++)
    for (int k = 0; k < 3; k++) {
      int x = i % picture->width, y = i / picture->width;
      int a = *sample_at (ours, rgb, k, x, y);
      int b = *sample_at (theirs, rgb, k, x, y);

      if (a != b) {
        g_test_fail_printf ("%s: %s %s %s %dx%d quality %d, %c (%d, %d): %d, "
            "libjpeg %d", engine, picture->what, rgb_formats[setting->f].name,
            rgb_samplings[setting->s].name, picture->width, picture->height,
            setting->quality, "RGB"[k], x, y, a, b);
        return;
      }
    }
  g_test_fail_printf ("%s: %s %s %dx%d: a byte that is no sample was written",
      engine, picture->what, rgb_formats[setting->f].name, picture->width,
      picture->height);
}

/* The statistics of a picture that is right. */
static void
check_stats (const BdctStats * stats, const Colours * picture,
    const guint8 * theirs, guint64 scan, const char *engine)
{
  guint64 sse[3] = { 0 }, n = (guint64) picture->width * picture->height;

  for (guint64 i = 0; i < 3 * n; i++)
    sse[i % 3] += (theirs[i] - picture->rgb[i]) * (theirs[i] - picture->rgb[i]);
  for (int k = 0; k < 3; k++)
    if (stats->rgb[k].sse != sse[k] || stats->rgb[k].samples != n)
      g_test_fail_printf ("%s: %s: squared errors of %c: %" G_GUINT64_FORMAT
          ", not %" G_GUINT64_FORMAT, engine, picture->what, "RGB"[k],
          stats->rgb[k].sse, sse[k]);
  if ((bdct_stats_total (stats).bits + 7) / 8 != scan)
    g_test_fail_printf ("%s: %s: %" G_GUINT64_FORMAT " bits, the scan has %"
        G_GUINT64_FORMAT " bytes", engine, picture->what,
        bdct_stats_total (stats).bits, scan);
}

/* FALSE at the first difference. */
static gboolean
check (const Colours * picture, const Setting * setting, guint e)
{
  const BdctRgb *rgb = &rgb_formats[setting->f].rgb;
  const BdctEngineClass *klass = engines[e]->klass;
  BdctParams params = BDCT_PARAMS_DEFAULT;
  unsigned char *bytes = NULL;
  unsigned long length = 0;
  Frame src, ours, theirs;
  guint8 *samples = g_malloc ((gsize) 3 * picture->width * picture->height);
  BdctLayout layout;
  BdctStats stats;
  BdctJob job;
  BdctFrame frame = {.quantizers = &job,.n_quantizers = 1,.bits = true };
  gboolean ok;

  compress (picture, setting, &bytes, &length);
  decompress (bytes, length, samples);

  bdct_layout_init_rgb (&layout, rgb, picture->width, picture->height,
      rgb_samplings[setting->s].chroma);
  frame_init (&src, &layout, setting->quality % N_STRIDES);
  fill_noise (&src, &layout);
  frame_init (&ours, &layout, (setting->quality + 1) % N_STRIDES);
  frame_init (&theirs, &layout, (setting->quality + 1) % N_STRIDES);
  for (int i = 0; i < picture->width * picture->height; i++)
    for (int k = 0; k < 3; k++)
      *sample_at (&src, rgb, k, i % picture->width, i / picture->width) =
          picture->rgb[3 * i + k];
  expect (&theirs, rgb, &src, picture, samples);

  params.quality = setting->quality;
  g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
  g_assert_true (klass->configure (engines[e], &layout, 1, NULL));
  frame.src = src.image;
  frame.dst = ours.image;
  g_assert_true (klass->submit (engines[e], &frame, NULL));
  g_assert_true (klass->collect (engines[e], &stats, NULL));

  ok = frame_equal (&ours, &theirs, &layout);
  tally_add (3 * picture->width * picture->height, !ok);
  if (ok)
    check_stats (&stats, picture, samples, jpeg_count_scan (bytes, length),
        engines[e]->description);
  else
    tell_difference (&ours, &theirs, picture, setting,
        engines[e]->description);
  free (bytes);
  g_free (samples);
  frame_clear (&src);
  frame_clear (&ours);
  frame_clear (&theirs);
  return ok;
}

/* One format of these, or each; one engine, or each where little is done. */
static gboolean
check_all (const Colours * picture, guint * n)
{
  const int step = whole ? 1 : 100;

  for (guint s = 0; s < G_N_ELEMENTS (rgb_samplings); s++)
    for (guint i = 0; i < (whole ? 100 : G_N_ELEMENTS (some_qualities)); i++)
      for (guint f = 0; f < G_N_ELEMENTS (rgb_formats); f += step) {
        Setting setting = { whole ? f : *n % G_N_ELEMENTS (rgb_formats), s,
          whole ? (int) i + 1 : some_qualities[i]
        };

        if (!check (picture, &setting, *n / G_N_ELEMENTS (rgb_formats)
                % n_engines))
          return FALSE;
        ++*n;
      }
  return TRUE;
}

static void
test_synthetic (gconstpointer data)
{
  static const char *const names[N_CONTENTS] = {
    "smooth", "random", "extreme", "checker", "basis", "negated basis"
  };
  const Content content = GPOINTER_TO_INT (data);
  guint n = content;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    Colours colours = { names[content], sizes[i][0], sizes[i][1], NULL };
    gsize pixels = (gsize) colours.width * colours.height;
    BdctLayout layout;
    Picture picture;
    gboolean ok;

    format_layout (FORMAT_Y444, 8, 0, colours.width, colours.height, &layout);
    picture_init (&picture, &layout);
    picture_fill (&picture, content, &layout, BDCT_JPEG_8X8, i);
    colours.rgb = g_malloc (3 * pixels);
    for (gsize k = 0; k < 3 * pixels; k++)
      colours.rgb[k] = picture.sample[k % 3][k / 3];
    ok = check_all (&colours, &n);
    picture_clear (&picture);
    g_free (colours.rgb);
    if (!ok)
      return;
  }
}

/* Each of the 2^24 colours, in blocks that keep it: conversion and back. */
static void
test_every_colour (void)
{
  Colours colours = { "every colour", 512, 512, g_malloc (3 * 512 * 512) };
  gboolean ok = TRUE;

  for (int part = 0; part < 64 && ok; part++) {
    Setting setting = { part % G_N_ELEMENTS (rgb_formats), 3, 100 };

    for (int i = 0; i < 512 * 512; i++) {
      guint32 colour = part << 18 | i;

      colours.rgb[3 * i] = colour;
      colours.rgb[3 * i + 1] = colour >> 8;
      colours.rgb[3 * i + 2] = colour >> 16;
    }
    ok = check (&colours, &setting, part % n_engines);
  }
  g_free (colours.rgb);
}

/* A photograph's parts as R, G and B, which are then about as far from grey as
 * can be. */
static void
test_barbara (void)
{
  static const int parts[][2] = { {512, 512}, {509, 383}, {301, 299} };
  Picture barbara;
  guint n = 0;

  if (!picture_load (&barbara, "barbara.pgm"))
    return;
  for (guint p = 0; p < G_N_ELEMENTS (parts); p++) {
    Colours colours = { "Barbara", parts[p][0], parts[p][1], NULL };
    gsize pixels = (gsize) colours.width * colours.height;

    colours.rgb = g_malloc (3 * pixels);
    for (gsize i = 0; i < pixels; i++) {
      int x = i % colours.width, y = i / colours.width;

      colours.rgb[3 * i] = barbara.sample[0][y * 512 + x];
      colours.rgb[3 * i + 1] = barbara.sample[0][y * 512 + (x + 9) % 512];
      colours.rgb[3 * i + 2] = barbara.sample[0][(y + 5) % 512 * 512 + x];
    }
    check_all (&colours, &n);
    g_free (colours.rgb);
  }
  picture_clear (&barbara);
}

static void
test_large (void)
{
  Colours colours = { "large", 1919, 1079, g_malloc (3 * 1919 * 1079) };
  guint32 noise = 1;

  for (int i = 0; i < 3 * 1919 * 1079; i++) {
    noise = noise * 1664525 + 1013904223;
    colours.rgb[i] = (i / 3 % 1919 / 8 + i / 5757 / 4 + i % 3 * 90
        + (noise >> 27)) & 255;
  }
  for (guint e = 0; e < n_engines; e++) {
    const guint s = e % G_N_ELEMENTS (rgb_samplings);
    Setting setting = { (e + 2 * s) % G_N_ELEMENTS (rgb_formats), s,
      30 + 20 * s
    };

    check (&colours, &setting, e);
  }
  g_free (colours.rgb);
}

int
main (int argc, char **argv)
{
  static const Content contents[] = {
    CONTENT_SMOOTH, CONTENT_RANDOM, CONTENT_EXTREME, CONTENT_CHECKER,
    CONTENT_BASIS, CONTENT_BASIS_NEGATED
  };
  int status;

  if (argc > 1 && strcmp (argv[argc - 1], "--whole") == 0) {
    whole = TRUE;
    argc--;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  n_engines = engines_open (engines);
  for (guint i = 0; i < G_N_ELEMENTS (contents); i++) {
    static const char *const paths[] = {
      "/libjpeg-rgb/smooth", "/libjpeg-rgb/random", "/libjpeg-rgb/extreme",
      "/libjpeg-rgb/checker", "/libjpeg-rgb/basis", "/libjpeg-rgb/negated"
    };

    g_test_add_data_func (paths[i], GINT_TO_POINTER (contents[i]),
        test_synthetic);
  }
  g_test_add_func ("/libjpeg-rgb/every-colour", test_every_colour);
  g_test_add_func ("/libjpeg-rgb/barbara", test_barbara);
  g_test_add_func ("/libjpeg-rgb/large", test_large);
  status = g_test_run ();
  tally_print ("libjpeg, islow, R, G and B");
  engines_close (engines, n_engines);
  return status;
}

#else
#include "absent.h"

int
main (int argc, char **argv)
{
  return run_absent (argc, argv, "/libjpeg-rgb/absent",
      "built without libjpeg; install libjpeg-dev and reconfigure");
}
#endif
