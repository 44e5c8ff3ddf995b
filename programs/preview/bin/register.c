/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "register.h"

#include <gst/gst.h>
#include "bin.h"
#include "gst-plugin/blockdct/gstblockdct.h"
#include "gst-plugin/coded/gstblockdctcoded.h"
#include "gst-plugin/compare/gstblockdctcompare.h"

static gboolean
init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (blockdct, plugin)
      && GST_ELEMENT_REGISTER (blockdctcoded, plugin)
      && GST_ELEMENT_REGISTER (blockdctcompare, plugin)
      && GST_ELEMENT_REGISTER (blockdctpage, plugin);
}

void
preview_bin_register (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    gst_plugin_register_static (GST_VERSION_MAJOR, GST_VERSION_MINOR,
        "blockdctpage", "The elements of blockdct-preview", init, "0", "LGPL",
        "gst-blockdct", "gst-blockdct", "gst-blockdct");
    g_once_init_leave (&once, 1);
  }
}
