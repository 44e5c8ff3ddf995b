/* blockdct-measure: encoders of GStreamer, and which property of each is set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_ENCODER_H
#define MEASURE_ENCODER_H

#include <gst/gst.h>
#include "row.h"

G_BEGIN_DECLS

/** An encoder, and the values at which it is measured. */
typedef struct
{
  const gchar *line;            /* as the user wrote it; interned */
  gchar *text;                  /* the same, with a placeholder for the value */
  EncoderScale scale;           /* of the values: {qp} stands for a QP */
  GArray *values;               /* gint */
} MeasureEncoder;

/** A MeasureEncoder of each line, as gst-launch-1.0 has them; none for NULL. A
 * line has a placeholder, or begins with an encoder of known properties.
 * `numbers` are the options' values, NULL where one was not given; `used`
 * receives which of them an encoder takes. NULL with the reason: an element
 * is not installed, lacks a property, or does not take a value. */
GArray *measure_encoders_new (gchar ** lines,
    const gchar * const numbers[ENCODER_N_SCALES],
    gboolean used[ENCODER_N_SCALES], GError ** error);

/** How many settings they have together. */
guint measure_encoders_count (const GArray * encoders);

/** A bin, floating, of the encoder at a value. NULL with the reason. */
GstElement *measure_encoder_make (const MeasureEncoder * encoder, gint value,
    GError ** error);

/** A bin, floating, that decodes what an encoder's bin gives. NULL with the
 * reason. */
GstElement *measure_encoder_make_decoder (GstElement * encoder,
    GError ** error);

/** Whether an encoder's bin, in state READY, takes pictures of these caps.
 * FALSE with what it takes. */
gboolean measure_encoder_check (GstElement * encoder, const GstCaps * caps,
    GError ** error);

G_END_DECLS
#endif
