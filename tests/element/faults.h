/* blockdct element tests: what the plugin allocates, and faults of it.
 *
 * A program that is linked with faults.c has its own malloc() and others, which
 * know the calls that come from the plugin's code: they are counted, and fail
 * on demand. All others are passed on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ELEMENT_FAULTS_H
#define TESTS_ELEMENT_FAULTS_H

#include <glib.h>

/* Sanitizers have a malloc() of their own, which is theirs alone: what is not
 * freed is then for them to find. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define FAULTS_MALLOC 0
#else
#define FAULTS_MALLOC 1
#endif

typedef struct
{
  guint first;                  /* the call that fails; 0: none */
  gboolean all;                 /* and all after it */
  guint calls, failed;          /* so far */
  const gchar *call;            /* the last one that failed */
  gsize largest;                /* of the allocations that must not fail */
} Faults;

extern Faults faults;

/* Find the plugin, once it is loaded, and start anew. */
void faults_init (guint first, gboolean all);

/* What the plugin has allocated and not freed. */
guint faults_outstanding (void);

#endif
