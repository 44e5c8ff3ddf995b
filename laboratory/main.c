/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdct-bench: compares implementations of the block DCT, each of which is
 * checked against the definition before it is timed. See README.md. */
#include "lab.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define NO_GPU 77

static LabResult *results;
static int n_results;

static const char usage[] =
    "usage: blockdct-bench [OPTION]...\n"
    "Check and time every implementation of the block DCT.\n\n"
    "  --quick             fewer repetitions: seconds rather than minutes\n"
    "  --cpu-only          leave out what needs a GPU\n"
    "  --cuda-cores        blockdct's kernels without tensor cores\n"
    "  --frames            nothing but frames of some sizes\n"
    "  --comparisons       nothing but comparisons of given pictures\n"
    "  --profile           nothing but a launch of each of blockdct's kernels\n"
    "                      over a large plane, for Nsight Compute\n"
    "  --only SOURCE,...   of cpu, whitepaper, hevc-paper, spector, blockdct\n"
    "  --quality Q,...     of jpeg-8x8 and dct-8x8, 1 to 100 (default 75);\n"
    "                      all for blockdct's kernels, the first for others\n"
    "  --qp QP,...         of hevc-*, 0 to 51 (default 27), likewise\n"
    "  --default-lists     hevc-* with the standard's scaling lists\n"
    "  --content KIND      what is timed: natural (default) or noise; both\n"
    "                      are checked\n"
    "  --csv FILE          write the results there\n"
    "  --json FILE         the same with all about the machine\n"
    "  --help              this text\n\n"
    "Exit status: 0 all is well, 1 something is wrong, 77 there is no GPU.\n";

static int
parse_list (const char *name, char *text, int min, int max, int *out)
{
  int n = 0;

  for (char *word = strtok (text, ","); word; word = strtok (NULL, ",")) {
    char *end;
    long v = strtol (word, &end, 10);

    if (*end != '\0' || v < min || v > max)
      lab_die ("--%s: '%s' is not a number from %d to %d", name, word, min,
          max);
    if (n == LAB_MAX_LIST)
      lab_die ("--%s: more than %d values", name, LAB_MAX_LIST);
    out[n++] = (int) v;
  }
  if (n == 0)
    lab_die ("--%s: no value", name);
  return n;
}

static void
check_only (void)
{
  static const char *const sources[] = { "cpu", "whitepaper", "hevc-paper",
    "spector", "blockdct"
  };
  size_t known = 0, length = strlen (lab_options.only);

  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
    if (lab_is_listed (lab_options.only, sources[i]))
      known += strlen (sources[i]) + 1;
  if (known != length + 1)
    lab_die ("--only: '%s' is not a list of cpu, whitepaper, hevc-paper, "
        "spector, blockdct", lab_options.only);
}

static void
parse_options (int argc, char **argv)
{
  static const struct option options[] = {
    { "quick", no_argument, NULL, 'q' },
    { "cpu-only", no_argument, NULL, 'p' },
    { "cuda-cores", no_argument, NULL, 'u' },
    { "frames", no_argument, NULL, 'f' },
    { "comparisons", no_argument, NULL, 'm' },
    { "profile", no_argument, NULL, 'r' },
    { "only", required_argument, NULL, 'o' },
    { "quality", required_argument, NULL, 'Q' },
    { "qp", required_argument, NULL, 'P' },
    { "default-lists", no_argument, NULL, 'l' },
    { "content", required_argument, NULL, 'c' },
    { "csv", required_argument, NULL, 'C' },
    { "json", required_argument, NULL, 'J' },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 }
  };
  LabOptions *o = &lab_options;
  int option;

  while ((option = getopt_long (argc, argv, "", options, NULL)) != -1)
    switch (option) {
      case 'q':
        o->quick = true;
        break;
      case 'p':
        o->cpu_only = true;
        break;
      case 'u':
        o->cuda_cores = true;
        break;
      case 'f':
        o->frames = true;
        break;
      case 'm':
        o->comparisons = true;
        break;
      case 'r':
        o->profile = true;
        break;
      case 'o':
        o->only = optarg;
        check_only ();
        break;
      case 'Q':
        o->n_qualities = parse_list ("quality", optarg, 1, 100, o->quality);
        break;
      case 'P':
        o->n_qps = parse_list ("qp", optarg, 0, 51, o->qp);
        break;
      case 'l':
        o->default_lists = true;
        break;
      case 'c':
        if (strcmp (optarg, "noise") != 0 && strcmp (optarg, "natural") != 0)
          lab_die ("--content: '%s' is neither natural nor noise", optarg);
        o->content = strcmp (optarg, "noise") == 0 ? LAB_NOISE : LAB_NATURAL;
        break;
      case 'C':
        o->csv = optarg;
        break;
      case 'J':
        o->json = optarg;
        break;
      case 'h':
        fputs (usage, stdout);
        exit (0);
      default:
        fputs (usage, stderr);
        exit (1);
    }
  if (optind != argc)
    lab_die ("'%s' is not understood; see --help", argv[optind]);
}

static void
describe_cpu (void)
{
  FILE *file = fopen ("/proc/cpuinfo", "r");
  char line[256];

  while (file != NULL && fgets (line, sizeof line, file) != NULL)
    if (sscanf (line, "model name : %127[^\n]", lab_machine.cpu) == 1)
      break;
  if (file != NULL)
    fclose (file);
}

/* Group entries that share a set; otherwise keep their order. */
static int
compare_entries (const void *a, const void *b)
{
  const LabEntry *x = a, *y = b;
  int d = (int) x->shape - (int) y->shape;

  if (d == 0)
    d = (int) x->transform - (int) y->transform;
  if (d == 0)
    d = (int) x->stage - (int) y->stage;
  if (d == 0)
    d = x->quality - y->quality;
  if (d == 0)
    d = x->qp - y->qp;
  return d != 0 ? d : (int) x->gpu - (int) y->gpu;
}

/* A stable sort; there are a few hundred entries. */
static void
sort_entries (void)
{
  for (int i = 1; i < lab_n_entries; i++) {
    LabEntry entry = lab_entries[i];
    int j = i;

    for (; j > 0 && compare_entries (&lab_entries[j - 1], &entry) > 0; j--)
      lab_entries[j] = lab_entries[j - 1];
    lab_entries[j] = entry;
  }
}

static void
add_result (const LabResult * result)
{
  results = realloc (results, (n_results + 1) * sizeof *results);
  if (results == NULL)
    lab_die ("out of memory");
  results[n_results++] = *result;
  lab_print_result (result);
}

/* Whether an entry runs a batch. A million launches, or a million blocks on the
 * CPU, take too long, and have the same time per block as 10,000. For a batch
 * of one, both designs launch once. */
static bool
wants_batch (const LabEntry * entry, int64_t batch)
{
  if (!entry->gpu)
    return batch != lab_batches[2];
  if (!entry->launch_each)
    return batch != lab_batches[0];
  return batch == lab_batches[0]
      || (batch == lab_batches[1] && !lab_options.quick);
}

static bool
run_entry (const LabEntry * entry, const LabSet * set)
{
  LabResult result = { .entry = entry, .registers = -1, .shared = -1,
    .local = -1
  };
  int n = entry->shape == LAB_BLOCKS ? LAB_N_BATCHES : 1;

  lab_verdict_init (&result.verdict);
#ifdef HAVE_CUDA
  if (entry->gpu)
    lab_gpu_check (entry, set, &result.verdict);
  else
#endif
    lab_cpu_check (entry, set, &result.verdict);
  if (!result.verdict.ok) {
    add_result (&result);
    return false;
  }
  for (int i = 0; i < n; i++) {
    result.batch = entry->shape == LAB_BLOCKS ? lab_batches[i] : 0;
    if (result.batch != 0 && !wants_batch (entry, result.batch))
      continue;
#ifdef HAVE_CUDA
    if (entry->gpu)
      lab_gpu_time (entry, set, result.batch, &result);
    else
#endif
      lab_cpu_time (entry, set, result.batch, &result);
    add_result (&result);
  }
  return true;
}

/* Register the entries for the GPU, if it is enabled and there is one. */
static bool
open_gpu (void)
{
#ifdef HAVE_CUDA
  char reason[256];

  if (lab_options.cpu_only) {
    printf ("SKIPPED, as asked with --cpu-only: everything on the GPU.\n\n");
    return false;
  }
  if (!lab_gpu_open (reason, sizeof reason)) {
    printf ("SKIPPED, no GPU (%s): everything on the GPU.\n\n", reason);
    return false;
  }
  lab_hevc_register ();
  lab_whitepaper_register ();
  lab_spector_register ();
  lab_production_register ();
  return true;
#else
  printf ("SKIPPED, built without CUDA: everything on the GPU.\n\n");
  return false;
#endif
}

static void
write_file (const char *name, void (*write) (FILE *, const LabResult *, int))
{
  FILE *file;

  if (name == NULL)
    return;
  file = fopen (name, "w");
  if (file == NULL)
    lab_die ("cannot write %s", name);
  write (file, results, n_results);
  if (fclose (file) != 0)
    lab_die ("cannot write %s", name);
  printf ("written: %s\n", name);
}

int
main (int argc, char **argv)
{
  LabSet set = { 0 };
  int n_wrong = 0;
  bool gpu;

  parse_options (argc, argv);
  describe_cpu ();
  gpu = open_gpu ();
  if (lab_options.comparisons) {
    lab_comparisons_print (gpu);
    return gpu || lab_options.cpu_only ? 0 : NO_GPU;
  }
#ifdef HAVE_CUDA
  if (gpu && (lab_options.frames || lab_options.profile)) {
    if (lab_options.frames)
      lab_frames_print ();
    if (lab_options.profile)
      lab_frames_profile ();
    return 0;
  }
#endif
  lab_cpu_register ();
  sort_entries ();
  lab_print_header ();
  for (int i = 0; i < lab_n_entries; i++) {
    if (!lab_set_is_for (&set, &lab_entries[i])) {
      lab_set_clear (&set);
      lab_set_build (&set, &lab_entries[i]);
    }
    n_wrong += !run_entry (&lab_entries[i], &set);
  }
  lab_set_clear (&set);
  lab_mark_pareto (results, n_results);
  lab_print_tables (results, n_results);
#ifdef HAVE_CUDA
  if (gpu) {
    lab_production_print_questions ();
    lab_frames_print ();
    lab_bits_print ();
    lab_gpu_close ();
  }
#endif
  write_file (lab_options.csv, lab_write_csv);
  write_file (lab_options.json, lab_write_json);
  printf ("%d implementations checked, %d wrong%s\n", lab_n_entries, n_wrong,
      gpu ? "" : "; the GPU's SKIPPED");
  if (n_wrong != 0)
    return 1;
  return gpu || lab_options.cpu_only ? 0 : NO_GPU;
}
