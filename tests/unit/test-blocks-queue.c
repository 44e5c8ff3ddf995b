/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames in flight that ask for more than their picture (test-blocks.c), and
 * what an engine refuses of such frames. */
#include <string.h>
#include "blocks-scene.h"
#include "program.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* Frames in flight, each with another map, which is the engine's once submit
 * has returned. */
static void
test_queue (void)
{
  enum { N = 12, DEPTH = 4 };
  Case c = { .params = defaults, .format = FORMAT_NV12, .depth = 8,
    .width = 150, .height = 70, .content = CONTENT_SMOOTH
  };
  BdctView maps = BDCT_VIEW_DEFAULT;
  BdctJob quantizers[BDCT_MAX_QUANTIZERS];
  Scene s;

  c.params.transform = BDCT_HEVC_8X8;
  scene_init (&s, &c);
  make_sets (&s, quantizers);
  bdct_view_colours (&maps, 8, 0.299, 0.114, true);
  maps.mode = BDCT_VIEW_ERROR_MAP;
  for (guint e = 0; e < n_engines; e++) {
    const BdctEngineClass *klass = engines[e]->klass;
    Result expected[N], got[N];
    BdctFrame frame[N];

    for (int i = 0; i < N; i++) {
      guint8 *map = make_map (&s, i % 2);

      for (gsize k = 0; k < s.n_blocks; k++)
        map[k] = (map[k] + i) % (1 + i % BDCT_MAX_QUANTIZERS);
      frame[i] = (BdctFrame) {
      .quantizers = quantizers,.n_quantizers =
            1 + i % BDCT_MAX_QUANTIZERS,.quantizer_map = map,.view =
            i % 3 ? NULL : &maps};
      run (&s, engines[e], &frame[i], i != 7, i % 2, &expected[i]);
    }
    g_assert_true (klass->configure (engines[e], &s.layout, DEPTH, NULL));
    for (int i = 0; i < N + DEPTH; i++) {
      if (i >= DEPTH) {
        int k = i - DEPTH;

        g_assert_true (klass->collect (engines[e], &got[k].stats, NULL));
        g_assert_cmpmem (&got[k].stats, sizeof got[k].stats,
            &expected[k].stats,
            sizeof expected[k].stats);
        g_assert_true (k == 7 || frame_equal (&got[k].dst, &expected[k].dst,
                &s.layout));
        if (k % 2)
          g_assert_cmpmem (got[k].blocks, s.n_blocks * sizeof *got[k].blocks,
              expected[k].blocks, s.n_blocks * sizeof *got[k].blocks);
        result_clear (&got[k]);
        result_clear (&expected[k]);
      }
      if (i < N) {
        BdctView view = maps;
        BdctJob own[BDCT_MAX_QUANTIZERS];

        memcpy (own, frame[i].quantizers, sizeof own);
        describe (&s, &frame[i], i != 7, i % 2, &got[i]);
        frame[i].quantizers = own;
        frame[i].view = frame[i].view ? &view : NULL;
        g_assert_true (klass->submit (engines[e], &frame[i], NULL));
        memset ((void *) frame[i].quantizer_map, 0xff, s.n_blocks);
        g_free ((void *) frame[i].quantizer_map);
        memset (own, 0xff, sizeof own);
        memset (&view, 0xff, sizeof view);
        memset (&frame[i], 0xff, sizeof frame[i]);
      }
    }
  }
  scene_clear (&s);
}

/* Submit has to fail with a text that has all of these. */
static void
refuse (BdctEngine * engine, const BdctFrame * frame, const char *a,
    const char *b)
{
  BdctError error = { "" };
  BdctStats stats;

  g_assert_false (engine->klass->submit (engine, frame, &error));
  if (strstr (error.message, a) == NULL || strstr (error.message, b) == NULL)
    g_test_fail_printf ("%s: '%s' lacks '%s' or '%s'", engine->description,
        error.message, a, b);
  g_assert_false (engine->klass->submit (engine, frame, NULL));
  g_assert_false (engine->klass->collect (engine, &stats, NULL));
}

/* What is not as described is named, and starts nothing. */
static void
test_errors (void)
{
  Case c = { .params = defaults, .format = FORMAT_I420, .depth = 8,
    .width = 50, .height = 41, .content = CONTENT_RANDOM
  };
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctJob quantizers[BDCT_MAX_QUANTIZERS], deep, other;
  BdctParams params = defaults;
  BdctLayout layout;
  guint8 *map;
  Scene s;

  scene_init (&s, &c);
  make_sets (&s, quantizers);
  map = make_map (&s, TRUE);
  format_layout (FORMAT_I420, 10, 0, 50, 41, &layout);
  g_assert_true (bdct_job_init (&deep, &params, &layout, NULL));
  params.transform = BDCT_HEVC_4X4;
  g_assert_true (bdct_job_init (&other, &params, &s.layout, NULL));
  for (guint e = 0; e < n_engines; e++) {
    BdctEngine *engine = engines[e];
    BdctFrame good = {.quantizers = quantizers,.n_quantizers =
          BDCT_MAX_QUANTIZERS,
      .quantizer_map = map
    }, bad;
    Frame untouched;
    Result result;

    g_assert_true (engine->klass->configure (engine, &s.layout, 2, NULL));
    describe (&s, &good, TRUE, TRUE, &result);
    frame_init (&untouched, &s.layout, c.stride);

    bad = good;
    bad.n_quantizers = 0;
    refuse (engine, &bad, "0 quantizers", "1 to 8");
    bad = good;
    bad.n_quantizers = 9;
    refuse (engine, &bad, "9 quantizers", "1 to 8");
    bad = good;
    bad.n_blocks--;
    refuse (engine, &bad, "map", "but the frame has");
    bad = good;
    bad.n_blocks++;
    refuse (engine, &bad, "map", "but the frame has");
    bad.quantizer_map = NULL;
    refuse (engine, &bad, "records", "but the frame has");
    bad = good;
    bad.view = &view;
    view.grid = true;
    memset (bad.dst.data, 0, sizeof bad.dst.data);
    refuse (engine, &bad, "view", "image");
    bad.dst = good.dst;
    for (int mode = 0; mode < BDCT_N_VIEWS; mode++) {
      view.mode = mode;
      if (!bdct_view_is_of_frame (mode))
        refuse (engine, &bad, bdct_view_info (mode)->name,
            "reconstruction, original, coefficients, error-map, nonzero-map, "
            "quality-map and size-map do");
    }
    view.mode = 99;
    refuse (engine, &bad, "99", "does not show a single frame");
    view.mode = BDCT_VIEW_RECONSTRUCTION;
    view.grid = false;
    view.zoom = 2.5;
    refuse (engine, &bad, "zoom of 2.5", "two pictures");
    view.zoom = 1;
    bad = good;
    bad.quantizers = &deep;
    bad.n_quantizers = 1;
    refuse (engine, &bad, "quantizer 0", "depth of 10");
    quantizers[3] = other;
    refuse (engine, &good, "quantizer 3", "hevc-4x4");
    make_sets (&s, quantizers);
    map[s.n_blocks - 1] = BDCT_MAX_QUANTIZERS;
    refuse (engine, &good, "uses quantizer 8", "0 to 7");
    map[s.n_blocks - 1] = 5;
    bad = good;
    bad.n_quantizers = 5;
    map[0] = 5;
    refuse (engine, &bad, "block 0 uses quantizer 5", "0 to 4");

    g_assert_true (frame_equal (&result.dst, &untouched, &s.layout));
    g_assert_true (engine->klass->submit (engine, &good, NULL));
    g_assert_true (engine->klass->collect (engine, &result.stats, NULL));
    result_clear (&result);
    frame_clear (&untouched);
  }
  g_free (map);
  scene_clear (&s);
}

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  g_test_add_func ("/blocks/queue", test_queue);
  g_test_add_func ("/blocks/errors", test_errors);
  return tests_run (NULL);
}
