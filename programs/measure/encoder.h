/* blockdct-measure: encoders of GStreamer, and which property of each is set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_ENCODER_H
#define MEASURE_ENCODER_H

#include <gst/gst.h>
#include "row.h"

G_BEGIN_DECLS

/** An encoder, and the values that one of its properties is to have. */
typedef struct
{
  const gchar *line;            /* as the user wrote it; interned */
  gchar *text;                  /* the same with a placeholder, {qp}, say */
  MeasureScale scale;           /* whose placeholder it is */
  GArray *values;               /* gint */
} MeasureEncoder;

/** MeasureEncoders of lines as gst-launch-1.0 has them, with a placeholder or
 * of an encoder whose properties are known, and of lists of numbers for each
 * scale, which may be NULL; none for NULL. `used` receives which scales they
 * have. NULL with the reason, if one is not installed, has no such property, or
 * does not take a value. */
GArray *measure_encoders_new (gchar ** lines,
    const gchar * const numbers[MEASURE_N_SCALES],
    gboolean used[MEASURE_N_SCALES], GError ** error);

/** How many settings they have together. */
guint measure_encoders_count (const GArray * encoders);

/** A bin of the encoder at a value, and of a decoder; floating. NULL with the
 * reason. */
GstElement *measure_encoder_make (const MeasureEncoder * encoder, gint value,
    GError ** error);
GstElement *measure_encoder_make_decoder (GstElement * encoder,
    GError ** error);

/** Whether the encoder takes pictures of these caps; FALSE tells what it takes.
 * It has to be in state READY. */
gboolean measure_encoder_check (GstElement * encoder, const GstCaps * caps,
    GError ** error);

G_END_DECLS
#endif
