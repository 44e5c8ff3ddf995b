/* blockdct element tests: which text is on a label.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ELEMENT_LABEL_H
#define TESTS_ELEMENT_LABEL_H

#ifdef HAVE_OVERLAY
#include <gst/video/video.h>
#include <pango/pangocairo.h>

/* Fails if a rectangle's pixels are not this text, white on a dark box, as
 * Pango draws it here. */
static inline void
label_check (GstVideoOverlayRectangle * rectangle, const gchar * text,
    gint size)
{
  GstBuffer *got = gst_video_overlay_rectangle_get_pixels_unscaled_argb
      (rectangle, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  PangoFontMap *fonts = pango_cairo_font_map_new ();
  PangoContext *context = pango_font_map_create_context (fonts);
  PangoFontDescription *font =
      pango_font_description_from_string ("Monospace");
  PangoLayout *layout = pango_layout_new (context);
  const gint border = MAX (size / 3, 2);
  cairo_surface_t *surface;
  gint width, height;
  GstMapInfo map;
  cairo_t *cr;

  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_pixel_size (layout, &width, &height);
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32,
      width + 2 * border, height + 2 * border);
  cr = cairo_create (surface);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.6);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_move_to (cr, border, border);
  pango_cairo_show_layout (cr, layout);
  cairo_surface_flush (surface);
  g_assert_true (gst_buffer_map (got, &map, GST_MAP_READ));
  g_test_message ("%s", text);
  g_assert_cmpmem (map.data, map.size, cairo_image_surface_get_data (surface),
      cairo_image_surface_get_stride (surface) * (height + 2 * border));
  gst_buffer_unmap (got, &map);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  g_object_unref (layout);
  pango_font_description_free (font);
  g_object_unref (context);
  g_object_unref (fonts);
}

#endif
#endif
