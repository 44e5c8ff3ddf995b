/* blockdct-preview: two whole frames, beside each other or stacked.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_BESIDE_H
#define PREVIEW_BESIDE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The names of the samples' information; and of views. */
#define PREVIEW_BESIDE "side-by-side"
#define PREVIEW_STACKED "stacked"

/* From a half to the other one: chroma's samples are whole. */
#define PREVIEW_BESIDE_STEP(side) (((side) + 1) & ~1)

/* One sample with both, owned by the caller; NULL: their formats or sizes
 * differ, or one is missing. Any thread may call this. */
GstSample *preview_beside_make (GstSample * first, GstSample * second,
    gboolean stacked);

G_END_DECLS
#endif
