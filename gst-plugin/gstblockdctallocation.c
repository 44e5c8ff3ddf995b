/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What buffers the element offers upstream and writes to downstream. System
 * memory is pinned where the CUDA engine runs: the GPU copies it by itself. */
#include "gstblockdct.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

/* A device's memory is small, and what fills it stops others too. Buffers of it
 * that may be downstream beside those it asked for, where it sets no limit: as
 * many as 2 GiB hold, between these. When all are there, the element says so
 * and waits for one. An encoder that looks far ahead must not come to that.
 * System memory has no such limit: who keeps buffers there may. */
#define MIN_DOWNSTREAM 64
#define MAX_DOWNSTREAM 256
#define DOWNSTREAM_SIZE (G_GUINT64_CONSTANT (1) << 31)

static GstBaseTransformClass *parent_class;

/* Configure a pool; its size may grow with the pool's own strides. */
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

/* A pool of the backend's own memory or the system's, not yet configured. */
static GstBufferPool *
make_pool (GstBlockDct * self, gboolean own)
{
  return own ? self->backend.klass->pool (self->context)
      : gst_video_buffer_pool_new ();
}

static gboolean
propose_allocation (GstBaseTransform * trans, GstQuery * decide_query,
    GstQuery * query)
{
  GstBlockDct *self = GST_BLOCKDCT (trans);
  GstAllocator *allocator = NULL;
  GstBufferPool *pool;
  GstVideoInfo info;
  GstCaps *caps;
  gboolean need_pool, own;
  guint size, min = self->depth;

  if (!parent_class->propose_allocation (trans, decide_query, query))
    return FALSE;
  if (gst_base_transform_is_passthrough (trans)) {
    self->others_proposed = TRUE;
    return TRUE;
  }
  gst_query_parse_allocation (query, &caps, &need_pool);
  if (caps == NULL || !gst_video_info_from_caps (&info, caps))
    return FALSE;
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  own = gst_blockdct_backend_owns (self->backend.klass, caps);
  if (!own && !gst_blockdct_backend_has_feature (caps, 0,
          GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY))
    return FALSE;
  if (!own)
    allocator = self->backend.host_allocator;
  if (allocator != NULL)
    gst_query_add_allocation_param (query, allocator, NULL);
  size = GST_VIDEO_INFO_SIZE (&info);
  if (!need_pool) {
    gst_query_add_allocation_pool (query, NULL, size, min, 0);
    return TRUE;
  }
  pool = make_pool (self, own);
  if (!configure_pool (pool, caps, &size, min, 0, TRUE, allocator)) {
    GST_WARNING_OBJECT (self, "no pool for %" GST_PTR_FORMAT, caps);
    gst_object_unref (pool);
    return FALSE;
  }
  gst_query_add_allocation_pool (query, pool, size, min, 0);
  gst_object_unref (pool);
  return TRUE;
}

/* Have output in system memory pinned, if nothing downstream depends on its own
 * memory or its own kind of pool: the base class gives the pool the allocator
 * that is in the query. */
static void
prefer_pinned (GstBlockDct * self, GstQuery * query, GstBufferPool * pool)
{
  gboolean update = gst_query_get_n_allocation_params (query) > 0;
  GstAllocator *ours = self->backend.host_allocator, *allocator = NULL;
  GstAllocationParams params;
  gboolean theirs;

  if (ours == NULL || (pool != NULL
          && G_OBJECT_TYPE (pool) != GST_TYPE_VIDEO_BUFFER_POOL
          && G_OBJECT_TYPE (pool) != GST_TYPE_BUFFER_POOL))
    return;
  gst_allocation_params_init (&params);
  if (update)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  theirs = allocator != NULL
      && g_strcmp0 (allocator->mem_type, GST_ALLOCATOR_SYSMEM) != 0;
  gst_clear_object (&allocator);
  if (theirs)
    return;
  if (update)
    gst_query_set_nth_allocation_param (query, 0, ours, &params);
  else
    gst_query_add_allocation_param (query, ours, &params);
}

static gboolean
decide_allocation (GstBaseTransform * trans, GstQuery * query)
{
  GstBlockDct *self = GST_BLOCKDCT (trans);
  const GstVideoInfo *info = &self->info;
  GstBufferPool *pool = NULL;
  GstCaps *caps;
  gboolean own, update, video_meta;
  guint size, min = 0, max = 0;

  gst_query_parse_allocation (query, &caps, NULL);
  if (caps == NULL)
    return FALSE;
  own = gst_blockdct_backend_owns (self->backend.klass, caps);
  size = GST_VIDEO_INFO_SIZE (info);
  update = gst_query_get_n_allocation_pools (query) > 0;
  if (update) {
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
    size = MAX (size, GST_VIDEO_INFO_SIZE (info));
    if (pool != NULL
        && own && !self->backend.klass->fits (pool, self->context))
      gst_clear_object (&pool);
  }
  if (!own)
    prefer_pinned (self, query, pool);
  /* The frames in flight are held here, beside those downstream needs. */
  min += self->depth;
  if (max != 0 && max < min)
    gst_clear_object (&pool);
  self->own_limit = own && (max == 0 || pool == NULL) ? min
      + CLAMP (DOWNSTREAM_SIZE / size, MIN_DOWNSTREAM, MAX_DOWNSTREAM) : 0;
  if (max == 0 || pool == NULL)
    max = self->own_limit;
  self->overlay_attach = gst_query_find_allocation_meta (query,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  video_meta = own || gst_query_find_allocation_meta (query,
      GST_VIDEO_META_API_TYPE, NULL);
  if (pool != NULL
      && !configure_pool (pool, caps, &size, min, max, video_meta, NULL))
    gst_clear_object (&pool);
  if (pool == NULL) {
    pool = make_pool (self, own);
    if (!configure_pool (pool, caps, &size, min, max, video_meta, NULL))
      goto no_pool;
  }
  if (update)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool (query, pool, size, min, max);
  gst_object_unref (pool);
  return parent_class->decide_allocation (trans, query);

no_pool:
  GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
      ("Cannot get output buffers for %s %dx%d.", GST_VIDEO_INFO_NAME (info),
          GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info)),
      ("The %s memory may be full: close other users of it or lower "
          "async-depth.", own ? "device's" : "system's"));
  gst_object_unref (pool);
  return FALSE;
}

/* Whether the next buffer would have to be waited for. */
static gboolean
is_exhausted (GstBlockDct * self)
{
  GstBufferPoolAcquireParams params = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT
  };
  GstBufferPool *pool =
      gst_base_transform_get_buffer_pool (GST_BASE_TRANSFORM (self));
  GstBuffer *buffer = NULL;
  GstFlowReturn ret = GST_FLOW_FLUSHING;

  if (pool != NULL)
    ret = gst_buffer_pool_acquire_buffer (pool, &buffer, &params);
  gst_clear_buffer (&buffer);
  gst_clear_object (&pool);
  return ret == GST_FLOW_EOS;
}

/* The base class would say that it failed, and neither why nor what to do. */
static gboolean
activate_pool (GstBaseTransform * trans)
{
  GstBufferPool *pool = gst_base_transform_get_buffer_pool (trans);
  gboolean ok = pool == NULL || gst_buffer_pool_is_active (pool)
      || gst_buffer_pool_set_active (pool, TRUE);

  gst_clear_object (&pool);
  return ok;
}

/* Where the pool's limit is this element's own, nobody else knows why it
 * waits: that is said once. */
static GstFlowReturn
prepare_output_buffer (GstBaseTransform * trans, GstBuffer * input,
    GstBuffer ** outbuf)
{
  GstBlockDct *self = GST_BLOCKDCT (trans);

  if (!activate_pool (trans))
    return GST_FLOW_ERROR;
  if (self->own_limit > 0 && !self->warned_limit && is_exhausted (self)) {
    self->warned_limit = TRUE;
    GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
        ("All %u output buffers are downstream; waiting for one of them.",
            self->own_limit),
        ("An element there keeps what it gets. Let it keep less, or copy to "
            "system memory, which has no such limit, before it."));
    /* Before it waits. */
    gst_blockdct_post_release (self);
    gst_blockdct_post_hold (self);
  }
  return parent_class->prepare_output_buffer (trans, input, outbuf);
}

void
gst_blockdct_allocation_flush (GstBlockDct * self, gboolean flushing)
{
  GstBufferPool *pool =
      gst_base_transform_get_buffer_pool (GST_BASE_TRANSFORM (self));

  if (pool != NULL && gst_buffer_pool_is_active (pool))
    gst_buffer_pool_set_flushing (pool, flushing);
  gst_clear_object (&pool);
}

void
gst_blockdct_install_allocation (GstBaseTransformClass * klass)
{
  parent_class = g_type_class_peek_parent (klass);
  klass->propose_allocation = GST_DEBUG_FUNCPTR (propose_allocation);
  klass->decide_allocation = GST_DEBUG_FUNCPTR (decide_allocation);
  klass->prepare_output_buffer = GST_DEBUG_FUNCPTR (prepare_output_buffer);
}
