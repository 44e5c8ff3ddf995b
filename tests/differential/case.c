/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "case.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name;
  int simplest, min, max, chance;
} Field;

#define DESCRIBE(field, ...) { __VA_ARGS__ },
static const Field common_fields[] = { COMMON_FIELDS (DESCRIBE) };
static const Field frame_fields[] = { FRAME_FIELDS (DESCRIBE) };

int
random_below (uint64_t * state, int n)
{
  return (random_next (state) >> 33) % n;
}

bool
random_chance (uint64_t * state, int per_cent)
{
  return random_below (state, 100) < per_cent;
}

/* The fields of a group: 0 is what is common, i + 1 is frame `i`. */
static int *
get_group (Case * c, int group, const Field ** fields, int *n)
{
  *fields = group == 0 ? common_fields : frame_fields;
  *n = group == 0 ? N_COMMON : N_FRAME;
  return group == 0 ? c->common : c->frame[group - 1];
}

static void
set_simplest (Case * c)
{
  const Field *fields;
  int n;

  for (int group = 0; group <= MAX_FRAMES; group++) {
    int *values = get_group (c, group, &fields, &n);

    for (int i = 0; i < n; i++)
      values[i] = fields[i].simplest;
  }
}

/* Ends of long ranges more often than what is between. */
static int
draw_value (const Field * field, uint64_t * state)
{
  if (field->chance == 0 || !random_chance (state, field->chance))
    return field->simplest;
  if (field->max - field->min > 12 && random_chance (state, 20))
    return random_chance (state, 50) ? field->min : field->max;
  return field->min + random_below (state, field->max - field->min + 1);
}

/* Most are small; some are as wide as several strips of any kernel. */
static int
draw_side (uint64_t * state)
{
  static const int units[] = { 1, 8, 16, 64 };
  const int kind = random_below (state, 100);
  const int side = kind < 25 ? 1 + random_below (state, 40)
      : kind < 90 ? 1 + random_below (state, 300)
      : 200 + random_below (state, 500);
  const int unit = units[random_below (state, 4)];

  return side < unit ? side : side / unit * unit;
}

/* Frames with the same settings, one after the other. */
static void
draw_stream (Case * c, uint64_t * state)
{
  c->n_frames = MAX_FRAMES;
  for (int i = 1; i < MAX_FRAMES; i++) {
    memcpy (c->frame[i], c->frame[0], sizeof c->frame[i]);
    c->frame[i][SEED] = draw_value (&frame_fields[SEED], state);
    c->frame[i][QP] = draw_value (&frame_fields[QP], state);
    c->frame[i][QUALITY] = draw_value (&frame_fields[QUALITY], state);
  }
}

void
case_draw (Case * c, uint64_t seed, unsigned number)
{
  uint64_t state = seed;

  state = random_next (&state) ^ number * 0xd1342543de82ef95u;
  set_simplest (c);
  c->n_frames = 1 + random_below (&state, 6) % 4;
  for (int group = 0; group <= c->n_frames; group++) {
    const Field *fields;
    int n, *values = get_group (c, group, &fields, &n);

    for (int i = 0; i < n; i++)
      values[i] = draw_value (&fields[i], &state);
  }
  if (random_chance (&state, 25))
    draw_stream (c, &state);
  c->common[WIDTH] = draw_side (&state);
  c->common[HEIGHT] = draw_side (&state);
  /* XPSNR of pictures above 2048 x 1152 is another. */
  if (random_chance (&state, 1)) {
    c->common[WIDTH] = 2048 + random_below (&state, 50);
    c->common[HEIGHT] = 1152 + random_below (&state, 20);
  }
}

void
case_print (const Case * c, char text[CASE_TEXT])
{
  Case copy = *c;
  char *end = text;

  *end = '\0';
  for (int group = 0; group <= c->n_frames; group++) {
    const Field *fields;
    int n, *values = get_group (&copy, group, &fields, &n);

    if (group > 0)
      end += sprintf (end, "%s/", end > text ? " " : "");
    for (int i = 0; i < n; i++)
      if (values[i] != fields[i].simplest)
        end += sprintf (end, "%s%s=%d", end > text ? " " : "",
            fields[i].name, values[i]);
  }
}

/* Set what "name=value" says. */
static bool
parse_field (Case * c, int group, const char *word)
{
  const Field *fields;
  int n, *values = get_group (c, group, &fields, &n);
  const size_t length = strcspn (word, "=");
  char *end = NULL;
  long value;

  for (int i = 0; i < n; i++)
    if (strlen (fields[i].name) == length && word[length] == '='
        && strncmp (fields[i].name, word, length) == 0) {
      value = strtol (word + length + 1, &end, 10);
      if (*end != '\0' || end == word + length + 1 || value < fields[i].min
          || value > fields[i].max) {
        fprintf (stderr, "%s: the value must be %d to %d\n", word,
            fields[i].min, fields[i].max);
        return false;
      }
      values[i] = value;
      return true;
    }
  fprintf (stderr, "%s: no field of %s\n", word,
      group == 0 ? "a case; those of a frame follow a /" : "a frame");
  return false;
}

bool
case_parse (Case * c, const char *text)
{
  char *copy = strdup (text), *rest = copy, *word;
  bool ok = true;

  set_simplest (c);
  c->n_frames = 0;
  while (ok && (word = strsep (&rest, " \n")) != NULL)
    if (strcmp (word, "/") == 0) {
      ok = ++c->n_frames <= MAX_FRAMES;
      if (!ok)
        fprintf (stderr, "a case has at most %d frames\n", MAX_FRAMES);
    } else if (word[0] != '\0') {
      ok = parse_field (c, c->n_frames, word);
    }
  free (copy);
  if (ok && c->n_frames == 0)
    fprintf (stderr, "a case needs a frame: end it with /\n");
  return ok && c->n_frames > 0;
}

/* How a field becomes simpler: at once, halfway, by one step. */
enum { SIMPLEST, HALFWAY, BY_ONE, N_WAYS };

static int
simplify_value (int value, int simplest, int way)
{
  const int distance = abs (value - simplest);

  /* What an earlier way has been. */
  if ((way > SIMPLEST && distance < 2) || (way == BY_ONE && distance < 3))
    return value;
  return way == SIMPLEST ? simplest
      : way == HALFWAY ? simplest + (value - simplest) / 2
      : value - (value > simplest) + (value < simplest);
}

bool
case_simplify (const Case * c, unsigned *n, Case * to)
{
  const unsigned per_group = N_WAYS * N_FRAME; /* the larger group */

  /* First whole frames, then fields. */
  for (; *n < MAX_FRAMES + per_group * (1 + MAX_FRAMES); ++*n) {
    const unsigned at = *n - MAX_FRAMES;
    const Field *fields;
    int n_fields, *values;

    *to = *c;
    if (*n < MAX_FRAMES) {
      if (c->n_frames == 1 || (int) *n >= c->n_frames)
        continue;
      memmove (to->frame[*n], to->frame[*n + 1],
          (MAX_FRAMES - 1 - *n) * sizeof to->frame[0]);
      to->n_frames--;
    } else {
      const int group = at / per_group;
      const int i = at % per_group / N_WAYS;

      values = get_group (to, group, &fields, &n_fields);
      if (group > c->n_frames || i >= n_fields)
        continue;
      values[i] = simplify_value (values[i], fields[i].simplest, at % N_WAYS);
    }
    if (memcmp (to, c, sizeof *c) != 0) {
      ++*n;
      return true;
    }
  }
  return false;
}
