/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element's properties. A setter writes `wanted`; when GObject announces
 * the changes, which it does once for all properties of one g_object_set() or
 * between g_object_freeze_notify() and g_object_thaw_notify(), they become
 * `settings`. The next frame then sees all of them or none.
 *
 * Threads share GObject's queue: one may announce what another one has set,
 * while a third is half way. So `wanted` is taken over only if nobody has
 * announcements frozen, which an announcement of our own tells: it arrives at
 * once or not at all. Whoever is half way will announce and take over later. */
#include "gstblockdct.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

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
};

static const BdctParams default_params = BDCT_PARAMS_DEFAULT;
static const BdctView default_view = BDCT_VIEW_DEFAULT;

static void (*parent_dispatch) (GObject * object, guint n_pspecs,
    GParamSpec ** pspecs);

/* The announcement of our own: of `stats`, which nobody else announces. */
static GParamSpec *probe;
static GPrivate probe_arrived;

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

static GType
backend_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    static const GEnumValue values[] = {
      {GST_BLOCKDCT_BACKEND_AUTO, "CUDA where a device is, else the CPU",
          "auto"},
      {GST_BLOCKDCT_BACKEND_CUDA, "CUDA, or an error", "cuda"},
      {GST_BLOCKDCT_BACKEND_CPU, "the CPU; system memory only", "cpu"},
      {0, NULL, NULL}
    };

    g_once_init_leave (&type,
        g_enum_register_static ("GstBlockDctBackend", values));
  }
  return type;
}

GstBlockDctSettings
gst_blockdct_get_settings (GstBlockDct * self)
{
  GstBlockDctSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);
  return settings;
}

static gboolean
same_matrix (const BdctParams * a, const BdctParams * b)
{
  return a->n_steps == b->n_steps
      && memcmp (a->steps, b->steps, a->n_steps * sizeof a->steps[0]) == 0;
}

void
gst_blockdct_drop_matrix (GstBlockDct * self, const BdctParams * bad)
{
  GST_OBJECT_LOCK (self);
  /* Not one that was set since. */
  if (same_matrix (&self->wanted.params, bad))
    self->wanted.params.n_steps = 0;
  if (same_matrix (&self->settings.params, bad))
    self->settings.params.n_steps = 0;
  GST_OBJECT_UNLOCK (self);
  g_object_notify (G_OBJECT (self), "quantization-matrix");
}

/* While the element has no bus, as in gst-launch-1.0's parsing, nobody would
 * hear: then the start says it. */
static void
warn_matrix (GstBlockDct * self, const BdctError * error)
{
  gboolean deaf;

  GST_OBJECT_LOCK (self);
  deaf = GST_ELEMENT_BUS (self) == NULL;
  if (deaf)
    self->unheard = *error;
  GST_OBJECT_UNLOCK (self);
  if (deaf)
    GST_WARNING_OBJECT (self, "%s", error->message);
  else
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("quantization-matrix was not changed: %s.", error->message), (NULL));
}

void
gst_blockdct_say_unheard (GstBlockDct * self)
{
  BdctError error;

  GST_OBJECT_LOCK (self);
  error = self->unheard;
  self->unheard.message[0] = '\0';
  GST_OBJECT_UNLOCK (self);
  if (error.message[0] != '\0')
    warn_matrix (self, &error);
}

static void
set_matrix (GstBlockDct * self, const GValue * value)
{
  gint steps[G_N_ELEMENTS (default_params.steps)];
  guint n = gst_value_array_get_size (value);
  BdctError error;

  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (steps)); i++) {
    const GValue *v = gst_value_array_get_value (value, i);

    steps[i] = G_VALUE_HOLDS_INT (v) ? g_value_get_int (v) : 0;
  }
  /* What no stream allows. The rest is checked with the whole group. */
  if (!bdct_steps_check (steps, n, BDCT_DCT_8X8, 0, &error)) {
    warn_matrix (self, &error);
    return;
  }
  GST_OBJECT_LOCK (self);
  self->n_set++;
  self->wanted.params.n_steps = n;
  memcpy (self->wanted.params.steps, steps, n * sizeof steps[0]);
  GST_OBJECT_UNLOCK (self);
}

static void
get_matrix (const BdctParams * params, GValue * value)
{
  for (gint i = 0; i < params->n_steps; i++) {
    GValue v = G_VALUE_INIT;

    g_value_init (&v, G_TYPE_INT);
    g_value_set_int (&v, params->steps[i]);
    gst_value_array_append_and_take_value (value, &v);
  }
}

static void
set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstBlockDct *self = GST_BLOCKDCT (object);
  GstBlockDctSettings *w = &self->wanted;

  if (id == PROP_QUANTIZATION_MATRIX) {
    set_matrix (self, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  self->n_set++;
  switch (id) {
    case PROP_TRANSFORM:
      w->params.transform = g_value_get_enum (value);
      break;
    case PROP_QUALITY:
      w->params.quality = g_value_get_int (value);
      break;
    case PROP_QP:
      w->params.qp = g_value_get_int (value);
      break;
    case PROP_CHROMA_QP_OFFSET:
      w->params.chroma_qp_offset = g_value_get_int (value);
      break;
    case PROP_SCALING_LIST:
      w->params.scaling_list = g_value_get_enum (value);
      break;
    case PROP_BACKEND:
      w->backend = g_value_get_enum (value);
      break;
    case PROP_CUDA_DEVICE_ID:
      w->device_id = g_value_get_int (value);
      break;
    case PROP_THREADS:
      w->threads = g_value_get_uint (value);
      break;
    case PROP_ASYNC_DEPTH:
      w->async_depth = g_value_get_uint (value);
      break;
    case PROP_POST_MESSAGES:
      w->post_messages = g_value_get_boolean (value);
      break;
    case PROP_INTERVAL:
      w->interval = g_value_get_uint64 (value);
      break;
    case PROP_VIEW:
      w->view = g_value_get_enum (value);
      break;
    case PROP_WIPE_POSITION:
      w->wipe_position = g_value_get_double (value);
      break;
    case PROP_DIFFERENCE_GAIN:
      w->difference_gain = g_value_get_double (value);
      break;
    case PROP_GRID:
      w->grid = g_value_get_boolean (value);
      break;
    case PROP_OVERLAY:
      w->overlay = g_value_get_boolean (value);
      break;
    case PROP_INTERACTIVE:
      w->interactive = g_value_get_boolean (value);
      break;
    case PROP_STATS_FILE:
      g_free (self->stats_path);
      self->stats_path = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  GstBlockDct *self = GST_BLOCKDCT (object);
  const GstBlockDctSettings *w = &self->wanted;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_TRANSFORM:
      g_value_set_enum (value, w->params.transform);
      break;
    case PROP_QUALITY:
      g_value_set_int (value, w->params.quality);
      break;
    case PROP_QP:
      g_value_set_int (value, w->params.qp);
      break;
    case PROP_CHROMA_QP_OFFSET:
      g_value_set_int (value, w->params.chroma_qp_offset);
      break;
    case PROP_SCALING_LIST:
      g_value_set_enum (value, w->params.scaling_list);
      break;
    case PROP_QUANTIZATION_MATRIX:
      get_matrix (&w->params, value);
      break;
    case PROP_BACKEND:
      g_value_set_enum (value, w->backend);
      break;
    case PROP_CUDA_DEVICE_ID:
      g_value_set_int (value, w->device_id);
      break;
    case PROP_THREADS:
      g_value_set_uint (value, w->threads);
      break;
    case PROP_ASYNC_DEPTH:
      g_value_set_uint (value, w->async_depth);
      break;
    case PROP_POST_MESSAGES:
      g_value_set_boolean (value, w->post_messages);
      break;
    case PROP_INTERVAL:
      g_value_set_uint64 (value, w->interval);
      break;
    case PROP_VIEW:
      g_value_set_enum (value, w->view);
      break;
    case PROP_WIPE_POSITION:
      g_value_set_double (value, w->wipe_position);
      break;
    case PROP_DIFFERENCE_GAIN:
      g_value_set_double (value, w->difference_gain);
      break;
    case PROP_GRID:
      g_value_set_boolean (value, w->grid);
      break;
    case PROP_OVERLAY:
      g_value_set_boolean (value, w->overlay);
      break;
    case PROP_INTERACTIVE:
      g_value_set_boolean (value, w->interactive);
      break;
    case PROP_STATS_FILE:
      g_value_set_string (value, self->stats_path);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, gst_blockdct_report_stats (&self->totals));
      break;
    case PROP_ACTIVE_BACKEND:
      g_value_set_string (value, self->active_backend);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static gboolean
is_frozen (GstBlockDct * self)
{
  g_private_set (&probe_arrived, NULL);
  g_object_notify_by_pspec (G_OBJECT (self), probe);
  return g_private_get (&probe_arrived) == NULL;
}

/* Let what was set come into force, if it is complete. */
static void
take_over (GstBlockDct * self)
{
  BdctParams *wanted = &self->wanted.params;
  const BdctParams *old = &self->settings.params;
  gboolean bad_matrix = FALSE;
  BdctError error;
  guint n_set;

  GST_OBJECT_LOCK (self);
  n_set = self->n_set;
  GST_OBJECT_UNLOCK (self);
  if (is_frozen (self))
    return;
  GST_OBJECT_LOCK (self);
  if (n_set == self->n_set) {
    gint depth = GST_VIDEO_INFO_FORMAT (&self->info) != GST_VIDEO_FORMAT_UNKNOWN
        ? self->layout.depth : 0;

    bad_matrix = !same_matrix (wanted, old)
        && !bdct_steps_check (wanted->steps, wanted->n_steps,
        wanted->transform, depth, &error);
    if (bad_matrix) {
      wanted->n_steps = old->n_steps;
      memcpy (wanted->steps, old->steps, sizeof wanted->steps);
    }
    self->settings = self->wanted;
  }
  GST_OBJECT_UNLOCK (self);
  if (bad_matrix)
    warn_matrix (self, &error);
}

static void
dispatch_properties_changed (GObject * object, guint n_pspecs,
    GParamSpec ** pspecs)
{
  guint n = 0;

  if (n_pspecs == 1 && pspecs[0] == probe) {
    g_private_set (&probe_arrived, object);
    return;
  }
  /* One that was held up is of no use any more. */
  for (guint i = 0; i < n_pspecs; i++)
    if (pspecs[i] != probe)
      pspecs[n++] = pspecs[i];
  take_over (GST_BLOCKDCT (object));
  if (n > 0)
    parent_dispatch (object, n, pspecs);
}

void
gst_blockdct_init_properties (GstBlockDct * self)
{
  self->wanted = (GstBlockDctSettings) {
    .params = default_params,
    .backend = GST_BLOCKDCT_BACKEND_AUTO,
    .device_id = -1,
    .async_depth = 1,
    .post_messages = TRUE,
    .view = default_view.mode,
    .wipe_position = default_view.position,
    .difference_gain = default_view.gain,
  };
  self->settings = self->wanted;
}

void
gst_blockdct_install_properties (GObjectClass * klass)
{
  const GParamFlags base = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  const GParamFlags ready = base | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = base | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags live = playing | GST_PARAM_CONTROLLABLE;
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  klass->set_property = set_property;
  klass->get_property = get_property;
  parent_dispatch = klass->dispatch_properties_changed;
  klass->dispatch_properties_changed = dispatch_properties_changed;

  g_object_class_install_property (klass, PROP_TRANSFORM,
      g_param_spec_enum ("transform", "Transform",
          "Block transform and the arithmetic that goes with it",
          transform_get_type (), default_params.transform, live));
  g_object_class_install_property (klass, PROP_QUALITY,
      g_param_spec_int ("quality", "Quality",
          "IJG quality that scales the Annex K tables (jpeg-8x8, dct-8x8 "
          "without a quantization-matrix)",
          1, 100, default_params.quality, live));
  g_object_class_install_property (klass, PROP_QP,
      g_param_spec_int ("qp", "QP", "Luma quantization parameter (hevc-*)",
          0, 51, default_params.qp, live));
  g_object_class_install_property (klass, PROP_CHROMA_QP_OFFSET,
      g_param_spec_int ("chroma-qp-offset", "Chroma QP offset",
          "Added to qp before the standard's chroma mapping (hevc-*)",
          -12, 12, default_params.chroma_qp_offset, live));
  g_object_class_install_property (klass, PROP_SCALING_LIST,
      g_param_spec_enum ("scaling-list", "Scaling list",
          "Weights of the quantizer by frequency (hevc-*)",
          scaling_list_get_type (), default_params.scaling_list, live));
  /**
   * GstBlockDct:quantization-matrix:
   *
   * Steps for jpeg-8x8 and dct-8x8 in place of the scaled Annex K tables:
   * none, 64 for all planes, or 128, luma's and then chroma's. Row-major, rows
   * are vertical frequency; 1 to 32767, in 8-bit jpeg-8x8 1 to 255. In
   * gst-launch-1.0: quantization-matrix="<16, 11, ...>".
   */
  g_object_class_install_property (klass, PROP_QUANTIZATION_MATRIX,
      gst_param_spec_array ("quantization-matrix", "Quantization matrix",
          "0, 64 or 128 steps in row-major order (jpeg-8x8, dct-8x8)",
          g_param_spec_int ("step", "Step", "Quantization step",
              G_MININT, G_MAXINT, 1, base), playing));
  g_object_class_install_property (klass, PROP_BACKEND,
      g_param_spec_enum ("backend", "Backend", "Engine to run on",
          backend_get_type (), GST_BLOCKDCT_BACKEND_AUTO, ready));
  g_object_class_install_property (klass, PROP_CUDA_DEVICE_ID,
      g_param_spec_int ("cuda-device-id", "CUDA device ID",
          "GPU to run on (-1 = the pipeline's context, else the first)",
          -1, G_MAXINT, -1, ready));
  g_object_class_install_property (klass, PROP_THREADS,
      g_param_spec_uint ("threads", "Threads",
          "Threads of the CPU engine (0 = one a processor), or on CUDA those "
          "that copy pageable memory (0 = at most 4)",
          0, 1024, 0, ready));
  g_object_class_install_property (klass, PROP_ASYNC_DEPTH,
      g_param_spec_uint ("async-depth", "Asynchronous depth",
          "Frames in flight; each one above the first adds a frame of latency",
          1, BDCT_MAX_DEPTH, 1, ready));
  g_object_class_install_property (klass, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post element messages with the statistics", TRUE, playing));
  g_object_class_install_property (klass, PROP_INTERVAL,
      g_param_spec_uint64 ("interval", "Interval",
          "Post one message for this time, pooled over it (ns; 0 = one for "
          "each frame)", 0, G_MAXUINT64 / 4, 0, playing));
  g_object_class_install_property (klass, PROP_VIEW,
      g_param_spec_enum ("view", "View",
          "What is shown; the statistics are the reconstruction's in any case",
          gst_blockdct_view_get_type (), default_view.mode, live));
  g_object_class_install_property (klass, PROP_WIPE_POSITION,
      g_param_spec_double ("wipe-position", "Wipe position",
          "Where view=wipe is divided, or which part of the picture "
          "view=side-by-side and view=stacked show", 0, 1,
          default_view.position, live));
  g_object_class_install_property (klass, PROP_DIFFERENCE_GAIN,
      g_param_spec_double ("difference-gain", "Difference gain",
          "Amplification of view=difference", 0, BDCT_VIEW_MAX_GAIN,
          default_view.gain, live));
  g_object_class_install_property (klass, PROP_GRID,
      g_param_spec_boolean ("grid", "Grid",
          "Show the borders of luma's blocks", default_view.grid, live));
  g_object_class_install_property (klass, PROP_OVERLAY,
      g_param_spec_boolean ("overlay", "Overlay",
          "Write transform, quality, PSNR and engine on the picture", FALSE,
          live));
  g_object_class_install_property (klass, PROP_INTERACTIVE,
      g_param_spec_boolean ("interactive", "Interactive",
          "Let pointer and keys in the sink's window turn the properties",
          FALSE, playing));
  g_object_class_install_property (klass, PROP_STATS_FILE,
      g_param_spec_string ("stats-file", "Statistics file",
          "Write each frame's figures there (- = standard output): as ffmpeg's "
          "psnr filter, or by its ending as .csv or as .json (JSON lines)",
          NULL, ready));
  /**
   * GstBlockDct:stats:
   *
   * Counters since the start: `frames`, `dropped`, and for each plane `sse-y`
   * (sum of squared errors) and `samples-y`; from them `mse`, `psnr` (global)
   * and, over the frames, `psnr-min`, `psnr-max`, `psnr-mean`.
   */
  probe = g_param_spec_boxed ("stats", "Statistics",
      "Statistics since the start", GST_TYPE_STRUCTURE, read);
  g_object_class_install_property (klass, PROP_STATS, probe);
  g_object_class_install_property (klass, PROP_ACTIVE_BACKEND,
      g_param_spec_string ("active-backend", "Active backend",
          "What runs, such as 'cuda:0 NVIDIA H200' or 'cpu:avx2 2 threads'; "
          "NULL while stopped", NULL, read));

  gst_type_mark_as_plugin_api (transform_get_type (), 0);
  gst_type_mark_as_plugin_api (scaling_list_get_type (), 0);
  gst_type_mark_as_plugin_api (backend_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_blockdct_view_get_type (), 0);
}
