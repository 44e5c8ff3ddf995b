/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of transform and quantizer. */
#include "gst-plugin/common/gstblockdctfail.h"
#include "gstblockdctproperties.h"

#include "gstblockdcttables.h"

static const BdctParams default_params = BDCT_PARAMS_DEFAULT;

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
      {BDCT_SCALING_FILE, "the lists in scaling-list-file", "file"},
      {0, NULL, NULL}
    };

    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctScalingList", values));
  }
  return type;
}

static GType
tables_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static GEnumValue values[BDCT_N_PRESETS + 3];

    for (gint i = 0; i < BDCT_N_PRESETS; i++) {
      const BdctPresetInfo *info = bdct_preset_info (i);

      values[i] = (GEnumValue) {
      i, info->description, info->name};
    }
    values[BDCT_N_PRESETS] = (GEnumValue) {
    GST_BLOCKDCT_TABLES_MATRIX, "the steps in quantization-matrix", "matrix"};
    values[BDCT_N_PRESETS + 1] = (GEnumValue) {
    GST_BLOCKDCT_TABLES_FILE, "the steps in quantization-file", "file"};
    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctQuantizationTables", values));
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

static gboolean
parse_matrix (const GValue * value, gpointer field, BdctError * error)
{
  GstBlockDctMatrix *matrix = field;
  const guint n = gst_value_array_get_size (value);

  matrix->n = n;
  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (matrix->step)); i++) {
    const GValue *v = gst_value_array_get_value (value, i);

    matrix->step[i] = G_VALUE_HOLDS_INT (v) ? g_value_get_int (v) : 0;
  }
  return bdct_steps_check (matrix->step, matrix->n, BDCT_DCT_8X8, 0, FALSE,
      error);
}

static void
format_matrix (gconstpointer field, GValue * value)
{
  const GstBlockDctMatrix *matrix = field;

  for (gint i = 0; i < matrix->n; i++)
    gst_blockdct_property_append_int (value, matrix->step[i]);
}

static gboolean
parse_tables (const GValue * value, gpointer field, BdctError * error)
{
  return gst_blockdct_tables_read (g_value_get_string (value), field, error);
}

static void
format_tables (gconstpointer field, GValue * value)
{
  g_value_set_string (value,
      g_quark_to_string (((const BdctTables *) field)->name));
}

static gboolean
parse_lists (const GValue * value, gpointer field, BdctError * error)
{
  return gst_blockdct_lists_read (g_value_get_string (value), field, error);
}

static void
format_lists (gconstpointer field, GValue * value)
{
  g_value_set_string (value,
      g_quark_to_string (((const BdctScalingLists *) field)->name));
}

/* A side of hevc-quadtree's blocks. */
static gboolean
parse_side (const GValue * value, gpointer field, BdctError * error)
{
  const gint side = g_value_get_int (value);

  *(gint *) field = side;
  return side == 4 || side == 8 || side == 16 || side == 32
      || gst_blockdct_fail (error, "%d is not 4, 8, 16 or 32", side);
}

/* The transforms that use a property. */
enum
{
  WITH_QUALITY, WITH_QP, WITH_LISTS, TREE
};

static const gchar *const users[] = {
  "jpeg-8x8 and dct-8x8", "all transforms but jpeg-8x8 and dct-8x8",
  "hevc-* and vvc-64x64", "hevc-quadtree"
};

/* The quantizers' properties, and the setting that some need beside. */
static const struct
{
  guint id;
  const gchar *name;
  guint users;
  const gchar *needs;
} quantizers[] = {
  {PROP_QUALITY, "quality", WITH_QUALITY, NULL},
  {PROP_QP, "qp", WITH_QP, NULL},
  {PROP_CHROMA_QP_OFFSET, "chroma-qp-offset", WITH_QP, NULL},
  {PROP_MIN_BLOCK, "min-block", TREE, NULL},
  {PROP_MAX_BLOCK, "max-block", TREE, NULL},
  {PROP_LAMBDA_SCALE, "lambda-scale", TREE, NULL},
  {PROP_DEADZONE, "deadzone", WITH_QP, NULL},
  {PROP_SCALING_LIST, "scaling-list", WITH_LISTS, NULL},
  {PROP_SCALING_LIST_FILE, "scaling-list-file", WITH_LISTS,
      "scaling-list=file"},
  {PROP_QUANTIZATION_TABLES, "quantization-tables", WITH_QUALITY, NULL},
  {PROP_QUANTIZATION_MATRIX, "quantization-matrix", WITH_QUALITY,
      "quantization-tables=matrix"},
  {PROP_QUANTIZATION_FILE, "quantization-file", WITH_QUALITY,
      "quantization-tables=file"},
  {PROP_QUANTIZATION_SCALE, "quantization-scale", WITH_QUALITY,
      "quantization-tables=file"},
  {PROP_BASELINE, "baseline", WITH_QUALITY, NULL},
};

/* Whether what a property needs is in force, or it is not set to anything. */
static gboolean
has_needs (guint id, const GstBlockDctSettings * settings)
{
  const BdctParams *params = &settings->params;

  switch (id) {
    case PROP_SCALING_LIST_FILE:
      return params->scaling_list == BDCT_SCALING_FILE
          || params->lists.dc[0][0] == 0;
    case PROP_QUANTIZATION_MATRIX:
      return settings->tables == GST_BLOCKDCT_TABLES_MATRIX
          || settings->matrix.n == 0;
    case PROP_QUANTIZATION_FILE:
      return settings->tables == GST_BLOCKDCT_TABLES_FILE
          || settings->file.n_steps == 0;
    case PROP_QUANTIZATION_SCALE:
      return settings->tables == GST_BLOCKDCT_TABLES_FILE
          || !params->scale_tables;
    default:
      return TRUE;
  }
}

void
gst_blockdct_warn_unused (GstBlockDct * self,
    const GstBlockDctSettings * settings)
{
  const BdctTransform transform = settings->params.transform;
  const BdctTransformInfo *info = bdct_transform_info (transform);
  const gboolean uses[] = { !info->has_qp, info->has_qp, info->has_lists,
    transform == BDCT_HEVC_QUADTREE
  };
  guint64 was_set;

  GST_OBJECT_LOCK (self);
  was_set = self->shared.was_set;
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < G_N_ELEMENTS (quantizers); i++) {
    const gchar *name = quantizers[i].name, *needs = quantizers[i].needs;
    const gboolean used = uses[quantizers[i].users];

    if (!(was_set >> quantizers[i].id & 1)
        || (used && has_needs (quantizers[i].id, settings))
        || self->warned.unused[transform] >> i & 1)
      continue;
    self->warned.unused[transform] |= 1u << i;
    if (used)
      GST_ELEMENT_INFO (self, LIBRARY, SETTINGS,
          ("%s has no effect without %s.", name, needs),
          ("Set %s so that %s takes effect.", needs, name));
    else
      GST_ELEMENT_INFO (self, LIBRARY, SETTINGS,
          ("%s has no effect with transform=%s.", name, info->name),
          ("%s has no effect with transform=%s: it is for %s.", name,
              info->name, users[quantizers[i].users]));
  }
  if ((was_set >> PROP_CHROMA_SUBSAMPLING & 1)
      && !GST_VIDEO_INFO_IS_RGB (&self->info)
      && gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_SUBSAMPLING))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("chroma-subsampling has no effect on %s.",
            GST_VIDEO_INFO_NAME (&self->info)),
        ("It applies to R, G and B; frames of Y, U and V have their own "
            "subsampling."));
}

void
gst_blockdct_install_quantizers (GObjectClass * klass)
{
  gst_blockdct_property (klass, PROP_TRANSFORM, FIELD (params.transform),
      g_param_spec_enum ("transform", "Transform",
          "Block transform, with the arithmetic and the quantizer of its "
          "standard", transform_get_type (), default_params.transform, LIVE));
  gst_blockdct_property (klass, PROP_QUALITY, FIELD (params.quality),
      g_param_spec_int ("quality", "Quality",
          "JPEG quality: scales the quantization tables as libjpeg does "
          "(jpeg-8x8, dct-8x8)",
          1, 100, default_params.quality, LIVE));
  gst_blockdct_property (klass, PROP_QP, FIELD (params.qp),
      g_param_spec_int ("qp", "QP",
          "Quantization parameter of luma (all transforms but jpeg-8x8 and "
          "dct-8x8). Above 8 bits, 6 (depth - 8) is added, as in the "
          "standard's QP'", 0, 51, default_params.qp, LIVE));
  gst_blockdct_property (klass, PROP_CHROMA_QP_OFFSET,
      FIELD (params.chroma_qp_offset),
      g_param_spec_int ("chroma-qp-offset", "Chroma QP offset",
          "Added to qp for chroma, before the standard maps it to chroma's QP "
          "(transforms with a qp)",
          -12, 12, default_params.chroma_qp_offset, LIVE));
  gst_blockdct_property (klass, PROP_DEADZONE, FIELD (params.deadzone),
      g_param_spec_double ("deadzone", "Dead zone",
          "Rounding offset of the quantizer, in steps (transforms with a qp). "
          "Encoders use 1/3 for intra and 1/6 for inter blocks; a smaller "
          "offset gives more zeros", BDCT_MIN_DEADZONE,
          BDCT_MAX_DEADZONE, default_params.deadzone, LIVE));
  gst_blockdct_property (klass, PROP_MIN_BLOCK, FIELD (params.min_block),
      g_param_spec_int ("min-block", "Smallest block",
          "Side of the smallest luma block that hevc-quadtree may choose: 4, "
          "8, 16 or 32. A value above max-block counts as max-block",
          4, 32, default_params.min_block, LIVE));
  gst_blockdct_property (klass, PROP_MAX_BLOCK, FIELD (params.max_block),
      g_param_spec_int ("max-block", "Largest block",
          "Side of the largest luma block that hevc-quadtree may choose: 4, 8, "
          "16 or 32", 4, 32, default_params.max_block, LIVE));
  gst_blockdct_property (klass, PROP_LAMBDA_SCALE,
      FIELD (params.lambda_scale),
      g_param_spec_double ("lambda-scale", "Lambda scale",
          "Factor on HM's lambda, which weighs bits against squared errors in "
          "hevc-quadtree; 0 minimizes the errors alone", 0,
          BDCT_MAX_LAMBDA_SCALE, default_params.lambda_scale, LIVE));
  gst_blockdct_property (klass, PROP_SCALING_LIST, FIELD (params.scaling_list),
      g_param_spec_enum ("scaling-list", "Scaling list",
          "Weights of the quantizer for each frequency (hevc-*, vvc-64x64)",
          scaling_list_get_type (), default_params.scaling_list, LIVE));
  gst_blockdct_property (klass, PROP_SCALING_LIST_FILE, FIELD (params.lists),
      g_param_spec_string ("scaling-list-file", "Scaling list file",
          "File with the lists for scaling-list=file, in the format of HM and "
          "x265 (hevc-*, vvc-64x64). Setting the property reads the file", NULL,
          PLAYING));
  gst_blockdct_property (klass, PROP_QUANTIZATION_TABLES, FIELD (tables),
      g_param_spec_enum ("quantization-tables", "Quantization tables",
          "Tables of quantization steps (jpeg-8x8, dct-8x8): mozjpeg's, which "
          "quality scales, or your own by matrix or file", tables_get_type (),
          default_params.preset, LIVE));
  gst_blockdct_property (klass, PROP_QUANTIZATION_MATRIX, FIELD (matrix),
      gst_param_spec_array ("quantization-matrix", "Quantization matrix",
          "Steps for quantization-tables=matrix, 1 to 32767 (8-bit jpeg-8x8 "
          "with baseline: 1 to 255). 64 for all planes, or 64 for luma and 64 "
          "for chroma; row by row, a row for each vertical frequency",
          g_param_spec_int ("step", "Step", "Quantization step", G_MININT,
              G_MAXINT, 1, BASE), PLAYING));
  gst_blockdct_property (klass, PROP_QUANTIZATION_FILE, FIELD (file),
      g_param_spec_string ("quantization-file", "Quantization file",
          "File with the steps for quantization-tables=file: a text that cjpeg "
          "-qtables takes, or a JPEG file. Setting the property reads the file",
          NULL,
          PLAYING));
  gst_blockdct_property (klass, PROP_QUANTIZATION_SCALE,
      FIELD (params.scale_tables), g_param_spec_boolean ("quantization-scale",
          "Quantization scale",
          "Let quality scale the steps of quantization-file, as cjpeg "
          "-qtables FILE -quality Q does", FALSE, LIVE));
  gst_blockdct_property (klass, PROP_BASELINE, FIELD (params.baseline),
      g_param_spec_boolean ("baseline", "Baseline",
          "At 8 bits, limit quantization steps to 255, as cjpeg -baseline "
          "does, instead of 32767 (jpeg-8x8, dct-8x8)", default_params.baseline,
          LIVE));
  gst_blockdct_property (klass, PROP_CHROMA_SUBSAMPLING, FIELD (subsampling),
      g_param_spec_enum ("chroma-subsampling", "Chroma subsampling",
          "Chroma subsampling with which frames of R, G and B are converted to "
          "Y, U and V. No effect on frames of Y, U and V",
          subsampling_get_type (),
          BDCT_CHROMA_420, LIVE));

  gst_blockdct_property_convert (PROP_QUANTIZATION_MATRIX, parse_matrix,
      format_matrix);
  gst_blockdct_property_convert (PROP_QUANTIZATION_FILE, parse_tables,
      format_tables);
  gst_blockdct_property_convert (PROP_SCALING_LIST_FILE, parse_lists,
      format_lists);
  gst_blockdct_property_convert (PROP_MIN_BLOCK, parse_side, NULL);
  gst_blockdct_property_convert (PROP_MAX_BLOCK, parse_side, NULL);
}
