/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times what the laboratory times: in turn, and medians. */
#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define MAX_ROUNDS 21
#define MAX_RUNS 10000          /* at once */

double
lab_now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

int
lab_repetitions (void)
{
  return lab_options.quick ? 5 : MAX_ROUNDS;
}

static int
compare (const void *a, const void *b)
{
  double d = *(const double *) a - *(const double *) b;

  return d < 0 ? -1 : d > 0;
}

/* So many runs that they take `interval`. The first ones also warm up, and say
 * less of what has several in flight. */
static int
calibrate (const LabTimed * timed, double interval)
{
  double ns = 0;
  int n = 1;

  for (int i = 0; i < 3 && ns < interval; i++) {
    ns = fmax (timed->run (timed->data, n), 1);
    n = (int) fmin (fmax (ceil (interval / (ns / n)), 1), MAX_RUNS);
  }
  return n;
}

void
lab_time (LabTimed * timed, int n, double interval, double budget)
{
  double ns[LAB_MAX_TIMED][MAX_ROUNDS], start;
  int runs[LAB_MAX_TIMED], least = lab_options.quick ? 1 : 3, rounds = 0;

  for (int i = 0; i < n; i++)
    runs[i] = calibrate (&timed[i], interval);
  start = lab_now ();
  do {
    for (int i = 0; i < n; i++)
      ns[i][rounds] = timed[i].run (timed[i].data, runs[i]) / runs[i];
    rounds++;
  } while (rounds < lab_repetitions ()
      && (rounds < least || lab_now () - start < budget));
  for (int i = 0; i < n; i++) {
    qsort (ns[i], rounds, sizeof ns[i][0], compare);
    timed[i].ns = ns[i][rounds / 2];
  }
}
