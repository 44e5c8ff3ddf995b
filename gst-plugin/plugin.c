/* gst-blockdct
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include "gst-plugin/blockdct/gstblockdct.h"
#include "gst-plugin/coded/gstblockdctcoded.h"
#include "gst-plugin/compare/gstblockdctcompare.h"
#include "gst-plugin/preview/gstblockdctpreview.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (blockdct, plugin)
      && GST_ELEMENT_REGISTER (blockdctcoded, plugin)
      && GST_ELEMENT_REGISTER (blockdctcompare, plugin)
      && GST_ELEMENT_REGISTER (blockdctpreview, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, blockdct,
    "Show and measure what block transforms and encoders do to video",
    plugin_init, VERSION, "LGPL", PACKAGE, PACKAGE)
