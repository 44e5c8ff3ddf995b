/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints the results in the form of their sources: the HEVC paper's Tables 1 to
 * 6, the whitepaper's speed-ups, the tuner's best points and its Pareto
 * front. */
#include "lab.h"

#include <string.h>

#define BEST 5

static bool
is_from (const LabResult * r, const char *source)
{
  return strcmp (r->entry->source, source) == 0;
}

static bool
is_same (const LabResult * a, const LabResult * b)
{
  return strcmp (a->entry->source, b->entry->source) == 0
      && strcmp (a->entry->name, b->entry->name) == 0;
}

/* Selects the results for a row and a column of a table. */
typedef struct {
  LabShape shape;
  LabStage stage;
  int64_t batch;
} Wanted;

static bool
is_wanted (const LabResult * r, const Wanted * w)
{
  return r->ns > 0 && r->entry->shape == w->shape
      && r->entry->stage == w->stage && r->batch == w->batch;
}

static const LabResult *
find (const LabResult * results, int n, const LabResult * like,
    const Wanted * w, BdctTransform t)
{
  for (int i = 0; i < n; i++)
    if (is_wanted (&results[i], w) && is_same (&results[i], like)
        && results[i].entry->transform == t)
      return &results[i];
  return NULL;
}

/* A row for each implementation, a column for each transform, in ns a block. */
static void
print_by_transform (const char *title, const LabResult * results, int n,
    const Wanted * w, BdctTransform first)
{
  bool titled = false;

  for (int i = 0; i < n; i++) {
    bool seen = !is_wanted (&results[i], w);

    for (int j = 0; j < i && !seen; j++)
      seen = is_wanted (&results[j], w) && is_same (&results[j], &results[i]);
    if (seen)
      continue;
    if (!titled) {
      printf ("\n%s\n%-39s", title, "");
      for (int t = first; t < BDCT_N_FIXED; t++)
        printf (" %12s", bdct_transform_info (t)->name);
      putchar ('\n');
      titled = true;
    }
    printf ("%-10s %-28s", results[i].entry->source, results[i].entry->name);
    for (int t = first; t < BDCT_N_FIXED; t++) {
      const LabResult *r = find (results, n, &results[i], w, t);

      if (r != NULL)
        printf (" %12.4f", lab_ns_per_block (r));
      else
        printf (" %12s", "-");
    }
    putchar ('\n');
  }
}

static void
print_hevc (const LabResult * results, int n)
{
  int table = 0;

  for (int stage = LAB_FORWARD; stage <= LAB_INVERSE; stage += LAB_INVERSE)
    for (int b = 0; b < LAB_N_BATCHES; b++) {
      Wanted w = { LAB_BLOCKS, stage, lab_batches[b] };
      char title[128];

      snprintf (title, sizeof title, "HEVC paper, table %d: %s, batch of %lld, "
          "ns a block", ++table, lab_stage_names[stage],
          (long long) lab_batches[b]);
      print_by_transform (title, results, n, &w, BDCT_HEVC_DST_4X4);
    }
}

/* The speed-up of every implementation of the chain dct-8x8 over the two gold
 * ones. */
static void
print_speedups (const LabResult * results, int n)
{
  double gold[2] = { 0 };       /* samples a ns */
  bool titled = false;

  for (int i = 0; i < n; i++)
    if (is_from (&results[i], "cpu") && results[i].ns > 0
        && results[i].entry->stage == LAB_CHAIN)
      gold[!results[i].entry->parameter[0]] =
          results[i].samples / results[i].ns;
  if (gold[0] == 0 || gold[1] == 0)
    return;
  for (int i = 0; i < n; i++) {
    const LabResult *r = &results[i];
    double speed = r->ns > 0 ? r->samples / r->ns : 0;

    if (speed == 0 || r->entry->transform != BDCT_DCT_8X8
        || r->entry->stage != LAB_CHAIN || r->entry->shape >= LAB_PLANE_10)
      continue;
    if (!titled)
      printf ("\nWhitepaper: the chain of dct-8x8\n%-39s %12s %12s %12s\n", "",
          "Msamples/s", "x gold 1", "x gold 2");
    titled = true;
    printf ("%-10s %-28s %12.1f %12.1f %12.1f\n", r->entry->source,
        r->entry->name, speed * 1e3, speed / gold[0], speed / gold[1]);
  }
}

static void
print_production (const LabResult * results, int n)
{
  bool titled = false;

  for (int i = 0; i < n; i++) {
    const LabResult *r = &results[i];

    if (!is_from (r, "blockdct") || !r->entry->gpu || r->ns == 0)
      continue;
    if (!titled)
      printf ("\nblockdct on the GPU, share of a copy in the same run\n"
          "%-14s %-28s %-16s %10s %12s %10s %9s\n", "", "", "", "us",
          "copy, us", "x copy", "share");
    titled = true;
    printf ("%-14s %-28s %-16s %10.2f %12.2f",
        bdct_transform_info (r->entry->transform)->name, r->entry->name,
        lab_shape_names[r->entry->shape], r->ns / 1e3, r->copy_ns / 1e3);
    printf (" %10.3f %8.1f%%\n", 1 / lab_share (r), 100 * lab_share (r));
  }
}

static bool
is_point (const LabResult * r)
{
  return is_from (r, "spector") && r->ns > 0;
}

/* Whether `a` is no worse in time, registers and shared memory, and better in
 * one of them. */
static bool
dominates (const LabResult * a, const LabResult * b)
{
  return a->ns <= b->ns && a->registers <= b->registers
      && a->shared <= b->shared && (a->ns < b->ns
      || a->registers < b->registers || a->shared < b->shared);
}

void
lab_mark_pareto (LabResult * results, int n)
{
  for (int i = 0; i < n; i++) {
    bool dominated = !is_point (&results[i]);

    for (int j = 0; j < n && !dominated; j++)
      dominated = is_point (&results[j])
          && dominates (&results[j], &results[i]);
    results[i].pareto = !dominated;
  }
}

static void
print_point (const LabResult * r)
{
  printf ("%-39s %10.1f %7.1f%% %5d %6d\n", r->entry->name, r->ns / 1e3,
      100 * lab_share (r), r->registers, r->shared);
}

/* The next slower matching point after `last`; NULL: none. */
static const LabResult *
next_point (const LabResult * results, int n, const LabResult * last,
    bool front)
{
  const LabResult *best = NULL;

  for (int i = 0; i < n; i++) {
    const LabResult *r = &results[i];

    if (is_point (r) && (r->pareto || !front)
        && (last == NULL || r->ns > last->ns || (r->ns == last->ns && r > last))
        && (best == NULL || r->ns < best->ns))
      best = r;
  }
  return best;
}

static void
print_tuner (const LabResult * results, int n)
{
  const LabResult *r = next_point (results, n, NULL, false);

  if (r == NULL)
    return;
  printf ("\nSpector's space: the best points\n%-39s %10s %8s %5s %6s\n", "",
      "us", "share", "regs", "smem");
  for (int i = 0; i < BEST && r != NULL; i++) {
    print_point (r);
    r = next_point (results, n, r, false);
  }
  printf ("and the front of time, registers and shared memory\n");
  for (r = next_point (results, n, NULL, true); r != NULL;
      r = next_point (results, n, r, true))
    print_point (r);
}

void
lab_print_tables (const LabResult * results, int n)
{
  Wanted chain = { LAB_PLANE_8, LAB_CHAIN, 0 };

  print_hevc (results, n);
  print_by_transform ("blockdct: the whole chain, 8 bits, ns a block", results,
      n, &chain, BDCT_JPEG_8X8);
  print_speedups (results, n);
  print_production (results, n);
  print_tuner (results, n);
  putchar ('\n');
}
