/* blockdct-preview: values, structures and properties as JSON.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PROTOCOL_WRITE_H
#define PREVIEW_PROTOCOL_WRITE_H

#include <gst/gst.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS
/* An object with `name`, `about`, `default`, and either `values` (of an
 * enumeration) or `flags`, each with `nick` and `about`, or `minimum`,
 * `maximum` and `step` (of numbers), or neither (true or false). */
    JsonObject * preview_protocol_write_control (const gchar * name,
    GParamSpec * pspec);

/* A number, a string (for an enumeration, the nick), true or false, or an
 * array of these (for flags, of their nicks); infinity, and anything else that
 * JSON lacks, is null. */
JsonNode *preview_protocol_write_value (const GValue * value);

/* An object with the structure's fields. */
JsonObject *preview_protocol_write_structure (const GstStructure * structure);

G_END_DECLS
#endif
