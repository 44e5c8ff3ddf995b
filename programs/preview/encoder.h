/* blockdct-preview: frames as what a browser takes, without a loss at 8
 * bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_ENCODER_H
#define PREVIEW_ENCODER_H

#include <gst/gst.h>

G_BEGIN_DECLS typedef struct _PreviewEncoder PreviewEncoder;

/* NULL with an error that says what to install. */
PreviewEncoder *preview_encoder_new (GError ** error);
void preview_encoder_free (PreviewEncoder * encoder);

typedef enum
{
  PREVIEW_PLANES,               /* Y, U and V, where browsers have the format;
                                   else the next */
  PREVIEW_RGB,                  /* R, G, B and 255 of each sample */
  PREVIEW_PNG                   /* fewer bytes, and much more time */
} PreviewKind;

/* A frame; NULL where a name does not apply. */
typedef struct
{
  GBytes *file;
  const gchar *format;          /* "png", or WebCodecs' name */
  const gchar *matrix;          /* WebCodecs' name, of planes */
  gboolean full;                /* planes have the full range */
  gboolean tone_mapped;         /* it was HDR; R, G and B are SDR */
  gint width, height;
} PreviewPicture;

/* Replace `picture` by the frame, or a map that is not to be tone-mapped; FALSE
 * with an error. It blocks; any thread may call it, one at a time. */
gboolean preview_encoder_run (PreviewEncoder * encoder, GstSample * frame,
    PreviewKind kind, gboolean map, PreviewPicture * picture, GError ** error);

/* Set the error that is posted on the bus or, without one, `other`. */
void preview_encoder_explain (GstBus * bus, const gchar * other,
    GError ** error);

G_END_DECLS
#endif
