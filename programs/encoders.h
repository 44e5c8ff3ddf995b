/* blockdct: encoders of GStreamer, and which of their properties make a picture
 * finer or coarser.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_ENCODERS_H
#define BLOCKDCT_ENCODERS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** What a setting is a value of. */
typedef enum
{
  ENCODER_QUALITY, ENCODER_QP,
  ENCODER_BITRATE,              /* kbit/s */
  ENCODER_N_SCALES
} EncoderScale;

/** "quality", "qp", "bitrate"; and the placeholder of a value: "{qp}". */
const gchar *encoder_scale_name (EncoderScale scale);
const gchar *encoder_placeholder (EncoderScale scale);

/** An element, its package in Debian, and what sets it, with a placeholder;
 * NULL: it lacks this scale. */
typedef struct
{
  const gchar *name, *package, *text[ENCODER_N_SCALES];
} EncoderInfo;

#define ENCODER_LIBAV "gstreamer1.0-libav"

/** All that are known, up to one without a name; and one of them, or NULL. */
extern const EncoderInfo encoders[];
const EncoderInfo *encoder_find (const gchar * name);

/** The text with a value in place of the placeholder; the caller's. */
gchar *encoder_fill (const gchar * text, EncoderScale scale, gint value);

/** The property of the class that has the placeholder in the text for its whole
 * value, the one of the least range if there are several; NULL: none. */
GParamSpec *encoder_find_range (const gchar * text, EncoderScale scale,
    GObjectClass * klass, gdouble * min, gdouble * max);

G_END_DECLS
#endif
