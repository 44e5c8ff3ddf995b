/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of transform and quantizer. */
#include "gstblockdctpropertiesquantizer.h"
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
      {BDCT_SCALING_FILE, "those of scaling-list-file", "file"},
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
    GST_BLOCKDCT_TABLES_MATRIX, "those of quantization-matrix", "matrix"};
    values[BDCT_N_PRESETS + 1] = (GEnumValue) {
    GST_BLOCKDCT_TABLES_FILE, "those of quantization-file", "file"};
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

/* The quantizers' properties, and the transforms that use them. */
static const struct
{
  guint id;
  const gchar *name, *purpose;
} quantizers[] = {
  {PROP_QUALITY, "quality", "jpeg-8x8 and dct-8x8"},
  {PROP_QP, "qp", "all transforms but jpeg-8x8 and dct-8x8"},
  {PROP_CHROMA_QP_OFFSET, "chroma-qp-offset",
      "all transforms but jpeg-8x8 and dct-8x8"},
  {PROP_MIN_BLOCK, "min-block", "hevc-quadtree"},
  {PROP_MAX_BLOCK, "max-block", "hevc-quadtree"},
  {PROP_RDOQ, "rdoq", "hevc-*"},
  {PROP_LAMBDA_SCALE, "lambda-scale", "hevc-quadtree, and for rdoq"},
  {PROP_DEADZONE, "deadzone", "all transforms but jpeg-8x8 and dct-8x8"},
  {PROP_SCALING_LIST, "scaling-list", "hevc-* and vvc-64x64"},
  {PROP_SCALING_LIST_FILE, "scaling-list-file", "hevc-* and vvc-64x64"},
  {PROP_QUANTIZATION_TABLES, "quantization-tables", "jpeg-8x8 and dct-8x8"},
  {PROP_QUANTIZATION_MATRIX, "quantization-matrix", "jpeg-8x8 and dct-8x8"},
  {PROP_QUANTIZATION_FILE, "quantization-file", "jpeg-8x8 and dct-8x8"},
  {PROP_QUANTIZATION_SCALE, "quantization-scale", "jpeg-8x8 and dct-8x8"},
  {PROP_BASELINE, "baseline", "jpeg-8x8 and dct-8x8"},
};

/* Whether a transform uses a property. */
static gboolean
is_for_transform (guint id, const BdctParams * params)
{
  const BdctTransformInfo *info = bdct_transform_info (params->transform);

  switch (id) {
    case PROP_QP:
    case PROP_CHROMA_QP_OFFSET:
    case PROP_DEADZONE:
      return info->has_qp;
    case PROP_MIN_BLOCK:
    case PROP_MAX_BLOCK:
      return params->transform == BDCT_HEVC_QUADTREE;
    case PROP_RDOQ:
      return info->has_rdoq;
    case PROP_LAMBDA_SCALE:
      return params->transform == BDCT_HEVC_QUADTREE
          || (params->rdoq && info->has_rdoq);
    case PROP_SCALING_LIST:
    case PROP_SCALING_LIST_FILE:
      return info->has_lists;
    default:
      return !info->has_qp;
  }
}

/* Whether a property has a value that is the same as not being set. */
static gboolean
is_off (guint id, const GstBlockDctSettings * settings)
{
  switch (id) {
    case PROP_RDOQ:
      return !settings->params.rdoq;
    case PROP_SCALING_LIST_FILE:
      return settings->params.lists.dc[0][0] == 0;
    case PROP_QUANTIZATION_MATRIX:
      return settings->matrix.n == 0;
    case PROP_QUANTIZATION_FILE:
      return settings->file.n_steps == 0;
    case PROP_QUANTIZATION_SCALE:
      return !settings->params.scale_tables;
    default:
      return FALSE;
  }
}

/* The setting without which a property has no effect, if that is not in force;
 * or NULL. */
static const gchar *
find_lacking (guint id, const GstBlockDctSettings * settings)
{
  switch (id) {
    case PROP_SCALING_LIST_FILE:
      return settings->params.scaling_list != BDCT_SCALING_FILE
          ? "scaling-list=file" : NULL;
    case PROP_QUANTIZATION_MATRIX:
      return settings->tables != GST_BLOCKDCT_TABLES_MATRIX
          ? "quantization-tables=matrix" : NULL;
    case PROP_QUANTIZATION_FILE:
    case PROP_QUANTIZATION_SCALE:
      return settings->tables != GST_BLOCKDCT_TABLES_FILE
          ? "quantization-tables=file" : NULL;
    default:
      return NULL;
  }
}

static void
warn_unused_quantizers (GstBlockDct * self,
    const GstBlockDctSettings * settings, guint64 was_set)
{
  const BdctTransform transform = settings->params.transform;
  guint *warned = &self->warned.unused[transform];

  for (guint i = 0; i < G_N_ELEMENTS (quantizers); i++) {
    const guint id = quantizers[i].id;
    const gchar *lacking = find_lacking (id, settings);

    if (!(was_set >> id & 1) || (*warned >> i & 1) || is_off (id, settings))
      continue;
    if (!is_for_transform (id, &settings->params))
      GST_ELEMENT_INFO (self, LIBRARY, SETTINGS,
          ("%s has no effect with transform=%s.", quantizers[i].name,
              bdct_transform_info (transform)->name),
          ("%s has no effect with transform=%s: it is for %s.",
              quantizers[i].name, bdct_transform_info (transform)->name,
              quantizers[i].purpose));
    else if (lacking != NULL)
      GST_ELEMENT_INFO (self, LIBRARY, SETTINGS,
          ("%s has no effect without %s.", quantizers[i].name, lacking),
          ("Set %s for %s to have an effect.", lacking, quantizers[i].name));
    else
      continue;
    *warned |= 1u << i;
  }
}

void
gst_blockdct_warn_unused (GstBlockDct * self,
    const GstBlockDctSettings * settings)
{
  guint64 was_set;

  GST_OBJECT_LOCK (self);
  was_set = self->shared.was_set;
  GST_OBJECT_UNLOCK (self);
  warn_unused_quantizers (self, settings, was_set);
  if ((was_set >> PROP_CHROMA_SUBSAMPLING & 1)
      && !GST_VIDEO_INFO_IS_RGB (&self->info)
      && gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_SUBSAMPLING))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("chroma-subsampling has no effect on %s.",
            GST_VIDEO_INFO_NAME (&self->info)),
        ("It is for R, G and B; frames of Y, U and V have a subsampling of "
            "their own."));
}

void
gst_blockdct_install_quantizers (GObjectClass * klass)
{
  /**
   * GstBlockDct:transform:
   *
   * The block transform, and the quantizer and the arithmetic that go with it.
   * All of them transform samples, where a video encoder transforms the
   * residual of its prediction; the DST is made for residuals and says least
   * about an encoder. vvc-64x64 is made for large smooth blocks: from all
   * others it drops the coefficients that it does not keep.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_TRANSFORM, FIELD (params.transform),
      g_param_spec_enum ("transform", "Transform",
          "Block transform and the arithmetic that goes with it",
          transform_get_type (), default_params.transform, LIVE));
  /**
   * GstBlockDct:quality:
   *
   * Scales the tables of #GstBlockDct:quantization-tables as libjpeg does: the
   * named ones and, with #GstBlockDct:quantization-scale, those of a file. For
   * jpeg-8x8 and dct-8x8.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_QUALITY, FIELD (params.quality),
      g_param_spec_int ("quality", "Quality",
          "IJG quality that scales the quantization tables (jpeg-8x8, dct-8x8)",
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
  gst_blockdct_property (klass, PROP_QP, FIELD (params.qp),
      g_param_spec_int ("qp", "QP",
          "Luma quantization parameter (all but jpeg-8x8, dct-8x8)",
          0, 51, default_params.qp, LIVE));
  /**
   * GstBlockDct:chroma-qp-offset:
   *
   * Added to #GstBlockDct:qp before the standard's mapping from luma's QP to
   * chroma's. For the transforms that have a QP.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_CHROMA_QP_OFFSET,
      FIELD (params.chroma_qp_offset),
      g_param_spec_int ("chroma-qp-offset", "Chroma QP offset",
          "Added to qp before the standard's chroma mapping",
          -12, 12, default_params.chroma_qp_offset, LIVE));
  /**
   * GstBlockDct:deadzone:
   *
   * What the quantizer adds to a coefficient before it rounds down, in steps:
   * 1/3 as encoders do within a picture, to 1/6, as they do between pictures,
   * which makes more levels 0. H.265's quantizer rounds it to 1/512. For the
   * transforms that have a #GstBlockDct:qp.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_DEADZONE, FIELD (params.deadzone),
      g_param_spec_double ("deadzone", "Dead zone",
          "Rounding offset of the quantizer in steps, from 1/6 (inter) to 1/3 "
          "(intra) (all but jpeg-8x8, dct-8x8)", BDCT_MIN_DEADZONE,
          BDCT_MAX_DEADZONE, default_params.deadzone, LIVE));
  /**
   * GstBlockDct:rdoq:
   *
   * Whether levels are chosen by their cost in rate and distortion, similarly
   * to HM's rate-distortion optimized quantization, instead of each being
   * rounded by itself. For the transforms hevc-*.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_RDOQ, FIELD (params.rdoq),
      g_param_spec_boolean ("rdoq", "RDOQ",
          "Choose levels by rate and distortion (hevc-*)",
          default_params.rdoq, LIVE));
  /**
   * GstBlockDct:min-block:
   *
   * The least side of luma's blocks that hevc-quadtree may choose: 4, 8, 16 or
   * 32. A value above #GstBlockDct:max-block counts as max-block.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_MIN_BLOCK, FIELD (params.min_block),
      g_param_spec_int ("min-block", "Smallest block",
          "Smallest block that hevc-quadtree may choose: 4, 8, 16 or 32",
          4, 32, default_params.min_block, LIVE));
  /**
   * GstBlockDct:max-block:
   *
   * The largest side of luma's blocks that hevc-quadtree may choose.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_MAX_BLOCK, FIELD (params.max_block),
      g_param_spec_int ("max-block", "Largest block",
          "Largest block that hevc-quadtree may choose: 4, 8, 16 or 32",
          4, 32, default_params.max_block, LIVE));
  /**
   * GstBlockDct:lambda-scale:
   *
   * The weight of a bit relative to squared errors where hevc-quadtree or
   * #GstBlockDct:rdoq chooses, as a multiple of HM's lambda: with 0 the blocks
   * and levels with the least error are chosen, with more those that cost fewer
   * bits.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_LAMBDA_SCALE,
      FIELD (params.lambda_scale),
      g_param_spec_double ("lambda-scale", "Lambda scale",
          "Weight of bits beside errors where hevc-quadtree or rdoq chooses, "
          "times HM's lambda", 0, BDCT_MAX_LAMBDA_SCALE,
          default_params.lambda_scale, LIVE));
  /**
   * GstBlockDct:scaling-list:
   *
   * How coarsely each frequency is quantized: all alike, by the standard's
   * default lists for intra blocks, or by those of
   * #GstBlockDct:scaling-list-file. For H.265's quantizer.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_SCALING_LIST, FIELD (params.scaling_list),
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
  gst_blockdct_property (klass, PROP_SCALING_LIST_FILE, FIELD (params.lists),
      g_param_spec_string ("scaling-list-file", "Scaling list file",
          "The lists of scaling-list=file, as HM and x265 have them (hevc-*, "
          "vvc-64x64)", NULL, PLAYING));
  /**
   * GstBlockDct:quantization-tables:
   *
   * The tables of steps for jpeg-8x8 and dct-8x8. Those with a name are scaled
   * by #GstBlockDct:quality: Annex K's, or those that mozjpeg's `cjpeg
   * -quant-table` selects by number. `matrix` and `file` take the steps of
   * #GstBlockDct:quantization-matrix and #GstBlockDct:quantization-file.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_QUANTIZATION_TABLES, FIELD (tables),
      g_param_spec_enum ("quantization-tables", "Quantization tables",
          "Tables of quantization steps (jpeg-8x8, dct-8x8)",
          tables_get_type (), default_params.preset, LIVE));
  /**
   * GstBlockDct:quantization-matrix:
   *
   * Steps for #GstBlockDct:quantization-tables `matrix`: none, 64 for all
   * planes, or 128, luma's and then chroma's. Row-major, rows are vertical
   * frequency; 1 to 32767, in 8-bit jpeg-8x8 with #GstBlockDct:baseline 1 to
   * 255. In gst-launch-1.0: quantization-matrix="<16, 11, ...>".
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_QUANTIZATION_MATRIX, FIELD (matrix),
      gst_param_spec_array ("quantization-matrix", "Quantization matrix",
          "The steps of quantization-tables=matrix: 0, 64 or 128 in row-major "
          "order",
          g_param_spec_int ("step", "Step", "Quantization step",
              G_MININT, G_MAXINT, 1, BASE), PLAYING));
  /**
   * GstBlockDct:quantization-file:
   *
   * A file with the steps for #GstBlockDct:quantization-tables `file`: the text
   * of `cjpeg -qtables`, or a JPEG file. It is read when it is set.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_QUANTIZATION_FILE, FIELD (file),
      g_param_spec_string ("quantization-file", "Quantization file",
          "The steps of quantization-tables=file: text as cjpeg -qtables has "
          "it, or a JPEG file", NULL, PLAYING));
  /**
   * GstBlockDct:quantization-scale:
   *
   * Whether #GstBlockDct:quality scales the tables of
   * #GstBlockDct:quantization-file, as in `cjpeg -qtables FILE -quality Q`.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_QUANTIZATION_SCALE,
      FIELD (params.scale_tables),
      g_param_spec_boolean ("quantization-scale", "Quantization scale",
          "Scale the tables of quantization-file by quality", FALSE, LIVE));
  /**
   * GstBlockDct:baseline:
   *
   * Whether steps are limited to 255 at 8 bits, as in baseline JPEG. Otherwise
   * the limit is 32767, as in libjpeg without force_baseline.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_BASELINE, FIELD (params.baseline),
      g_param_spec_boolean ("baseline", "Baseline",
          "Let steps end at 255 at 8 bits, as in cjpeg -baseline "
          "(jpeg-8x8, dct-8x8)", default_params.baseline, LIVE));
  /**
   * GstBlockDct:chroma-subsampling:
   *
   * The subsampling of the Y, U and V that R, G and B are converted to, as
   * transforms work on these: as in `cjpeg -sample 2x2`, `2x1`, `1x2` and
   * `1x1`. It has no effect on caps of Y, U and V, which have a subsampling of
   * their own.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_CHROMA_SUBSAMPLING, FIELD (subsampling),
      g_param_spec_enum ("chroma-subsampling", "Chroma subsampling",
          "Of the planes that R, G and B become", subsampling_get_type (),
          BDCT_CHROMA_420, LIVE));

  gst_blockdct_property_convert (PROP_QUANTIZATION_MATRIX, parse_matrix,
      format_matrix);
  gst_blockdct_property_convert (PROP_QUANTIZATION_FILE, parse_tables,
      format_tables);
  gst_blockdct_property_convert (PROP_SCALING_LIST_FILE, parse_lists,
      format_lists);
  gst_blockdct_property_convert (PROP_MIN_BLOCK, parse_side, NULL);
  gst_blockdct_property_convert (PROP_MAX_BLOCK, parse_side, NULL);
  gst_type_mark_as_plugin_api (transform_get_type (), 0);
  gst_type_mark_as_plugin_api (scaling_list_get_type (), 0);
  gst_type_mark_as_plugin_api (tables_get_type (), 0);
  gst_type_mark_as_plugin_api (subsampling_get_type (), 0);
}
