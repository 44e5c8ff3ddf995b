/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Engines against each other: random frames and comparisons on every engine
 * that there is, each against the CPU engine in plain C with one thread: all
 * that comes out is the same. And that engine, pair `plain`, against itself
 * (laws.c). A case that differs is made as small as it can be and still differ,
 * and printed as text that runs it again.
 *
 *   differential [--cases N | --seconds N] [--seed N|random] [--pair NAME]...
 *                [--case TEXT] [--stack BYTES]
 *
 * --stack is what threads get of it: who needs more ends the program.
 * Built twice: with libblockdct, and with the CUDA engine on a runtime without
 * a GPU (tests/gpu/fake-runtime.h).
 *
 * Ends with "N passed, N failed, N skipped", of pairs; exits 77 where no pair
 * can run. */
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "laws.h"
#include "oracle.h"

#define MAX_SIMPLER 2000        /* cases that are tried to shrink one */
#define MOST_OFF 0.005          /* of the samples of dct-8x8; ties are, and a
                                   large picture of them is 0.0015 of all */
#define ENOUGH 100000           /* samples for that to be judged */

typedef struct {
  const char *name;
  BdctBackend backend;
  unsigned threads;
  const char *isa;              /* NULL: the best */
  bool wanted, rounds;          /* rounds: dct-8x8 otherwise */
  BdctEngine *engine;           /* NULL: there is none, or it has failed */
  unsigned cases, refused;
  bool failed;
  Roundings roundings;
} Pair;

#define PAIR(name_, which, threads_, isa_)                                    \
  { .name = name_, .backend = BDCT_BACKEND_##which, .threads = threads_,      \
    .isa = isa_ }
static Pair plain = PAIR ("plain", CPU, 1, PLAIN_ISA);
static Pair pairs[] = {
#ifndef FAKE_RUNTIME
  PAIR ("threads", CPU, 4, NULL),
  PAIR ("processors", CPU, 0, NULL),
#define ISA(name) PAIR (name, CPU, 1, name),
  ISAS
#endif
  PAIR ("cuda", CUDA, 2, NULL),
  PAIR ("cuda-cores", CUDA, 2, "cuda-cores"),
};

#define N_PAIRS ((int) (sizeof pairs / sizeof pairs[0]))

static const char *program;

/* What runs, for when it ends the program. */
static char current[CASE_TEXT + 64];
static struct sigaction before[NSIG];

static void
say_current (int number)
{
  static const char head[] = "\nends the program: --case '";

  if (write (2, head, sizeof head - 1) < 0 || write (2, current,
          strlen (current)) < 0 || write (2, "'\n", 2) < 0)
    _exit (1);
  sigaction (number, &before[number], NULL);
  if (number == SIGTERM)
    raise (number);
}

static void
catch_signals (void)
{
  static const int numbers[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL,
    SIGTERM
  };
  const struct sigaction action = {.sa_handler = say_current };

  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    sigaction (numbers[i], &action, &before[numbers[i]]);
}

static BdctEngine *
open_engine (const Pair * pair, BdctError * error)
{
  const BdctEngineOptions options = {.size = sizeof options,
    .threads = pair->threads,.isa = pair->isa
  };

  return bdct_engine_new (pair->backend, &options, error);
}

/* Run a case on the plain engine, with what it needs of one. */
static bool
begin_case (Scene * scene, const Case * c, BdctEngine * engine,
    Outcome * expected, BdctError * error)
{
  case_print (c, current);
  if (!scene_init (scene, c, error))
    return false;
  scene_make_levels (scene, engine);
  run_scene (scene, engine, BDCT_BACKEND_CPU, expected);
  return true;
}

/* Whether a case differs with engines of its own. */
static bool
differs (const Pair * pair, const Case * c, char text[DIFFERENCE_TEXT])
{
  BdctEngine *first = open_engine (&plain, NULL);
  BdctEngine *second = open_engine (pair, NULL);
  Outcome expected = { 0 }, found = { 0 };
  Roundings roundings = { 0 };
  BdctError error;
  Scene scene;
  bool differs = false;

  if (second != NULL && begin_case (&scene, c, first, &expected, &error)) {
    if (pair == &plain) {
      differs = !laws_hold (&scene, second, &expected, text);
    } else {
      run_scene (&scene, second, pair->backend, &found);
      differs = !outcome_equal (&scene, &expected, &found,
          pair->rounds ? &roundings : NULL, text);
    }
  }
  outcome_clear (&expected);
  outcome_clear (&found);
  if (second != NULL)
    scene_clear (&scene);
  bdct_engine_free (second);
  bdct_engine_free (first);
  return differs;
}

static void
shrink_case (const Pair * pair, Case * c, char text[DIFFERENCE_TEXT])
{
  Case simpler;

  for (unsigned n = 0, tried = 0; tried < MAX_SIMPLER
      && case_simplify (c, &n, &simpler); tried++)
    if (differs (pair, &simpler, text)) {
      *c = simpler;
      n = 0;
    }
  differs (pair, c, text);
}

/* Say how a case of a seed differs. */
static void
report (Pair * pair, const Case * c, uint64_t seed, unsigned number,
    const char *difference)
{
  char text[CASE_TEXT], again[DIFFERENCE_TEXT] = "";
  Case smallest = *c;

  case_print (c, text);
  printf ("FAIL %s, seed %llu, case %u: %s\n  %s\n", pair->name,
      (unsigned long long) seed, number, difference, text);
  fflush (stdout);
  pair->failed = true;
  if (pair != &plain) {
    bdct_engine_free (pair->engine);
    pair->engine = NULL;
  }
  if (!differs (pair, c, again) && !differs (pair, c, again)) {
    printf ("  alone it does not: %s --pair %s --seed %llu --cases %u\n",
        program, pair->name, (unsigned long long) seed, number + 1);
    return;
  }
  shrink_case (pair, &smallest, again);
  case_print (&smallest, text);
  printf ("  %s\n  %s --pair %s --case '%s'\n", again, program, pair->name,
      text);
}

static bool
is_refused (const Outcome * outcome, const Scene * scene)
{
  bool refused = outcome->error.message[0] != '\0';

  for (int i = 0; i < scene->n_frames; i++)
    refused = refused || outcome->frame[i].error.message[0] != '\0';
  return refused;
}

static void
run_case (const Case * c, uint64_t seed, unsigned number)
{
  char difference[DIFFERENCE_TEXT];
  Outcome expected = { 0 };
  BdctError error;
  Scene scene;

  if (begin_case (&scene, c, plain.engine, &expected, &error)) {
    plain.refused += is_refused (&expected, &scene);
    /* Four ways of one case take as long as all pairs. */
    if (plain.wanted && !plain.failed && number % 4 == 0
        && !laws_hold (&scene, plain.engine, &expected, difference))
      report (&plain, c, seed, number, difference);
    for (Pair * pair = pairs; pair < pairs + N_PAIRS; pair++) {
      Outcome found = { 0 };

      if (pair->engine == NULL)
        continue;
      run_scene (&scene, pair->engine, pair->backend, &found);
      pair->cases++;
      if (!outcome_equal (&scene, &expected, &found, pair->rounds
              ? &pair->roundings : NULL, difference))
        report (pair, c, seed, number, difference);
      outcome_clear (&found);
    }
  } else {
    plain.refused++;
  }
  plain.cases++;
  outcome_clear (&expected);
  scene_clear (&scene);
}

/* What there is to say at the end; the program's status. */
static int
finish (void)
{
  int passed = 0, failed = 0, skipped = 0;

  for (Pair * pair = pairs; pair < pairs + N_PAIRS; pair++) {
    const Roundings *r = &pair->roundings;

    if (r->samples > 0) {
      printf ("%s: dct-8x8: of %llu samples %llu differ, %llu by more than 1\n",
          pair->name, (unsigned long long) r->samples,
          (unsigned long long) r->other, (unsigned long long) r->far);
      if (r->samples >= ENOUGH && r->other > MOST_OFF * r->samples) {
        printf ("FAIL %s: more than roundings differ by\n", pair->name);
        pair->failed = true;
      }
    }
    if (pair->wanted && pair->cases > 0)
      printf ("%s: %u cases\n", pair->name, pair->cases);
    passed += pair->cases > 0 && !pair->failed;
    failed += pair->failed;
    skipped += pair->wanted && pair->cases == 0;
    bdct_engine_free (pair->engine);
  }
  passed += plain.wanted && !plain.failed;
  failed += plain.failed;
  bdct_engine_free (plain.engine);
#ifndef FAKE_RUNTIME
  printf ("# compared: definitions, 64-bit integers and double: %llu samples, "
      "%d differ\n", (unsigned long long) oracle_samples, plain.failed);
#endif
  printf ("%u cases, %u of them with errors\n", plain.cases, plain.refused);
  printf ("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed > 0 ? 1 : passed > 0 ? 0 : 77;
}

/* Open the engines that are wanted; false if there is none but the plain one.
 */
static bool
open_engines (void)
{
  BdctError error = { "" };
  bool found = plain.wanted;

  plain.engine = open_engine (&plain, &error);
  if (plain.engine == NULL) {
    fprintf (stderr, "%s\n", error.message);
    exit (2);
  }
  printf ("plain: %s\n", bdct_engine_text (plain.engine,
          BDCT_ENGINE_DESCRIPTION));
  for (Pair * pair = pairs; pair < pairs + N_PAIRS; pair++) {
    const char *text;

    if (!pair->wanted)
      continue;
    pair->engine = open_engine (pair, &error);
    if (pair->engine == NULL) {
      printf ("%s: skipped: %s\n", pair->name, error.message);
      continue;
    }
    found = true;
    text = bdct_engine_text (pair->engine, BDCT_ENGINE_DESCRIPTION);
#ifndef FAKE_RUNTIME
    pair->rounds = pair->backend == BDCT_BACKEND_CUDA
        && strstr (text, "tensor cores unused") == NULL;
#endif
    printf ("%s: %s\n", pair->name, text);
  }
  return found;
}

static bool
want (const char *name)
{
  bool found = name != NULL && strcmp (name, plain.name) == 0;

#ifndef FAKE_RUNTIME
  plain.wanted = plain.wanted || found || name == NULL;
#endif
  for (Pair * pair = pairs; pair < pairs + N_PAIRS; pair++)
    if (name == NULL || strcmp (name, pair->name) == 0)
      found = pair->wanted = true;
  if (!found)
    fprintf (stderr, "no pair '%s'\n", name);
  return found;
}

/* What the command line says. */
typedef struct {
  unsigned long cases, seconds;
  uint64_t seed;
  const char *text;
  bool some;
} Wanted;

/* All threads that there will be have so many bytes, where that is enough for
 * the C library. */
static void
give_stacks (size_t size)
{
  pthread_attr_t attributes;

  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, size);
  pthread_setattr_default_np (&attributes);
  pthread_attr_destroy (&attributes);
}

static bool
parse_options (int argc, char **argv, Wanted * wanted)
{
  static const struct option options[] = {
    {"cases", required_argument, NULL, 'n'},
    {"seconds", required_argument, NULL, 's'},
    {"seed", required_argument, NULL, 'r'},
    {"pair", required_argument, NULL, 'p'},
    {"case", required_argument, NULL, 'c'},
    {"stack", required_argument, NULL, 't'}, {NULL, 0, NULL, 0}
  };
  int option;

  while ((option = getopt_long (argc, argv, "", options, NULL)) != -1)
    if (option == '?' || (option == 'p' && !want (optarg)))
      return false;
    else if (option == 'p')
      wanted->some = true;
    else if (option == 'c')
      wanted->text = optarg;
    else if (option == 'n')
      wanted->cases = strtoul (optarg, NULL, 10);
    else if (option == 't')
      give_stacks (strtoul (optarg, NULL, 10));
    else if (option == 's')
      wanted->seconds = strtoul (optarg, NULL, 10);
    else if (option == 'r')
      wanted->seed = strcmp (optarg, "random") == 0 ? (uint64_t) time (NULL)
          : strtoull (optarg, NULL, 10);
  return wanted->some || want (NULL);
}

int
main (int argc, char **argv)
{
  const time_t begin = time (NULL);
  Wanted wanted = {.cases = 200,.seed = 1 };
  Case c;

  setvbuf (stdout, NULL, _IOLBF, 0);
  program = argv[0];
  if (!parse_options (argc, argv, &wanted)
      || (wanted.text != NULL && !case_parse (&c, wanted.text)))
    return 2;
  if (!open_engines ())
    return finish ();
  catch_signals ();
  if (wanted.text != NULL) {
    run_case (&c, wanted.seed, 0);
    return finish ();
  }
  printf ("seed %llu\n", (unsigned long long) wanted.seed);
  for (unsigned i = 0; wanted.seconds > 0
      ? time (NULL) < begin + (time_t) wanted.seconds : i < wanted.cases;
      i++) {
    case_draw (&c, wanted.seed, i);
#ifdef FAKE_RUNTIME
    /* Its kernels are slow. */
    c.common[WIDTH] = 1 + (c.common[WIDTH] - 1) % 200;
    c.common[HEIGHT] = 1 + (c.common[HEIGHT] - 1) % 150;
#endif
    run_case (&c, wanted.seed, i);
  }
  return finish ();
}
