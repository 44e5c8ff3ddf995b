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

struct _GstBlockDctValues
{
  gint n_digits;                /* of the largest value */
  gint width;                   /* of each digit */
  guint8 mask[10][ROWS][SIDE];
};

gboolean
gst_blockdct_values_are_shown (const BdctView * view)
{
  /* The zoom has steps of 1/256. */
  return view->zoom >= BDCT_VIEW_MAX_ZOOM - 1 / 512.0
      && view->mode <= BDCT_VIEW_DIFFERENCE;
}

void
gst_blockdct_values_clear (GstBlockDctValues ** values)
{
  g_clear_pointer (values, g_free);
}

static void
draw_digit (GstBlockDctValues * self, PangoContext * context, gint digit)
{
  PangoFontDescription *font = pango_font_description_from_string
      ("Monospace");
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
gst_blockdct_values_prepare (GstBlockDctValues ** values,
    PangoFontMap * fonts, gint depth)
{
  const gint n_digits = depth > 9 ? 4 : 3;
  PangoContext *context;

  if (*values == NULL)
    *values = g_new0 (GstBlockDctValues, 1);
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
gst_blockdct_values_peak (const BdctLayout * layout)
{
  return (1 << layout->depth) - 1;
}

gint
gst_blockdct_values_read (const guint8 * row, gint i, gint depth, gint shift)
{
  return depth > 8 ? MIN (GST_READ_UINT16_LE (row + 2 * i) >> shift,
      (1 << depth) - 1) : row[i];
}

static gint
read_luma (GstVideoFrame * frame, const BdctLayout * layout, gint x, gint y)
{
  gint v[3];

  for (gint c = 0; c < (GST_VIDEO_INFO_IS_RGB (&frame->info) ? 3 : 1); c++) {
    const guint8 *row = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, c)
        + y * GST_VIDEO_FRAME_COMP_STRIDE (frame, c)
        + x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);

    v[c] = gst_blockdct_values_read (row, 0, layout->depth,
        layout->plane[0].shift);
  }
  return GST_VIDEO_INFO_IS_RGB (&frame->info)
      ? bdct_luma (v[0], v[1], v[2]) : v[0];
}

void
gst_blockdct_values_put (const GstBlockDctValues * self, guint32 * pixels,
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
put_values (const GstBlockDctValues * self, GstVideoFrame * frame,
    const BdctLayout * layout, const BdctViewHalf * half, guint32 * pixels)
{
  const gint width = GST_VIDEO_INFO_WIDTH (&frame->info);
  const gint column = half->x0 + (-(half->x0 + half->left) & (SIDE - 1));
  const gint row = half->y0 + (-(half->y0 + half->top) & (SIDE - 1));

  for (gint y = row; y + SIDE <= half->y1; y += SIDE)
    for (gint x = column; x + SIDE <= half->x1; x += SIDE) {
      gint v = read_luma (frame, layout, x + SIDE / 2, y + SIDE / 2);

      gst_blockdct_values_put (self, pixels + y * width + x, width, v,
          v > gst_blockdct_values_peak (layout) / 2);
    }
}

GstVideoOverlayRectangle *
gst_blockdct_values_draw (GstBlockDctValues ** values, PangoFontMap * fonts,
    GstBuffer * buffer, const GstVideoInfo * info, const BdctLayout * layout,
    const BdctView * view)
{
  const gint width = GST_VIDEO_INFO_WIDTH (info);
  const gint height = GST_VIDEO_INFO_HEIGHT (info);
  GstVideoOverlayRectangle *rectangle = NULL;
  GstBuffer *drawn =
      gst_buffer_new_allocate (NULL, (gsize) 4 * width * height, NULL);
  BdctViewPlace place;
  GstVideoFrame frame;
  GstMapInfo map;

  bdct_view_place (view, layout, &place);
  gst_blockdct_values_prepare (values, fonts, layout->depth);
  if (drawn != NULL && gst_buffer_map (drawn, &map, GST_MAP_READWRITE)) {
    gboolean ok = gst_video_frame_map (&frame, info, buffer, GST_MAP_READ);

    memset (map.data, 0, map.size);
    if (ok) {
      for (guint i = 0; i < 2; i++)
        put_values (*values, &frame, layout, &place.half[i],
            (guint32 *) map.data);
      gst_video_frame_unmap (&frame);
    }
    gst_buffer_unmap (drawn, &map);
    if (ok) {
      gst_buffer_add_video_meta (drawn, GST_VIDEO_FRAME_FLAG_NONE,
          GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, width, height);
      rectangle = gst_video_overlay_rectangle_new_raw (drawn, 0, 0, width,
          height, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
    }
  }
  gst_clear_buffer (&drawn);
  return rectangle;
}
