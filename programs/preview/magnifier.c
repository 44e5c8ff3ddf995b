/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "magnifier.h"

#include <string.h>
#include <blockdct/blockdct.h>

/* The side of a sample's square, before it is enlarged for large pictures; and
 * limits of samples across. */
#define SIDE BDCT_VIEW_MAX_ZOOM
#define MOST 15
#define LEAST 3

/* The state while one frame is drawn. */
typedef struct
{
  const PreviewMagnifier *lens;
  const GstVideoFrame *frame;
  gint depth;
  gint ratio;                   /* as in BdctViewPlace */
  gint left, top;               /* from the view to the enlarged picture */
  gint end_x, end_y;            /* of the half of the view with the middle */
  gint from_x, from_y;          /* the picture's sample in the middle */
  gboolean rgb;
  guint8 *pixels;
} Drawing;

/* At most half of the frame, and readable where the frame is scaled to a
 * window. */
gboolean
preview_magnifier_place (PreviewMagnifier * lens,
    const GstVideoInfo * info, gdouble x, gdouble y)
{
  const gint width = GST_VIDEO_INFO_WIDTH (info);
  const gint height = GST_VIDEO_INFO_HEIGHT (info);

  if (MIN (width, height) < LEAST * SIDE)
    return FALSE;
  lens->x = MIN (x * width, width - 1);
  lens->y = MIN (y * height, height - 1);
  lens->unit = MAX (MIN (width / 640, height / 360), 1);
  lens->n = CLAMP (MIN (width, height) / 2 / (SIDE * lens->unit), LEAST, MOST);
  lens->n -= 1 - lens->n % 2;
  lens->side = lens->n * SIDE * lens->unit;
  lens->left = CLAMP (lens->x - lens->side / 2, 0, width - lens->side);
  lens->top = CLAMP (lens->y - lens->side / 2, 0, height - lens->side);
  lens->rectangle = NULL;
  lens->text = NULL;
  return TRUE;
}

/* The last column, or row, of the view that shows place `from` of the picture,
 * before `end`, the end of the half or of the frame: lines of the grid are on
 * the first one. If `from` begins after `end`, the half is assumed to
 * continue. */
static gint
find_last (gint ratio, gint from, gint start, gint end)
{
  const gint first = (from * ratio + 255) / 256 - start;
  const gint last = ((from + 1) * ratio + 255) / 256 - 1 - start;

  return first < end ? MIN (last, end - 1) : last;
}

/* Read the sample at (i, j) from the middle; FALSE outside of the frame. */
static gboolean
read_square (Drawing * d, gint i, gint j, gint v[3])
{
  const gint x = find_last (d->ratio, d->from_x + i, d->left, d->end_x);
  const gint y = find_last (d->ratio, d->from_y + j, d->top, d->end_y);

  if (d->from_x + i < 0 || d->from_y + j < 0
      || x < 0 || x >= GST_VIDEO_FRAME_WIDTH (d->frame)
      || y < 0 || y >= GST_VIDEO_FRAME_HEIGHT (d->frame))
    return FALSE;
  for (gint c = 0; c < 3; c++)
    v[c] = c < (gint) GST_VIDEO_INFO_N_COMPONENTS (&d->frame->info)
        ? preview_values_read (d->frame, c, x, y) : 1 << (d->depth - 1);
  return TRUE;
}

/* Overlays have 8 bits, in Y, U and V, or in R, G and B. */
static void
put_pixel (const Drawing * d, guint8 * at, const gint v[3])
{
  const gint shift = d->depth - 8;

  if (d->rgb) {
    const guint32 argb = 0xff000000u | (guint32) v[0] >> shift << 16
        | (guint32) v[1] >> shift << 8 | (guint32) v[2] >> shift;

    memcpy (at, &argb, sizeof argb);
  } else {
    at[0] = 255;
    for (gint c = 0; c < 3; c++)
      at[1 + c] = v[c] >> shift;
  }
}

/* Mix a square's colour with that of its digits. */
static void
mix (const Drawing * d, gint out[3], const gint v[3], gint alpha,
    gboolean light)
{
  const gint peak = preview_values_peak (d->frame);
  const gint ink[3] = { light ? 0 : peak, d->rgb ? (light ? 0 : peak)
    : (peak + 1) / 2, d->rgb ? (light ? 0 : peak) : (peak + 1) / 2
  };

  for (gint c = 0; c < 3; c++)
    out[c] = v[c] + (ink[c] - v[c]) * alpha / 255;
}

/* Squares outside of the picture are dark; the middle one has a frame. */
static void
put_square (Drawing * d, const PreviewValues * values, gint i, gint j)
{
  const PreviewMagnifier *lens = d->lens;
  const gint unit = lens->unit, side = SIDE * unit;
  const gboolean middle = i == lens->n / 2 && j == lens->n / 2;
  guint32 digits[SIDE * SIDE] = { 0 };
  gint v[3], out[3], luma;
  gboolean light, inside = read_square (d, i - lens->n / 2, j - lens->n / 2,
      v);

  if (!inside) {
    v[0] = d->rgb ? 0 : 1 << (d->depth - 4);
    v[1] = v[2] = d->rgb ? 0 : 1 << (d->depth - 1);
  }
  luma = preview_values_luma (d->frame, v);
  light = luma > preview_values_peak (d->frame) / 2;
  if (inside && values != NULL)
    preview_values_put (values, digits, SIDE, luma, light);
  for (gint y = 0; y < side; y++)
    for (gint x = 0; x < side; x++) {
      const gboolean edge = middle && (x < unit || y < unit
          || x >= side - unit || y >= side - unit);

      mix (d, out, v, edge ? 255 : digits[y / unit * SIDE + x / unit] >> 24,
          light);
      put_pixel (d, d->pixels + 4 * ((gsize) (j * side + y) * lens->side
              + i * side + x), out);
    }
}

/* Find the sample in the middle, and where the view shows it. */
static void
locate (Drawing * d, const BdctView * view)
{
  const PreviewMagnifier *lens = d->lens;
  const BdctViewPlace place = preview_values_place (d->frame, view);
  const gint half = lens->x >= place.half[0].x1 || lens->y >= place.half[0].y1;
  d->ratio = place.ratio;
  d->left = place.half[half].left;
  d->top = place.half[half].top;
  d->end_x = place.half[half].x1;
  d->end_y = place.half[half].y1;
  d->from_x = (lens->x + d->left) * 256 / d->ratio;
  d->from_y = (lens->y + d->top) * 256 / d->ratio;
}

static gchar *
describe (Drawing * d)
{
  gint v[3];

  if (!read_square (d, 0, 0, v))
    return g_strdup_printf ("(%d, %d)", d->from_x, d->from_y);
  if (GST_VIDEO_INFO_N_COMPONENTS (&d->frame->info) < 3)
    return g_strdup_printf ("(%d, %d) Y %d", d->from_x, d->from_y, v[0]);
  return g_strdup_printf (d->rgb ? "(%d, %d) R %d G %d B %d"
      : "(%d, %d) Y %d U %d V %d", d->from_x, d->from_y, v[0], v[1], v[2]);
}

gboolean
preview_magnifier_draw (PreviewMagnifier * lens, PreviewValues ** values,
    PangoFontMap * fonts, const GstVideoFrame * frame, const BdctView * view)
{
  Drawing d = {.lens = lens,.frame = frame };
  const gboolean written = fonts != NULL && view->mode <= BDCT_VIEW_DIFFERENCE;
  GstBuffer *drawn = gst_buffer_new_allocate (NULL,
      (gsize) 4 * lens->side * lens->side, NULL);
  GstMapInfo map;

  if (drawn == NULL || !gst_buffer_map (drawn, &map, GST_MAP_WRITE)) {
    gst_clear_buffer (&drawn);
    return FALSE;
  }
  d.depth = GST_VIDEO_INFO_COMP_DEPTH (&frame->info, 0);
  d.rgb = GST_VIDEO_INFO_IS_RGB (&frame->info);
  d.pixels = map.data;
  if (written)
    preview_values_prepare (values, fonts, d.depth);
  locate (&d, view);
  for (gint j = 0; j < lens->n; j++)
    for (gint i = 0; i < lens->n; i++)
      put_square (&d, written ? *values : NULL, i, j);
  gst_buffer_unmap (drawn, &map);
  gst_buffer_add_video_meta (drawn, GST_VIDEO_FRAME_FLAG_NONE,
      d.rgb ? GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB
      : GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_YUV, lens->side, lens->side);
  lens->rectangle = gst_video_overlay_rectangle_new_raw (drawn, lens->left,
      lens->top, lens->side, lens->side, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
  lens->text = describe (&d);
  gst_buffer_unref (drawn);
  return TRUE;
}
