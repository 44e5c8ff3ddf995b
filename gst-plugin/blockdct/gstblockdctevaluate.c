/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctevaluate.h"

/* Evaluations at the same time. */
#define DEPTH 8

void
gst_blockdct_evaluate_next (GstBlockDctSearch * search)
{
  search->has_source = FALSE;
}

void
gst_blockdct_evaluate_reset (GstBlockDctSearch * search)
{
  search->ready = search->has_source = FALSE;
  if (search->all != NULL)
    search->all->n = 0;
}

void
gst_blockdct_evaluate_close (GstBlockDctSearch * search)
{
  gst_blockdct_evaluate_reset (search);
  bdct_engine_free (search->engine);
  search->engine = NULL;
  g_clear_pointer (&search->all, gst_blockdct_curve_free);
}

gboolean
gst_blockdct_evaluate_prepare (GstBlockDct * self, BdctError * error)
{
  GstBlockDctSearch *search = &self->search;

  if (search->engine == NULL)
    search->engine = gst_blockdct_backend_another (&self->inflight.backend,
        self->settings.start.threads, self->context, error);
  if (search->engine != NULL && !search->ready)
    search->ready = bdct_engine_configure (search->engine, &self->layout,
        DEPTH, error);
  return search->ready;
}

/* Start the evaluation at a job. The first one of a frame gives the engine its
 * source. */
static gboolean
submit (GstBlockDctSearch * search, const BdctFrame * frame,
    const BdctJob * job, BdctError * error)
{
  BdctFrame task = *frame;

  task.quantizers = job;
  task.n_quantizers = 1;
  task.same_source = search->has_source;
  return search->has_source = bdct_engine_submit (search->engine, &task,
      error);
}

gboolean
gst_blockdct_evaluate (GstBlockDctSearch * search, const BdctFrame * frame,
    const BdctJob * jobs, gint n, BdctStats * stats, BdctError * error)
{
  gboolean ok = TRUE;
  gint submitted = 0;

  for (gint i = 0; i < submitted || (ok && i < n); i++) {
    for (; ok && submitted < MIN (n, i + DEPTH); submitted += ok)
      ok = submit (search, frame, bdct_jobs_at (jobs, submitted), error);
    if (i == submitted)
      break;
    stats[i].size = sizeof stats[i];
    ok = bdct_engine_collect (search->engine, &stats[i],
        ok ? error : NULL) && ok;
  }
  return ok;
}
