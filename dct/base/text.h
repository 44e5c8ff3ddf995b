/* blockdct: words of a text that somebody wrote.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TEXT_H
#define BDCT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"

/** Where in a text one is. Words are between white space or commas; # begins a
 * comment, to the end of the line. */
typedef struct {
  const uint8_t *data;
  size_t size, at;
  int line; /**< from 1 */
} BdctText;

/** Room for a word that may be known, with its end. */
#define BDCT_TEXT_WORD 48

/** To the next word; false if there is none. */
bool bdct_text_find (BdctText *text);

/** To the end of the line. */
void bdct_text_skip_line (BdctText *text);

/** Read the word there is: its beginning, with what cannot be shown as '?'. */
void bdct_text_word (BdctText *text, char word[BDCT_TEXT_WORD]);

/** Where in its line one is, in bytes from 1. */
int bdct_text_column (const BdctText *text);

/** Read the word as a whole number from 0 on. Digits after the value exceeds
 * `limit`, which is at most INT_MAX / 10 - 1, are skipped: a larger number is
 * read as some value above `limit`. False, with line and column, if the word
 * is no such number. */
bool bdct_text_number (BdctText *text, int limit, int *value,
    BdctError *error);

#endif
