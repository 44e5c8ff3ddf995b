/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "steps.h"

#include <math.h>

gboolean
on_cuda (void)
{
  return g_strcmp0 (g_getenv ("BLOCKDCT_TEST_BACKEND"), "cuda") == 0;
}

const gchar *
backend_name (void)
{
  return on_cuda ()? "cuda" : "cpu";
}

guint64
field_uint64 (const GstStructure * s, const gchar * name)
{
  guint64 v = 0;

  if (!gst_structure_get_uint64 (s, name, &v))
    fail ("no uint64 '%s' in %s", name, gst_structure_to_string (s));
  return v;
}

gdouble
field_double (const GstStructure * s, const gchar * name)
{
  gdouble v = 0;

  if (!gst_structure_get_double (s, name, &v))
    fail ("no double '%s' in %s", name, gst_structure_to_string (s));
  return v;
}

void
expect_uint64 (const GstStructure * s, const gchar * name, guint64 expected)
{
  guint64 v = field_uint64 (s, name);

  check (v == expected, "%s is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT,
      name, v, expected);
}

void
expect_double (const GstStructure * s, const gchar * name, gdouble expected)
{
  gdouble v = field_double (s, name);

  check (v == expected || fabs (v - expected) <= 1e-9 * fabs (expected),
      "%s is %.17g, not %.17g", name, v, expected);
}
