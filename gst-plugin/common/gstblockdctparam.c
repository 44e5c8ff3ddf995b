/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctparam.h"
#include "gstblockdctbackend.h"

#define MAX_DB 200

GType
gst_blockdct_param_metrics (const gchar * name, GFlagsValue * values, guint n)
{
  for (gint i = 0; i < BDCT_N_METRICS; i++) {
    const BdctMetricInfo *info = bdct_metric_info (i);

    values[n + i] = (GFlagsValue) {
    1 << i, info->description, info->name};
  }
  return g_flags_register_static (name, values);
}

void
gst_blockdct_param_install (GObjectClass * klass, guint id, GParamSpec * pspec)
{
  if (G_IS_PARAM_SPEC_ENUM (pspec) || G_IS_PARAM_SPEC_FLAGS (pspec))
    gst_type_mark_as_plugin_api (pspec->value_type, 0);
  g_object_class_install_property (klass, id, pspec);
}

void
gst_blockdct_param_common (GstBlockDctInstall * install, GObjectClass * klass,
    gsize at)
{
#define AT(member) at + G_STRUCT_OFFSET (GstBlockDctCommon, member)
  install (klass, AT (post_messages), g_param_spec_boolean ("post-messages",
          "Post messages",
          "Post the figures as element messages; buffers carry them as a meta "
          "in any case", TRUE, LIVE));
  install (klass, AT (interval), g_param_spec_uint64 ("interval", "Interval",
          "Post one message for each interval of this length, with the figures "
          "of all its frames (ns; 0 = one per frame)", 0, G_MAXUINT64 - 1, 0,
          LIVE));
  install (klass, AT (min_psnr_error), g_param_spec_double ("min-psnr-error",
          "Minimum PSNR, error",
          "Stop with an error at the first frame whose PSNR is below this (dB; "
          "0 = off)", 0, MAX_DB, 0, LIVE));
  install (klass, AT (min_psnr_warning),
      g_param_spec_double ("min-psnr-warning", "Minimum PSNR, warning",
          "Warn when a frame's PSNR falls below this (dB; 0 = off)", 0, MAX_DB,
          0, LIVE));
  install (klass, AT (stats_file), g_param_spec_string ("stats-file",
          "Statistics file",
          "File to write each frame's figures to. Its ending chooses the "
          "format: .log (as ffmpeg's psnr filter), .csv or .jsonl; - is "
          "standard output, as .log", NULL, READY));
  install (klass, AT (backend), g_param_spec_enum ("backend", "Backend",
          "Where to compute; with cuda, it is an error if CUDA cannot run",
          gst_blockdct_backend_get_type (), GST_BLOCKDCT_BACKEND_AUTO, READY));
  install (klass, AT (device_id), g_param_spec_int ("cuda-device-id",
          "CUDA device ID",
          "GPU to run on (-1 = the GPU of the pipeline's CUDA context, or else "
          "the first)", -1, G_MAXINT, -1, READY));
  install (klass, AT (threads), g_param_spec_uint ("threads", "Threads",
          "Threads of the CPU engine (0 = one per processor); with CUDA, "
          "threads that copy pageable memory (0 = at most 4)", 0, 1024, 0,
          READY));
#undef AT
}

/* The names of a type in GType, C and GValue; strings are handled separately.
 * An enumeration is as large as an int. */
#define TYPES(TYPE) \
  TYPE (ENUM, gint, enum) \
  TYPE (FLAGS, guint, flags) \
  TYPE (INT, gint, int) \
  TYPE (BOOLEAN, gboolean, boolean) \
  TYPE (UINT, guint, uint) \
  TYPE (UINT64, guint64, uint64) \
  TYPE (DOUBLE, gdouble, double)

#define READ_VALUE(TYPE, type, name) \
    case G_TYPE_ ## TYPE: \
      *(type *) field = g_value_get_ ## name (value); \
      break;

void
gst_blockdct_param_set (gpointer field, const GValue * value)
{
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
      TYPES (READ_VALUE)
    case G_TYPE_STRING:
      g_free (*(gchar **) field);
      *(gchar **) field = g_value_dup_string (value);
  }
}

#define WRITE_VALUE(TYPE, type, name) \
    case G_TYPE_ ## TYPE: \
      g_value_set_ ## name (value, *(const type *) field); \
      break;

void
gst_blockdct_param_get (gconstpointer field, GValue * value)
{
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
      TYPES (WRITE_VALUE)
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar * const *) field);
  }
}

gint
gst_blockdct_param_get_int (GstElement * element, const gchar * property)
{
  gint value;

  g_object_get (element, property, &value, NULL);
  return value;
}
