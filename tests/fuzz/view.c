/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a view shows, as docs/reference.md says. */
#include "picture.h"

#include <math.h>
#include "check/reference.h"

gdouble
view_zoom (const Choice * choice)
{
  return floor (choice->zoom * 256 + 0.5) / 256;
}

gint
view_hidden (const Choice * choice, gint side)
{
  return (gint) floor (side * view_zoom (choice)) - side;
}

/* The sides that it shows at that time: two, or one twice. */
static void
find_sides (const Choice * choice, const Pictures * pictures, BdctSide side[2])
{
  model_sides (choice, side);
  if (choice->view == BDCT_VIEW_FLICKER)
    side[0] = side[1] = side[pictures->second];
}

gboolean
view_shows_b (const Choice * choice, const Pictures * pictures)
{
  BdctSide side[2];

  find_sides (choice, pictures, side);
  return side[0] == BDCT_SIDE_B || side[1] == BDCT_SIDE_B;
}

gboolean
view_locate (const Shape * s, const Choice * choice, gint * x, gint * y)
{
  gboolean down = choice->view == BDCT_VIEW_STACKED;
  gint *z = down ? y : x, size = down ? s->height : s->width;
  gint half = size / 4 * 2;
  gint pan = (gint) round (choice->position * half) / 2 * 2;

  if (choice->view == BDCT_VIEW_WIPE)
    return *x >= round (choice->position * s->width);
  if ((choice->view != BDCT_VIEW_SIDE_BY_SIDE && !down) || size < 4)
    return TRUE;
  *z += pan;
  if (*z - pan < half)
    return FALSE;
  *z -= half;
  return TRUE;
}

/* The place of a sample of luma, and whether it is the first that shows that
 * column, or row, of the picture. */
typedef struct
{
  gint x, y;
  gboolean second, first_x, first_y;
} Place;

static gint
enlarge (const Choice * choice, gdouble share, gint side, gint at,
    gboolean * first)
{
  const gdouble zoom = view_zoom (choice);
  gint place;

  at += (gint) round (share * view_hidden (choice, side));
  place = floor (at / zoom);
  *first = floor ((at - 1) / zoom) < place;
  return place;
}

static Place
find_place (const Shape * s, const Choice * choice, gint x, gint y)
{
  Place place = {.second = view_locate (s, choice, &x, &y) };

  place.x = enlarge (choice, choice->zoom_x, s->width, x, &place.first_x);
  place.y = enlarge (choice, choice->zoom_y, s->height, y, &place.first_y);
  return place;
}

/* Whose blocks are there: in the original the other picture's. */
static BdctSide
find_blocks (const Choice * choice, const Pictures * pictures, gboolean second)
{
  BdctSide side[2];

  find_sides (choice, pictures, side);
  if (side[second] == BDCT_SIDE_ORIGINAL)
    second = !second;
  return side[second] == BDCT_SIDE_B ? BDCT_SIDE_B : BDCT_SIDE_A;
}

BdctSide
view_origin (const Shape * s, const Choice * choice, const Pictures * pictures,
    gint * x, gint * y)
{
  const Place place = find_place (s, choice, *x, *y);

  *x = place.x;
  *y = place.y;
  return find_blocks (choice, pictures, place.second);
}

/* Whether a block's border is there: 1; -1: that is not known here. */
static gint
is_border (const Shape * s, const Choice * choice, const Pictures * pictures,
    const Place * place)
{
  const BdctParams params =
      find_blocks (choice, pictures, place->second) == BDCT_SIDE_B
      ? model_b (choice) : choice->params;
  gint size;

  if (!choice->grid)
    return 0;
  if (params.transform == BDCT_HEVC_QUADTREE)
    return -1;
  size = ref_block_size (params.transform, s->chroma, BDCT_Y);
  return (place->x % size == 0 && place->first_x)
      || (place->y % size == 0 && place->first_y);
}

/* Whether column `x` of samples so far apart is in a wipe's line. */
static gboolean
is_line (const Shape * s, const Choice * choice, gint sub_x, gint x)
{
  gint line = round (choice->position * s->width);
  gint end = MIN (line + 1 + s->width / 1280, s->width);

  return choice->view == BDCT_VIEW_WIPE && line > 0 && line < s->width
      && x >= line >> sub_x && x <= (end - 1) >> sub_x;
}

/* A sample of a picture, and how far off it may be. */
static gint
get_sample (const Shape * s, const Pictures * pictures, BdctSide side, gint c,
    gint x, gint y, gint * slack)
{
  const gint at = y * s->w[c] + x;

  if (pictures->slack[side] != NULL && pictures->slack[side]->v[c] != NULL)
    *slack = MAX (*slack, pictures->slack[side]->v[c][at]);
  return pictures->sample[side]->v[c][at];
}

gint
view_sample (const Shape * s, const Choice * choice, const Pictures * pictures,
    gint c, gint x, gint y, gint * slack)
{
  const gint sub_x = c > 0 ? s->sub_x : 0, sub_y = c > 0 ? s->sub_y : 0;
  const gint peak = (1 << s->depth) - 1, middle = (peak + 1) / 2;
  const Place place = find_place (s, choice, x << sub_x, y << sub_y);
  const gint px = place.x >> sub_x, py = place.y >> sub_y;
  const gint border = c == 0 ? is_border (s, choice, pictures, &place) : 0;
  BdctSide side[2];
  gint v;

  *slack = 0;
  if (is_line (s, choice, sub_x, x))
    return c == 0 ? peak : middle;
  if (choice->view > BDCT_VIEW_DIFFERENCE || border < 0) {
    *slack = REF_ANY;
    return 0;
  }
  find_sides (choice, pictures, side);
  v = get_sample (s, pictures, side[place.second], c, px, py, slack);
  if (choice->view == BDCT_VIEW_DIFFERENCE) {
    v -= get_sample (s, pictures, side[0], c, px, py, slack);
    v = CLAMP (middle + floor (v * round (choice->gain * 256) / 256.0 + 0.5),
        0, peak);
  }
  /* What is near is not what is made of it. */
  if (*slack > 0 && (border || choice->view == BDCT_VIEW_DIFFERENCE))
    *slack = REF_ANY;
  if (border)
    v += v >= middle ? -middle / 2 : middle / 2;
  return v;
}

/* In the bytes of all pixels. */
static gint
find_byte (const Shape * s, gint plane, gint k, gint x, gint y)
{
  return (plane * s->height + y) * s->row[0] + x * s->rgb->bytes + k;
}

gboolean
view_byte (const Shape * s, const Choice * choice, const Pictures * pictures,
    gint plane, gint k, gint x, gint y, guint8 * v)
{
  const gint *offset = s->rgb->offset;
  const gboolean is_colour = s->rgb->bytes < 4 || k == offset[0]
      || k == offset[1] || k == offset[2];
  const gboolean zoomed = view_zoom (choice) > 1;
  /* At 1:1 two pictures are put together before they are R, G and B. */
  const gboolean copied = choice->view <= BDCT_VIEW_RECONSTRUCTION_B
      || choice->view == BDCT_VIEW_FLICKER
      || (zoomed && choice->view < BDCT_VIEW_DIFFERENCE);
  const Place place = find_place (s, choice, x, y);
  BdctSide side[2], of = BDCT_SIDE_ORIGINAL;

  if (zoomed && is_line (s, choice, 0, x)) {
    *v = 255;
    return TRUE;
  }
  find_sides (choice, pictures, side);
  if (is_colour)
    of = side[place.second];
  if (is_colour && (!copied || (choice->grid && (!zoomed
                  || is_border (s, choice, pictures, &place) != 0))))
    return FALSE;
  if (pictures->slack[of] != NULL && pictures->slack[of]->v[0] != NULL)
    return FALSE;
  *v = pictures->sample[of]->pixels[zoomed ? find_byte (s, plane, k, place.x,
          place.y) : find_byte (s, plane, k, x, y)];
  return TRUE;
}
