/* blockdct-measure: waits with a limit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_STALL_H
#define MEASURE_STALL_H

#include <gst/gst.h>
#include <time.h>

G_BEGIN_DECLS

/* How long to wait at a time, before the limit is checked. */
#define MEASURE_NAP (20 * GST_MSECOND)

/* A wait. */
typedef struct
{
  gint limit;                   /* seconds; 0: none */
  GstClockTime waited;
  clock_t start;                /* the process's time then */
} MeasureWait;

void measure_wait_start (MeasureWait * wait, gint limit);

/* Count a nap. `active`: there was progress, and the wait starts again. FALSE
 * with an error when the limit is exceeded; the limit is ten times as long
 * while the program uses a processor. */
gboolean measure_wait_nap (MeasureWait * wait, gboolean active,
    GError ** error);

/* Note that a hanging thread is abandoned, because joining it would hang,
 * too. */
void measure_leave_thread (void);

/* Whether a thread has been abandoned. */
gboolean measure_has_left_threads (void);

G_END_DECLS
#endif
