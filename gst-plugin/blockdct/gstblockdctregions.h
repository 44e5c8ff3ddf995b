/* blockdct: regions of interest, from a buffer's metas to its blocks' map.
 *
 * A GstVideoRegionOfInterestMeta counts if it has a parameter structure
 * `roi/blockdct` with `delta-qp` (int) or `quality` (int), or one of an
 * encoder's, `roi/x264enc`, `roi/msdk` or `roi/vaapi`, with `delta-qp` (int).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_REGIONS_H
#define GST_BLOCKDCT_REGIONS_H

#include <gst/video/video.h>
#include "dct/quantizer/block-grid.h"

G_BEGIN_DECLS

/** The regions of one frame. */
typedef struct
{
  guint n;                      /* in force */
  /* With `n` above 0, the quantizers of the engine's frame
   * (dct/engine/engine.h). The first one is the frame's own. */
  gint n_quantizers;
  gint setting[BDCT_MAX_QUANTIZERS];  /* qualities or QPs */
  BdctJob job[BDCT_MAX_QUANTIZERS];
  guint8 *quantizer_map;
  gsize n_blocks, room;         /* of it; the memory stays */
  guint warned;                 /* bits 1 << Warning */
} GstBlockDctRegions;

/** Find the regions of `buffer`, whose frame is otherwise made with `params`;
 * returns how many are in force. `*regions` is NULL before the first one, and
 * made for it: without any nothing is allocated. What has no effect is said,
 * once until gst_blockdct_regions_clear(); `element` NULL: nothing is. */
guint gst_blockdct_regions_find (GstBlockDctRegions ** regions,
    GstElement * element, GstBuffer * buffer, const BdctParams * params,
    const BdctLayout * layout);

/** By how many QP a set is coarser than the frame's own. Qualities count by
 * their scales, the IJG's percentages of the Annex K tables: 6 QP double the
 * steps. */
gdouble gst_blockdct_regions_delta_qp (const GstBlockDctRegions * regions,
    gint set);

/** Free them, if there are any, and forget what was said. */
void gst_blockdct_regions_clear (GstBlockDctRegions ** regions);

G_END_DECLS
#endif
