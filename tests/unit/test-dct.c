/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of dct/ that compute no sample: statistics and layouts. Jobs:
 * test-job.c. */
#include <glib.h>
#include <math.h>
#include <string.h>
#include "dct/base/stats.h"
#include "dct/engine/engine.h"
#include "rgb-formats.h"

/* --- statistics --- */

/* At 12 bits and 20 dB a sum of 8K frames passes 2^64 within hours. */
static void
test_wide_sum (void)
{
  const guint64 samples = 8192 * 4320, sse = samples * 1677 * 100;
  BdctStats frame = {.component = {{samples, sse, samples, 0, 0, 0}} };
  BdctStats sum = { 0 };
  BdctCounters total;

  for (int i = 0; i < 25; i++) {
    BdctStats twice = i == 0 ? frame : sum;

    bdct_stats_add (&sum, &twice);
  }
  total = bdct_stats_total (&sum);
  g_assert_cmpuint (sum.component[0].samples, ==, samples << 24);
  g_assert_cmpuint (sum.component[0].sse, ==, sse << 24);
  g_assert_cmpuint (sum.component[0].sse_high, ==, sse >> 40);
  g_assert_cmpuint (total.sse_high, ==, sse >> 40);
  g_assert_cmpuint (total.sse_high, >, 0);
  g_assert_cmpfloat_with_epsilon (bdct_mse (&total), 167700, 1e-6);
}

/* Metrics' sums, in billionths: what is beyond 64 bits stays so. */
static void
test_metric_sums (void)
{
  static const struct
  {
    gint64 each, sum;
  } cases[] = {
    {-5, -15}, {G_MAXINT64 / 2, G_MAXINT64}, {G_MAXINT64, G_MAXINT64},
    {G_MAXINT64 / 4, 3 * (G_MAXINT64 / 4)},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    BdctStats each = {.metrics = (1 << BDCT_N_METRICS) - 1 }, sum;

    for (int m = 0; m < BDCT_N_METRICS; m++)
      for (int c = 0; c <= BDCT_METRIC_ALL; c++)
        each.billionths[m][c] = cases[i].each;
    sum = each;
    bdct_stats_add (&sum, &each);
    bdct_stats_add (&sum, &each);
    for (int m = 0; m < BDCT_N_METRICS; m++)
      for (int c = 0; c <= BDCT_METRIC_ALL; c++)
        g_assert_cmpint (sum.billionths[m][c], ==, cases[i].sum);
  }
}

/* Without a tree there are none; with one they are parts of a whole. */
static void
test_shares (void)
{
  BdctStats stats = {.area = {0} };
  double share[BDCT_TREE_SIZES] = { -1, -1, -1, -1 };

  g_assert_false (bdct_stats_shares (&stats, share));
  g_assert_cmpfloat (share[0], ==, -1);
  stats.area[0] = (guint64) 1 << 61;
  stats.area[3] = (guint64) 3 << 61;
  g_assert_true (bdct_stats_shares (&stats, share));
  g_assert_cmpfloat (share[0], ==, 0.25);
  g_assert_cmpfloat (share[1], ==, 0);
  g_assert_cmpfloat (share[2], ==, 0);
  g_assert_cmpfloat (share[3], ==, 0.75);
}

/* --- layouts --- */

/* A layout's fields, each of which may be wrong by itself. */
static int *
layout_field (BdctLayout * layout, int n)
{
  BdctPlaneLayout *plane = &layout->plane[n % 3];
  BdctRgb *rgb = &layout->rgb;
  int *fields[] = { &layout->depth, (int *) &layout->chroma,
    &layout->n_planes, &plane->width, &plane->height, &plane->shift,
    &plane->interleave, (int *) &plane->component[0],
    (int *) &plane->component[1], &rgb->n_planes, &rgb->bytes,
    &rgb->plane[n % 3], &rgb->offset[n % 3]
  };

  return fields[n / 3 % G_N_ELEMENTS (fields)];
}

static gboolean
same_planes (const BdctLayout * a, const BdctLayout * b)
{
  gboolean same = a->chroma == b->chroma && a->n_planes == b->n_planes;

  for (int p = 0; same && p < a->n_planes; p++) {
    const BdctPlaneLayout *x = &a->plane[p], *y = &b->plane[p];

    same = x->width == y->width && x->height == y->height
        && x->interleave == y->interleave;
    for (int i = 0; same && i < x->interleave; i++)
      same = x->component[i] == y->component[i];
  }
  return same;
}

/* Exchange U and V. */
static void
swap_chroma (BdctLayout * layout)
{
  for (int p = 1; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      layout->plane[p].component[i] = BDCT_U + BDCT_V
          - layout->plane[p].component[i];
}

/* Whether a layout is one of all that there are with its depth and sides. */
static gboolean
is_layout (const BdctLayout * layout)
{
  const BdctRgb *rgb = &layout->rgb;
  const int width = layout->plane[0].width, height = layout->plane[0].height;
  gboolean found = FALSE;

  if (layout->depth < 8 || layout->depth > 12 || width < 1 || height < 1
      || width > BDCT_MAX_SIDE || height > BDCT_MAX_SIDE)
    return FALSE;
  for (int n = 0; n < 5 * 3 * 2; n++) {
    BdctLayout one;

    bdct_layout_init (&one, n % 5, layout->depth, 0, 1 + n / 5 % 3, width,
        height);
    if (n / 15)
      swap_chroma (&one);
    if (rgb->n_planes == 0 || (n / 15 == 0 && one.n_planes == 3))
      found |= same_planes (layout, &one);
  }
  for (int p = 0; found && p < layout->n_planes; p++)
    found = layout->plane[p].shift >= 0 && layout->plane[p].shift
        <= (layout->depth == 8 ? 0 : 16 - layout->depth);
  if (!found || rgb->n_planes == 0)
    return found;
  for (int k = 0; found && k < 3; k++)
    found = rgb->plane[k] >= 0 && rgb->plane[k] < rgb->n_planes
        && rgb->offset[k] >= 0 && rgb->offset[k] < rgb->bytes;
  return found && layout->depth == 8
      && (rgb->n_planes == 1 || rgb->n_planes == 3)
      && (rgb->bytes == 1 || rgb->bytes == 3 || rgb->bytes == 4);
}

static void
expect_layout (const BdctLayout * layout, gboolean valid)
{
  BdctError error = { "" };

  g_assert_cmpint (is_layout (layout), ==, valid);
  if (bdct_layout_check (layout, &error) != valid)
    g_error ("%s: %s", valid ? "refused" : "taken", error.message);
  g_assert_cmpint (error.message[0] == '\0', ==, valid);
}

static void
test_layouts (void)
{
  static const int values[] = { G_MININT, -1, 0, 1, 2, 3, 4, 5, 7, 8, 9, 16,
    BDCT_MAX_SIDE, BDCT_MAX_SIDE + 1, G_MAXINT
  };
  GRand *rand = g_rand_new_with_seed (4);
  guint n_valid = 0;

  for (int n = 0; n < 200000; n++) {
    const int width = n % 7 == 0 ? BDCT_MAX_SIDE : g_rand_int_range (rand, 1,
        99);
    const int height = n % 11 == 0 ? BDCT_MAX_SIDE : g_rand_int_range (rand, 1,
        99);
    const int depth = g_rand_int_range (rand, 8, 13);
    BdctLayout layout;

    if (n % 3 == 0) {
      bdct_layout_init_rgb (&layout,
          &rgb_formats[n / 3 % G_N_ELEMENTS (rgb_formats)].rgb, width, height,
          g_rand_int_range (rand, 1, 5));
    } else {
      bdct_layout_init (&layout, g_rand_int_range (rand, 0, 5), depth,
          depth == 8 ? 0 : g_rand_int_range (rand, 0, 17 - depth),
          g_rand_int_range (rand, 2, 4), width, height);
      if (n % 3 == 1)
        swap_chroma (&layout);
    }
    expect_layout (&layout, TRUE);
    for (int i = g_rand_int_range (rand, 1, 3); i > 0; i--) {
      int *field = layout_field (&layout, g_rand_int_range (rand, 0, 3 * 13));

      *field = g_rand_boolean (rand)
          ? (int) ((unsigned) *field + g_rand_int_range (rand, -1, 2))
          : values[g_rand_int_range (rand, 0, G_N_ELEMENTS (values))];
    }
    n_valid += is_layout (&layout);
    expect_layout (&layout, is_layout (&layout));
  }
  g_assert_cmpuint (n_valid, >, 1000);
  g_rand_free (rand);
}

static void
test_layout_errors (void)
{
  static const struct
  {
    int field, value;
    const char *text;
  } wrong[] = {
    {0, 13, "a layout has a depth of 13, outside 8 to 12"},
    {3, 5, "a layout has a chroma format of 5, outside 0 to 4"},
    {6, 4, "a layout has chroma and planes: 4, outside 2 to 3"},
    {10, 19, "plane 1 has 19 x 12 samples; with its chroma format a picture of "
          "35 x 23 has 18 x 12"},
    {9, 65536, "plane 0 has 65536 x 23 samples; a side may have 1 to 65535"},
    {17, 7, "plane 2 has a shift of 7, outside 0 to 6"},
    {19, 2, "plane 1 has an interleave of 2, outside 1 to 1"},
    {22, 3, "plane 1 has component 3, outside 1 to 2"},
    {22, 2, "plane 2 repeats component 2"},
    {27, 2, "R, G and B have 2 planes, not 1 or 3"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    BdctLayout layout;
    BdctError error;

    bdct_layout_init (&layout, BDCT_CHROMA_420, 10, 6, 3, 35, 23);
    *layout_field (&layout, wrong[i].field) = wrong[i].value;
    g_assert_false (bdct_layout_check (&layout, &error));
    g_assert_cmpstr (error.message, ==, wrong[i].text);
  }
}

/* Lightness of maps rises from colour to colour. */
static void
test_colours (void)
{
  for (int depth = 8; depth <= 12; depth++) {
    BdctView view = BDCT_VIEW_DEFAULT;

    bdct_view_colours (&view, depth, 0.299, 0.114, depth % 2);
    for (int i = 0; i < BDCT_VIEW_COLOURS; i++) {
      g_assert_true (i == 0 || view.colour[i][0] > view.colour[i - 1][0]);
      for (int k = 0; k < 3; k++)
        g_assert_cmpint (view.colour[i][k], <, 1 << depth);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/stats/wide-sum", test_wide_sum);
  g_test_add_func ("/stats/metric-sums", test_metric_sums);
  g_test_add_func ("/stats/shares", test_shares);
  g_test_add_func ("/layout/random", test_layouts);
  g_test_add_func ("/view/colours", test_colours);
  g_test_add_func ("/layout/errors", test_layout_errors);
  return g_test_run ();
}
