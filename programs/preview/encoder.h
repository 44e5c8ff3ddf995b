/* blockdct-preview: encodes frames as PNG or BMP, losslessly at 8 bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_ENCODER_H
#define PREVIEW_ENCODER_H

#include <gst/gst.h>

G_BEGIN_DECLS typedef struct _PreviewEncoder PreviewEncoder;

/** NULL with an error that says what to install. */
PreviewEncoder *preview_encoder_new (GError ** error);
void preview_encoder_free (PreviewEncoder * encoder);

/** The frame in R, G and B, or grey, of 8 bits a sample, or NULL with the
 * error: a PNG with `compress`, else an uncompressed BMP, which has twice the
 * bytes but takes much less time. It blocks; any thread may call it, one at a
 * time. */
GBytes *preview_encoder_run (PreviewEncoder * encoder, GstSample * frame,
    gboolean compress, GError ** error);

/** Set the error that is posted on the bus or, without one, `other`. */
void preview_encoder_explain (GstBus * bus, const gchar * other,
    GError ** error);

G_END_DECLS
#endif
