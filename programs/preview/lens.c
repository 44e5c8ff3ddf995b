/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lens.h"

#include <math.h>
#include "magnifier.h"

#define FONT "Monospace"

struct _PreviewLens
{
  GMutex lock;                  /* protects the following members */
  gboolean on;
  gdouble x, y;                 /* of the pointer, in samples; NAN: the middle
                                   of the picture, before it has moved */

  GMutex drawing;               /* protects these; `lock` is taken last */
  PangoFontMap *fonts;          /* NULL: there is no font */
  PreviewValues *values;
};

PreviewLens *
preview_lens_new (void)
{
  PreviewLens *self = g_new0 (PreviewLens, 1);
  PangoFontMap *fonts = pango_cairo_font_map_new ();
  PangoContext *context = pango_font_map_create_context (fonts);
  PangoFontDescription *wanted = pango_font_description_from_string (FONT);
  PangoFont *font = pango_font_map_load_font (fonts, context, wanted);

  self->x = self->y = NAN;
  g_mutex_init (&self->lock);
  g_mutex_init (&self->drawing);
  /* Without a font the sizes of Pango's layouts are meaningless. */
  if (font != NULL)
    self->fonts = g_object_ref (fonts);
  g_clear_object (&font);
  pango_font_description_free (wanted);
  g_object_unref (context);
  g_object_unref (fonts);
  return self;
}

void
preview_lens_free (PreviewLens * self)
{
  preview_values_clear (&self->values);
  g_clear_object (&self->fonts);
  g_mutex_clear (&self->lock);
  g_mutex_clear (&self->drawing);
  g_free (self);
}

void
preview_lens_set (PreviewLens * self, gboolean on)
{
  g_mutex_lock (&self->lock);
  self->on = on;
  g_mutex_unlock (&self->lock);
}

gboolean
preview_lens_is_on (PreviewLens * self)
{
  gboolean on;

  g_mutex_lock (&self->lock);
  on = self->on;
  g_mutex_unlock (&self->lock);
  return on;
}

gboolean
preview_lens_point (PreviewLens * self, gdouble x, gdouble y)
{
  gboolean on;

  g_mutex_lock (&self->lock);
  self->x = x;
  self->y = y;
  on = self->on;
  g_mutex_unlock (&self->lock);
  return on;
}

/* Add a rectangle, which is taken; NULL: there is no memory for it. */
static void
add (GstVideoOverlayComposition * all, GstVideoOverlayRectangle * rectangle)
{
  if (rectangle == NULL)
    return;
  gst_video_overlay_composition_add_rectangle (all, rectangle);
  gst_video_overlay_rectangle_unref (rectangle);
}

/* Write the place and the sample below the lens, or above its lower edge:
 * white text on a dark box. */
static void
add_text (PreviewLens * self, const PreviewMagnifier * lens,
    const GstVideoFrame * frame, GstVideoOverlayComposition * all)
{
  const gint frame_width = GST_VIDEO_FRAME_WIDTH (frame);
  const gint frame_height = GST_VIDEO_FRAME_HEIGHT (frame);
  const gint size = CLAMP (MIN (frame_height / 30, frame_width / 56), 9, 64);
  const gint pad = size / 3, below = lens->top + lens->side;
  PangoContext *context = pango_font_map_create_context (self->fonts);
  PangoFontDescription *font = pango_font_description_from_string (FONT);
  PangoLayout *layout = pango_layout_new (context);
  cairo_surface_t *surface;
  gint width, height;
  GstBuffer *buffer;
  gsize bytes;
  cairo_t *cr;

  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, lens->text, -1);
  pango_layout_get_pixel_size (layout, &width, &height);
  width += 2 * pad;
  height += 2 * pad;
  bytes = (gsize) 4 *width * height;
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cr = cairo_create (surface);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.6);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_move_to (cr, pad, pad);
  pango_cairo_show_layout (cr, layout);
  cairo_surface_flush (surface);
  if (cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS) {
    buffer = gst_buffer_new_memdup (cairo_image_surface_get_data (surface),
        bytes);
    gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, width, height);
    add (all, gst_video_overlay_rectangle_new_raw (buffer,
            CLAMP (lens->left, 0, MAX (frame_width - width, 0)),
            below + height > frame_height ? lens->top - height : below, width,
            height, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA));
    gst_buffer_unref (buffer);
  }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  pango_font_description_free (font);
  g_object_unref (layout);
  g_object_unref (context);
}

/* Add the lens, unless the frame is too small for it. */
static void
add_lens (PreviewLens * self, const GstVideoFrame * frame,
    const BdctView * view, GstVideoOverlayComposition * all)
{
  PreviewMagnifier lens;
  gdouble x, y;

  g_mutex_lock (&self->lock);
  x = (floor (self->x) + 0.5) / GST_VIDEO_FRAME_WIDTH (frame);
  y = (floor (self->y) + 0.5) / GST_VIDEO_FRAME_HEIGHT (frame);
  g_mutex_unlock (&self->lock);
  if (!preview_magnifier_place (&lens, &frame->info,
          isnan (x) ? 0.5 : CLAMP (x, 0, 1), isnan (y) ? 0.5 : CLAMP (y, 0, 1))
      || !preview_magnifier_draw (&lens, &self->values, self->fonts, frame,
          view))
    return;
  add (all, lens.rectangle);
  if (self->fonts != NULL)
    add_text (self, &lens, frame, all);
  g_free (lens.text);
}

/* The view that the properties describe; FALSE: a single picture passes. */
static gboolean
get_view (GObject * compare, BdctView * view)
{
  gint mode;

  *view = (BdctView) BDCT_VIEW_DEFAULT;
  g_object_get (compare, "view", &mode, "wipe-position", &view->position,
      "zoom", &view->zoom, "zoom-x", &view->zoom_x, "zoom-y", &view->zoom_y,
      NULL);
  view->mode = mode;
  return view->mode != BDCT_VIEW_RECONSTRUCTION;
}

GstVideoOverlayComposition *
preview_lens_compose (PreviewLens * self, GObject * compare,
    GstBuffer * buffer, const GstVideoInfo * info)
{
  const gboolean on = preview_lens_is_on (self);
  GstVideoOverlayComposition *all;
  GstVideoFrame frame;
  gboolean values;
  BdctView view;

  if (!get_view (compare, &view))
    return NULL;
  values = self->fonts != NULL && preview_values_are_shown (&view);
  if ((!on && !values)
      || !gst_video_frame_map (&frame, info, buffer, GST_MAP_READ))
    return NULL;
  all = gst_video_overlay_composition_new (NULL);
  g_mutex_lock (&self->drawing);
  if (values)
    add (all, preview_values_draw (&self->values, self->fonts, &frame, &view));
  if (on)
    add_lens (self, &frame, &view, all);
  g_mutex_unlock (&self->drawing);
  gst_video_frame_unmap (&frame);
  return all;
}

GstBuffer *
preview_lens_draw (PreviewLens * self, GObject * compare, GstBuffer * buffer,
    GstCaps * caps)
{
  GstVideoOverlayComposition *all = NULL;
  GstVideoFrame frame;
  GstVideoInfo info;

  if (caps != NULL && gst_video_info_from_caps (&info, caps))
    all = preview_lens_compose (self, compare, buffer, &info);
  if (all == NULL)
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  if (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READWRITE)) {
    gst_video_overlay_composition_blend (all, &frame);
    gst_video_frame_unmap (&frame);
  }
  gst_video_overlay_composition_unref (all);
  return buffer;
}
