/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.h"

void
bdct_layout_init_rgb (BdctLayout * layout, const BdctRgb * rgb, int width,
    int height, BdctChromaFormat chroma)
{
  *layout = (BdctLayout) {
    .depth = 8,
    .chroma = chroma,
    .n_planes = BDCT_MAX_COMPONENTS,
    .rgb = *rgb,
  };
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const int sub_x = bdct_layout_sub_x (layout, c);
    const int sub_y = bdct_layout_sub_y (layout, c);

    layout->plane[c] = (BdctPlaneLayout) {
      .width = (width + sub_x) >> sub_x,
      .height = (height + sub_y) >> sub_y,
      .interleave = 1,
      .component = {(BdctComponent) c},
    };
  }
}
