/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Any levels into an engine, against the definition of a decoder; and what is
 * refused of frames. That levels come out that give the same frame again is a
 * law of the differential's. */
#include <math.h>
#include <string.h>
#include "program.h"
#include "lists.h"
#include "reference.h"

#define MAX_SETS 3

/* A frame, and all that is asked of it. */
typedef struct {
  BdctLayout layout;
  Picture picture;
  Frame src, dst;
  BdctParams params[MAX_SETS];
  BdctJob quantizers[MAX_SETS];
  BdctFrame frame;
  guint8 *map;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctBlockRecord *blocks;
  guint8 *sizes;
  gsize n, first[BDCT_MAX_COMPONENTS];
  BdctLevel *levels;
} Scene;

static void
scene_init (Scene * s, const BdctLayout * layout, BdctTransform transform,
    int n_sets, guint seed)
{
  static const Content contents[] = { CONTENT_SMOOTH, CONTENT_RANDOM,
    CONTENT_EXTREME
  };
  GRand *rand = g_rand_new_with_seed (seed);

  memset (s, 0, sizeof *s);
  s->layout = *layout;
  for (int i = 0; i < n_sets; i++) {
    BdctParams *params = &s->params[i];

    *params = (BdctParams) BDCT_PARAMS_DEFAULT;
    params->transform = transform;
    params->qp = g_rand_int_range (rand, 0, 52);
    params->quality = g_rand_int_range (rand, 1, 101);
    params->deadzone = ref_deadzone (seed);
    params->scaling_list = seed % 3;
    if (params->scaling_list == BDCT_SCALING_FILE)
      random_lists (params, seed + i);
    g_assert_true (bdct_job_init (&s->quantizers[i], params, layout, NULL));
  }
  s->frame.quantizers = s->quantizers;
  s->frame.n_quantizers = n_sets;
  s->frame.n_blocks = bdct_blocks_init (s->grid, layout, s->quantizers);
  s->map = g_malloc (s->frame.n_blocks);
  for (gsize i = 0; i < s->frame.n_blocks; i++)
    s->map[i] = g_rand_int_range (rand, 0, n_sets);
  s->frame.quantizer_map = n_sets > 1 ? s->map : NULL;
  s->blocks = g_new0 (BdctBlockRecord, s->frame.n_blocks);
  s->sizes = g_malloc0 (s->frame.n_blocks);
  s->frame.sizes = s->sizes;
  s->n = bdct_count_levels (layout, s->quantizers, s->first);
  s->levels = g_aligned_alloc (s->n + 64, sizeof *s->levels, 64);
  picture_init (&s->picture, layout);
  frame_init (&s->src, layout, STRIDE_TIGHT);
  frame_init (&s->dst, layout, STRIDE_ODD);
  picture_fill (&s->picture, contents[seed % 3], layout, transform, seed);
  frame_put (&s->src, layout, &s->picture, FALSE);
  s->frame.src = s->src.image;
  s->frame.dst = s->dst.image;
  s->frame.n_levels = s->n;
  g_rand_free (rand);
}

static void
scene_clear (Scene * s)
{
  picture_clear (&s->picture);
  frame_clear (&s->src);
  frame_clear (&s->dst);
  g_free (s->map);
  g_free (s->blocks);
  g_free (s->sizes);
  g_aligned_free (s->levels);
}

static RefPlane
plane_of (const Scene * s, int set, int c)
{
  return (RefPlane) {
    .params = &s->params[set], .chroma = s->layout.chroma, .component = c,
    .depth = s->layout.depth, .width = s->picture.width[c],
    .height = s->picture.height[c]
  };
}

/* Where level (v, u) of a block is; levels that no chain keeps are nowhere. A
 * macroblock's 4 x 4 blocks follow each other. */
static const BdctLevel *
level_at (const Scene * s, int c, gsize number, int v, int u)
{
  const BdctTransform transform = s->params[0].transform;
  const int size = ref_block_size (transform, s->layout.chroma, c);
  const int width = ref_block_width (transform, s->layout.chroma, c);
  const int height = ref_block_height (transform, s->layout.chroma, c);
  const int kept = MIN (size, 32);

  number = number * (width / size * height / size) + v / size * (width / size)
      + u / size;
  v %= size;
  u %= size;
  return v < kept && u < kept ? s->levels + s->first[c]
      + number * kept * kept + v * kept + u : NULL;
}

/* A block of any levels. Returns 0 if its samples are not what is defined. */
static guint
check_block (const Scene * s, const Picture * out, int c, gsize number)
{
  const BdctTransform transform = s->params[0].transform;
  const int width = ref_block_width (transform, s->layout.chroma, c);
  const int height = ref_block_height (transform, s->layout.chroma, c);
  const int left = number % s->grid[c].columns * width;
  const int top = number / s->grid[c].columns * height;
  const int middle = 1 << (s->layout.depth - 1), peak = 2 * middle - 1;
  const RefPlane plane = plane_of (s, s->map[s->grid[c].first + number], c);
  gint64 x[REF_SIZE][REF_SIZE];
  double samples[8][8], magnitudes = 0;
  guint n = 0;

  for (int v = 0; v < height; v++)
    for (int u = 0; u < width; u++) {
      const BdctLevel *level = level_at (s, c, number, v, u);

      x[v][u] = level != NULL ? *level : 0;
      magnitudes += ABS (x[v][u]) * 32767.;
    }
  ref_inverse (&plane, x, samples);
  for (int v = 0; v < height && top + v < out->height[c]; v++)
    for (int u = 0; u < width && left + u < out->width[c]; u++, n++) {
      const int sample = out->sample[c][(top + v) * out->width[c] + left + u];

      if (plane.params->transform == BDCT_DCT_8X8) {
        const double slack = 1e-2 + 1e-6 * magnitudes;
        const double v0 = floor (samples[v][u] + middle - slack + 0.5);
        const double v1 = floor (samples[v][u] + middle + slack + 0.5);

        g_assert_cmpfloat (sample, >=, CLAMP (v0, 0, peak));
        g_assert_cmpfloat (sample, <=, CLAMP (v1, 0, peak));
      } else {
        g_assert_cmpint (sample, ==, CLAMP (x[v][u] + middle, 0, peak));
      }
    }
  return n;
}

/* Levels of all 16 bits, of few of them, and a few large ones. */
static BdctLevel
any_level (GRand * rand, int kind)
{
  const int bits = kind % 3 == 0 ? 16 : kind % 3 == 1 ? 1 + kind % 16
      : g_rand_int_range (rand, 0, 20) == 0 ? 16 : 0;
  const gint32 v = g_rand_int_range (rand, -32768, 32768);

  return v == 32767 && kind % 2 ? -32768 : v / (1 << (16 - bits));
}

/* A picture of levels alone, against the definition. */
static void
check_any (Scene * s, Picture * out)
{
  guint64 nonzero[BDCT_MAX_COMPONENTS] = { 0 };
  BdctStats stats;

  memset (&s->frame.src, 0, sizeof s->frame.src);
  s->frame.levels = s->levels;
  s->frame.from_levels = TRUE;
  for (gsize i = 0; i < s->n; i++)
    nonzero[i < s->first[1] ? 0 : i < s->first[2] ? 1 : 2] += s->levels[i] != 0;
  for (guint e = 0; e < n_engines; e++) {
    engine_run (engines[e], &s->layout, &s->frame, &stats);
    frame_get (&s->dst, &s->layout, out);
    for (int c = 0; c < bdct_layout_components (&s->layout); c++) {
      g_assert_cmpuint (stats.component[c].nonzero, ==, nonzero[c]);
      for (gsize i = 0; i < (gsize) s->grid[c].columns * s->grid[c].rows; i++)
        tally_add (check_block (s, out, c, i), 0);
    }
  }
}

static void
test_any (gconstpointer data)
{
  const BdctTransform transform = GPOINTER_TO_INT (data);
  GRand *rand = g_rand_new_with_seed (transform);

  for (int k = 0; k < 60; k++) {
    BdctLayout layout;
    Picture out;
    Scene s;

    if (!case_due (k))
      continue;
    format_layout (k % 2 ? k % 4 == 1 ? FORMAT_Y444 : FORMAT_Y42B
        : FORMAT_NV12, 8 + k % 3 * 2, 0, 67, 70,
        &layout);
    scene_init (&s, &layout, transform, MAX_SETS, k);
    picture_init (&out, &layout);
    /* In every other frame, levels where a second stage has its own. */
    for (gsize i = 0; i < s.n; i++)
      s.levels[i] = k % 6 == 1 && i % 16 ? 0 : any_level (rand, k);
    check_any (&s, &out);
    picture_clear (&out);
    scene_clear (&s);
  }
  g_rand_free (rand);
}

/* Levels of jpeg-8x8 for which numbers of 16 and of 32 bits just suffice, and
 * do not, between the passes: of the frequency with the largest factor. In the
 * second pass a sample adds up all columns or, for a result in the samples'
 * range, takes the difference of two. */
static void
test_largest (void)
{
  static const int sums[] = { 5900, 5950, 6300, 6400, 11800, 11900, 12700,
    32767, 33000, 40000, 66536, 188000, 189500, 250000
  };

  for (guint k = 0; k < 12 * G_N_ELEMENTS (sums); k++) {
    const int sum = sums[k / 12], step = sum / 32768 + 1;
    BdctLayout layout;
    Picture out;
    Scene s;

    format_layout (k % 2 ? FORMAT_Y444 : FORMAT_NV12, 8 + k % 3 * 2, 0, 67, 70,
        &layout);
    scene_init (&s, &layout, BDCT_JPEG_8X8, 1, k);
    picture_init (&out, &layout);
    s.params[0].n_steps = 64;
    for (int i = 0; i < 64; i++)
      s.params[0].steps[i] = step;
    g_assert_true (bdct_job_init (s.quantizers, s.params, &layout, NULL));
    for (gsize i = 0; i < s.n; i++)
      s.levels[i] = i % 64 / 8 != 1 ? 0 : k / 6 % 2 ? sum / step
          : i % 8 == 0 ? sum / step : i % 8 == 4 ? 100 / step - sum / step : 0;
    check_any (&s, &out);
    picture_clear (&out);
    scene_clear (&s);
  }
}

/* The transforms of luma's blocks, by size; chroma's are half as large unless
 * it has luma's. */
static const BdctTransform fixed[] = {
  BDCT_HEVC_4X4, BDCT_HEVC_8X8, BDCT_HEVC_16X16, BDCT_HEVC_32X32
};

/* Give a node and its parts any trees. */
static void
divide (Scene * s, GRand * rand, int n, int x, int y)
{
  const int columns = s->grid[BDCT_Y].columns, rows = s->grid[BDCT_Y].rows;
  const int places = 1 << (n - 2);

  if (n > 2 && g_rand_int_range (rand, 0, 3) > 0) {
    for (int i = 0; i < 4; i++)
      divide (s, rand, n - 1, x + i % 2 * places / 2, y + i / 2 * places / 2);
    return;
  }
  for (int v = y; v < MIN (y + places, rows); v++)
    for (int u = x; u < MIN (x + places, columns); u++)
      s->sizes[v * columns + u] = n;
}

/* A block of a tree, whose levels are these, against the definition. */
static void
check_tree_block (const Scene * s, const Picture * out, int c, int log2_size,
    int left, int top, const BdctLevel * levels)
{
  const gboolean halved = c != BDCT_Y && s->layout.chroma != BDCT_CHROMA_444;
  const int size = 1 << log2_size, middle = 1 << (s->layout.depth - 1);
  RefPlane plane = plane_of (s, 0, c);
  BdctParams params = s->params[0];
  gint64 x[REF_SIZE][REF_SIZE];
  double unused[8][8];

  params.transform = fixed[log2_size - 2 + halved];
  plane.params = &params;
  g_assert_cmpint (ref_block_size (params.transform, s->layout.chroma, c), ==,
      size);
  for (int i = 0; i < size * size; i++)
    x[i / size][i % size] = levels[i];
  ref_inverse (&plane, x, unused);
  for (int v = 0; v < MIN (size, out->height[c] - top); v++)
    for (int u = 0; u < MIN (size, out->width[c] - left); u++)
      g_assert_cmpint (out->sample[c][(top + v) * out->width[c] + left + u],
          ==, CLAMP (x[v][u] + middle, 0, 2 * middle - 1));
}

/* A node at (x, y) of luma, in the order of H.265's transform_tree(): `at` is
 * the number of luma's levels before it, also of blocks beyond the picture. */
static void
check_node (const Scene * s, const Picture * out, int n, int x, int y,
    gsize at)
{
  const BdctChromaFormat format = s->layout.chroma;
  const int size = s->sizes[y / 4 * s->grid[BDCT_Y].columns + x / 4];
  const int sub_x = format != BDCT_CHROMA_444;
  const int sub_y = format == BDCT_CHROMA_420;
  const int log2_chroma = size < n ? 2 : n - sub_x;

  for (int i = 0; i < 4 && size < n; i++) {
    const int half = 1 << (n - 1), u = x + i % 2 * half, v = y + i / 2 * half;

    if (u < out->width[0] && v < out->height[0])
      check_node (s, out, n - 1, u, v, at + ((gsize) i << 2 * (n - 1)));
  }
  if (size == n)
    check_tree_block (s, out, BDCT_Y, n, x, y, s->levels + at);
  if (size == n ? n == 2 && sub_x > 0 : n > 3 || size < 2 || sub_x == 0)
    return;
  for (int c = BDCT_U; c <= BDCT_V; c++)
    for (int i = 0; i < 1 + (sub_x > sub_y); i++)
      if ((y >> sub_y) + (i << log2_chroma) < out->height[c])
        check_tree_block (s, out, c, log2_chroma, x >> sub_x,
            (y >> sub_y) + (i << log2_chroma), s->levels + s->first[c]
            + (at >> (sub_x + sub_y)) + ((gsize) i << 2 * log2_chroma));
}

/* Any trees of any levels, in coding order. */
static void
test_any_trees (void)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (int k = 0; k < 60; k++) {
    BdctLayout layout;
    BdctStats stats;
    Picture out;
    Scene s;

    if (!case_due (k))
      continue;
    format_layout (k % 3 == 0 ? FORMAT_Y444 : k % 3 == 1 ? FORMAT_NV12
        : FORMAT_Y42B, 8 + k / 3 % 3 * 2, 0, 70, 1 + k * 7 % 67, &layout);
    scene_init (&s, &layout, BDCT_HEVC_QUADTREE, 1, k);
    picture_init (&out, &layout);
    memset (&s.frame.src, 0, sizeof s.frame.src);
    s.frame.levels = s.levels;
    s.frame.from_levels = TRUE;
    for (gsize i = 0; i < s.n; i++)
      s.levels[i] = any_level (rand, k);
    for (int y = 0; y < s.grid[0].rows; y += 8)
      for (int x = 0; x < s.grid[0].columns; x += 8)
        divide (&s, rand, 5, x, y);
    for (guint e = 0; e < n_engines; e++) {
      gsize at = 0;

      engine_run (engines[e], &layout, &s.frame, &stats);
      frame_get (&s.dst, &layout, &out);
      for (int y = 0; y < out.height[0]; y += 32)
        for (int x = 0; x < out.width[0]; x += 32, at += 32 * 32)
          check_node (&s, &out, 5, x, y, at);
      tally_add (s.n, 0);
    }
    picture_clear (&out);
    scene_clear (&s);
  }
  g_rand_free (rand);
}

static void
refuse (BdctFrame * frame, const BdctLayout * layout, const char *why)
{
  BdctError error = { "" };

  if (bdct_frame_check (frame, layout, &error)
      || strstr (error.message, why) == NULL)
    g_test_fail_printf ("'%s' is not in '%s'", why, error.message);
}

static void
test_refused (void)
{
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctLayout layout;
  BdctFrame frame;
  Scene s;

  format_layout (FORMAT_NV12, 8, 0, 67, 45, &layout);
  scene_init (&s, &layout, BDCT_JPEG_8X8, 1, 1);
  g_assert_cmpuint (s.n, ==, 64 * (9 * 6 + 2 * 5 * 3));
  g_assert_cmpuint (s.first[BDCT_U], ==, 64 * 9 * 6);
  g_assert_cmpuint (s.first[BDCT_V], ==, 64 * (9 * 6 + 5 * 3));
  s.frame.levels = s.levels;
  g_assert_true (bdct_frame_check (&s.frame, &layout, NULL));
  frame = s.frame;
  frame.n_levels = s.n - 1;
  refuse (&frame, &layout, "room for 5375 levels, but the frame has 5376");
  frame = s.frame;
  frame.levels = s.levels + 1;
  refuse (&frame, &layout, "not aligned to 16 bytes");
  frame = s.frame;
  frame.from_levels = TRUE;
  frame.levels = NULL;
  refuse (&frame, &layout, "a frame from levels needs levels, but");
  frame.src.data[0] = NULL;
  refuse (&frame, &layout, "a frame from levels needs levels, but");
  frame = s.frame;
  frame.src.data[0] = NULL;
  refuse (&frame, &layout, "a frame needs a source, or levels");
  frame.from_levels = TRUE;
  g_assert_true (bdct_frame_check (&frame, &layout, NULL));
  frame.metrics = 1 << BDCT_METRIC_SSIM;
  refuse (&frame, &layout, "metrics need a source");
  frame.metrics = 0;
  frame.view = &view;
  view.mode = BDCT_VIEW_ERROR_MAP;
  refuse (&frame, &layout, "view 'error-map' needs a source");
  scene_clear (&s);
}

/* What is asked for beside the picture, and the quantizers. */
static void
test_refused_requests (void)
{
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctLayout layout, deep;
  BdctFrame frame;
  Scene s;

  format_layout (FORMAT_I420, 8, 0, 50, 41, &layout);
  format_layout (FORMAT_I420, 10, 0, 50, 41, &deep);
  scene_init (&s, &layout, BDCT_JPEG_8X8, MAX_SETS, 1);
  g_assert_true (bdct_frame_check (&s.frame, &layout, NULL));
  frame = s.frame;
  frame.n_quantizers = 0;
  refuse (&frame, &layout, "0 quantizers");
  frame.n_quantizers = 9;
  refuse (&frame, &layout, "9 quantizers");
  for (int i = -1; i <= 1; i += 2) {
    frame = s.frame;
    frame.n_blocks += i;
    refuse (&frame, &layout, "map");
    frame.quantizer_map = NULL;
    frame.blocks = s.blocks;
    refuse (&frame, &layout, "records");
  }
  frame = s.frame;
  frame.view = &view;
  view.grid = true;
  frame.dst.data[0] = NULL;
  refuse (&frame, &layout, "image");
  frame.dst = s.frame.dst;
  view.grid = false;
  for (view.mode = 0; view.mode <= BDCT_N_VIEWS; view.mode++)
    if (view.mode == BDCT_N_VIEWS || !bdct_view_is_of_frame (view.mode))
      refuse (&frame, &layout, "does not show a single frame");
  view.mode = BDCT_VIEW_RECONSTRUCTION;
  view.zoom = 2.5;
  refuse (&frame, &layout, "zoom of 2.5");
  s.map[s.frame.n_blocks - 1] = MAX_SETS;
  refuse (&s.frame, &layout, "uses quantizer 3, outside 0 to 2");
  s.map[s.frame.n_blocks - 1] = 0;
  s.map[0] = MAX_SETS;
  refuse (&s.frame, &layout, "block 0 uses quantizer 3, outside 0 to 2");
  s.map[0] = 0;
  params.transform = BDCT_HEVC_4X4;
  g_assert_true (bdct_job_init (&s.quantizers[1], &params, &layout, NULL));
  refuse (&s.frame, &layout, "quantizer 1");
  params.transform = BDCT_JPEG_8X8;
  g_assert_true (bdct_job_init (&s.quantizers[1], &params, &deep, NULL));
  refuse (&s.frame, &layout, "depth of 10");
  scene_clear (&s);
}

static void
test_refused_trees (void)
{
  BdctLayout layout;
  BdctFrame frame;
  Scene s;

  format_layout (FORMAT_NV12, 8, 0, 67, 45, &layout);
  scene_init (&s, &layout, BDCT_HEVC_QUADTREE, 1, 1);
  g_assert_cmpuint (s.n, ==, 3 * 2 * (1024 + 256 + 256));
  g_assert_cmpuint (s.first[BDCT_V], ==, 3 * 2 * (1024 + 256));
  g_assert_cmpint (s.grid[BDCT_Y].columns, ==, 17);
  frame = s.frame;
  frame.levels = s.levels;
  frame.from_levels = TRUE;
  refuse (&frame, &layout, "sizes has 0 at column 0 of row 0, outside 2 to 5");
  memset (s.sizes, 2, 17 * 12);
  g_assert_true (bdct_frame_check (&frame, &layout, NULL));
  s.sizes[17 * 12 - 1] = 6;
  refuse (&frame, &layout, "sizes has 6 at column 16 of row 11, outside 2 to");
  s.sizes[17 * 12 - 1] = 3;
  refuse (&frame, &layout, "sizes has 3 at column 16 of row 11, outside 2 to "
      "2");
  memset (s.sizes, 5, 17 * 12);
  g_assert_true (bdct_frame_check (&frame, &layout, NULL));
  s.sizes[17 * 7 + 7] = 2;
  refuse (&frame, &layout, "sizes has 2 at column 7 of row 7, in a block of "
      "size 5");
  frame.sizes = NULL;
  refuse (&frame, &layout, "needs the sizes of its blocks");
  scene_clear (&s);
}

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  for (int t = 0; t < BDCT_N_FIXED; t++) {
      tests_add (test_any, t, "/levels/any/%s", bdct_transform_info (t)->name);
  }
  g_test_add_func ("/levels/largest", test_largest);
  g_test_add_func ("/levels/any/trees", test_any_trees);
  g_test_add_func ("/levels/refused", test_refused);
  g_test_add_func ("/levels/refused-requests", test_refused_requests);
  g_test_add_func ("/levels/refused-trees", test_refused_trees);
  return tests_run ("the definition");
}
