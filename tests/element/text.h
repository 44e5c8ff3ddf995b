/* blockdct element tests: whether there is text on pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ELEMENT_TEXT_H
#define TESTS_ELEMENT_TEXT_H

#include <glib.h>
#ifdef HAVE_OVERLAY
#include <pango/pangocairo.h>
#endif

/* Whether text can be drawn here; else the test is skipped. */
static inline gboolean
need_text (void)
{
  gboolean found = FALSE;
#ifdef HAVE_OVERLAY
  PangoFontMap *fonts = pango_cairo_font_map_new ();
  PangoContext *context = pango_font_map_create_context (fonts);
  PangoFontDescription *wanted =
      pango_font_description_from_string ("Monospace");
  PangoFont *font = pango_font_map_load_font (fonts, context, wanted);

  found = font != NULL;
  g_clear_object (&font);
  pango_font_description_free (wanted);
  g_object_unref (context);
  g_object_unref (fonts);
#endif
  if (!found)
    g_test_skip ("no font is installed here (Debian: fonts-dejavu-core)");
  return found;
}

#endif
