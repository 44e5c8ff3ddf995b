/* blockdct: GStreamer's encoders, and their properties that make a picture
 * finer or coarser.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_ENCODERS_H
#define BLOCKDCT_ENCODERS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The scale of a setting. */
typedef enum
{
  ENCODER_QUALITY, ENCODER_QP, ENCODER_CRF,
  ENCODER_BITRATE,              /* kbit/s */
  ENCODER_N_SCALES
} EncoderScale;

/* A scale's name, such as "qp"; and the placeholder for its value, such as
 * "{qp}". */
const gchar *encoder_scale_name (EncoderScale scale);
const gchar *encoder_placeholder (EncoderScale scale);

/* An element, and for each scale its properties with a placeholder; NULL: it
 * lacks this scale. */
typedef struct
{
  const gchar *name, *text[ENCODER_N_SCALES];
} EncoderInfo;

/* All known encoders, ended by one without a name. */
extern const EncoderInfo encoders[];

/* The text with a value in place of the placeholder, owned by the caller. */
gchar *encoder_fill (const gchar * text, EncoderScale scale, gint value);

/* The range of a property; FALSE: it is not a number. */
gboolean encoder_get_range (GParamSpec * spec, gdouble * min, gdouble * max);

/* The property of the class whose whole value in the text is the placeholder;
 * of several, the one with the least range. NULL: none. */
GParamSpec *encoder_find_range (const gchar * text, EncoderScale scale,
    GObjectClass * klass, gdouble * min, gdouble * max);

G_END_DECLS
#endif
