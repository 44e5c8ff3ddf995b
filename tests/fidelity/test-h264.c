/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * H.264's chroma, with its DC transform, through a real decoder: an engine's
 * levels become a stream (h264-stream.c), and what ffmpeg decodes of it has to
 * be the engine's own picture. */
#include <string.h>
#include <glib/gstdio.h>
#include "h264-stream.h"
#include "program.h"

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

/* One picture and its levels, which are added to the stream. */
static void
add_frame (const Run * run, const BdctLayout * layout, guint number,
    BdctEngine * engine, GByteArray * stream, Picture * expected)
{
  const Content contents[] = { CONTENT_SMOOTH, CONTENT_RANDOM,
    CONTENT_EXTREME, CONTENT_BASIS
  };
  BdctParams params = BDCT_PARAMS_DEFAULT;
  gsize first[BDCT_MAX_COMPONENTS];
  BdctFrame frame = {.n_quantizers = 1 };
  const gint16 *levels[2];
  Frame src, dst;
  BdctStats stats;
  BdctJob job;

  params.transform = run->transform;
  params.qp = number % 52;
  params.chroma_qp_offset = run->stream.chroma_qp_offset;
  g_assert_true (bdct_job_init (&job, &params, layout, NULL));
  picture_init (expected, layout);
  picture_fill (expected, contents[(number + run->seed) % 4], layout,
      run->transform, run->seed * FRAMES + number);
  frame_init (&src, layout, STRIDE_TIGHT);
  frame_init (&dst, layout, STRIDE_TIGHT);
  frame_put (&src, layout, expected, FALSE);
  frame.quantizers = &job;
  frame.src = src.image;
  frame.dst = dst.image;
  frame.n_levels = bdct_count_levels (layout, &job, first);
  frame.levels = g_aligned_alloc0 (frame.n_levels, sizeof *frame.levels, 64);
  engine_run (engine, layout, &frame, &stats);
  frame_get (&dst, layout, expected);
  for (int c = BDCT_U; c <= BDCT_V; c++)
    levels[c - 1] = frame.levels + first[c];
  h264_add (stream, &run->stream, number, params.qp, levels);
  g_aligned_free (frame.levels);
  frame_clear (&src);
  frame_clear (&dst);
}

/* Chroma against the engine's picture, luma against mid-grey. */
static void
check_frame (const Picture * expected, const guint8 ** decoded, int depth)
{
  const int bytes = depth > 8 ? 2 : 1;

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const int n = expected->width[c] * expected->height[c];
    guint64 differ = 0;

    for (int i = 0; i < n; i++, *decoded += bytes) {
      const int v = bytes == 1 ? **decoded : (*decoded)[0]
          | (*decoded)[1] << 8;

      differ += v != (c == BDCT_Y ? 1 << (depth - 1) : expected->sample[c][i]);
    }
    g_assert_cmpuint (differ, ==, 0);
  }
}

static void
test_run (gconstpointer data)
{
  const Run *run = data;
  const H264Stream *s = &run->stream;
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  g_autofree guint8 *decoded = NULL;
  Picture expected[FRAMES];
  const guint8 *at;
  BdctLayout layout;
  gsize size = 0, picture_size = 0;

  format_layout (s->tall ? FORMAT_Y42B : FORMAT_I420, s->depth, 0, s->width,
      s->height, &layout);
  h264_begin (stream, s);
  for (guint i = 0; i < FRAMES; i++)
    add_frame (run, &layout, i, engines[run->seed % n_engines], stream,
        &expected[i]);
  for (int p = 0; p < layout.n_planes; p++)
    picture_size += (gsize) layout.plane[p].width * layout.plane[p].height
        * (s->depth > 8 ? 2 : 1);
  at = decoded = decode (stream, &size);
  if (decoded != NULL)
    g_assert_cmpuint (size, ==, FRAMES * picture_size);
  for (guint i = 0; i < FRAMES; i++) {
    if (decoded != NULL)
      check_frame (&expected[i], &at, s->depth);
    picture_clear (&expected[i]);
  }
}

int
main (int argc, char **argv)
{
  static const int sizes[][2] = { {96, 80}, {74, 38}, {16, 16}, {20, 52} };
  guint seed = 0;

  tests_init (&argc, &argv);
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
  return tests_run ();
}
