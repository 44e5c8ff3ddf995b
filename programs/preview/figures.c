/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "figures.h"

#include <math.h>

const PreviewFigure preview_figures[PREVIEW_N_FIGURES] = {
  {"PSNR", "dB", {"psnr", "psnr-y", "psnr-u", "psnr-v", "b-psnr"}, 1},
  {"rate", "bits per luma sample", {"bpp", NULL, NULL, NULL, "b-bpp"}, 1},
  {"non-zero levels", "%", {"nonzero", NULL, NULL, NULL, "b-nonzero"}, 100},
  {"SSIM", "", {"ssim", "ssim-y", "ssim-u", "ssim-v", "b-ssim"}, 1},
  {"MS-SSIM", "", {"ms-ssim-y", NULL, NULL, NULL, "b-ms-ssim-y"}, 1},
  {"PSNR-HVS", "dB", {"psnr-hvs", "psnr-hvs-y", "psnr-hvs-u", "psnr-hvs-v",
          "b-psnr-hvs"}, 1},
  {"PSNR-B", "dB", {"psnr-b-y", "psnr-b-u", "psnr-b-v", NULL, "b-psnr-b-y"},
      1},
  {"XPSNR", "dB", {"xpsnr-y", "xpsnr-u", "xpsnr-v", NULL, "b-xpsnr-y"}, 1},
  {"R, G, B", "dB", {"psnr-rgb", "psnr-r", "psnr-g", "psnr-b"}, 1},
};

gdouble
preview_get_number (const GstStructure * s, const gchar * field)
{
  const GValue *value = gst_structure_get_value (s, field);

  if (value == NULL)
    return NAN;
  if (G_VALUE_HOLDS_DOUBLE (value))
    return g_value_get_double (value);
  if (G_VALUE_HOLDS_UINT64 (value))
    return g_value_get_uint64 (value);
  return NAN;
}
