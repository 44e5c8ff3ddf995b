/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The same bytes on every machine: what the engine makes of pictures of random
 * samples, and its counters, against numbers that were recorded on one. What
 * they should be is test-engine.c's business; this one is for dct-8x8, which the
 * definition does not settle to the bit, and for processors and compilers that
 * nobody has compared with each other. */
#include <string.h>
#include "frame.h"

/* By depth: 8, 10 and 12 bits. */
static const guint64 recorded[][3] = {
  [BDCT_JPEG_8X8] = {0, 0, 0},
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
  BdctEngine *engines[MAX_ENGINES];
  guint n_engines = engines_open (engines);

  for (guint i = 0; i < n_engines; i++)
    for (int k = 0; k < 3; k++) {
      guint64 sum = G_GUINT64_CONSTANT (0xcbf29ce484222325);

      for (int format = 0; format < N_FORMATS; format++)
        sum = add_frame (sum, engines[i], transform, format, 8 + 2 * k);
      if (sum != recorded[transform][k])
        g_test_fail_printf ("%s: depth %d is 0x%016" G_GINT64_MODIFIER "x",
            engines[i]->description, 8 + 2 * k, sum);
    }
  engines_close (engines, n_engines);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++) {
    char *path = g_strdup_printf ("/bytes/%s", bdct_transform_info (t)->name);

    g_test_add_data_func (path, GINT_TO_POINTER (t), test_transform);
    g_free (path);
  }
  return g_test_run ();
}
