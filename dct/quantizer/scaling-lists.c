/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scaling-lists.h"

#include <stdio.h>
#include <string.h>
#include "dct/base/text.h"

/* 4x4 lists use the first 4 entries of the first 4 rows; nothing reads the
 * rest. */
#define FLAT {[0 ... 63] = 16}

/* Table 7-6, ScalingList[1..3][0..2]. */
#define INTRA                                                                 \
  { 16, 16, 16, 16, 17, 18, 21, 24, 16, 16, 16, 16, 17, 19, 22, 25,           \
    16, 16, 17, 18, 20, 22, 25, 29, 16, 16, 18, 21, 24, 27, 31, 36,           \
    17, 17, 20, 24, 30, 35, 41, 47, 18, 19, 22, 27, 35, 44, 54, 65,           \
    21, 22, 25, 31, 41, 54, 70, 88, 24, 25, 29, 36, 47, 65, 88, 115 }

const BdctScalingLists bdct_scaling_default = {
  .factor = {
      {FLAT, FLAT, FLAT}, {INTRA, INTRA, INTRA}, {INTRA, INTRA, INTRA},
      {INTRA, INTRA, INTRA},
  },
  .dc = {{16, 16, 16}, {16, 16, 16}, {16, 16, 16}, {16, 16, 16}}
};

/* The lists that have names in files. */
enum
{
  N_MODES = 2,                  /* intra, inter */
  N_LISTS = BDCT_N_SCALING_SIZES * N_MODES * BDCT_MAX_COMPONENTS * 2
};

typedef struct {
  int size, inter, component, dc;
  bool from_16; /* chroma at 32x32 */
} List;

static List
get_list (int i)
{
  List list = {.dc = i % 2, .component = i / 2 % BDCT_MAX_COMPONENTS };

  i /= 2 * BDCT_MAX_COMPONENTS;
  list.inter = i % N_MODES;
  list.size = i / N_MODES;
  list.from_16 = list.size == 3 && list.component != BDCT_Y;
  return list;
}

/* Lists of 4x4 and 8x8 have no DC entry. */
static int
count_numbers (const List * list)
{
  return list->dc ? list->size >= 2 : list->size == 0 ? 16 : 64;
}

/* The name that HM and x265 use. */
static void
get_name (const List * list, char name[BDCT_TEXT_WORD])
{
  static const char *const components[] = { "LUMA", "CHROMAU", "CHROMAV" };
  const char *component = components[list->component];
  const int n = 4 << list->size;

  snprintf (name, BDCT_TEXT_WORD, "%s%dX%d_%s%s%s%s",
      list->inter ? "INTER" : "INTRA", n, n, component, list->dc ? "_DC" : "",
      list->from_16 ? "_FROM16x16_" : "", list->from_16 ? component : "");
}

/* The number of the list whose name a word begins with; -1 if there is none. */
static int
find_list (char *word)
{
  char name[BDCT_TEXT_WORD];

  word[strspn (word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        "0123456789_")] = '\0';
  for (int i = 0; i < N_LISTS; i++) {
    List list = get_list (i);

    get_name (&list, name);
    if (count_numbers (&list) > 0 && strcmp (name, word) == 0)
      return i;
  }
  return -1;
}

typedef struct {
  BdctText text;
  BdctScalingLists lists;
  bool seen[N_LISTS];
  int list, n;  /* the list being read, -1 before the first; its numbers so
                   far */
} Reader;

/* Check that the list has all of its numbers. */
static bool
end_list (const Reader * reader, BdctError * error)
{
  char name[BDCT_TEXT_WORD];
  List list;

  if (reader->list < 0)
    return true;
  list = get_list (reader->list);
  if (reader->n == count_numbers (&list))
    return true;
  get_name (&list, name);
  return bdct_error (error, "line %d: %s ends after %d of %d numbers",
      reader->text.line, name, reader->n, count_numbers (&list));
}

static bool
begin_list (Reader * reader, BdctError * error)
{
  const int column = bdct_text_column (&reader->text);
  char word[BDCT_TEXT_WORD];

  if (!end_list (reader, error))
    return false;
  bdct_text_word (&reader->text, word);
  reader->list = find_list (word);
  if (reader->list < 0)
    return bdct_error (error, "line %d, column %d: the name of a scaling list "
        "is expected",
        reader->text.line, column);
  if (reader->seen[reader->list])
    return bdct_error (error, "line %d: %s occurs twice", reader->text.line,
        word);
  reader->seen[reader->list] = true;
  reader->n = 0;
  bdct_text_skip_line (&reader->text);
  return true;
}

static void
store (Reader * reader, const List * list, int value)
{
  const int i = reader->n;
  uint8_t *factor = reader->lists.factor[list->size][list->component];
  uint8_t *dc = &reader->lists.dc[list->size][list->component];

  if (list->inter || list->from_16)
    return;
  if (list->dc) {
    *dc = (uint8_t) value;
    return;
  }
  factor[list->size == 0 ? i / 4 * 8 + i % 4 : i] = (uint8_t) value;
  if (list->size < 2)
    *dc = factor[0];
}

static bool
read_number (Reader * reader, BdctError * error)
{
  char name[BDCT_TEXT_WORD];
  List list;
  int value;

  if (!bdct_text_number (&reader->text, BDCT_MAX_STEP, &value, error))
    return false;
  if (reader->list < 0)
    return bdct_error (error, "line %d: %d comes before the name of the first "
        "list",
        reader->text.line, value);
  list = get_list (reader->list);
  get_name (&list, name);
  if (reader->n == count_numbers (&list))
    return bdct_error (error, "line %d: %s has more than %d numbers",
        reader->text.line, name, reader->n);
  if (value < BDCT_MIN_FACTOR || value > BDCT_MAX_FACTOR)
    return bdct_error (error, "line %d: %d, number %d of %s, is outside %d to "
        "%d", reader->text.line, value, reader->n + 1, name, BDCT_MIN_FACTOR,
        BDCT_MAX_FACTOR);
  store (reader, &list, value);
  reader->n++;
  return true;
}

static bool
check_complete (const Reader * reader, BdctError * error)
{
  char name[BDCT_TEXT_WORD];

  for (int i = 0; i < N_LISTS; i++) {
    List list = get_list (i);

    if (reader->seen[i] || list.inter || list.from_16
        || count_numbers (&list) == 0)
      continue;
    get_name (&list, name);
    return bdct_error (error, "line %d: the text ends without %s",
        reader->text.line, name);
  }
  return true;
}

static bool
is_letter (uint8_t c)
{
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* A line that begins with a list's name begins that list; the rest of the line
 * is ignored. INTRA4X4_LUMA, INTRA8X8_CHROMAU and so on have 16 or 64 numbers
 * from BDCT_MIN_FACTOR to BDCT_MAX_FACTOR, row-major, between white space or
 * commas; INTRA16X16_LUMA_DC and so on have one. # begins a comment. All INTRA
 * lists are required but chroma's of 32x32, which only 4:4:4 uses: 16x16's
 * stand for them (H.265 7.3.4, ChromaArrayType 3), as in HM. These and the
 * INTER lists are optional, are checked and are not used. */
bool
bdct_scaling_parse (const void *data, size_t size, BdctScalingLists * lists,
    BdctError * error)
{
  Reader reader = {.text = {data, size, 0, 1},.list = -1,
    .lists = bdct_scaling_default
  };
  BdctText *text = &reader.text;

  if (data == NULL || lists == NULL)
    return bdct_error (error, "%s is NULL", data == NULL ? "data"
        : "BdctScalingLists");
  while (bdct_text_find (text))
    if (!(is_letter (text->data[text->at]) ? begin_list (&reader, error)
            : read_number (&reader, error)))
      return false;
  if (!end_list (&reader, error) || !check_complete (&reader, error))
    return false;
  for (int c = BDCT_U; c < BDCT_MAX_COMPONENTS; c++) {
    memcpy (reader.lists.factor[3][c], reader.lists.factor[2][c], 64);
    reader.lists.dc[3][c] = reader.lists.dc[2][c];
  }
  reader.lists.name = lists->name;
  *lists = reader.lists;
  return true;
}
