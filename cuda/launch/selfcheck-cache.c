/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The file is text with a line for each entry: "agrees" or "differs", a space
 * and what was checked. Of two lines for the same check the last one counts.
 * Each line is appended by one write(), so that processes need not wait for
 * each other.
 */
#include "selfcheck-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ENTRIES 512
#define MAX_LINE 512
#define FOLDER "/gst-blockdct"
#define NAME FOLDER "/tensor-cores"

static const char *const words[] = { "", "agrees", "differs" };

/* The process's entries; if there is no room an entry is only in the file. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct
{
  uint64_t hash;
  BdctVerdict verdict;
} entries[MAX_ENTRIES];
static unsigned n_entries;

/* FNV-1a. */
static uint64_t
hash_of (const char *text)
{
  uint64_t hash = 0xcbf29ce484222325u;

  for (; *text != '\0'; text++)
    hash = (hash ^ (uint8_t) * text) * 0x100000001b3u;
  return hash;
}

/* Below $XDG_CACHE_HOME, or its default (XDG Base Directory Specification). */
static bool
cache_path (char *path, size_t size, const char *name)
{
  const char *cache = getenv ("XDG_CACHE_HOME"), *home = getenv ("HOME");
  int n = -1;

  if (cache != NULL && cache[0] == '/')
    n = snprintf (path, size, "%s%s", cache, name);
  else if (home != NULL && home[0] == '/')
    n = snprintf (path, size, "%s/.cache%s", home, name);
  return n >= 0 && (size_t) n < size;
}

static BdctVerdict
find_in_file (const char *text)
{
  BdctVerdict found = BDCT_VERDICT_NONE;
  char path[4096], line[MAX_LINE];
  FILE *file;

  if (!cache_path (path, sizeof path, NAME)
      || (file = fopen (path, "re")) == NULL)
    return found;
  while (fgets (line, sizeof line, file) != NULL) {
    line[strcspn (line, "\n")] = '\0';
    for (int v = BDCT_VERDICT_AGREES; v <= BDCT_VERDICT_DIFFERS; v++) {
      const size_t n = strlen (words[v]);

      if (strncmp (line, words[v], n) == 0 && line[n] == ' '
          && strcmp (line + n + 1, text) == 0)
        found = (BdctVerdict) v;
    }
  }
  fclose (file);
  return found;
}

/* A failure is not reported: the next process checks again. */
static void
append (const char *text, BdctVerdict verdict)
{
  char path[4096], line[MAX_LINE];
  int file, n;

  if (!cache_path (path, sizeof path, ""))
    return;
  (void) mkdir (path, 0700);
  if (!cache_path (path, sizeof path, FOLDER)
      || (mkdir (path, 0700) != 0 && errno != EEXIST)
      || !cache_path (path, sizeof path, NAME))
    return;
  file = open (path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return;
  n = snprintf (line, sizeof line, "%s %s\n", words[verdict], text);
  /* A partial line matches no entry. */
  n -= (int) write (file, line, n);
  (void) n;
  close (file);
}

static void
remember (uint64_t hash, BdctVerdict verdict)
{
  if (n_entries == MAX_ENTRIES)
    return;
  entries[n_entries].hash = hash;
  entries[n_entries++].verdict = verdict;
}

BdctVerdict
bdct_selfcheck_cache_find (const BdctChecked * what)
{
  const uint64_t hash = hash_of (what->text);
  BdctVerdict found = BDCT_VERDICT_NONE;

  pthread_mutex_lock (&lock);
  for (unsigned i = 0; i < n_entries; i++)
    if (entries[i].hash == hash)
      found = entries[i].verdict;
  if (found == BDCT_VERDICT_NONE) {
    found = find_in_file (what->text);
    if (found != BDCT_VERDICT_NONE)
      remember (hash, found);
  }
  pthread_mutex_unlock (&lock);
  return found;
}

void
bdct_selfcheck_cache_store (const BdctChecked * what, BdctVerdict verdict)
{
  pthread_mutex_lock (&lock);
  remember (hash_of (what->text), verdict);
  append (what->text, verdict);
  pthread_mutex_unlock (&lock);
}
