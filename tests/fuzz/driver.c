/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * driver [--runs N] [--seed S] [FOLDER...]: a target without libFuzzer: over
 * files, then over as many changed ones, drawn from a seed. What was at
 * work when a target failed is in the file crash-input. */
#include "target.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SIZE 4096

static uint8_t input[MAX_SIZE];
static size_t input_size;
static GPtrArray *corpus;       /* GBytes */

static void
on_signal (int number)
{
  FILE *file = fopen ("crash-input", "wb");

  if (file != NULL) {
    fwrite (input, 1, input_size, file);
    fclose (file);
  }
  signal (number, SIG_DFL);
  raise (number);
}

/* All files of a folder. */
static void
add (const gchar * path)
{
  GDir *folder = g_dir_open (path, 0, NULL);
  const gchar *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
    g_autofree gchar *full = g_build_filename (path, name, NULL);
    gchar *data;
    gsize size;

    if (g_file_get_contents (full, &data, &size, NULL))
      g_ptr_array_add (corpus, g_bytes_new_take (data, size));
  }
  g_clear_pointer (&folder, g_dir_close);
}

static void
load (guint n)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (g_ptr_array_index (corpus, n), &size);

  input_size = MIN (size, MAX_SIZE);
  memcpy (input, data, input_size);
}

/* Bytes changed, left out, or put in twice; a number made another. */
static void
change (GRand * rand)
{
  size_t at, n;

  if (input_size == 0)
    input[input_size++] = g_rand_int (rand);
  at = g_rand_int_range (rand, 0, input_size);
  n = g_rand_int_range (rand, 1, 9);
  n = MIN (n, input_size - at);
  switch (g_rand_int_range (rand, 0, 5)) {
    case 0:
      input[at] = g_rand_int (rand);
      break;
    case 1:
      input[at] ^= 1 << g_rand_int_range (rand, 0, 8);
      break;
    case 2:
      memmove (input + at, input + at + n, input_size - at - n);
      input_size -= n;
      break;
    case 3:
      if (input_size + n <= MAX_SIZE) {
        memmove (input + at + n, input + at, input_size - at);
        input_size += n;
      }
      break;
    default:
      for (; at < input_size && n > 0; at++)
        if (g_ascii_isdigit (input[at])) {
          input[at] = '0' + g_rand_int_range (rand, 0, 10);
          n--;
        }
      break;
  }
}

int
main (int argc, char **argv)
{
  guint runs = 1000, seed = 1, n = 0;
  GRand *rand;

  corpus = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (gint i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--runs") == 0 && i + 1 < argc)
      runs = atoi (argv[++i]);
    else if (strcmp (argv[i], "--seed") == 0 && i + 1 < argc)
      seed = atoi (argv[++i]);
    else
      add (argv[i]);
  }
  if (corpus->len == 0)
    g_ptr_array_add (corpus, g_bytes_new_static ("", 0));
  signal (SIGABRT, on_signal);
  signal (SIGSEGV, on_signal);
  signal (SIGTRAP, on_signal);
  signal (SIGALRM, on_signal);
  rand = g_rand_new_with_seed (seed);
  for (n = 0; n < corpus->len + runs; n++) {
    load (n < corpus->len ? n : (guint) g_rand_int_range (rand, 0,
            corpus->len));
    for (gint k = n < corpus->len ? 0 : g_rand_int_range (rand, 1, 6); k > 0;
        k--)
      change (rand);
    alarm (30);                 /* none takes as long */
    LLVMFuzzerTestOneInput (input, input_size);
  }
  printf ("%u inputs, seed %u: passed\n", n, seed);
  g_rand_free (rand);
  g_ptr_array_unref (corpus);
  return 0;
}
