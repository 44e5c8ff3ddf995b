/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formats a frame's statistics as text. */
#include "gstblockdctstatsline.h"
#include "gstblockdctstructure.h"

#include <math.h>
#include <string.h>

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

/* Unknown times, and fields that a frame lacks, are `nothing`. */
static void
append_value (GString * line, const GValue * value, const gchar * nothing,
    gboolean json)
{
  if (value == NULL || (G_VALUE_HOLDS_UINT64 (value)
          && g_value_get_uint64 (value) == GST_CLOCK_TIME_NONE)
      || (G_VALUE_HOLDS_INT64 (value)
          && g_value_get_int64 (value) == G_MAXINT64)) {
    g_string_append (line, nothing);
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    if (json && !isfinite (g_value_get_double (value)))
      g_string_append (line, "null");
    else
      append_double (line, "%.17g", g_value_get_double (value));
  } else if (G_VALUE_HOLDS_STRING (value)) {
    gchar *text = g_strescape (g_value_get_string (value), NULL);

    g_string_append_printf (line, json ? "\"%s\"" : "%s", text);
    g_free (text);
  } else if (G_VALUE_HOLDS_BOOLEAN (value)) {
    g_string_append (line, g_value_get_boolean (value) ? "true" : "false");
  } else {
    /* Whole numbers, without their type. */
    gchar *text = gst_value_serialize (value);

    g_string_append (line, text);
    g_free (text);
  }
}

/* ffmpeg's columns, and fields. */
static const struct
{
  const gchar *column, *field;
} of_ffmpeg[] = {
  {"mse_avg", "mse"}, {"mse_y", "mse-y"}, {"mse_u", "mse-u"},
  {"mse_v", "mse-v"}, {"psnr_avg", "psnr"}, {"psnr_y", "psnr-y"},
  {"psnr_u", "psnr-u"}, {"psnr_v", "psnr-v"},
};

/* Append the names or the values of the columns that the frame has. */
static void
append_log (GString * line, const GstStructure * s, GstBlockDctColumns which,
    gboolean names)
{
  const GQuark *columns = gst_blockdct_structure_columns (which);

  for (; *columns != 0; columns++) {
    const GValue *value = gst_structure_id_get_value (s, *columns);
    gchar *name = g_strdelimit (g_strdup (g_quark_to_string (*columns)), "-",
        '_');

    if (value != NULL && names) {
      g_string_append_printf (line, ",%s", name);
    } else if (value != NULL) {
      g_string_append_printf (line, "%s:", name);
      if (which == GST_BLOCKDCT_COLUMNS_FIGURES)
        append_double (line, "%.6f", g_value_get_double (value));
      else
        append_value (line, value, "", FALSE);
      g_string_append_c (line, ' ');
    }
    g_free (name);
  }
}

/* The format of `ffmpeg -lavfi psnr=stats_file=...:stats_version=2`, followed
 * by metrics, errors of R, G and B, and bits, if the frame has them. */
static void
format_ffmpeg (GString * line, const GstStructure * s, gboolean first)
{
  const gboolean colour = gst_structure_has_field (s, "mse-u");
  guint64 index = 0;
  gdouble v;

  if (first) {
    g_string_append (line, "psnr_log_version:2 fields:n");
    for (guint i = 0; i < G_N_ELEMENTS (of_ffmpeg); i++)
      if (colour || i % 4 < 2)
        g_string_append_printf (line, ",%s", of_ffmpeg[i].column);
    append_log (line, s, GST_BLOCKDCT_COLUMNS_FIGURES, TRUE);
    append_log (line, s, GST_BLOCKDCT_COLUMNS_LOG, TRUE);
    g_string_append_c (line, '\n');
  }
  gst_structure_get_uint64 (s, "index", &index);
  g_string_append_printf (line, "n:%" G_GUINT64_FORMAT " ", index + 1);
  for (guint i = 0; i < G_N_ELEMENTS (of_ffmpeg); i++)
    if (gst_structure_get_double (s, of_ffmpeg[i].field, &v)) {
      g_string_append_printf (line, "%s:", of_ffmpeg[i].column);
      append_double (line, "%.2f", v);
      g_string_append_c (line, ' ');
    }
  append_log (line, s, GST_BLOCKDCT_COLUMNS_FIGURES, FALSE);
  append_log (line, s, GST_BLOCKDCT_COLUMNS_LOG, FALSE);
  g_string_append_c (line, '\n');
}

/* Append the columns' names or, with a frame, its values. */
static void
append_cells (GString * line, GstBlockDctColumns which, const GstStructure * s,
    const gchar * separator)
{
  const GQuark *columns = gst_blockdct_structure_columns (which);

  for (; *columns != 0; columns++, separator = ",") {
    g_string_append (line, separator);
    if (s == NULL)
      g_string_append (line, g_quark_to_string (*columns));
    else
      append_value (line, gst_structure_id_get_value (s, *columns), "", FALSE);
  }
}

/* A frame of blockdctcompare has one line for each pad. */
static void
format_csv (GString * line, const GstStructure * s, gboolean first)
{
  const GstBlockDctColumns which = gst_structure_has_field (s, "pad")
      ? GST_BLOCKDCT_COLUMNS_PADS : GST_BLOCKDCT_COLUMNS_CSV;

  for (gint i = first ? 0 : 1; i < 2; i++) {
    append_cells (line, which, i == 0 ? NULL : s, "");
    append_cells (line, GST_BLOCKDCT_COLUMNS_FIGURES, i == 0 ? NULL : s, ",");
    g_string_append_c (line, '\n');
  }
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
    {".log", format_ffmpeg}, {".csv", format_csv}, {".jsonl", format_json},
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
