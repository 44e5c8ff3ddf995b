/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GLib's locks made of pthread's, for ThreadSanitizer, which knows those and
 * takes every lock of an ordinary GLib's, made of futexes, for none. What calls
 * them through the dynamic linker, GStreamer and the plugin, gets these; GLib
 * has its own for itself. Built with -Db_sanitize=thread alone.
 *
 * A lock that is cleared is forgotten and not destroyed: who clears one may
 * know by a library's reference count that nobody uses it any more, which
 * ThreadSanitizer does not see (Pango's worker and the cond it signals). */
#define _GNU_SOURCE
#include <glib.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* What a lock that nobody initialised becomes when it is first used. */
static gpointer
get (gpointer * at, gsize size, void (*init) (gpointer lock))
{
  gpointer lock = __atomic_load_n (at, __ATOMIC_ACQUIRE), none = NULL;

  if (lock != NULL)
    return lock;
  lock = calloc (1, size);
  init (lock);
  if (__atomic_compare_exchange_n (at, &none, lock, 0, __ATOMIC_ACQ_REL,
          __ATOMIC_ACQUIRE))
    return lock;
  free (lock);
  return none;
}

static void
init_mutex (gpointer lock)
{
  pthread_mutex_init (lock, NULL);
}

static void
init_recursive (gpointer lock)
{
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_settype (&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init (lock, &attributes);
  pthread_mutexattr_destroy (&attributes);
}

static void
init_cond (gpointer lock)
{
  pthread_condattr_t attributes;

  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (lock, &attributes);
  pthread_condattr_destroy (&attributes);
}

static void
init_rw (gpointer lock)
{
  pthread_rwlock_init (lock, NULL);
}

static pthread_mutex_t *
mutex_of (GMutex * m)
{
  return get (&m->p, sizeof (pthread_mutex_t), init_mutex);
}

static pthread_mutex_t *
recursive_of (GRecMutex * m)
{
  return get (&m->p, sizeof (pthread_mutex_t), init_recursive);
}

static pthread_cond_t *
cond_of (GCond * c)
{
  return get (&c->p, sizeof (pthread_cond_t), init_cond);
}

static pthread_rwlock_t *
rw_of (GRWLock * l)
{
  return get (&l->p, sizeof (pthread_rwlock_t), init_rw);
}

void
g_mutex_init (GMutex * m)
{
  m->p = NULL;
}

void
g_mutex_clear (GMutex * m)
{
  __atomic_store_n (&m->p, NULL, __ATOMIC_RELEASE);
}

void
g_mutex_lock (GMutex * m)
{
  pthread_mutex_lock (mutex_of (m));
}

gboolean
g_mutex_trylock (GMutex * m)
{
  return pthread_mutex_trylock (mutex_of (m)) == 0;
}

void
g_mutex_unlock (GMutex * m)
{
  pthread_mutex_unlock (mutex_of (m));
}

void
g_rec_mutex_init (GRecMutex * m)
{
  m->p = NULL;
}

void
g_rec_mutex_clear (GRecMutex * m)
{
  __atomic_store_n (&m->p, NULL, __ATOMIC_RELEASE);
}

void
g_rec_mutex_lock (GRecMutex * m)
{
  pthread_mutex_lock (recursive_of (m));
}

gboolean
g_rec_mutex_trylock (GRecMutex * m)
{
  return pthread_mutex_trylock (recursive_of (m)) == 0;
}

void
g_rec_mutex_unlock (GRecMutex * m)
{
  pthread_mutex_unlock (recursive_of (m));
}

void
g_cond_init (GCond * c)
{
  c->p = NULL;
}

void
g_cond_clear (GCond * c)
{
  __atomic_store_n (&c->p, NULL, __ATOMIC_RELEASE);
}

void
g_cond_wait (GCond * c, GMutex * m)
{
  pthread_cond_wait (cond_of (c), mutex_of (m));
}

gboolean
g_cond_wait_until (GCond * c, GMutex * m, gint64 end)
{
  struct timespec time = { end / 1000000, end % 1000000 * 1000 };

  return pthread_cond_timedwait (cond_of (c), mutex_of (m), &time)
      != ETIMEDOUT;
}

void
g_cond_signal (GCond * c)
{
  pthread_cond_signal (cond_of (c));
}

void
g_cond_broadcast (GCond * c)
{
  pthread_cond_broadcast (cond_of (c));
}

void
g_rw_lock_init (GRWLock * l)
{
  l->p = NULL;
}

void
g_rw_lock_clear (GRWLock * l)
{
  __atomic_store_n (&l->p, NULL, __ATOMIC_RELEASE);
}

void
g_rw_lock_writer_lock (GRWLock * l)
{
  pthread_rwlock_wrlock (rw_of (l));
}

gboolean
g_rw_lock_writer_trylock (GRWLock * l)
{
  return pthread_rwlock_trywrlock (rw_of (l)) == 0;
}

void
g_rw_lock_writer_unlock (GRWLock * l)
{
  pthread_rwlock_unlock (rw_of (l));
}

void
g_rw_lock_reader_lock (GRWLock * l)
{
  pthread_rwlock_rdlock (rw_of (l));
}

gboolean
g_rw_lock_reader_trylock (GRWLock * l)
{
  return pthread_rwlock_tryrdlock (rw_of (l)) == 0;
}

void
g_rw_lock_reader_unlock (GRWLock * l)
{
  pthread_rwlock_unlock (rw_of (l));
}
