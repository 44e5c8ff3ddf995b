/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Presets, and tables read from text and from JPEG files made here byte by
 * byte. */
#include <glib.h>
#include <string.h>
#include "dct/quantizer/job.h"

/* FNV-1a over the steps' two bytes, low first. */
static guint32
checksum (const uint16_t * step)
{
  guint32 hash = 0x811c9dc5;

  for (int i = 0; i < 64; i++)
    for (int byte = 0; byte < 2; byte++)
      hash = (hash ^ (step[i] >> 8 * byte & 255)) * 0x01000193;
  return hash;
}

/* The sums were computed from mozjpeg's jcparam.c (revision 08265790774c), not
 * from tables.c. */
static void
test_presets (void)
{
  static const guint32 sums[BDCT_N_PRESETS][2] = {
    {0xd318c275, 0xb96ba69a}, {0xc4efb7c5, 0xc4efb7c5},
    {0x2b3705e5, 0xe1594481}, {0xc29d1466, 0xc29d1466},
    {0xf0db686e, 0x081da607}, {0x25be9bed, 0x25be9bed},
    {0x149c7dab, 0x149c7dab}, {0x7e94e4dd, 0x7e94e4dd},
    {0x9d517a74, 0x9d517a74},
  };

  for (int i = 0; i < BDCT_N_PRESETS; i++)
    for (int chroma = 0; chroma < 2; chroma++)
      g_assert_cmphex (checksum (bdct_preset_info (i)->step[chroma]), ==,
          sums[i][chroma]);
  g_assert_null (bdct_preset_info (BDCT_N_PRESETS));
  g_assert_null (bdct_preset_info (-1));
}

static void
check_good (const void *data, gsize size, const BdctTables * expected)
{
  BdctTables tables = {.name = 77 };
  BdctError error;
  void *copy = g_malloc (MAX (size, 1));

  memcpy (copy, data, size);
  if (!bdct_tables_parse (copy, size, &tables, &error))
    g_error ("%s", error.message);
  g_free (copy);
  g_assert_cmpuint (tables.name, ==, 77);
  g_assert_cmpint (tables.n_steps, ==, expected->n_steps);
  g_assert_cmpmem (tables.steps, sizeof tables.steps, expected->steps,
      sizeof expected->steps);
}

/* All of `named` must be in the error; nothing is changed. */
static void
check_bad (const void *data, gsize size, const gchar * const *named)
{
  BdctTables tables = {.name = 77,.n_steps = 64,.steps = {5} };
  const BdctTables before = tables;
  BdctError error = { "" };
  void *copy = g_malloc (MAX (size, 1));

  memcpy (copy, data, size);
  g_assert_false (bdct_tables_parse (copy, size, &tables, &error));
  g_assert_false (bdct_tables_parse (copy, size, &tables, NULL));
  g_free (copy);
  g_assert_cmpmem (&tables, sizeof tables, &before, sizeof before);
  for (; named != NULL && *named != NULL; named++)
    if (strstr (error.message, *named) == NULL)
      g_error ("'%s' lacks '%s'", error.message, *named);
}

/* --- text --- */

static void
append (GString * text, const BdctTables * tables, int from, int to,
    const char *gap)
{
  for (int i = from; i < to; i++)
    g_string_append_printf (text, "%d%s", tables->steps[i], gap);
}

static BdctTables
some_tables (int n)
{
  BdctTables tables = {.n_steps = n };

  for (int i = 0; i < n; i++)
    tables.steps[i] = i == 3 ? 32767 : 1 + i * 7;
  return tables;
}

static void
test_text (void)
{
  static const char *gaps[] = { " ", "\n", "\t \r\n", ", ", ",", " # 7 8\n" };

  for (guint g = 0; g < G_N_ELEMENTS (gaps); g++)
    for (int n = 1; n <= 4; n++) {
      const BdctTables tables = some_tables (n == 1 ? 64 : 128);
      GString *text = g_string_new (g & 1 ? "# a comment 1 2\n" : "");

      append (text, &tables, 0, tables.n_steps, gaps[g]);
      for (int i = 128; i < 64 * n; i++)
        g_string_append (text, "9\n");
      if (g & 1)
        g_string_append (text, "# the end");
      check_good (text->str, text->len, &tables);
      g_string_free (text, TRUE);
    }
}

static void
test_bad_text (void)
{
  static const struct
  {
    int n;                      /* so many right steps, each on its line */
    const gchar *end;
    const gchar *named[4];
  } cases[] = {
    {0, "", {"line 1", "0 of 64", "table 1"}},
    {0, "# nothing\n", {"line 2", "0 of 64"}},
    {63, "", {"line 64", "63 of 64", "table 1"}},
    {65, "", {"1 of 64", "table 2"}},
    {127, "", {"63 of 64", "table 2"}},
    {256, "5", {"line 257", "four"}},
    {63, "0", {"line 64", "step 0", "number 64 of table 1"}},
    {64, "32768 ", {"line 65", "32768", "number 1 of table 2"}},
    {191, "0", {"line 192", "step 0", "number 64 of table 3"}},
    {3, "99999999999999999999999999999", {"line 4", "or more", "32767"}},
    {3, "-7 ", {"line 4, column 1", "-7 is not a whole"}},
    {3, "1.5", {"line 4", "1.5 is not a whole"}},
    {3, "<html><body>\x80 \n", {"line 4, column 1: a number"}},
    {0, "\x89PNG\r\n", {"line 1, column 1: a number"}},
    {0, "\xff\xd9", {"line 1, column 1: a number"}},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GString *text = g_string_new (NULL);

    for (int k = 0; k < cases[i].n; k++)
      g_string_append (text, "17\n");
    g_string_append (text, cases[i].end);
    check_bad (text->str, text->len, cases[i].named);
    g_string_free (text, TRUE);
  }
  check_bad ("1 2\0 3", 7, NULL);
}

/* --- JPEG files --- */

static void
put (GByteArray * file, guint n, const guint8 * bytes)
{
  g_byte_array_append (file, bytes, n);
}

#define PUT(file, ...) \
  put (file, sizeof ((const guint8[]) {__VA_ARGS__}), \
      (const guint8[]) {__VA_ARGS__})

static void
put_start (GByteArray * file)
{
  PUT (file, 0xff, 0xd8, 0xff, 0xe0, 0, 4, 0xff, 0xdb);
}

/* A DQT segment of a table, in the order of T.81 Figure A.6, which is walked
 * here. */
static void
put_dqt (GByteArray * file, int number, gboolean wide, const int *steps)
{
  int length = 2 + 1 + (wide ? 128 : 64), u = 0, v = 0;

  PUT (file, 0xff, 0xdb, length >> 8, length & 255, wide << 4 | number);
  for (int i = 0; i < 64; i++) {
    int step = steps[8 * v + u];
    gboolean up = (u + v) % 2 == 0;

    if (wide)
      PUT (file, step >> 8);
    PUT (file, step & 255);
    if (up && u == 7)
      v++;
    else if (!up && v == 7)
      u++;
    else if (up) {
      u++;
      v -= v > 0;
    } else {
      v++;
      u -= u > 0;
    }
  }
}

static void
put_sof (GByteArray * file, int marker, int n, const int *table)
{
  PUT (file, 0xff, marker, 0, 8 + 3 * n, 8, 0, 16, 0, 16, n);
  for (int c = 0; c < n; c++)
    PUT (file, c + 1, 0x11, table[c]);
}

static void
put_sos (GByteArray * file)
{
  PUT (file, 0xff, 0xff, 0xda, 0, 8, 1);        /* and cut off there */
}

static void
test_jpeg (void)
{
  static const struct
  {
    int marker, n, table[3], expected;  /* steps */
    gboolean wide;
  } cases[] = {
    {0xc0, 1, {0}, 64, FALSE},
    {0xc0, 3, {0, 1, 1}, 128, FALSE},
    {0xc1, 3, {0, 1, 1}, 128, TRUE},
    {0xc2, 3, {0, 0, 0}, 64, FALSE},
    {0xc9, 3, {3, 2, 2}, 128, TRUE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    BdctTables tables = {.n_steps = cases[i].expected };
    GByteArray *file = g_byte_array_new ();
    int other[64];

    for (int k = 0; k < tables.n_steps; k++)
      tables.steps[k] = cases[i].wide ? 32767 - 200 * k : 255 - k;
    for (int k = 0; k < 64; k++)
      other[k] = 1;
    put_start (file);
    /* What is defined twice counts as it was last. */
    put_dqt (file, cases[i].table[0], cases[i].wide, other);
    if (cases[i].wide)
      put_sof (file, cases[i].marker, cases[i].n, cases[i].table);
    put_dqt (file, cases[i].table[0], cases[i].wide, tables.steps);
    if (cases[i].expected == 128)
      put_dqt (file, cases[i].table[1], cases[i].wide, tables.steps + 64);
    if (!cases[i].wide)
      put_sof (file, cases[i].marker, cases[i].n, cases[i].table);
    put_sos (file);
    check_good (file->data, file->len, &tables);
    /* Cut anywhere before the scan. */
    for (guint n = 0; n + 5 < file->len; n++)
      check_bad (file->data, n, NULL);
    g_byte_array_unref (file);
  }
}

static void
test_bad_jpeg (void)
{
  static const gchar *const named[][3] = {
    {"no frame header"}, {"lacks quantization table 1", "component 2"},
    {"third"}, {"4 components"}, {"quantization table 4"},
    {"step 0", "byte"}, {"step 32768", "byte"}, {"0x25"}, {"cut short"},
    {"0x00 is not the begin"}, {"length is 1 byte"},
  };
  const int tables[4] = { 0, 1, 1, 1 }, apart[3] = { 0, 1, 2 };
  const int wrong[3] = { 4, 0, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (named); i++) {
    GByteArray *file = g_byte_array_new ();
    int steps[64];

    for (int k = 0; k < 64; k++)
      steps[k] = 30;
    put_start (file);
    steps[20] = i == 5 ? 0 : i == 6 ? 32768 : 30;
    put_dqt (file, 0, i == 6, steps);
    steps[20] = 30;
    if (i != 1)
      put_dqt (file, 1, FALSE, steps);
    steps[63] = 31;
    put_dqt (file, 2, FALSE, steps);
    if (i == 7)
      PUT (file, 0xff, 0xdb, 0, 3, 0x25);
    if (i == 8)
      PUT (file, 0xff, 0xdb, 0, 5, 0, 1, 2);
    if (i == 9)
      PUT (file, 0);
    if (i == 10)
      PUT (file, 0xff, 0xe1, 0, 1);
    if (i != 0)
      put_sof (file, 0xc0, i == 3 ? 4 : 3, i == 2 ? apart : i == 4 ? wrong
          : tables);
    put_sos (file);
    check_bad (file->data, file->len, named[i]);
    g_byte_array_unref (file);
  }
}

/* --- jobs --- */

/* What counts: steps, else tables, else a preset; and what of these quality
 * scales, by hand. */
static void
test_jobs (void)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctLayout layout = {.depth = 8,.chroma = BDCT_CHROMA_444 };
  BdctError error;
  BdctJob job;

#define STEP(c, i) (bdct_job_init (&job, &params, &layout, &error) \
    ? job.component[c].quant[i] : -1)
  params.quality = 25;          /* 200% */
  params.preset = BDCT_PRESET_ROBIDOUX;
  g_assert_cmpint (STEP (0, 0), ==, 32);
  g_assert_cmpint (STEP (1, 63), ==, 255);
  params.baseline = FALSE;
  g_assert_cmpint (STEP (1, 63), ==, 836);
  g_assert_true (bdct_params_has_quality (&params));

  params.tables = some_tables (128);
  params.tables.steps[64] = 300;
  g_assert_false (bdct_params_has_quality (&params));
  g_assert_cmpint (STEP (0, 1), ==, 8);
  g_assert_cmpint (STEP (2, 0), ==, 300);
  params.baseline = TRUE;
  g_assert_cmpint (STEP (0, 0), ==, -1);
  g_assert_nonnull (strstr (error.message, "32767"));
  params.scale_tables = TRUE;
  g_assert_true (bdct_params_has_quality (&params));
  g_assert_cmpint (STEP (0, 1), ==, 16);
  g_assert_cmpint (STEP (1, 0), ==, 255);
  params.baseline = FALSE;
  g_assert_cmpint (STEP (0, 3), ==, 32767);
  params.quality = 100;
  g_assert_cmpint (STEP (0, 3), ==, 1);

  params.n_steps = 64;
  for (int i = 0; i < 64; i++)
    params.steps[i] = 256;
  g_assert_false (bdct_params_has_quality (&params));
  g_assert_cmpint (STEP (2, 9), ==, 256);
  params.baseline = TRUE;
  g_assert_cmpint (STEP (2, 9), ==, -1);
  params.n_steps = 0;
  params.preset = BDCT_N_PRESETS;
  g_assert_cmpint (STEP (0, 0), ==, -1);
  g_assert_nonnull (strstr (error.message, "quantization table"));
#undef STEP
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tables/presets", test_presets);
  g_test_add_func ("/tables/text", test_text);
  g_test_add_func ("/tables/text/bad", test_bad_text);
  g_test_add_func ("/tables/jpeg", test_jpeg);
  g_test_add_func ("/tables/jpeg/bad", test_bad_jpeg);
  g_test_add_func ("/tables/jobs", test_jobs);
  return g_test_run ();
}
