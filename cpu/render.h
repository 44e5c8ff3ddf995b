/* blockdct: drawing a view on the CPU.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CPU_RENDER_H
#define BDCT_CPU_RENDER_H

#include "dct/picture/zoom.h"

/* Rows of luma in a strip: whole blocks of every component. */
#define BDCT_RENDER_STRIP 64

int bdct_render_count_strips (const BdctLayout *layout);

/* Draw one strip. All of its sources must be complete. Strips may be drawn
 * in any order, on several threads. */
void bdct_render_strip (const BdctRender *render, int strip);
void bdct_zoom_strip (const BdctZoom *zoom, int strip);

#endif
