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
  const GstBlockDctMagnifier *lens;
  GstVideoFrame frame;
  const BdctLayout *layout;
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
gst_blockdct_magnifier_place (GstBlockDctMagnifier * lens,
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

static void
read_rgb (const Drawing * d, gint x, gint y, gint v[3])
{
  for (gint c = 0; c < 3; c++) {
    const guint8 *row = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (&d->frame, c)
        + y * GST_VIDEO_FRAME_COMP_STRIDE (&d->frame, c);

    v[c] = row[x * GST_VIDEO_FRAME_COMP_PSTRIDE (&d->frame, c)];
  }
}

/* GStreamer's offsets are not used, as 1.22 has a wrong one for V in P010's
 * pairs. */
static void
read_yuv (const Drawing * d, gint x, gint y, gint v[3])
{
  const BdctLayout *layout = d->layout;

  v[1] = v[2] = 1 << (layout->depth - 1);
  for (gint p = 0; p < layout->n_planes; p++)
    for (gint i = 0; i < layout->plane[p].interleave; i++) {
      const BdctComponent c = layout->plane[p].component[i];
      /* GStreamer has no 4:4:0. */
      const gboolean half_width = c > 0 && layout->chroma != BDCT_CHROMA_444;
      const gboolean half_height = c > 0 && layout->chroma == BDCT_CHROMA_420;
      const guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&d->frame, p)
          + (y >> half_height) * GST_VIDEO_FRAME_PLANE_STRIDE (&d->frame, p);

      v[c] = gst_blockdct_values_read (row, (x >> half_width)
          * layout->plane[p].interleave + i, layout->depth,
          layout->plane[p].shift);
    }
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
      || x < 0 || x >= GST_VIDEO_FRAME_WIDTH (&d->frame)
      || y < 0 || y >= GST_VIDEO_FRAME_HEIGHT (&d->frame))
    return FALSE;
  if (d->rgb)
    read_rgb (d, x, y, v);
  else
    read_yuv (d, x, y, v);
  return TRUE;
}

/* Overlays have 8 bits, in Y, U and V, or in R, G and B. */
static void
put_pixel (const Drawing * d, guint8 * at, const gint v[3])
{
  const gint shift = d->layout->depth - 8;

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
  const gint peak = gst_blockdct_values_peak (d->layout);
  const gint ink[3] = { light ? 0 : peak, d->rgb ? (light ? 0 : peak)
    : (peak + 1) / 2, d->rgb ? (light ? 0 : peak) : (peak + 1) / 2
  };

  for (gint c = 0; c < 3; c++)
    out[c] = v[c] + (ink[c] - v[c]) * alpha / 255;
}

static gint
get_luma (const Drawing * d, const gint v[3])
{
  return d->rgb ? bdct_luma (v[0], v[1], v[2]) : v[0];
}

/* Squares outside of the picture are dark; the middle one has a frame. */
static void
put_square (Drawing * d, const GstBlockDctValues * values, gint i, gint j)
{
  const GstBlockDctMagnifier *lens = d->lens;
  const gint unit = lens->unit, side = SIDE * unit;
  const gboolean middle = i == lens->n / 2 && j == lens->n / 2;
  guint32 digits[SIDE * SIDE] = { 0 };
  gint v[3], out[3];
  gboolean light, inside = read_square (d, i - lens->n / 2, j - lens->n / 2,
      v);

  if (!inside) {
    v[0] = d->rgb ? 0 : 1 << (d->layout->depth - 4);
    v[1] = v[2] = d->rgb ? 0 : 1 << (d->layout->depth - 1);
  }
  light = get_luma (d, v) > gst_blockdct_values_peak (d->layout) / 2;
  if (inside && values != NULL)
    gst_blockdct_values_put (values, digits, SIDE, get_luma (d, v), light);
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
  const GstBlockDctMagnifier *lens = d->lens;
  BdctViewPlace place;
  gint half;

  bdct_view_place (view, d->layout, &place);
  half = lens->x >= place.half[0].x1 || lens->y >= place.half[0].y1;
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
  if (GST_VIDEO_INFO_N_COMPONENTS (&d->frame.info) < 3)
    return g_strdup_printf ("(%d, %d) Y %d", d->from_x, d->from_y, v[0]);
  return g_strdup_printf (d->rgb ? "(%d, %d) R %d G %d B %d"
      : "(%d, %d) Y %d U %d V %d", d->from_x, d->from_y, v[0], v[1], v[2]);
}

gboolean
gst_blockdct_magnifier_draw (GstBlockDctMagnifier * lens,
    GstBlockDctValues ** values, PangoFontMap * fonts, GstBuffer * buffer,
    const GstVideoInfo * info, const BdctLayout * layout,
    const BdctView * view)
{
  Drawing d = {.lens = lens,.layout = layout };
  GstBuffer *drawn = gst_buffer_new_allocate (NULL,
      (gsize) 4 * lens->side * lens->side, NULL);
  GstMapInfo map;

  if (drawn == NULL || !gst_video_frame_map (&d.frame, info, buffer,
          GST_MAP_READ)) {
    gst_clear_buffer (&drawn);
    return FALSE;
  }
  gst_blockdct_values_prepare (values, fonts, layout->depth);
  d.rgb = GST_VIDEO_INFO_IS_RGB (info);
  locate (&d, view);
  if (gst_buffer_map (drawn, &map, GST_MAP_WRITE)) {
    d.pixels = map.data;
    for (gint j = 0; j < lens->n; j++)
      for (gint i = 0; i < lens->n; i++)
        put_square (&d, view->mode <= BDCT_VIEW_DIFFERENCE ? *values : NULL,
            i, j);
    gst_buffer_unmap (drawn, &map);
    gst_buffer_add_video_meta (drawn, GST_VIDEO_FRAME_FLAG_NONE,
        d.rgb ? GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB
        : GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_YUV, lens->side, lens->side);
    lens->rectangle = gst_video_overlay_rectangle_new_raw (drawn, lens->left,
        lens->top, lens->side, lens->side, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
    lens->text = describe (&d);
  }
  gst_video_frame_unmap (&d.frame);
  gst_buffer_unref (drawn);
  return lens->rectangle != NULL;
}
