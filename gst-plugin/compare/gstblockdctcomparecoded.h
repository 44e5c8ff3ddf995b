/* blockdct: how large the coded frame was that a picture came out of.
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

/** The custom meta; its fields `bits` and `bits-headers` are uint64. */
#define GST_BLOCKDCT_CODED_NAME "blockdct-coded"

/** A field that it may have: a text's name of what made the picture. */
#define GST_BLOCKDCT_CODED_ENCODER "encoder"

/** Register the meta; once. */
void gst_blockdct_compare_coded_init (void);

/** Split what an encoder of these caps made: bits of pictures, and those of
 * parameter sets, SEI and other headers. */
void gst_blockdct_compare_coded_split (const GstCaps * caps,
    gboolean header, const guint8 * data, gsize size, guint64 * bits,
    guint64 * headers);

/** A probe behind an encoder; zeroed, there is none. */
typedef struct
{
  GstPad *pad;                  /* with a reference */
  gulong probe;
} GstBlockDctCompareCoded;

/** Look for the encoder that feeds a sink pad, unless it was found before. */
void gst_blockdct_compare_coded_watch (GstBlockDctCompareCoded * coded,
    GstPad * sink);

/** Take the probe away. */
void gst_blockdct_compare_coded_clear (GstBlockDctCompareCoded * coded);

/** What a picture's buffer says; FALSE: nothing. */
gboolean gst_blockdct_compare_coded_get (GstBuffer * buffer, guint64 * bits,
    guint64 * headers);

/** The name, the buffer's; NULL: there is none. */
const gchar *gst_blockdct_compare_coded_get_encoder (GstBuffer * buffer);

G_END_DECLS
#endif
