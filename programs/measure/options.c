/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "options.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include "coder.h"
#include "gst-plugin/common/gstblockdctbackend.h"
#include "plot.h"
#include "settings.h"
#include "write-jpeg.h"

/* The debug category of gst-plugin/. */
GST_DEBUG_CATEGORY (gst_blockdct_debug);

/* A target whose option is not given. */
#define UNSET -1.0

/* The texts of options that are lists or names. */
typedef struct
{
  gchar *transforms, *quality, *qp, *bitrate, *formats, *subsampling, *backend;
  gchar **encoders;
  gchar *metrics, *plot_metric, *collection;
  gboolean all_settings;
} Texts;

static gboolean
refuse (GError ** error, const gchar * text)
{
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);
  return FALSE;
}

static gboolean
check_targets (const MeasureTarget * target, GError ** error)
{
  const gdouble *limit = target->limit;

  for (guint k = 0; k < MEASURE_N_KEEPS; k++)
    if (limit[k] != UNSET && (!(limit[k] > 0.0) || isinf (limit[k]))) {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          "--target-%s=%g is not above 0", measure_keep_name (k), limit[k]);
      return FALSE;
    }
  if (limit[MEASURE_KEEP_SSIM] > 1.0) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--target-ssim=%g is above 1", limit[MEASURE_KEEP_SSIM]);
    return FALSE;
  }
  return TRUE;
}

/* Check that an option's metric is measured. */
static gboolean
check_metric (const MeasureOptions * o, const gchar * option, gint metric,
    GError ** error)
{
  const gchar *name = measure_metrics_label (metric);

  if (metric < 0 || o->merge || o->plan.metrics >> metric & 1)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "%s needs %s: name it in --metrics", option, name);
  return FALSE;
}

static gboolean
check_target_metrics (const MeasureOptions * o, GError ** error)
{
  gboolean ok = TRUE;

  for (guint k = 0; ok && k < MEASURE_N_KEEPS; k++) {
    gchar *option = g_strconcat ("--target-", measure_keep_name (k), NULL);

    ok = !(o->target.limit[k] > 0.0)
        || check_metric (o, option, measure_keep_metric (k), error);
    g_free (option);
  }
  return ok;
}

/* Whether two names are of the same file. */
static gboolean
is_same_file (const gchar * a, const gchar * b)
{
  gchar *full_a = g_canonicalize_filename (a, NULL);
  gchar *full_b = g_canonicalize_filename (b, NULL);
  gboolean same = strcmp (full_a, full_b) == 0;
  GStatBuf status_a, status_b;

  if (g_stat (a, &status_a) == 0 && g_stat (b, &status_b) == 0)
    same = same || (status_a.st_dev == status_b.st_dev
        && status_a.st_ino == status_b.st_ino);
  g_free (full_a);
  g_free (full_b);
  return same;
}

static gboolean
check_outputs (const MeasureOptions * o, GError ** error)
{
  const struct
  {
    const gchar *name, *path;
  } outputs[] = {
    {"--csv", o->csv}, {"--json", o->json}, {"--plot", o->plot},
    {"--write-jpeg", o->write_jpeg}, {"--own-table", o->own_table}
  };

  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
    for (guint k = 0; k < i; k++)
      if (outputs[i].path != NULL && outputs[k].path != NULL
          && is_same_file (outputs[i].path, outputs[k].path)) {
        g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
            "%s and %s cannot both be %s", outputs[k].name, outputs[i].name,
            outputs[i].path);
        return FALSE;
      }
  return TRUE;
}

/* Check for options that exclude each other. */
static gboolean
check_options (const MeasureOptions * o, const Texts * t, GError ** error)
{
  gboolean target = measure_target_is_set (&o->target);

  if (!check_targets (&o->target, error))
    return FALSE;
  if (o->arguments == NULL)
    return refuse (error, "No file, folder or pattern is named");
  if (!check_outputs (o, error))
    return FALSE;
  if (o->plan.each_frame && target)
    return refuse (error, "--frames and a target cannot be combined: a target "
        "is for the whole file");
  if (t->collection != NULL && !target)
    return refuse (error, "--collection has no effect without a target");
  if (t->collection != NULL && o->resume)
    return refuse (error, "--resume and --collection cannot be combined: make "
        "a table without --collection, then choose from it with --merge");
  if (t->encoders != NULL && t->subsampling != NULL)
    return refuse (error,
        "--chroma-subsampling has no effect with --encoder: R, G and B "
        "become the planes that --format names");
  if (o->merge && (t->transforms || t->quality || t->qp || t->all_settings
          || t->encoders || t->bitrate || t->formats || t->subsampling
          || o->plan.each_frame || o->plan.first_frame || o->plan.n_frames >= 0
          || o->resume || o->list || t->metrics || o->plan.coded))
    return refuse (error,
        "--merge measures nothing: it goes only with --csv, --json, --plot, "
        "--plot-metric, the targets and --collection");
  if (o->origin && (o->merge || o->list || o->csv || o->json || o->plot
          || o->write_jpeg || o->own_table))
    return refuse (error,
        "--origin measures nothing and prints what is known: it goes only with "
        "files and --stall-limit");
  if (o->own_table != NULL && (o->merge || o->list || o->csv || o->json
          || o->plot || target || t->encoders))
    return refuse (error, "--own-table measures nothing: it goes only with "
        "files, --quality, --write-jpeg, --format, --chroma-subsampling and "
        "--first-frame");
  if (o->write_jpeg != NULL && (o->merge || o->resume || t->encoders != NULL
          || (t->transforms != NULL
              && strcmp (t->transforms, "jpeg-8x8") != 0)))
    return refuse (error,
        "--write-jpeg uses jpeg-8x8: it does not go with another transform, "
        "--encoder, --merge or --resume");
  if (o->write_jpeg != NULL && !measure_write_jpeg_check (error))
    return FALSE;
  if (o->resume && ((o->csv != NULL) == (o->json != NULL)
          || strcmp (o->csv ? o->csv : o->json, "-") == 0))
    return refuse (error, "--resume continues one file: name it with either "
        "--csv or --json");
  if (o->resume && target && o->plot != NULL)
    return refuse (error, "--resume with a target has no curves for --plot");
  if (o->plan.first_frame < 0) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--first-frame=%" G_GINT64_FORMAT " is below 0", o->plan.first_frame);
    return FALSE;
  }
  if (o->plan.n_frames < -1 || o->plan.n_frames == 0) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--n-frames=%" G_GINT64_FORMAT " is below 1", o->plan.n_frames);
    return FALSE;
  }
  if (o->threads < 0 || o->threads > 1024) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--threads=%d is outside 0 to 1024", o->threads);
    return FALSE;
  }
  if (o->stall_limit < 0) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--stall-limit=%d is below 0", o->stall_limit);
    return FALSE;
  }
  if (t->plot_metric != NULL && o->plot == NULL)
    return refuse (error, "--plot-metric has no effect without --plot");
  return o->plot == NULL || measure_plot_check (o->plot, error);
}

static gboolean
find_backend (const gchar * name, gint * value, GError ** error)
{
  const GEnumValue *choices = gst_blockdct_backend_choices;
  GString *known = g_string_new (NULL);
  gboolean found = FALSE;

  for (guint i = 0; choices[i].value_nick != NULL; i++) {
    if (g_strcmp0 (choices[i].value_nick, name) == 0) {
      *value = choices[i].value;
      found = TRUE;
    }
    g_string_append_printf (known, "%s%s", i > 0 ? ", " : "",
        choices[i].value_nick);
  }
  if (!found)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--backend: '%s' is not one of %s", name, known->str);
  g_string_free (known, TRUE);
  return found;
}

/* Make the plan's settings. With --encoder and without --transform, there are
 * no transforms. */
static gboolean
make_settings (MeasureOptions * o, const Texts * t, GError ** error)
{
  const gchar *const numbers[ENCODER_N_SCALES] = {
    [ENCODER_QUALITY] = t->quality,
    [ENCODER_QP] = t->qp,
    [ENCODER_BITRATE] = t->bitrate,
  };
  gboolean used[ENCODER_N_SCALES] = { FALSE };
  gboolean encoders_use[ENCODER_N_SCALES];
  const gchar *transforms = t->transforms == NULL && t->encoders == NULL
      ? "jpeg-8x8" : t->transforms;

  o->plan.settings = measure_settings_new (transforms, numbers, t->all_settings
      || o->plot != NULL || measure_target_is_set (&o->target), used, error);
  if (o->plan.settings == NULL || (t->encoders != NULL
          && !measure_coder_check (error)))
    return FALSE;
  o->plan.encoders = measure_encoders_new (t->encoders, numbers, encoders_use,
      error);
  for (guint s = 0; o->plan.encoders != NULL && s < ENCODER_N_SCALES; s++)
    if (numbers[s] != NULL && !encoders_use[s] && !used[s]) {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          "--%s has no effect: none of the transforms%s has one%s",
          encoder_scale_name (s), t->encoders != NULL ? " and encoders" : "",
          s == ENCODER_BITRATE ? "; choose others with --encoder"
          : "; choose others with --transform");
      return FALSE;
    }
  return o->plan.encoders != NULL;
}

static gboolean
make_plan (MeasureOptions * o, const Texts * t, GError ** error)
{
  MeasurePlan *plan = &o->plan;

  if (!check_options (o, t, error)
      || !find_backend (t->backend ? t->backend : "auto", &o->backend, error)
      || !measure_find_subsampling (t->subsampling, &plan->subsampling, error)
      || !measure_metrics_parse (t->metrics, &plan->metrics, error)
      || !measure_metrics_find (t->plot_metric, &o->plot_metric, error)
      || !check_metric (o, "--plot-metric", o->plot_metric, error)
      || !measure_target_parse (t->collection, &o->target.collection, error)
      || !check_target_metrics (o, error))
    return FALSE;
  plan->coded |= o->target.limit[MEASURE_KEEP_SIZE] > 0.0;
  if (!make_settings (o, t, error))
    return FALSE;
  plan->formats = measure_formats_new (t->formats, error);
  return plan->formats != NULL;
}

gboolean
measure_options_parse (MeasureOptions * o, int *argc, char ***argv,
    GError ** error)
{
  Texts t = { 0 };
  gdouble *limit = o->target.limit;
  GOptionEntry entries[] = {
    {"transform", 't', 0, G_OPTION_ARG_STRING, &t.transforms,
        "Transforms, such as jpeg-8x8,hevc-16x16, or all (default jpeg-8x8; "
          "with --encoder none)", "LIST"},
    {"quality", 'q', 0, G_OPTION_ARG_STRING, &t.quality,
        "Qualities from 1 to 100, such as 75, 50,75,90 or 10-90:10 (default "
          "85; all with a target or --plot)", "RANGES"},
    {"qp", 0, 0, G_OPTION_ARG_STRING, &t.qp,
        "QPs from 0 to 51, written likewise (default 26; all with a target or "
          "--plot)", "RANGES"},
    {"encoder", 'e', 0, G_OPTION_ARG_STRING_ARRAY, &t.encoders,
        "A GStreamer encoder and its properties, such as x264enc or 'x265enc "
          "tune=psnr'; may be repeated", "LINE"},
    {"bitrate", 0, 0, G_OPTION_ARG_STRING, &t.bitrate,
        "Bitrates for encoders in kbit/s, written likewise", "RANGES"},
    {"all-settings", 'a', 0, G_OPTION_ARG_NONE, &t.all_settings,
        "All qualities and QPs, unless --quality or --qp names some", NULL},
    {"format", 'f', 0, G_OPTION_ARG_STRING, &t.formats,
        "Formats to convert to, such as I420,Y444 (the decoder's own)", "LIST"},
    {"chroma-subsampling", 0, 0, G_OPTION_ARG_STRING, &t.subsampling,
        "Chroma subsampling of R, G and B: 4:2:0 (default), 4:2:2, 4:4:0 or "
          "4:4:4", "NAME"},
    {"metrics", 'm', 0, G_OPTION_ARG_STRING, &t.metrics,
        "Perceptual metrics: ssim, ms-ssim, psnr-hvs, xpsnr, or all "
          "(default none)", "LIST"},
    {"exact-size", 0, 0, G_OPTION_ARG_NONE, &o->plan.coded,
        "Encode each frame at each setting of jpeg-8x8, for the exact size of "
          "its file (--target-size does so, too)", NULL},
    {"frames", 0, 0, G_OPTION_ARG_NONE, &o->plan.each_frame,
        "Also print a row for each frame", NULL},
    {"first-frame", 0, 0, G_OPTION_ARG_INT64, &o->plan.first_frame,
        "Begin with this frame of each file, counted from 0", "F"},
    {"n-frames", 'n', 0, G_OPTION_ARG_INT64, &o->plan.n_frames,
        "Measure at most N frames of each file", "N"},
    {"target-psnr", 0, 0, G_OPTION_ARG_DOUBLE, &limit[MEASURE_KEEP_PSNR],
        "Find the coarsest setting that reaches this PSNR", "DB"},
    {"target-ssim", 0, 0, G_OPTION_ARG_DOUBLE, &limit[MEASURE_KEEP_SSIM],
        "Find the coarsest setting that reaches this SSIM, 0 to 1", "SSIM"},
    {"target-bpp", 0, 0, G_OPTION_ARG_DOUBLE, &limit[MEASURE_KEEP_BPP],
        "Find the finest setting with at most BITS bits per luma sample; with "
          "a PSNR or SSIM, too, the coarsest that meets both", "BITS"},
    {"target-size", 0, 0, G_OPTION_ARG_DOUBLE, &limit[MEASURE_KEEP_SIZE],
        "Likewise with at most BYTES bytes per file", "BYTES"},
    {"collection", 0, 0, G_OPTION_ARG_STRING, &t.collection,
          "Find one setting for all files, at which the mean, min or a "
          "percentile (p1 to p99) over the files meets the targets",
        "STATISTIC"},
    {"csv", 0, 0, G_OPTION_ARG_FILENAME, &o->csv,
        "Write the rows as CSV; - is standard output", "FILE"},
    {"json", 0, 0, G_OPTION_ARG_FILENAME, &o->json,
        "Write the rows as lines of JSON; - is standard output", "FILE"},
    {"plot", 0, 0, G_OPTION_ARG_FILENAME, &o->plot,
        "Plot PSNR over bits to FILE.svg, FILE.png or FILE.pdf", "FILE"},
    {"write-jpeg", 0, 0, G_OPTION_ARG_FILENAME, &o->write_jpeg,
          "Write the picture as a JPEG file at the quality measured or chosen",
        "FILE"},
    {"own-table", 0, 0, G_OPTION_ARG_FILENAME, &o->own_table,
          "Measure nothing: write the quantization tables that give these "
          "pictures the fewest bits at the error of --quality, for cjpeg "
          "-qtables",
        "FILE"},
    {"plot-metric", 0, 0, G_OPTION_ARG_STRING, &t.plot_metric,
        "What --plot draws: psnr (default), or one of --metrics", "NAME"},
    {"resume", 0, 0, G_OPTION_ARG_NONE, &o->resume,
        "Skip files whose rows are already in the output", NULL},
    {"backend", 0, 0, G_OPTION_ARG_STRING, &t.backend,
        "cuda, cpu, or auto (default): all GPUs, else the CPU", "NAME"},
    {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads,
        "Threads of the CPU engine (0: one per processor)", "N"},
    {"stall-limit", 0, 0, G_OPTION_ARG_INT, &o->stall_limit,
        "How long to wait for a file or an encoder that stalls (default 120; "
          "0: no limit)", "SECONDS"},
    {"list", 0, 0, G_OPTION_ARG_NONE, &o->list,
        "Measure nothing: list the files and their number of frames, by their "
          "headers, as lines of JSON", NULL},
    {"merge", 0, 0, G_OPTION_ARG_NONE, &o->merge,
        "Measure nothing: read tables of --csv or --json, and add up the rows "
          "of each file's segments", NULL},
    {"origin", 0, 0, G_OPTION_ARG_NONE, &o->origin,
        "Measure nothing: print the JPEG file that each picture was decoded "
          "from, or why that is not known", NULL},
    {"quiet", 0, 0, G_OPTION_ARG_NONE, &o->quiet,
        "Show no progress bar and no notes on lossy pictures", NULL},
    {"version", 0, 0, G_OPTION_ARG_NONE, &o->version, "Print the version",
        NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->arguments,
        NULL, NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL}
  };
  GOptionContext *context = g_option_context_new
      ("FILE|FOLDER|PATTERN ... - what transforms and quantizers cost");
  gboolean ok;

  o->plan.n_frames = -1;
  o->stall_limit = 120;
  for (guint k = 0; k < MEASURE_N_KEEPS; k++)
    limit[k] = UNSET;
  g_option_context_set_description (context, "Example:\n"
      "  blockdct-measure shots/ film.mkv --quality 10-90:10 "
      "--csv table.csv\n");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, argc, argv, error);
  g_option_context_free (context);
  GST_DEBUG_CATEGORY_INIT (gst_blockdct_debug, "blockdct", 0, "block DCT");
  ok = ok && (o->version || make_plan (o, &t, error));
  g_free (t.transforms);
  g_free (t.quality);
  g_free (t.qp);
  g_free (t.bitrate);
  g_strfreev (t.encoders);
  g_free (t.formats);
  g_free (t.subsampling);
  g_free (t.backend);
  g_free (t.metrics);
  g_free (t.plot_metric);
  g_free (t.collection);
  return ok;
}

void
measure_options_clear (MeasureOptions * o)
{
  g_clear_pointer (&o->plan.settings, g_array_unref);
  g_clear_pointer (&o->plan.encoders, g_array_unref);
  g_clear_pointer (&o->plan.formats, g_array_unref);
  g_strfreev (o->arguments);
  g_free (o->csv);
  g_free (o->json);
  g_free (o->plot);
  g_free (o->write_jpeg);
  g_free (o->own_table);
}
