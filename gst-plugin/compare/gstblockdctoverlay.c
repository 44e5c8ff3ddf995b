/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Draws text on the picture. Text that stays the same is drawn once and kept
 * for the next frame. */
#include "gstblockdctoverlay.h"

GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_compare_debug);
#define GST_CAT_DEFAULT gst_blockdct_compare_debug

/* Whether no warning has been posted. */
static gboolean
warns_first (GstBlockDctOverlay * self)
{
  const gboolean first = !self->warned;

  self->warned = TRUE;
  return first;
}

#ifdef HAVE_OVERLAY
#include <pango/pangocairo.h>
#include <string.h>

#define FONT "Monospace"

/* The least size of readable letters. */
#define LEAST_SIZE 9

/* A frame whose text is being drawn. */
typedef struct
{
  GHashTable *before, *labels;  /* of the last frame, and of this one */
  GstVideoOverlayComposition *composition;
  gint size;                    /* of letters */
  gboolean complete;            /* FALSE: there was no memory for a label */
} Drawing;

static PangoLayout *
make_layout (const gchar * text, gint size)
{
  PangoContext *context = pango_font_map_create_context
      (pango_cairo_font_map_get_default ());
  PangoFontDescription *font = pango_font_description_from_string (FONT);
  PangoLayout *layout = pango_layout_new (context);

  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  pango_font_description_free (font);
  g_object_unref (context);
  return layout;
}

/* Whether there is a font: without one the sizes of Pango's layouts are
 * meaningless. */
static gboolean
have_font (void)
{
  PangoLayout *layout = make_layout ("", LEAST_SIZE);
  PangoFont *font = pango_context_load_font (pango_layout_get_context (layout),
      pango_layout_get_font_description (layout));
  const gboolean found = font != NULL;

  g_clear_object (&font);
  g_object_unref (layout);
  return found;
}

/* White text on a dark box. (x, y) is its left or right edge, and its top, its
 * middle or its bottom (`up` 0, 1 and 2). NULL without memory. */
static GstVideoOverlayRectangle *
draw_text (const gchar * text, gint x, gint y, gint size, gboolean right,
    gint up)
{
  gint pad = MAX (size / 3, 2), width, height;
  PangoLayout *layout = make_layout (text, size);
  GstVideoOverlayRectangle *rectangle;
  cairo_surface_t *surface;
  GstBuffer *buffer;
  cairo_t *cr;

  pango_layout_get_pixel_size (layout, &width, &height);
  width += 2 * pad;
  height += 2 * pad;
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cr = cairo_create (surface);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.6);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_move_to (cr, pad, pad);
  pango_cairo_show_layout (cr, layout);
  cairo_destroy (cr);
  g_object_unref (layout);
  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS) {
    cairo_surface_destroy (surface);
    return NULL;
  }
  cairo_surface_flush (surface);
  /* Its stride is 4 bytes a sample. */
  buffer = gst_buffer_new_wrapped_full (0, cairo_image_surface_get_data
      (surface), 4 * (gsize) width * height, 0, 4 * (gsize) width * height,
      surface, (GDestroyNotify) cairo_surface_destroy);
  gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, width, height);
  rectangle = gst_video_overlay_rectangle_new_raw (buffer, right
      ? MAX (x - width, 0) : x, y - height * up / 2, width, height,
      GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  gst_buffer_unref (buffer);
  return rectangle;
}

static GHashTable *
new_labels (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      (GDestroyNotify) gst_video_overlay_rectangle_unref);
}

/* Add a label, drawn unless it is known. */
static void
add (Drawing * drawing, const gchar * text, gint x, gint y, gboolean right,
    gint up)
{
  gchar *key = g_strdup_printf ("%d %d %d %s", drawing->size, x, y, text);
  GstVideoOverlayRectangle *rectangle =
      g_hash_table_lookup (drawing->before, key);

  rectangle = rectangle != NULL ? gst_video_overlay_rectangle_ref (rectangle)
      : draw_text (text, x, y, drawing->size, right, up);
  if (rectangle == NULL) {
    drawing->complete = FALSE;
    g_free (key);
    return;
  }
  gst_video_overlay_composition_add_rectangle (drawing->composition, rectangle);
  g_hash_table_insert (drawing->labels, key, rectangle);
}

/* Keep what other elements have attached. */
static void
attach (GstBuffer * buffer, GstVideoOverlayComposition * ours)
{
  GstVideoOverlayCompositionMeta *meta =
      gst_buffer_get_video_overlay_composition_meta (buffer);

  if (meta != NULL) {
    guint n = gst_video_overlay_composition_n_rectangles (ours);
    GstVideoOverlayComposition *all =
        gst_video_overlay_composition_copy (meta->overlay);

    gst_buffer_remove_video_overlay_composition_meta (buffer, meta);
    for (guint i = 0; i < n; i++)
      gst_video_overlay_composition_add_rectangle (all,
          gst_video_overlay_composition_get_rectangle (ours, i));
    gst_buffer_add_video_overlay_composition_meta (buffer, all);
    gst_video_overlay_composition_unref (all);
  } else {
    gst_buffer_add_video_overlay_composition_meta (buffer, ours);
  }
}

static guint8 *
get_row (const GstVideoFrame * frame, gint y)
{
  return (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
      + y * (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);
}

/* Set the fourth byte of each pixel, alpha or padding, as in another frame;
 * NULL: opaque. */
static void
set_fourth (GstVideoFrame * frame, const BdctRgb * rgb,
    const GstVideoFrame * other)
{
  const gint at = 6 - rgb->offset[0] - rgb->offset[1] - rgb->offset[2];

  for (gint y = 0; rgb->bytes == 4 && y < GST_VIDEO_FRAME_HEIGHT (frame); y++) {
    guint8 *to = get_row (frame, y) + at;
    const guint8 *from = other == NULL ? NULL : get_row (other, y) + at;

    for (gsize x = 0; x < 4 * (gsize) GST_VIDEO_FRAME_WIDTH (frame); x += 4)
      to[x] = from == NULL ? 255 : from[x];
  }
}

/* GStreamer's blending reads pixels as words. */
static gboolean
is_aligned (const GstVideoFrame * mapped)
{
  gsize bits = 0;

  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (mapped); p++)
    bits |= GPOINTER_TO_SIZE (GST_VIDEO_FRAME_PLANE_DATA (mapped, p))
        | (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (mapped, p);
  return bits % sizeof (guint32) == 0;
}

/* Draw the text on a copy, and copy it back: a frame that passes through may be
 * unaligned. And GStreamer mixes colours by the picture's alpha, and writes
 * alpha and padding of whole rows; text has to change colours alone: so the
 * copy is opaque while text is drawn. FALSE without memory. */
static gboolean
blend_copy (GstVideoOverlayComposition * composition,
    const GstBlockDctOverlayFrame * frame, GstVideoFrame * mapped)
{
  const BdctRgb *rgb = &frame->layout->rgb;
  GstAllocationParams params = {.align = 15 };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, frame->info->size,
      &params);
  GstVideoFrame copy;
  gboolean ok = FALSE;

  if (buffer != NULL && gst_video_frame_map (&copy, frame->info, buffer,
          GST_MAP_READWRITE)) {
    gst_video_frame_copy (&copy, mapped);
    set_fourth (&copy, rgb, NULL);
    gst_video_overlay_composition_blend (composition, &copy);
    set_fourth (&copy, rgb, mapped);
    ok = gst_video_frame_copy (mapped, &copy);
    gst_video_frame_unmap (&copy);
  }
  gst_clear_buffer (&buffer);
  return ok;
}

static gboolean
blend (GstVideoOverlayComposition * composition,
    const GstBlockDctOverlayFrame * frame)
{
  GstVideoFrame mapped;
  gboolean ok;

  if (!gst_video_frame_map (&mapped, frame->info, frame->buffer,
          GST_MAP_READWRITE))
    return FALSE;
  ok = is_aligned (&mapped) && frame->layout->rgb.bytes != 4
      ? gst_video_overlay_composition_blend (composition, &mapped)
      : blend_copy (composition, frame, &mapped);
  gst_video_frame_unmap (&mapped);
  return ok;
}

/* The longest line has some 40 letters: less than half of the picture's width,
 * where that can be read. */
static gint
choose_size (const GstVideoInfo * info)
{
  const gint size = MIN (info->height / 30, info->width / 56);

  if (size < LEAST_SIZE)
    return info->width < 200 ? 7 : LEAST_SIZE;
  return MIN (size, 64);
}

/* Draw a side's name at the bottom of its part of the picture, which is `width`
 * wide, if there is room. */
static void
name_side (Drawing * drawing, const GstBlockDctOverlayFrame * frame,
    gboolean second, gint bottom, gint width)
{
  /* A letter is some 0.6 of its size wide; the box adds `size`. */
  const gint letters = (width - drawing->size) / (0.6 * drawing->size);
  const gchar *name = frame->names[second];

  if ((gint) strlen (name) <= letters)
    add (drawing, name, second ? GST_VIDEO_INFO_WIDTH (frame->info) : 0,
        bottom, second, 2);
}

/* Name both pictures, where two are shown. */
static void
name_sides (Drawing * drawing, const GstBlockDctOverlayFrame * frame)
{
  const gint width = GST_VIDEO_INFO_WIDTH (frame->info);
  const gint height = GST_VIDEO_INFO_HEIGHT (frame->info);
  gint first = width, second = width, bottom = height;

  switch (frame->view->mode) {
    case BDCT_VIEW_WIPE:
      first = width * frame->view->position;
      second = width - first;
      break;
    case BDCT_VIEW_SIDE_BY_SIDE:
      first = second = width / 2;
      break;
    case BDCT_VIEW_STACKED:
      bottom = height / 2;
      break;
    case BDCT_VIEW_FLICKER:
      first = 0;
      break;
    default:
      return;
  }
  name_side (drawing, frame, FALSE, bottom, first);
  name_side (drawing, frame, TRUE, height, second);
}

void
gst_blockdct_overlay_draw (GstBlockDctOverlay * self, GstElement * element,
    const GstBlockDctOverlayFrame * frame)
{
  Drawing drawing = {.size = choose_size (frame->info),.complete = TRUE };
  BdctLegend legend;

  bdct_view_legend (frame->view, frame->layout, &legend);
  if (!frame->figures && legend.n_marks == 0)
    return;
  if (self->labels == NULL) {
    self->labels = new_labels ();
    self->no_font = !have_font ();
  }
  /* A map's bar without numbers still shows its marks, as in a build without
   * Pango: warn only if text was asked for. */
  if (self->no_font && frame->figures && warns_first (self))
    GST_ELEMENT_WARNING (element, RESOURCE, NOT_FOUND,
        ("overlay=true shows nothing: no font is installed."),
        ("Install one (Debian: fonts-dejavu-core), or make fontconfig find it "
            "(fc-list lists what it finds)."));
  if (self->no_font)
    return;
  drawing.before = self->labels;
  drawing.labels = self->labels = new_labels ();
  drawing.composition = gst_video_overlay_composition_new (NULL);
  if (frame->figures && *frame->text != '\0')
    add (&drawing, frame->text, drawing.size, drawing.size, FALSE, 0);
  if (frame->figures)
    name_sides (&drawing, frame);
  for (gint i = 0; i < legend.n_marks; i++)
    add (&drawing, legend.mark[i].text, legend.x - 4, legend.mark[i].y, TRUE,
        1);
  if (frame->attach)
    attach (frame->buffer, drawing.composition);
  else
    drawing.complete &= blend (drawing.composition, frame);
  gst_video_overlay_composition_unref (drawing.composition);
  g_hash_table_unref (drawing.before);
  if (!drawing.complete && warns_first (self))
    GST_ELEMENT_WARNING (element, RESOURCE, NO_SPACE_LEFT,
        ("Text is missing on a frame: there is no memory for it, or the frame "
            "is not writable."),
        ("Close other programs, or set overlay to false."));
}

#else /* !HAVE_OVERLAY */

void
gst_blockdct_overlay_draw (GstBlockDctOverlay * self, GstElement * element,
    const GstBlockDctOverlayFrame * frame)
{
  if (frame->figures && warns_first (self))
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
        ("overlay=true shows nothing: this plugin was built without Pango."),
        ("Build it with -Doverlay=enabled, which needs pangocairo (Debian: "
            "libpango1.0-dev)."));
}

#endif
