/* blockdct: what a frame is made with: its job, view, curve and regions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_JOBS_H
#define GST_BLOCKDCT_JOBS_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/** The layout is another one: nothing that was made for the old one stays. */
void gst_blockdct_jobs_configure (GstBlockDct * self);

/** Free all of it. */
void gst_blockdct_jobs_clear (GstBlockDct * self);

/** Bring the job up to these parameters. What the stream does not allow is
 * warned of and left out. FALSE: there is no job. */
gboolean gst_blockdct_jobs_update (GstBlockDct * self,
    const BdctParams * params);

/** Whether the job's steps follow from a setting that can be chosen; else
 * `what` has no effect, which is warned of, once. */
gboolean gst_blockdct_jobs_can_choose (GstBlockDct * self, const gchar * what,
    GstBlockDctWarning warning);

/** The metrics, of these bits, that the caps have. The others are warned of,
 * once. */
guint gst_blockdct_jobs_metrics (GstBlockDct * self, guint metrics);

/** Fill in what a frame is made with, but for `recipe.params` and targets. */
void gst_blockdct_jobs_describe (GstBlockDct * self,
    GstBlockDctFrame * frame, const GstBlockDctSettings * settings);

G_END_DECLS
#endif
