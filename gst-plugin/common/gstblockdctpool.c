/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctpool.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

/* The number of device buffers that downstream may hold in addition to those it
 * asked for, where it sets no limit: as many as fit into 2 GiB, clamped to this
 * range, as a device's memory is small and shared with other programs. When
 * downstream holds all of them, the element warns and waits for one; the
 * minimum is large enough for an encoder with a long lookahead. System memory
 * has no such limit. */
#define MIN_DOWNSTREAM 64
#define MAX_DOWNSTREAM 256
#define DOWNSTREAM_SIZE (G_GUINT64_CONSTANT (1) << 31)

/* Configure a pool; `*size` may grow with the pool's own strides. */
static gboolean
configure_pool (GstBufferPool * pool, GstCaps * caps, guint * size, guint min,
    guint max, gboolean video_meta, GstAllocator * allocator)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, caps, *size, min, max);
  if (allocator != NULL)
    gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  if (video_meta)
    gst_buffer_pool_config_add_option (config,
        GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config))
    return FALSE;
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, NULL, size, NULL, NULL);
  gst_structure_free (config);
  return TRUE;
}

/* A pool of the backend's `own` memory, or of system memory, not yet
 * configured. */
static GstBufferPool *
make_pool (const GstBlockDctBackend * backend, gboolean own)
{
  return own ? backend->klass->pool (backend->context)
      : gst_video_buffer_pool_new ();
}

gboolean
gst_blockdct_pool_propose (const GstBlockDctBackend * backend,
    GstQuery * query, guint depth)
{
  GstAllocator *allocator = NULL;
  g_autoptr (GstBufferPool) pool = NULL;
  GstVideoInfo info;
  GstCaps *caps;
  gboolean need_pool, own;
  guint size;

  gst_query_parse_allocation (query, &caps, &need_pool);
  if (caps == NULL || !gst_video_info_from_caps (&info, caps))
    return FALSE;
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  own = gst_blockdct_backend_owns (backend->klass, caps);
  if (!own && !gst_blockdct_backend_has_feature (caps, 0,
          GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY))
    return FALSE;
  if (!own)
    allocator = backend->pinned_allocator;
  if (allocator != NULL)
    gst_query_add_allocation_param (query, allocator, NULL);
  size = GST_VIDEO_INFO_SIZE (&info);
  if (need_pool) {
    pool = make_pool (backend, own);
    if (!configure_pool (pool, caps, &size, depth, 0, TRUE, allocator)) {
      GST_WARNING ("no pool for %" GST_PTR_FORMAT, caps);
      return FALSE;
    }
  }
  gst_query_add_allocation_pool (query, pool, size, depth, 0);
  GST_DEBUG ("offering %" GST_PTR_FORMAT " and %" GST_PTR_FORMAT " for %"
      GST_PTR_FORMAT, allocator, pool, caps);
  return TRUE;
}

/* Pin output in system memory, unless downstream needs its own memory or its
 * own kind of pool. */
static void
prefer_pinned (const GstBlockDctBackend * backend, GstQuery * query,
    GstBufferPool * pool)
{
  gboolean update = gst_query_get_n_allocation_params (query) > 0;
  GstAllocator *ours = backend->pinned_allocator;
  g_autoptr (GstAllocator) theirs = NULL;
  GstAllocationParams params;

  if (ours == NULL || (pool != NULL
          && G_OBJECT_TYPE (pool) != GST_TYPE_VIDEO_BUFFER_POOL
          && G_OBJECT_TYPE (pool) != GST_TYPE_BUFFER_POOL))
    return;
  gst_allocation_params_init (&params);
  if (update)
    gst_query_parse_nth_allocation_param (query, 0, &theirs, &params);
  if (theirs != NULL && g_strcmp0 (theirs->mem_type, GST_ALLOCATOR_SYSMEM) != 0)
    return;
  if (update)
    gst_query_set_nth_allocation_param (query, 0, ours, &params);
  else
    gst_query_add_allocation_param (query, ours, &params);
}

static gboolean
decide (const GstBlockDctBackend * backend, GstQuery * query,
    const GstVideoInfo * info, guint depth, guint * limit)
{
  g_autoptr (GstBufferPool) pool = NULL;
  g_autoptr (GstAllocator) allocator = NULL;
  GstCaps *caps;
  gboolean own, update, video_meta;
  guint size, min = 0, max = 0;

  gst_query_parse_allocation (query, &caps, NULL);
  if (caps == NULL)
    return FALSE;
  own = gst_blockdct_backend_owns (backend->klass, caps);
  size = GST_VIDEO_INFO_SIZE (info);
  update = gst_query_get_n_allocation_pools (query) > 0;
  if (update) {
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
    size = MAX (size, GST_VIDEO_INFO_SIZE (info));
    if (pool != NULL && own && !backend->klass->fits (pool, backend->context))
      gst_clear_object (&pool);
  }
  if (!own) {
    prefer_pinned (backend, query, pool);
    if (gst_query_get_n_allocation_params (query) > 0)
      gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  }
  /* The frames in flight are needed in addition to downstream's minimum; and a
   * sink keeps the frame that it shows, even with a minimum of 0. */
  if (max != 0 && max < MAX (min, 1) + depth)
    gst_clear_object (&pool);
  min += depth;
  *limit = own && (max == 0 || pool == NULL) ? min
      + CLAMP (DOWNSTREAM_SIZE / size, MIN_DOWNSTREAM, MAX_DOWNSTREAM) : 0;
  if (max == 0 || pool == NULL)
    max = *limit;
  video_meta = own || gst_query_find_allocation_meta (query,
      GST_VIDEO_META_API_TYPE, NULL);
  if (pool == NULL || !configure_pool (pool, caps, &size, min, max, video_meta,
          allocator)) {
    gst_clear_object (&pool);
    pool = make_pool (backend, own);
    if (!configure_pool (pool, caps, &size, min, max, video_meta, allocator))
      return FALSE;
  }
  if (update)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool (query, pool, size, min, max);
  GST_DEBUG ("%" GST_PTR_FORMAT ": %u to %u buffers of %u bytes from %"
      GST_PTR_FORMAT, caps, min, max, size, allocator);
  return TRUE;
}

gboolean
gst_blockdct_pool_decide (const GstBlockDctBackend * backend,
    GstQuery * query, const GstVideoInfo * info, guint depth, guint * own_limit)
{
  guint limit;

  if (decide (backend, query, info, depth, own_limit != NULL ? own_limit
          : &limit))
    return TRUE;
  GST_ELEMENT_ERROR (backend->element, RESOURCE, NO_SPACE_LEFT,
      ("Cannot get output buffers for %s %dx%d.", GST_VIDEO_INFO_NAME (info),
          GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info)),
      ("The memory may be full: close other programs that use it."));
  return FALSE;
}

guint
gst_blockdct_pool_get_limit (GstBuffer * buffer)
{
  GstStructure *config;
  guint max = 0;

  if (buffer->pool == NULL)
    return gst_buffer_get_parent_buffer_meta (buffer) != NULL;
  config = gst_buffer_pool_get_config (buffer->pool);
  gst_buffer_pool_config_get_params (config, NULL, NULL, NULL, &max);
  gst_structure_free (config);
  return max;
}
