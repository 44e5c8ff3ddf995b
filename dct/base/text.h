/* blockdct: read words and numbers from a user's text file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TEXT_H
#define BDCT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"

/* A text and the position in it. White space and commas separate words; #
 * begins a comment, to the end of the line. */
typedef struct {
  const uint8_t *data;
  size_t size, at;
  int line; /* from 1 */
} BdctText;

/* Bytes of a buffer for any known word, with its terminator. */
#define BDCT_TEXT_WORD 48

/* Go to the next word; false if there is none. */
bool bdct_text_find (BdctText *text);

/* Go to the end of the line. */
void bdct_text_skip_line (BdctText *text);

/* Read the current word, cut to the buffer's size, with unprintable bytes as
 * '?'. */
void bdct_text_word (BdctText *text, char word[BDCT_TEXT_WORD]);

/* The position in the line, in bytes from 1. */
int bdct_text_column (const BdctText *text);

/* Read the word as a whole number from 0 on. Digits behind a value above
 * `limit`, which is at most INT_MAX / 10 - 1, are skipped, so that a larger
 * number is read as some value above `limit`. Returns false, naming line and
 * column, if the word is not such a number. */
bool bdct_text_number (BdctText *text, int limit, int *value,
    BdctError *error);

#endif
