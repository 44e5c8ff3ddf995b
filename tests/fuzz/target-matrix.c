/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Text as `quantization-matrix`, as from gst-launch-1.0's command line. The
 * first byte picks the transform. */
#include "target.h"

#include <string.h>

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Target *target = target_get ("blockdct");
  GObject *object = G_OBJECT (target->element);
  GValue value = G_VALUE_INIT, after = G_VALUE_INIT;
  GstVideoInfo info;
  GstCaps *caps;
  gboolean ok;
  gchar *text;
  guint n;

  if (size < 1)
    return 0;
  text = g_strndup ((const gchar *) data + 1, size - 1);
  g_object_set (object, "transform", data[0] % 2, NULL);
  g_value_init (&value, GST_TYPE_ARRAY);
  target->quiet = TRUE;
  ok = target_can_read (GST_TYPE_ARRAY, text)
      && gst_value_deserialize (&value, text);
  target->quiet = FALSE;
  /* GObject itself refuses, with a warning, what is no array of ints. */
  if (ok && !g_param_value_validate (g_object_class_find_property
          (G_OBJECT_GET_CLASS (object), "quantization-matrix"), &value))
    g_object_set_property (object, "quantization-matrix", &value);
  g_value_unset (&value);
  g_free (text);
  /* Whatever was asked for, what is in force can be used. */
  g_object_get_property (object, "quantization-matrix", &after);
  n = gst_value_array_get_size (&after);
  if (n != 0 && n != 64 && n != 128)
    g_error ("a matrix of %u steps", n);
  for (guint i = 0; i < n; i++) {
    gint step = g_value_get_int (gst_value_array_get_value (&after, i));

    if (step < 1 || step > 32767)
      g_error ("a step of %d", step);
  }
  g_value_unset (&after);
  caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=8,height=8,"
      "framerate=0/1");
  gst_video_info_from_caps (&info, caps);
  if (!target_set_caps (target, caps)
      || target_push (target, &info, 77) != GST_FLOW_OK)
    g_error ("a frame was refused");
  gst_caps_unref (caps);
  return 0;
}
