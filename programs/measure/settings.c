/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.h"

#include <string.h>
#include "gst-plugin/common/gstblockdctformat.h"

#define MIN_QUALITY 1
#define MAX_QUALITY 100
#define MIN_QP 0
#define MAX_QP 51

EncoderScale
measure_scale (BdctTransform transform)
{
  return bdct_transform_info (transform)->has_qp
      ? ENCODER_QP : ENCODER_QUALITY;
}

gint
measure_setting (const BdctParams * params)
{
  return measure_scale (params->transform) == ENCODER_QP ? params->qp
      : params->quality;
}

BdctTransform
measure_find_transform (const gchar * name)
{
  guint t = 0;

  while (t < BDCT_N_TRANSFORMS
      && strcmp (name, bdct_transform_info (t)->name) != 0)
    t++;
  return t;
}

static gboolean
parse_number (const gchar * option, const gchar * text, gint min, gint max,
    gint * value, GError ** error)
{
  guint64 number;

  if (!g_ascii_string_to_unsigned (text, 10, min, max, &number, NULL)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "%s: '%s' is not a number from %d to %d", option, text, min, max);
    return FALSE;
  }
  *value = number;
  return TRUE;
}

/* FIRST, FIRST-LAST or FIRST-LAST:STEP. */
static gboolean
parse_range (const gchar * option, const gchar * text, gint min, gint max,
    GArray * numbers, GError ** error)
{
  gchar **range = g_strsplit (text, "-", 2);
  gchar **last = g_strsplit (range[0] && range[1] ? range[1] : "", ":", 2);
  gint from, to, step = 1;
  gboolean ok = parse_number (option, range[0] ? range[0] : "", min, max,
      &from, error);

  to = from;
  if (ok && range[1] != NULL)
    ok = parse_number (option, last[0] ? last[0] : "", min, max, &to, error)
        && (last[0] == NULL || last[1] == NULL
        || parse_number (option, last[1], 1, max, &step, error));
  if (ok && to < from) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "%s: the range %s ends before it begins", option, text);
    ok = FALSE;
  }
  for (gint i = from; ok && i <= to; i += step)
    g_array_append_val (numbers, i);
  g_strfreev (range);
  g_strfreev (last);
  return ok;
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  const gint *p = a, *q = b;

  return (*p > *q) - (*p < *q);
}

GArray *
measure_numbers_new (const gchar * option, const gchar * text, gint min,
    gint max, GError ** error)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (gint));
  gchar **ranges = g_strsplit (text, ",", -1);
  gboolean ok = TRUE;

  if (ranges[0] == NULL)
    ok = parse_range (option, "", min, max, numbers, error);
  for (gchar ** r = ranges; ok && *r != NULL; r++)
    ok = parse_range (option, *r, min, max, numbers, error);
  g_strfreev (ranges);
  if (!ok) {
    g_array_unref (numbers);
    return NULL;
  }
  g_array_sort (numbers, compare_numbers);
  for (guint i = numbers->len - 1; i > 0; i--)
    if (g_array_index (numbers, gint, i) == g_array_index (numbers, gint,
            i - 1))
      g_array_remove_index (numbers, i);
  return numbers;
}

static gboolean
parse_transforms (const gchar * text, gboolean chosen[BDCT_N_TRANSFORMS],
    GError ** error)
{
  gchar **names = g_strsplit (text, ",", -1);
  gboolean ok = names[0] != NULL;

  for (gchar ** name = names; ok && *name != NULL; name++) {
    BdctTransform t = measure_find_transform (*name);

    if (t < BDCT_N_TRANSFORMS)
      chosen[t] = TRUE;
    else if (strcmp (*name, "all") == 0)
      for (t = 0; t < BDCT_N_TRANSFORMS; t++)
        chosen[t] = TRUE;
    else
      ok = FALSE;
  }
  if (!ok) {
    GString *known = g_string_new ("all");

    for (guint t = 0; t < BDCT_N_TRANSFORMS; t++)
      g_string_append_printf (known, ", %s", bdct_transform_info (t)->name);
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--transform: '%s' is not a list of names from %s", text, known->str);
    g_string_free (known, TRUE);
  }
  g_strfreev (names);
  return ok;
}

GArray *
measure_settings_new (const gchar * transforms, const gchar * const numbers[2],
    gboolean whole, gboolean used[2], GError ** error)
{
  static const BdctParams defaults = BDCT_PARAMS_DEFAULT;
  const struct
  {
    const gchar *option;
    gint min, max, value;
  } scales[] = {
    [ENCODER_QUALITY] = {"--quality", MIN_QUALITY, MAX_QUALITY,
        defaults.quality},
    [ENCODER_QP] = {"--qp", MIN_QP, MAX_QP, defaults.qp},
  };
  gboolean chosen[BDCT_N_TRANSFORMS] = { FALSE }, ok;
  GArray *lists[2] = { NULL }, *settings;

  used[ENCODER_QUALITY] = used[ENCODER_QP] = FALSE;
  ok = transforms == NULL || parse_transforms (transforms, chosen, error);
  for (guint t = 0; t < BDCT_N_TRANSFORMS; t++)
    if (chosen[t])
      used[measure_scale (t)] = TRUE;
  for (guint i = 0; ok && i < G_N_ELEMENTS (scales); i++) {
    gint min = scales[i].min, max = scales[i].max;
    gchar *text = used[i] && numbers[i] != NULL ? g_strdup (numbers[i])
        : whole ? g_strdup_printf ("%d-%d", min, max)
        : g_strdup_printf ("%d", scales[i].value);

    lists[i] = measure_numbers_new (scales[i].option, text, min, max, error);
    ok = lists[i] != NULL;
    g_free (text);
  }

  settings = g_array_new (FALSE, FALSE, sizeof (BdctParams));
  for (guint t = 0; ok && t < BDCT_N_TRANSFORMS; t++) {
    const GArray *list = lists[measure_scale (t)];

    for (guint i = 0; chosen[t] && i < list->len; i++) {
      BdctParams params = defaults;

      params.transform = t;
      *(measure_scale (t) == ENCODER_QP ? &params.qp : &params.quality) =
          g_array_index (list, gint, i);
      g_array_append_val (settings, params);
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    g_clear_pointer (&lists[i], g_array_unref);
  if (!ok)
    g_clear_pointer (&settings, g_array_unref);
  return settings;
}

/* Formats */

static void
free_list (GValue * list)
{
  g_value_unset (list);
  g_free (list);
}

static GstVideoFormat
get_format (const GValue * list, guint i)
{
  return gst_video_format_from_string (g_value_get_string
      (gst_value_list_get_value (list, i)));
}

static gboolean
is_rgb (GstVideoFormat format)
{
  return GST_VIDEO_FORMAT_INFO_IS_RGB (gst_video_format_get_info (format));
}

/* The names of the formats that the element takes; with `rgb`, also those of R,
 * G and B. */
static GValue *
list_formats (gboolean rgb)
{
  GstCaps *caps = gst_blockdct_format_caps ();
  /* System memory comes last. */
  const GValue *all = gst_structure_get_value (gst_caps_get_structure (caps,
          gst_caps_get_size (caps) - 1), "format");
  GValue *list = g_new0 (GValue, 1);

  g_value_init (list, GST_TYPE_LIST);
  for (guint i = 0; i < gst_value_list_get_size (all); i++)
    if (rgb || !is_rgb (get_format (all, i)))
      gst_value_list_append_value (list, gst_value_list_get_value (all, i));
  gst_caps_unref (caps);
  return list;
}

GArray *
measure_formats_new (const gchar * names, GError ** error)
{
  GArray *formats = g_array_new (FALSE, FALSE, sizeof (GstVideoFormat));
  gchar **all = g_strsplit (names != NULL ? names : "", ",", -1);
  GValue *known = list_formats (FALSE);
  gboolean ok = names == NULL || all[0] != NULL;

  for (gchar ** name = all; ok && *name != NULL; name++) {
    GstVideoFormat format = gst_video_format_from_string (*name);
    guint i = 0;

    while (i < gst_value_list_get_size (known)
        && get_format (known, i) != format)
      i++;
    ok = i < gst_value_list_get_size (known);
    for (i = 0; ok && i < formats->len; i++)
      ok = g_array_index (formats, GstVideoFormat, i) != format;
    g_array_append_val (formats, format);
  }
  if (!ok) {
    gchar *text = gst_value_serialize (known);

    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--format: '%s' is not a list of different formats from %s", names,
        text);
    g_free (text);
    g_clear_pointer (&formats, g_array_unref);
  }
  g_strfreev (all);
  free_list (known);
  return formats;
}

/* log2 of a format's subsampling; that of R, G and B is the one that most JPEG
 * files have. -1: no chroma. */
static void
get_sampling (const GstVideoFormatInfo * format, gint sampling[2])
{
  gboolean rgb = GST_VIDEO_FORMAT_INFO_IS_RGB (format);

  if (GST_VIDEO_FORMAT_INFO_IS_GRAY (format)) {
    sampling[0] = sampling[1] = -1;
  } else {
    sampling[0] = rgb ? 1 : MIN (GST_VIDEO_FORMAT_INFO_W_SUB (format, 1), 1);
    sampling[1] = rgb ? 1 : MIN (GST_VIDEO_FORMAT_INFO_H_SUB (format, 1), 1);
  }
}

GstVideoFormat
measure_choose_format (const GstVideoInfo * decoded, gboolean planes)
{
  GstVideoFormat best = GST_VIDEO_FORMAT_UNKNOWN;
  gint depth = GST_VIDEO_INFO_COMP_DEPTH (decoded, 0), best_depth = 0;
  GValue *known = list_formats (!planes);
  gint wanted[2];

  get_sampling (decoded->finfo, wanted);
  for (guint i = 0; i < gst_value_list_get_size (known); i++) {
    GstVideoFormat format = get_format (known, i);
    const GstVideoFormatInfo *info = gst_video_format_get_info (format);
    gint sampling[2], d = GST_VIDEO_FORMAT_INFO_DEPTH (info, 0);

    if (format == GST_VIDEO_INFO_FORMAT (decoded)) {
      best = format;
      break;
    }
    if (is_rgb (format))
      continue;
    get_sampling (info, sampling);
    /* Choose a planar format with the least depth that is not below the
     * picture's, else with the greatest depth. */
    if (memcmp (sampling, wanted, sizeof wanted) == 0
        && GST_VIDEO_FORMAT_INFO_N_PLANES (info)
        == GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info)
        && (best_depth < depth ? d > best_depth
            : d >= depth && d < best_depth)) {
      best = format;
      best_depth = d;
    }
  }
  free_list (known);
  return best;
}

static const struct
{
  const gchar *name, *row;
  BdctChromaFormat subsampling;
} subsamplings[] = {
  {"4:2:0", "RGB 4:2:0", BDCT_CHROMA_420},
  {"4:2:2", "RGB 4:2:2", BDCT_CHROMA_422},
  {"4:4:0", "RGB 4:4:0", BDCT_CHROMA_440},
  {"4:4:4", "RGB 4:4:4", BDCT_CHROMA_444},
};

gboolean
measure_find_subsampling (const gchar * name, BdctChromaFormat * subsampling,
    GError ** error)
{
  for (guint i = 0; i < G_N_ELEMENTS (subsamplings); i++)
    if (name == NULL || strcmp (name, subsamplings[i].name) == 0) {
      *subsampling = subsamplings[i].subsampling;
      return TRUE;
    }
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--chroma-subsampling: '%s' is not one of 4:2:0, 4:2:2, 4:4:0, 4:4:4",
      name);
  return FALSE;
}

const gchar *
measure_format_name (GstVideoFormat format, BdctChromaFormat subsampling)
{
  for (guint i = 0; is_rgb (format) && i < G_N_ELEMENTS (subsamplings); i++)
    if (subsampling == subsamplings[i].subsampling)
      return subsamplings[i].row;
  return gst_video_format_to_string (format);
}
