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

/** Read the number, from 0 on, that the word is, or what is above any step;
 * false, with its place, if it is none. */
bool bdct_text_number (BdctText *text, int *value, BdctError *error);

#endif
