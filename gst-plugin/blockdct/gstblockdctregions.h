/* blockdct: regions of interest: makes the quantizer map of a frame's blocks
 * from its buffer's metas.
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
#include <blockdct/blockdct.h>

G_BEGIN_DECLS

/* The regions of one frame. */
typedef struct
{
  guint n;                      /* regions in force */
  /* With `n` above 0, the quantizers of the engine's frame
   * (BdctFrame). The first one is the frame's own. */
  gint n_quantizers;
  gint setting[BDCT_MAX_QUANTIZERS];  /* qualities or QPs */
  BdctJob *jobs;                /* NULL: none yet */
  gboolean has_qp;              /* `setting` are QPs */
  guint8 *quantizer_map;
  gsize n_blocks, room;         /* of the map; the memory is kept */
  guint warned;                 /* bits 1 << Warning */
} GstBlockDctRegions;

/* Find the regions of `buffer`, whose other blocks use `params`, with blocks
 * as `info` says; returns how many are in force. `*regions` is NULL until the
 * first region allocates it. `element` warns once, until
 * gst_blockdct_regions_clear(), of each kind of region without effect; NULL: no
 * warnings. */
guint gst_blockdct_regions_find (GstBlockDctRegions ** regions,
    GstElement * element, GstBuffer * buffer, const BdctParams * params,
    const BdctLayout * layout, const BdctJobInfo * info);

/* By how many QP a quantizer is coarser than the frame's own. Qualities are
 * compared by their scales, the IJG's percentages of the Annex K tables: 6 QP
 * double the steps. */
gdouble gst_blockdct_regions_delta_qp (const GstBlockDctRegions * regions,
    gint set);

/* Free the regions, if there are any, and reset the warnings. */
void gst_blockdct_regions_clear (GstBlockDctRegions ** regions);

G_END_DECLS
#endif
