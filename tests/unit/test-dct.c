/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of dct/ that compute no sample: statistics, layouts and history.
 * Jobs: test-job.c. */
#include <glib.h>
#include <math.h>
#include <string.h>
#include "dct/base/stats.h"
#include "dct/engine/engine.h"
#include "dct/engine/plan.h"

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

typedef enum
{ PLANES, PAIRS, GREY, RGB, RGB_PAIRS } Base;

static BdctLayout
make_layout (Base base)
{
  static const BdctRgb rgb = { 1, 3, {0, 0, 0}, {0, 1, 2} };
  const gboolean deep = base == PLANES || base == GREY;
  BdctLayout layout;

  if (base == RGB)
    bdct_layout_init_rgb (&layout, &rgb, 35, 23, BDCT_CHROMA_420);
  else
    bdct_layout_init (&layout, base == GREY ? BDCT_CHROMA_400
        : BDCT_CHROMA_420, deep ? 10 : 8, deep ? 6 : 0,
        base == PLANES ? 3 : base == GREY ? 1 : 2, 35, 23);
  if (base == RGB_PAIRS)
    layout.rgb = rgb;
  return layout;
}

/* Layouts with one field that is wrong, or may be so (NULL). All kinds of right
 * ones are the differential's. */
static void
test_layout_errors (void)
{
#define L(base, field, value, text) \
  {base, G_STRUCT_OFFSET (BdctLayout, field), value, text}
  static const struct
  {
    Base base;
    gsize field;
    int value;
    const char *text;
  } rows[] = {
    L (PLANES, depth, 13, "a layout has a depth of 13, outside 8 to 12"),
    L (PLANES, depth, 7, "depth of 7, outside"),
    L (PLANES, chroma, 5, "a chroma format of 5, outside 0 to 4"),
    L (PLANES, chroma, -1, "a chroma format of -1, outside"),
    L (PLANES, n_planes, 4, "has chroma and planes: 4, outside 2 to 3"),
    L (PLANES, n_planes, 1, "has chroma and planes: 1, outside"),
    L (GREY, n_planes, 2, "only luma and planes: 2, outside 1 to 1"),
    L (PLANES, plane[1].height, 19, "plane 1 has 18 x 19 samples; with its "
        "chroma format a picture of 35 x 23 has 18 x 12"),
    L (PLANES, plane[1].width, 17, "plane 1 has 17 x 12 samples; with its"),
    L (PLANES, plane[0].width, 65536, "plane 0 has 65536 x 23 samples; a side "
        "may have 1 to 65535"),
    L (GREY, plane[0].height, 65536, "35 x 65536 samples; a side"),
    L (GREY, plane[0].width, 0, "0 x 23 samples; a side"),
    L (GREY, plane[0].height, 0, "35 x 0 samples; a side"),
    L (GREY, plane[0].width, 65535, NULL), L (GREY, plane[0].height, 65535,
        NULL), L (GREY, plane[0].width, 1, NULL),
    L (PLANES, plane[2].shift, 7, "plane 2 has a shift of 7, outside 0 to 6"),
    L (PLANES, plane[2].shift, -1, "a shift of -1, outside"),
    L (RGB, plane[0].shift, 1, "plane 0 has a shift of 1, outside 0 to 0"),
    L (PLANES, plane[1].interleave, 2,
        "plane 1 has an interleave of 2, outside 1 to 1"),
    L (PAIRS, plane[1].interleave, 1, "of 1, outside 2 to 2"),
    L (PLANES, plane[1].component[0], 3,
        "plane 1 has component 3, outside 1 to 2"),
    L (PLANES, plane[1].component[0], 2, "plane 2 repeats component 2"),
    L (PAIRS, plane[1].component[1], 1, "plane 1 repeats component 1"),
    L (GREY, plane[0].component[0], 1, "component 1, outside 0 to 0"),
    L (RGB, rgb.n_planes, 2, "R, G and B have 2 planes, not 1 or 3"),
    L (RGB, rgb.n_planes, 3, NULL), L (RGB, rgb.bytes, 4, NULL),
    L (RGB, rgb.bytes, 2, "are 2 bytes apart, not 1, 3 or 4"),
    L (RGB, rgb.plane[2], 1, "one of R, G and B in plane 1, outside 0 to 0"),
    L (RGB, rgb.offset[2], 3, "one of R, G and B at byte 3, outside 0 to 2"),
    L (RGB, rgb.offset[0], -1, "at byte -1, outside"),
    L (RGB_PAIRS, n_planes, 2, "R, G and B and planes: 2, outside 3 to 3"),
    L (RGB, stack, 5, "23 rows of plane 0 are not a stack of 5"),
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    BdctLayout layout = make_layout (rows[i].base);
    BdctError error = { "" };

    g_assert_true (bdct_layout_check (&layout, NULL)
        == (rows[i].base != RGB_PAIRS));
    G_STRUCT_MEMBER (int, &layout, rows[i].field) = rows[i].value;
    if (bdct_layout_check (&layout, &error) != (rows[i].text == NULL)
        || strstr (error.message, rows[i].text ? rows[i].text : "") == NULL)
      g_test_fail_printf ("row %u, '%s': '%s'", i, rows[i].text,
          error.message);
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

/* --- the history of a plan, compared with a list of frames --- */

/* Where the luma of a frame is among the last ones of a list; -1: nowhere. */
static int
look_up (const gint64 * list, const int *place, int n, gint64 number)
{
  for (int i = n - 1; i >= MAX (n - 1 - BDCT_HISTORY_EXTRA, 0); i--)
    if (list[i] == number)
      return place[i];
  return -1;
}

/* Frames that are copied are appended to a list, and those that do not start
 * taken away again. No frame is copied to a place that one in flight reads. */
static void
test_history (void)
{
  GRand *rand = g_rand_new_with_seed (2);

  for (int round = 0; round < 400; round++) {
    const int depth = 1 + g_rand_int_range (rand, 0, round % 20 ? 9 : 64);
    const int n = depth + BDCT_HISTORY_EXTRA;
    const int range = round % 2 ? 3 * n : 6;
    BdctHistoryUse use[200];
    gint64 list[200];
    int place[200], n_list = 0, n_uses = 0;
    BdctHistory history;

    bdct_history_init (&history, n);
    for (int k = 0; k < 200; k++) {
      const gint64 number = round % 3 == 0 ? (gint64) n * k
          : g_rand_int_range (rand, 0, range);
      const int at = look_up (list, place, n_list, number);
      BdctHistoryUse *own = &use[n_uses];

      bdct_history_enter (&history, number, own);
      g_assert_true (own->needed);
      g_assert_cmpint (own->own, <, n);
      g_assert_cmpint (own->copied, ==, at < 0);
      if (own->copied) {
        /* What was there is lost, even if this frame does not start. */
        for (int i = 0; i < n_list; i++)
          if (place[i] == own->own)
            list[i] = -1;
        list[n_list] = number;
        place[n_list++] = own->own;
      } else {
        g_assert_cmpint (own->own, ==, at);
      }
      for (int i = 0; i <= BDCT_HISTORY_FRAMES; i++)
        g_assert_cmpint (own->of[i], ==, i <= number ? look_up (list, place,
                n_list, number - i) : -1);
      for (int u = MAX (n_uses - depth + 1, 0); own->copied && u < n_uses; u++)
        for (int i = 0; i <= BDCT_HISTORY_FRAMES; i++)
          g_assert_cmpint (own->own, !=, use[u].of[i]);
      if (g_rand_int_range (rand, 0, 8) == 0) {
        bdct_history_forget (&history, own);
        n_list -= own->copied;
      } else {
        n_uses++;
      }
    }
  }
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/stats/wide-sum", test_wide_sum);
  g_test_add_func ("/stats/metric-sums", test_metric_sums);
  g_test_add_func ("/stats/shares", test_shares);
  g_test_add_func ("/view/colours", test_colours);
  g_test_add_func ("/layout/errors", test_layout_errors);
  g_test_add_func ("/plan/history", test_history);
  return g_test_run ();
}
