/* blockdct: the element's properties, which gstblockdctproperties*.c install by
 * theme.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PROPERTIES_H
#define GST_BLOCKDCT_PROPERTIES_H

#include "gst-plugin/common/gstblockdctparam.h"
#include "gstblockdctprivate.h"

G_BEGIN_DECLS

enum
{
  PROP_0,
  PROP_TRANSFORM,
  PROP_QUALITY,
  PROP_QP,
  PROP_CHROMA_QP_OFFSET,
  PROP_DEADZONE,
  PROP_MIN_BLOCK,
  PROP_MAX_BLOCK,
  PROP_LAMBDA_SCALE,
  PROP_SCALING_LIST,
  PROP_SCALING_LIST_FILE,
  PROP_QUANTIZATION_TABLES,
  PROP_QUANTIZATION_MATRIX,
  PROP_QUANTIZATION_FILE,
  PROP_QUANTIZATION_SCALE,
  PROP_BASELINE,
  PROP_CHROMA_SUBSAMPLING,
  PROP_TARGET_PSNR,
  PROP_TARGET_SSIM,
  PROP_TARGET_BPP,
  PROP_TARGET_SIZE,
  PROP_METRICS,
  PROP_CURVE,
  PROP_VIEW,
  PROP_GRID,
  PROP_POST_MESSAGES,
  PROP_INTERVAL,
  PROP_STATS,
  PROP_STATS_FILE,
  PROP_MIN_PSNR_ERROR,
  PROP_MIN_PSNR_WARNING,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_THREADS,
  PROP_ASYNC_DEPTH,
  PROP_ACTIVE_BACKEND,
  N_PROPERTIES
};

G_STATIC_ASSERT (N_PROPERTIES <= 64);

/* A field's offset in the settings, and its size. */
#define FIELD(member) G_STRUCT_OFFSET (GstBlockDctSettings, member), \
    sizeof (((GstBlockDctSettings *) NULL)->member)

/* Install a property whose value is `size` bytes of the settings, of the C
 * type that gst_blockdct_param_set() expects unless the property is
 * converted. */
void gst_blockdct_property (GObjectClass * klass, guint id, gsize offset,
    gsize size, GParamSpec * pspec);

/* Parse: convert a property's value into the field, which is zeroed, or refuse
 * it; called without the object lock. Format: convert it back; called with the
 * lock. */
typedef gboolean (*GstBlockDctParse) (const GValue * value, gpointer field,
    BdctError * error);
typedef void (*GstBlockDctFormat) (gconstpointer field, GValue * value);

/* Set how a property is converted. Where a function is NULL, the value is
 * copied. */
void gst_blockdct_property_convert (guint id, GstBlockDctParse parse,
    GstBlockDctFormat format);

/* Post a warning about a value that was set: at once or, while there is no
 * bus, when the element starts. */
void gst_blockdct_property_warn (GstBlockDct * self, const gchar * text);

/* Append a number to a GstValueArray. */
void gst_blockdct_property_append_int (GValue * array, gint n);

/* Install the properties of transform and quantizer; and all others. */
void gst_blockdct_install_quantizers (GObjectClass * klass);
void gst_blockdct_install_reports (GObjectClass * klass);

/* Post a message, once for each transform, about each property that was set and
 * has no effect on frames with these settings. */
void gst_blockdct_warn_unused (GstBlockDct * self,
    const GstBlockDctSettings * settings);

/* Install the functions that set and read properties; give a new element its
 * defaults; free what its properties own. */
void gst_blockdct_install_properties (GObjectClass * klass);
void gst_blockdct_init_properties (GstBlockDct * self);
void gst_blockdct_clear_properties (GstBlockDct * self);

/* From here to the stop, properties that are read at the start cannot change.
 * Posts the warnings that had to wait for a bus. */
void gst_blockdct_properties_start (GstBlockDct * self);
void gst_blockdct_properties_stop (GstBlockDct * self);

G_END_DECLS
#endif
