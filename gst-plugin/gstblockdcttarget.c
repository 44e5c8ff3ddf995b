/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The setting that keeps a target. It has to be known before a frame is
 * started, while the engine has earlier ones in hand: another engine, which
 * makes no picture, evaluates the frame at all settings there are. */
#include "gstblockdct.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

void
gst_blockdct_target_reset (GstBlockDct * self)
{
  self->scout_ready = FALSE;
  if (self->all != NULL)
    self->all->n = 0;
}

void
gst_blockdct_target_close (GstBlockDct * self)
{
  gst_blockdct_target_reset (self);
  if (self->scout != NULL)
    self->scout->klass->destroy (self->scout);
  self->scout = NULL;
  g_clear_pointer (&self->all, g_free);
}

/* Engine and memory are there once there is a target. */
static gboolean
prepare (GstBlockDct * self, const BdctParams * params, BdctError * error)
{
  static const GstBlockDctCurve all = {.n = -1 };

  if (self->scout == NULL)
    self->scout = gst_blockdct_backend_another (&self->backend,
        gst_blockdct_get_settings (self).threads, self->context, error);
  if (self->scout == NULL)
    return FALSE;
  if (!self->scout_ready)
    self->scout_ready = self->scout->klass->configure (self->scout,
        &self->layout, 1, error);
  if (self->all == NULL)
    self->all = g_new0 (GstBlockDctSweep, 1);
  gst_blockdct_sweep_update (self->all, params, &all, &self->layout);
  return self->scout_ready;
}

static gboolean
evaluate (GstBlockDct * self, const GstBlockDctTargets * targets,
    const BdctImage * src, gpointer wait, BdctStats * stats, BdctError * error)
{
  const BdctEngineClass *klass = self->scout->klass;
  const guint metrics = targets->ssim > 0 ? 1 << BDCT_METRIC_SSIM : 0;
  const BdctFrame task = {
    .sets = self->all->job,
    .n_sets = 1,
    .others = self->all->job + 1,
    .n_others = self->all->n - 1,
    .src = *src,
    .rate = gst_blockdct_targets_want_bits (targets),
    .metrics = metrics,
    .other_metrics = metrics,
    .other_files = targets->size > 0,
    .wait = {wait},
  };

  return klass->submit (self->scout, &task, error)
      && klass->collect (self->scout, stats, error);
}

static void
warn_missed (GstBlockDct * self, const GstBlockDctTargets * targets,
    const BdctParams * params, gint setting)
{
  gchar *target;

  if (self->warned_target)
    return;
  self->warned_target = TRUE;
  target = gst_blockdct_targets_describe (targets);
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("No setting of %s keeps %s: the nearest, %d, is taken.",
          bdct_transform_info (params->transform)->name, target, setting),
      ("Frames where this is so have target-met=false. Set another target or "
          "another transform."));
  g_free (target);
}

gboolean
gst_blockdct_target_find (GstBlockDct * self,
    const GstBlockDctTargets * targets, const BdctImage * src, gpointer wait,
    GstBlockDctHow * how)
{
  BdctStats stats[BDCT_MAX_OTHERS];
  BdctParams *params = &how->params;
  BdctError error;
  gboolean ready = prepare (self, params, &error);
  gint setting;

  if (!ready || !evaluate (self, targets, src, wait, stats, &error)) {
    const gchar *engine = self->backend.engine->description;
    gchar *target = gst_blockdct_targets_describe (targets);

    if (ready)
      GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
          ("A frame could not be evaluated for %s on %s.", target, engine),
          ("%s", error.message));
    else
      GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
          ("There is no room on %s to choose settings for %s.", engine,
              target), ("%s. Free memory, or unset the target.",
              error.message));
    g_free (target);
    return FALSE;
  }
  setting = self->all->setting[gst_blockdct_targets_choose (targets, self->all,
          stats, &how->target_met)];
  how->target = TRUE;
  if (bdct_family_has_qp (bdct_transform_info (params->transform)->family))
    params->qp = setting;
  else
    params->quality = setting;
  if (!how->target_met)
    warn_missed (self, targets, params, setting);
  return TRUE;
}
