/* blockdct: common to the properties of the elements: their flags, and values
 * that are fields of a structure.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

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

/* Install their properties, by an element's function, which gets where the
 * value is; `at` is where GstBlockDctCommon is. */
typedef void GstBlockDctInstall (GObjectClass * klass, gsize offset,
    GParamSpec * pspec);
void gst_blockdct_param_common (GstBlockDctInstall * install,
    GObjectClass * klass, gsize at);

/* Make the type of `metrics`. The library's metrics follow the first `n`
 * values, and an empty value follows all. */
GType gst_blockdct_param_metrics (const gchar * name, GFlagsValue * values,
    guint n);

/* Copy between a value and a field of the value's C type: gint for an
 * enumeration, guint for flags, gint, guint, guint64, gboolean, gdouble, or a
 * string that the field owns. */
void gst_blockdct_param_set (gpointer field, const GValue * value);
void gst_blockdct_param_get (gconstpointer field, GValue * value);

/* The value of an element's property that is a number, an enumeration or a
 * boolean. */
gint gst_blockdct_param_get_int (GstElement * element, const gchar * property);
