/* blockdct-measure: GStreamer's encoders as the options describe them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_ENCODER_H
#define MEASURE_ENCODER_H

#include <gst/gst.h>
#include "row.h"

G_BEGIN_DECLS

/* An encoder, and the values at which it is measured. */
typedef struct
{
  const gchar *line;            /* as the user wrote it; interned */
  gchar *text;                  /* the line with a placeholder for the value */
  EncoderScale scale;           /* of the values: {qp} stands for a QP */
  GArray *values;               /* gint */
} MeasureEncoder;

/* Make a MeasureEncoder of each gst-launch line; none for NULL. A line has a
 * placeholder, or begins with an encoder whose properties are known. `numbers`
 * are the options' values, NULL where one is not given; `used` receives which
 * of them encoders use. NULL with an error: an element is not installed, lacks
 * a property, or refuses a value. */
GArray *measure_encoders_new (gchar ** lines,
    const gchar * const numbers[ENCODER_N_SCALES],
    gboolean used[ENCODER_N_SCALES], GError ** error);

/* The total number of settings. */
guint measure_encoders_count (const GArray * encoders);

/* A floating bin with the encoder at a value. NULL with an error. */
GstElement *measure_encoder_make (const MeasureEncoder * encoder, gint value,
    GError ** error);

/* A floating bin that decodes the output of an encoder's bin. NULL with an
 * error. */
GstElement *measure_encoder_make_decoder (GstElement * encoder,
    GError ** error);

/* Whether an encoder's bin, in state READY, accepts pictures of these caps.
 * FALSE with an error that says what it accepts. */
gboolean measure_encoder_check (GstElement * encoder, const GstCaps * caps,
    GError ** error);

G_END_DECLS
#endif
