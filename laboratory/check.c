/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares the output with the expected output. */
#include "lab.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "reference.h"

/* dB off ties. The short-integer kernels round coefficients to whole numbers,
 * which then fall into the next step more often, by a whole step: 32 dB at
 * quality 5, 46 at 97. Each of their stages has to stay below
 * MOST_ERROR_SHORT. */
#define LEAST_DB 60
#define LEAST_DB_SHORT 25

/* The maximum error of a single stage, in steps of samples. */
#define MOST_ERROR 0.002
#define MOST_ERROR_SHORT 2.0

void
lab_verdict_wrong (LabVerdict * verdict, const char *format, ...)
{
  size_t start;
  va_list args;

  if (!verdict->ok)
    return;
  verdict->ok = false;
  strcpy (verdict->text, "WRONG: ");
  start = strlen (verdict->text);
  va_start (args, format);
  vsnprintf (verdict->text + start, sizeof verdict->text - start, format, args);
  va_end (args);
}

/* A value; of a chain a sample. */
static double
value (const LabSet * set, const void *memory, size_t i)
{
  double v = lab_get (set, memory, i);

  if (set->of.stage != LAB_CHAIN || set->of.shape >= LAB_PLANE_8)
    return v;
  v = floor (v + 128.5);
  return v < 0 ? 0 : v > 255 ? 255 : v;
}

/* Judge dct-8x8: a chain by its squared error, a stage by its largest. */
static void
judge (const LabSet * set, LabContent content, double sse, uint64_t n,
    double error, LabVerdict * verdict)
{
  const bool is_short = set->of.shape == LAB_PLANE_SHORT;
  const double peak = (1 << set->depth) - 1;
  const double db = 10 * log10 (peak * peak * n / sse);

  if (set->of.stage != LAB_CHAIN) {
    verdict->error = fmax (error, verdict->error);
    if (!(error <= (is_short ? MOST_ERROR_SHORT : MOST_ERROR)))
      lab_verdict_wrong (verdict, "off by %g", error);
    if (verdict->ok && verdict->error > 0)
      snprintf (verdict->text, sizeof verdict->text, "within %.2g",
          verdict->error);
  } else {
    verdict->db = fmin (db, verdict->db);
    if (!(db >= (is_short ? LEAST_DB_SHORT : LEAST_DB)))
      lab_verdict_wrong (verdict, "%.1f dB off ties, %s", db,
          content == LAB_NOISE ? "noise" : "natural");
    if (verdict->ok && isfinite (verdict->db))
      snprintf (verdict->text, sizeof verdict->text, "%.1f dB off ties",
          verdict->db);
    else if (verdict->ok)
      strcpy (verdict->text, "exact off ties");
  }
}

void
lab_check_period (const LabSet * set, LabContent content, const void *got,
    LabVerdict * verdict)
{
  const double *expected = set->expected[content];
  bool real = set->of.transform == BDCT_DCT_8X8;
  double sse = 0, error = 0;
  static const uint8_t poison[] = { LAB_POISON, LAB_POISON, LAB_POISON,
    LAB_POISON
  };
  uint64_t n = 0, differ = 0;
  size_t first = 0;

  for (size_t i = 0; i < set->period; i++) {
    double v, e;

    if (i % set->stride >= (size_t) set->width) {
      if (memcmp ((const uint8_t *) got + i * set->element, poison,
              set->element) != 0)
        lab_verdict_wrong (verdict, "wrote between rows");
      continue;
    }
    if (real && set->marks[content][i] == REF_TIE)
      continue;
    v = value (set, got, i);
    e = fabs (v - expected[i]);
    sse += e * e;
    n++;
    if (isnan (e) || e > error)
      error = e;                /* keeps a NaN */
    if (!(e == 0) && differ++ == 0)
      first = i;
  }
  if (!real && differ != 0)
    lab_verdict_wrong (verdict, "%llu of %llu differ, first (%zu, %zu)",
        (unsigned long long) differ, (unsigned long long) n,
        first % set->stride, first / set->stride);
  else if (real)
    judge (set, content, sse, n, error, verdict);
}

/* The squared error of the output, by component. */
static void
delivered (const LabSet * set, LabContent content, const void *got,
    uint64_t * sse)
{
  size_t luma = set->of.shape == LAB_NV12 ? set->period / 3 * 2 : set->period;

  for (size_t i = 0; i < set->period; i++) {
    double e = value (set, got, i) - value (set, set->input[content], i);

    sse[i < luma ? BDCT_Y : i % 2 ? BDCT_V : BDCT_U] += (uint64_t) (e * e);
  }
}

void
lab_check_stats (const LabSet * set, LabContent content, const void *got,
    int64_t n, const BdctStats * stats, LabVerdict * verdict)
{
  uint64_t sse[BDCT_MAX_COMPONENTS] = { 0 };

  delivered (set, content, got, sse);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctCounters *counters = &stats->component[c];
    int64_t off = (int64_t) (counters->nonzero - set->nonzero[content][c] * n);
    int64_t most = (int64_t) set->unsure[content][c] * n;

    if (counters->sse != sse[c] * n)
      lab_verdict_wrong (verdict, "sse[%d] %llu, not %llu", c,
          (unsigned long long) counters->sse,
          (unsigned long long) (sse[c] * n));
    if (off > most || off < -most)
      lab_verdict_wrong (verdict, "nonzero[%d] %llu, not %llu", c,
          (unsigned long long) counters->nonzero,
          (unsigned long long) (set->nonzero[content][c] * n));
  }
}
