/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libblockdct as an application sees it, by its headers alone, where the
 * differential does not go: the queue, shared sources.
 * BLOCKDCT_TEST_BACKEND=cuda runs the same on the CUDA engine. */
#include <blockdct/blockdct.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#define WIDTH 203
#define HEIGHT 117

static BdctBackend backend;

/* Of two planes or three in 4:2:0. */
#define STRIDE (WIDTH + 1)
#define SIZE (STRIDE * 2 * (HEIGHT + 1))

static BdctImage
image_at (guint8 *memory)
{
  return (BdctImage) { BDCT_MEMORY_HOST, { memory, memory + STRIDE * HEIGHT,
          memory + STRIDE * (HEIGHT + (HEIGHT + 1) / 2) }, { STRIDE, STRIDE,
          STRIDE }
  };
}

/* Slopes with noise. */
static void
fill (guint8 *memory, guint seed)
{
  GRand *rand = g_rand_new_with_seed (seed);

  for (int i = 0; i < SIZE; i++)
    memory[i] = i / 3 + g_rand_int_range (rand, 0, 40);
  g_rand_free (rand);
}

static BdctEngine *
make_engine (const BdctLayout *layout)
{
  BdctError error = { "" };
  BdctEngine *engine = bdct_engine_new (backend, NULL, &error);

  g_assert_cmpstr (error.message, ==, "");
  g_assert_nonnull (engine);
  g_assert_true (bdct_engine_configure (engine, layout, 2, &error));
  g_assert_cmpstr (bdct_engine_text (engine, BDCT_ENGINE_DESCRIPTION), !=, "");
  return engine;
}

static BdctJob *
make_job (BdctTransform transform, const BdctLayout *layout)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctError error = { "" };
  BdctJob *job;

  params.transform = transform;
  params.quality = 60;
  job = bdct_jobs_new (&params, 1, layout, &error);
  g_assert_cmpstr (error.message, ==, "");
  return job;
}

static void
expect_error (BdctError *error, const char *text)
{
  if (strstr (error->message, text) == NULL)
    g_test_fail_printf ("\"%s\" does not say '%s'", error->message, text);
  memset (error, 0, sizeof *error);
}

/* A call that fails, and what it says. */
#define REFUSED(call, text) \
  G_STMT_START { \
    g_assert_false (call); \
    expect_error (&error, text); \
  } G_STMT_END

/* The source of the frame before is there only if that one was started. */
static void
test_same_source (void)
{
  static const struct
  {
    enum { OWN, SHARED, OTHER, LEVELS, COMPARISON, REFUSED, CONFIGURE } what;
    const char *error;          /* NULL: none */
  } steps[] = {
    {SHARED, "submitted just before"}, {OWN, NULL}, {SHARED, NULL},
    {SHARED, NULL}, {OTHER, "not that of the frame"}, {SHARED, NULL},
    {COMPARISON, NULL}, {SHARED, "submitted just before"}, {OWN, NULL},
    {LEVELS, NULL}, {SHARED, "submitted just before"}, {OWN, NULL},
    {REFUSED, "quantizers"}, {SHARED, "submitted just before"}, {OWN, NULL},
    {CONFIGURE, NULL}, {SHARED, "submitted just before"},
  };
  BdctJobInfo info = {.size = sizeof info };
  BdctError error;
  BdctLayout layout;
  BdctEngine *engine;
  static guint8 memory[2][SIZE];
  const BdctImage src = image_at (memory[0]), other = image_at (memory[1]);
  static int16_t levels[1 << 16] __attribute__ ((aligned (BDCT_LEVELS_ALIGN)));
  BdctJob *job;

  bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 2, WIDTH, HEIGHT);
  fill (memory[0], 3);
  engine = make_engine (&layout);
  job = make_job (BDCT_JPEG_8X8, &layout);
  g_assert_true (bdct_job_describe (job, &layout, &info, NULL));
  g_assert_cmpuint (info.n_levels, <=, G_N_ELEMENTS (levels));
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    const int what = steps[i].what;
    BdctFrame frame = {.size = sizeof frame,.quantizers = job,
      .n_quantizers = what != REFUSED,.src =
          what == OTHER ? other : src,.same_source =
          what == SHARED || what == OTHER
    };
    BdctComparison comparison = {.size = sizeof comparison,
      .reference.image = src,.distorted[0].image = src,
      .n_distorted = 1
    };
    BdctStats stats = {.size = sizeof stats }, first;
    bool ok;

    if (what == LEVELS) {
      frame.src = (BdctImage) { 0 };
      frame.levels = levels;
      frame.n_levels = info.n_levels;
      frame.from_levels = true;
    }
    error.message[0] = '\0';
    ok = what == CONFIGURE ? bdct_engine_configure (engine, &layout, 2, &error)
        : what == COMPARISON ? bdct_engine_compare (engine, &comparison, &error)
        : bdct_engine_submit (engine, &frame, &error);
    g_assert_cmpint (ok, ==, steps[i].error == NULL);
    if (!ok) {
      expect_error (&error, steps[i].error);
      continue;
    }
    if (what == CONFIGURE)
      continue;
    g_assert_true (bdct_engine_collect (engine, &stats, &error));
    if (i == 1)
      first = stats;
    if (what == OWN || what == SHARED)
      g_assert_cmpmem (&stats, sizeof stats, &first, sizeof first);
  }
  bdct_jobs_free (job);
  bdct_engine_free (engine);
}

/* What the engine as a queue refuses harms no frame in it; those that nobody
 * collects are done before it goes. */
static void
test_queue (gconstpointer data)
{
  BdctEngineOptions options = { .size = sizeof options, .isa = "mmx" };
  BdctComparison comparison = { .size = sizeof comparison, .n_distorted = 1 };
  BdctStats stats = { .size = sizeof stats }, again = stats;
  BdctError error = { "" };
  static guint8 src[SIZE], dst[6][SIZE];
  BdctLayout layout;
  BdctEngine *engine;
  BdctFrame frame;
  BdctJob *job;

  REFUSED (bdct_engine_new (backend, &options, &error),
      "instruction set 'mmx'");
  options.isa = NULL;
  options.threads = GPOINTER_TO_UINT (data);
  engine = bdct_engine_new (backend, &options, &error);
  g_assert_nonnull (engine);
  if (backend == BDCT_BACKEND_CPU)
    g_assert_true (g_str_has_suffix (bdct_engine_text (engine,
                BDCT_ENGINE_DESCRIPTION), options.threads == 1 ? " 1 thread"
            : " 3 threads"));
  REFUSED (bdct_engine_compare (engine, &comparison, &error),
      "not configured");
  bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 3, WIDTH, HEIGHT);
  REFUSED (bdct_engine_configure (engine, &layout, 0, &error), "depth 0");
  REFUSED (bdct_engine_configure (engine, &layout, 65, &error), "65");
  g_assert_true (bdct_engine_configure (engine, &layout, 5, &error));
  g_assert_false (bdct_engine_collect (engine, &stats, &error));
  job = make_job (BDCT_HEVC_QUADTREE, &layout);
  fill (src, 5);
  frame = (BdctFrame) { .size = sizeof frame, .quantizers = job,
    .n_quantizers = 1, .src = image_at (src)
  };
  memset (dst, 0, sizeof dst);
  for (int i = 0; i < 6; i++) {
    frame.dst = image_at (dst[i]);
    g_assert_true (bdct_engine_submit (engine, &frame, &error));
    if (i == 0) {
      g_assert_true (bdct_engine_collect (engine, &stats, &error));
      g_assert_cmpuint (stats.component[BDCT_Y].samples, ==, WIDTH * HEIGHT);
      /* Statistics of another size: that frame is lost. */
      g_assert_true (bdct_engine_submit (engine, &frame, &error));
      again.size++;
      REFUSED (bdct_engine_collect (engine, &again, &error), "BdctStats");
      again.size--;
      g_assert_false (bdct_engine_collect (engine, &again, &error));
    }
  }
  REFUSED (bdct_engine_submit (engine, &frame, &error), "5 frames");
  REFUSED (bdct_engine_configure (engine, &layout, 1, &error), "in flight");
  g_assert_true (bdct_engine_collect (engine, &again, &error));
  bdct_engine_free (engine);
  g_assert_cmpmem (&stats, sizeof stats, &again, sizeof again);
  for (int i = 1; i < (backend == BDCT_BACKEND_CPU ? 6 : 2); i++)
    g_assert_cmpmem (dst[i], SIZE, dst[0], SIZE);
  bdct_jobs_free (job);
}

static void
on_log (void *data, const char *line)
{
  g_assert_cmpstr (line, !=, "");
  *(int *) data += 1;
}

/* The log is behind an engine's texts, and before its layout, by which the job
 * is looked at; and what nothing was measured of has no figure. */
static void
test_log (void)
{
  BdctEngineOptions options = { .size = sizeof options, .log = on_log };
  BdctStats sum = { .size = sizeof sum };
  BdctError error = { "" };
  BdctLayout layout;
  BdctEngine *engine;
  double figure;
  int lines = 0;

  options.log_data = &lines;
  engine = bdct_engine_new (backend, &options, &error);
  g_assert_nonnull (engine);
  g_assert_cmpint (lines, ==, *bdct_engine_text (engine,
          BDCT_ENGINE_WARNING) != '\0');
  bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 3, 4, 4);
  g_assert_true (bdct_engine_configure (engine, &layout, 1, &error));
  REFUSED (bdct_engine_reserve (engine, NULL, &error), "BdctJob is NULL");
  bdct_engine_free (engine);
  g_assert_false (bdct_metric_figure (&sum, 1, 8, BDCT_METRIC_SSIM, 0,
          &figure));
  g_assert_true (isinf (bdct_psnr (0, 8)));
}

int
main (int argc, char *argv[])
{
  BdctError error;

  g_test_init (&argc, &argv, NULL);
  if (g_strcmp0 (g_getenv ("BLOCKDCT_TEST_BACKEND"), "cuda") == 0) {
    backend = BDCT_BACKEND_CUDA;
    if (bdct_backend_count_devices (backend, &error) == 0) {
      g_print ("1..0 # SKIP %s\n", error.message);
      return 0;
    }
  }
  g_test_add_func ("/library/same-source", test_same_source);
  g_test_add_data_func ("/library/queue/1", GUINT_TO_POINTER (1), test_queue);
  g_test_add_data_func ("/library/queue/3", GUINT_TO_POINTER (3), test_queue);
  g_test_add_func ("/library/log", test_log);
  return g_test_run ();
}
