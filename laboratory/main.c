/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdct-bench: compares implementations of the block DCT, each of which is
 * checked against the definition before it is timed. See README.md. */
#include "lab.h"

#include <glib.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NO_GPU 77
#define SOURCES "cpu,whitepaper,hevc-paper,spector,blockdct"

LabOptions lab_options = {.content = LAB_NATURAL,.n_qualities = 1,
  .n_qps = 1,.quality = {75},.qp = {27}
};
const int64_t lab_batches[LAB_N_BATCHES] = { 1, 10000, 1000000 };

char lab_gpu_name[128], lab_gpu_text[256];

static GArray *entries, *results;
static gboolean frames, comparisons, profile;
static char *only, *qualities, *qps, *content, *csv, *json;
static char **sources;

static const GOptionEntry options[] = {
  {"quick", 0, 0, G_OPTION_ARG_NONE, &lab_options.quick,
      "fewer repetitions: seconds rather than minutes", NULL},
  {"cpu-only", 0, 0, G_OPTION_ARG_NONE, &lab_options.cpu_only,
      "leave out what needs a GPU", NULL},
  {"cuda-cores", 0, 0, G_OPTION_ARG_NONE, &lab_options.cuda_cores,
      "blockdct's kernels without tensor cores", NULL},
  {"frames", 0, 0, G_OPTION_ARG_NONE, &frames,
      "nothing but frames of some sizes", NULL},
  {"comparisons", 0, 0, G_OPTION_ARG_NONE, &comparisons,
      "nothing but comparisons of given pictures", NULL},
  {"profile", 0, 0, G_OPTION_ARG_NONE, &profile,
      "nothing but each of blockdct's kernels once, for Nsight Compute", NULL},
  {"only", 0, 0, G_OPTION_ARG_STRING, &only, "of " SOURCES, "SOURCE,..."},
  {"quality", 0, 0, G_OPTION_ARG_STRING, &qualities,
      "1 to 100 (75); all for blockdct, the first for others", "Q,..."},
  {"qp", 0, 0, G_OPTION_ARG_STRING, &qps, "0 to 51 (27), likewise", "QP,..."},
  {"default-lists", 0, 0, G_OPTION_ARG_NONE, &lab_options.default_lists,
      "hevc-* with the standard's scaling lists", NULL},
  {"content", 0, 0, G_OPTION_ARG_STRING, &content,
      "what is timed: natural (default) or noise; both are checked", "KIND"},
  {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "write the results", "FILE"},
  {"json", 0, 0, G_OPTION_ARG_FILENAME, &json, "and the machine", "FILE"},
  {.long_name = NULL}
};

void
lab_die (const char *format, ...)
{
  va_list args;

  fflush (stdout);
  fputs ("blockdct-bench: ", stderr);
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
  fputc ('\n', stderr);
  exit (1);
}

bool
lab_wants (const char *source)
{
  return g_strv_contains ((const char *const *) sources, source);
}

void
lab_register (const LabEntry * entry)
{
  if (lab_wants (entry->source))
    g_array_append_vals (entries, entry, 1);
}

static void
parse_list (const char *name, const char *text, int min, int max, int *out,
    int *n)
{
  char **words = g_strsplit (text != NULL ? text : "", ",", 0);

  for (int i = 0; words[i] != NULL; i++) {
    gint64 v;

    if (!g_ascii_string_to_signed (words[i], 10, min, max, &v, NULL))
      lab_die ("--%s: '%s' is not a number from %d to %d", name, words[i], min,
          max);
    if (i == LAB_MAX_LIST)
      lab_die ("--%s: more than %d values", name, LAB_MAX_LIST);
    out[i] = (int) v;
    *n = i + 1;
  }
  g_strfreev (words);
}

static void
parse_options (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  char **known = g_strsplit (SOURCES, ",", 0);
  GError *error = NULL;

  g_option_context_set_summary (context,
      "Check and time every implementation of the block DCT.");
  g_option_context_set_description (context,
      "Exit status: 0 all is well, 1 something is wrong, 77 there is no GPU.");
  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    lab_die ("%s; see --help", error->message);
  if (argc > 1)
    lab_die ("'%s' is not understood; see --help", argv[1]);
  g_option_context_free (context);
  sources = g_strsplit (only != NULL ? only : SOURCES, ",", 0);
  for (char **source = sources; *source != NULL; source++)
    if (!g_strv_contains ((const char *const *) known, *source))
      lab_die ("--only: '%s' is none of %s", *source, SOURCES);
  g_strfreev (known);
  parse_list ("quality", qualities, 1, 100, lab_options.quality,
      &lab_options.n_qualities);
  parse_list ("qp", qps, 0, 51, lab_options.qp, &lab_options.n_qps);
  if (g_strcmp0 (content, "noise") == 0)
    lab_options.content = LAB_NOISE;
  else if (content != NULL && strcmp (content, "natural") != 0)
    lab_die ("--content: '%s' is neither natural nor noise", content);
}

/* Group entries that share a set; g_array_sort() keeps the order of others. */
static int
compare_entries (const void *a, const void *b)
{
  const LabEntry *x = a, *y = b;
  const int order[][2] = { {x->shape, y->shape}, {x->transform, y->transform},
  {x->stage, y->stage}, {x->quality, y->quality}, {x->qp, y->qp},
  {x->gpu, y->gpu}
  };

  for (size_t i = 0; i < G_N_ELEMENTS (order); i++)
    if (order[i][0] != order[i][1])
      return order[i][0] - order[i][1];
  return 0;
}

static void
add_result (const LabResult * result)
{
  g_array_append_vals (results, result, 1);
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
  LabResult result = {.entry = entry,.registers = -1,.shared = -1,
    .local = -1,.verdict = {true, "exact", NAN, NAN}
  };
  int n = entry->shape == LAB_BLOCKS ? LAB_N_BATCHES : 1;

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
  char reason[256] = "built without CUDA";
  bool is_open = false;

  if (lab_options.cpu_only)
    strcpy (reason, "as asked with --cpu-only");
#ifdef HAVE_CUDA
  else
    is_open = lab_gpu_open (reason, sizeof reason);
  if (is_open) {
    lab_hevc_register ();
    lab_whitepaper_register ();
    lab_spector_register ();
    lab_production_register ();
  }
#endif
  if (!is_open)
    printf ("SKIPPED, %s: everything on the GPU.\n\n", reason);
  return is_open;
}

/* Check and time all entries; returns how many are wrong. */
static int
run_entries (void)
{
  LabSet set = { 0 };
  int n_wrong = 0;

  lab_cpu_register ();
  g_array_sort (entries, compare_entries);
  lab_print_header ();
  for (guint i = 0; i < entries->len; i++) {
    const LabEntry *entry = &g_array_index (entries, LabEntry, i);

    if (!lab_set_is_for (&set, entry)) {
      lab_set_clear (&set);
      lab_set_build (&set, entry);
    }
    n_wrong += !run_entry (entry, &set);
  }
  lab_set_clear (&set);
  return n_wrong;
}

#ifdef HAVE_CUDA
/* What there is beside entries: all of it, or what the options ask for. */
static void
run_others (bool some)
{
  if (comparisons)
    lab_engines_print_comparisons ();
  if (!some || frames)
    lab_production_print_frames ();
  if (!some)
    lab_engines_print_bits ();
  if (profile)
    lab_production_profile ();
}
#endif

int
main (int argc, char **argv)
{
  int n_wrong = 0;
  bool gpu, some;

  parse_options (argc, argv);
  some = frames || comparisons || profile;
  entries = g_array_new (FALSE, FALSE, sizeof (LabEntry));
  results = g_array_new (FALSE, FALSE, sizeof (LabResult));
  gpu = open_gpu ();
  if (!some)
    n_wrong = run_entries ();
#ifdef HAVE_CUDA
  if (gpu && lab_wants ("blockdct"))
    run_others (some);
#endif
  if (csv != NULL)
    lab_write_results (csv, false, (LabResult *) results->data, results->len);
  if (json != NULL)
    lab_write_results (json, true, (LabResult *) results->data, results->len);
  if (!some)
    printf ("%u implementations checked, %d wrong%s\n", entries->len, n_wrong,
        gpu ? "" : "; the GPU's SKIPPED");
  if (n_wrong != 0)
    return 1;
  return gpu || lab_options.cpu_only ? 0 : NO_GPU;
}
