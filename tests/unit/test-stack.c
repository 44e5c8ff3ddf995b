/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How much stack the CPU engine's threads use, whatever they do: every
 * transform, bits, trees, metrics, views, R, G and B, comparisons. Each
 * thread gets a stack that is filled with a pattern; what has changed of it at
 * the end was used. What a thread that does nothing uses is not counted. */
#define _GNU_SOURCE             /* RTLD_NEXT */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include "dct/metrics/metrics.h"
#include "frame.h"

/* musl gives a thread 128 KiB. The kernels' arrays are not on it. */
#define MOST (16 << 10)
#define SIZE (512 << 10)
#define PATTERN 0xa5
#define MAX_STACKS 64

static guint8 *stacks[MAX_STACKS];
static guint n_stacks;

typedef int (*Create) (pthread_t * thread, const pthread_attr_t * attr,
    void *(*start) (void *), void *data);

/* In place of the C library's, for all threads of the program. */
int
pthread_create (pthread_t * thread, const pthread_attr_t * attr,
    void *(*start) (void *), void *data)
{
  Create create = (Create) dlsym (RTLD_NEXT, "pthread_create");
  pthread_attr_t own;
  guint8 *stack;
  int err;

  (void) attr;
  g_assert_cmpuint (n_stacks, <, MAX_STACKS);
  stack = mmap (NULL, SIZE, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true (stack != MAP_FAILED);
  memset (stack, PATTERN, SIZE);
  stacks[n_stacks++] = stack;
  pthread_attr_init (&own);
  pthread_attr_setstack (&own, stack, SIZE);
  err = create (thread, &own, start, data);
  pthread_attr_destroy (&own);
  return err;
}

/* The most that a thread has used, all being joined. */
static gsize
take_most (void)
{
  gsize most = 0;

  for (; n_stacks > 0; n_stacks--) {
    guint8 *stack = stacks[n_stacks - 1];
    gsize at = 0;

    while (at < SIZE && stack[at] == PATTERN)
      at++;
    most = MAX (most, SIZE - at);
    munmap (stack, SIZE);
  }
  return most;
}

static void *
do_nothing (void *data)
{
  return data;
}

static gsize
measure_nothing (void)
{
  pthread_t thread;

  g_assert_cmpint (pthread_create (&thread, NULL, do_nothing, NULL), ==, 0);
  pthread_join (thread, NULL);
  return take_most ();
}

static void
make_images (const BdctLayout * layout, Frame frames[3])
{
  Picture picture;

  for (int i = 0; i < 3; i++)
    frame_init (&frames[i], layout, STRIDE_ODD);
  picture_init (&picture, layout);
  for (int i = 0; i < 2; i++) {
    picture_fill (&picture, CONTENT_RANDOM, layout, BDCT_JPEG_8X8, 1 + i);
    frame_put (&frames[i], layout, &picture, TRUE);
  }
  picture_clear (&picture);
}

/* Frames of every transform, with all that can be wanted of them. */
static void
run_frames (BdctEngine * engine, const BdctLayout * layout, Frame frames[3])
{
  const guint metrics = bdct_metrics_supported ((1 << BDCT_N_METRICS) - 1,
      layout);
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctStats stats;

  view.mode = BDCT_VIEW_ERROR_MAP;
  view.grid = true;
  for (int n = 0; n < BDCT_N_TRANSFORMS; n++) {
    BdctParams params = BDCT_PARAMS_DEFAULT;
    BdctJob job;
    BdctFrame frame = {.quantizers = &job,.n_quantizers = 1,.bits = true,
      .src = frames[0].image,.dst = frames[2].image,.view = &view,
      .metrics = metrics,.frame_rate = 25,.number = n
    };

    params.transform = n;
    g_assert_true (bdct_job_init (&job, &params, layout, NULL));
    engine_run (engine, layout, &frame, &stats);
  }
}

static void
run_comparisons (BdctEngine * engine, const BdctLayout * layout,
    Frame frames[3])
{
  static const BdctViewMode modes[] = { BDCT_VIEW_WIPE, BDCT_VIEW_DIFFERENCE,
    BDCT_VIEW_ERROR_MAP, BDCT_VIEW_SSIM_MAP, BDCT_VIEW_HVS_MAP
  };
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctStats stats[BDCT_MAX_DISTORTED];

  for (guint i = 0; i < 2 * G_N_ELEMENTS (modes); i++) {
    BdctComparison comparison = {.reference = {.image = frames[0].image},
      .distorted = {{.image = frames[1].image}},.n_distorted = 1,
      .errors = true,.view = &view,.left = -1,.dst = frames[2].image,
      .metrics = bdct_metrics_supported ((1 << BDCT_N_METRICS) - 1, layout)
    };

    view.mode = modes[i / 2];
    view.zoom = 1 + i % 2;
    engine_compare (engine, layout, &comparison, stats);
  }
}

static void
test_stack (void)
{
  const gsize nothing = measure_nothing ();
  const BdctEngineOptions options = {.threads = 2 };
  BdctEngine *engine = bdct_cpu_engine.create (&options, NULL);
  const Format formats[] = { FORMAT_NV12, FORMAT_I420, FORMAT_Y444 };
  gsize used;

  g_assert_nonnull (engine);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    BdctLayout layout;
    Frame frames[3];

    format_layout (formats[i], i % 2 ? 10 : 8, 0, 200, 180, &layout);
    make_images (&layout, frames);
    run_frames (engine, &layout, frames);
    run_comparisons (engine, &layout, frames);
    for (int k = 0; k < 3; k++)
      frame_clear (&frames[k]);
  }
  bdct_cpu_engine.destroy (engine);
  used = take_most () - nothing;
  g_test_message ("a worker uses %" G_GSIZE_FORMAT " bytes of stack, one that "
      "does nothing %" G_GSIZE_FORMAT, used, nothing);
  g_assert_cmpuint (used, >, 0);
  g_assert_cmpuint (used, <, MOST);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stack", test_stack);
  return g_test_run ();
}
