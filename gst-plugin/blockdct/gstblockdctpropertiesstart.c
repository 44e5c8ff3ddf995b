/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties that are read when the element starts. */
#include "gstblockdctpropertiesstart.h"
#include "gstblockdctproperties.h"

void
gst_blockdct_install_start (GObjectClass * klass)
{
  /**
   * GstBlockDct:backend:
   *
   * The engine to run on. A named engine that cannot run is an error.
   *
   * Since: 0.1
   */
  gst_blockdct_property (klass, PROP_BACKEND, FIELD (start.backend),
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
  gst_blockdct_property (klass, PROP_CUDA_DEVICE_ID, FIELD (start.device_id),
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
  gst_blockdct_property (klass, PROP_THREADS, FIELD (start.threads),
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
  gst_blockdct_property (klass, PROP_ASYNC_DEPTH, FIELD (start.async_depth),
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
  gst_blockdct_property (klass, PROP_ACTIVE_BACKEND, 0, 0,
      g_param_spec_string ("active-backend", "Active backend",
          "What runs, such as 'cuda:0 NVIDIA H200' or 'cpu:avx2 2 threads'; "
          "NULL while stopped", NULL, READ));
  gst_type_mark_as_plugin_api (gst_blockdct_backend_get_type (), 0);
}
