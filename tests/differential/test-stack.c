/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How much stack the CPU engine's threads use, whatever they do: cases of the
 * differential. Each thread gets a stack that is filled with a pattern; what
 * has changed of it at the end was used. What a thread that does nothing uses
 * is not counted. */
#include <dlfcn.h>
#include <glib.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include "run.h"

/* musl gives a thread 128 KiB. The kernels' arrays are not on it. */
#define MOST (16 << 10)
#define SIZE (512 << 10)
#define PATTERN 0xa5
#define MAX_STACKS 64
#define N_CASES 150

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
test_stack (void)
{
  const gsize nothing = measure_nothing ();
  const BdctEngineOptions options = {.size = sizeof options,.threads = 2 };
  BdctEngine *engine = bdct_engine_new (BDCT_BACKEND_CPU, &options, NULL);
  gsize used;

  g_assert_nonnull (engine);
  for (unsigned n = 0; n < N_CASES; n++) {
    Outcome outcome;
    BdctError error;
    Scene scene;
    Case c;

    case_draw (&c, 1, n);
    if (scene_init (&scene, &c, &error)) {
      scene_make_levels (&scene, engine);
      run_scene (&scene, engine, BDCT_BACKEND_CPU, &outcome);
      outcome_clear (&outcome);
    }
    scene_clear (&scene);
  }
  bdct_engine_free (engine);
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
