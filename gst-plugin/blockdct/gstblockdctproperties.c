/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element's properties. */
#include "gstblockdctprivate.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_blockdct_debug

/* Both are out of reach of any frame: levels of 16 bits, or a single sample
 * of the largest picture that differs by 1. */
#define MAX_BPP 1000
#define MAX_DB 200

/* A field's offset in what other threads share, and its size. */
#define SHARED(member) G_STRUCT_OFFSET (GstBlockDctShared, member), \
    sizeof (((GstBlockDctShared *) NULL)->member)
#define FIELD(member) SHARED (settings.member)

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* The frames on which a property has an effect. */
typedef enum
{
  ANY, WITH_QUALITY, WITH_QP, WITH_LISTS, TREE, WITH_RGB
} Users;

static const gchar *const users[] = {
  NULL, "jpeg-8x8 and dct-8x8", "all transforms but jpeg-8x8 and dct-8x8",
  "hevc-* and vvc-64x64", "hevc-quadtree"
};

/* The setting that a property needs beside. */
typedef struct
{
  const gchar *name;
  gsize offset;                 /* in the settings */
  gint value;
} Needs;

#define SETTING(member) G_STRUCT_OFFSET (GstBlockDctSettings, member)

static const Needs scaling_file = { "scaling-list=file",
  SETTING (params.scaling_list), BDCT_SCALING_FILE
};

static const Needs tables_matrix = { "quantization-tables=matrix",
  SETTING (tables), GST_BLOCKDCT_TABLES_MATRIX
};

static const Needs tables_file = { "quantization-tables=file",
  SETTING (tables), GST_BLOCKDCT_TABLES_FILE
};

/* A property's value is `size` bytes of what is shared. Where a function is
 * NULL, the value is copied (gst_blockdct_param_set()). */
typedef struct
{
  const gchar *name;
  gsize offset, size;
  Users users;
  const Needs *needs;           /* NULL: none */
  GstBlockDctParse *parse;
  GstBlockDctFormat *format;
} Property;

/* By id; filled by class_init. */
static Property properties[64];
static guint n_properties = 1;

static Property *
add (GObjectClass * klass, gsize offset, gsize size, Users used_by,
    GParamSpec * pspec)
{
  Property *property = &properties[n_properties];

  g_assert (n_properties < G_N_ELEMENTS (properties));
  property->name = pspec->name;
  property->offset = offset;
  property->size = size;
  property->users = used_by;
  gst_blockdct_param_install (klass, n_properties++, pspec);
  return property;
}

static gpointer
get_field (GstBlockDct * self, guint id)
{
  return G_STRUCT_MEMBER_P (&self->shared, properties[id].offset);
}

/* Enumerations */

static const GEnumValue scaling_lists[] = {
  {BDCT_SCALING_FLAT, "16 for every coefficient", "flat"},
  {BDCT_SCALING_DEFAULT, "the standard's default intra lists", "default"},
  {BDCT_SCALING_FILE, "the lists in scaling-list-file", "file"},
  {0, NULL, NULL}
};

static const GEnumValue subsamplings[] = {
  {BDCT_CHROMA_420, "U and V half as wide and half as high", "4:2:0"},
  {BDCT_CHROMA_422, "U and V half as wide", "4:2:2"},
  {BDCT_CHROMA_440, "U and V half as high", "4:4:0"},
  {BDCT_CHROMA_444, "U and V as large as Y", "4:4:4"},
  {0, NULL, NULL}
};

static GType
make_transforms (void)
{
  static GEnumValue values[BDCT_N_TRANSFORMS + 1];

  for (gint i = 0; i < BDCT_N_TRANSFORMS; i++) {
    const BdctTransformInfo *info = bdct_transform_info (i);

    values[i] = (GEnumValue) { i, info->description, info->name };
  }
  return g_enum_register_static ("GstBlockDctTransform", values);
}

static GType
make_tables (void)
{
  static GEnumValue values[BDCT_N_PRESETS + 3] = {
    [GST_BLOCKDCT_TABLES_MATRIX] = {GST_BLOCKDCT_TABLES_MATRIX,
        "the steps in quantization-matrix", "matrix"},
    [GST_BLOCKDCT_TABLES_FILE] = {GST_BLOCKDCT_TABLES_FILE,
        "the steps in quantization-file", "file"},
  };

  for (gint i = 0; i < BDCT_N_PRESETS; i++) {
    const BdctPresetInfo *info = bdct_preset_info (i);

    values[i] = (GEnumValue) { i, info->description, info->name };
  }
  return g_enum_register_static ("GstBlockDctQuantizationTables", values);
}

static GType
make_metrics (void)
{
  static GFlagsValue values[BDCT_N_METRICS + 2] = {
    [BDCT_N_METRICS] = {GST_BLOCKDCT_BITS,
        "Bits: exact for a baseline JPEG file (jpeg-8x8 at 8 bits), else an "
          "estimate", "bits"},
  };

  return gst_blockdct_param_metrics ("GstBlockDctMetrics", values, 0);
}

static GType
make_views (void)
{
  static const BdctViewMode modes[] = {
    BDCT_VIEW_RECONSTRUCTION, BDCT_VIEW_ORIGINAL, BDCT_VIEW_COEFFICIENTS,
    BDCT_VIEW_NONZERO_MAP, BDCT_VIEW_QUALITY_MAP, BDCT_VIEW_SIZE_MAP,
    BDCT_VIEW_ERROR_MAP
  };
  static GEnumValue values[G_N_ELEMENTS (modes) + 1];

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    const BdctViewInfo *info = bdct_view_info (modes[i]);

    values[i] = (GEnumValue) { modes[i], info->description, info->name };
  }
  return g_enum_register_static ("GstBlockDctView", values);
}

static void
format_stats (gconstpointer field, GValue * value)
{
  g_value_take_boxed (value, gst_blockdct_structure_stats (field, NULL));
}

/* Setting and reading */

/* Post a warning that a value was not set: at once or, while there is no bus,
 * when the element starts. */
static void
refuse (GstBlockDct * self, const gchar * name, const gchar * reason)
{
  g_autofree gchar *text =
      g_strdup_printf ("%s was not changed: %s.", name, reason);
  gboolean has_bus;

  GST_OBJECT_LOCK (self);
  has_bus = GST_ELEMENT_BUS (self) != NULL;
  if (!has_bus) {
    if (self->shared.refused == NULL)
      self->shared.refused = g_string_new (NULL);
    g_string_append_printf (self->shared.refused, "%s%s",
        self->shared.refused->len > 0 ? " " : "", text);
  }
  GST_OBJECT_UNLOCK (self);
  if (has_bus)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", text), (NULL));
  else
    GST_WARNING_OBJECT (self, "%s", text);
}

/* Whether a property has this value already. Called with the lock. */
static gboolean
has_value (GstBlockDct * self, GParamSpec * pspec, const GValue * value)
{
  GValue current = G_VALUE_INIT;
  gboolean same;

  g_value_init (&current, pspec->value_type);
  gst_blockdct_param_get (get_field (self, pspec->param_id), &current);
  same = g_param_values_cmp (pspec, value, &current) == 0;
  g_value_unset (&current);
  return same;
}

static void
set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (object);
  g_autofree gpointer parsed = NULL;
  BdctError error;
  gboolean late;

  if (properties[id].parse != NULL) {
    parsed = g_malloc0 (properties[id].size);
    if (!properties[id].parse (value, parsed, &error)) {
      refuse (self, pspec->name, error.message);
      return;
    }
  }
  GST_OBJECT_LOCK (self);
  late = self->shared.started && (pspec->flags & GST_PARAM_MUTABLE_READY) != 0
      && !has_value (self, pspec, value);
  if (!late) {
    if (parsed != NULL)
      memcpy (get_field (self, id), parsed, properties[id].size);
    else
      gst_blockdct_param_set (get_field (self, id), value);
    self->shared.was_set |= G_GUINT64_CONSTANT (1) << id;
  }
  GST_OBJECT_UNLOCK (self);
  if (late)
    refuse (self, pspec->name, "it is read when the element starts; set it in "
        "the state NULL or READY");
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (object);

  GST_OBJECT_LOCK (self);
  if (properties[id].format != NULL)
    properties[id].format (get_field (self, id), value);
  else
    gst_blockdct_param_get (get_field (self, id), value);
  GST_OBJECT_UNLOCK (self);
}

void
gst_blockdct_init_properties (GstBlockDct * self)
{
  self->shared.settings = (GstBlockDctSettings) {
  .params = defaults,.tables = defaults.preset,.subsampling =
        BDCT_CHROMA_420,.common = {.post_messages = TRUE,.device_id =
          -1},.async_depth = 1};
}

void
gst_blockdct_properties_start (GstBlockDct * self)
{
  GString *refused;

  GST_OBJECT_LOCK (self);
  self->shared.started = TRUE;
  refused = g_steal_pointer (&self->shared.refused);
  GST_OBJECT_UNLOCK (self);
  if (refused == NULL)
    return;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", refused->str), (NULL));
  g_string_free (refused, TRUE);
}

/* Settings without effect */

/* Whether what a property needs is in force, or it is not set to anything: its
 * field begins with 0. */
static gboolean
has_needs (const Property * p, const GstBlockDctSettings * settings)
{
  return p->needs == NULL
      || G_STRUCT_MEMBER (gint, settings, p->needs->offset) == p->needs->value
      || G_STRUCT_MEMBER (gint, settings, p->offset) == 0;
}

void
gst_blockdct_warn_unused (GstBlockDct * self,
    const GstBlockDctSettings * settings)
{
  const BdctTransform transform = settings->params.transform;
  const BdctTransformInfo *info = bdct_transform_info (transform);
  const gboolean uses[] = { TRUE, !info->has_qp, info->has_qp, info->has_lists,
    transform == BDCT_HEVC_QUADTREE, GST_VIDEO_INFO_IS_RGB (&self->info)
  };
  guint64 was_set;

  GST_OBJECT_LOCK (self);
  was_set = self->shared.was_set;
  GST_OBJECT_UNLOCK (self);
  for (guint id = 1; id < n_properties; id++) {
    const Property *p = &properties[id];
    const gboolean used = uses[p->users];

    if (!(was_set >> id & 1) || (used && has_needs (p, settings)))
      continue;
    if (p->users == WITH_RGB) {
      if (gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_SUBSAMPLING))
        GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
            ("chroma-subsampling has no effect on %s.",
                GST_VIDEO_INFO_NAME (&self->info)),
            ("It applies to RGB; other frames have their own subsampling."));
      continue;
    }
    if (self->warned.unused[transform] >> id & 1)
      continue;
    self->warned.unused[transform] |= 1u << id;
    if (used)
      GST_ELEMENT_INFO (self, LIBRARY, SETTINGS,
          ("%s has no effect without %s.", p->name, p->needs->name),
          ("Set %s so that %s takes effect.", p->needs->name, p->name));
    else
      GST_ELEMENT_INFO (self, LIBRARY, SETTINGS,
          ("%s has no effect with transform=%s.", p->name, info->name),
          ("%s has no effect with transform=%s: it is for %s.", p->name,
              info->name, users[p->users]));
  }
}

/* Installing */

static void
convert (Property * property, GstBlockDctParse * parse,
    GstBlockDctFormat * format)
{
  property->parse = parse;
  property->format = format;
}

static void
install (GObjectClass * klass, gsize offset, GParamSpec * pspec)
{
  add (klass, offset, 0, ANY, pspec);
}

static void
install_quantizers (GObjectClass * klass)
{
  Property *p;

  add (klass, FIELD (params.transform), ANY,
      g_param_spec_enum ("transform", "Transform",
          "Block transform, with the arithmetic and the quantizer of its "
          "standard", make_transforms (), defaults.transform, LIVE));
  add (klass, FIELD (params.quality), WITH_QUALITY,
      g_param_spec_int ("quality", "Quality",
          "JPEG quality: scales the quantization tables as libjpeg does "
          "(jpeg-8x8, dct-8x8)", 1, 100, defaults.quality, LIVE));
  add (klass, FIELD (params.qp), WITH_QP, g_param_spec_int ("qp", "QP",
          "Quantization parameter of luma (all transforms but jpeg-8x8 and "
          "dct-8x8). Above 8 bits, 6 (depth - 8) is added, as in the "
          "standard's QP'", 0, 51, defaults.qp, LIVE));
  add (klass, FIELD (params.chroma_qp_offset), WITH_QP,
      g_param_spec_int ("chroma-qp-offset", "Chroma QP offset",
          "Added to qp for chroma, before the standard maps it to chroma's QP "
          "(transforms with a qp)", -12, 12, defaults.chroma_qp_offset, LIVE));
  add (klass, FIELD (params.deadzone), WITH_QP,
      g_param_spec_double ("deadzone", "Dead zone",
          "Rounding offset of the quantizer, in steps (transforms with a qp). "
          "Encoders use 1/3 for intra and 1/6 for inter blocks; a smaller "
          "offset gives more zeros", BDCT_MIN_DEADZONE, BDCT_MAX_DEADZONE,
          defaults.deadzone, LIVE));
  add (klass, FIELD (params.min_block), TREE,
      g_param_spec_int ("min-block", "Smallest block",
          "Side of the smallest luma block that hevc-quadtree may choose: 4, "
          "8, 16 or 32. A value above max-block counts as max-block", 4, 32,
          defaults.min_block, LIVE))->parse = gst_blockdct_parse_side;
  add (klass, FIELD (params.max_block), TREE,
      g_param_spec_int ("max-block", "Largest block",
          "Side of the largest luma block that hevc-quadtree may choose: 4, 8, "
          "16 or 32", 4, 32,
          defaults.max_block, LIVE))->parse = gst_blockdct_parse_side;
  add (klass, FIELD (params.lambda_scale), TREE,
      g_param_spec_double ("lambda-scale", "Lambda scale",
          "Factor on HM's lambda, which weighs bits against squared errors in "
          "hevc-quadtree; 0 minimizes the errors alone", 0,
          BDCT_MAX_LAMBDA_SCALE, defaults.lambda_scale, LIVE));
  add (klass, FIELD (params.scaling_list), WITH_LISTS,
      g_param_spec_enum ("scaling-list", "Scaling list",
          "Weights of the quantizer for each frequency (hevc-*, vvc-64x64)",
          g_enum_register_static ("GstBlockDctScalingList", scaling_lists),
          defaults.scaling_list, LIVE));
  p = add (klass, FIELD (params.lists), WITH_LISTS,
      g_param_spec_string ("scaling-list-file", "Scaling list file",
          "File with the lists for scaling-list=file, in the format of HM and "
          "x265 (hevc-*, vvc-64x64). Setting the property reads the file", NULL,
          PLAYING));
  convert (p, gst_blockdct_parse_lists, gst_blockdct_format_file);
  p->needs = &scaling_file;
  add (klass, FIELD (tables), WITH_QUALITY,
      g_param_spec_enum ("quantization-tables", "Quantization tables",
          "Tables of quantization steps (jpeg-8x8, dct-8x8): mozjpeg's, which "
          "quality scales, or your own by matrix or file", make_tables (),
          defaults.preset, LIVE));
  p = add (klass, FIELD (matrix), WITH_QUALITY,
      gst_param_spec_array ("quantization-matrix", "Quantization matrix",
          "Steps for quantization-tables=matrix, 1 to 32767 (8-bit jpeg-8x8 "
          "with baseline: 1 to 255). 64 for all planes, or 64 for luma and 64 "
          "for chroma; row by row, a row for each vertical frequency",
          g_param_spec_int ("step", "Step", "Quantization step", G_MININT,
              G_MAXINT, 1, BASE), PLAYING));
  convert (p, gst_blockdct_parse_matrix, gst_blockdct_format_list);
  p->needs = &tables_matrix;
  p = add (klass, FIELD (file), WITH_QUALITY,
      g_param_spec_string ("quantization-file", "Quantization file",
          "File with the steps for quantization-tables=file: a text that cjpeg "
          "-qtables takes, or a JPEG file. Setting the property reads the file",
          NULL, PLAYING));
  convert (p, gst_blockdct_parse_tables, gst_blockdct_format_file);
  p->needs = &tables_file;
  add (klass, FIELD (params.scale_tables), WITH_QUALITY,
      g_param_spec_boolean ("quantization-scale", "Quantization scale",
          "Let quality scale the steps of quantization-file, as cjpeg -qtables "
          "FILE -quality Q does", FALSE, LIVE))->needs = &tables_file;
  add (klass, FIELD (params.baseline), WITH_QUALITY,
      g_param_spec_boolean ("baseline", "Baseline",
          "At 8 bits, limit quantization steps to 255, as cjpeg -baseline "
          "does, instead of 32767 (jpeg-8x8, dct-8x8)", defaults.baseline,
          LIVE));
  add (klass, FIELD (subsampling), WITH_RGB,
      g_param_spec_enum ("chroma-subsampling", "Chroma subsampling",
          "Chroma subsampling to which RGB frames are converted. No effect on "
          "others",
          g_enum_register_static ("GstBlockDctChromaSubsampling", subsamplings),
          BDCT_CHROMA_420, LIVE));
}

static void
install_reports (GObjectClass * klass)
{
  Property *p;

  add (klass, FIELD (targets.psnr), ANY,
      g_param_spec_double ("target-psnr", "Target PSNR",
          "For each frame, choose the coarsest quality or qp found to reach "
          "this PSNR (dB; 0 = off)", 0, MAX_DB, 0, LIVE));
  add (klass, FIELD (targets.ssim), ANY,
      g_param_spec_double ("target-ssim", "Target SSIM",
          "For each frame, choose the coarsest quality or qp found to reach "
          "this SSIM over all planes (0 = off)", 0, 1, 0, LIVE));
  add (klass, FIELD (targets.bpp), ANY,
      g_param_spec_double ("target-bpp", "Target bits per sample",
          "For each frame, choose the finest quality or qp found to take at "
          "most this many bits per luma sample (0 = off)", 0, MAX_BPP, 0,
          LIVE));
  add (klass, FIELD (targets.size), ANY,
      g_param_spec_uint ("target-size", "Target size",
          "For each frame, choose the finest quality or qp found to take at "
          "most this many bytes: of the JPEG file for 8-bit jpeg-8x8, else of "
          "the estimated bits (0 = off)", 0, G_MAXUINT, 0, LIVE));
  add (klass, FIELD (metrics), ANY, g_param_spec_flags ("metrics", "Metrics",
          "What to measure for each frame besides PSNR", make_metrics (), 0,
          LIVE));
  /* Its elements have no type, as "all" is a string. */
  p = add (klass, FIELD (curve), ANY, gst_param_spec_array ("curve", "Curve",
          "Evaluate each frame also at these qualities (1 to 100) or QPs (0 to "
          "51), and post a blockdct-curve message: up to 128 ints, or <all>",
          NULL, PLAYING));
  convert (p, gst_blockdct_parse_curve, gst_blockdct_format_list);
  add (klass, FIELD (view), ANY, g_param_spec_enum ("view", "View",
          "What the output shows; the figures always describe the "
          "reconstruction", make_views (), BDCT_VIEW_RECONSTRUCTION, LIVE));
  add (klass, FIELD (grid), ANY, g_param_spec_boolean ("grid", "Grid",
          "Draw the borders of luma blocks, in any view", FALSE, LIVE));
  gst_blockdct_param_common (install, klass,
      G_STRUCT_OFFSET (GstBlockDctShared, settings.common));
  add (klass, SHARED (statistics.totals), ANY, g_param_spec_boxed ("stats",
          "Statistics", "Figures over all frames since the start",
          GST_TYPE_STRUCTURE, READ))->format = format_stats;
  add (klass, FIELD (async_depth), ANY,
      g_param_spec_uint ("async-depth", "Asynchronous depth",
          "Frames in flight; each one above the first adds a frame of latency",
          1, BDCT_MAX_DEPTH, 1, READY));
  add (klass, SHARED (backend.name), ANY,
      g_param_spec_string ("active-backend", "Active backend",
          "The engine in use, such as 'cuda:0 NVIDIA H200' or 'cpu:avx2 2 "
          "threads'; NULL while stopped", NULL, READ));
}

void
gst_blockdct_install_properties (GObjectClass * klass)
{
  klass->set_property = GST_DEBUG_FUNCPTR (set_property);
  klass->get_property = GST_DEBUG_FUNCPTR (get_property);
  install_quantizers (klass);
  install_reports (klass);
}
