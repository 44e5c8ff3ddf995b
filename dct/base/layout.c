/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.h"

/* Set the planes of Y, U and V, of which the last holds both of U and V if
 * there are two. */
static void
set_planes (BdctLayout * layout, int shift, int width, int height)
{
  for (int c = 0; c < bdct_layout_components (layout); c++) {
    const int sub_x = bdct_layout_sub_x (layout, c);
    const int sub_y = bdct_layout_sub_y (layout, c);
    BdctPlaneLayout *plane = &layout->plane[c < layout->n_planes ? c : 1];

    plane->width = (width + sub_x) >> sub_x;
    plane->height = (height + sub_y) >> sub_y;
    plane->shift = shift;
    plane->component[plane->interleave++] = (BdctComponent) c;
  }
}

void
bdct_layout_init (BdctLayout * layout, BdctChromaFormat chroma, int depth,
    int shift, int n_planes, int width, int height)
{
  if (layout == NULL)
    return;
  *layout = (BdctLayout) {
    .size = sizeof *layout,
    .depth = depth,
    .chroma = chroma,
    .n_planes = chroma == BDCT_CHROMA_400 ? 1 : n_planes == 2 ? 2 : 3,
  };
  set_planes (layout, shift, width, height);
}

void
bdct_layout_init_rgb (BdctLayout * layout, const BdctRgb * rgb, int width,
    int height, BdctChromaFormat chroma)
{
  if (layout == NULL || rgb == NULL)
    return;
  bdct_layout_init (layout, chroma, 8, 0, BDCT_MAX_COMPONENTS, width, height);
  layout->rgb = *rgb;
}
