/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints the results line by line, and writes them as CSV and JSON. */
#include "lab.h"

#include <glib.h>
#include <math.h>
#include <string.h>
#include "reference.h"

static const char *const stages[] = { "forward", "quantize", "inverse",
  "chain"
};

static const char *const shapes[] = { "blocks", "plane of float",
  "plane of float, strided", "plane of int16", "plane, 8 bits",
  "plane, 10 bits", "NV12 frame"
};

/* The least bytes a sample that a stage has to move. */
static int
limit_bytes (const LabEntry * entry)
{
  if (entry->shape == LAB_BLOCKS || entry->shape == LAB_PLANE_10)
    return 4;
  if (entry->stage == LAB_CHAIN)
    return 2;
  return entry->shape == LAB_PLANE_SHORT ? 4 : 8;
}

static double
ns_per_block (const LabResult * r)
{
  const int size = ref_block_size (r->entry->transform, BDCT_CHROMA_400,
      BDCT_Y);

  /* A frame has blocks of two sizes. */
  return r->entry->shape == LAB_NV12 ? 0 : r->ns / r->samples * size * size;
}

static double
gsamples (const LabResult * r)
{
  return r->ns == 0 ? 0 : r->samples / r->ns;
}

/* The fraction of the copy's speed; 0 if unknown. */
static double
share (const LabResult * r)
{
  return r->copy_ns == 0 ? 0
      : gsamples (r) * limit_bytes (r->entry) / (2 * r->copy_bytes /
      r->copy_ns);
}

static const char *
transform_name (const LabResult * r)
{
  return bdct_transform_info (r->entry->transform)->name;
}

void
lab_print_header (void)
{
  if (lab_gpu_name[0] != '\0')
    printf ("GPU: %s, %s\n", lab_gpu_name, lab_gpu_text);
  printf ("%s; medians of up to %d; timed on %s\n\n",
      lab_options.quick ? "quick" : "full", lab_repetitions (),
      lab_options.content == LAB_NOISE ? "white noise" : "natural samples");
  printf ("%-10s %-28s %-12s %-8s %7s %-20s %10s %11s %9s %6s %4s %5s %5s\n",
      "source", "implementation", "transform", "stage", "batch", "check",
      "us a run", "ns a block", "Gsample/s", "share", "regs", "smem", "local");
}

/* A number, or "-" if it is not above `least`. */
static void
print_number (int width, int precision, double v, double least,
    const char *unit)
{
  if (v > least)
    printf (" %*.*f%s", width, precision, v, unit);
  else
    printf (" %*s", width + (int) strlen (unit), "-");
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
      transform_name (r), stages[e->stage], batch, r->verdict.text);
  print_number (10, 3, r->ns / 1e3, 0, "");
  print_number (11, 4, r->ns == 0 ? 0 : ns_per_block (r), 0, "");
  print_number (9, 3, gsamples (r), 0, "");
  print_number (5, 1, 100 * share (r), 0, "%");
  print_number (4, 0, r->registers, -1, "");
  print_number (5, 0, r->shared, -1, "");
  print_number (5, 0, r->local, -1, "");
  putchar ('\n');
  fflush (stdout);
}

/* A line of named values: the names for CSV, the values for CSV, or JSON. */
typedef struct
{
  GString *line;
  enum
  { NAMES, VALUES, JSON } form;
} Record;

static void
add (Record * to, const char *name, const char *format, ...)
G_GNUC_PRINTF (3, 4);

     static void add (Record * to, const char *name, const char *format, ...)
{
  va_list args;

  if (to->line->len > 0)
    g_string_append (to->line, to->form == JSON ? ", " : ",");
  if (to->form == JSON)
    g_string_append_printf (to->line, "\"%s\": ", name);
  if (to->form == NAMES)
    g_string_append (to->line, name);
  va_start (args, format);
  if (to->form != NAMES)
    g_string_append_vprintf (to->line, format, args);
  va_end (args);
}

static void
add_text (Record * to, const char *name, const char *text)
{
  char *escaped = g_strescape (text, NULL);

  add (to, name, "\"%s\"", escaped);
  g_free (escaped);
}

static void
add_bool (Record * to, const char *name, bool v)
{
  add (to, name, v ? "true" : "false");
}

static void
add_result (Record * to, const LabResult * r)
{
  const LabEntry *e = r->entry;

  add_text (to, "source", e->source);
  add_text (to, "implementation", e->name);
  add_text (to, "transform", transform_name (r));
  add_text (to, "stage", stages[e->stage]);
  add_text (to, "shape", shapes[e->shape]);
  add_bool (to, "gpu", e->gpu);
  add (to, "quality", "%d", e->quality);
  add (to, "qp", "%d", e->qp);
  add (to, "batch", "%lld", (long long) r->batch);
  add_bool (to, "correct", r->verdict.ok);
  add_text (to, "check", r->verdict.text);
  add (to, "samples", "%.0f", r->samples);
  add (to, "ns", "%.8g", r->ns);
  add (to, "ns_per_block", "%.8g", r->ns == 0 ? 0 : ns_per_block (r));
  add (to, "gsamples_per_s", "%.8g", gsamples (r));
  add (to, "share", "%.8g", share (r));
  add (to, "copy_ns", "%.8g", r->copy_ns);
  add (to, "registers", "%d", r->registers);
  add (to, "shared", "%d", r->shared);
  add (to, "local", "%d", r->local);
  add (to, "rows", "%d", e->parameter[2]);
  add_bool (to, "unrolled", e->parameter[3] != 0);
}

void
lab_write_results (const char *name, bool json, const LabResult * results,
    int n)
{
  Record record = { g_string_new (NULL), json ? JSON : NAMES };
  GString *text = g_string_new (NULL);
  GError *error = NULL;

  if (json) {
    add_text (&record, "gpu", lab_gpu_name);
    add_text (&record, "details", lab_gpu_text);
    g_string_append_printf (text, "{\"machine\": {%s},\n"
        "\"mode\": \"%s\", \"repetitions\": %d, \"content\": \"%s\",\n"
        "\"results\": [", record.line->str,
        lab_options.quick ? "quick" : "full", lab_repetitions (),
        lab_options.content == LAB_NOISE ? "noise" : "natural");
  } else if (n > 0) {
    add_result (&record, &results[0]);
    g_string_append_printf (text, "%s\n", record.line->str);
    record.form = VALUES;
  }
  for (int i = 0; i < n; i++) {
    g_string_truncate (record.line, 0);
    add_result (&record, &results[i]);
    g_string_append_printf (text, json ? "%s\n{%s}" : "%s%s\n",
        json && i > 0 ? "," : "", record.line->str);
  }
  if (json)
    g_string_append (text, "\n]}\n");
  if (!g_file_set_contents (name, text->str, text->len, &error))
    lab_die ("%s", error->message);
  printf ("written: %s\n", name);
  g_string_free (record.line, TRUE);
  g_string_free (text, TRUE);
}
