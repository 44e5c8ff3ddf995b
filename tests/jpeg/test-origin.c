/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The origin of decoded pictures: drawn ones, coded and decoded by libjpeg at
 * random settings and cropped at random, are named rightly or not at all. */
#include <glib.h>
#include <math.h>
#include <stdio.h>              /* jpeglib.h wants it first */
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include "jpeg/origin.h"

#define WIDTH 240
#define HEIGHT 200

typedef struct
{
  int components, quality, h, v, x, y, width, height;
} Case;

static guint8 picture[HEIGHT][3 * WIDTH];

/* Waves of random lengths, edges and noise, in the middle of the range. */
static void
draw (int components)
{
  gdouble wave[12][4];

  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 4; k++)
      wave[i][k] = g_test_rand_double_range (-0.4, 0.4);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      for (int c = 0; c < components; c++) {
        gdouble v = 128 + 6 * (g_test_rand_double () - 0.5)
            + ((x / 37 + y / 29) % 2 ? 12 : -12);

        for (int i = 0; i < 4; i++) {
          const gdouble *w = wave[c == 0 ? i : 4 * (i % 2) + 4 + c];

          v += 16 * sin (w[0] * x + w[1] * y + 9 * w[2])
              * cos (0.2 * w[3] * (x + y));
        }
        picture[y][components * x + c] = (guint8) CLAMP (v, 8, 247);
      }
}

/* Code and decode the picture in place. */
static void
degrade (const Case * c)
{
  struct jpeg_compress_struct to;
  struct jpeg_decompress_struct from;
  struct jpeg_error_mgr error;
  unsigned char *data = NULL;
  unsigned long size;
  JSAMPROW row;

  to.err = from.err = jpeg_std_error (&error);
  jpeg_create_compress (&to);
  jpeg_mem_dest (&to, &data, &size);
  to.image_width = WIDTH;
  to.image_height = HEIGHT;
  to.input_components = c->components;
  to.in_color_space = c->components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults (&to);
  jpeg_set_quality (&to, c->quality, TRUE);
  to.comp_info[0].h_samp_factor = c->h;
  to.comp_info[0].v_samp_factor = c->v;
  jpeg_start_compress (&to, TRUE);
  for (int y = 0; y < HEIGHT; y++) {
    row = picture[y];
    jpeg_write_scanlines (&to, &row, 1);
  }
  jpeg_finish_compress (&to);
  jpeg_destroy_compress (&to);
  jpeg_create_decompress (&from);
  jpeg_mem_src (&from, data, size);
  jpeg_read_header (&from, TRUE);
  jpeg_start_decompress (&from);
  for (int y = 0; y < HEIGHT; y++) {
    row = picture[y];
    jpeg_read_scanlines (&from, &row, 1);
  }
  jpeg_finish_decompress (&from);
  jpeg_destroy_decompress (&from);
  free (data);
}

static gboolean
find (const Case * c, JpegOrigin * origin)
{
  const JpegOriginPicture seen = {
    &picture[c->y][c->components * c->x], sizeof picture[0], c->width,
    c->height, c->components
  };
  BdctError error;

  return jpeg_origin_find (origin, &seen, &error);
}

static Case
choose (int components)
{
  static const int samplings[][2] = { {1, 1}, {2, 1}, {1, 2}, {2, 2} };
  const int *sampling = samplings[g_test_rand_int_range (0, 4)];
  Case c = { components, g_test_rand_int_range (25, 93), 1, 1,
    g_test_rand_int_range (0, 20), g_test_rand_int_range (0, 20), 0, 0
  };

  if (components > 1) {
    c.h = sampling[0];
    c.v = sampling[1];
  }
  c.width = WIDTH - c.x - g_test_rand_int_range (0, 20);
  c.height = HEIGHT - c.y - g_test_rand_int_range (0, 20);
  return c;
}

static void
test_origin (gconstpointer data)
{
  const int components = GPOINTER_TO_INT (data), n = 6;
  int named = 0;

  for (int i = 0; i < n; i++) {
    const Case c = choose (components);
    JpegOrigin origin;

    draw (components);
    degrade (&c);
    if (!find (&c, &origin))
      continue;
    g_assert_cmpint (origin.left, ==, (16 - c.x % 8) % 8);
    g_assert_cmpint (origin.top, ==, (16 - c.y % 8) % 8);
    g_assert_cmpint (origin.h, ==, components > 1 ? c.h : 0);
    g_assert_cmpint (origin.v, ==, components > 1 ? c.v : 0);
    if (origin.preset < 0)
      continue;
    g_assert_cmpint (origin.preset, ==, BDCT_PRESET_ANNEX_K);
    g_assert_cmpint (origin.quality, ==, c.quality);
    named++;
  }
  g_test_message ("%d of %d named", named, n);
  g_assert_cmpint (named, >=, n / 2);
}

/* Where the decoder cut samples off, chroma is not known, nor near there what
 * its mean says. */
static void
test_clipped (void)
{
  static const int samplings[][2] = { {2, 1}, {1, 2}, {2, 2} };

  const int n = 9;
  int found = 0;

  for (int i = 0; i < n; i++) {
    const int *sampling = samplings[i % G_N_ELEMENTS (samplings)];
    const Case c = { 3, 60, sampling[0], sampling[1], 0, 0, WIDTH, HEIGHT };
    JpegOrigin origin;

    draw (3);
    for (int y = 60; y < 110; y++)
      for (int x = 70; x < 130; x++) {
        picture[y][3 * x] = 255;
        picture[y][3 * x + 1] = picture[y][3 * x + 2] = 0;
      }
    degrade (&c);
    if (!find (&c, &origin))
      continue;
    g_assert_cmpint (origin.h, ==, c.h);
    g_assert_cmpint (origin.v, ==, c.v);
    g_assert_cmpint (origin.quality, ==, 60);
    found++;
  }
  g_test_message ("%d of %d found", found, n);
  g_assert_cmpint (found, >, n / 2);
}

/* A picture that never was a file's; and one that was, but for a sample. */
static void
test_none (void)
{
  const Case whole = { 1, 60, 1, 1, 0, 0, WIDTH, HEIGHT };
  const Case small = { 1, 60, 1, 1, 0, 0, 7, 7 };
  const Case colours = { 3, 60, 2, 2, 0, 0, WIDTH, HEIGHT };
  JpegOrigin origin;

  draw (3);
  g_assert_false (find (&colours, &origin));
  draw (1);
  g_assert_false (find (&whole, &origin));
  degrade (&whole);
  g_assert_false (find (&small, &origin));
  g_assert_true (find (&whole, &origin));
  g_assert_cmpint (origin.quality, ==, 60);
  picture[100][100] += 9;
  g_assert_false (find (&whole, &origin));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/jpeg-origin/grey", GINT_TO_POINTER (1), test_origin);
  g_test_add_data_func ("/jpeg-origin/rgb", GINT_TO_POINTER (3), test_origin);
  g_test_add_func ("/jpeg-origin/clipped", test_clipped);
  g_test_add_func ("/jpeg-origin/none", test_none);
  return g_test_run ();
}
