/* blockdct: drawing a view on the CPU.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_RENDER_CPU_H
#define BDCT_RENDER_CPU_H

#include "render.h"
#include "tile.h"

/** Rows of luma in a strip: whole tiles of every component. */
#define BDCT_RENDER_STRIP (2 * BDCT_RENDER_TILE)

int bdct_render_count_strips (const BdctLayout *layout);

/** Draw one strip. All of `rec` must be there; `tiles` are the components' as
 * they were prepared for the reconstruction. Strips may be drawn in any order,
 * on several threads. */
void bdct_render_strip (const BdctRender *render, const BdctTileKernel *kernel,
    const BdctTilePlane *tiles, int strip);

#endif
