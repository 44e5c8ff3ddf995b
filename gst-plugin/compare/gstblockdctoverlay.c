/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Draws text on the picture. Drawn text is cached until it changes. */
#include "gstblockdctoverlay.h"
#include "gst-plugin/common/gstblockdctdebug.h"

#ifdef HAVE_OVERLAY
#include <pango/pangocairo.h>
#include <string.h>

#define GST_CAT_DEFAULT gst_blockdct_debug
#define FONT "Monospace"

/* The least size of readable letters. */
#define LEAST_SIZE 9

/* The point of a label that is at its position. */
typedef enum
{
  TOP_LEFT, BOTTOM_LEFT, BOTTOM_RIGHT, MIDDLE_RIGHT
} Anchor;

/* A text and the rectangle that shows it. */
typedef struct
{
  gchar *text;
  gint x, y, size;
  GstVideoOverlayRectangle *rectangle;
} Label;

enum
{
  FIGURES,
  FIRST_HALF,
  SECOND_HALF,
  FIRST_MARK,
  N_LABELS = FIRST_MARK + 8
};

struct _GstBlockDctOverlay
{
  PangoFontMap *fonts;
  gboolean no_font, warned;     /* there is no font; a warning was posted */
  Label label[N_LABELS];
};

static void
clear_label (Label * label)
{
  g_clear_pointer (&label->text, g_free);
  g_clear_pointer (&label->rectangle, gst_video_overlay_rectangle_unref);
}

void
gst_blockdct_overlay_clear (GstBlockDctOverlay ** overlay)
{
  GstBlockDctOverlay *self = g_steal_pointer (overlay);

  if (self == NULL)
    return;
  for (guint i = 0; i < N_LABELS; i++)
    clear_label (&self->label[i]);
  g_object_unref (self->fonts);
  g_free (self);
}

/* Whether there is a font: without one the sizes of Pango's layouts are
 * meaningless. */
static gboolean
have_font (PangoFontMap * fonts)
{
  PangoContext *context = pango_font_map_create_context (fonts);
  PangoFontDescription *wanted = pango_font_description_from_string (FONT);
  PangoFont *font = pango_font_map_load_font (fonts, context, wanted);
  gboolean found = font != NULL;

  g_clear_object (&font);
  pango_font_description_free (wanted);
  g_object_unref (context);
  return found;
}

static PangoLayout *
make_layout (GstBlockDctOverlay * overlay, const gchar * text, gint size)
{
  PangoContext *context = pango_font_map_create_context (overlay->fonts);
  PangoFontDescription *font = pango_font_description_from_string (FONT);
  PangoLayout *layout = pango_layout_new (context);

  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  pango_font_description_free (font);
  g_object_unref (context);
  return layout;
}

/* White text on a dark box. NULL without memory. */
static GstVideoOverlayRectangle *
draw_text (GstBlockDctOverlay * overlay, const gchar * text, gint x, gint y,
    gint size, Anchor anchor)
{
  gint pad = MAX (size / 3, 2), width, height, stride;
  PangoLayout *layout = make_layout (overlay, text, size);
  GstVideoOverlayRectangle *rectangle;
  cairo_surface_t *surface;
  GstBuffer *buffer;
  GstMapInfo map;
  cairo_t *cr;

  pango_layout_get_pixel_size (layout, &width, &height);
  width += 2 * pad;
  height += 2 * pad;
  stride = cairo_format_stride_for_width (CAIRO_FORMAT_ARGB32, width);
  buffer = gst_buffer_new_allocate (NULL, (gsize) stride * height, NULL);
  if (buffer == NULL || !gst_buffer_map (buffer, &map, GST_MAP_READWRITE)) {
    gst_clear_buffer (&buffer);
    g_object_unref (layout);
    return NULL;
  }
  memset (map.data, 0, map.size);
  surface = cairo_image_surface_create_for_data (map.data, CAIRO_FORMAT_ARGB32,
      width, height, stride);
  cr = cairo_create (surface);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.6);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_move_to (cr, pad, pad);
  pango_cairo_show_layout (cr, layout);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  gst_buffer_unmap (buffer, &map);
  g_object_unref (layout);

  /* Its stride is 4 bytes a sample. */
  gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, width, height);
  if (anchor == BOTTOM_RIGHT || anchor == MIDDLE_RIGHT)
    x = MAX (x - width, 0);
  if (anchor != TOP_LEFT)
    y -= anchor == MIDDLE_RIGHT ? height / 2 : height;
  rectangle = gst_video_overlay_rectangle_new_raw (buffer, x, y, width, height,
      GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  gst_buffer_unref (buffer);
  return rectangle;
}

/* Draw a label unless it is unchanged; `text` is taken. NULL without memory. */
static GstVideoOverlayRectangle *
update_label (GstBlockDctOverlay * overlay, guint index, gchar * text, gint x,
    gint y, gint size, Anchor anchor)
{
  Label *label = &overlay->label[index];

  if (label->rectangle != NULL && strcmp (text, label->text) == 0
      && x == label->x && y == label->y && size == label->size) {
    g_free (text);
    return label->rectangle;
  }
  clear_label (label);
  *label = (Label) {
  text, x, y, size, NULL};
  label->rectangle = draw_text (overlay, text, x, y, size, anchor);
  return label->rectangle;
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

/* A map's bar without numbers still shows its marks, as in a build without
 * Pango: warn only if text was asked for. */
static void
warn_no_font (GstBlockDctOverlay * overlay, GstElement * element)
{
  if (overlay->warned)
    return;
  overlay->warned = TRUE;
  GST_ELEMENT_WARNING (element, RESOURCE, NOT_FOUND,
      ("overlay=true shows nothing: no font is installed."),
      ("Install one (Debian: fonts-dejavu-core), or make fontconfig find it "
          "(fc-list lists what it finds)."));
}

static void
warn_missing (GstBlockDctOverlay * overlay, GstElement * element)
{
  if (overlay->warned)
    return;
  overlay->warned = TRUE;
  GST_ELEMENT_WARNING (element, RESOURCE, NO_SPACE_LEFT,
      ("Text is missing on a frame: there is no memory for it, or the frame is "
          "not writable."),
      ("Close other programs, or set overlay to false."));
}

static gboolean
add (GstVideoOverlayComposition * composition,
    GstVideoOverlayRectangle * rectangle)
{
  if (rectangle != NULL)
    gst_video_overlay_composition_add_rectangle (composition, rectangle);
  return rectangle != NULL;
}

/* Exchange the fourth byte of each pixel, alpha or padding, with another
 * one. */
static void
exchange_fourth (GstVideoFrame * mapped, const BdctRgb * rgb, guint8 * bytes)
{
  const gint at = 6 - rgb->offset[0] - rgb->offset[1] - rgb->offset[2];

  for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT (mapped); y++) {
    guint8 *pixels = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (mapped, 0)
        + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (mapped, 0) + at;

    for (gint x = 0; x < GST_VIDEO_FRAME_WIDTH (mapped); x++, bytes++) {
      const guint8 byte = pixels[4 * (gsize) x];

      pixels[4 * (gsize) x] = *bytes;
      *bytes = byte;
    }
  }
}

/* GStreamer mixes colours by the picture's alpha, and writes alpha and padding
 * of whole rows. Text has to change colours alone: so the picture is made
 * opaque while text is drawn. FALSE without memory. */
static gboolean
blend_mapped (GstVideoOverlayComposition * composition,
    const BdctRgb * rgb, GstVideoFrame * mapped)
{
  const gsize n = (gsize) GST_VIDEO_FRAME_WIDTH (mapped)
      * GST_VIDEO_FRAME_HEIGHT (mapped);
  guint8 *fourth = NULL;

  if (rgb->bytes == 4) {
    fourth = g_try_malloc (n);
    if (fourth == NULL)
      return FALSE;
    memset (fourth, 255, n);
    exchange_fourth (mapped, rgb, fourth);
  }
  gst_video_overlay_composition_blend (composition, mapped);
  if (fourth != NULL)
    exchange_fourth (mapped, rgb, fourth);
  g_free (fourth);
  return TRUE;
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
 * unaligned. */
static gboolean
blend_copy (GstVideoOverlayComposition * composition,
    const GstBlockDctOverlayFrame * frame, GstVideoFrame * mapped)
{
  GstAllocationParams params = {.align = 15 };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, frame->info->size,
      &params);
  GstVideoFrame copy;
  gboolean ok = FALSE;

  if (buffer != NULL && gst_video_frame_map (&copy, frame->info, buffer,
          GST_MAP_READWRITE)) {
    ok = gst_video_frame_copy (&copy, mapped)
        && blend_mapped (composition, &frame->layout->rgb, &copy)
        && gst_video_frame_copy (mapped, &copy);
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
  ok = is_aligned (&mapped) ? blend_mapped (composition, &frame->layout->rgb,
      &mapped) : blend_copy (composition, frame, &mapped);
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
static gboolean
name_side (GstBlockDctOverlay * self, const GstBlockDctOverlayFrame * frame,
    gboolean second, gint bottom, gint width, gint size,
    GstVideoOverlayComposition * composition)
{
  /* A letter is some 0.6 of its size wide; the box adds `size`. */
  const gint letters = (width - size) / (0.6 * size);
  const gint x = second ? GST_VIDEO_INFO_WIDTH (frame->info) : 0;
  const gchar *name = frame->names[second];

  if ((gint) strlen (name) > letters)
    return TRUE;
  return add (composition, update_label (self, second ? SECOND_HALF
          : FIRST_HALF, g_strdup (name), x, bottom, size, second ? BOTTOM_RIGHT
          : BOTTOM_LEFT));
}

/* Name both pictures, where two are shown. */
static gboolean
name_sides (GstBlockDctOverlay * self, const GstBlockDctOverlayFrame * frame,
    gint size, GstVideoOverlayComposition * composition)
{
  gint width = GST_VIDEO_INFO_WIDTH (frame->info), first = width;
  gint height = GST_VIDEO_INFO_HEIGHT (frame->info), bottom = height;
  gint second = width;

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
      return TRUE;
  }
  return name_side (self, frame, FALSE, bottom, first, size, composition)
      && name_side (self, frame, TRUE, height, second, size, composition);
}

void
gst_blockdct_overlay_draw (GstBlockDctOverlay ** overlay,
    GstElement * element, const GstBlockDctOverlayFrame * frame)
{
  const gint size = choose_size (frame->info);
  GstVideoOverlayComposition *composition;
  GstBlockDctOverlay *self = *overlay;
  gboolean complete = TRUE;
  BdctLegend legend;

  bdct_view_legend (frame->view, frame->layout, &legend);
  if (!frame->figures && legend.n_marks == 0)
    return;
  if (self == NULL) {
    *overlay = self = g_new0 (GstBlockDctOverlay, 1);
    self->fonts = pango_cairo_font_map_new ();
    self->no_font = !have_font (self->fonts);
  }
  if (self->no_font) {
    if (frame->figures)
      warn_no_font (self, element);
    return;
  }
  composition = gst_video_overlay_composition_new (NULL);
  if (frame->figures && *frame->text != '\0')
    complete = add (composition, update_label (self, FIGURES,
            g_strdup (frame->text), size, size, size, TOP_LEFT));
  if (frame->figures)
    complete &= name_sides (self, frame, size, composition);
  for (gint i = 0; i < legend.n_marks; i++)
    complete &= add (composition, update_label (self, FIRST_MARK + i,
            g_strdup (legend.mark[i].text), legend.x - 4, legend.mark[i].y,
            size, MIDDLE_RIGHT));
  if (frame->attach)
    attach (frame->buffer, composition);
  else
    complete &= blend (composition, frame);
  gst_video_overlay_composition_unref (composition);
  if (!complete)
    warn_missing (self, element);
}

#else /* !HAVE_OVERLAY */

struct _GstBlockDctOverlay
{
  gchar warned;
};

void
gst_blockdct_overlay_draw (GstBlockDctOverlay ** overlay,
    GstElement * element, const GstBlockDctOverlayFrame * frame)
{
  if (*overlay != NULL || !frame->figures)
    return;
  *overlay = g_new0 (GstBlockDctOverlay, 1);
  GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
      ("overlay=true shows nothing: this plugin was built without Pango."),
      ("Build it with -Doverlay=enabled, which needs pangocairo (Debian: "
          "libpango1.0-dev)."));
}

void
gst_blockdct_overlay_clear (GstBlockDctOverlay ** overlay)
{
  g_clear_pointer (overlay, g_free);
}

#endif
