/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether tensor cores that nobody tested are checked before they are used,
 * what was found is remembered, and a fault planted into their kernels keeps
 * them from being used: the picture is the CPU's either way. And what is said
 * of a GPU that is too old, or that the build has no code for.
 *
 * Built twice: with the CUDA runtime, where the fault is in the kernels'
 * constants, and with the one of fake-runtime.c.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cuda/launch/kernel.h"
#include "engines.h"
#ifdef FAKE_RUNTIME
#include "fake-runtime.h"
#endif

#define WIDTH 416
#define HEIGHT 232
#define SIZE (WIDTH * HEIGHT)
#define UNUSED "(tensor cores unused: they differ)"

static const BdctLayout layouts[] = {
  {.depth = 8, BDCT_CHROMA_400, 1, {{WIDTH, HEIGHT, 0, 1, {BDCT_Y}}}, {0}},
  {.depth = 10, BDCT_CHROMA_400, 1, {{WIDTH, HEIGHT, 6, 1, {BDCT_Y}}}, {0}},
};

static int passed, failed;
static BdctEngine *cpu;

static void
expect (bool good, const char *what, const char *found)
{
  good ? passed++ : failed++;
  if (!good)
    printf ("FAIL %s: '%s'\n", what, found);
}

/* The fault */

#ifdef FAKE_RUNTIME
static void
plant (bool wanted)
{
  fake_plant = wanted;
}
#else
#define MAX_KERNELS 64
const BdctTensorKernel *__real_bdct_tensor_find (const BdctCudaWork * work,
    unsigned traits);
const BdctTensorKernel *__wrap_bdct_tensor_find (const BdctCudaWork * work,
    unsigned traits);

static bool planted;

typedef void (*MakeConstants) (void *to, const BdctCudaPlane * plane,
    const BdctJob * job);

/* The kernel being planned. */
static MakeConstants make_constants;

/* Two lanes change places. */
static void
make_wrong_constants (void *to, const BdctCudaPlane * plane,
    const BdctJob * job)
{
  uint8_t *a = (uint8_t *) to + 3 * 16, *b = (uint8_t *) to + 20 * 16, own[16];

  make_constants (to, plane, job);
  memcpy (own, a, sizeof own);
  memcpy (a, b, sizeof own);
  memcpy (b, own, sizeof own);
}

/* What the engine's host side of this program calls (--wrap). */
const BdctTensorKernel *
__wrap_bdct_tensor_find (const BdctCudaWork * work, unsigned traits)
{
  static BdctTensorKernel kernels[MAX_KERNELS];
  static const BdctTensorKernel *of[MAX_KERNELS];
  const BdctTensorKernel *found = __real_bdct_tensor_find (work, traits);
  int i = 0;

  if (!planted || found == NULL)
    return found;
  while (of[i] != NULL && of[i] != found)
    i++;
  of[i] = found;
  kernels[i] = *found;
  make_constants = found->kernel.make_constants;
  kernels[i].kernel.make_constants = make_wrong_constants;
  return &kernels[i];
}

static void
plant (bool wanted)
{
  planted = wanted;
}
#endif

/* The memory of checks */

static char folder[] = "/tmp/blockdct-XXXXXX";

/* A folder of its own for what is found. */
static void
set_folder (const char *name)
{
  char path[64];

  snprintf (path, sizeof path, "%s/%s", folder, name);
  setenv ("XDG_CACHE_HOME", path, 1);
}

static int
count_lines (const char *name, const char *word)
{
  char path[96], line[600];
  FILE *file;
  int n = 0;

  snprintf (path, sizeof path, "%s/%s/gst-blockdct/tensor-cores", folder,
      name);
  file = fopen (path, "r");
  while (file != NULL && fgets (line, sizeof line, file) != NULL)
    n += strncmp (line, word, strlen (word)) == 0;
  if (file != NULL)
    fclose (file);
  return n;
}

/* Frames */

static double
now_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

/* One frame; the milliseconds that submit() took, or -1. */
static double
run (BdctEngine * engine, const BdctLayout * layout, BdctTransform transform,
    uint8_t * out, BdctStats * stats)
{
  static uint8_t in[2 * SIZE];
  const int bytes = bdct_layout_sample_size (layout);
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctJob job;
  BdctFrame frame = {.quantizers = &job,.n_quantizers = 1 };
  BdctError error = { "" };
  double begin, end;

  for (unsigned i = 0, r = 1; i < sizeof in; i++, r = r * 1103515245 + 12345)
    in[i] = r >> 16;
  frame.src = (BdctImage) {.data = {in},.stride = {WIDTH * bytes} };
  frame.dst = (BdctImage) {.data = {out},.stride = {WIDTH * bytes} };
  params.transform = transform;
  if (!bdct_job_init (&job, &params, layout, &error)
      || !engine->klass->configure (engine, layout, 1, &error)) {
    expect (false, "a job", error.message);
    return -1;
  }
  begin = now_ms ();
  if (!engine->klass->submit (engine, &frame, &error)) {
    expect (false, "a frame", error.message);
    return -1;
  }
  end = now_ms ();
  if (!engine->klass->collect (engine, stats, &error)) {
    expect (false, "a frame", error.message);
    return -1;
  }
  return end - begin;
}

/* All transforms and depths on a new engine, against the CPU; whether the
 * tensor cores were used to the end. */
static bool
run_all (const char *name, bool timed)
{
  static uint8_t out[2][2 * SIZE];
  BdctEngineOptions options = {.threads = 1 };
  BdctError error = { "" };
  BdctEngine *cuda = bdct_cuda_engine.create (&options, &error);
  bool used;

  expect (cuda != NULL, name, error.message);
  if (cuda == NULL)
    return false;
  for (int t = 0; t < BDCT_N_FIXED; t++)
    for (int l = 0; l < 2; l++) {
      const char *nick = bdct_transform_info (t)->name;
      BdctStats stats[2];
      double first, second;

      run (cpu, &layouts[l], t, out[0], &stats[0]);
      first = run (cuda, &layouts[l], t, out[1], &stats[1]);
      second = run (cuda, &layouts[l], t, out[1], &stats[1]);
      if (timed)
        printf ("%s: %s, %d bits: first submit() %.1f ms, second %.2f ms\n",
            name, nick, layouts[l].depth, first, second);
      /* The tensor cores round it otherwise. */
      if (bdct_transform_row (t)->family != BDCT_FAMILY_DCT8X8)
        expect (memcmp (out[0], out[1], SIZE * (1 + l)) == 0
            && memcmp (&stats[0], &stats[1], sizeof stats[0]) == 0, name,
            nick);
    }
  used = strstr (cuda->description, "unused") == NULL;
  expect (used == (cuda->distrust[0] == '\0'), name, cuda->distrust);
  expect (used || strstr (cuda->description, UNUSED) != NULL, name,
      cuda->description);
  printf ("%s: %s\n", name, cuda->description);
  cuda->klass->destroy (cuda);
  return used;
}

#ifdef FAKE_RUNTIME
static void
expect_refusal (const char *what, const char *part)
{
  BdctEngineOptions options = {.threads = 1 };
  BdctError error = { "" };
  BdctEngine *engine = bdct_cuda_engine.create (&options, &error);

  expect (engine == NULL && strstr (error.message, part) != NULL, what,
      error.message);
  if (engine != NULL)
    engine->klass->destroy (engine);
}

static void
run_refusals (void)
{
  fake_capability = 72;
  expect_refusal ("a GPU that is too old", "7.5 (Turing) or newer is needed");
  fake_capability = 75;
  fake_code = cudaErrorNoKernelImageForDevice;
  expect_refusal ("a build without the GPU's code", "-Dcuda-arch=");
  fake_code = cudaErrorUnsupportedPtxVersion;
  expect_refusal ("a driver that is older than the PTX", "update the driver");
  fake_code = cudaSuccess;
}
#endif

/* Run this program once more: its process knows nothing. */
static void
run_again (const char *how)
{
  char self[4096];
  ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);
  int status = -1;
  pid_t pid;

  fflush (stdout);
  self[n > 0 ? n : 0] = '\0';
  pid = fork ();
  if (pid == 0) {
    execl (self, self, how, folder, NULL);
    _exit (127);
  }
  if (pid > 0)
    waitpid (pid, &status, 0);
  expect (pid > 0 && status == 0, "another process", how);
}

/* What a process of its own does. */
static void
run_part (const char *how)
{
  if (strcmp (how, "--agree") == 0) {
    set_folder ("agree");
    expect (run_all ("checked", true), how, "the tensor cores are not used");
    expect (count_lines ("agree", "agrees ") > 0, how, "nothing is kept");
  } else if (strcmp (how, "--remember") == 0) {
    const int n = count_lines ("agree", "");

    set_folder ("agree");
    expect (run_all ("remembered", true), how,
        "the tensor cores are not used");
    expect (count_lines ("agree", "") == n, how, "it is checked again");
  } else if (strcmp (how, "--plant") == 0) {
    set_folder ("differ");
    plant (true);
    expect (!run_all ("planted", false), how, "the tensor cores are used");
    expect (count_lines ("differ", "differs ") == 1, how, "nothing is kept");
    plant (false);
    expect (!run_all ("planted before", false), how, "forgotten");
  } else {
    set_folder ("differ");
    expect (!run_all ("remembered", false), how, "forgotten");
    set_folder ("nowhere/deeper");
  }
}

int
main (int argc, char **argv)
{
  BdctEngineOptions options = {.threads = 1 };
  BdctEngine *cuda;
  int status;

  setvbuf (stdout, NULL, _IOLBF, 0);
#ifdef FAKE_RUNTIME
  fake_capability = 86;
#endif
  setenv ("BLOCKDCT_DISTRUST_TENSOR_CORES", "1", 1);
  status = engines_create (&options, &cpu, &cuda);
  if (status != 0)
    return status;
  cuda->klass->destroy (cuda);
  if (argc == 3) {
    snprintf (folder, sizeof folder, "%s", argv[2]);
    run_part (argv[1]);
  } else if (mkdtemp (folder) == NULL) {
    expect (false, "a folder", folder);
  } else {
    run_again ("--agree");
    run_again ("--remember");
    run_again ("--plant");
    run_again ("--remember-it");
#ifdef FAKE_RUNTIME
    run_refusals ();
#endif
  }
  cpu->klass->destroy (cpu);
  if (argc == 1)
    printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
