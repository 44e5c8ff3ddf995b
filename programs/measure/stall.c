/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stall.h"

/* A process that has used at least 1/COMPUTES of a processor since the wait
 * began is computing: its limit is BUSY times as long. */
#define BUSY 10
#define COMPUTES 20

static gint n_left;             /* atomic */

void
measure_wait_start (MeasureWait * wait, gint limit)
{
  wait->limit = limit;
  wait->waited = 0;
  wait->start = clock ();
}

gboolean
measure_wait_nap (MeasureWait * wait, gboolean active, GError ** error)
{
  const GstClockTime limit = wait->limit * GST_SECOND;
  GstClockTime computed;

  /* Count naps instead of time, which continues while the machine is
   * suspended. */
  wait->waited += MEASURE_NAP;
  if (active)
    measure_wait_start (wait, wait->limit);
  computed = (clock () - wait->start) * (GST_SECOND / CLOCKS_PER_SEC);
  if (limit == 0 || wait->waited < limit
      * (computed < wait->waited / COMPUTES ? 1 : BUSY))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
      "it gave nothing for %" G_GUINT64_FORMAT
      " s (--stall-limit sets how long to wait)", wait->waited / GST_SECOND);
  return FALSE;
}

void
measure_leave_thread (void)
{
  g_atomic_int_inc (&n_left);
}

gboolean
measure_has_left_threads (void)
{
  return g_atomic_int_get (&n_left) > 0;
}
