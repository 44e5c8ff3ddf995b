/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formats a frame's statistics as text. */
#include "gstblockdctstatsline.h"

#include <string.h>

#include <math.h>
#include <blockdct/blockdct.h>

/* Append a number in the C locale. */
static void
append_double (GString * line, const gchar * format, gdouble v)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isinf (v))
    g_string_append (line, v > 0 ? "inf" : "-inf");
  else
    g_string_append (line, g_ascii_formatd (text, sizeof text, format, v));
}

static void
append_ffmpeg (GString * line, const GstStructure * s, const gchar * name,
    const gchar * field)
{
  gdouble v;

  if (!gst_structure_get_double (s, field, &v))
    return;
  g_string_append_printf (line, "%s:", name);
  append_double (line, "%.2f", v);
  g_string_append_c (line, ' ');
}

/* Call `func` for each figure that a metric can have. */
static void
for_each_figure (void (*func) (GString * line, const GstStructure * s,
        const gchar * name, const gchar * field), GString * line,
    const GstStructure * s)
{
  for (guint m = 0; m < BDCT_N_METRICS; m++)
    for (guint c = 0; c <= BDCT_METRIC_ALL; c++) {
      const gchar *field = bdct_metric_info (m)->figure[c];
      gchar *name;

      if (field == NULL)
        continue;
      name = g_strdelimit (g_strdup (field), "-", '_');
      func (line, s, name, field);
      g_free (name);
    }
}

static void
append_name (GString * line, const GstStructure * s, const gchar * name,
    const gchar * field)
{
  if (gst_structure_has_field (s, field))
    g_string_append_printf (line, ",%s", name);
}

static void
append_figure (GString * line, const GstStructure * s, const gchar * name,
    const gchar * field)
{
  gdouble v;

  if (!gst_structure_get_double (s, field, &v))
    return;
  g_string_append_printf (line, "%s:", name);
  append_double (line, "%.6f", v);
  g_string_append_c (line, ' ');
}

/* Unknown times, and fields that a frame lacks, are empty. */
static void
append_value (GString * line, const GValue * value, const gchar * nothing,
    gboolean json)
{
  if (value == NULL) {
    g_string_append (line, nothing);
  } else if (G_VALUE_HOLDS_UINT64 (value)) {
    if (g_value_get_uint64 (value) == GST_CLOCK_TIME_NONE)
      g_string_append (line, nothing);
    else
      g_string_append_printf (line, "%" G_GUINT64_FORMAT,
          g_value_get_uint64 (value));
  } else if (G_VALUE_HOLDS_INT64 (value)) {
    if (g_value_get_int64 (value) == G_MAXINT64)
      g_string_append (line, nothing);
    else
      g_string_append_printf (line, "%" G_GINT64_FORMAT,
          g_value_get_int64 (value));
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    if (json && !isfinite (g_value_get_double (value)))
      g_string_append (line, "null");
    else
      append_double (line, "%.17g", g_value_get_double (value));
  } else if (G_VALUE_HOLDS_INT (value)) {
    g_string_append_printf (line, "%d", g_value_get_int (value));
  } else if (G_VALUE_HOLDS_UINT (value)) {
    g_string_append_printf (line, "%u", g_value_get_uint (value));
  } else if (G_VALUE_HOLDS_BOOLEAN (value)) {
    g_string_append (line, g_value_get_boolean (value) ? "true" : "false");
  } else {
    gchar *text = g_strescape (g_value_get_string (value), NULL);

    g_string_append_printf (line, json ? "\"%s\"" : "%s", text);
    g_free (text);
  }
}

/* Call `func` for each further figure that the frame has. */
static void
for_each_further (void (*func) (GString * line, const GstStructure * s,
        const gchar * name, const gchar * field), GString * line,
    const GstStructure * s)
{
  static const gchar *const fields[] = {
    "mse-rgb", "mse-r", "mse-g", "mse-b", "psnr-rgb", "psnr-r", "psnr-g",
    "psnr-b", "bits", "bits-y", "bits-u", "bits-v", "bits-optimized",
    "file-size", "file-size-optimized", "bits-estimated", "bits-estimated-y",
    "bits-estimated-u", "bits-estimated-v", "bpp"
  };

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    gchar *name = g_strdelimit (g_strdup (fields[i]), "-", '_');

    if (gst_structure_has_field (s, fields[i]))
      func (line, s, name, fields[i]);
    g_free (name);
  }
}

static void
append_further (GString * line, const GstStructure * s, const gchar * name,
    const gchar * field)
{
  g_string_append_printf (line, "%s:", name);
  append_value (line, gst_structure_get_value (s, field), "", FALSE);
  g_string_append_c (line, ' ');
}

/* The format of `ffmpeg -lavfi psnr=stats_file=...:stats_version=2`, followed
 * by metrics, errors of R, G and B, and bits, if the frame has them. */
static void
format_ffmpeg (GString * line, const GstStructure * s, gboolean first)
{
  gboolean colour = gst_structure_has_field (s, "mse-u");
  guint64 index = 0;

  if (first) {
    g_string_append (line, colour ? "psnr_log_version:2 fields:n,mse_avg,mse_y,"
        "mse_u,mse_v,psnr_avg,psnr_y,psnr_u,psnr_v"
        : "psnr_log_version:2 fields:n,mse_avg,mse_y,psnr_avg,psnr_y");
    for_each_figure (append_name, line, s);
    for_each_further (append_name, line, s);
    g_string_append_c (line, '\n');
  }
  gst_structure_get_uint64 (s, "index", &index);
  g_string_append_printf (line, "n:%" G_GUINT64_FORMAT " ", index + 1);
  append_ffmpeg (line, s, "mse_avg", "mse");
  append_ffmpeg (line, s, "mse_y", "mse-y");
  append_ffmpeg (line, s, "mse_u", "mse-u");
  append_ffmpeg (line, s, "mse_v", "mse-v");
  append_ffmpeg (line, s, "psnr_avg", "psnr");
  append_ffmpeg (line, s, "psnr_y", "psnr-y");
  append_ffmpeg (line, s, "psnr_u", "psnr-u");
  append_ffmpeg (line, s, "psnr_v", "psnr-v");
  for_each_figure (append_figure, line, s);
  for_each_further (append_further, line, s);
  g_string_append_c (line, '\n');
}

static void
append_column (GString * line, const GstStructure * s, const gchar * name,
    const gchar * field)
{
  (void) s;
  (void) name;
  g_string_append_printf (line, ",%s", field);
}

static void
append_cell (GString * line, const GstStructure * s, const gchar * name,
    const gchar * field)
{
  (void) name;
  g_string_append_c (line, ',');
  append_value (line, gst_structure_get_value (s, field), "", FALSE);
}

/* A frame's values in these columns, which end with NULL, and its metrics. */
static void
append_columns (GString * line, const GstStructure * s,
    const gchar * const *columns, gboolean first)
{
  for (guint i = 0; first && columns[i] != NULL; i++)
    g_string_append_printf (line, "%s%s", i ? "," : "", columns[i]);
  if (first) {
    for_each_figure (append_column, line, s);
    g_string_append_c (line, '\n');
  }
  for (guint i = 0; columns[i] != NULL; i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    append_value (line, gst_structure_get_value (s, columns[i]), "", FALSE);
  }
  for_each_figure (append_cell, line, s);
  g_string_append_c (line, '\n');
}

/* A frame of blockdctcompare has one line for each pad. */
static void
format_csv (GString * line, const GstStructure * s, gboolean first)
{
  static const gchar *const of_transform[] = {
    "index", "timestamp", "stream-time", "running-time", "duration", "mse",
    "mse-y", "mse-u", "mse-v", "psnr", "psnr-y", "psnr-u", "psnr-v",
    "identical", "nonzero", "transform", "quality", "qp", "backend", "bits",
    "bits-y", "bits-u", "bits-v", "bits-optimized", "file-size",
    "file-size-optimized", "bits-estimated", "bits-estimated-y",
    "bits-estimated-u", "bits-estimated-v", "bpp", "target-met", "regions",
    "mse-r", "mse-g", "mse-b", "mse-rgb", "psnr-r", "psnr-g", "psnr-b",
    "psnr-rgb", "area-4", "area-8", "area-16", "area-32", "deadzone", NULL
  };
  static const gchar *const of_pad[] = {
    "pad", "index", "timestamp", "stream-time", "running-time", "duration",
    "mse", "mse-y", "mse-u", "mse-v", "psnr", "psnr-y", "psnr-u", "psnr-v",
    "identical", "backend", "mse-r", "mse-g", "mse-b", "psnr-r", "psnr-g",
    "psnr-b", "mse-rgb", "psnr-rgb", "bits", "bits-headers", NULL
  };

  append_columns (line, s, gst_structure_has_field (s, "pad") ? of_pad
      : of_transform, first);
}

static gboolean
append_member (GQuark name, const GValue * value, gpointer data)
{
  GString *line = data;

  g_string_append_printf (line, "%s\"%s\":",
      line->str[line->len - 1] == '{' ? "" : ",", g_quark_to_string (name));
  append_value (line, value, "null", TRUE);
  return TRUE;
}

static void
format_json (GString * line, const GstStructure * s, gboolean first)
{
  (void) first;
  g_string_append_c (line, '{');
  gst_structure_foreach (s, append_member, line);
  g_string_append (line, "}\n");
}

GstBlockDctStatsFormat
gst_blockdct_stats_format (const gchar * path)
{
  static const struct
  {
    const gchar *ending;
    GstBlockDctStatsFormat format;
  } formats[] = {
    {".log", format_ffmpeg},
    {".csv", format_csv},
    {".jsonl", format_json},
  };
  GstBlockDctStatsFormat format = strcmp (path, "-") == 0 ? format_ffmpeg
      : NULL;
  gchar *lower = g_ascii_strdown (path, -1);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_has_suffix (lower, formats[i].ending))
      format = formats[i].format;
  g_free (lower);
  return format;
}
