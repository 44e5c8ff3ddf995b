/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU backend runs everywhere, and needs neither a context nor memory of
 * its own. */
#include "gstblockdctbackendclass.h"

const GstBlockDctBackendClass gst_blockdct_backend_cpu = {
  .engine = BDCT_BACKEND_CPU,
};
