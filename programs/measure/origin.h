/* blockdct-measure: the JPEG files that pictures come from.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_ORIGIN_H
#define MEASURE_ORIGIN_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* If a file is a JPEG file, its tables' name, such as "annex-k quality 75" or
 * "tables of its own"; else NULL. */
gchar *measure_origin_of_file (const gchar * path);

/* If a picture was decoded from a JPEG file, what is known of that file, such
 * as "annex-k quality 75, 4:2:0"; else NULL. A part of it is looked at. */
gchar *measure_origin_of_picture (GstSample * sample);

/* Print a line for each MeasureFile: what its first picture comes from, or why
 * that is not known. FALSE if one cannot be read, or stalls for `limit`
 * seconds. */
gboolean measure_origin_print (GArray * files, gint limit);

G_END_DECLS
#endif
