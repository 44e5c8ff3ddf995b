/* blockdct: the size of the coded frame that a picture was decoded from.
 *
 * A probe behind the encoder that feeds a pad counts each coded buffer and
 * attaches the numbers as a custom meta, GST_BLOCKDCT_CODED_NAME, which parsers
 * and decoders pass on to the picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_CODED_H
#define GST_BLOCKDCT_COMPARE_CODED_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The custom meta; its fields `bits` and `bits-headers` are uint64. */
#define GST_BLOCKDCT_CODED_NAME "blockdct-coded"

/* An optional field: the name of the encoder, for text on the picture. */
#define GST_BLOCKDCT_CODED_ENCODER "encoder"

/* Register the meta; call it once. */
void gst_blockdct_compare_coded_init (void);

/* Split a coded buffer of these caps into the bits of pictures, and those of
 * parameter sets, SEI and other headers. */
void gst_blockdct_compare_coded_split (const GstCaps * caps,
    gboolean header, const guint8 * data, gsize size, guint64 * bits,
    guint64 * headers);

/* A probe behind an encoder; zeroed: none. */
typedef struct
{
  GstPad *pad;                  /* with a reference */
  gulong probe;
} GstBlockDctCompareCoded;

/* Look for the encoder that feeds a sink pad, unless it has been found. */
void gst_blockdct_compare_coded_watch (GstBlockDctCompareCoded * coded,
    GstPad * sink);

/* Remove the probe. */
void gst_blockdct_compare_coded_clear (GstBlockDctCompareCoded * coded);

/* Read the meta of a picture's buffer; FALSE: it has none. */
gboolean gst_blockdct_compare_coded_get (GstBuffer * buffer, guint64 * bits,
    guint64 * headers);

/* The encoder's name, owned by the buffer; NULL: none. */
const gchar *gst_blockdct_compare_coded_get_encoder (GstBuffer * buffer);

G_END_DECLS
#endif
