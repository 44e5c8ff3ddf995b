/* blockdct: the element's properties, which stand by theme in
 * gstblockdctproperties*.c and, those of what is shown, in gstblockdctview.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PROPERTIES_H
#define GST_BLOCKDCT_PROPERTIES_H

#include "gstblockdct.h"
#include "gstblockdctparam.h"

G_BEGIN_DECLS

enum
{
  PROP_0,
  PROP_TRANSFORM,
  PROP_QUALITY,
  PROP_QP,
  PROP_CHROMA_QP_OFFSET,
  PROP_DEADZONE,
  PROP_RDOQ,
  PROP_MIN_BLOCK,
  PROP_MAX_BLOCK,
  PROP_LAMBDA_SCALE,
  PROP_SCALING_LIST,
  PROP_SCALING_LIST_FILE,
  PROP_QUANTIZATION_MATRIX,
  PROP_QUANTIZATION_FILE,
  PROP_QUANTIZATION_SCALE,
  PROP_QUANTIZATION_PRESET,
  PROP_BASELINE,
  PROP_CHROMA_SUBSAMPLING,
  PROP_B_TRANSFORM,
  PROP_B_QUALITY,
  PROP_B_QP,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_THREADS,
  PROP_ASYNC_DEPTH,
  PROP_POST_MESSAGES,
  PROP_INTERVAL,
  PROP_RATE,
  PROP_METRICS,
  PROP_CURVE,
  PROP_TARGET_PSNR,
  PROP_TARGET_SSIM,
  PROP_TARGET_BPP,
  PROP_TARGET_SIZE,
  PROP_MIN_PSNR_ERROR,
  PROP_MIN_PSNR_WARNING,
  PROP_VIEW,
  PROP_LEFT,
  PROP_RIGHT,
  PROP_WIPE_POSITION,
  PROP_DIFFERENCE_GAIN,
  PROP_GRID,
  PROP_ZOOM,
  PROP_ZOOM_X,
  PROP_ZOOM_Y,
  PROP_MAGNIFIER,
  PROP_MAGNIFIER_X,
  PROP_MAGNIFIER_Y,
  PROP_OVERLAY,
  PROP_INTERACTIVE,
  PROP_KEEP_FRAME,
  PROP_STATS_FILE,
  PROP_STATS,
  PROP_ACTIVE_BACKEND,
  N_PROPERTIES
};

G_STATIC_ASSERT (N_PROPERTIES <= GST_BLOCKDCT_MAX_PROPERTIES);

/* Where a value is among the settings. QUIET: no frame, nor its figures,
 * depends on it; READY: it is read when the element starts; NO_FIELD: it is not
 * there. */
#define OFFSET(member) G_STRUCT_OFFSET (GstBlockDctSettings, member)
#define SIZE(member) sizeof (((GstBlockDctSettings *) NULL)->member)
#define FIELD_OF(member, ready, shown) \
    ((GstBlockDctField) {OFFSET (member), SIZE (member), ready, shown})
#define FIELD(member) FIELD_OF (member, FALSE, TRUE)
#define QUIET_FIELD(member) FIELD_OF (member, FALSE, FALSE)
#define READY_FIELD(member) FIELD_OF (member, TRUE, FALSE)
#define NO_FIELD ((GstBlockDctField) {0})

/** Set a property; FALSE: it is read when the element starts, and was. Without
 * the object lock. */
typedef gboolean (*GstBlockDctSet) (GstBlockDct * self, const GValue * value);

/** Get it, from its field in `settings`. With the object lock. */
typedef void (*GstBlockDctGet) (GstBlockDct * self,
    const GstBlockDctSettings * settings, GValue * value);

/** Install a property. Its type says how its field is set and read, unless it
 * has functions of its own. */
void gst_blockdct_property (GObjectClass * klass, guint id,
    GstBlockDctField field, GParamSpec * pspec);
void gst_blockdct_property_access (guint id, GstBlockDctSet set,
    GstBlockDctGet get);

/** Set a property's field to `value`, if it is `ok`; else warn of `error`. What
 * is checked with the whole group is set if some stream allows it. */
gboolean gst_blockdct_property_set_checked (GstBlockDct * self, guint id,
    GstBlockDctChecked which, gconstpointer value, gboolean ok,
    const BdctError * error);

/** Append a number to a GstValueArray. */
void gst_blockdct_property_append_int (GValue * array, gint n);

/* By theme: what is done to a frame; where it runs, what it aims at and what is
 * reported; what is shown. */
void gst_blockdct_install_quantizers (GObjectClass * klass);
void gst_blockdct_install_reports (GObjectClass * klass);
void gst_blockdct_install_views (GObjectClass * klass);

G_END_DECLS
#endif
