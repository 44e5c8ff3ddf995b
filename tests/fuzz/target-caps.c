/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Text as caps, and a frame of them where they are of a size that fits into
 * this machine. */
#include "target.h"

#include <string.h>

#define MOST (1 << 20)          /* samples */

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Target *target = target_get ("blockdct");
  gchar *text = g_strndup ((const gchar *) data, size);
  gint width = 0, height = 0;
  GstCaps *caps, *offered;
  GstVideoInfo info;

  target->quiet = TRUE;
  caps = target_can_read (GST_TYPE_CAPS, text)
      ? gst_caps_from_string (text) : NULL;
  target->quiet = FALSE;
  g_free (text);
  if (caps == NULL)
    return 0;
  offered = gst_pad_peer_query_caps (target->harness->srcpad, caps);
  if (!gst_caps_is_subset (offered, caps))
    g_error ("caps were offered that the filter has not");
  gst_caps_unref (offered);
  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    goto end;
  caps = gst_caps_fixate (caps);
  if (!gst_caps_is_fixed (caps))
    goto end;
  gst_structure_get (gst_caps_get_structure (caps, 0), "width", G_TYPE_INT,
      &width, "height", G_TYPE_INT, &height, NULL);
  if (width < 0 || height < 0 || (gint64) width * height > MOST)
    goto end;
  if (target_set_caps (target, caps)
      && gst_video_info_from_caps (&info, caps)
      && target_push (target, &info, 99) != GST_FLOW_OK)
    g_error ("a frame of caps that were taken was refused");

end:
  gst_caps_unref (caps);
  return 0;
}
