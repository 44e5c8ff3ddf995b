/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The levels of JPEG files: files that libjpeg compresses are read and written
 * again, byte for byte; what is damaged or out of bounds is an error. */
#include <glib.h>
#include <stdio.h>              /* jpeglib.h wants it first */
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include "jpeg/file.h"

#define MAX_PIXELS 1000000

typedef struct
{
  int width, height, h, v, quality;
  J_COLOR_SPACE from, colours;
  gboolean optimize, progressive;
  int restart;
} Case;

static const int sizes[][2] = {
  {1, 1}, {7, 9}, {8, 8}, {9, 7}, {16, 17}, {33, 31}, {65, 3}, {3, 65},
  {100, 75}
};

static const int samplings[][2] = {
  {1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}
};

static const J_COLOR_SPACE colours[][2] = {
  {JCS_GRAYSCALE, JCS_GRAYSCALE}, {JCS_RGB, JCS_YCbCr}, {JCS_RGB, JCS_RGB},
  {JCS_CMYK, JCS_CMYK}, {JCS_CMYK, JCS_YCCK}
};

/* Coarse tables make libjpeg print a caution. */
static void
print_nothing (j_common_ptr info)
{
  (void) info;
}

static unsigned char *
compress (const Case * c, unsigned long *size)
{
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr error;
  unsigned char *data = NULL;
  guint8 row[4 * 128];
  JSAMPROW rows[] = { row };
  GRand *random = g_rand_new_with_seed (c->quality);

  info.err = jpeg_std_error (&error);
  error.output_message = print_nothing;
  jpeg_create_compress (&info);
  jpeg_mem_dest (&info, &data, size);
  info.image_width = c->width;
  info.image_height = c->height;
  info.in_color_space = c->from;
  info.input_components = c->from == JCS_GRAYSCALE ? 1
      : c->from == JCS_RGB ? 3 : 4;
  jpeg_set_defaults (&info);
  jpeg_set_colorspace (&info, c->colours);
  jpeg_set_quality (&info, c->quality, FALSE);
  info.comp_info[0].h_samp_factor = c->h;
  info.comp_info[0].v_samp_factor = c->v;
  info.optimize_coding = c->optimize;
  info.restart_interval = c->restart;
  if (c->progressive)
    jpeg_simple_progression (&info);
  jpeg_start_compress (&info, TRUE);
  for (int y = 0; y < c->height; y++) {
    for (int x = 0; x < c->width * info.input_components; x++)
      row[x] = x / 9 % 2 ? g_rand_int_range (random, 0, 256) : x * 5 + y * 3;
    jpeg_write_scanlines (&info, rows, 1);
  }
  jpeg_finish_compress (&info);
  jpeg_destroy_compress (&info);
  g_rand_free (random);
  return data;
}

/* Read what `c` makes, and write it again: that is what `plain` makes. The same
 * coder writes both, so equal bytes are equal levels, steps, sampling factors
 * and colours. */
static void
check_case (const Case * c, const Case * plain)
{
  const JpegFileOptions options = { c->optimize, c->progressive };
  unsigned long size, plain_size;
  unsigned char *data = compress (c, &size), *again;
  unsigned char *expected = compress (plain, &plain_size);
  size_t again_size;
  BdctError error;
  JpegFile file;

  if (!jpeg_file_read (&file, data, size, MAX_PIXELS, &error))
    g_error ("%dx%d, %dx%d, quality %d: %s", c->width, c->height, c->h, c->v,
        c->quality, error.message);
  g_assert_cmpint (file.width, ==, c->width);
  g_assert_cmpint (file.height, ==, c->height);
  g_assert_true (jpeg_file_write (&file, &options, &again, &again_size,
          &error));
  g_assert_cmpmem (again, again_size, expected, plain_size);
  free (again);
  jpeg_file_clear (&file);
  free (expected);
  free (data);
}

static void
test_round_trip (void)
{
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint f = 0; f < G_N_ELEMENTS (samplings); f++)
      for (guint k = 0; k < G_N_ELEMENTS (colours); k++)
        for (int coder = 0; coder < 3; coder++) {
          Case c = { sizes[s][0], sizes[s][1], samplings[f][0],
            samplings[f][1], g_test_rand_int_range (1, 101), colours[k][0],
            colours[k][1], coder > 0, coder == 2, 0
          };

          /* An MCU has at most 10 blocks. */
          if (c.h * c.v + (k > 2 ? 3 : k > 0 ? 2 : 0) > 10)
            c.h = c.v = 1;
          check_case (&c, &c);
        }
}

static void
test_restart (void)
{
  for (int interval = 1; interval < 8; interval++) {
    const Case plain = { 100, 75, 2, 2, 80, JCS_RGB, JCS_YCbCr, FALSE, FALSE,
      0
    };
    Case c = plain;

    c.restart = interval;
    check_case (&c, &plain);
  }
}

static void
expect_error (const void *data, size_t size, uint64_t max_pixels,
    const char *what)
{
  BdctError error = { "" };
  JpegFile file;

  g_assert_false (jpeg_file_read (&file, data, size, max_pixels, &error));
  if (strstr (error.message, what) == NULL)
    g_error ("\"%s\" lacks \"%s\"", error.message, what);
}

/* The first marker of a kind in a file. */
static unsigned char *
find_marker (unsigned char *data, size_t size, int marker)
{
  for (size_t i = 0; i + 1 < size; i++)
    if (data[i] == 0xff && data[i + 1] == marker)
      return data + i;
  g_assert_not_reached ();
}

static void
test_bad (void)
{
  const Case c = { 100, 75, 2, 2, 80, JCS_RGB, JCS_YCbCr, FALSE, FALSE, 0 };
  Case progressive = c;
  unsigned long size;
  unsigned char *data = compress (&c, &size), *at;

  expect_error (data, 0, MAX_PIXELS, "Empty");
  expect_error ("GIF89a", 6, MAX_PIXELS, "Not a JPEG");
  expect_error (data, size / 2, MAX_PIXELS, "Premature end");
  expect_error (data, size, 100 * 75 - 1, "more than 7499 pixels");
  at = find_marker (data, size, 0xc0);
  at[4] = 12;
  expect_error (data, size, MAX_PIXELS, "recision");
  at[4] = 8;
  at[11] = 0x33;                /* Y 3x3; U and V 2x2 */
  at[14] = at[17] = 0x22;
  expect_error (data, size, MAX_PIXELS, "do not divide");
  free (data);

  progressive.progressive = TRUE;
  data = compress (&progressive, &size);
  at = find_marker (data, size, 0xda);
  at = find_marker (at + 2, size - (at + 2 - data), 0xda);
  at[1] = 0xd9;                 /* the end after the first scan */
  expect_error (data, size, MAX_PIXELS, "lacks scans");
  free (data);
}

/* A scan again and again, of a grey file that claims three components. */
static void
test_scans (void)
{
  static const unsigned char frame[] = { 0xff, 0xc0, 0, 17, 8, 0, 8, 0, 8, 3,
    1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0
  };
  const Case c = { 8, 8, 1, 1, 80, JCS_GRAYSCALE, JCS_GRAYSCALE, FALSE, FALSE,
    0
  };
  unsigned long size;
  unsigned char *data = compress (&c, &size);
  const unsigned char *sof = find_marker (data, size, 0xc0);
  const unsigned char *scan = find_marker (data, size, 0xda);
  const unsigned char *end = data + size - 2;
  const size_t length = end - scan;

  for (int n = 500; n <= 501; n++) {
    GByteArray *many = g_byte_array_new ();
    JpegFile file;

    g_byte_array_append (many, data, sof - data);
    g_byte_array_append (many, frame, sizeof frame);
    g_byte_array_append (many, sof + 13, scan - sof - 13);
    for (int i = 0; i < n; i++)
      g_byte_array_append (many, scan, length);
    g_byte_array_append (many, end, 2);
    if (n > 500)
      expect_error (many->data, many->len, MAX_PIXELS, "more than 500 scans");
    else
      g_assert_true (jpeg_file_read (&file, many->data, many->len, MAX_PIXELS,
              NULL));
    if (n == 500)
      jpeg_file_clear (&file);
    g_byte_array_unref (many);
  }
  free (data);
}

/* Random damage gives an error or a file, and nothing worse. */
static void
test_damage (void)
{
  for (int i = 0; i < 2000; i++) {
    const gboolean progressive = i % 2;
    const Case c = { 33, 31, 2, 2, 80, JCS_RGB, JCS_YCbCr, progressive,
      progressive, i % 3
    };
    unsigned long size;
    unsigned char *data = compress (&c, &size);
    JpegFile file;

    for (int k = g_test_rand_int_range (1, 4); k > 0; k--)
      data[g_test_rand_int_range (0, size)] = g_test_rand_int_range (0, 256);
    if (jpeg_file_read (&file, data, size, MAX_PIXELS, NULL)) {
      const JpegFileOptions options = { FALSE, FALSE };
      unsigned char *again;
      size_t again_size;

      if (jpeg_file_write (&file, &options, &again, &again_size, NULL))
        free (again);
      jpeg_file_clear (&file);
    }
    free (data);
  }
}

/* Levels that a file cannot hold. */
static void
test_bad_levels (void)
{
  const JpegFileOptions options = { FALSE, FALSE };
  JpegFile file = {.width = 300,.height = 300,.colour = JPEG_FILE_GREY,
    .n_components = 1,.component = {{.h = 1,.v = 1}}
  };
  unsigned char *data;
  BdctError error;
  size_t size;

  for (int k = 0; k < 64; k++)
    file.component[0].steps[k] = 1;
  g_assert_true (jpeg_file_allocate (&file, &error));
  for (int i = 0; i < 38 * 38 * 64; i++)
    file.component[0].levels[i] = (int16_t) (i % 64 ? i * 7 % 1023 : 0);
  g_assert_true (jpeg_file_write (&file, &options, &data, &size, &error));
  free (data);
  file.component[0].levels[38 * 38 * 64 - 1] = 1024;
  g_assert_false (jpeg_file_write (&file, &options, &data, &size, &error));
  g_assert_nonnull (strstr (error.message,
          "level 1024 of component 0, block 1443, is"));
  g_assert_null (data);
  jpeg_file_clear (&file);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jpeg-file/round-trip", test_round_trip);
  g_test_add_func ("/jpeg-file/restart", test_restart);
  g_test_add_func ("/jpeg-file/bad", test_bad);
  g_test_add_func ("/jpeg-file/scans", test_scans);
  g_test_add_func ("/jpeg-file/damage", test_damage);
  g_test_add_func ("/jpeg-file/bad-levels", test_bad_levels);
  return g_test_run ();
}
