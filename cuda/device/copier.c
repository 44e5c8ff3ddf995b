/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "copier.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_THREADS 4

/* Threads copy this much at a time, or a part of this number of a copy. Smaller
 * copies do not gain by threads. */
#define CHUNK_SIZE (512 << 10)
#define MAX_CHUNKS 256

typedef struct {
  int copy, first, rows;
  bool done;
} Chunk;

struct BdctCopier {
  unsigned n_threads, n_started;        /* the caller's thread is not started */
  pthread_mutex_t lock;
  pthread_cond_t work, done;

  /* Protected by the lock. */
  bool quit;
  const BdctCopy *copies;
  Chunk chunks[BDCT_MAX_PLANES * MAX_CHUNKS];
  int n_chunks, next;

  pthread_t threads[];          /* n_threads - 1 */
};

static void
copy_rows (const BdctCopy * copy, int first, int rows)
{
  const BdctSamples to = copy->to, from = copy->from;

  if (to.stride == (int64_t) copy->row && from.stride == to.stride) {
    memcpy (to.data + first * to.stride, from.data + first * from.stride,
        copy->row * rows);
    return;
  }
  for (int y = first; y < first + rows; y++)
    memcpy (to.data + y * to.stride, from.data + y * from.stride, copy->row);
}

/* Make the next copy that no thread has taken, under the lock. */
static bool
make_next (BdctCopier * self)
{
  Chunk chunk;
  int index;

  if (self->next == self->n_chunks)
    return false;
  index = self->next++;
  chunk = self->chunks[index];
  pthread_mutex_unlock (&self->lock);
  copy_rows (&self->copies[chunk.copy], chunk.first, chunk.rows);
  pthread_mutex_lock (&self->lock);
  self->chunks[index].done = true;
  pthread_cond_signal (&self->done);
  return true;
}

static void *
worker (void *data)
{
  BdctCopier *self = data;

  pthread_mutex_lock (&self->lock);
  while (!self->quit)
    if (!make_next (self))
      pthread_cond_wait (&self->work, &self->lock);
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

BdctCopier *
bdct_copier_new (unsigned threads)
{
  long processors = sysconf (_SC_NPROCESSORS_ONLN);
  BdctCopier *self;

  if (threads == 0)
    threads = processors > DEFAULT_THREADS ? DEFAULT_THREADS
        : processors > 1 ? processors : 1;
  self = calloc (1, sizeof *self + (threads - 1) * sizeof self->threads[0]);
  if (self == NULL)
    return NULL;
  self->n_threads = threads;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->work, NULL);
  pthread_cond_init (&self->done, NULL);
  return self;
}

void
bdct_copier_free (BdctCopier * self)
{
  if (self == NULL)
    return;
  pthread_mutex_lock (&self->lock);
  self->quit = true;
  pthread_cond_broadcast (&self->work);
  pthread_mutex_unlock (&self->lock);
  for (unsigned i = 0; i < self->n_started; i++)
    pthread_join (self->threads[i], NULL);
  pthread_cond_destroy (&self->done);
  pthread_cond_destroy (&self->work);
  pthread_mutex_destroy (&self->lock);
  free (self);
}

/* Cut into chunks of whole rows. */
static void
cut (BdctCopier * self, const BdctCopy * copies, int n)
{
  self->copies = copies;
  self->n_chunks = self->next = 0;
  for (int i = 0; i < n; i++) {
    const int fit = copies[i].row < CHUNK_SIZE ? CHUNK_SIZE / copies[i].row : 1;
    const int part = (copies[i].rows - 1) / MAX_CHUNKS + 1;
    const int step = fit > part ? fit : part;

    for (int y = 0; y < copies[i].rows; y += step)
      self->chunks[self->n_chunks++] = (Chunk) {
        i, y, step < copies[i].rows - y ? step : copies[i].rows - y, false
      };
  }
}

/* If a thread does not start, there is one fewer. */
static void
start_threads (BdctCopier * self)
{
  while (self->n_started + 1 < self->n_threads) {
    if (pthread_create (&self->threads[self->n_started], NULL, worker,
            self) != 0) {
      self->n_threads = self->n_started + 1;
      return;
    }
    self->n_started++;
  }
}

/* Report the finished chunks from `told` on, those of one copy at once;
 * under the lock, which is released meanwhile. */
static int
tell (BdctCopier * self, int told, BdctCopied copied, void *data)
{
  while (told < self->n_chunks && self->chunks[told].done) {
    Chunk chunk = self->chunks[told++];

    for (; told < self->n_chunks && self->chunks[told].done
        && self->chunks[told].copy == chunk.copy; told++)
      chunk.rows += self->chunks[told].rows;
    if (copied != NULL) {
      pthread_mutex_unlock (&self->lock);
      copied (data, chunk.copy, chunk.first, chunk.rows);
      pthread_mutex_lock (&self->lock);
    }
  }
  return told;
}

void
bdct_copier_run (BdctCopier * self, const BdctCopy * copies, int n,
    BdctCopied copied, void *data)
{
  size_t size = 0;
  int told = 0;

  for (int i = 0; i < n; i++)
    size += copies[i].row * copies[i].rows;
  pthread_mutex_lock (&self->lock);
  cut (self, copies, n);
  if (size > CHUNK_SIZE) {
    start_threads (self);
    pthread_cond_broadcast (&self->work);
  }
  while (told < self->n_chunks) {
    if (!make_next (self) && !self->chunks[told].done)
      pthread_cond_wait (&self->done, &self->lock);
    told = tell (self, told, copied, data);
  }
  /* A thread that wakes late must not find these. */
  self->n_chunks = self->next = 0;
  pthread_mutex_unlock (&self->lock);
}
