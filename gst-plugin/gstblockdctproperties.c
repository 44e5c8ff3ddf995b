/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element's properties: a row in `fields` says where a value is among the
 * settings, and a block below what it means. */
#include "gstblockdct.h"

#include <string.h>
#include "gstblockdcttables.h"

enum
{
  PROP_0,
  PROP_TRANSFORM,
  PROP_QUALITY,
  PROP_QP,
  PROP_CHROMA_QP_OFFSET,
  PROP_SCALING_LIST,
  PROP_SCALING_LIST_FILE,
  PROP_QUANTIZATION_MATRIX,
  PROP_QUANTIZATION_FILE,
  PROP_QUANTIZATION_SCALE,
  PROP_QUANTIZATION_PRESET,
  PROP_BASELINE,
  PROP_CHROMA_SUBSAMPLING,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_THREADS,
  PROP_ASYNC_DEPTH,
  PROP_POST_MESSAGES,
  PROP_INTERVAL,
  PROP_RATE,
  PROP_METRICS,
  PROP_CURVE,
  PROP_TARGET_PSNR,
  PROP_TARGET_SSIM,
  PROP_TARGET_BPP,
  PROP_TARGET_SIZE,
  PROP_MIN_PSNR_ERROR,
  PROP_MIN_PSNR_WARNING,
  PROP_VIEW,
  PROP_WIPE_POSITION,
  PROP_DIFFERENCE_GAIN,
  PROP_GRID,
  PROP_OVERLAY,
  PROP_INTERACTIVE,
  PROP_KEEP_FRAME,
  PROP_STATS_FILE,
  PROP_STATS,
  PROP_ACTIVE_BACKEND,
  N_PROPERTIES
};

G_STATIC_ASSERT (N_PROPERTIES <= GST_BLOCKDCT_MAX_PROPERTIES);

#define OFFSET(member) G_STRUCT_OFFSET (GstBlockDctSettings, member)
#define SIZE(member) sizeof (((GstBlockDctSettings *) NULL)->member)
#define FIELD(member) {OFFSET (member), SIZE (member), FALSE, TRUE}
#define QUIET_FIELD(member) {OFFSET (member), SIZE (member), FALSE, FALSE}
#define READY_FIELD(member) {OFFSET (member), SIZE (member), TRUE, FALSE}

/* From the number of steps to the last of them. */
typedef struct
{
  gint n_steps;
  gint steps[G_N_ELEMENTS (((BdctParams *) NULL)->steps)];
} Matrix;

G_STATIC_ASSERT (G_STRUCT_OFFSET (BdctParams, steps)
    - G_STRUCT_OFFSET (BdctParams, n_steps) == G_STRUCT_OFFSET (Matrix, steps));

static const GstBlockDctField fields[N_PROPERTIES] = {
  [PROP_TRANSFORM] = FIELD (params.transform),
  [PROP_QUALITY] = FIELD (params.quality),
  [PROP_QP] = FIELD (params.qp),
  [PROP_CHROMA_QP_OFFSET] = FIELD (params.chroma_qp_offset),
  [PROP_SCALING_LIST] = FIELD (params.scaling_list),
  [PROP_SCALING_LIST_FILE] = FIELD (params.lists),
  [PROP_QUANTIZATION_MATRIX] = {OFFSET (params.n_steps), sizeof (Matrix),
      FALSE, TRUE},
  [PROP_QUANTIZATION_FILE] = FIELD (params.tables),
  [PROP_QUANTIZATION_SCALE] = FIELD (params.scale_tables),
  [PROP_QUANTIZATION_PRESET] = FIELD (params.preset),
  [PROP_BASELINE] = FIELD (params.baseline),
  [PROP_CHROMA_SUBSAMPLING] = FIELD (subsampling),
  [PROP_BACKEND] = READY_FIELD (backend),
  [PROP_CUDA_DEVICE_ID] = READY_FIELD (device_id),
  [PROP_THREADS] = READY_FIELD (threads),
  [PROP_ASYNC_DEPTH] = READY_FIELD (async_depth),
  [PROP_POST_MESSAGES] = QUIET_FIELD (post_messages),
  [PROP_INTERVAL] = QUIET_FIELD (interval),
  [PROP_RATE] = FIELD (rate),
  [PROP_METRICS] = FIELD (metrics),
  [PROP_CURVE] = FIELD (curve),
  [PROP_TARGET_PSNR] = FIELD (targets.psnr),
  [PROP_TARGET_SSIM] = FIELD (targets.ssim),
  [PROP_TARGET_BPP] = FIELD (targets.bpp),
  [PROP_TARGET_SIZE] = FIELD (targets.size),
  [PROP_MIN_PSNR_ERROR] = QUIET_FIELD (min_psnr_error),
  [PROP_MIN_PSNR_WARNING] = QUIET_FIELD (min_psnr_warning),
  [PROP_VIEW] = FIELD (view),
  [PROP_WIPE_POSITION] = FIELD (wipe_position),
  [PROP_DIFFERENCE_GAIN] = FIELD (difference_gain),
  [PROP_GRID] = FIELD (grid),
  [PROP_OVERLAY] = FIELD (overlay),
  [PROP_INTERACTIVE] = QUIET_FIELD (interactive),
  [PROP_KEEP_FRAME] = QUIET_FIELD (keep_frame),
};

static const BdctParams default_params = BDCT_PARAMS_DEFAULT;
static const BdctView default_view = BDCT_VIEW_DEFAULT;

static void (*parent_dispatch) (GObject * object, guint n_pspecs,
    GParamSpec ** pspecs);

static GType
transform_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static GEnumValue values[BDCT_N_TRANSFORMS + 1];

    for (gint i = 0; i < BDCT_N_TRANSFORMS; i++) {
      const BdctTransformInfo *info = bdct_transform_info (i);

      values[i] = (GEnumValue) {
      i, info->description, info->name};
    }
    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctTransform", values));
  }
  return type;
}

static GType
scaling_list_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static const GEnumValue values[] = {
      {BDCT_SCALING_FLAT, "16 for every coefficient", "flat"},
      {BDCT_SCALING_DEFAULT, "the standard's default intra lists", "default"},
      {BDCT_SCALING_FILE, "those of scaling-list-file", "file"},
      {0, NULL, NULL}
    };

    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctScalingList", values));
  }
  return type;
}

static GType
preset_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static GEnumValue values[BDCT_N_PRESETS + 1];

    for (gint i = 0; i < BDCT_N_PRESETS; i++) {
      const BdctPresetInfo *info = bdct_preset_info (i);

      values[i] = (GEnumValue) {
      i, info->description, info->name};
    }
    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctQuantizationPreset", values));
  }
  return type;
}

static GType
subsampling_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static const GEnumValue values[] = {
      {BDCT_CHROMA_420, "U and V half as wide and half as high", "4:2:0"},
      {BDCT_CHROMA_422, "U and V half as wide", "4:2:2"},
      {BDCT_CHROMA_440, "U and V half as high", "4:4:0"},
      {BDCT_CHROMA_444, "U and V as large as Y", "4:4:4"},
      {0, NULL, NULL}
    };

    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctChromaSubsampling", values));
  }
  return type;
}

static GType
metrics_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static GFlagsValue values[BDCT_N_METRICS + 1];

    for (gint i = 0; i < BDCT_N_METRICS; i++) {
      const BdctMetricInfo *info = bdct_metric_info (i);

      values[i] = (GFlagsValue) {
      1 << i, info->description, info->name};
    }
    g_once_init_leave (&type,
        g_flags_register_static ("GstBlockDctMetrics", values));
  }
  return type;
}

GstBlockDctSettings
gst_blockdct_get_settings (GstBlockDct * self)
{
  GstBlockDctSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->changes.current;
  GST_OBJECT_UNLOCK (self);
  return settings;
}

/* What is checked with the whole group is set if some stream allows it. */
static void
set_checked (GstBlockDct * self, guint id, GstBlockDctChecked which,
    gconstpointer value, gboolean ok, const BdctError * error)
{
  if (ok)
    gst_blockdct_changes_set (&self->changes, GST_ELEMENT (self), id,
        &fields[id], value);
  else
    gst_blockdct_changes_warn (&self->changes, GST_ELEMENT (self), which,
        error);
}

static void
set_matrix (GstBlockDct * self, const GValue * value)
{
  guint n = gst_value_array_get_size (value);
  Matrix matrix = {.n_steps = n };
  BdctError error, reason;
  gboolean ok;

  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (matrix.steps)); i++) {
    const GValue *v = gst_value_array_get_value (value, i);

    matrix.steps[i] = G_VALUE_HOLDS_INT (v) ? g_value_get_int (v) : 0;
  }
  ok = bdct_steps_check (matrix.steps, n, BDCT_DCT_8X8, 0, FALSE, &reason)
      || bdct_error (&error, "quantization-matrix: %s", reason.message);
  set_checked (self, PROP_QUANTIZATION_MATRIX, GST_BLOCKDCT_STEPS, &matrix,
      ok, &error);
}

static void
set_tables (GstBlockDct * self, const gchar * path)
{
  BdctTables tables;
  BdctError error;
  gboolean ok = gst_blockdct_tables_read (path, &tables, &error);

  set_checked (self, PROP_QUANTIZATION_FILE, GST_BLOCKDCT_STEPS, &tables, ok,
      &error);
}

static void
set_lists (GstBlockDct * self, const gchar * path)
{
  BdctScalingLists lists;
  BdctError error;
  gboolean ok = gst_blockdct_lists_read (path, &lists, &error);

  set_checked (self, PROP_SCALING_LIST_FILE, GST_BLOCKDCT_SCALING, &lists, ok,
      &error);
}

static void
append_int (GValue * array, gint n)
{
  GValue v = G_VALUE_INIT;

  g_value_init (&v, G_TYPE_INT);
  g_value_set_int (&v, n);
  gst_value_array_append_and_take_value (array, &v);
}

static void
get_matrix (const Matrix * matrix, GValue * value)
{
  for (gint i = 0; i < matrix->n_steps; i++)
    append_int (value, matrix->steps[i]);
}

static gboolean
is_all (const GValue * v)
{
  return G_VALUE_HOLDS_STRING (v)
      && g_strcmp0 (g_value_get_string (v), "all") == 0;
}

static void
set_curve (GstBlockDct * self, const GValue * value)
{
  guint n = gst_value_array_get_size (value);
  GstBlockDctCurve curve = {.n = n };
  BdctError error;
  gboolean ok = TRUE;

  if (n == 1 && is_all (gst_value_array_get_value (value, 0))) {
    curve.n = -1;
    n = 0;
  }
  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (curve.setting)) && ok; i++) {
    const GValue *v = gst_value_array_get_value (value, i);

    ok = G_VALUE_HOLDS_INT (v)
        || bdct_error (&error, "what is at index %u is no whole number", i);
    curve.setting[i] = ok ? g_value_get_int (v) : 0;
  }
  ok = ok && gst_blockdct_sweep_check (&curve, BDCT_N_TRANSFORMS, &error);
  set_checked (self, PROP_CURVE, GST_BLOCKDCT_CURVE, &curve, ok, &error);
}

static void
get_curve (const GstBlockDctCurve * curve, GValue * value)
{
  GValue all = G_VALUE_INIT;

  for (gint i = 0; i < curve->n; i++)
    append_int (value, curve->setting[i]);
  if (curve->n >= 0)
    return;
  g_value_init (&all, G_TYPE_STRING);
  g_value_set_static_string (&all, "all");
  gst_value_array_append_and_take_value (value, &all);
}

/* The types of what is among the settings, as GType, C and GValue name them.
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

static gboolean
set_stats_path (GstBlockDct * self, const gchar * path)
{
  gboolean ok;

  GST_OBJECT_LOCK (self);
  ok = !self->changes.started || g_strcmp0 (path, self->stats_path) == 0;
  if (ok && !self->changes.started) {
    g_free (self->stats_path);
    self->stats_path = g_strdup (path);
  }
  GST_OBJECT_UNLOCK (self);
  return ok;
}

/* What is set is in force, or refused aloud. */
static void
refuse (GstBlockDct * self, const gchar * name)
{
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("%s was not changed: it is read when the element starts.", name),
      ("Set it up to the READY state."));
}

static void
set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstBlockDct *self = GST_BLOCKDCT (object);
  guint64 space;
  gpointer field = &space;

  switch (G_TYPE_FUNDAMENTAL (G_PARAM_SPEC_VALUE_TYPE (pspec))) {
      TYPES (READ_VALUE)
    case G_TYPE_STRING:
      if (id == PROP_QUANTIZATION_FILE)
        set_tables (self, g_value_get_string (value));
      else if (id == PROP_SCALING_LIST_FILE)
        set_lists (self, g_value_get_string (value));
      else if (!set_stats_path (self, g_value_get_string (value)))
        refuse (self, pspec->name);
      return;
    default:
      if (id == PROP_CURVE)
        set_curve (self, value);
      else
        set_matrix (self, value);
      return;
  }
  if (!gst_blockdct_changes_set (&self->changes, GST_ELEMENT (self), id,
          &fields[id], field))
    refuse (self, pspec->name);
}

#define WRITE_VALUE(TYPE, type, name) \
    case G_TYPE_ ## TYPE: \
      g_value_set_ ## name (value, *(const type *) field); \
      break;

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  GstBlockDct *self = GST_BLOCKDCT (object);
  gconstpointer field = (const guint8 *) &self->changes.wanted
      + fields[id].offset;

  GST_OBJECT_LOCK (self);
  switch (G_TYPE_FUNDAMENTAL (G_PARAM_SPEC_VALUE_TYPE (pspec))) {
      TYPES (WRITE_VALUE)
    case G_TYPE_STRING:
      if (id == PROP_QUANTIZATION_FILE)
        g_value_set_string (value,
            g_quark_to_string (((const BdctTables *) field)->name));
      else if (id == PROP_SCALING_LIST_FILE)
        g_value_set_string (value,
            g_quark_to_string (((const BdctScalingLists *) field)->name));
      else
        g_value_set_string (value, id == PROP_STATS_FILE ? self->stats_path
            : self->active_backend);
      break;
    case G_TYPE_BOXED:
      if (id == PROP_STATS)
        g_value_take_boxed (value, gst_blockdct_report_stats (&self->totals));
      break;
    default:
      if (id == PROP_CURVE)
        get_curve (field, value);
      else
        get_matrix (field, value);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

/* The properties of the quantizers, and whose. */
static const struct
{
  guint id;
  const gchar *name, *transforms;
} quantizers[] = {
  {PROP_QUALITY, "quality", "jpeg-8x8 and dct-8x8"},
  {PROP_QP, "qp", "all transforms but jpeg-8x8 and dct-8x8"},
  {PROP_CHROMA_QP_OFFSET, "chroma-qp-offset",
      "all transforms but jpeg-8x8 and dct-8x8"},
  {PROP_SCALING_LIST, "scaling-list", "hevc-* and vvc-64x64"},
  {PROP_SCALING_LIST_FILE, "scaling-list-file",
      "hevc-* and vvc-64x64, with scaling-list=file"},
  {PROP_QUANTIZATION_MATRIX, "quantization-matrix", "jpeg-8x8 and dct-8x8"},
  {PROP_QUANTIZATION_FILE, "quantization-file", "jpeg-8x8 and dct-8x8"},
  {PROP_QUANTIZATION_SCALE, "quantization-scale", "jpeg-8x8 and dct-8x8"},
  {PROP_QUANTIZATION_PRESET, "quantization-preset", "jpeg-8x8 and dct-8x8"},
  {PROP_BASELINE, "baseline", "jpeg-8x8 and dct-8x8"},
};

static gboolean
has_effect (guint id, const BdctParams * params)
{
  BdctFamily family = bdct_transform_info (params->transform)->family;

  switch (id) {
    case PROP_QP:
    case PROP_CHROMA_QP_OFFSET:
      return bdct_family_has_qp (family);
    case PROP_SCALING_LIST:
      return family == BDCT_FAMILY_HEVC;
    case PROP_SCALING_LIST_FILE:
      return (family == BDCT_FAMILY_HEVC
          && params->scaling_list == BDCT_SCALING_FILE)
          || !bdct_scaling_is_set (&params->lists);
    case PROP_QUANTIZATION_MATRIX:
      return !bdct_family_has_qp (family) || params->n_steps == 0;
    case PROP_QUANTIZATION_FILE:
      return !bdct_family_has_qp (family) || params->tables.n_steps == 0;
    default:
      return !bdct_family_has_qp (family);
  }
}

void
gst_blockdct_tell_idle (GstBlockDct * self, const BdctParams * params)
{
  const gchar *transform = bdct_transform_info (params->transform)->name;
  guint *told = &self->told_idle[params->transform], idle = 0;

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < G_N_ELEMENTS (quantizers); i++)
    if (gst_blockdct_changes_was_set (&self->changes, quantizers[i].id)
        && !has_effect (quantizers[i].id, params))
      idle |= 1 << i;
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < G_N_ELEMENTS (quantizers); i++)
    if (idle & ~*told & 1 << i)
      GST_ELEMENT_INFO (self, LIBRARY, SETTINGS,
          ("%s has no effect with transform=%s%s.", quantizers[i].name,
              transform, quantizers[i].id == PROP_SCALING_LIST_FILE
              ? " and this scaling-list" : ""),
          ("%s is for %s.", quantizers[i].name,
              quantizers[i].transforms));
  *told |= idle;
}

void
gst_blockdct_tell_subsampling (GstBlockDct * self)
{
  gboolean set;

  if (self->told_subsampling || GST_VIDEO_INFO_IS_RGB (&self->info))
    return;
  GST_OBJECT_LOCK (self);
  set = gst_blockdct_changes_was_set (&self->changes, PROP_CHROMA_SUBSAMPLING);
  GST_OBJECT_UNLOCK (self);
  if (set)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("chroma-subsampling has no effect on %s.",
            GST_VIDEO_INFO_NAME (&self->info)),
        ("It is for R, G and B; frames of Y, U and V have a subsampling of "
            "their own."));
  self->told_subsampling = set;
}

static void
dispatch_properties_changed (GObject * object, guint n_pspecs,
    GParamSpec ** pspecs)
{
  gboolean shown;

  n_pspecs = gst_blockdct_changes_take (&GST_BLOCKDCT (object)->changes,
      GST_ELEMENT (object), n_pspecs, pspecs, &shown);
  if (shown)
    gst_blockdct_repeat_ask (GST_BLOCKDCT (object));
  if (n_pspecs > 0)
    parent_dispatch (object, n_pspecs, pspecs);
}

void
gst_blockdct_init_properties (GstBlockDct * self)
{
  const GstBlockDctSettings initial = {
    .params = default_params,
    .subsampling = BDCT_CHROMA_420,
    .backend = GST_BLOCKDCT_BACKEND_AUTO,
    .device_id = -1,
    .async_depth = 1,
    .post_messages = TRUE,
    .view = default_view.mode,
    .wipe_position = default_view.position,
    .difference_gain = default_view.gain,
  };

  gst_blockdct_changes_init (&self->changes, &initial);
}

#define BASE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define READY (BASE | GST_PARAM_MUTABLE_READY)
#define PLAYING (BASE | GST_PARAM_MUTABLE_PLAYING)
#define LIVE (PLAYING | GST_PARAM_CONTROLLABLE)
/* Both beyond what a frame can have: levels of 16 bits, or one sample of the
 * largest picture that differs by 1. */
#define MAX_BPP 1000
#define MAX_DB 200
#define READ (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

/* What is done to a frame. */
static void
install_params (GObjectClass * klass)
{
  /**
   * GstBlockDct:transform:
   *
   * The block transform, and the quantizer and the arithmetic that go with it.
   * All of them take samples, where a video encoder takes what its prediction
   * leaves; the DST is made for that and says least about one.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_TRANSFORM,
      g_param_spec_enum ("transform", "Transform",
          "Block transform and the arithmetic that goes with it",
          transform_get_type (), default_params.transform, LIVE));
  /**
   * GstBlockDct:quality:
   *
   * Scales the tables of #GstBlockDct:quantization-preset as libjpeg does, or
   * those of #GstBlockDct:quantization-file if #GstBlockDct:quantization-scale
   * says so. For jpeg-8x8 and dct-8x8 without a
   * #GstBlockDct:quantization-matrix.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_QUALITY,
      g_param_spec_int ("quality", "Quality",
          "IJG quality that scales the quantization tables (jpeg-8x8, dct-8x8 "
          "without a quantization-matrix)",
          1, 100, default_params.quality, LIVE));
  /**
   * GstBlockDct:qp:
   *
   * Quantization parameter of luma at 8 bits; at other depths it is that of
   * the standard without its offset. For all transforms but jpeg-8x8 and
   * dct-8x8.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_QP,
      g_param_spec_int ("qp", "QP",
          "Luma quantization parameter (all but jpeg-8x8, dct-8x8)",
          0, 51, default_params.qp, LIVE));
  /**
   * GstBlockDct:chroma-qp-offset:
   *
   * Added to #GstBlockDct:qp before the standard's mapping from luma's to
   * chroma's. For the transforms that have one.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_CHROMA_QP_OFFSET,
      g_param_spec_int ("chroma-qp-offset", "Chroma QP offset",
          "Added to qp before the standard's chroma mapping",
          -12, 12, default_params.chroma_qp_offset, LIVE));
  /**
   * GstBlockDct:scaling-list:
   *
   * How coarsely each frequency is quantized: all alike, by the standard's
   * default lists for intra blocks, or by those of
   * #GstBlockDct:scaling-list-file. For H.265's quantizer.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_SCALING_LIST,
      g_param_spec_enum ("scaling-list", "Scaling list",
          "Weights of H.265's quantizer by frequency",
          scaling_list_get_type (), default_params.scaling_list, LIVE));
  /**
   * GstBlockDct:scaling-list-file:
   *
   * A file with lists for #GstBlockDct:scaling-list `file`, in the syntax of
   * HM and x265. It is read when it is set.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_SCALING_LIST_FILE,
      g_param_spec_string ("scaling-list-file", "Scaling list file",
          "The lists of scaling-list=file, as HM and x265 have them (hevc-*, "
          "vvc-64x64)", NULL, PLAYING));
  /**
   * GstBlockDct:quantization-matrix:
   *
   * Steps for jpeg-8x8 and dct-8x8 in place of the scaled tables: none, 64 for
   * all planes, or 128, luma's and then chroma's. Row-major, rows are vertical
   * frequency; 1 to 32767, in 8-bit jpeg-8x8 with #GstBlockDct:baseline 1 to
   * 255. In gst-launch-1.0: quantization-matrix="<16, 11, ...>".
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_QUANTIZATION_MATRIX,
      gst_param_spec_array ("quantization-matrix", "Quantization matrix",
          "0, 64 or 128 steps in row-major order (jpeg-8x8, dct-8x8)",
          g_param_spec_int ("step", "Step", "Quantization step",
              G_MININT, G_MAXINT, 1, BASE), PLAYING));
  /**
   * GstBlockDct:quantization-file:
   *
   * A file with the steps for jpeg-8x8 and dct-8x8: the text of
   * `cjpeg -qtables`, or a JPEG file. It is read when it is set. Excludes
   * #GstBlockDct:quantization-matrix and #GstBlockDct:quantization-preset.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_QUANTIZATION_FILE,
      g_param_spec_string ("quantization-file", "Quantization file",
          "Take the steps from this file: as cjpeg -qtables has it, or a JPEG "
          "(jpeg-8x8, dct-8x8)", NULL, PLAYING));
  /**
   * GstBlockDct:quantization-scale:
   *
   * Whether #GstBlockDct:quality scales the tables of
   * #GstBlockDct:quantization-file, as in `cjpeg -qtables FILE -quality Q`.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_QUANTIZATION_SCALE,
      g_param_spec_boolean ("quantization-scale", "Quantization scale",
          "Scale the tables of quantization-file by quality", FALSE, LIVE));
  /**
   * GstBlockDct:quantization-preset:
   *
   * The tables that #GstBlockDct:quality scales, by name: those that mozjpeg's
   * `cjpeg -quant-table` has by number.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_QUANTIZATION_PRESET,
      g_param_spec_enum ("quantization-preset", "Quantization preset",
          "The tables that quality scales (jpeg-8x8, dct-8x8)",
          preset_get_type (), default_params.preset, LIVE));
  /**
   * GstBlockDct:baseline:
   *
   * Whether steps end at 255 at 8 bits, as baseline JPEG has them. Without,
   * they end at 32767, as libjpeg has them unless it is told otherwise.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_BASELINE,
      g_param_spec_boolean ("baseline", "Baseline",
          "Let steps end at 255 at 8 bits, as in cjpeg -baseline "
          "(jpeg-8x8, dct-8x8)", default_params.baseline, LIVE));
  /**
   * GstBlockDct:chroma-subsampling:
   *
   * How R, G and B become Y, U and V, which a transform works on: as in
   * `cjpeg -sample 2x2`, `2x1`, `1x2` and `1x1`. Without effect on caps of Y, U
   * and V, which have a subsampling of their own.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_CHROMA_SUBSAMPLING,
      g_param_spec_enum ("chroma-subsampling", "Chroma subsampling",
          "Of the planes that R, G and B become", subsampling_get_type (),
          BDCT_CHROMA_420, LIVE));
}

/* What chooses quality or QP frame by frame. */
static void
install_targets (GObjectClass * klass)
{
  /**
   * GstBlockDct:target-psnr:
   *
   * Each frame is made with the coarsest quality or QP at which its PSNR is not
   * below this; 0 for none. At most one target at a time.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_TARGET_PSNR,
      g_param_spec_double ("target-psnr", "Target PSNR",
          "Make each frame with the coarsest quality or qp that keeps this "
          "PSNR (dB; 0 = off)", 0, MAX_DB, 0, LIVE));
  /**
   * GstBlockDct:target-ssim:
   *
   * Each frame is made with the coarsest quality or QP at which its SSIM, of
   * all components as #GstBlockDct:metrics has it, is not below this; 0 for
   * none. At most one target at a time.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_TARGET_SSIM,
      g_param_spec_double ("target-ssim", "Target SSIM",
          "Make each frame with the coarsest quality or qp that keeps this "
          "SSIM (0 = off)", 0, 1, 0, LIVE));
  /**
   * GstBlockDct:target-bpp:
   *
   * Each frame is made with the finest quality or QP that costs no more bits
   * per luma sample than this; 0 for none. At most one target at a time.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_TARGET_BPP,
      g_param_spec_double ("target-bpp", "Target bits per sample",
          "Make each frame with the finest quality or qp that costs no more "
          "bits per luma sample (0 = off)", 0, MAX_BPP, 0, LIVE));
  /**
   * GstBlockDct:target-size:
   *
   * Each frame is made with the finest quality or QP that needs no more bytes
   * than this: those of a JPEG file for jpeg-8x8 at 8 bits, else of the
   * estimated bits; 0 for none. At most one target at a time.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_TARGET_SIZE,
      g_param_spec_uint ("target-size", "Target size",
          "Make each frame with the finest quality or qp that needs no more "
          "bytes (0 = off)", 0, G_MAXUINT, 0, LIVE));
}

/* Where it runs. */
static void
install_engine (GObjectClass * klass)
{
  /**
   * GstBlockDct:backend:
   *
   * The engine to run on; by name it is that one or an error.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_BACKEND,
      g_param_spec_enum ("backend", "Backend", "Engine to run on",
          gst_blockdct_backend_get_type (), GST_BLOCKDCT_BACKEND_AUTO, READY));
  /**
   * GstBlockDct:cuda-device-id:
   *
   * The GPU to run on. -1 takes the context of the pipeline, or else makes one
   * on the first GPU, and follows the stream to another context.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_CUDA_DEVICE_ID,
      g_param_spec_int ("cuda-device-id", "CUDA device ID",
          "GPU to run on (-1 = the pipeline's context, else the first)",
          -1, G_MAXINT, -1, READY));
  /**
   * GstBlockDct:threads:
   *
   * Threads of the CPU engine, 0 for one a processor; on CUDA those that copy
   * pageable memory, 0 for at most 4.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_THREADS,
      g_param_spec_uint ("threads", "Threads",
          "Threads of the CPU engine (0 = one a processor), or on CUDA those "
          "that copy pageable memory (0 = at most 4)",
          0, 1024, 0, READY));
  /**
   * GstBlockDct:async-depth:
   *
   * Frames in flight. A frame leaves when the last of them has entered; each
   * one above the first adds a frame to the LATENCY query.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_ASYNC_DEPTH,
      g_param_spec_uint ("async-depth", "Asynchronous depth",
          "Frames in flight; each one above the first adds a frame of latency",
          1, BDCT_MAX_DEPTH, 1, READY));
  /**
   * GstBlockDct:active-backend:
   *
   * What runs, such as "cuda:0 NVIDIA H200" or "cpu:avx2 2 threads"; %NULL
   * while stopped.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_ACTIVE_BACKEND,
      g_param_spec_string ("active-backend", "Active backend",
          "What runs, such as 'cuda:0 NVIDIA H200' or 'cpu:avx2 2 threads'; "
          "NULL while stopped", NULL, READ));
}

/* What is reported. */
static void
install_report (GObjectClass * klass)
{
  /**
   * GstBlockDct:post-messages:
   *
   * Whether element messages are posted. The buffers' meta and
   * #GstBlockDct:stats are there in any case.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post element messages with the statistics", TRUE, PLAYING));
  /**
   * GstBlockDct:interval:
   *
   * One message for each stretch of this many nanoseconds, pooled over its
   * frames; 0 for one a frame.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_INTERVAL,
      g_param_spec_uint64 ("interval", "Interval",
          "Post one message for this time, pooled over it (ns; 0 = one for "
          "each frame)", 0, G_MAXUINT64 / 4, 0, PLAYING));
  /**
   * GstBlockDct:rate:
   *
   * Whether each frame's bits are reported: those of a baseline JPEG file for
   * jpeg-8x8 at 8 bits, an estimate for all else.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_RATE,
      g_param_spec_boolean ("rate", "Rate",
          "Report the bits of each frame: a JPEG file's, or an estimate",
          FALSE, LIVE));
  /**
   * GstBlockDct:metrics:
   *
   * Perceptual figures to report of each frame. One that the caps or the engine
   * do not allow is warned of, and its fields are absent.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_METRICS,
      g_param_spec_flags ("metrics", "Metrics",
          "Perceptual figures to report of each frame", metrics_get_type (), 0,
          LIVE));
  /**
   * GstBlockDct:curve:
   *
   * Qualities, or QPs, at which each frame is evaluated besides, for a
   * `blockdct-curve` message: none, at most 128, or all that the transform has.
   * In gst-launch-1.0: curve="<20, 50, 80>" or curve="<all>".
   *
   * Since: 0.1
   */
  /* No type for the elements: "all" is none of theirs. */
  g_object_class_install_property (klass, PROP_CURVE,
      gst_param_spec_array ("curve", "Curve",
          "Qualities (1 to 100) or QPs (0 to 51) to evaluate each frame at "
          "besides, as ints; <all> = every one", NULL, PLAYING));
  /**
   * GstBlockDct:min-psnr-error:
   *
   * A frame whose PSNR is below this is an error; 0 for none is.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_MIN_PSNR_ERROR,
      g_param_spec_double ("min-psnr-error", "Least PSNR, or an error",
          "End with an error at a frame whose PSNR is below this (dB; "
          "0 = off)", 0, MAX_DB, 0, PLAYING));
  /**
   * GstBlockDct:min-psnr-warning:
   *
   * A frame whose PSNR is below this is a warning, unless the one before it
   * was; 0 for none is.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_MIN_PSNR_WARNING,
      g_param_spec_double ("min-psnr-warning", "Least PSNR, or a warning",
          "Warn when a frame's PSNR falls below this (dB; 0 = off)", 0, MAX_DB,
          0, PLAYING));
  /**
   * GstBlockDct:stats-file:
   *
   * A file that gets a line for each frame, as ffmpeg's psnr filter writes it
   * or, by the file's ending, as .csv or .json; "-" is standard output.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_STATS_FILE,
      g_param_spec_string ("stats-file", "Statistics file",
          "Write each frame's figures there (- = standard output): as ffmpeg's "
          "psnr filter, or by its ending as .csv or as .json (JSON lines)",
          NULL, READY));
  /**
   * GstBlockDct:stats:
   *
   * Counters since the start: `frames`, `dropped`, and for each plane `sse-y`
   * (sum of squared errors) and `samples-y`; from them `mse`, `psnr` (global)
   * and, over the frames, `psnr-min`, `psnr-max`, `psnr-mean`; if
   * #GstBlockDct:rate was on all the time, `bits` and what goes with them.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics", "Statistics since the start",
          GST_TYPE_STRUCTURE, READ));
}

/* What is shown. */
static void
install_view (GObjectClass * klass)
{
  /**
   * GstBlockDct:view:
   *
   * What the output shows. The statistics are the reconstruction's in any case.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_VIEW,
      g_param_spec_enum ("view", "View",
          "What is shown; the statistics are the reconstruction's in any case",
          gst_blockdct_view_get_type (), default_view.mode, LIVE));
  /**
   * GstBlockDct:wipe-position:
   *
   * Where the wipe is divided, from 0 (left) to 1; in side-by-side and stacked
   * which half of the picture is shown, from the first (0) to the last.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_WIPE_POSITION,
      g_param_spec_double ("wipe-position", "Wipe position",
          "Where view=wipe is divided, or which part of the picture "
          "view=side-by-side and view=stacked show", 0, 1,
          default_view.position, LIVE));
  /**
   * GstBlockDct:difference-gain:
   *
   * What the difference is multiplied by in view=difference.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_DIFFERENCE_GAIN,
      g_param_spec_double ("difference-gain", "Difference gain",
          "Amplification of view=difference", 0, BDCT_VIEW_MAX_GAIN,
          default_view.gain, LIVE));
  /**
   * GstBlockDct:grid:
   *
   * Show the borders of luma's blocks, in any view.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_GRID,
      g_param_spec_boolean ("grid", "Grid",
          "Show the borders of luma's blocks", default_view.grid, LIVE));
  /**
   * GstBlockDct:overlay:
   *
   * Write transform, quality or QP, PSNR and engine on the picture, in builds
   * with Pango.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_OVERLAY,
      g_param_spec_boolean ("overlay", "Overlay",
          "Write transform, quality, PSNR and engine on the picture", FALSE,
          LIVE));
  /**
   * GstBlockDct:interactive:
   *
   * Whether keys and pointer in the sink's window, which come as navigation
   * events, turn the properties.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_INTERACTIVE,
      g_param_spec_boolean ("interactive", "Interactive",
          "Let pointer and keys in the sink's window turn the properties",
          FALSE, PLAYING));
  /**
   * GstBlockDct:keep-frame:
   *
   * Whether a change of what a frame looks like is shown at once on the frame
   * that left last, when no other one comes: while paused, and at the end of
   * the stream. Downstream is flushed for it; frames that wait in a queue there
   * are gone.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_KEEP_FRAME,
      g_param_spec_boolean ("keep-frame", "Keep frame",
          "While paused, and at the end, show the latest frame again when a "
          "property changes", FALSE, PLAYING));
}

void
gst_blockdct_install_properties (GObjectClass * klass)
{
  klass->set_property = GST_DEBUG_FUNCPTR (set_property);
  klass->get_property = GST_DEBUG_FUNCPTR (get_property);
  parent_dispatch = klass->dispatch_properties_changed;
  klass->dispatch_properties_changed =
      GST_DEBUG_FUNCPTR (dispatch_properties_changed);

  install_params (klass);
  install_targets (klass);
  install_engine (klass);
  install_report (klass);
  install_view (klass);
  gst_type_mark_as_plugin_api (transform_get_type (), 0);
  gst_type_mark_as_plugin_api (scaling_list_get_type (), 0);
  gst_type_mark_as_plugin_api (preset_get_type (), 0);
  gst_type_mark_as_plugin_api (subsampling_get_type (), 0);
  gst_type_mark_as_plugin_api (metrics_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_blockdct_backend_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_blockdct_view_get_type (), 0);
}
