/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdct-measure: what transforms and quantizers do to a collection. */
#include <errno.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"
#include "files.h"
#include "gst-plugin/gstblockdctbackend.h"
#include "output.h"
#include "plot.h"
#include "settings.h"
#include "target.h"

/* What gst-plugin/ logs as. */
GST_DEBUG_CATEGORY (gst_blockdct_debug);

/* Exit status beside 0. */
#define FAILED 1
#define WRONG_USAGE 2
#define INTERRUPTED 130

/* Of a target: the option is not there. */
#define UNSET -1.0

/* That are measured on one GPU at the same time. */
#define MAX_FILES 8

#define BAR_WIDTH 30
#define BAR_INTERVAL 200        /* ms */

typedef struct
{
  gchar **arguments;
  gchar *transforms, *quality, *qp, *formats, *subsampling, *backend, *csv,
      *json, *plot;
  gboolean all_settings, each_frame, quiet, resume, list, merge, version;
  gint64 first_frame, n_frames;
  gint threads;
  MeasureTarget target;
} Options;

typedef struct
{
  GArray *rows;                 /* NULL: `error`, or not measured */
  GError *error;
  gboolean done;
} Result;

typedef struct _Program Program;

/* An engine and its thread. */
typedef struct
{
  Program *program;
  MeasureBench *bench;
  GThread *thread;
  gint file, progress;          /* of that file, in 1/1000; both atomic */
} Worker;

struct _Program
{
  Options options;
  MeasurePlan plan;
  gint backend;                 /* a value of the element's property */
  GArray *files;                /* MeasureFile */
  GPtrArray *outputs;           /* MeasureOutput */
  GArray *rows;                 /* all of them, for the plot */
  GMainLoop *loop;

  guint n_workers, n_running;
  Worker *workers;
  gint next_file, stop;         /* atomic */

  Result *results;              /* of each file */
  guint n_written;              /* they are, in the files' order */
  guint n_failed;
  GString *failures;
  goffset size, done_size;      /* of all files; of those that are done */
  gint64 start;
  gboolean bar;                 /* it is on the terminal */
  gint status;
};

static void
complain (Program * program, GError * error, gint status)
{
  g_printerr ("blockdct-measure: %s\n", error->message);
  if (status == WRONG_USAGE)
    g_printerr ("  blockdct-measure --help explains.\n");
  g_error_free (error);
  program->status = status;
}

/* Progress */

static void
clear_bar (Program * program)
{
  if (program->bar)
    g_printerr ("\r\033[K");
  program->bar = FALSE;
}

static gboolean
show_bar (gpointer data)
{
  Program *program = data;
  gdouble seconds = (g_get_monotonic_time () - program->start) / 1e6;
  gdouble done = program->done_size, share;
  gchar bar[BAR_WIDTH + 1] = "";

  for (guint i = 0; i < program->n_workers; i++) {
    Worker *worker = &program->workers[i];
    guint file = g_atomic_int_get (&worker->file);

    if (file < program->files->len)
      done += g_array_index (program->files, MeasureFile, file).size
          * (g_atomic_int_get (&worker->progress) / 1000.0);
  }
  share = program->size > 0 ? MIN (done / program->size, 1.0) : 0.0;
  for (guint i = 0; i < BAR_WIDTH; i++)
    bar[i] = i < share * BAR_WIDTH ? '#' : '.';
  g_printerr ("\r\033[K[%s] %3.0f%%  %u of %u files", bar, 100.0 * share,
      program->n_written, program->files->len);
  if (share > 0.0 && seconds > 1.0) {
    gint left = ceil (seconds * (1.0 - share) / share);

    g_printerr (", %d:%02d:%02d left", left / 3600, left / 60 % 60, left % 60);
  }
  program->bar = TRUE;
  return G_SOURCE_CONTINUE;
}

/* Results */

static void
stop_for (Program * program, GError * error)
{
  clear_bar (program);
  complain (program, error, FAILED);
  g_atomic_int_set (&program->stop, 1);
}

static void
write_rows (Program * program, const GArray * rows)
{
  const MeasureTarget *target = &program->options.target;
  GArray *chosen = measure_target_is_set (target)
      ? measure_target_choose (target, rows) : g_array_ref ((GArray *) rows);
  GError *error = NULL;

  clear_bar (program);
  if (program->options.plot != NULL)
    for (guint i = 0; i < rows->len; i++)
      if (g_array_index (rows, MeasureRow, i).frame < 0)
        g_array_append_val (program->rows, g_array_index (rows, MeasureRow, i));
  for (guint i = 0; error == NULL && i < program->outputs->len; i++)
    measure_output_write (program->outputs->pdata[i], chosen, &error);
  g_array_unref (chosen);
  if (error != NULL)
    stop_for (program, error);
}

static void
write_result (Program * program, guint i)
{
  const MeasureFile *file = &g_array_index (program->files, MeasureFile, i);
  Result *result = &program->results[i];

  if (result->error != NULL && !(file->found
          && g_error_matches (result->error, MEASURE_SOURCE_ERROR,
              MEASURE_NO_VIDEO))) {
    g_string_append_printf (program->failures, "  %s: %s\n", file->name,
        result->error->message);
    program->n_failed++;
  }
  if (result->rows != NULL && program->status != FAILED)
    write_rows (program, result->rows);
  g_clear_error (&result->error);
  g_clear_pointer (&result->rows, g_array_unref);
}

/* What has to wait for a file before it does so unless this is the end. */
static void
write_results (Program * program, gboolean end)
{
  while (program->n_written < program->files->len
      && (end || program->results[program->n_written].done))
    write_result (program, program->n_written++);
}

typedef struct
{
  Program *program;
  guint file;
  Result result;
} News;

static gboolean
take_news (gpointer data)
{
  News *news = data;
  Program *program = news->program;

  program->results[news->file] = news->result;
  program->done_size += g_array_index (program->files, MeasureFile,
      news->file).size;
  write_results (program, FALSE);
  g_free (news);
  return G_SOURCE_REMOVE;
}

static gboolean
end_worker (gpointer data)
{
  Program *program = data;

  if (--program->n_running == 0)
    g_main_loop_quit (program->loop);
  return G_SOURCE_REMOVE;
}

/* Workers */

/* The next file that is to be measured, opened; NULL if there is none. */
static MeasureSource *
take_file (Program * program, guint * index)
{
  do {
    *index = g_atomic_int_add (&program->next_file, 1);
    if (*index >= program->files->len || g_atomic_int_get (&program->stop))
      return NULL;
  } while (program->results[*index].done);
  return measure_source_new (g_array_index (program->files, MeasureFile,
          *index).path);
}

static gpointer
work (gpointer data)
{
  Worker *worker = data;
  Program *program = worker->program;
  guint file, next;
  MeasureSource *source = take_file (program, &file);

  while (source != NULL) {
    /* It is decoded while this one is measured. */
    MeasureSource *next_source = take_file (program, &next);
    News *news = g_new0 (News, 1);

    g_atomic_int_set (&worker->progress, 0);
    g_atomic_int_set (&worker->file, file);
    news->program = program;
    news->file = file;
    news->result.rows = measure_bench_run (worker->bench, source,
        g_array_index (program->files, MeasureFile, file).name,
        &program->stop, &worker->progress, &news->result.error);
    news->result.done = TRUE;
    measure_source_free (source);
    g_atomic_int_set (&worker->file, program->files->len);
    g_idle_add (take_news, news);
    source = next_source;
    file = next;
  }
  g_idle_add (end_worker, program);
  return NULL;
}

/* How many devices the first backend that can run has, and how many files at a
 * time keep one busy: the processors' engine has threads for all of them, a GPU
 * is faster than several threads that decode. */
static guint
count_devices (gint backend, guint * n_files)
{
  const GstBlockDctBackendClass *classes[GST_BLOCKDCT_MAX_BACKENDS];
  guint n = gst_blockdct_backend_candidates (backend, classes);

  for (guint i = 0; i < n; i++) {
    gint devices = classes[i]->engine->count_devices (NULL);

    *n_files = classes[i]->open == NULL ? 1
        : CLAMP (g_get_num_processors () / MAX (devices, 1), 1, MAX_FILES);
    if (devices > 0)
      return devices;
  }
  *n_files = 1;
  return 1;
}

static gboolean
start_workers (Program * program)
{
  guint n_files;
  guint n_devices = count_devices (program->backend, &n_files);
  guint wanted = MIN (n_devices * n_files, program->files->len);

  program->workers = g_new0 (Worker, wanted);
  for (guint i = 0; i < wanted; i++) {
    Worker *worker = &program->workers[i];
    GError *error = NULL;

    worker->program = program;
    worker->file = program->files->len;
    worker->bench = measure_bench_new (&program->plan, program->backend,
        i % n_devices, program->options.threads,
        i < n_devices ? NULL : worker[-(gint) n_devices].bench, &error);
    if (worker->bench == NULL) {
      complain (program, error, FAILED);
      return FALSE;
    }
    program->n_workers++;
    GST_INFO ("engine %u: %s", i, measure_bench_describe (worker->bench));
  }
  return TRUE;
}

static gboolean
interrupt (gpointer data)
{
  Program *program = data;

  program->status = INTERRUPTED;
  g_atomic_int_set (&program->stop, 1);
  return G_SOURCE_REMOVE;       /* the second time nothing is waited for */
}

static void
run_workers (Program * program)
{
  guint signals[2], timer = 0;

  program->loop = g_main_loop_new (NULL, FALSE);
  program->start = g_get_monotonic_time ();
  program->n_running = program->n_workers;
  for (guint i = 0; i < program->n_workers; i++)
    program->workers[i].thread = g_thread_new ("measure", work,
        &program->workers[i]);
  signals[0] = g_unix_signal_add (SIGINT, interrupt, program);
  signals[1] = g_unix_signal_add (SIGTERM, interrupt, program);
  if (!program->options.quiet && isatty (STDERR_FILENO))
    timer = g_timeout_add (BAR_INTERVAL, show_bar, program);
  if (program->n_running > 0)
    g_main_loop_run (program->loop);
  for (guint i = 0; i < program->n_workers; i++)
    g_thread_join (program->workers[i].thread);
  if (timer > 0)
    g_source_remove (timer);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (g_main_context_find_source_by_id (NULL, signals[i]) != NULL)
      g_source_remove (signals[i]);
  g_main_loop_unref (program->loop);
  clear_bar (program);
}

/* Options */

static gboolean
refuse (GError ** error, const gchar * text)
{
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);
  return FALSE;
}

static gboolean
check_targets (const MeasureTarget * target, GError ** error)
{
  const struct
  {
    const gchar *name;
    gdouble value;
  } targets[] = {
    {"--target-psnr", target->psnr}, {"--target-bpp", target->bpp},
    {"--target-size", target->size}
  };
  const gchar *set = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++) {
    if (targets[i].value == UNSET)
      continue;
    if (!(targets[i].value > 0.0) || isinf (targets[i].value)) {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          "%s=%g is not above 0", targets[i].name, targets[i].value);
      return FALSE;
    }
    if (set != NULL) {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          "One target at a time: %s or %s", set, targets[i].name);
      return FALSE;
    }
    set = targets[i].name;
  }
  return TRUE;
}

/* What excludes each other. */
static gboolean
check_options (const Options * o, GError ** error)
{
  gboolean target = measure_target_is_set (&o->target);

  if (!check_targets (&o->target, error))
    return FALSE;
  if (o->arguments == NULL)
    return refuse (error, "No file, folder or pattern is named");
  if (o->csv != NULL && o->json != NULL && strcmp (o->csv, "-") == 0
      && strcmp (o->json, "-") == 0)
    return refuse (error, "--csv and --json cannot both be -");
  if (o->each_frame && target)
    return refuse (error, "--frames and a target exclude each other: a target "
        "is that of the whole file");
  if (o->merge && (o->transforms || o->quality || o->qp
          || o->all_settings || o->formats || o->subsampling || o->each_frame
          || o->first_frame || o->n_frames >= 0 || o->resume || o->list))
    return refuse (error, "--merge measures nothing: it goes with --csv, "
        "--json, --plot and the targets alone");
  if (o->resume && ((o->csv != NULL) == (o->json != NULL)
          || strcmp (o->csv ? o->csv : o->json, "-") == 0))
    return refuse (error, "--resume goes on with one file: that of --csv, or "
        "that of --json");
  if (o->resume && target && o->plot != NULL)
    return refuse (error, "--resume with a target has no curves for --plot");
  if (o->first_frame < 0) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--first-frame=%" G_GINT64_FORMAT " is below 0", o->first_frame);
    return FALSE;
  }
  if (o->n_frames < -1 || o->n_frames == 0) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--n-frames=%" G_GINT64_FORMAT " is below 1", o->n_frames);
    return FALSE;
  }
  if (o->threads < 0 || o->threads > 1024) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--threads=%d is outside 0 to 1024", o->threads);
    return FALSE;
  }
  return o->plot == NULL || measure_plot_check (o->plot, error);
}

static gboolean
find_backend (const gchar * name, gint * value, GError ** error)
{
  GEnumClass *klass = g_type_class_ref (gst_blockdct_backend_get_type ());
  GEnumValue *found = g_enum_get_value_by_nick (klass, name);
  GString *known = g_string_new (NULL);

  if (found != NULL)
    *value = found->value;
  for (guint i = 0; i < klass->n_values; i++)
    g_string_append_printf (known, "%s%s", i > 0 ? ", " : "",
        klass->values[i].value_nick);
  if (found == NULL)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--backend: '%s' is none of %s", name, known->str);
  g_string_free (known, TRUE);
  g_type_class_unref (klass);
  return found != NULL;
}

static gboolean
make_plan (Program * program, GError ** error)
{
  const Options *o = &program->options;
  MeasurePlan *plan = &program->plan;

  if (!check_options (o, error)
      || !find_backend (o->backend ? o->backend : "auto", &program->backend,
          error)
      || !measure_find_subsampling (o->subsampling, &plan->subsampling, error))
    return FALSE;
  plan->settings = measure_settings_new (o->transforms, o->quality, o->qp,
      o->all_settings || o->plot != NULL || measure_target_is_set (&o->target),
      error);
  if (plan->settings == NULL)
    return FALSE;
  plan->formats = measure_formats_new (o->formats, error);
  plan->each_frame = o->each_frame;
  plan->first_frame = o->first_frame;
  plan->n_frames = o->n_frames;
  return plan->formats != NULL;
}

static gboolean
parse (Program * program, int *argc, char ***argv)
{
  Options *o = &program->options;
  GOptionEntry entries[] = {
    {"transform", 't', 0, G_OPTION_ARG_STRING, &o->transforms,
        "Transforms, such as jpeg-8x8,hevc-16x16, or all (jpeg-8x8)", "LIST"},
    {"quality", 'q', 0, G_OPTION_ARG_STRING, &o->quality,
        "Qualities, 1 to 100: 75, 1-100, 50,75,90 or 10-90:10 (85; all with "
          "a target or --plot)", "RANGES"},
    {"qp", 0, 0, G_OPTION_ARG_STRING, &o->qp,
        "QPs, 0 to 51, likewise (26; all with a target or --plot)", "RANGES"},
    {"all-settings", 'a', 0, G_OPTION_ARG_NONE, &o->all_settings,
        "All qualities and QPs, where those options do not say which", NULL},
    {"format", 'f', 0, G_OPTION_ARG_STRING, &o->formats,
        "Formats to convert to, such as I420,Y444 (the decoder's own)", "LIST"},
    {"chroma-subsampling", 0, 0, G_OPTION_ARG_STRING, &o->subsampling,
        "Of R, G and B: 4:2:0 (default), 4:2:2, 4:4:0 or 4:4:4", "NAME"},
    {"frames", 0, 0, G_OPTION_ARG_NONE, &o->each_frame,
        "A row a frame too", NULL},
    {"first-frame", 0, 0, G_OPTION_ARG_INT64, &o->first_frame,
        "Begin with this frame of each file, counted from 0", "F"},
    {"n-frames", 'n', 0, G_OPTION_ARG_INT64, &o->n_frames,
        "Measure at most so many frames of each file", "N"},
    {"target-psnr", 0, 0, G_OPTION_ARG_DOUBLE, &o->target.psnr,
        "The coarsest setting with this PSNR", "DB"},
    {"target-bpp", 0, 0, G_OPTION_ARG_DOUBLE, &o->target.bpp,
        "The finest setting with at most so many bits a luma sample", "BITS"},
    {"target-size", 0, 0, G_OPTION_ARG_DOUBLE, &o->target.size,
        "The finest setting with at most so many bytes a file", "BYTES"},
    {"csv", 0, 0, G_OPTION_ARG_FILENAME, &o->csv,
        "Write the rows as CSV; - is standard output", "FILE"},
    {"json", 0, 0, G_OPTION_ARG_FILENAME, &o->json,
        "Write them as lines of JSON; - is standard output", "FILE"},
    {"plot", 0, 0, G_OPTION_ARG_FILENAME, &o->plot,
        "Draw PSNR over bits: FILE.svg, FILE.png or FILE.pdf", "FILE"},
    {"resume", 0, 0, G_OPTION_ARG_NONE, &o->resume,
        "Leave out the files whose rows are in the output already", NULL},
    {"backend", 0, 0, G_OPTION_ARG_STRING, &o->backend,
        "cuda, cpu, or auto: every GPU there is, else the CPU", "NAME"},
    {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads,
        "Threads of the CPU engine (0: one a processor)", "N"},
    {"list", 0, 0, G_OPTION_ARG_NONE, &o->list,
        "Measure nothing: print the files and how many frames they say they "
          "have, as lines of JSON", NULL},
    {"merge", 0, 0, G_OPTION_ARG_NONE, &o->merge,
        "Measure nothing: the files are tables, of --csv or --json; add up "
          "the rows of a file's segments", NULL},
    {"quiet", 0, 0, G_OPTION_ARG_NONE, &o->quiet, "No progress bar", NULL},
    {"version", 0, 0, G_OPTION_ARG_NONE, &o->version, "Print the version",
        NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->arguments,
        NULL, NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL}
  };
  GOptionContext *context = g_option_context_new
      ("FILE|FOLDER|PATTERN ... - what transforms and quantizers cost");
  GError *error = NULL;
  gboolean ok;

  o->n_frames = -1;
  o->target = (MeasureTarget) { UNSET, UNSET, UNSET };
  g_option_context_set_description (context, "Example:\n"
      "  blockdct-measure shots/ film.mkv --quality 10-90:10 "
      "--csv table.csv\n");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, argc, argv, &error);
  g_option_context_free (context);
  GST_DEBUG_CATEGORY_INIT (gst_blockdct_debug, "blockdct", 0, "block DCT");
  if (ok && o->version) {
    g_print ("blockdct-measure %s\n", VERSION);
    return FALSE;
  }
  ok = ok && make_plan (program, &error);
  if (!ok)
    complain (program, error, WRONG_USAGE);
  return ok;
}

/* The two ways to a table */

static void
mark_known (Program * program, GArray * known)
{
  GHashTable *names = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < known->len; i++)
    g_hash_table_add (names, (gpointer) g_array_index (known, MeasureRow,
            i).file);
  for (guint i = 0; i < program->files->len; i++) {
    const MeasureFile *file = &g_array_index (program->files, MeasureFile, i);

    program->results[i].done = g_hash_table_contains (names, file->name);
    if (!program->results[i].done)
      program->size += file->size;
  }
  g_hash_table_unref (names);
}

/* Open the outputs; `known` receives the rows that are in one already. */
static gboolean
open_outputs (Program * program, GArray * known)
{
  const Options *o = &program->options;
  const struct
  {
    const gchar *path;
    MeasureStyle style;
  } wanted[] = {
    {o->csv, MEASURE_CSV}, {o->json, MEASURE_JSON},
    {o->csv || o->json ? NULL : "-", MEASURE_TEXT}
  };
  GError *error = NULL;

  for (guint i = 0; error == NULL && i < G_N_ELEMENTS (wanted); i++) {
    MeasureOutput *output;

    if (wanted[i].path == NULL)
      continue;
    output = o->resume ? measure_output_resume (wanted[i].path,
        wanted[i].style, &program->plan, measure_target_is_set (&o->target),
        known, &error)
        : measure_output_new (wanted[i].path, wanted[i].style, &error);
    if (output != NULL)
      g_ptr_array_add (program->outputs, output);
  }
  if (error != NULL)
    complain (program, error, error->domain == G_OPTION_ERROR ? WRONG_USAGE
        : FAILED);
  return program->status == 0;
}

static void
close_outputs (Program * program)
{
  GError *error = NULL;

  for (guint i = 0; i < program->outputs->len; i++)
    if (!measure_output_close (program->outputs->pdata[i], &error)) {
      complain (program, error, FAILED);
      error = NULL;
    }
  if (program->options.plot != NULL && (program->status == 0
          || program->status == INTERRUPTED)
      && !measure_plot_draw (program->options.plot, program->rows, &error))
    complain (program, error, FAILED);
}

static void
measure (Program * program)
{
  GArray *known = g_array_new (FALSE, FALSE, sizeof (MeasureRow));

  program->results = g_new0 (Result, program->files->len);
  if (start_workers (program) && open_outputs (program, known)) {
    for (guint i = 0; i < known->len; i++)
      if (g_array_index (known, MeasureRow, i).frame < 0)
        g_array_append_val (program->rows, g_array_index (known, MeasureRow,
                i));
    mark_known (program, known);
    run_workers (program);
    write_results (program, TRUE);
  }
  g_array_unref (known);
  for (guint i = 0; i < program->n_workers; i++)
    measure_bench_free (program->workers[i].bench);
  g_free (program->workers);
  g_free (program->results);
  close_outputs (program);
  if (program->n_failed > 0) {
    g_printerr ("blockdct-measure: %u of %u files could not be measured:\n%s",
        program->n_failed, program->files->len, program->failures->str);
    if (program->status == 0)
      program->status = FAILED;
  }
}

static gboolean
read_table (const gchar * path, GArray * rows, GError ** error)
{
  GString *text = g_string_new (NULL);
  FILE *file = strcmp (path, "-") == 0 ? stdin : fopen (path, "r");
  GError *reason = NULL;
  gchar part[4096];
  gsize n;

  while (file != NULL && (n = fread (part, 1, sizeof part, file)) > 0)
    g_string_append_len (text, part, n);
  if (file == NULL || ferror (file))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s", path,
        g_strerror (errno));
  else if (!measure_rows_read (rows, NULL, text->str, text->len, &reason))
    g_propagate_prefixed_error (error, reason, "%s: ", path);
  if (file != NULL && file != stdin)
    fclose (file);
  g_string_free (text, TRUE);
  return *error == NULL;
}

static void
merge (Program * program)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (MeasureRow));
  GError *error = NULL;

  for (gchar ** path = program->options.arguments; error == NULL && *path;
      path++)
    read_table (*path, rows, &error);
  if (error == NULL)
    measure_rows_merge (rows, &error);
  if (error != NULL)
    complain (program, error, FAILED);
  else if (open_outputs (program, NULL))
    write_rows (program, rows);
  close_outputs (program);
  g_array_unref (rows);
}

static void
run (Program * program)
{
  if (program->options.merge) {
    merge (program);
    return;
  }
  program->files = measure_files_new (program->options.arguments);
  if (program->options.list) {
    if (!measure_files_list (program->files))
      program->status = FAILED;
  } else if (program->files->len == 0) {
    g_printerr ("blockdct-measure: there is nothing in these folders that "
        "GStreamer can decode\n");
    program->status = FAILED;
  } else {
    measure (program);
  }
  g_array_unref (program->files);
}

int
main (int argc, char **argv)
{
  Program program = { 0 };
  Options *o = &program.options;

  setlocale (LC_CTYPE, "");
  program.outputs = g_ptr_array_new ();
  program.rows = g_array_new (FALSE, FALSE, sizeof (MeasureRow));
  program.failures = g_string_new (NULL);
  if (parse (&program, &argc, &argv))
    run (&program);
  g_clear_pointer (&program.plan.settings, g_array_unref);
  g_clear_pointer (&program.plan.formats, g_array_unref);
  g_ptr_array_unref (program.outputs);
  g_array_unref (program.rows);
  g_string_free (program.failures, TRUE);
  g_strfreev (o->arguments);
  g_free (o->transforms);
  g_free (o->quality);
  g_free (o->qp);
  g_free (o->formats);
  g_free (o->subsampling);
  g_free (o->backend);
  g_free (o->csv);
  g_free (o->json);
  g_free (o->plot);
  gst_deinit ();
  return program.status;
}
