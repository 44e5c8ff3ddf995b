/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "error.h"

#include <gst/gst.h>

gboolean
measure_fail (GError ** error, const gchar * message)
{
  g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
      message);
  return FALSE;
}
