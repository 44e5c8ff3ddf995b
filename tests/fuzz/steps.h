/* blockdct fuzzers: random steps over an element, and what has to come of each.
 *
 * A step is a kind and a few whole numbers, drawn without knowing what came
 * before: any step may be left out of a sequence and the rest still runs. The
 * same sequence does the same again, which is what replaying and shortening a
 * sequence live on. A sequence starts with a new element.
 *
 * main.c and steps.c draw, run, shorten and replay; a fuzzer has a world of its
 * own: world.c of blockdct, compare.c of blockdctcompare, preview.c of
 * blockdctpreview.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_STEPS_H
#define TESTS_FUZZ_STEPS_H

#include <gst/gst.h>

/* Steps */

#define MAX_ARGS 8

typedef struct
{
  guint kind;
  gint64 arg[MAX_ARGS];
} Step;

typedef struct _World World;

typedef struct
{
  const gchar *name;            /**< NULL: no more */
  gint64 min, max;
} Arg;

typedef struct
{
  const gchar *name;            /**< NULL: the table's end */
  guint weight;                 /**< how often it is drawn */
  void (*run) (World * w, const gint64 * arg);
  Arg arg[MAX_ARGS];
} Kind;

/** The kinds of steps that a fuzzer has, table by table; its own. NULL: no
 * more. */
extern const Kind *const kind_tables[];

guint n_kinds (void);
const Kind *kind_get (guint n);

/** Draw `n` steps. */
Step *steps_draw (guint64 seed, guint n);

/** A line of text, to be freed, and back; FALSE with a reason in `error`, to
 * be freed. An empty line or one that starts with # is no step: TRUE, and
 * `kind` is n_kinds(). */
gchar *step_print (const Step * step);
gboolean step_parse (const gchar * line, Step * step, gchar ** error);

/* The world: the element and all around it (each fuzzer's own) */

World *world_new (gboolean threaded);
void world_free (World * w);

/** Run a step and check all that came of it. */
void world_step (World * w, const Step * step);

/** Several threads: rounds of steps until `n` are done. */
void threads_run (guint64 seed, guint n);

/* Failures (main.c) */

/** Say what is wrong and end the process. */
void fail (const gchar * format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;
#define check(condition, ...) \
  do { if (!(condition)) fail (__VA_ARGS__); } while (0)

/** What is being waited for, should the time limit be reached. */
void doing (const gchar * what);

/** A step is done, which so many frames came out of. */
void count_step (guint n_frames);

gboolean on_cuda (void);

/* What a report says (fields.c) */

/** Fields of a report, which have to be there. */
guint64 field_uint64 (const GstStructure * s, const gchar * name);
gdouble field_double (const GstStructure * s, const gchar * name);
void expect_uint64 (const GstStructure * s, const gchar * name,
    guint64 expected);
void expect_double (const GstStructure * s, const gchar * name,
    gdouble expected);

#endif
