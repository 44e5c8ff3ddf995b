/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties that are read when the element starts. */
#include "gstblockdctpropertiesstart.h"
#include "gstblockdctproperties.h"

void
gst_blockdct_install_start (GObjectClass * klass)
{
  gst_blockdct_property (klass, PROP_BACKEND, FIELD (start.backend),
      g_param_spec_enum ("backend", "Backend",
          "Where to compute; with cuda, it is an error if CUDA cannot run",
          gst_blockdct_backend_get_type (), GST_BLOCKDCT_BACKEND_AUTO, READY));
  gst_blockdct_property (klass, PROP_CUDA_DEVICE_ID, FIELD (start.device_id),
      g_param_spec_int ("cuda-device-id", "CUDA device ID",
          "GPU to run on (-1 = the GPU of the pipeline's CUDA context, or else "
          "the first)", -1, G_MAXINT, -1, READY));
  gst_blockdct_property (klass, PROP_THREADS, FIELD (start.threads),
      g_param_spec_uint ("threads", "Threads",
          "Threads of the CPU engine (0 = one per processor); with CUDA, "
          "threads that copy pageable memory (0 = at most 4)",
          0, 1024, 0, READY));
  gst_blockdct_property (klass, PROP_ASYNC_DEPTH, FIELD (start.async_depth),
      g_param_spec_uint ("async-depth", "Asynchronous depth",
          "Frames in flight; each one above the first adds a frame of latency",
          1, BDCT_MAX_DEPTH, 1, READY));
  gst_blockdct_property (klass, PROP_ACTIVE_BACKEND, 0, 0,
      g_param_spec_string ("active-backend", "Active backend",
          "The engine in use, such as 'cuda:0 NVIDIA H200' or 'cpu:avx2 2 "
          "threads'; NULL while stopped", NULL, READ));
}
