/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "fake-kernels.h"
#include "fake-runtime.h"

#define MAX_OBJECTS 4096
#define MAX_FILLED (2 << 20)

/* What is not freed. */
typedef struct {
  uint8_t *base;
  size_t size;
  char kind;
} Object;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Object objects[MAX_OBJECTS];
static int n_objects;           /* with those that were taken away */

unsigned
fake_outstanding (void)
{
  unsigned n = 0;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_objects; i++)
    n += objects[i].base != NULL;
  pthread_mutex_unlock (&lock);
  return n;
}

void
fake_add (void *base, size_t size, char kind)
{
  int i = 0;

  pthread_mutex_lock (&lock);
  while (i < n_objects && objects[i].base != NULL)
    i++;
  if (i == MAX_OBJECTS)
    fake_die ("too many allocations");
  if (i == n_objects)
    n_objects++;
  objects[i] = (Object) { base, size, kind };
  pthread_mutex_unlock (&lock);
}

void
fake_take_away (void *base, char kind)
{
  int i = 0;

  pthread_mutex_lock (&lock);
  while (i < n_objects
      && (objects[i].base != base || objects[i].kind != kind))
    i++;
  if (i == n_objects)
    fake_die ("not allocated");
  objects[i].base = NULL;
  pthread_mutex_unlock (&lock);
}

static cudaError_t
allocate (void **memory, size_t size, char kind)
{
  *memory = malloc (size);
  /* Of what is larger no test asks more, and it takes its time. */
  memset (*memory, 0x5a, size < MAX_FILLED ? size : MAX_FILLED);
  fake_add (*memory, size, kind);
  return cudaSuccess;
}

static void
release (void *memory, char kind)
{
  if (memory == NULL)
    return;
  fake_take_away (memory, kind);
  free (memory);
}

char
fake_kind_of (const void *memory, size_t size)
{
  const uint8_t *from = memory;
  char kind = 0;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < n_objects; i++)
    if (objects[i].base != NULL && from >= objects[i].base
        && from < objects[i].base + objects[i].size) {
      if (from + size > objects[i].base + objects[i].size)
        fake_die ("outside an allocation");
      kind = objects[i].kind;
    }
  pthread_mutex_unlock (&lock);
  return kind;
}

void
fake_need_device (const void *memory, size_t size, const char *what)
{
  if (memory != NULL && fake_kind_of (memory, size) != 'd')
    fake_die (what);
}

cudaError_t
cudaMalloc (void **memory, size_t size)
{
  FAKE_FAILS (cudaErrorMemoryAllocation);
  return allocate (memory, size, 'd');
}

/* What frees does so even where it returns an error: that is one of work before
 * it, or the context is lost, and what is in it is gone. */
cudaError_t
cudaFree (void *memory)
{
  release (memory, 'd');
  return memory == NULL ? cudaSuccess
      : fake_outcome (__func__, cudaErrorUnknown);
}

cudaError_t
cudaHostAlloc (void **memory, size_t size, unsigned flags)
{
  (void) flags;
  FAKE_FAILS (cudaErrorMemoryAllocation);
  return fake_refuse_pinned ? cudaErrorMemoryAllocation
      : allocate (memory, size, 'p');
}

cudaError_t
cudaFreeHost (void *memory)
{
  release (memory, 'p');
  return fake_outcome (__func__, cudaErrorUnknown);
}

cudaError_t
cudaPointerGetAttributes (struct cudaPointerAttributes *attributes,
    const void *memory)
{
  char kind = fake_kind_of (memory, 1);

  FAKE_FAILS (cudaErrorUnknown);
  memset (attributes, 0, sizeof *attributes);
  attributes->type = kind == 'd' ? cudaMemoryTypeDevice
      : kind == 'p' ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}

void
fake_each_stream (void (*func) (cudaStream_t stream))
{
  for (int i = 0; i < n_objects; i++)
    if (objects[i].base != NULL && objects[i].kind == 's')
      func ((cudaStream_t) objects[i].base);
}

void
fake_free_all (void)
{
  for (int i = 0; i < n_objects; i++)
    free (objects[i].base);
  n_objects = 0;
}
