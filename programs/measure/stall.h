/* blockdct-measure: waits for what may never come.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_STALL_H
#define MEASURE_STALL_H

#include <gst/gst.h>
#include <time.h>

G_BEGIN_DECLS

/** How long to wait at a time: then it is looked whether to go on. */
#define MEASURE_NAP (20 * GST_MSECOND)

/** A wait. */
typedef struct
{
  gint limit;                   /* seconds; 0: none */
  GstClockTime waited;
  clock_t start;                /* the process's time then */
} MeasureWait;

void measure_wait_start (MeasureWait * wait, gint limit);

/** Note that a nap has passed; `active`: what is waited for does something, and
 * the wait begins anew. FALSE with the reason once it is over the limit, which
 * is ten times as long while the program uses a processor. */
gboolean measure_wait_nap (MeasureWait * wait, gboolean active,
    GError ** error);

/** Note that a thread is left as it is: whoever stops one that hangs would wait
 * for it. */
void measure_leave_thread (void);

/** Whether there is such a one. */
gboolean measure_has_left_threads (void);

G_END_DECLS
#endif
