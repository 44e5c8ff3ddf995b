/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "text.h"

#include <ctype.h>
#include <limits.h>

static bool
is_gap (uint8_t c)
{
  return c == ' ' || (c >= '\t' && c <= '\r') || c == ',';
}

static bool
is_end (uint8_t c)
{
  return c == '#' || is_gap (c);
}

void
bdct_text_skip_line (BdctText * text)
{
  while (text->at < text->size && text->data[text->at] != '\n')
    text->at++;
}

bool
bdct_text_find (BdctText * text)
{
  while (text->at < text->size) {
    const uint8_t c = text->data[text->at];

    if (!is_end (c))
      return true;
    if (c == '#')
      bdct_text_skip_line (text);
    else
      text->at++;
    if (c == '\n')
      text->line++;
  }
  return false;
}

void
bdct_text_word (BdctText * text, char word[BDCT_TEXT_WORD])
{
  int n = 0;

  for (; text->at < text->size && !is_end (text->data[text->at]); text->at++) {
    const uint8_t c = text->data[text->at];

    if (n < BDCT_TEXT_WORD - 1)
      word[n++] = c >= ' ' && c <= '~' ? (char) c : '?';
  }
  word[n] = '\0';
}

/* A file of the wrong kind may hold private text, so an error tells the
 * position and quotes only numbers. */
int
bdct_text_column (const BdctText * text)
{
  size_t start = text->at;

  while (start > 0 && text->data[start - 1] != '\n')
    start--;
  return text->at - start < INT_MAX ? (int) (text->at - start) + 1 : INT_MAX;
}

/* Whether a word is a decimal number; it may have a sign and a point. */
static bool
is_number (const char *word)
{
  bool digits = false, point = false;

  for (word += *word == '-' || *word == '+'; *word != '\0'; word++) {
    if (*word != '.' ? !isdigit ((uint8_t) *word) : point)
      return false;
    point |= *word == '.';
    digits |= *word != '.';
  }
  return digits;
}

bool
bdct_text_number (BdctText * text, int limit, int *value,
    BdctError * error)
{
  const int column = bdct_text_column (text);
  const size_t start = text->at;
  char word[BDCT_TEXT_WORD];

  bdct_text_word (text, word);
  *value = 0;
  for (size_t at = start; at < text->at; at++) {
    const uint8_t c = text->data[at];

    if (!isdigit (c) && is_number (word))
      return bdct_error (error, "line %d, column %d: %s is not a whole number "
          "from 0 on", text->line, column, word);
    if (!isdigit (c))
      return bdct_error (error, "line %d, column %d: a number is expected",
          text->line,
          column);
    if (*value <= limit)
      *value = 10 * *value + (c - '0');
  }
  return true;
}
