/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The history of a plan, compared with a list of frames. (What a plan makes is
 * the differential's business.) */
#include <glib.h>
#include "dct/engine/plan.h"

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
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/history", test_history);
  return g_test_run ();
}
