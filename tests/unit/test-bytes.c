/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The same bytes on every machine: what the engine makes of pictures of random
 * samples, and its counters, as a number against one that was recorded. What
 * they should be is the differential's business; this is for dct-8x8, which the
 * definition does not settle to the bit, and for processors and compilers that
 * nobody has compared with each other. */
#include "program.h"

/* By depth: 8, 10 and 12 bits. */
static const guint64 recorded[][3] = {
  [BDCT_JPEG_8X8] = {
    0x1e640badbf85b98b, 0x7ce19327c7b75cc2, 0x6e290b762ee5d992
  },
  [BDCT_DCT_8X8] = {
    0x0da9e7ddb3705717, 0xbc6d634611b7d292, 0xa44a9de38b294ce9
  },
  [BDCT_HEVC_DST_4X4] = {
    0xa26fb33cac848129, 0x9a1f0dca5f62e2e9, 0x30179d3246692e76
  },
  [BDCT_HEVC_4X4] = {
    0x25f287decc7b2fdf, 0x28d083bba8eb96ac, 0xf498fd9750a52da4
  },
  [BDCT_HEVC_8X8] = {
    0x86ccff259a10e045, 0xd899d9161dcfa7d2, 0x33f74b926cfa8625
  },
  [BDCT_HEVC_16X16] = {
    0xe489b074bb5b667b, 0x6b33168fe0fccd43, 0x75d38ff0026e43ae
  },
  [BDCT_HEVC_32X32] = {
    0x7aee35fa51553187, 0xf113fb927e1b51e0, 0x9d7f55c6fe65d78d
  },
  [BDCT_H264_4X4] = {
    0x81df273ac7e44406, 0x6f9ce54b0a1010cf, 0x1b36a5c9ae785342
  },
  [BDCT_H264_8X8] = {
    0x13f59851b6e89610, 0x70f7dcbf7d8d3ea3, 0x1b4a1d10f2e88a35
  },
  [BDCT_VVC_64X64] = {
    0x5ec150ba9a2db7f8, 0x59d6fcece86320bc, 0x63b21a6adf23bacc
  },
};

/* FNV-1a, of 64 bits. */
static guint64
add_bytes (guint64 sum, const void *data, gsize size)
{
  const guint8 *byte = data;

  for (gsize i = 0; i < size; i++)
    sum = (sum ^ byte[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return sum;
}

static guint64
add_number (guint64 sum, guint64 number)
{
  number = GUINT64_TO_LE (number);
  return add_bytes (sum, &number, sizeof number);
}

static guint64
add_frame (guint64 sum, BdctEngine * engine, BdctTransform transform,
    Format format, int depth)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctError error = { "" };
  BdctLayout layout;
  BdctStats stats;
  Picture picture;
  Frame src, dst;
  BdctJob job;

  params.transform = transform;
  format_layout (format, depth, 0, 150, 77, &layout);
  picture_init (&picture, &layout);
  picture_fill (&picture, CONTENT_RANDOM, &layout, transform, format);
  frame_init (&src, &layout, STRIDE_TIGHT);
  frame_init (&dst, &layout, STRIDE_TIGHT);
  frame_put (&src, &layout, &picture, FALSE);
  if (!bdct_job_init (&job, &params, &layout, &error)
      || !engine->klass->configure (engine, &layout, 1, &error)
      || !engine_submit (engine, &job, &src.image, &dst.image, &error)
      || !engine->klass->collect (engine, &stats, &error))
    g_error ("%s: %s", engine->description, error.message);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    sum = add_number (sum, stats.component[c].sse);
    sum = add_number (sum, stats.component[c].nonzero);
  }
  for (int y = 0; y < layout.n_planes; y++)
    for (gsize i = 0; i < dst.size[y]; i += depth > 8 ? 2 : 1)
      sum = add_number (sum, depth > 8
          ? *(const guint16 *) (dst.memory[y] + i) : dst.memory[y][i]);
  frame_clear (&src);
  frame_clear (&dst);
  picture_clear (&picture);
  return sum;
}

static void
test_transform (gconstpointer data)
{
  BdctTransform transform = GPOINTER_TO_INT (data);

  for (guint i = 0; i < n_engines; i++)
    for (int k = 0; k < 3; k++) {
      guint64 sum = G_GUINT64_CONSTANT (0xcbf29ce484222325);

      for (int format = 0; format < N_FORMATS; format++)
        sum = add_frame (sum, engines[i], transform, format, 8 + 2 * k);
      if (sum != recorded[transform][k]) {
        g_test_message ("%s: depth %d is 0x%016" G_GINT64_MODIFIER "x",
            engines[i]->description, 8 + 2 * k, sum);
        g_test_fail ();
      }
    }
}

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  g_test_set_nonfatal_assertions ();
  for (int t = 0; t < BDCT_N_FIXED; t++)
    tests_add (test_transform, t, "/bytes/%s", bdct_transform_info (t)->name);
  return tests_run ();
}
