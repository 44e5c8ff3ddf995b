/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints the results line by line, as a table, CSV and JSON. */
#include "lab.h"

#include <math.h>
#include <string.h>

double
lab_ns_per_block (const LabResult * r)
{
  static const int sizes[] = { 8, 8, 4, 4, 8, 16, 32 };
  int size = sizes[r->entry->transform];

  /* A frame has blocks of two sizes. */
  return r->entry->shape == LAB_NV12 || r->ns == 0 ? 0
      : r->ns / (r->samples / (size * size));
}

double
lab_share (const LabResult * r)
{
  double needed = r->samples * lab_limit_bytes (r->entry);

  return r->copy_ns == 0 || r->ns == 0 ? 0
      : needed / r->ns / (2 * r->copy_bytes / r->copy_ns);
}

static double
gsamples (const LabResult * r)
{
  return r->ns == 0 ? 0 : r->samples / r->ns;
}

/* The bytes that the copy reads and writes, in 10^9 a second. */
static double
copy_gbs (const LabResult * r)
{
  return r->copy_ns == 0 ? 0 : 2 * r->copy_bytes / r->copy_ns;
}

void
lab_print_header (void)
{
  const LabMachine *m = &lab_machine;

  printf ("CPU: %s\n", m->cpu);
  if (m->gpu[0] != '\0') {
    printf ("GPU: %s, compute capability %s, %d multiprocessors, %d KB of L2, "
        "at most %d MHz, memory %d MHz\n", m->gpu, m->compute, m->sms, m->l2,
        m->sm_clock / 1000, m->memory_clock / 1000);
    printf ("CUDA: driver %s, runtime %s, nvcc %s\n", m->driver, m->runtime,
        m->nvcc);
    printf ("nvidia-smi under load (driver, clocks of SM and memory, their "
        "most, power): %s\n", m->smi[0] != '\0' ? m->smi : "not there");
  }
  printf ("%s; medians of up to %d; timed on %s\n\n",
      lab_options.quick ? "quick" : "full", lab_repetitions (),
      lab_options.content == LAB_NOISE ? "white noise" : "natural samples");
  printf ("%-10s %-28s %-12s %-8s %7s %-20s %10s %11s %9s %6s %4s %5s %5s\n",
      "source", "implementation", "transform", "stage", "batch", "check",
      "us a run", "ns a block", "Gsample/s", "share", "regs", "smem", "local");
}

static void
print_number (int width, int precision, double v)
{
  if (v > 0)
    printf (" %*.*f", width, precision, v);
  else
    printf (" %*s", width, "-");
}

static void
print_count (int width, int v)
{
  if (v >= 0)
    printf (" %*d", width, v);
  else
    printf (" %*s", width, "-");
}

void
lab_print_result (const LabResult * r)
{
  const LabEntry *e = r->entry;
  char batch[24] = "-";

  if (r->batch != 0)
    snprintf (batch, sizeof batch, "%lld", (long long) r->batch);
  else if (e->shape == LAB_PLANE_10 || e->shape == LAB_NV12)
    strcpy (batch, e->shape == LAB_NV12 ? "NV12" : "10 bit");
  printf ("%-10s %-28s %-12s %-8s %7s %-20s", e->source, e->name,
      bdct_transform_info (e->transform)->name, lab_stage_names[e->stage],
      batch, r->verdict.text);
  print_number (10, 3, r->ns / 1e3);
  print_number (11, 4, lab_ns_per_block (r));
  print_number (9, 3, gsamples (r));
  if (e->gpu && lab_share (r) > 0)
    printf (" %5.1f%%", 100 * lab_share (r));
  else
    printf (" %6s", "-");
  print_count (4, r->registers);
  print_count (5, r->shared);
  print_count (5, r->local);
  putchar ('\n');
  fflush (stdout);
}

void
lab_write_csv (FILE * file, const LabResult * results, int n)
{
  fprintf (file, "source,implementation,transform,stage,shape,quality,qp,batch,"
      "check,samples,ns,ns_per_block,gsamples_per_s,share,copy_gb_per_s,"
      "copy_ns,registers,shared,local,kernels,threads,pareto\n");
  for (int i = 0; i < n; i++) {
    const LabResult *r = &results[i];
    const LabEntry *e = r->entry;

    fprintf (file, "%s,\"%s\",%s,%s,\"%s\",%d,%d,%lld,\"%s\",%.0f,%.3f,%.5f,"
        "%.5f,%.5f,%.2f,%.3f,%d,%d,%d,%d,%d,%d\n", e->source, e->name,
        bdct_transform_info (e->transform)->name, lab_stage_names[e->stage],
        lab_shape_names[e->shape], e->quality, e->qp, (long long) r->batch,
        r->verdict.text, r->samples, r->ns, lab_ns_per_block (r), gsamples (r),
        lab_share (r), copy_gbs (r), r->copy_ns, r->registers, r->shared,
        r->local, r->kernels, r->threads, r->pareto);
  }
}

static void
write_string (FILE * file, const char *name, const char *text)
{
  fprintf (file, "    \"%s\": \"", name);
  for (; *text != '\0'; text++)
    if (*text == '"' || *text == '\\')
      fprintf (file, "\\%c", *text);
    else if ((unsigned char) *text >= ' ')
      fputc (*text, file);
  fputs ("\",\n", file);
}

/* JSON has neither infinity nor NaN. */
static void
write_db (FILE * file, const char *name, double db)
{
  if (isnan (db))
    fprintf (file, ", \"%s\": null", name);
  else if (isinf (db))
    fprintf (file, ", \"%s\": \"inf\"", name);
  else
    fprintf (file, ", \"%s\": %g", name, db);
}

static void
write_result (FILE * file, const LabResult * r)
{
  const LabEntry *e = r->entry;

  fprintf (file, "    { \"source\": \"%s\", \"implementation\": \"%s\", "
      "\"transform\": \"%s\", \"stage\": \"%s\", \"shape\": \"%s\",\n"
      "      \"gpu\": %s, \"launch_each\": %s, \"quality\": %d, \"qp\": %d, "
      "\"batch\": %lld,\n      \"correct\": %s, \"check\": \"%s\"",
      e->source, e->name, bdct_transform_info (e->transform)->name,
      lab_stage_names[e->stage], lab_shape_names[e->shape],
      e->gpu ? "true" : "false", e->launch_each ? "true" : "false",
      e->quality, e->qp, (long long) r->batch,
      r->verdict.ok ? "true" : "false", r->verdict.text);
  write_db (file, "natural_db", r->verdict.db[LAB_NATURAL]);
  write_db (file, "noise_db", r->verdict.db[LAB_NOISE]);
  write_db (file, "error", r->verdict.error);
  fprintf (file, ",\n      \"samples\": %.0f, \"ns\": %.3f, \"ns_per_block\": "
      "%.5f, \"gsamples_per_s\": %.5f, \"share\": %.5f,\n      "
      "\"limit_bytes\": %d, \"copy_ns\": %.3f, \"copy_gb_per_s\": %.2f",
      r->samples, r->ns, lab_ns_per_block (r), gsamples (r), lab_share (r),
      lab_limit_bytes (e), r->copy_ns, copy_gbs (r));
  if (e->gpu)
    fprintf (file, ",\n      \"registers\": %d, \"shared\": %d, \"local\": %d, "
        "\"kernels\": %d, \"threads\": %d", r->registers, r->shared, r->local,
        r->kernels, r->threads);
  if (strcmp (e->source, "spector") == 0)
    fprintf (file, ",\n      \"blocks_x\": %d, \"blocks_y\": %d, \"rows\": %d, "
        "\"unrolled\": %s, \"pareto\": %s", e->parameter[0], e->parameter[1],
        e->parameter[2], e->parameter[3] ? "true" : "false",
        r->pareto ? "true" : "false");
  fputs (" }", file);
}

void
lab_write_json (FILE * file, const LabResult * results, int n)
{
  const LabMachine *m = &lab_machine;

  fputs ("{\n  \"machine\": {\n", file);
  write_string (file, "cpu", m->cpu);
  write_string (file, "gpu", m->gpu);
  write_string (file, "compute", m->compute);
  write_string (file, "driver", m->driver);
  write_string (file, "runtime", m->runtime);
  write_string (file, "nvcc", m->nvcc);
  write_string (file, "nvidia_smi", m->smi);
  fprintf (file, "    \"multiprocessors\": %d,\n    \"l2_kb\": %d,\n"
      "    \"sm_clock_khz\": %d,\n    \"memory_clock_khz\": %d\n  },\n", m->sms,
      m->l2, m->sm_clock, m->memory_clock);
  fprintf (file, "  \"mode\": \"%s\",\n  \"repetitions\": %d,\n"
      "  \"content\": \"%s\",\n  \"results\": [\n",
      lab_options.quick ? "quick" : "full", lab_repetitions (),
      lab_options.content == LAB_NOISE ? "noise" : "natural");
  for (int i = 0; i < n; i++) {
    write_result (file, &results[i]);
    fputs (i + 1 < n ? ",\n" : "\n", file);
  }
  fputs ("  ]\n}\n", file);
}
