/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdct-measure: measures what transforms and quantizers do to a
 * collection. */
#include <errno.h>
#include <glib-unix.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include "../console.h"
#include "bdrate.h"
#include "error.h"
#include "files.h"
#include "gst-plugin/common/gstblockdctbackend.h"
#include "memory.h"
#include "merge.h"
#include "origin.h"
#include "output.h"
#include "own-table.h"
#include "passes.h"
#include "plot.h"
#include "stall.h"
#include "settings.h"
#include "table.h"
#include "target.h"
#include "write-jpeg.h"

/* Exit statuses other than 0. */
#define FAILED 1
#define WRONG_USAGE 2
#define INTERRUPTED 130

/* The maximum number of files measured at once on one GPU. */
#define MAX_FILES 8

#define NOT_KEPT "no setting meets the collection's targets"

/* Not by g_printerr(), which writes no control characters. */
#define CLEAR_LINE "\r\033[K"
#define BAR_WIDTH 30
#define BAR_INTERVAL 200        /* ms */

typedef struct _Program Program;

/* An engine and its thread. */
typedef struct
{
  Program *program;
  MeasureBench *bench;          /* NULL: no transform is measured */
  GThread *thread;
  gint file, progress;          /* of that file, in 1/1000; both are atomic */
} Worker;

struct _Program
{
  MeasureOptions options;
  GArray *files;                /* MeasureFile */
  GPtrArray *outputs;           /* MeasureOutput */
  GArray *rows;                 /* all sums of files, for the plot and
                                   BD-rates */
  GMainLoop *loop;

  guint n_workers, n_running;
  Worker *workers;
  gint next_file, stop;         /* atomic */

  MeasureResult *results;       /* of each file */
  guint n_written;              /* written, in the files' order */
  guint n_failed;
  GString *failures, *lost, *missed;
  goffset size, done_size;      /* of all files; of the finished ones */
  gint64 start;
  gboolean bar;                 /* the progress bar is on the terminal */
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
    fputs (CLEAR_LINE, stderr);
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
  fprintf (stderr, CLEAR_LINE "[%s] %3.0f%%  %u of %u files", bar,
      100.0 * share, program->n_written, program->files->len);
  if (share > 0.0 && seconds > 1.0) {
    gint left = ceil (seconds * (1.0 - share) / share);

    fprintf (stderr, ", %d:%02d:%02d left", left / 3600, left / 60 % 60,
        left % 60);
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
keep_sums (Program * program, const GArray * rows)
{
  for (guint i = 0; i < rows->len; i++)
    if (g_array_index (rows, MeasureRow, i).frame < 0)
      g_array_append_val (program->rows, g_array_index (rows, MeasureRow, i));
}

static void
write_rows (Program * program, const GArray * rows)
{
  GError *error = NULL;

  clear_bar (program);
  for (guint i = 0; error == NULL && i < program->outputs->len; i++)
    measure_output_write (program->outputs->pdata[i], rows, &error);
  if (error != NULL)
    stop_for (program, error);
}

/* Write the picture at the only row's setting. */
static void
write_jpeg (Program * program, const GArray * rows)
{
  const MeasureOptions *o = &program->options;
  const MeasureRow *row = &g_array_index (rows, MeasureRow, 0);
  GError *error = NULL;

  if (o->write_jpeg == NULL)
    return;
  if (rows->len != 1 || program->files->len != 1)
    measure_fail (&error,
        "--write-jpeg writes one picture at one quality: name "
        "one file, and one --quality or a target");
  for (guint i = 0; error == NULL && i < o->plan.settings->len; i++) {
    const BdctParams *params = &g_array_index (o->plan.settings, BdctParams, i);

    if (measure_setting (params) == row->setting)
      measure_write_jpeg (o->write_jpeg, g_array_index (program->files,
              MeasureFile, 0).path, &o->plan, params, o->stall_limit, &error);
  }
  if (error != NULL)
    stop_for (program, error);
}

static gboolean
has_collection (const Program * program)
{
  return program->options.target.collection != MEASURE_EACH_FILE;
}

/* Write rows of files. With a collection's target they wait for its end. */
static void
take_rows (Program * program, const GArray * rows)
{
  const MeasureTarget *target = &program->options.target;
  GArray *chosen;

  keep_sums (program, rows);
  if (has_collection (program))
    return;
  chosen = measure_target_is_set (target)
      ? measure_target_choose (target, rows, NULL)
      : g_array_ref ((GArray *) rows);
  write_rows (program, chosen);
  write_jpeg (program, chosen);
  g_array_unref (chosen);
}

/* Whether standard output is for people, as no rows are written to it. */
static gboolean
has_readers (const Program * program)
{
  return g_strcmp0 (program->options.csv, "-") != 0
      && g_strcmp0 (program->options.json, "-") != 0;
}

static void
write_collection (Program * program)
{
  const MeasureTarget *target = &program->options.target;
  GArray *chosen = measure_target_choose (target, program->rows,
      program->missed);
  gchar *text = measure_target_tell (target, chosen);

  write_rows (program, chosen);
  if (chosen->len > 0 && program->status != FAILED && has_readers (program))
    g_print ("%s", text);
  g_free (text);
  g_array_unref (chosen);
}

static void
write_result (Program * program, guint i)
{
  const MeasureFile *file = &g_array_index (program->files, MeasureFile, i);
  MeasureResult *result = &program->results[i];

  if (result->error != NULL && !(file->found
          && g_error_matches (result->error, MEASURE_SOURCE_ERROR,
              MEASURE_NO_VIDEO))) {
    g_string_append_printf (program->failures, "  %s: %s\n", file->name,
        result->error->message);
    program->n_failed++;
  }
  if (result->without != NULL) {
    clear_bar (program);
    g_printerr ("blockdct-measure: %s is measured without some metrics:\n%s",
        file->name, result->without);
  }
  if (result->origin != NULL && result->rows != NULL
      && !program->options.quiet) {
    clear_bar (program);
    g_printerr ("blockdct-measure: %s is already lossy (decoded from a JPEG "
        "file, %s): its rows show only the further loss\n", file->name,
        result->origin);
  }
  if (result->lost != NULL)
    g_string_append_printf (program->lost, "  %s: %s\n", file->name,
        result->lost);
  if (result->rows != NULL && program->status != FAILED)
    take_rows (program, result->rows);
  g_clear_pointer (&result->without, g_free);
  g_clear_pointer (&result->lost, g_free);
  g_clear_pointer (&result->origin, g_free);
  g_clear_error (&result->error);
  g_clear_pointer (&result->rows, g_array_unref);
}

/* Write results in the files' order: later ones wait for earlier files, except
 * at the end. */
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
  MeasureResult result;
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

/* Open the next file to measure; NULL: there is none. */
static MeasureSource *
take_file (Program * program, guint * index)
{
  do {
    *index = g_atomic_int_add (&program->next_file, 1);
    if (*index >= program->files->len || g_atomic_int_get (&program->stop))
      return NULL;
  } while (program->results[*index].done);
  return measure_source_new (g_array_index (program->files, MeasureFile,
          *index).path, program->options.stall_limit);
}

static gpointer
work (gpointer data)
{
  Worker *worker = data;
  Program *program = worker->program;
  guint file, next;
  MeasureSource *source = take_file (program, &file);

  while (source != NULL) {
    /* The next file is decoded while this one is measured. */
    MeasureSource *next_source = take_file (program, &next);
    News *news = g_new0 (News, 1);

    g_atomic_int_set (&worker->progress, 0);
    g_atomic_int_set (&worker->file, file);
    news->program = program;
    news->file = file;
    measure_passes_run (&program->options, worker->bench, source,
        &g_array_index (program->files, MeasureFile, file), &program->stop,
        &worker->progress, &news->result);
    news->result.done = TRUE;
    g_atomic_int_set (&worker->file, program->files->len);
    g_idle_add (take_news, news);
    source = next_source;
    file = next;
  }
  g_idle_add (end_worker, program);
  return NULL;
}

/* The number of devices of the first backend that can run; `*n_files` is the
 * number of files that keep one busy: one for the CPU engine, which uses all
 * processors, several for a GPU, which is faster than several decoding
 * threads. */
static guint
count_devices (gint backend, guint * n_files)
{
  const GstBlockDctBackendClass *classes[GST_BLOCKDCT_MAX_BACKENDS];
  guint n = gst_blockdct_backend_candidates (backend, classes);

  for (guint i = 0; i < n; i++) {
    gint devices = bdct_backend_count_devices (classes[i]->engine, NULL);

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
  const MeasureOptions *o = &program->options;
  guint n_files;
  guint n_devices = count_devices (o->backend, &n_files);
  guint wanted = MIN (n_devices * n_files, program->files->len);

  program->workers = g_new0 (Worker, wanted);
  for (guint i = 0; i < wanted; i++) {
    Worker *worker = &program->workers[i];
    GError *error = NULL;

    worker->program = program;
    worker->file = program->files->len;
    program->n_workers++;
    if (o->plan.settings->len == 0)
      continue;
    worker->bench = measure_bench_new (&o->plan, o->backend, i % n_devices,
        o->threads, i < n_devices ? NULL : worker[-(gint) n_devices].bench,
        &error);
    if (worker->bench == NULL) {
      complain (program, error, FAILED);
      return FALSE;
    }
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
  return G_SOURCE_REMOVE;       /* a second signal ends the program at once */
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

/* Open the outputs, with columns of these metrics; `known` receives the rows
 * that one already has. */
static gboolean
open_outputs (Program * program, guint metrics, GArray * known)
{
  const MeasureOptions *o = &program->options;
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
        wanted[i].style, &o->plan, measure_target_is_set (&o->target), known,
        &error)
        : measure_output_new (wanted[i].path, wanted[i].style, metrics, &error);
    if (output != NULL)
      g_ptr_array_add (program->outputs, output);
  }
  if (error != NULL)
    complain (program, error, error->domain == G_OPTION_ERROR ? WRONG_USAGE
        : FAILED);
  return program->status == 0;
}

/* Print them after the table for people, or, if rows go to a file, alone. */
static void
print_bd_rates (Program * program)
{
  const MeasureOptions *o = &program->options;
  gchar *text;

  if (!has_readers (program))
    return;
  if (o->resume && measure_target_is_set (&o->target))
    return;                     /* the rows of earlier files are missing */
  text = measure_bd_rates (program->rows);
  if (text != NULL)
    g_print ("%s", text);
  g_free (text);
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
  if (program->status == 0 || program->status == INTERRUPTED)
    print_bd_rates (program);
  if (program->options.plot != NULL && (program->status == 0
          || program->status == INTERRUPTED)
      && !measure_plot_draw (program->options.plot, program->rows,
          program->options.plot_metric, &error))
    complain (program, error, FAILED);
}

/* Print lines, if there are any, and set the exit status. */
static void
fail_for (Program * program, const gchar * what, const GString * lines)
{
  if (lines->len == 0)
    return;
  g_printerr ("blockdct-measure: %s:\n%s", what, lines->str);
  if (program->status == 0)
    program->status = FAILED;
}

static void
measure (Program * program)
{
  GArray *known = g_array_new (FALSE, FALSE, sizeof (MeasureRow));

  program->results = g_new0 (MeasureResult, program->files->len);
  if (start_workers (program)
      && open_outputs (program, program->options.plan.metrics, known)) {
    keep_sums (program, known);
    mark_known (program, known);
    run_workers (program);
    write_results (program, TRUE);
    if (has_collection (program) && program->status == INTERRUPTED)
      g_printerr ("blockdct-measure: interrupted: no setting is chosen for a "
          "part of the collection\n");
    else if (has_collection (program) && program->status == 0)
      write_collection (program);
  }
  g_array_unref (known);
  for (guint i = 0; i < program->n_workers; i++)
    g_clear_pointer (&program->workers[i].bench, measure_bench_free);
  g_free (program->workers);
  g_free (program->results);
  close_outputs (program);
  if (program->n_failed > 0) {
    g_printerr ("blockdct-measure: %u of %u files could not be measured:\n%s",
        program->n_failed, program->files->len, program->failures->str);
    if (program->status == 0)
      program->status = FAILED;
  }
  fail_for (program, "encoders failed; their rows are missing", program->lost);
  fail_for (program, NOT_KEPT, program->missed);
}

static void
merge (Program * program)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (MeasureRow));
  GError *error = NULL;

  for (gchar ** path = program->options.arguments; error == NULL && *path;
      path++)
    measure_table_read (*path, rows, &error);
  if (error == NULL && measure_rows_merge (rows, &error))
    measure_target_check (&program->options.target, rows, &error);
  if (error != NULL)
    complain (program, error, FAILED);
  else if (open_outputs (program, measure_rows_metrics (rows), NULL))
    take_rows (program, rows);
  if (has_collection (program) && program->status == 0)
    write_collection (program);
  close_outputs (program);
  fail_for (program, NOT_KEPT, program->missed);
  g_array_unref (rows);
}

static void
run (Program * program)
{
  GError *error = NULL;

  measure_memory_init ();
  if (program->options.merge) {
    merge (program);
    return;
  }
  program->files = measure_files_new (program->options.arguments);
  if (program->options.origin) {
    if (!measure_origin_print (program->files, program->options.stall_limit))
      program->status = FAILED;
  } else if (program->options.list) {
    if (!measure_files_list (program->files, program->options.stall_limit))
      program->status = FAILED;
  } else if (program->files->len == 0) {
    g_printerr ("blockdct-measure: there is nothing in these folders that "
        "GStreamer can decode\n");
    program->status = FAILED;
  } else if (program->options.own_table != NULL) {
    if (!measure_own_table_run (&program->options, program->files, &error))
      complain (program, error, FAILED);
  } else {
    measure (program);
  }
  g_array_unref (program->files);
}

int
main (int argc, char **argv)
{
  Program program = { 0 };
  GError *error = NULL;

  setlocale (LC_CTYPE, "");
  console_init ();
  program.outputs = g_ptr_array_new ();
  program.rows = g_array_new (FALSE, FALSE, sizeof (MeasureRow));
  program.failures = g_string_new (NULL);
  program.lost = g_string_new (NULL);
  program.missed = g_string_new (NULL);
  if (!measure_options_parse (&program.options, &argc, &argv, &error))
    complain (&program, error, WRONG_USAGE);
  else if (program.options.version)
    g_print ("blockdct-measure %s\n", VERSION);
  else
    run (&program);
  if ((fflush (stdout) != 0 || ferror (stdout)) && program.status == 0) {
    g_printerr ("blockdct-measure: standard output: %s\n", g_strerror (errno));
    program.status = FAILED;
  }
  measure_options_clear (&program.options);
  g_ptr_array_unref (program.outputs);
  g_array_unref (program.rows);
  g_string_free (program.failures, TRUE);
  g_string_free (program.lost, TRUE);
  g_string_free (program.missed, TRUE);
  if (measure_has_left_threads ())
    _exit (program.status);     /* abandoned threads may use what exit()
                                   frees */
  gst_deinit ();
  return program.status;
}
