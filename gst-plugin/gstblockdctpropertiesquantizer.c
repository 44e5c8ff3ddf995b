/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of what is done to a frame: transform and quantizer. */
#include "gstblockdctproperties.h"

#include "gstblockdcttables.h"

/* From the number of steps to the last of them. */
typedef struct
{
  gint n_steps;
  gint steps[G_N_ELEMENTS (((BdctParams *) NULL)->steps)];
} Matrix;

G_STATIC_ASSERT (G_STRUCT_OFFSET (BdctParams, steps)
    - G_STRUCT_OFFSET (BdctParams, n_steps) == G_STRUCT_OFFSET (Matrix, steps));

#define MATRIX_FIELD ((GstBlockDctField) {OFFSET (params.n_steps), \
      sizeof (Matrix), FALSE, TRUE})

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

/* As GstBlockDctSecond has it. */
static GType
b_transform_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static GEnumValue values[1 + BDCT_N_TRANSFORMS + 1] = {
      {0, "there is no B", "none"}
    };

    for (gint i = 0; i < BDCT_N_TRANSFORMS; i++) {
      const BdctTransformInfo *info = bdct_transform_info (i);

      values[1 + i] = (GEnumValue) {
      1 + i, info->description, info->name};
    }
    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctBTransform", values));
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

static gboolean
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
  return gst_blockdct_property_set_checked (self, PROP_QUANTIZATION_MATRIX,
      GST_BLOCKDCT_STEPS, &matrix, ok, &error);
}

static void
get_matrix (GstBlockDct * self, const GstBlockDctSettings * settings,
    GValue * value)
{
  const BdctParams *params = &settings->params;

  (void) self;
  for (gint i = 0; i < params->n_steps; i++)
    gst_blockdct_property_append_int (value, params->steps[i]);
}

static gboolean
set_tables (GstBlockDct * self, const GValue * value)
{
  BdctTables tables;
  BdctError error;
  gboolean ok =
      gst_blockdct_tables_read (g_value_get_string (value), &tables, &error);

  return gst_blockdct_property_set_checked (self, PROP_QUANTIZATION_FILE,
      GST_BLOCKDCT_STEPS, &tables, ok, &error);
}

static void
get_tables (GstBlockDct * self, const GstBlockDctSettings * settings,
    GValue * value)
{
  (void) self;
  g_value_set_string (value, g_quark_to_string (settings->params.tables.name));
}

static gboolean
set_lists (GstBlockDct * self, const GValue * value)
{
  BdctScalingLists lists;
  BdctError error;
  gboolean ok =
      gst_blockdct_lists_read (g_value_get_string (value), &lists, &error);

  return gst_blockdct_property_set_checked (self, PROP_SCALING_LIST_FILE,
      GST_BLOCKDCT_SCALING, &lists, ok, &error);
}

static void
get_lists (GstBlockDct * self, const GstBlockDctSettings * settings,
    GValue * value)
{
  (void) self;
  g_value_set_string (value, g_quark_to_string (settings->params.lists.name));
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
  {PROP_MIN_BLOCK, "min-block", "hevc-quadtree"},
  {PROP_MAX_BLOCK, "max-block", "hevc-quadtree"},
  {PROP_RDOQ, "rdoq", "hevc-*"},
  {PROP_LAMBDA_SCALE, "lambda-scale", "hevc-quadtree, and for rdoq"},
  {PROP_DEADZONE, "deadzone", "all transforms but jpeg-8x8 and dct-8x8"},
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
    case PROP_DEADZONE:
      return bdct_family_has_qp (family);
    case PROP_MIN_BLOCK:
    case PROP_MAX_BLOCK:
      return params->transform == BDCT_HEVC_QUADTREE;
    case PROP_RDOQ:
      return bdct_transform_has_rdoq (params->transform) || !params->rdoq;
    case PROP_LAMBDA_SCALE:
      return params->transform == BDCT_HEVC_QUADTREE || (params->rdoq
          && bdct_transform_has_rdoq (params->transform));
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

static gboolean
has_effect_on_b (guint id, const GstBlockDctSecond * second,
    const BdctParams * a)
{
  BdctParams b;

  if (second->transform == 0 || id == PROP_QUALITY || id == PROP_QP)
    return FALSE;
  b = gst_blockdct_second_params (second, a);
  return has_effect (id, &b);
}

void
gst_blockdct_tell_idle (GstBlockDct * self, const BdctParams * params,
    const GstBlockDctSecond * second)
{
  const gchar *transform = bdct_transform_info (params->transform)->name;
  guint *told = &self->told_idle[params->transform], idle = 0;

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < G_N_ELEMENTS (quantizers); i++)
    if (gst_blockdct_changes_was_set (&self->changes, quantizers[i].id)
        && !has_effect (quantizers[i].id, params)
        && !has_effect_on_b (quantizers[i].id, second, params))
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
install_second (GObjectClass * klass)
{
  /**
   * GstBlockDct:b-transform:
   *
   * The transform of B, which each frame is also made with, to be compared with
   * what the other properties make of it, A: by its figures, whose fields begin
   * with `b-`, and in the views of #GstBlockDct:left and #GstBlockDct:right.
   * But for #GstBlockDct:b-quality and #GstBlockDct:b-qp, B is quantized by A's
   * properties; it has no regions and no target.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_B_TRANSFORM, FIELD (second.transform),
      g_param_spec_enum ("b-transform", "B: transform",
          "Transform of B, which is compared with A, what the other properties "
          "say", b_transform_get_type (), 0, LIVE));
  /**
   * GstBlockDct:b-quality:
   *
   * #GstBlockDct:quality of B.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_B_QUALITY, FIELD (second.quality),
      g_param_spec_int ("b-quality", "B: quality", "Quality of B", 1, 100,
          default_params.quality, LIVE));
  /**
   * GstBlockDct:b-qp:
   *
   * #GstBlockDct:qp of B.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_B_QP, FIELD (second.qp),
      g_param_spec_int ("b-qp", "B: QP", "Luma quantization parameter of B", 0,
          51, default_params.qp, LIVE));
  gst_type_mark_as_plugin_api (b_transform_get_type (), 0);
}

void
gst_blockdct_install_quantizers (GObjectClass * klass)
{
  /**
   * GstBlockDct:transform:
   *
   * The block transform, and the quantizer and the arithmetic that go with it.
   * All of them take samples, where a video encoder takes what its prediction
   * leaves; the DST is made for that and says least about one. vvc-64x64 is
   * made for large smooth blocks: in all others it loses what it does not keep.
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
   * Scales the tables of #GstBlockDct:quantization-preset as libjpeg does, or
   * those of #GstBlockDct:quantization-file if #GstBlockDct:quantization-scale
   * says so. For jpeg-8x8 and dct-8x8 without a
   * #GstBlockDct:quantization-matrix.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_QUALITY, FIELD (params.quality),
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
  gst_blockdct_property (klass, PROP_QP, FIELD (params.qp),
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
   * which leaves more levels 0. H.265's quantizer has it to the nearest 1/512.
   * For the transforms that have a #GstBlockDct:qp.
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
   * Whether levels are chosen by what rate and distortion cost together, in the
   * spirit of HM's rate-distortion optimized quantization, instead of rounded
   * each by itself. For the transforms hevc-*.
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
   * 32, and not above #GstBlockDct:max-block. Set both at once where the one
   * would be refused without the other.
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
   * What a bit weighs beside squared errors where hevc-quadtree or
   * #GstBlockDct:rdoq chooses, times HM's lambda: with 0 the blocks and levels
   * that err least are taken, with more those that cost fewer bits.
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
   * GstBlockDct:quantization-matrix:
   *
   * Steps for jpeg-8x8 and dct-8x8 in place of the scaled tables: none, 64 for
   * all planes, or 128, luma's and then chroma's. Row-major, rows are vertical
   * frequency; 1 to 32767, in 8-bit jpeg-8x8 with #GstBlockDct:baseline 1 to
   * 255. In gst-launch-1.0: quantization-matrix="<16, 11, ...>".
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_QUANTIZATION_MATRIX, MATRIX_FIELD,
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
  gst_blockdct_property (klass, PROP_QUANTIZATION_FILE, FIELD (params.tables),
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
  gst_blockdct_property (klass, PROP_QUANTIZATION_SCALE,
      FIELD (params.scale_tables),
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
  gst_blockdct_property (klass, PROP_QUANTIZATION_PRESET, FIELD (params.preset),
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
  gst_blockdct_property (klass, PROP_BASELINE, FIELD (params.baseline),
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
  gst_blockdct_property (klass, PROP_CHROMA_SUBSAMPLING, FIELD (subsampling),
      g_param_spec_enum ("chroma-subsampling", "Chroma subsampling",
          "Of the planes that R, G and B become", subsampling_get_type (),
          BDCT_CHROMA_420, LIVE));

  install_second (klass);

  gst_blockdct_property_access (PROP_QUANTIZATION_MATRIX, set_matrix,
      get_matrix);
  gst_blockdct_property_access (PROP_QUANTIZATION_FILE, set_tables, get_tables);
  gst_blockdct_property_access (PROP_SCALING_LIST_FILE, set_lists, get_lists);
  gst_type_mark_as_plugin_api (transform_get_type (), 0);
  gst_type_mark_as_plugin_api (scaling_list_get_type (), 0);
  gst_type_mark_as_plugin_api (preset_get_type (), 0);
  gst_type_mark_as_plugin_api (subsampling_get_type (), 0);
}
