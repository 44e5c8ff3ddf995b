/* blockdct: common to the properties of the elements: their flags, and values
 * that are fields of a structure.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PARAM_H
#define GST_BLOCKDCT_PARAM_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The highest state in which a value can be set. */
#define BASE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define READY (BASE | GST_PARAM_MUTABLE_READY)
#define PLAYING (BASE | GST_PARAM_MUTABLE_PLAYING)
#define LIVE (PLAYING | GST_PARAM_CONTROLLABLE)
#define READ (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

/* Install a property; its enumeration or flags belong to the plugin's
 * documentation. */
void gst_blockdct_param_install (GObjectClass * klass, guint id,
    GParamSpec * pspec);

/* The settings that blockdct and blockdctcompare have in common. */
typedef struct
{
  gboolean post_messages;
  guint64 interval;
  gdouble min_psnr_error, min_psnr_warning;

  /* Read at the start. */
  gint backend, device_id;
  guint threads;
  gchar *stats_file;            /* NULL: none; so in copies */
} GstBlockDctCommon;

/* Make the property with this number, and say where in GstBlockDctCommon its
 * value is; NULL: there are no more. */
GParamSpec *gst_blockdct_param_common (guint number, gsize * offset);

/* Copy between a value and a field of the value's C type: gint for an
 * enumeration, guint for flags, gint, guint, guint64, gboolean, gdouble, or a
 * string that the field owns. */
void gst_blockdct_param_set (gpointer field, const GValue * value);
void gst_blockdct_param_get (gconstpointer field, GValue * value);

/* The value of an element's property that is a number, an enumeration or a
 * boolean. */
gint gst_blockdct_param_get_int (GstElement * element, const gchar * property);

G_END_DECLS
#endif
