/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether tensor cores that nobody tested are checked before they are used,
 * what was found is remembered, and a fault planted into their kernels keeps
 * them from being used: the picture is the CPU's either way. And what is said
 * of a GPU that is too old, or that the build has no code for.
 *
 * Built twice: with the CUDA runtime, where the fault is in the kernels'
 * constants, and with the one of fake-runtime.c. Each part is a process of its
 * own, which knows nothing of the one before but what that has kept.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cuda/launch/kernel.h"
#include "fake-runtime.h"
#include "tests/differential/run.h"

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

/* On a GPU two lanes change places; emulated ones do not round the sums that
 * come of it, and round levels otherwise. */
static void
make_wrong_constants (void *to, const BdctCudaPlane * plane,
    const BdctJob * job)
{
  uint8_t *a = (uint8_t *) to + 3 * 16, *b = (uint8_t *) to + 20 * 16, own[16];
  BdctJob other = *job;

  for (int c = 0; c < BDCT_MAX_COMPONENTS && fake_runtime; c++)
    other.component[c].quant_add = 0;
  make_constants (to, plane, &other);
  if (fake_runtime)
    return;
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

static BdctEngine *
open_cuda (BdctError * error)
{
  const BdctEngineOptions options = {.size = sizeof options,.threads = 1 };

  return bdct_engine_new (BDCT_BACKEND_CUDA, &options, error);
}

/* A case's outcome has to be the CPU's. */
static void
run (BdctEngine * cuda, const Scene * scene, const Outcome * expected,
    const char *name)
{
  char text[DIFFERENCE_TEXT] = "";
  Roundings roundings = { 0 };
  Outcome found;

  run_scene (scene, cuda, BDCT_BACKEND_CUDA, &found);
  expect (outcome_equal (scene, expected, &found, &roundings, text), name,
      text);
  outcome_clear (&found);
}

/* All transforms and depths on a new engine; whether the tensor cores were used
 * to the end. */
static bool
run_all (const char *name)
{
  BdctError error = { "" };
  BdctEngine *cuda = open_cuda (&error);
  const char *said;
  bool used;

  expect (cuda != NULL, name, error.message);
  if (cuda == NULL)
    return false;
  /* Emulated kernels take their time. */
  for (int i = 0; i < 2 * BDCT_HEVC_QUADTREE; i += fake_runtime ? 5 : 1) {
    char text[96];
    Outcome expected;
    Scene scene;
    Case c;

    snprintf (text, sizeof text, "width=%d height=%d depth=%d shift=%d / "
        "transform=%d content=2", fake_runtime ? 64 : 416, fake_runtime ? 40
        : 232, 8 + i % 2 * 2, i % 2 * 6, i / 2);
    if (!case_parse (&c, text) || !scene_init (&scene, &c, &error))
      exit (2);
    run_scene (&scene, cpu, BDCT_BACKEND_CPU, &expected);
    for (int k = 0; k < 2; k++)
      run (cuda, &scene, &expected, text);
    outcome_clear (&expected);
    scene_clear (&scene);
  }
  said = bdct_engine_text (cuda, BDCT_ENGINE_DESCRIPTION);
  used = strstr (said, "unused") == NULL;
  expect (used == (*bdct_engine_text (cuda, BDCT_ENGINE_DISTRUST) == '\0'),
      name, bdct_engine_text (cuda, BDCT_ENGINE_DISTRUST));
  expect (used || strstr (said, "(tensor cores unused: they differ)") != NULL,
      name, said);
  printf ("%s: %s\n", name, said);
  bdct_engine_free (cuda);
  return used;
}

#ifdef FAKE_RUNTIME
static void
run_refusals (void)
{
  static const struct
  {
    int capability, code;
    const char *part;
  } cases[] = {
    {72, cudaSuccess, "7.5 (Turing) or newer is needed"},
    {75, cudaErrorNoKernelImageForDevice, "-Dcuda-arch="},
    {75, cudaErrorUnsupportedPtxVersion, "update the driver"},
  };

  for (int i = 0; i < 3; i++) {
    BdctError error = { "" };

    fake_capability = cases[i].capability;
    fake_code = cases[i].code;
    expect (open_cuda (&error) == NULL && strstr (error.message, cases[i].part)
        != NULL, cases[i].part, error.message);
  }
}
#endif

enum { AGREE, REMEMBER, PLANT, REMEMBER_IT, REFUSALS, N_PARTS };

/* What a process of its own does. */
static void
run_part (int part)
{
  set_folder (part < PLANT ? "agree" : "differ");
  if (part == AGREE) {
    expect (run_all ("checked"), "checked", "the tensor cores are not used");
    expect (count_lines ("agree", "agrees ") > 0, "checked", "nothing is kept");
  } else if (part == REMEMBER) {
    const int n = count_lines ("agree", "");

    expect (run_all ("remembered"), "remembered",
        "the tensor cores are not used");
    expect (count_lines ("agree", "") == n, "remembered",
        "it is checked again");
  } else if (part == PLANT) {
    planted = true;
    expect (!run_all ("planted"), "planted", "the tensor cores are used");
    expect (count_lines ("differ", "differs ") == 1, "planted",
        "nothing is kept");
    planted = false;
    expect (!run_all ("planted before"), "planted before", "forgotten");
  } else if (part == REMEMBER_IT) {
    expect (!run_all ("remembered"), "remembered", "forgotten");
  } else {
#ifdef FAKE_RUNTIME
    run_refusals ();
#endif
  }
}

static int
run_alone (int part)
{
  BdctError error = { "" };

#ifdef FAKE_RUNTIME
  fake_capability = 86;
#endif
  setenv ("BLOCKDCT_DISTRUST_TENSOR_CORES", "1", 1);
  if (bdct_backend_count_devices (BDCT_BACKEND_CUDA, &error) == 0) {
    printf ("no GPU: %s\n", error.message);
    return 77;
  }
  cpu = bdct_engine_new (BDCT_BACKEND_CPU, NULL, &error);
  run_part (part);
  bdct_engine_free (cpu);
  printf ("part %d: %d right, %d wrong\n", part, passed, failed);
  return failed != 0;
}

int
main (void)
{
  int counts[3] = { 0 }, status;

  setvbuf (stdout, NULL, _IOLBF, 0);
  if (mkdtemp (folder) == NULL)
    return 2;
  for (int part = 0; part < N_PARTS; part++) {
    const pid_t pid = fork ();

    if (pid == 0)
      exit (run_alone (part));
    status = pid > 0 && waitpid (pid, &status, 0) == pid && WIFEXITED (status)
        ? WEXITSTATUS (status) : 1;
    counts[status == 0 ? 0 : status == 77 ? 2 : 1]++;
  }
  printf ("%d passed, %d failed, %d skipped\n", counts[0], counts[1],
      counts[2]);
  return counts[1] > 0 ? 1 : counts[0] > 0 ? 0 : 77;
}
