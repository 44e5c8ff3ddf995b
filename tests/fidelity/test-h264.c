/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * H.264's chroma, with its DC transform, through a real decoder: an engine's
 * levels become a stream (h264-stream.c), and what ffmpeg decodes of it has to
 * be the engine's own picture. */
#include <blockdct/blockdct.h>
#include <string.h>
#include <glib/gstdio.h>
#include "dct/quantizer/block-grid.h"
#include "h264-stream.h"

#define FRAMES 52

typedef struct {
  BdctTransform transform;
  H264Stream stream;
  guint seed;
} Run;

/* Everything that ffmpeg decodes; NULL with the test skipped or failed. */
static guint8 *
decode (const GByteArray * stream, gsize * size)
{
  g_autofree char *folder = g_dir_make_tmp ("blockdct-XXXXXX", NULL);
  g_autofree char *in = g_build_filename (folder, "in.h264", NULL);
  g_autofree char *out = g_build_filename (folder, "out.yuv", NULL);
  const char *argv[] = { "ffmpeg", "-v", "error", "-xerror", "-err_detect",
    "explode", "-f", "h264", "-i", in, "-vsync", "passthrough", "-f",
    "rawvideo", "-y", out, NULL
  };
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  char *data = NULL;
  int status = 0;

  g_assert_true (g_file_set_contents (in, (const char *) stream->data,
          stream->len, NULL));
  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL,
          NULL, NULL, &text, &status, &error))
    g_test_skip ("ffmpeg is missing");
  else if (!g_spawn_check_wait_status (status, NULL))
    g_test_fail_printf ("ffmpeg: %s", text);
  else
    g_assert_true (g_file_get_contents (out, &data, size, NULL));
  g_remove (in);
  g_remove (out);
  g_rmdir (folder);
  return (guint8 *) data;
}

/* A sample of noise on a gradient, of noise, of extremes or of stripes. */
static guint
make_sample (guint content, int x, int y, int depth)
{
  const guint most = (1 << depth) - 1, noise = g_test_rand_int_range (0,
      most + 1);

  switch (content) {
    case 0:
      return MIN (most, (x * 5 + y * 3) % most + noise % 9);
    case 1:
      return noise;
    case 2:
      return noise % 2 * most;
    default:
      return (x / 2 + y / 3) % 2 * most / 3 + noise % 3;
  }
}

/* One picture, whose chroma becomes an engine's and whose luma mid-grey; its
 * levels are added to the stream. */
static void
add_frame (const Run * run, const BdctLayout * layout, guint number,
    BdctEngine * engine, GByteArray * stream, guint8 * picture)
{
  const int bytes = layout->depth > 8 ? 2 : 1;
  BdctParams params = BDCT_PARAMS_DEFAULT;
  gsize first[BDCT_MAX_COMPONENTS];
  BdctFrame frame = {.size = sizeof frame,.n_quantizers = 1 };
  BdctError error = { "" };
  const gint16 *levels[2];
  BdctStats stats = {.size = sizeof stats };
  BdctJob *jobs;

  params.transform = run->transform;
  params.qp = number % 52;
  params.chroma_qp_offset = run->stream.chroma_qp_offset;
  jobs = bdct_jobs_new (&params, 1, layout, NULL);
  g_assert_nonnull (jobs);
  for (int p = 0; p < layout->n_planes; p++) {
    const int width = layout->plane[p].width, height = layout->plane[p].height;

    frame.src.data[p] = frame.dst.data[p] = picture;
    frame.src.stride[p] = frame.dst.stride[p] = width * bytes;
    for (int i = 0; i < width * height; i++, picture += bytes) {
      const guint v = make_sample ((number + run->seed) % 4, i % width,
          i / width, layout->depth);

      picture[0] = v;
      picture[bytes - 1] = bytes == 1 ? v : v >> 8;
    }
  }
  frame.quantizers = jobs;
  frame.n_levels = bdct_count_levels (layout, jobs, first);
  frame.levels = g_aligned_alloc0 (frame.n_levels, sizeof *frame.levels, 64);
  if (!bdct_engine_configure (engine, layout, 1, &error)
      || !bdct_engine_submit (engine, &frame, &error)
      || !bdct_engine_collect (engine, &stats, &error))
    g_error ("%s", error.message);
  for (int c = BDCT_U; c <= BDCT_V; c++)
    levels[c - 1] = frame.levels + first[c];
  h264_add (stream, &run->stream, number, params.qp, levels);
  for (guint8 * at = frame.dst.data[0]; at < (guint8 *) frame.dst.data[1];
      at += bytes) {
    at[0] = bytes == 1 ? 128 : 0;
    at[bytes - 1] = bytes == 1 ? 128 : 1 << (layout->depth - 9);
  }
  g_aligned_free (frame.levels);
  bdct_jobs_free (jobs);
}

static void
test_run (gconstpointer data)
{
  const Run *run = data;
  const H264Stream *s = &run->stream;
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  g_autofree guint8 *decoded = NULL;
  g_autofree guint8 *expected = NULL;
  BdctEngine *engine = bdct_engine_new (g_strcmp0 (g_getenv
          ("BLOCKDCT_TEST_BACKEND"), "cuda") == 0 ? BDCT_BACKEND_CUDA
      : BDCT_BACKEND_CPU, NULL, NULL);
  BdctLayout layout;
  gsize size = 0, picture_size = 0;

  g_assert_nonnull (engine);
  bdct_layout_init (&layout, s->tall ? BDCT_CHROMA_422 : BDCT_CHROMA_420,
      s->depth, 0, 3, s->width, s->height);
  for (int p = 0; p < layout.n_planes; p++)
    picture_size += (gsize) layout.plane[p].width * layout.plane[p].height
        * (s->depth > 8 ? 2 : 1);
  expected = g_malloc (FRAMES * picture_size);
  h264_begin (stream, s);
  for (guint i = 0; i < FRAMES; i++)
    add_frame (run, &layout, i, engine, stream, expected + i * picture_size);
  bdct_engine_free (engine);
  decoded = decode (stream, &size);
  if (decoded != NULL)
    g_assert_cmpmem (decoded, size, expected, FRAMES * picture_size);
}

int
main (int argc, char **argv)
{
  static const int sizes[][2] = { {96, 80}, {74, 38}, {16, 16}, {20, 52} };
  guint seed = 0;

  g_test_init (&argc, &argv, NULL);
  for (int t = BDCT_H264_4X4; t <= BDCT_H264_8X8; t++)
    for (int tall = 0; tall < 2; tall++)
      for (int depth = 8; depth <= 10; depth += 2)
        for (int offset = -12; offset <= 12; offset += 6, seed++) {
          Run *run = g_new0 (Run, 1);
          g_autofree char *path = g_strdup_printf ("/h264/%s/4:2:%d/%d bits/"
              "offset %d", bdct_transform_info (t)->name, 2 * tall, depth,
              offset);

          run->transform = t;
          run->seed = seed;
          run->stream = (H264Stream) {
            .depth = depth, .tall = tall, .width = sizes[seed % 4][0],
            .height = sizes[seed % 4][1], .chroma_qp_offset = offset
          };
          g_test_add_data_func_full (path, run, test_run, g_free);
        }
  return g_test_run ();
}
