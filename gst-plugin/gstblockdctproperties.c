/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element's properties: a row in `fields` says where a value is among the
 * settings, and a block below what it means. */
#include "gstblockdct.h"

#include <string.h>

enum
{
  PROP_0,
  PROP_TRANSFORM,
  PROP_QUALITY,
  PROP_QP,
  PROP_CHROMA_QP_OFFSET,
  PROP_SCALING_LIST,
  PROP_QUANTIZATION_MATRIX,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_THREADS,
  PROP_ASYNC_DEPTH,
  PROP_POST_MESSAGES,
  PROP_INTERVAL,
  PROP_VIEW,
  PROP_WIPE_POSITION,
  PROP_DIFFERENCE_GAIN,
  PROP_GRID,
  PROP_OVERLAY,
  PROP_INTERACTIVE,
  PROP_STATS_FILE,
  PROP_STATS,
  PROP_ACTIVE_BACKEND,
  N_PROPERTIES
};

G_STATIC_ASSERT (N_PROPERTIES <= GST_BLOCKDCT_MAX_PROPERTIES);

#define OFFSET(member) G_STRUCT_OFFSET (GstBlockDctSettings, member)
#define FIELD(member) \
  {OFFSET (member), sizeof (((GstBlockDctSettings *) NULL)->member), FALSE}
#define READY_FIELD(member) \
  {OFFSET (member), sizeof (((GstBlockDctSettings *) NULL)->member), TRUE}

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
  [PROP_QUANTIZATION_MATRIX] = {OFFSET (params.n_steps), sizeof (Matrix),
      FALSE},
  [PROP_BACKEND] = READY_FIELD (backend),
  [PROP_CUDA_DEVICE_ID] = READY_FIELD (device_id),
  [PROP_THREADS] = READY_FIELD (threads),
  [PROP_ASYNC_DEPTH] = READY_FIELD (async_depth),
  [PROP_POST_MESSAGES] = FIELD (post_messages),
  [PROP_INTERVAL] = FIELD (interval),
  [PROP_VIEW] = FIELD (view),
  [PROP_WIPE_POSITION] = FIELD (wipe_position),
  [PROP_DIFFERENCE_GAIN] = FIELD (difference_gain),
  [PROP_GRID] = FIELD (grid),
  [PROP_OVERLAY] = FIELD (overlay),
  [PROP_INTERACTIVE] = FIELD (interactive),
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
      {0, NULL, NULL}
    };

    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctScalingList", values));
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

static void
set_matrix (GstBlockDct * self, const GValue * value)
{
  guint n = gst_value_array_get_size (value);
  Matrix matrix = {.n_steps = n };
  BdctError error;

  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (matrix.steps)); i++) {
    const GValue *v = gst_value_array_get_value (value, i);

    matrix.steps[i] = G_VALUE_HOLDS_INT (v) ? g_value_get_int (v) : 0;
  }
  /* What no stream allows. The rest is checked with the whole group. */
  if (bdct_steps_check (matrix.steps, n, BDCT_DCT_8X8, 0, &error))
    gst_blockdct_changes_set (&self->changes, GST_ELEMENT (self),
        PROP_QUANTIZATION_MATRIX, &fields[PROP_QUANTIZATION_MATRIX], &matrix);
  else
    gst_blockdct_changes_warn (&self->changes, GST_ELEMENT (self), &error);
}

static void
get_matrix (const Matrix * matrix, GValue * value)
{
  for (gint i = 0; i < matrix->n_steps; i++) {
    GValue v = G_VALUE_INIT;

    g_value_init (&v, G_TYPE_INT);
    g_value_set_int (&v, matrix->steps[i]);
    gst_value_array_append_and_take_value (value, &v);
  }
}

/* The types of what is among the settings, as GType, C and GValue name them.
 * An enumeration is as large as an int. */
#define TYPES(TYPE) \
  TYPE (ENUM, gint, enum) \
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
    case G_TYPE_STRING:        /* stats-file */
      if (!set_stats_path (self, g_value_get_string (value)))
        refuse (self, pspec->name);
      return;
    default:                   /* quantization-matrix */
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
      g_value_set_string (value, id == PROP_STATS_FILE ? self->stats_path
          : self->active_backend);
      break;
    case G_TYPE_BOXED:
      if (id == PROP_STATS)
        g_value_take_boxed (value, gst_blockdct_report_stats (&self->totals));
      break;
    default:
      get_matrix (field, value);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
dispatch_properties_changed (GObject * object, guint n_pspecs,
    GParamSpec ** pspecs)
{
  n_pspecs = gst_blockdct_changes_take (&GST_BLOCKDCT (object)->changes,
      GST_ELEMENT (object), n_pspecs, pspecs);
  if (n_pspecs > 0)
    parent_dispatch (object, n_pspecs, pspecs);
}

void
gst_blockdct_init_properties (GstBlockDct * self)
{
  const GstBlockDctSettings initial = {
    .params = default_params,
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
#define READ (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

/* What is done to a frame. */
static void
install_params (GObjectClass * klass)
{
  /**
   * GstBlockDct:transform:
   *
   * The block transform, and the quantizer and the arithmetic that go with it.
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
   * Scales the tables of JPEG's Annex K as libjpeg does. For jpeg-8x8 and
   * dct-8x8 without a #GstBlockDct:quantization-matrix.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_QUALITY,
      g_param_spec_int ("quality", "Quality",
          "IJG quality that scales the Annex K tables (jpeg-8x8, dct-8x8 "
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
   * How coarsely each frequency is quantized: all alike, or by the standard's
   * default lists for intra blocks. For H.265's quantizer.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_SCALING_LIST,
      g_param_spec_enum ("scaling-list", "Scaling list",
          "Weights of H.265's quantizer by frequency",
          scaling_list_get_type (), default_params.scaling_list, LIVE));
  /**
   * GstBlockDct:quantization-matrix:
   *
   * Steps for jpeg-8x8 and dct-8x8 in place of the scaled Annex K tables:
   * none, 64 for all planes, or 128, luma's and then chroma's. Row-major, rows
   * are vertical frequency; 1 to 32767, in 8-bit jpeg-8x8 1 to 255. In
   * gst-launch-1.0: quantization-matrix="<16, 11, ...>".
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_QUANTIZATION_MATRIX,
      gst_param_spec_array ("quantization-matrix", "Quantization matrix",
          "0, 64 or 128 steps in row-major order (jpeg-8x8, dct-8x8)",
          g_param_spec_int ("step", "Step", "Quantization step",
              G_MININT, G_MAXINT, 1, BASE), PLAYING));
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
   * and, over the frames, `psnr-min`, `psnr-max`, `psnr-mean`.
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
  install_engine (klass);
  install_report (klass);
  install_view (klass);
  gst_type_mark_as_plugin_api (transform_get_type (), 0);
  gst_type_mark_as_plugin_api (scaling_list_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_blockdct_backend_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_blockdct_view_get_type (), 0);
}
