/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the CPU engine as a queue refuses, and its end with frames in flight. */
#include <string.h>
#include "cpu/simd/tile32.h"
#include "frame.h"
#include "reference.h"

#define N_FRAMES 10

static const BdctEngineClass *const klass = &bdct_cpu_engine;

/* A frame, its job and what the definition makes of it. */
typedef struct {
  BdctJob job;
  Frame src, dst, expected;
  BdctStats stats;
} Work;

static void
work_init (Work * work, const BdctLayout * layout, const BdctParams * params,
    Content content, guint32 seed)
{
  Picture source, result;

  memset (work, 0, sizeof *work);
  g_assert_true (bdct_job_init (&work->job, params, layout, NULL));
  frame_init (&work->src, layout, STRIDE_ODD);
  frame_init (&work->dst, layout, STRIDE_NEGATIVE);
  frame_init (&work->expected, layout, STRIDE_NEGATIVE);
  picture_init (&source, layout);
  picture_init (&result, layout);
  picture_fill (&source, content, layout, params->transform, seed);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    BdctCounters *counters = &work->stats.component[c];
    RefPlane plane = { params, layout->chroma, c, layout->depth,
      source.width[c], source.height[c], REF_FLOAT
    };
    RefResult r;

    ref_plane (&plane, source.sample[c], result.sample[c], NULL, &r);
    counters->samples = r.samples;
    counters->sse = r.sse;
    counters->levels = r.levels;
    counters->nonzero = r.nonzero;
  }
  frame_put (&work->src, layout, &source, TRUE);
  frame_put (&work->expected, layout, &result, FALSE);
  picture_clear (&source);
  picture_clear (&result);
}

/* The n-th of N_FRAMES different ones. Not with dct-8x8, which the definition
 * does not settle to the bit. */
static void
work_init_nth (Work * work, const BdctLayout * layout, int n)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;

  params.transform = n % 6 ? BDCT_DCT_8X8 + n % 6 : BDCT_JPEG_8X8;
  params.quality = 100 - 9 * n;
  params.qp = 5 * n;
  work_init (work, layout, &params, CONTENT_SMOOTH, n);
}

static void
work_clear (Work * work)
{
  frame_clear (&work->src);
  frame_clear (&work->dst);
  frame_clear (&work->expected);
}

static BdctEngine *
engine_new (unsigned threads)
{
  BdctEngineOptions options = { .threads = threads };
  BdctError error = { "" };
  BdctEngine *engine = klass->create (&options, &error);

  if (engine == NULL)
    g_error ("%s", error.message);
  return engine;
}

static void
collect_one (BdctEngine * engine, Work * work, const BdctLayout * layout,
    const char *where)
{
  BdctError error = { "" };
  BdctStats stats;

  memset (&stats, 0xee, sizeof stats);
  if (!klass->collect (engine, &stats, &error))
    g_test_fail_printf ("%s: %s", where, error.message);
  else if (!frame_equal (&work->dst, &work->expected, layout))
    g_test_fail_printf ("%s: wrong samples", where);
  else if (memcmp (&stats, &work->stats, sizeof stats) != 0)
    g_test_fail_printf ("%s: wrong statistics", where);
}

/* What is still in flight when an engine goes is waited for. */
static void
test_destroy_in_flight (void)
{
  BdctLayout layout;
  Work work[4];

  format_layout (FORMAT_I420, 8, 0, 200, 150, &layout);
  for (unsigned threads = 0; threads <= 4; threads++) {
    BdctEngine *engine = engine_new (threads);

    g_assert_true (klass->configure (engine, &layout, 4, NULL));
    for (int i = 0; i < 4; i++) {
      work_init_nth (&work[i], &layout, i);
      g_assert_true (engine_submit (engine, &work[i].job, &work[i].src.image,
              &work[i].dst.image, NULL));
    }
    klass->destroy (engine);
    for (int i = 0; i < 4; i++) {
      g_assert_true (frame_equal (&work[i].dst, &work[i].expected, &layout));
      work_clear (&work[i]);
    }
  }
}

static void
test_errors (void)
{
  BdctEngineOptions options = { .threads = 1, .isa = "mmx" };
  BdctError error = { "" };
  BdctEngine *engine;
  BdctStats stats;
  BdctLayout layout;
  BdctImage device;
  Work work, second;

  g_assert_null (klass->create (&options, &error));
  g_assert_nonnull (strstr (error.message, "mmx"));
  g_assert_null (klass->create (&options, NULL));

  engine = engine_new (2);
  format_layout (FORMAT_I420, 8, 0, 40, 40, &layout);
  work_init_nth (&work, &layout, 3);
  g_assert_false (engine_submit (engine, &work.job, &work.src.image,
          &work.dst.image, &error));    /* before configure */
  g_assert_false (klass->collect (engine, &stats, &error));

  error.message[0] = '\0';
  g_assert_false (klass->configure (engine, &layout, 0, &error));
  g_assert_nonnull (strstr (error.message, "depth 0"));
  g_assert_nonnull (strstr (error.message, "1 to 64"));
  g_assert_false (klass->configure (engine, &layout, BDCT_MAX_DEPTH + 1,
          &error));
  g_assert_nonnull (strstr (error.message, "65"));
  g_assert_true (klass->configure (engine, &layout, 2, &error));

  error.message[0] = '\0';
  g_assert_false (klass->collect (engine, &stats, &error));
  g_assert_cmpstr (error.message, !=, "");

  device = work.src.image;
  device.memory = BDCT_MEMORY_DEVICE;
  error.message[0] = '\0';
  g_assert_false (engine_submit (engine, &work.job, &device, &work.dst.image,
          &error));
  g_assert_nonnull (strstr (error.message, "host"));
  device = work.dst.image;
  device.memory = BDCT_MEMORY_DEVICE;
  g_assert_false (engine_submit (engine, &work.job, &work.src.image, &device,
          &error));
  g_assert_false (klass->collect (engine, &stats, &error));

  /* Two fit, a third starts nothing, and the two are unharmed. */
  work_init_nth (&second, &layout, 4);
  g_assert_true (engine_submit (engine, &work.job, &work.src.image,
          &work.dst.image, &error));
  g_assert_true (engine_submit (engine, &second.job, &second.src.image,
          &second.dst.image, &error));
  error.message[0] = '\0';
  g_assert_false (engine_submit (engine, &work.job, &work.src.image,
          &work.dst.image, &error));
  g_assert_nonnull (strstr (error.message, "2 frames"));
  error.message[0] = '\0';
  g_assert_false (klass->configure (engine, &layout, 1, &error));
  g_assert_nonnull (strstr (error.message, "in flight"));
  collect_one (engine, &work, &layout, "first");
  collect_one (engine, &second, &layout, "second");
  g_assert_false (klass->collect (engine, &stats, &error));

  klass->destroy (engine);
  work_clear (&work);
  work_clear (&second);
}

/* Frames and comparisons before configure(). */
static void
test_unconfigured (void)
{
  BdctEngine *engine = engine_new (1);
  const BdctComparison comparison = { .n_distorted = 1 };
  const BdctFrame frame = { .n_quantizers = 1 };
  const char *not_configured =
      "the engine is not configured; call bdct_engine_configure() first";
  BdctError error;

  g_assert_false (klass->submit (engine, &frame, &error));
  g_assert_cmpstr (error.message, ==, not_configured);
  error.message[0] = '\0';
  g_assert_false (klass->compare (engine, &comparison, &error));
  g_assert_cmpstr (error.message, ==, not_configured);
  klass->destroy (engine);
}

static void
test_description (void)
{
  const char *best = bdct_tile_kernels ()[0]->isa;

  for (unsigned threads = 1; threads <= 2; threads++) {
    BdctEngine *engine = engine_new (threads);
    char *expected = g_strdup_printf ("cpu:%s %u thread%s", best, threads,
        threads == 1 ? "" : "s");

    g_assert_cmpstr (engine->description, ==, expected);
    g_assert_true (engine->klass == klass);
    g_free (expected);
    klass->destroy (engine);
  }
  klass->destroy (engine_new (0));
  g_assert_cmpstr (klass->name, ==, "cpu");
  g_assert_cmpint (klass->count_devices (NULL), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/cpu/destroy-in-flight", test_destroy_in_flight);
  g_test_add_func ("/cpu/errors", test_errors);
  g_test_add_func ("/cpu/unconfigured", test_unconfigured);
  g_test_add_func ("/cpu/description", test_description);
  return g_test_run ();
}
