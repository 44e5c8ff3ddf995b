/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scaling lists, read from text made here. (That no byte behind it is read, and
 * that an error changes nothing, is fuzz-tables'.) */
#include <glib.h>
#include <string.h>
#include "dct/quantizer/scaling-lists.h"

/* The lists that every file has to have, in the order of HM and x265. */
static const struct
{
  const gchar *name;
  int size, component, n;
} required[] = {
  {"INTRA4X4_LUMA", 0, 0, 16}, {"INTRA4X4_CHROMAU", 0, 1, 16},
  {"INTRA4X4_CHROMAV", 0, 2, 16}, {"INTRA8X8_LUMA", 1, 0, 64},
  {"INTRA8X8_CHROMAU", 1, 1, 64}, {"INTRA8X8_CHROMAV", 1, 2, 64},
  {"INTRA16X16_LUMA", 2, 0, 64}, {"INTRA16X16_LUMA_DC", 2, 0, 1},
  {"INTRA16X16_CHROMAU", 2, 1, 64}, {"INTRA16X16_CHROMAU_DC", 2, 1, 1},
  {"INTRA16X16_CHROMAV", 2, 2, 64}, {"INTRA16X16_CHROMAV_DC", 2, 2, 1},
  {"INTRA32X32_LUMA", 3, 0, 64}, {"INTRA32X32_LUMA_DC", 3, 0, 1},
};

#define N_REQUIRED G_N_ELEMENTS (required)

/* What number `i` of list `n` is. */
static int
entry (guint n, int i)
{
  return BDCT_MIN_FACTOR + (n * 71 + i * 13) % 252;
}

static void
append (GString * text, guint n, int count, const gchar * assign,
    const gchar * gap)
{
  g_string_append_printf (text, "%s%s", required[n].name, assign);
  for (int i = 0; i < count; i++)
    g_string_append_printf (text, "%d%s", entry (n, i),
        i % 8 == 7 ? "\n" : gap);
  g_string_append_c (text, '\n');
}

/* All lists but `without`. */
static GString *
make_text (guint without, const gchar * assign, const gchar * gap)
{
  GString *text = g_string_new (NULL);

  for (guint n = 0; n < N_REQUIRED; n++)
    if (n != without)
      append (text, n, required[n].n, assign, gap);
  return text;
}

static void
check_good (const GString * text)
{
  BdctScalingLists lists = {.name = 77 };
  BdctError error;

  g_assert_false (bdct_scaling_is_set (&lists));
  if (!bdct_scaling_parse (text->str, text->len, &lists, &error))
    g_error ("%s", error.message);
  g_assert_cmpuint (lists.name, ==, 77);
  g_assert_true (bdct_scaling_is_set (&lists));
  for (guint n = 0; n < N_REQUIRED; n++) {
    const guint8 *factor =
        lists.factor[required[n].size][required[n].component];
    int dc = lists.dc[required[n].size][required[n].component];

    if (required[n].n == 1)
      g_assert_cmpint (dc, ==, entry (n, 0));
    else if (required[n].size < 2)
      g_assert_cmpint (dc, ==, factor[0]);
    for (int i = 0; i < required[n].n && required[n].n > 1; i++)
      g_assert_cmpint (factor[required[n].n == 16 ? i / 4 * 8 + i % 4 : i], ==,
          entry (n, i));
  }
  for (int c = 1; c < 3; c++) {
    g_assert_cmpmem (lists.factor[3][c], 64, lists.factor[2][c], 64);
    g_assert_cmpint (lists.dc[3][c], ==, lists.dc[2][c]);
  }
}

/* As HM prints them, and otherwise; with those that are not used. */
static void
test_good (void)
{
  static const gchar *assigns[] = { " =\n", "=\n", "\n", " = of 7\r\n" };
  static const gchar *gaps[] = { ",", ", ", " ", "\n", ", # 5\n" };

  for (guint a = 0; a < G_N_ELEMENTS (assigns); a++)
    for (guint g = 0; g < G_N_ELEMENTS (gaps); g++) {
      GString *text = make_text (N_REQUIRED, assigns[a], gaps[g]);

      g_string_prepend (text, "# lists\n\n");
      g_string_append (text, "INTER16X16_CHROMAV_DC =\n 16\n"
          "INTRA32X32_CHROMAU_DC_FROM16x16_CHROMAU = \n99,\n"
          "INTER4X4_LUMA\n");
      for (int i = 0; i < 16; i++)
        g_string_append (text, "20,");
      check_good (text);
      g_string_free (text, TRUE);
    }
}

/* All of `named` must be in the error, but no word of what may be somebody's
 * secret. */
static void
check_bad (const gchar * text, const gchar * const *named)
{
  BdctScalingLists lists;
  BdctError error = { "" };

  g_assert_false (bdct_scaling_parse (text, strlen (text), &lists, &error));
  g_assert_false (bdct_scaling_parse (text, strlen (text), &lists, NULL));
  for (; *named != NULL; named++)
    if (strstr (error.message, *named) == NULL)
      g_error ("'%s' lacks '%s'", error.message, *named);
  g_assert_null (strstr (error.message, "hunter"));
}

static void
test_bad (void)
{
  static const struct
  {
    const gchar *text, *named[4];
  } cases[] = {
    {"", {"line 1", "without INTRA4X4_LUMA"}},
    {"# nothing\n", {"line 2", "without INTRA4X4_LUMA"}},
    {"16, 16", {"line 1", "16 comes before"}},
    {"INTRA4X4_LUMA\n1", {"line 2", "1, number 1 of INTRA4X4_LUMA", "4 to"}},
    {"INTRA4X4_LUMA\n9,\n0", {"line 3", "0, number 2 of", "4 to 255"}},
    {"INTRA4X4_LUMA\n256", {"line 2", "256", "4 to 255"}},
    {"INTRA8X8_LUMA\n99999999999999999999", {"line 2", "4 to 255"}},
    {"INTRA4X4_LUMA\n-7", {"line 2, column 1", "-7 is not a whole"}},
    {"INTRA4X4_LUMA\n16.5", {"line 2", "16.5 is not a whole"}},
    {"INTRA16X16_LUMA_DC\n16 17", {"line 2", "LUMA_DC has more than 1"}},
    {"INTRA16X16_LUMA_DC\n\nINTRA4X4_LUMA", {"line 3", "after 0 of 1"}},
    {"INTRA16X16_LUMA_DC\n16\nINTRA16X16_LUMA_DC\n16", {"line 3", "twice"}},
    {"\nINTRA8x8_LUMA =\n16", {"line 2, column 1: the name"}},
    {"INTRA8X8_LUMA_DC\n16", {"line 1", "the name of a scaling list"}},
    {"<html><body>", {"line 1, column 1: a number"}},
    {"\x89PNG\r\n", {"line 1, column 1: a number"}},
    {"hunter2 opens it", {"line 1"}}, {"INTRA4X4_LUMA\nhunter2", {"line 2"}},
    {"16hunter2", {"line 1"}}, {"-hunter2", {"line 1"}},
    {"  \n hunter2=1", {"line 2"}},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_bad (cases[i].text, cases[i].named);
}

/* Any list is missed, and any that is cut short. */
static void
test_incomplete (void)
{
  for (guint n = 0; n < N_REQUIRED; n++) {
    GString *text = make_text (n, " =\n", ",");
    gchar *missing = g_strdup_printf ("without %s", required[n].name);
    gchar *counts = g_strdup_printf ("%s ends after %d of %d",
        required[n].name, required[n].n - 1, required[n].n);

    check_bad (text->str, (const gchar *[]) {missing, NULL});
    append (text, n, required[n].n - 1, "\n", " ");
    check_bad (text->str, (const gchar *[]) {counts, NULL});
    g_free (missing);
    g_free (counts);
    g_string_free (text, TRUE);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scaling/good", test_good);
  g_test_add_func ("/scaling/bad", test_bad);
  g_test_add_func ("/scaling/incomplete", test_incomplete);
  return g_test_run ();
}
