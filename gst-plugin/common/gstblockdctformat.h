/* blockdct: video formats and caps, and layouts made from them. A frame's
 * strides are found when it is mapped (gstblockdctbackend.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>
#include <blockdct/blockdct.h>
#include "gstblockdctbackend.h"

/* All caps the element handles: the backends' own memory first, then that of
 * the system. */
GstCaps *gst_blockdct_format_caps (void);

/* Those of them with the subsampling and depth of one of these caps, in any
 * layout; of RGB the same format. */
GstCaps *gst_blockdct_format_similar_caps (const GstCaps * caps);

/* The caps on the other pad: the same pictures in the same memory, then in the
 * other one of the system's and the class's own. Other memory is left out. The
 * class may be NULL. */
GstCaps *gst_blockdct_format_transform_caps (GstCaps * caps,
    const GstBlockDctBackendClass * klass);

/* As gst_video_info_from_caps(), which drops a range without a matrix: here it
 * stays. */
gboolean gst_blockdct_format_info (GstVideoInfo * info, const GstCaps * caps);

/* The layout of a format that the caps allow; of RGB, that with
 * `subsampling`. */
void gst_blockdct_format_layout (const GstVideoInfo * info,
    BdctChromaFormat subsampling, BdctLayout * layout);

/* Those of the metrics (bits) that the caps allow. Each other one causes one
 * warning, with this advice, until its bit in `*warned` is reset. */
guint gst_blockdct_format_metrics (GstElement * element, guint metrics,
    const GstVideoInfo * info, const BdctLayout * layout, guint * warned,
    const gchar * advice);

/* Have a sink pad's element post an error when caps arrive that the pad does
 * not accept: it refuses them without giving a reason. */
void gst_blockdct_format_explain (GstPad * pad);

/* Post an error: downstream takes these caps, none of which is among those that
 * the element can give; or a sink pad has frames without caps. */
void gst_blockdct_format_post_refused (GstElement * element,
    const GstCaps * taken, const GstCaps * given);
void gst_blockdct_format_post_no_caps (GstElement * element, GstPad * pad);

/* The default view of frames with these caps, with their colours; in a program
 * that draws lines and legends itself, none has them from now on. */
void gst_blockdct_format_view (const GstVideoInfo * info,
    const BdctLayout * layout, BdctView * view);
void gst_blockdct_format_bare_views (void);
