/* blockdct: what a frame is processed with: its job, view, curve and regions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_JOBS_H
#define GST_BLOCKDCT_JOBS_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/* The layout has changed: drop everything that was made for the old one, and
 * make the job of these settings, with the memory that its first frame takes.
 * Returns FALSE with an element error. */
gboolean gst_blockdct_jobs_configure (GstBlockDct * self,
    const GstBlockDctSettings * settings);

/* Free everything. */
void gst_blockdct_jobs_clear (GstBlockDct * self);

/* Make the job for these parameters. What the stream does not allow is left
 * out, with a warning. Returns FALSE with an element error. */
gboolean gst_blockdct_jobs_update (GstBlockDct * self,
    const BdctParams * params);

/* Whether the job's steps follow from a quality or QP; otherwise `what` has no
 * effect, and a warning says so once. */
gboolean gst_blockdct_jobs_can_choose (GstBlockDct * self, const gchar * what,
    GstBlockDctWarning warning);

/* Those of the metrics (bits) that the caps allow. Each other one causes one
 * warning. */
guint gst_blockdct_jobs_metrics (GstBlockDct * self, guint metrics);

/* Fill in the frame's view, curve, regions and recipe, but not `recipe.params`
 * and targets. */
void gst_blockdct_jobs_describe (GstBlockDct * self,
    GstBlockDctFrame * frame, const GstBlockDctSettings * settings);

G_END_DECLS
#endif
