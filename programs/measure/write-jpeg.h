/* blockdct-measure: JPEG files of pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_WRITE_JPEG_H
#define MEASURE_WRITE_JPEG_H

#include "bench.h"

G_BEGIN_DECLS

/* Write the picture that a plan begins with, of the file `from`, as the JPEG
 * file `to`: what `cjpeg` writes of it at a quality, or with steps. A source
 * that stalls for `limit` seconds is given up. */
gboolean measure_write_jpeg (const gchar * to, const gchar * from,
    const MeasurePlan * plan, const BdctParams * params, gint limit,
    GError ** error);

/* Whether this program can; FALSE with an error if it has no libjpeg. */
gboolean measure_write_jpeg_check (GError ** error);

/* Set the steps of luma's and chroma's table. */
void measure_jpeg_steps (const BdctParams * params, guint16 steps[2][64]);

/* Find a picture's levels: 16-byte aligned memory to be freed with free(), and
 * the layout. */
int16_t *measure_find_levels (const gchar * from, const MeasurePlan * plan,
    const BdctParams * params, gint limit, BdctLayout * layout,
    BdctJobInfo * job, GError ** error);

G_END_DECLS
#endif
