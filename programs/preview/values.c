/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A frame has thousands of numbers: Pango draws the digits once, then they are
 * copied. */
#include "values.h"

#include <string.h>
#include <blockdct/blockdct.h>

/* A square's side, and the rows of a digit in it. */
#define SIDE BDCT_VIEW_MAX_ZOOM
#define ROWS 10

struct _PreviewValues
{
  gint n_digits;                /* of the largest value */
  gint width;                   /* of each digit */
  guint8 mask[10][ROWS][SIDE];
};

gboolean
preview_values_are_shown (const BdctView * view)
{
  /* The zoom has steps of 1/256. */
  return view->zoom >= BDCT_VIEW_MAX_ZOOM - 1 / 512.0
      && view->mode <= BDCT_VIEW_DIFFERENCE;
}

void
preview_values_clear (PreviewValues ** values)
{
  g_clear_pointer (values, g_free);
}

static void
draw_digit (PreviewValues * self, PangoContext * context, gint digit)
{
  PangoFontDescription *font = pango_font_description_from_string ("Monospace");
  PangoLayout *layout = pango_layout_new (context);
  const gchar text[] = { '0' + digit, '\0' };
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_A8, SIDE, ROWS);
  cairo_t *cr = cairo_create (surface);
  PangoRectangle ink;

  /* A digit is some 0.6 of its size wide, and 0.75 high. */
  pango_font_description_set_absolute_size (font,
      (self->n_digits > 3 ? 7 : 9) * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_pixel_extents (layout, &ink, NULL);
  cairo_move_to (cr, (self->width - ink.width) / 2 - ink.x,
      (ROWS - ink.height) / 2 - ink.y);
  pango_cairo_show_layout (cr, layout);
  cairo_surface_flush (surface);
  for (gint y = 0; y < ROWS
      && cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS; y++)
    memcpy (self->mask[digit][y], cairo_image_surface_get_data (surface)
        + y * cairo_image_surface_get_stride (surface), SIDE);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  g_object_unref (layout);
  pango_font_description_free (font);
}

void
preview_values_prepare (PreviewValues ** values,
    PangoFontMap * fonts, gint depth)
{
  const gint n_digits = depth > 9 ? 4 : 3;
  PangoContext *context;

  if (*values == NULL)
    *values = g_new0 (PreviewValues, 1);
  if ((*values)->n_digits == n_digits)
    return;
  context = pango_font_map_create_context (fonts);
  (*values)->n_digits = n_digits;
  (*values)->width = SIDE / n_digits;
  for (gint digit = 0; digit < 10; digit++)
    draw_digit (*values, context, digit);
  g_object_unref (context);
}

gint
preview_values_peak (const GstVideoFrame * frame)
{
  return (1 << GST_VIDEO_INFO_COMP_DEPTH (&frame->info, 0)) - 1;
}

/* GStreamer 1.22 has a wrong offset for V in P010's pairs. */
gint
preview_values_read (const GstVideoFrame * frame, guint component, gint x,
    gint y)
{
  const GstVideoFormatInfo *format = frame->info.finfo;
  const gint pair = GST_VIDEO_FORMAT_INFO_PSTRIDE (format, component);
  const guint8 *at = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame,
      GST_VIDEO_FORMAT_INFO_PLANE (format, component))
      + (y >> GST_VIDEO_FORMAT_INFO_H_SUB (format, component))
      * GST_VIDEO_FRAME_COMP_STRIDE (frame, component)
      + (x >> GST_VIDEO_FORMAT_INFO_W_SUB (format, component)) * pair;

  if (GST_VIDEO_FORMAT_INFO_DEPTH (format, component) == 8)
    return at[GST_VIDEO_FORMAT_INFO_POFFSET (format, component)];
  return MIN (GST_READ_UINT16_LE (at + (pair == 4 && component == 2 ? 2 : 0))
      >> GST_VIDEO_FORMAT_INFO_SHIFT (format, component),
      preview_values_peak (frame));
}

/* Of R, G and B by JFIF, as libjpeg rounds it. */
gint
preview_values_luma (const GstVideoFrame * frame, const gint v[3])
{
  return GST_VIDEO_INFO_IS_RGB (&frame->info)
      ? (19595 * v[0] + 38470 * v[1] + 7471 * v[2] + 32768) >> 16 : v[0];
}

BdctViewPlace
preview_values_place (const GstVideoFrame * frame, const BdctView * view)
{
  BdctLayout layout = {.size = sizeof layout,.n_planes = 1 };
  BdctViewPlace place;

  layout.plane[0].width = GST_VIDEO_FRAME_WIDTH (frame);
  layout.plane[0].height = GST_VIDEO_FRAME_HEIGHT (frame);
  bdct_view_place (view, &layout, &place);
  return place;
}

void
preview_values_put (const PreviewValues * self, guint32 * pixels,
    gint stride, gint value, gboolean light)
{
  gint n = 1;

  for (gint rest = value; rest >= 10; rest /= 10)
    n++;
  pixels += (SIDE - ROWS) / 2 * stride + (SIDE - n * self->width) / 2;
  for (; n > 0; n--, value /= 10)
    for (gint i = 0; i < ROWS * self->width; i++) {
      const gint x = i % self->width, y = i / self->width;
      const guint32 mask = self->mask[value % 10][y][x];

      pixels[y * stride + (n - 1) * self->width + x] =
          mask * (light ? 0x1000000 : 0x1010101);
    }
}

/* Draw the values of the squares that are completely inside a half. */
static void
put_values (const PreviewValues * self, const GstVideoFrame * frame,
    const BdctViewHalf * half, guint32 * pixels)
{
  const gint width = GST_VIDEO_FRAME_WIDTH (frame);
  const gint column = half->x0 + (-(half->x0 + half->left) & (SIDE - 1));
  const gint row = half->y0 + (-(half->y0 + half->top) & (SIDE - 1));
  const guint n = GST_VIDEO_INFO_IS_RGB (&frame->info) ? 3 : 1;

  for (gint y = row; y + SIDE <= half->y1; y += SIDE)
    for (gint x = column; x + SIDE <= half->x1; x += SIDE) {
      gint v[3], luma;

      for (guint c = 0; c < n; c++)
        v[c] = preview_values_read (frame, c, x + SIDE / 2, y + SIDE / 2);
      luma = preview_values_luma (frame, v);
      preview_values_put (self, pixels + y * width + x, width, luma,
          luma > preview_values_peak (frame) / 2);
    }
}

GstVideoOverlayRectangle *
preview_values_draw (PreviewValues ** values, PangoFontMap * fonts,
    const GstVideoFrame * frame, const BdctView * view)
{
  const gint width = GST_VIDEO_FRAME_WIDTH (frame);
  const gint height = GST_VIDEO_FRAME_HEIGHT (frame);
  const BdctViewPlace place = preview_values_place (frame, view);
  GstVideoOverlayRectangle *rectangle;
  GstBuffer *drawn =
      gst_buffer_new_allocate (NULL, (gsize) 4 * width * height, NULL);
  GstMapInfo map;

  if (drawn == NULL || !gst_buffer_map (drawn, &map, GST_MAP_READWRITE)) {
    gst_clear_buffer (&drawn);
    return NULL;
  }
  preview_values_prepare (values, fonts, GST_VIDEO_INFO_COMP_DEPTH
      (&frame->info, 0));
  memset (map.data, 0, map.size);
  for (guint i = 0; i < 2; i++)
    put_values (*values, frame, &place.half[i], (guint32 *) map.data);
  gst_buffer_unmap (drawn, &map);
  gst_buffer_add_video_meta (drawn, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, width, height);
  rectangle = gst_video_overlay_rectangle_new_raw (drawn, 0, 0, width, height,
      GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  gst_buffer_unref (drawn);
  return rectangle;
}
