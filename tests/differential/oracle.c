/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oracle.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/bins.h"
#include "tests/unit/reference-colour.h"
#include "tests/unit/reference-rate.h"

uint64_t oracle_samples;

bool
oracle_fail (char *text, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  vsnprintf (text, DIFFERENCE_TEXT, format, args);
  va_end (args);
  return false;
}

static void
clear (RefPicture * planes)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    free (planes->sample[c]);
}

static void
get_planes (const Picture * picture, uint8_t * bytes, int unit,
    RefPicture * planes)
{
  const BdctImage image = picture_image (picture, bytes);
  size_t n;

  ref_picture_sides (&picture->layout, planes);
  if (picture->layout.rgb.n_planes > 0)
    ref_colour_split (&picture->layout, &image, unit, planes);
  else
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      planes->sample[c] = picture_samples (picture, bytes, c, &n);
}

/* Blocks */

int
oracle_set (const Oracle * o, int c, int x, int y)
{
  const BdctJobInfo *info = &o->f->info;
  const BdctBlockGrid *grid = &info->grid[c];

  return o->f->frame.quantizer_map == NULL ? 0 : o->f->map[grid->first
      + (size_t) (y >> info->log2_height[c]) * grid->columns
      + (x >> info->log2_width[c])];
}

static RefPlane
plane_of (const Oracle * o, int c, BdctParams * params,
    BdctTransform transform, int set, int left, int top)
{
  RefPlane plane = { params, o->layout->chroma, c, o->layout->depth, 0, 0
  };

  *params = o->f->params[set];
  params->transform = transform;
  plane.width = clamp (o->made.width[c] - left, 0,
      ref_block_width (transform, plane.chroma, c));
  plane.height = clamp (o->made.height[c] - top, 0,
      ref_block_height (transform, plane.chroma, c));
  return plane;
}

const RefResult *
oracle_define (const Oracle * o, int c, BdctTransform transform, int set,
    int left, int top, int *out, uint8_t * slack)
{
  static RefResult result;
  BdctParams params;
  RefPlane plane = plane_of (o, c, &params, transform, set, left, top);
  const int width = plane.width, last = o->src.width[c] - 1 - left;
  static int in[REF_SIZE * REF_SIZE], whole[REF_SIZE * REF_SIZE];
  static uint8_t off[REF_SIZE * REF_SIZE];

  /* Behind the last column of R, G and B there are others than that one. */
  plane.width = ref_block_width (transform, plane.chroma, c);
  for (int i = 0; i < plane.width * plane.height; i++)
    in[i] = o->src.sample[c][(top + i / plane.width) * o->src.width[c] + left
        + clamp (i % plane.width, 0, last)];
  ref_plane (&plane, in, whole, off, &result);
  result.sse = 0;
  for (int i = 0; i < width * plane.height; i++) {
    const int at = i / width * plane.width + i % width;

    out[i] = whole[at];
    if (slack != NULL)
      slack[i] = off[at];
    result.sse += (uint64_t) (whole[at] - in[at]) * (whole[at] - in[at]);
  }
  return &result;
}

/* The place of a level in its block's memory: transforms of 4 x 4 follow each
 * other, and of those of 64 x 64 a quarter is kept; -1 for others. */
static int
place_of (const RefPlane * plane, int v, int u)
{
  const BdctTransform transform = plane->params->transform;
  const int size = ref_block_size (transform, plane->chroma,
      plane->component);
  const int across = ref_block_width (transform, plane->chroma,
      plane->component) / size;
  const int kept = size < 32 ? size : 32;

  return v % size >= kept || u % size >= kept ? -1
      : (v / size * across + u / size) * kept * kept + v % size * kept
      + u % size;
}

/* Make a block of levels: the samples, and how far each may be off. */
static void
decode (const Oracle * o, const RefPlane * plane, const int16_t * levels,
    int *out, uint8_t * slack)
{
  const int middle = 1 << (o->layout->depth - 1), peak = 2 * middle - 1;
  static int64_t x[REF_SIZE][REF_SIZE];
  double samples[8][8], off = 1e-2;

  for (int v = 0; v < REF_SIZE; v++)
    for (int u = 0; u < REF_SIZE; u++) {
      const int at = place_of (plane, v, u);

      x[v][u] = at < 0 || v >= ref_block_height (plane->params->transform,
          plane->chroma, plane->component) || u >= ref_block_width
          (plane->params->transform, plane->chroma, plane->component) ? 0
          : levels[at];
      off += o->real ? llabs (x[v][u]) * 32767e-6 : 0;
    }
  ref_inverse (plane, x, samples);
  for (int i = 0; i < plane->width * plane->height; i++) {
    const int v = i / plane->width, u = i % plane->width;

    slack[i] = 0;
    out[i] = clamp ((int) x[v][u] + middle, 0, peak);
    if (o->real) {
      const double low = floor (samples[v][u] + middle - off + 0.5);
      const double high = floor (samples[v][u] + middle + off + 0.5);

      out[i] = fmin (fmax (low, 0), peak);
      slack[i] = fmin (fmin (fmax (high, 0), peak) - out[i], REF_ANY);
    }
  }
}

bool
oracle_block (Oracle * o, int c, BdctTransform transform, int set, int left,
    int top, const int16_t * levels, const BdctBlockRecord * record)
{
  BdctParams params;
  const RefPlane plane = plane_of (o, c, &params, transform, set, left, top);
  const int n = ref_block_width (transform, plane.chroma, c)
      * ref_block_height (transform, plane.chroma, c);
  const int wide = ref_block_width (transform, plane.chroma, c);
  BdctCounters *counters = &o->expected.component[c];
  const RefResult *result = NULL;
  static int out[REF_SIZE * REF_SIZE];
  static uint8_t slack[REF_SIZE * REF_SIZE];
  uint64_t nonzero = 0, sse = 0;
  bool sure = !o->f->frame.from_levels;

  if (o->f->frame.from_levels)
    decode (o, &plane, levels, out, slack);
  else
    result = oracle_define (o, c, transform, set, left, top, out, slack);
  for (int i = 0; i < plane.width * plane.height; i++) {
    const int x = left + i % plane.width, y = top + i / plane.width;
    int *made = &o->made.sample[c][y * o->made.width[c] + x];

    sure = sure && slack[i] < REF_ANY;
    if (o->exact && *made != out[i])
      return oracle_fail (o->text, "component %d (%d, %d) is %d, by its "
          "definition %d", c, x, y, *made, out[i]);
    if (o->real && o->layout->rgb.n_planes == 0
        && !ref_agrees (*made, out[i], slack[i]))
      return oracle_fail (o->text, "component %d (%d, %d) is %d, by its "
          "definition %d +-%d", c, x, y, *made, out[i], slack[i]);
    if (o->layout->rgb.n_planes > 0)
      *made = out[i];
    if (o->src.sample[c] != NULL) {
      const int64_t e = *made - o->src.sample[c][y * o->src.width[c] + x];

      sse += e * e;
    }
  }
  for (int i = 0; i < n; i++) {
    const int at = place_of (&plane, i / wide, i % wide);
    const int level = at < 0 ? 0 : levels[at];

    nonzero += level != 0;
    if (sure && level != result->level[i / wide][i % wide])
      return oracle_fail (o->text, "component %d, block at (%d, %d), level "
          "%d, %d is %d, by its definition %d", c, left, top, i % wide,
          i / wide, level, result->level[i / wide][i % wide]);
  }
  if (record != NULL && (record->nonzero != nonzero
          || (!o->real && o->src.sample[c] != NULL && record->sse
              != (sse < UINT32_MAX ? sse : UINT32_MAX))))
    return oracle_fail (o->text, "component %d, block at (%d, %d): its record "
        "has %u and %u", c, left, top, record->nonzero, record->sse);
  counters->samples += plane.width * plane.height;
  counters->sse += sse;
  counters->levels += n;
  counters->nonzero += nonzero;
  oracle_samples += plane.width * plane.height;
  return true;
}

static const int16_t *
levels_of (const Oracle * o, int c)
{
  return (int16_t *) o->out->bytes[LEVEL_BYTES] + o->f->info.first_level[c];
}

int
oracle_level (const Oracle * o, int c, int x, int y)
{
  const BdctJobInfo *info = &o->f->info;
  BdctParams params;
  const RefPlane plane = plane_of (o, c, &params,
      o->f->value[TRANSFORM], 0, 0, 0);
  const int n = (y >> info->log2_height[c]) * info->grid[c].columns
      + (x >> info->log2_width[c]);
  const int at = place_of (&plane, y & ((1 << info->log2_height[c]) - 1),
      x & ((1 << info->log2_width[c]) - 1));

  return at < 0 ? 0 : levels_of (o, c)[n * info->block_levels[c] + at];
}

static bool
check_blocks (Oracle * o)
{
  const BdctJobInfo *info = &o->f->info;
  const BdctBlockRecord *records =
      (const BdctBlockRecord *) o->out->bytes[RECORD_BYTES];

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    for (int b = 0; b < info->grid[c].columns * info->grid[c].rows; b++) {
      const int left = b % info->grid[c].columns << info->log2_width[c];
      const int top = b / info->grid[c].columns << info->log2_height[c];

      if (!oracle_block (o, c, o->f->value[TRANSFORM], oracle_set (o, c, left,
                  top), left, top, levels_of (o, c)
              + b * info->block_levels[c],
              records + info->grid[c].first + b))
        return false;
    }
  return true;
}

/* Bits */

/* A component's symbols, MCU by MCU. */
static void
count_symbols (const Oracle * o, int c, RefSymbols * symbols)
{
  const BdctBlockGrid *grid = &o->f->info.grid[c];
  const int h = 1 << ref_sub_x (o->layout->chroma, BDCT_U);
  const int v = 1 << ref_sub_y (o->layout->chroma, BDCT_U);
  const int across = 8 * grid->columns, n = 8 * grid->rows * across;
  int *levels = allocate (n * sizeof *levels);
  const RefScan scan = { grid->columns, grid->rows, c ? 1 : h, c ? 1 : v,
    levels
  };

  for (int i = 0; i < n; i++)
    levels[i] = oracle_level (o, c, i % across, i / across);
  ref_symbols (&scan, (o->made.width[0] + 8 * h - 1) / (8 * h),
      (o->made.height[0] + 8 * v - 1) / (8 * v), symbols);
  free (levels);
}

/* With the tables that are optimal for Y, and for U and V together. */
static void
huffman_bits (const Oracle * o, uint64_t bits[3])
{
  RefSymbols own[3] = { 0 }, both;
  int lengths[256];

  for (int c = 0; c < 3 && o->made.width[c] > 0; c++)
    count_symbols (o, c, &own[c]);
  for (int i = 0; i < 256; i++) {
    both.dc[i] = own[1].dc[i] + own[2].dc[i];
    both.ac[i] = own[1].ac[i] + own[2].ac[i];
  }
  for (int c = 0; c < 3; c++) {
    ref_optimal_lengths (c ? both.dc : own[0].dc, lengths);
    bits[c] = ref_symbol_bits (own[c].dc, lengths);
    ref_optimal_lengths (c ? both.ac : own[0].ac, lengths);
    bits[c] += ref_symbol_bits (own[c].ac, lengths);
  }
}

static bool
check_bits (const Oracle * o)
{
  const BdctJobInfo *info = &o->f->info;
  const BdctTransform transform = o->f->value[TRANSFORM];
  uint64_t bits[3] = { 0 };

  if (transform <= BDCT_DCT_8X8) {
    huffman_bits (o, bits);
  } else {
    for (int c = 0; c < 3; c++) {
      const int size = clamp (ref_block_size (transform, o->layout->chroma, c),
          4, 32), log2_size = __builtin_ctz (size);
      const int parts = info->block_levels[c] >> 2 * log2_size;

      if (o->made.width[c] > 0)
        bits[c] = (ref_price_blocks (levels_of (o, c), info->grid[c].columns
                * parts, info->grid[c].rows, log2_size, c > 0,
                o->f->params[0].qp) + 2048) / 4096;
    }
  }
  if (info->exact_bits)
    return o->stats->bits_optimized == bits[0] + bits[1] + bits[2]
        || oracle_fail (o->text, "%llu bits with optimal tables, by a count "
        "%llu", (unsigned long long) o->stats->bits_optimized,
        (unsigned long long) (bits[0] + bits[1] + bits[2]));
  for (int c = 0; c < 3; c++)
    if (o->stats->component[c].bits != bits[c])
      return oracle_fail (o->text, "component %d: %llu bits, by a count %llu",
          c, (unsigned long long) o->stats->component[c].bits,
          (unsigned long long) bits[c]);
  return true;
}

/* Frames */

static bool
check_counters (const Oracle * o)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctCounters *a = &o->stats->component[c];
    const BdctCounters *b = &o->expected.component[c];

    if (a->samples != b->samples || a->levels != b->levels
        || a->nonzero != b->nonzero || (a->sse != b->sse
            && !o->real && o->src.sample[0] != NULL))
      return oracle_fail (o->text, "component %d: counters %llu %llu %llu "
          "%llu, not %llu %llu %llu %llu", c, (unsigned long long) a->samples,
          (unsigned long long) a->levels, (unsigned long long) a->nonzero,
          (unsigned long long) a->sse, (unsigned long long) b->samples,
          (unsigned long long) b->levels, (unsigned long long) b->nonzero,
          (unsigned long long) b->sse);
  }
  return memcmp (o->stats->area, o->expected.area, sizeof o->expected.area)
      == 0 || oracle_fail (o->text, "other areas of blocks");
}

/* R, G and B that the planes stand for. */
static bool
check_pixels (const Oracle * o)
{
  const BdctImage image = picture_image (&o->f->dst, o->out->bytes[PICTURE]);

  for (int y = 0; y < o->made.height[0]; y++)
    for (int x = 0; x < o->made.width[0]; x++) {
      int rgb[3];

      ref_colour_join (o->layout, &o->made, x, y, rgb);
      for (int k = 0; k < 3; k++)
        if (*ref_colour_byte (o->layout, &image, x, y, k) != rgb[k])
          return oracle_fail (o->text, "%c at (%d, %d) is %d, not %d",
              "RGB"[k], x, y, *ref_colour_byte (o->layout, &image, x, y, k),
              rgb[k]);
    }
  return true;
}

/* Blocks alone are reconstructed as in the frame, of the same levels. */
static bool
check_inspected (const Oracle * o)
{
  const int width = o->made.width[0], height = o->made.height[0];
  static BdctBlock blocks[BDCT_MAX_COMPONENTS];
  BdctFrame frame = o->f->frame;

  if (frame.from_levels)
    return true;
  frame.src = o->f->source->image;
  for (int at = 0; at < width * height; at += 1 + width * height / 4)
    for (int c = 0; c < bdct_block_inspect (o->layout, &frame, at % width,
            at / width, blocks, NULL); c++) {
      const BdctBlock *b = &blocks[c];

      for (int i = 0; i < b->width * b->height; i++) {
        const int x = b->x + i % b->width, y = b->y + i / b->width;

        if ((o->f->value[TRANSFORM] != BDCT_HEVC_QUADTREE
                && b->level[i] != oracle_level (o, c, x, y))
            || (x < o->made.width[c] && y < o->made.height[c]
                && b->reconstruction[i]
                != o->made.sample[c][y * o->made.width[c] + x]))
          return oracle_fail (o->text, "component %d at (%d, %d) of a block "
              "alone: %d, level %d", c, x, y, b->reconstruction[i],
              b->level[i]);
      }
    }
  return true;
}

static bool
check_view (const Oracle * o, const SceneFrame * shown, const Output * own)
{
  const bool rgb = o->layout->rgb.n_planes > 0;
  RefPicture source = o->src, got;
  Shown s = {.view = &shown->view,.layout = o->layout,.o = o,
    .left = &source,.right = &o->made
  };
  bool ok;

  if (shown->frame.view == NULL || shown->value[NO_DST]
      || own->size[PICTURE] == 0 || (rgb && o->real)
      || o->src.sample[0] == NULL)
    return true;
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    s.width[c] = 1 << o->f->info.log2_width[c];
    s.height[c] = 1 << o->f->info.log2_height[c];
  }
  s.colours = allocate (o->made.width[0] * o->made.height[0] * 2);
  if (rgb) {
    const BdctImage images[2] = { o->f->source->image, o->f->source->image };
    const BdctImage image = picture_image (&shown->dst, own->bytes[PICTURE]);

    get_planes (o->f->source, o->f->source->bytes, 1, &source);
    ok = oracle_view_rgb (&s, images, &image, o->text);
    clear (&source);
  } else {
    get_planes (&shown->dst, own->bytes[PICTURE], 1, &got);
    ok = oracle_view (&s, &got, o->text);
    clear (&got);
  }
  free (s.colours);
  return ok;
}

bool
oracle_frame (const Scene * scene, int i, const Output * all,
    const SceneFrame * shown, const Output * own, char *text)
{
  const SceneFrame *f = &scene->frame[i];
  const bool rgb = scene->layout.rgb.n_planes > 0;
  Oracle o = {.f = f,.layout = &scene->layout,.out = all,
    .stats = (const BdctStats *) all->bytes[STATISTICS],
    .real = f->value[TRANSFORM] == BDCT_DCT_8X8,.text = text
  };
  bool ok;

  o.exact = !o.real && !rgb;
  if (f->source != NULL)
    get_planes (f->source, f->source->bytes, REF_SIZE, &o.src);
  get_planes (&f->dst, all->bytes[PICTURE], 1, &o.made);
  ok = f->value[TRANSFORM] == BDCT_HEVC_QUADTREE ? oracle_tree (&o)
      : check_blocks (&o) && check_bits (&o);
  ok = ok && check_counters (&o) && (!rgb || o.real || check_pixels (&o))
      && check_inspected (&o) && check_view (&o, shown, own);
  clear (&o.src);
  clear (&o.made);
  return ok;
}

/* Comparisons */

static bool
check_errors (const RefPicture * a, const RefPicture * b,
    const BdctStats * stats, char *text)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    uint64_t sse = 0;

    for (int i = 0; i < a->width[c] * a->height[c]; i++)
      sse += (a->sample[c][i] - b->sample[c][i]) * (a->sample[c][i]
          - b->sample[c][i]);
    if (stats->component[c].sse != sse)
      return oracle_fail (text, "errors of component %d", c);
  }
  return true;
}

bool
oracle_comparison (const Scene * scene, int i, const Output * own, char *text)
{
  const SceneFrame *f = &scene->frame[i];
  const BdctStats *stats = (const BdctStats *) own->bytes[STATISTICS];
  const int n = 1 + f->comparison.n_distorted;
  const int of[2] = { 1 + f->comparison.left, 1 + f->comparison.right };
  RefPicture planes[MAX_PICTURES], got;
  Shown s = {.view = &f->view,.layout = &scene->layout,
    .left = &planes[of[0]],.right = &planes[of[1]],
    .width = {8, 8, 8},.height = {8, 8, 8}
  };
  bool ok = true;

  for (int k = 0; k < n; k++)
    get_planes (&f->picture[k], f->picture[k].bytes, 1, &planes[k]);
  for (int k = 1; k < n && f->comparison.errors && ok; k++)
    ok = check_errors (&planes[0], &planes[k], &stats[k - 1], text);
  if (ok && f->comparison.view != NULL && own->size[PICTURE] > 0) {
    const BdctImage images[2] = { f->picture[of[0]].image,
      f->picture[of[1]].image
    };
    const BdctImage image = picture_image (&f->dst, own->bytes[PICTURE]);

    s.colours = allocate (planes[0].width[0] * planes[0].height[0] * 2);
    if (scene->layout.rgb.n_planes > 0) {
      ok = oracle_view_rgb (&s, images, &image, text);
    } else {
      get_planes (&f->dst, own->bytes[PICTURE], 1, &got);
      ok = oracle_view (&s, &got, text);
      clear (&got);
    }
    free (s.colours);
  }
  for (int k = 0; k < n; k++)
    clear (&planes[k]);
  return ok;
}
