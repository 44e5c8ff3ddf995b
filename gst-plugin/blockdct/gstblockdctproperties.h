/* blockdct: the element's properties. They stand by theme in
 * gstblockdctproperties*.c.
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
  PROP_RDOQ,
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

/** A place in the settings, and its size. */
#define FIELD(member) G_STRUCT_OFFSET (GstBlockDctSettings, member), \
    sizeof (((GstBlockDctSettings *) NULL)->member)

/** Install a property whose value is `size` bytes of the settings, of the C
 * type that gst_blockdct_param_set() wants unless it is converted. */
void gst_blockdct_property (GObjectClass * klass, guint id, gsize offset,
    gsize size, GParamSpec * pspec);

/** Convert a property's value into the field, which is zeros, or refuse it:
 * without the object lock. Convert it back: with the lock. */
typedef gboolean (*GstBlockDctParse) (const GValue * value, gpointer field,
    BdctError * error);
typedef void (*GstBlockDctFormat) (gconstpointer field, GValue * value);

/** How a property is converted, where it is not copied (NULL). */
void gst_blockdct_property_convert (guint id, GstBlockDctParse parse,
    GstBlockDctFormat format);

/** Warn of something that was set: on the bus or, while there is none, when the
 * element starts. */
void gst_blockdct_property_warn (GstBlockDct * self, const gchar * text);

/** Append a number to a GstValueArray. */
void gst_blockdct_property_append_int (GValue * array, gint n);

/** Set how they are set and read; give a new element its defaults; free what
 * they own. */
void gst_blockdct_install_properties (GObjectClass * klass);
void gst_blockdct_init_properties (GstBlockDct * self);
void gst_blockdct_clear_properties (GstBlockDct * self);

/** From here on to the stop, what is read at the start stays as it is. Says
 * which values were refused while there was no bus to say it on. */
void gst_blockdct_properties_start (GstBlockDct * self);
void gst_blockdct_properties_stop (GstBlockDct * self);

G_END_DECLS
#endif
