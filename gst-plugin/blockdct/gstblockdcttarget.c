/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the setting that meets the targets, before a frame is started, by one
 * evaluation after the other. A search uses no result of earlier frames, so
 * that the setting of a frame does not depend on them. */
#include "gstblockdctprivate.h"
#include "gstblockdctbracket.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

/* Evaluations at the same time. */
#define DEPTH 8

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
    search->engine = gst_blockdct_backend_another (&self->shared.backend,
        self->settings.common.threads, error);
  if (search->engine != NULL && !search->ready)
    search->ready = bdct_engine_configure (search->engine, &self->layout,
        DEPTH, error);
  return search->ready;
}

gboolean
gst_blockdct_evaluate (GstBlockDctSearch * search, const BdctFrame * frame,
    const BdctJob * jobs, gint n, BdctStats * stats, BdctError * error)
{
  BdctFrame task = *frame;
  gboolean ok = TRUE;
  gint submitted = 0;

  task.n_quantizers = 1;
  for (gint i = 0; i < submitted || (ok && i < n); i++) {
    for (; ok && submitted < MIN (n, i + DEPTH); submitted += ok) {
      task.quantizers = bdct_jobs_at (jobs, submitted);
      /* The first one of a frame gives the engine its source. */
      task.same_source = search->has_source;
      ok = bdct_engine_submit (search->engine, &task, error);
      search->has_source = ok;
    }
    if (i == submitted)
      break;
    stats[i].size = sizeof stats[i];
    ok = bdct_engine_collect (search->engine, &stats[i],
        ok ? error : NULL) && ok;
  }
  return ok;
}

/* The search */

static gboolean
prepare (GstBlockDct * self, const BdctParams * params, BdctError * error)
{
  static const GstBlockDctCurve all = {.n = -1 };
  GstBlockDctSearch *search = &self->search;

  if (!gst_blockdct_evaluate_prepare (self, error))
    return FALSE;
  if (search->all == NULL)
    search->all = g_new0 (GstBlockDctCurveJobs, 1);
  return gst_blockdct_curve_update (search->all, params, &all,
      &self->layout, error);
}

/* A frame and its evaluations. */
typedef struct
{
  GstBlockDct *self;
  const GstBlockDctTargets *targets;
  const BdctImage *src;
  GstBuffer *in;
  gpointer wait;
  gboolean files;               /* a file's size is a target */
  gboolean at_once;             /* encode for the exact size in every
                                 * evaluation that depends on it */
  GstBlockDctBracket bracket;
  gdouble octave[GST_BLOCKDCT_CURVE_MOST];      /* by rank */
  BdctStats stats[GST_BLOCKDCT_BRACKET_MOST];   /* by evaluation */
  gboolean coded[GST_BLOCKDCT_BRACKET_MOST];    /* has the exact file size */
} Trials;

/* Convert the index of a setting to its rank, or a rank to its index. */
static gint
reverse (const Trials * t, gint i)
{
  const GstBlockDctCurveJobs *all = t->self->search.all;
  const gboolean has_qp = bdct_transform_info (all->params.transform)->has_qp;

  return has_qp == gst_blockdct_targets_by_floors (t->targets)
      ? all->n - 1 - i : i;
}

static void
start (Trials * t)
{
  const GstBlockDctCurveJobs *all = t->self->search.all;
  const BdctTransform transform = all->params.transform;
  const gdouble sign = gst_blockdct_targets_by_floors (t->targets) ? -1 : 1;

  t->files = t->targets->size > 0 && all->exact_bits;
  t->bracket.n = all->n;
  for (gint rank = 0; rank < all->n; rank++)
    t->octave[rank] = sign * gst_blockdct_curve_octave (transform,
        all->setting[reverse (t, rank)]);
}

static const BdctJob *
get_job (const Trials * t, gint k)
{
  return bdct_jobs_at (t->self->search.all->jobs,
      reverse (t, t->bracket.done[k].rank));
}

/* Compare evaluation `k` with the targets. */
static void
judge (Trials * t, gint k)
{
  const GstBlockDctCurveJobs *all = t->self->search.all;
  GstBlockDctEvaluation *e = &t->bracket.done[k];

  e->keeps = gst_blockdct_targets_keep (t->targets, t->self->layout.depth,
      all->exact_bits, &t->stats[k], &e->excess);
}

/* Compute the exact file size of evaluation `k` by encoding the frame on the
 * host. */
static gboolean
code (Trials * t, gint k, BdctError * error)
{
  GstBlockDct *self = t->self;
  const BdctJob *job = get_job (t, k);
  guint64 *size = &t->stats[k].file_size;
  BdctImage image = *t->src;
  GstVideoFrame frame;
  gboolean ok;

  t->coded[k] = TRUE;
  if (image.memory == BDCT_MEMORY_HOST)
    return bdct_jpeg_file_size (&self->layout, job, &image, size, error);
  if (!gst_video_frame_map (&frame, &self->info, t->in, GST_MAP_READ))
    return gst_blockdct_fail (error,
        "the frame cannot be copied from the device");
  image.memory = BDCT_MEMORY_HOST;
  gst_blockdct_backend_get_image (&frame, &image);
  ok = bdct_jpeg_file_size (&self->layout, job, &image, size, error);
  gst_video_frame_unmap (&frame);
  return ok;
}

/* Compute the statistics of evaluation `k` with the engine. The file size is
 * a lower bound without stuffed bytes, which are known only after encoding. */
static gboolean
measure (Trials * t, gint k, BdctError * error)
{
  GstBlockDctSearch *search = &t->self->search;
  const BdctJob *job = get_job (t, k);
  const BdctFrame task = {
    .size = sizeof task,
    .src = *t->src,
    .bits = gst_blockdct_targets_want_bits (t->targets),
    .metrics = t->targets->ssim > 0 ? 1 << BDCT_METRIC_SSIM : 0,
    .wait = {t->wait},
  };
  BdctStats *stats = &t->stats[k];

  if (!gst_blockdct_evaluate (search, &task, job, 1, stats, error))
    return FALSE;
  if (!t->files)
    return TRUE;
  if (!bdct_jpeg_file_size (&t->self->layout, job, NULL, &stats->file_size,
          error))
    return FALSE;
  stats->file_size += (bdct_counters_sum (stats->component).bits + 7) / 8;
  return TRUE;
}

/* Encode evaluation `k` if its result depends on the exact size. */
static gboolean
check (Trials * t, gint k, BdctError * error)
{
  if (!t->files || t->coded[k] || gst_blockdct_targets_by_floors (t->targets))
    return TRUE;
  if (!code (t, k, error))
    return FALSE;
  judge (t, k);
  return TRUE;
}

/* Evaluate the setting with a rank. */
static gboolean
evaluate (Trials * t, gint rank, BdctError * error)
{
  const gint k = t->bracket.n_done;
  GstBlockDctEvaluation *e = &t->bracket.done[k];

  e->rank = rank;
  t->coded[k] = FALSE;
  if (!measure (t, k, error))
    return FALSE;
  judge (t, k);
  /* If the lower bound misses the targets, so does the exact size. */
  if (t->at_once && e->keeps && !check (t, k, error))
    return FALSE;
  t->bracket.n_done++;
  GST_LOG_OBJECT (t->self, "evaluation %d: setting %d %s what chooses, excess "
      "%g", k, t->self->search.all->setting[reverse (t, rank)],
      e->keeps ? "keeps" : "misses", e->excess);
  return TRUE;
}

/* Evaluate settings until one can be chosen, and set the number of its
 * evaluation. Only the chosen one is encoded; if its file is too large, or
 * no longer the nearest where all are too large, the search goes on. If the
 * evaluations do not suffice, which takes a file with many stuffed bytes, start
 * again and encode in each evaluation that may do. */
static gboolean
choose (Trials * t, gint * chosen, BdctError * error)
{
  GstBlockDctBracket *bracket = &t->bracket;

  do {
    while (!gst_blockdct_bracket_is_closed (bracket)) {
      if (bracket->n_done == GST_BLOCKDCT_BRACKET_MOST) {
        t->at_once = TRUE;
        bracket->n_done = 0;
      }
      if (!evaluate (t, gst_blockdct_bracket_next (bracket, t->octave), error))
        return FALSE;
    }
    *chosen = gst_blockdct_bracket_choose (bracket);
    if (!check (t, *chosen, error))
      return FALSE;
  } while (gst_blockdct_bracket_choose (bracket) != *chosen
      || !gst_blockdct_bracket_is_closed (bracket));
  return !t->files || t->coded[*chosen] || code (t, *chosen, error);
}

static void
warn_missed (GstBlockDct * self, const GstBlockDctTargets * targets,
    const BdctParams * params, gint setting)
{
  g_autofree gchar *target = NULL;

  if (!gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_TARGET))
    return;
  target = gst_blockdct_targets_describe (targets);
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("No setting of %s meets %s: the nearest, %d, is used.",
          bdct_transform_info (params->transform)->name, target, setting),
      ("Such frames have target-met=false. Set another target or another "
          "transform."));
}

gboolean
gst_blockdct_target_find (GstBlockDct * self,
    const GstBlockDctTargets * targets, const BdctImage * src, GstBuffer * in,
    gpointer wait, GstBlockDctRecipe * recipe)
{
  Trials trials = {
    .self = self,
    .targets = targets,
    .src = src,
    .in = in,
    .wait = wait
  };
  BdctParams *params = &recipe->params;
  const GstBlockDctCurveJobs *all;
  BdctError error;
  gboolean ready = prepare (self, params, &error);
  gint k, setting;

  if (ready)
    start (&trials);
  if (!ready || !choose (&trials, &k, &error)) {
    const gchar *engine = self->shared.backend.name;
    g_autofree gchar *target = gst_blockdct_targets_describe (targets);

    if (ready)
      GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
          ("A frame could not be evaluated for %s on %s.", target, engine),
          ("%s", error.message));
    else
      GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
          ("There is not enough memory on %s to search for a setting for %s.",
              engine, target),
          ("%s. Free memory, or unset the target.", error.message));
    return FALSE;
  }
  all = self->search.all;
  setting = all->setting[reverse (&trials, trials.bracket.done[k].rank)];
  recipe->target = TRUE;
  recipe->target_met =
      gst_blockdct_targets_are_met (targets, self->layout.depth,
      all->exact_bits, &trials.stats[k]);
  recipe->file_size = trials.files ? trials.stats[k].file_size : 0;
  if (bdct_transform_info (params->transform)->has_qp)
    params->qp = setting;
  else
    params->quality = setting;
  if (!recipe->target_met)
    warn_missed (self, targets, params, setting);
  return TRUE;
}
