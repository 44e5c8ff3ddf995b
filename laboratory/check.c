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
lab_verdict_init (LabVerdict * verdict)
{
  *verdict = (LabVerdict) { .ok = true, .text = "exact",
    .db = { NAN, NAN }, .error = NAN
  };
}

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
  vsnprintf (verdict->text + start, sizeof verdict->text - start, format,
      args);
  va_end (args);
}

static bool
is_float (const LabSet * set)
{
  return set->shape == LAB_PLANE_FLOAT || set->shape == LAB_PLANE_STRIDED;
}

static double
value (const LabSet * set, const void *memory, size_t i)
{
  double v;

  if (is_float (set))
    v = ((const float *) memory)[i];
  else if (set->shape == LAB_BLOCKS || set->shape == LAB_PLANE_SHORT)
    v = ((const int16_t *) memory)[i];
  else if (set->shape == LAB_PLANE_10)
    return ((const uint16_t *) memory)[i];
  else
    return ((const uint8_t *) memory)[i];
  if (set->stage != LAB_CHAIN)
    return v;
  v = floor (v + 128.5);
  return v < 0 ? 0 : v > 255 ? 255 : v;
}

/* Whether the gap between rows is unchanged. */
static bool
gap_is_untouched (const LabSet * set, const void *memory, size_t i)
{
  const uint8_t *byte = (const uint8_t *) memory + i * set->element;

  for (size_t b = 0; b < set->element; b++)
    if (byte[b] != LAB_POISON)
      return false;
  return true;
}

static void
judge_real (const LabSet * set, LabContent content, double sse, uint64_t n,
    LabVerdict * verdict)
{
  int peak = (1 << set->depth) - 1;
  double least = set->shape == LAB_PLANE_SHORT ? LEAST_DB_SHORT : LEAST_DB;
  double db = 10 * log10 (peak * (double) peak * n / sse);
  double worst;

  verdict->db[content] = db;
  worst = fmin (verdict->db[0], verdict->db[1]);
  if (!(db >= least))
    lab_verdict_wrong (verdict, "%.1f dB off ties, %s", db,
        content == LAB_NOISE ? "noise" : "natural");
  else if (verdict->ok && isfinite (worst))
    snprintf (verdict->text, sizeof verdict->text, "%.1f dB off ties", worst);
  else if (verdict->ok)
    strcpy (verdict->text, "exact off ties");
}

static void
judge_error (const LabSet * set, double error, LabVerdict * verdict)
{
  double most = is_float (set) ? MOST_ERROR : MOST_ERROR_SHORT;

  verdict->error = fmax (error, verdict->error);
  if (!(error <= most))
    lab_verdict_wrong (verdict, "off by %g", error);
  else if (verdict->ok && verdict->error > 0)
    snprintf (verdict->text, sizeof verdict->text, "within %.2g",
        verdict->error);
}

void
lab_check_period (const LabSet * set, LabContent content, const void *got,
    LabVerdict * verdict)
{
  const double *expected = set->expected[content];
  bool real = set->transform == BDCT_DCT_8X8;
  double sse = 0, error = 0;
  uint64_t n = 0, differ = 0;
  size_t first = 0;

  for (size_t i = 0; i < set->period; i++) {
    double v, e;

    if (i % set->stride >= (size_t) set->width) {
      if (!gap_is_untouched (set, got, i))
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
  else if (real && set->stage == LAB_CHAIN)
    judge_real (set, content, sse, n, verdict);
  else if (real)
    judge_error (set, error, verdict);
}

/* The squared error of the output, by component. */
static void
delivered (const LabSet * set, LabContent content, const void *got,
    uint64_t * sse)
{
  size_t luma = set->shape == LAB_NV12 ? set->period / 3 * 2 : set->period;

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
    int64_t off = (int64_t) (counters->nonzero
        - set->nonzero[content][c] * n);
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
