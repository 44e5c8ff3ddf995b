/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The buffers that the element offers upstream, and those it writes to. */
#include "gstblockdctallocation.h"
#include "gst-plugin/common/gstblockdctpool.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

static GstBaseTransformClass *parent_class;

static gboolean
propose_allocation (GstBaseTransform * trans, GstQuery * decide_query,
    GstQuery * query)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);

  if (!parent_class->propose_allocation (trans, decide_query, query))
    return FALSE;
  if (gst_base_transform_is_passthrough (trans)) {
    self->transform.others_proposed = TRUE;
    return TRUE;
  }
  return gst_blockdct_pool_propose (&self->inflight.backend, self->context,
      query, self->inflight.depth);
}

static gboolean
decide_allocation (GstBaseTransform * trans, GstQuery * query)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);
  const GstVideoInfo *info = &self->info;

  if (gst_blockdct_pool_decide (&self->inflight.backend, self->context, query,
          info, self->inflight.depth, &self->transform.own_limit))
    return parent_class->decide_allocation (trans, query);
  GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
      ("Cannot get output buffers for %s %dx%d.", GST_VIDEO_INFO_NAME (info),
          GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info)),
      ("The memory may be full: close other programs that use it, or lower "
          "async-depth."));
  return FALSE;
}

/* Whether the pool has no free buffer now. */
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

/* Activated here, because the base class reports a failure without reason or
 * advice. */
static gboolean
activate_pool (GstBaseTransform * trans)
{
  GstBufferPool *pool = gst_base_transform_get_buffer_pool (trans);
  gboolean ok = pool == NULL || gst_buffer_pool_is_active (pool)
      || gst_buffer_pool_set_active (pool, TRUE);

  gst_clear_object (&pool);
  return ok;
}

/* Where this element has set the pool's limit, only it knows why it waits: it
 * warns once. */
static GstFlowReturn
prepare_output_buffer (GstBaseTransform * trans, GstBuffer * input,
    GstBuffer ** outbuf)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);

  if (!activate_pool (trans))
    return GST_FLOW_ERROR;
  if (self->transform.own_limit > 0 && is_exhausted (self)
      && gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_LIMIT))
    GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
        ("All %u output buffers are downstream; waiting for one to come back.",
            self->transform.own_limit),
        ("An element there keeps them. Let it keep fewer, or copy frames to "
            "system memory first, where there is no such limit."));
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
