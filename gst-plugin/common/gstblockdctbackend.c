/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of backends, and their common functions. */
#include "gstblockdctbackend.h"
#include "gstblockdctpinned.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

/* Smaller memory of others is copied: it may share a page with other memory,
 * and a page is pinned once. */
#define MIN_PINNED (512 << 10)

gboolean
gst_blockdct_fail (BdctError * error, const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  if (error != NULL)
    g_vsnprintf (error->message, sizeof error->message, format, args);
  va_end (args);
  return FALSE;
}

/* It runs everywhere, and needs neither a context nor memory of its own. */
static const GstBlockDctBackendClass cpu = {
  .engine = BDCT_BACKEND_CPU,
};

#ifdef HAVE_CUDA
#define CUDA &gst_blockdct_backend_cuda
#else
#define CUDA NULL
#endif

static const GEnumValue choices[] = {
  {GST_BLOCKDCT_BACKEND_AUTO, "CUDA if there is a device, else the CPU",
      "auto"},
  {1, "CUDA; an error if it cannot run", "cuda"},
  {2, "the CPU; for system memory only", "cpu"},
  {0, NULL, NULL}
};

/* In the order in which `auto` tries them; the last runs everywhere. A backend
 * without a class is not in this build: choosing it by name is an error. */
static const struct
{
  const GEnumValue *choice;
  GstResourceError error;       /* if it cannot run, */
  const gchar *advice;          /* and its remedy */
  const GstBlockDctBackendClass *klass;
} backends[] = {
  {&choices[1], GST_RESOURCE_ERROR_NOT_FOUND,
      "Check nvidia-smi, cuda-device-id, and that the plugin was built with "
        "CUDA; or use backend=auto or backend=cpu.", CUDA},
  {&choices[2], GST_RESOURCE_ERROR_FAILED,
      "Lower the threads property.", &cpu},
};

GType
gst_blockdct_backend_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstBlockDctBackend",
            choices));
  return type;
}

static gboolean
is_candidate (guint index, gint choice)
{
  return choice == GST_BLOCKDCT_BACKEND_AUTO
      || choice == backends[index].choice->value;
}

const GstBlockDctBackendClass *
gst_blockdct_backend_with_memory (gint choice)
{
  return is_candidate (0, choice) ? backends[0].klass : NULL;
}

static BdctEngine *
make_engine (const GstBlockDctBackendClass * klass, GstObject * context,
    guint threads, BdctError * error)
{
  BdctEngineOptions options = {.size = sizeof options,.threads = threads };

  if (klass->engine_context != NULL)
    options.context = klass->engine_context (context);
  return bdct_engine_new (klass->engine, &options, error);
}

BdctEngine *
gst_blockdct_backend_another (const GstBlockDctBackend * backend,
    guint threads, BdctError * error)
{
  return make_engine (backend->klass, backend->context, threads, error);
}

static gboolean
open_row (GstBlockDctBackend * self, guint index,
    const GstBlockDctCommon * start, BdctError * error)
{
  const GstBlockDctBackendClass *klass = backends[index].klass;
  GstAllocator *allocator = NULL;
  BdctEngine *engine;

  if (klass == NULL)
    return gst_blockdct_fail (error, "this plugin was built without %s",
        backends[index].choice->value_nick);
  if (klass->open != NULL && !klass->open (self, start->device_id, error))
    return FALSE;
  engine = make_engine (klass, self->context, start->threads, error);
  if (engine == NULL)
    return FALSE;
  if (klass->feature != NULL)
    allocator = gst_blockdct_pinned_allocator_new (klass->engine,
        klass->engine_context (self->context), self->context);
  GST_OBJECT_LOCK (self->element);
  self->klass = klass;
  self->engine = engine;
  self->pinned_allocator = allocator;
  GST_OBJECT_UNLOCK (self->element);
  gst_blockdct_backend_rename (self);
  GST_INFO_OBJECT (self->element, "running on %s", self->name);
  return TRUE;
}

gboolean
gst_blockdct_backend_open (GstBlockDctBackend * self,
    const GstBlockDctCommon * start)
{
  for (guint i = 0; i < G_N_ELEMENTS (backends); i++) {
    const gchar *name = backends[i].choice->value_nick;
    BdctError error;

    if (!is_candidate (i, start->backend))
      continue;
    if (open_row (self, i, start, &error))
      return TRUE;
    if (start->backend == backends[i].choice->value
        || i + 1 == G_N_ELEMENTS (backends)) {
      gst_element_message_full (self->element, GST_MESSAGE_ERROR,
          GST_RESOURCE_ERROR, backends[i].error,
          g_strdup_printf ("backend=%s cannot run: %s.", name, error.message),
          g_strdup (backends[i].advice), __FILE__, GST_FUNCTION, __LINE__);
      return FALSE;
    }
    GST_INFO_OBJECT (self->element, "no %s (%s)", name, error.message);
    /* The next backend cannot use the context that this one has found. */
    gst_blockdct_backend_set_context (self, NULL);
  }
  return FALSE;
}

gboolean
gst_blockdct_backend_rename (GstBlockDctBackend * self)
{
  const gchar *name = self->engine == NULL ? NULL : g_intern_string
      (bdct_engine_text (self->engine, BDCT_ENGINE_DESCRIPTION));
  gboolean changed;

  GST_OBJECT_LOCK (self->element);
  changed = name != self->name;
  self->name = name;
  GST_OBJECT_UNLOCK (self->element);
  if (changed)
    g_object_notify (G_OBJECT (self->element), "active-backend");
  return changed;
}

void
gst_blockdct_backend_close (GstBlockDctBackend * self)
{
  g_autoptr (GstAllocator) allocator = NULL;
  BdctEngine *engine;

  GST_OBJECT_LOCK (self->element);
  engine = g_steal_pointer (&self->engine);
  allocator = g_steal_pointer (&self->pinned_allocator);
  self->klass = NULL;
  GST_OBJECT_UNLOCK (self->element);
  bdct_engine_free (engine);
  gst_blockdct_backend_rename (self);
}

/* Contexts */

gboolean
gst_blockdct_backend_query (GstBlockDctBackend * self, GstQuery * query)
{
  const GstBlockDctBackendClass *klass = backends[0].klass;
  g_autoptr (GstObject) ours = NULL;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CONTEXT || klass == NULL)
    return FALSE;
  GST_OBJECT_LOCK (self->element);
  g_set_object (&ours, self->context);
  GST_OBJECT_UNLOCK (self->element);
  return ours != NULL && klass->query_context (self->element, query, ours);
}

void
gst_blockdct_backend_offer_context (GstBlockDctBackend * self,
    GstContext * offered, const GstBlockDctCommon * start)
{
  const GstBlockDctBackendClass *klass =
      gst_blockdct_backend_with_memory (start->backend);

  if (klass != NULL)
    klass->set_context (self->element, offered, start->device_id,
        &self->context);
}

void
gst_blockdct_backend_set_context (GstBlockDctBackend * self, GstObject * other)
{
  g_autoptr (GstObject) old = NULL;

  GST_OBJECT_LOCK (self->element);
  old = self->context;
  self->context = other != NULL ? gst_object_ref (other) : NULL;
  GST_OBJECT_UNLOCK (self->element);
}

GstObject *
gst_blockdct_backend_find_other (const GstBlockDctBackend * self,
    GstBuffer * buffer, gint device_id)
{
  GstObject *other = self->klass->other_context == NULL ? NULL
      : self->klass->other_context (buffer, self->context, device_id);

  if (other == NULL)
    return NULL;
  GST_INFO_OBJECT (self->element, "moving from %" GST_PTR_FORMAT " to %"
      GST_PTR_FORMAT, self->context, other);
  return gst_object_ref (other);
}

/* Memory */

gboolean
gst_blockdct_backend_has_feature (GstCaps * caps, guint index,
    const gchar * feature)
{
  GstCapsFeatures *features = gst_caps_get_features (caps, index);

  return gst_caps_features_get_size (features) == 1
      && gst_caps_features_contains (features, feature);
}

gboolean
gst_blockdct_backend_owns (const GstBlockDctBackendClass * klass,
    GstCaps * caps)
{
  return klass != NULL && klass->feature != NULL
      && gst_blockdct_backend_has_feature (caps, 0, klass->feature);
}

/* The map that contains a plane: with a GstVideoMeta each plane has its own. */
static const GstMapInfo *
find_map (const GstVideoFrame * frame, const guint8 * data)
{
  for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES (frame); i++) {
    const GstMapInfo *map = &frame->map[i];

    if (map->data != NULL && data >= map->data && data < map->data + map->size)
      return map;
  }
  return NULL;
}

/* A buffer may have any number as its format, but GStreamer's functions accept
 * only known formats. */
static const gchar *
format_name (GstVideoFormat format)
{
  GEnumClass *formats = g_type_class_ref (GST_TYPE_VIDEO_FORMAT);
  gboolean known = format != GST_VIDEO_FORMAT_UNKNOWN
      && g_enum_get_value (formats, format) != NULL;

  g_type_class_unref (formats);
  return known ? gst_video_format_to_string (format) : "an unknown format,";
}

/* Check that the meta's planes hold the caps' picture, as mapping relies on the
 * meta. */
static gboolean
check_meta (GstBuffer * buffer, const GstVideoInfo * info, BdctError * error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  if (meta == NULL || (meta->format == GST_VIDEO_INFO_FORMAT (info)
          && meta->width >= (guint) GST_VIDEO_INFO_WIDTH (info)
          && meta->height >= (guint) GST_VIDEO_INFO_HEIGHT (info)
          && meta->n_planes == GST_VIDEO_INFO_N_PLANES (info)))
    return TRUE;
  return gst_blockdct_fail (error,
      "the buffer's video meta says %s %ux%u, its caps say %s %dx%d",
      format_name (meta->format), meta->width, meta->height,
      GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info));
}

static gboolean
check_planes (const GstVideoFrame * frame, const BdctLayout * layout,
    BdctError * error)
{
  const gboolean rgb = layout->rgb.n_planes > 0;

  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (frame); p++) {
    const BdctPlaneLayout *plane = &layout->plane[rgb ? 0 : p];
    const guint8 *data = GST_VIDEO_FRAME_PLANE_DATA (frame, p);
    gint64 stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, p);
    gint64 row = (gint64) plane->width * (rgb ? layout->rgb.bytes
        : plane->interleave * (layout->depth > 8 ? 2 : 1));
    gint64 last = stride * (plane->height - 1);
    const GstMapInfo *map = find_map (frame, data);
    gint64 before = map != NULL ? data - map->data : 0;
    gint64 after = map != NULL ? (gint64) map->size - before : 0;

    if (MIN (last, 0) + before < 0 || MAX (last, 0) + row > after)
      return gst_blockdct_fail (error, "plane %u of the buffer is too small: "
          "%d rows of %" G_GINT64_FORMAT " bytes, %" G_GINT64_FORMAT " apart, "
          "do not fit its %" G_GINT64_FORMAT " bytes", p, plane->height, row,
          stride, after);
  }
  return TRUE;
}

void
gst_blockdct_backend_get_image (const GstVideoFrame * frame, BdctImage * image)
{
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (frame); p++) {
    image->data[p] = GST_VIDEO_FRAME_PLANE_DATA (frame, p);
    image->stride[p] = GST_VIDEO_FRAME_PLANE_STRIDE (frame, p);
  }
}

/* What a foreign memory keeps until it is freed. */
typedef struct
{
  GstClockTime pts;             /* of the frame that it had first */
  const GstBlockDctBackendClass *klass;
  GstObject *context;           /* NULL: it has not come again */
  gpointer data;                /* is pinned; NULL: it is not */
} Pinned;

static void
unpin (gpointer data)
{
  Pinned *pinned = data;

  if (pinned->data != NULL)
    pinned->klass->pin (pinned->context, pinned->data, 0);
  gst_clear_object (&pinned->context);
  g_free (pinned);
}

static G_DEFINE_QUARK (blockdct_pinned, pinned);

/* Pin memory of others that comes again with another frame, as that of a
 * decoder's pool does: a tee hides the memory that is offered, and copying
 * takes longer than the bus. Pinning takes longer than one copy. */
static void
pin (const GstBlockDctBackend * backend, GstBuffer * buffer)
{
  static GMutex lock;
  const GQuark quark = pinned_quark ();
  GstMemory *memory = gst_buffer_n_memory (buffer) == 1
      ? gst_buffer_peek_memory (buffer, 0) : NULL;
  GstMapInfo map;
  Pinned *pinned;

  if (memory == NULL || !gst_memory_is_type (memory, GST_ALLOCATOR_SYSMEM))
    return;
  if (memory->parent != NULL)
    memory = memory->parent;
  g_mutex_lock (&lock);
  pinned = gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory), quark);
  if (pinned == NULL) {
    pinned = g_new0 (Pinned, 1);
    pinned->pts = GST_BUFFER_PTS (buffer);
    gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), quark, pinned,
        unpin);
  } else if (pinned->context == NULL && pinned->pts != GST_BUFFER_PTS (buffer)
      && gst_memory_map (memory, &map, GST_MAP_READ)) {
    pinned->klass = backend->klass;
    pinned->context = gst_object_ref (backend->context);
    if (map.size >= MIN_PINNED
        && pinned->klass->pin (pinned->context, map.data, map.size))
      pinned->data = map.data;
    GST_DEBUG ("%p, %" G_GSIZE_FORMAT " bytes: %s", map.data, map.size,
        pinned->data != NULL ? "pinned" : "not pinned");
    gst_memory_unmap (memory, &map);
  }
  g_mutex_unlock (&lock);
}

static gboolean
map (const GstBlockDctBackend * backend, GstVideoFrame * frame,
    const GstVideoInfo * info, const BdctLayout * layout, GstBuffer * buffer,
    GstMapFlags flags, BdctImage * image, BdctError * error)
{
  const GstBlockDctBackendClass *klass = backend->klass;
  GstMapFlags device = klass->map_flag != NULL
      ? klass->map_flag (buffer, backend->context) : 0;

  if (!check_meta (buffer, info, error))
    return FALSE;
  if (device == 0 && backend->context != NULL)
    device = gst_blockdct_pinned_map_flag (buffer, backend->context, flags);
  if (device == 0 && klass->pin != NULL)
    pin (backend, buffer);
  if (!gst_video_frame_map (frame, info, buffer, flags | device))
    return gst_blockdct_fail (error,
        "a buffer of %" G_GSIZE_FORMAT " bytes cannot be "
        "mapped as %s %dx%d (%" G_GSIZE_FORMAT " bytes)",
        gst_buffer_get_size (buffer), GST_VIDEO_INFO_NAME (info),
        GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info),
        GST_VIDEO_INFO_SIZE (info));
  if (!check_planes (frame, layout, error)) {
    gst_video_frame_unmap (frame);
    return FALSE;
  }
  image->memory = device ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST;
  gst_blockdct_backend_get_image (frame, image);
  return TRUE;
}

gboolean
gst_blockdct_backend_map (const GstBlockDctBackend * backend,
    GstVideoFrame * frame, const GstVideoInfo * info, const BdctLayout * layout,
    GstBuffer * buffer, GstMapFlags flags, BdctImage * image, void **wait)
{
  BdctError error;

  if (map (backend, frame, info, layout, buffer, flags, image, &error)) {
    *wait = backend->klass->stream == NULL ? NULL
        : backend->klass->stream (buffer, backend->context);
    return TRUE;
  }
  if (flags & GST_MAP_WRITE)
    GST_ELEMENT_ERROR (backend->element, RESOURCE, WRITE,
        ("An output buffer cannot be written."), ("%s", error.message));
  else
    GST_ELEMENT_ERROR (backend->element, STREAM, FORMAT,
        ("An input buffer does not match its caps."), ("%s", error.message));
  return FALSE;
}

gboolean
gst_blockdct_backend_fail (const GstBlockDctBackend * backend,
    const gchar * what, const BdctError * error)
{
  GST_ELEMENT_ERROR (backend->element, RESOURCE, FAILED, ("%s on %s.", what,
          backend->name), ("%s", error->message));
  return FALSE;
}

gboolean
gst_blockdct_backend_configure (const GstBlockDctBackend * backend,
    const GstVideoInfo * info, const BdctLayout * layout, guint depth)
{
  BdctError error;

  if (bdct_engine_configure (backend->engine, layout, depth, &error))
    return TRUE;
  GST_ELEMENT_ERROR (backend->element, RESOURCE, NO_SPACE_LEFT,
      ("%s cannot process %s %dx%d with %u frames in flight.",
          backend->name, GST_VIDEO_INFO_NAME (info),
          GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info), depth),
      ("%s", error.message));
  return FALSE;
}
