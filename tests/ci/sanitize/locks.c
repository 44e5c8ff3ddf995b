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

/* A kind of lock: what it is here, and its life. */
#define LOCK(Type, name, Pthread, init) \
  static Pthread * \
  name##_of (Type * lock) \
  { \
    return get (&lock->p, sizeof (Pthread), init); \
  } \
\
  void \
  g_##name##_init (Type * lock) \
  { \
    lock->p = NULL; \
  } \
\
  void \
  g_##name##_clear (Type * lock) \
  { \
    __atomic_store_n (&lock->p, NULL, __ATOMIC_RELEASE); \
  }

#define DO(Type, name, what, func) \
  void \
  g_##name##_##what (Type * lock) \
  { \
    func (name##_of (lock)); \
  }

#define TRY(Type, name, what, func) \
  gboolean \
  g_##name##_##what (Type * lock) \
  { \
    return func (name##_of (lock)) == 0; \
  }

LOCK (GMutex, mutex, pthread_mutex_t, init_mutex)
DO (GMutex, mutex, lock, pthread_mutex_lock)
TRY (GMutex, mutex, trylock, pthread_mutex_trylock)
DO (GMutex, mutex, unlock, pthread_mutex_unlock)

LOCK (GRecMutex, rec_mutex, pthread_mutex_t, init_recursive)
DO (GRecMutex, rec_mutex, lock, pthread_mutex_lock)
TRY (GRecMutex, rec_mutex, trylock, pthread_mutex_trylock)
DO (GRecMutex, rec_mutex, unlock, pthread_mutex_unlock)

LOCK (GRWLock, rw_lock, pthread_rwlock_t, init_rw)
DO (GRWLock, rw_lock, writer_lock, pthread_rwlock_wrlock)
TRY (GRWLock, rw_lock, writer_trylock, pthread_rwlock_trywrlock)
DO (GRWLock, rw_lock, writer_unlock, pthread_rwlock_unlock)
DO (GRWLock, rw_lock, reader_lock, pthread_rwlock_rdlock)
TRY (GRWLock, rw_lock, reader_trylock, pthread_rwlock_tryrdlock)
DO (GRWLock, rw_lock, reader_unlock, pthread_rwlock_unlock)

LOCK (GCond, cond, pthread_cond_t, init_cond)
DO (GCond, cond, signal, pthread_cond_signal)
DO (GCond, cond, broadcast, pthread_cond_broadcast)

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
