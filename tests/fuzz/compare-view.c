/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a view of two pictures shows, as docs/reference/views.md says. */
#include "compare.h"

#include <math.h>

gdouble
view_zoom (const Settings * settings)
{
  return floor (settings->zoom * 256 + 0.5) / 256;
}

gint
view_hidden (const Settings * settings, gint side)
{
  return (gint) floor (side * view_zoom (settings)) - side;
}

gboolean
view_locate (const Settings * settings, gint width, gint height, gint * x,
    gint * y)
{
  gboolean down = settings->view == BDCT_VIEW_STACKED;
  gint *z = down ? y : x, size = down ? height : width;
  gint half = size / 4 * 2;
  gint pan = (gint) round (settings->position * half) / 2 * 2;

  if (settings->view == BDCT_VIEW_WIPE)
    return *x >= round (settings->position * width);
  if ((settings->view != BDCT_VIEW_SIDE_BY_SIDE && !down) || size < 4)
    return TRUE;
  *z += pan;
  if (*z - pan < half)
    return FALSE;
  *z -= half;
  return TRUE;
}

/* The place of a sample of luma in one of the two. */
typedef struct
{
  gint x, y;
  gboolean second;
} Place;

static gint
enlarge (const Settings * settings, gdouble share, gint side, gint at)
{
  return floor ((at + (gint) round (share * view_hidden (settings, side)))
      / view_zoom (settings));
}

static Place
find_place (const Shape * s, const Settings * settings, gint x, gint y)
{
  Place place = {
    .second = view_locate (settings, s->width, s->height, &x, &y)
  };

  place.x = enlarge (settings, settings->zoom_x, s->width, x);
  place.y = enlarge (settings, settings->zoom_y, s->height, y);
  return place;
}

/* Whether column `x` of samples so far apart is in a wipe's line. */
static gboolean
is_line (const Shape * s, const Settings * settings, gint sub_x, gint x)
{
  gint line = round (settings->position * s->width);
  gint end = MIN (line + 1 + s->width / 1280, s->width);

  return settings->view == BDCT_VIEW_WIPE && line > 0 && line < s->width
      && x >= line >> sub_x && x <= (end - 1) >> sub_x;
}

/* A flicker changes every half a second. */
static void
find_sides (const Pair * pair, const Item * side[2])
{
  const Settings *settings = &pair->settings;
  const GstClockTime time = pair->item[0]->stream_time;

  side[0] = pair->item[1 + check_side (pair, settings->left, FALSE)];
  side[1] = pair->item[1 + check_side (pair, settings->right, TRUE)];
  if (settings->view == BDCT_VIEW_FLICKER)
    side[0] = side[1] = side[GST_CLOCK_TIME_IS_VALID (time)
        && time / (GST_SECOND / 2) % 2 == 1];
}

static gint
find_sample (const Pair * pair, const Item * const side[2], gint c, gint x,
    gint y)
{
  const Settings *settings = &pair->settings;
  const Shape *s = &pair->item[0]->shape;
  const gint sub_x = c > 0 ? s->sub_x : 0, sub_y = c > 0 ? s->sub_y : 0;
  const gint peak = (1 << s->depth) - 1, middle = (peak + 1) / 2;
  const Place place = find_place (s, settings, x << sub_x, y << sub_y);
  const gint at = (place.y >> sub_y) * s->w[c] + (place.x >> sub_x);
  gint v;

  if (is_line (s, settings, sub_x, x))
    return c == 0 ? peak : middle;
  v = side[place.second]->samples.v[c][at];
  if (settings->view != BDCT_VIEW_DIFFERENCE)
    return v;
  v -= side[0]->samples.v[c][at];
  return CLAMP (middle + floor (v * round (settings->gain * 256) / 256.0
          + 0.5), 0, peak);
}

/* No text is written on it. R, G and B are put together as planes. */
static gboolean
is_known (const Pair * pair)
{
  const Settings *settings = &pair->settings;

  return settings->view >= BDCT_VIEW_WIPE
      && settings->view <= BDCT_VIEW_DIFFERENCE && !settings->overlay
      && pair->item[0]->shape.rgb == NULL;
}

void
view_check (const Pair * pair, const GstVideoInfo * info, GstBuffer * buffer)
{
  const Settings *settings = &pair->settings;
  const Shape *s = &pair->item[0]->shape;
  const Item *side[2];
  const gchar *why;
  Samples got;

  if (!is_known (pair))
    return;
  find_sides (pair, side);
  check (picture_read (s, info, buffer, &got, &why), "a view %s", why);
  for (gint c = 0; c < s->n_components; c++)
    for (gint i = 0; i < s->w[c] * s->h[c]; i++) {
      const gint x = i % s->w[c], y = i / s->w[c];
      const gint v = find_sample (pair, side, c, x, y);

      if (got.v[c][i] != v)
        fail ("component %d (%d, %d) of view %d of %d and %d, zoom %g, is %d, "
            "not %d, in %s %dx%d", c, x, y, settings->view, settings->left,
            settings->right, settings->zoom, got.v[c][i], v, s->format,
            s->width, s->height);
    }
  samples_clear (&got);
}
