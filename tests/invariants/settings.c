/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "invariants.h"

#include <string.h>

#define ROW "2,3,5,9,17,33,65,129,"
#define MAX_VALUES 12

typedef struct
{
  const gchar *name;
  const gchar *values[MAX_VALUES];      /* beside the default */
} Property;

static const Property of_blockdct[MAX_PROPERTIES] = {
  {"transform", {"dct-8x8", "hevc-dst-4x4", "hevc-4x4", "hevc-8x8",
              "hevc-16x16", "hevc-32x32", "h264-4x4", "h264-8x8", "vvc-64x64",
          "hevc-quadtree"}},
  {"quality", {"1", "30", "60", "100"}},
  {"qp", {"0", "12", "37", "51"}},
  {"chroma-qp-offset", {"-12", "5"}},
  {"deadzone", {"0.1667", "0.25"}},
  {"min-block", {"8", "32"}},
  {"max-block", {"8", "16"}},
  {"lambda-scale", {"0", "3"}},
  {"scaling-list", {"default"}},
  {"quantization-tables", {"flat", "robidoux", "matrix"}},
  {"quantization-matrix", {"<" ROW ROW ROW ROW ROW ROW ROW
              "2,3,5,9,17,33,65,300>"}},
  {"baseline", {"false"}},
  {"chroma-subsampling", {"4:2:2", "4:4:0", "4:4:4"}},
  {"metrics", {"ssim", "bits", "ssim+ms-ssim+psnr-hvs+xpsnr+bits"}},
  {"target-psnr", {"28", "40"}},
  {"target-ssim", {"0.9"}},
  {"target-size", {"300", "2000"}},
  {"target-bpp", {"1.5"}},
  {"view", {"original", "coefficients", "nonzero-map", "quality-map",
          "size-map", "error-map"}},
  {"grid", {"true"}},
  {"post-messages", {"false"}},
  {"interval", {"1", "40000000", "100000000"}},
  {"curve", {"<20,50>", "<1>"}},
  {"min-psnr-warning", {"30"}},
};

/* Without XPSNR, which looks at earlier frames, and is in the text. */
static const Property of_compare[MAX_PROPERTIES] = {
  {"metrics", {"ssim", "0", "psnr+ssim+ms-ssim+psnr-hvs"}},
  {"view", {"side-by-side", "stacked", "flicker", "difference", "single",
          "error-map", "ssim-map", "hvs-map"}},
  {"left", {"0", "1", "2"}},
  {"right", {"-1", "1", "2"}},
  {"wipe-position", {"0", "0.3", "1"}},
  {"difference-gain", {"0", "1", "64"}},
  {"zoom", {"1.5", "16"}},
  {"zoom-x", {"0", "1"}},
  {"zoom-y", {"0", "0.7"}},
  {"overlay", {"true"}},
  {"post-messages", {"false"}},
  {"interval", {"1", "40000000", "100000000"}},
  {"min-psnr-warning", {"30"}},
};

static const Property *const of_part[N_PARTS] =
    { of_blockdct, of_blockdct, of_compare };

const gchar *const subject_names[N_SUBJECTS] =
    { "blockdct", "blockdctcompare", "blockdctpreview" };

static guint
find (Part part, const gchar * name)
{
  guint i = 0;

  while (strcmp (of_part[part][i].name, name) != 0)
    i++;
  return i;
}

static const gchar *
value_of (const Settings * settings, Part part, guint i)
{
  const guint value = settings->value[part][i];

  return value == 0 ? NULL : of_part[part][i].values[value - 1];
}

void
settings_change (Settings * settings, Subject subject, guint64 property,
    guint64 value)
{
  const Part part = subject == TRANSFORM ? PART_A
      : subject == COMPARE ? PART_COMPARE : property % N_PARTS;
  guint n = 0, n_values = 0;

  property /= N_PARTS;
  while (n < MAX_PROPERTIES && of_part[part][n].name != NULL)
    n++;
  property %= n;
  while (n_values < MAX_VALUES
      && of_part[part][property].values[n_values] != NULL)
    n_values++;
  settings->value[part][property] = value % (n_values + 1);
}

void
settings_apply (const Settings * settings, const Settings * before, Part part,
    GstElement * element)
{
  for (guint i = 0; i < MAX_PROPERTIES && of_part[part][i].name != NULL; i++) {
    const gchar *name = of_part[part][i].name;
    const gchar *value = value_of (settings, part, i);

    if (settings->value[part][i] == (before ? before->value[part][i] : 0))
      continue;
    if (value != NULL)
      gst_util_set_object_arg (G_OBJECT (element), name, value);
    else
      g_object_set_property (G_OBJECT (element), name,
          g_param_spec_get_default_value (g_object_class_find_property
              (G_OBJECT_GET_CLASS (element), name)));
  }
}

void
settings_start (GstElement * element, guint threads, guint depth)
{
  const gchar *backend = g_getenv ("BLOCKDCT_TEST_BACKEND");

  gst_util_set_object_arg (G_OBJECT (element), "backend",
      backend != NULL ? backend : "cpu");
  g_object_set (element, "threads", threads, NULL);
  if (depth > 0)
    g_object_set (element, "async-depth", depth, NULL);
}

Report
settings_report (const Settings * settings, Part part)
{
  if (settings->value[part][find (part, "post-messages")] != 0)
    return SILENT;
  return settings->value[part][find (part, "interval")] == 0 ? EACH_FRAME
      : INTERVALS;
}

gchar *
settings_print (const Settings * settings, Part part)
{
  static const gchar *const prefix[] = { "a::", "b::", "compare::" };
  GString *s = g_string_new (NULL);

  for (guint i = 0; i < MAX_PROPERTIES && of_part[part][i].name; i++)
    if (value_of (settings, part, i) != NULL)
      g_string_append_printf (s, " %s%s=%.20s", prefix[part],
          of_part[part][i].name, value_of (settings, part, i));
  return g_string_free (s, FALSE);
}
