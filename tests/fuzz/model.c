/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "model.h"

#include <math.h>
#include <string.h>

const gchar *const binding_names[N_BINDINGS] = {
  "quality", "qp", "wipe-position"
};

void
model_init (Model * m)
{
  *m = (Model) {
    .wanted = {
      .params = {BDCT_JPEG_8X8, 85, 26, 0, BDCT_SCALING_FLAT, 0, {0}},
      .position = 0.5,.gain = 4,.post = TRUE,
    },
  };
  m->force = m->wanted;
}

static gboolean
same_matrix (const BdctParams * a, const BdctParams * b)
{
  return a->n_steps == b->n_steps
      && memcmp (a->steps, b->steps, a->n_steps * sizeof a->steps[0]) == 0;
}

/* Whether the matrix is one that the stream allows. */
static gboolean
fits (const BdctParams * params, gint depth)
{
  for (gint i = 0; i < params->n_steps; i++)
    if (params->transform == BDCT_JPEG_8X8 && depth == 8
        && params->steps[i] > 255)
      return FALSE;
  return TRUE;
}

gint
model_announce (Model * m)
{
  BdctParams *wanted = &m->wanted.params, *old = &m->force.params;
  gboolean bad;

  if (m->frozen > 0)
    return 0;
  bad = !same_matrix (wanted, old) && !fits (wanted, m->depth);
  if (bad) {
    wanted->n_steps = old->n_steps;
    memcpy (wanted->steps, old->steps, sizeof wanted->steps);
  }
  m->force = m->wanted;
  return bad;
}

gint
model_set_matrix (Model * m, const gint * steps, guint n)
{
  gboolean ok = n == 0 || n == 64 || n == 128;

  for (guint i = 0; i < n; i++)
    ok = ok && steps[i] >= 1 && steps[i] <= 32767;
  if (ok) {
    m->wanted.params.n_steps = n;
    memcpy (m->wanted.params.steps, steps, n * sizeof steps[0]);
  }
  return !ok + model_announce (m);
}

gboolean
model_fits (const Model * m)
{
  return fits (&m->force.params, m->depth);
}

gint
model_enter (Model * m)
{
  BdctParams *force = &m->force.params, *wanted = &m->wanted.params;

  if (fits (force, m->depth))
    return 0;
  if (same_matrix (wanted, force))
    wanted->n_steps = 0;
  force->n_steps = 0;
  return 1 + model_announce (m);
}

static void
set (Choice * w, const gchar * name, const GValue * value)
{
  gint i = 0;

  if (G_VALUE_HOLDS_INT (value))
    i = g_value_get_int (value);
  if (strcmp (name, "transform") == 0)
    w->params.transform = i;
  else if (strcmp (name, "quality") == 0)
    w->params.quality = i;
  else if (strcmp (name, "qp") == 0)
    w->params.qp = i;
  else if (strcmp (name, "chroma-qp-offset") == 0)
    w->params.chroma_qp_offset = i;
  else if (strcmp (name, "scaling-list") == 0)
    w->params.scaling_list = i;
  else if (strcmp (name, "view") == 0)
    w->view = i;
  else if (strcmp (name, "wipe-position") == 0)
    w->position = g_value_get_double (value);
  else if (strcmp (name, "difference-gain") == 0)
    w->gain = g_value_get_double (value);
  else if (strcmp (name, "grid") == 0)
    w->grid = g_value_get_boolean (value);
  else if (strcmp (name, "post-messages") == 0)
    w->post = g_value_get_boolean (value);
  else if (strcmp (name, "overlay") == 0)
    w->overlay = g_value_get_boolean (value);
  else if (strcmp (name, "interactive") == 0)
    w->interactive = g_value_get_boolean (value);
  else if (strcmp (name, "interval") == 0)
    w->interval = g_value_get_uint64 (value);
  else
    g_error ("the model has no property '%s'", name);
}

void
model_set (Model * m, const gchar * name, const GValue * value)
{
  set (&m->wanted, name, value);
}

void
model_bind (Model * m, const gchar * name, const GValue * value)
{
  set (&m->wanted, name, value);
  set (&m->force, name, value);
}

gdouble
binding_at (const Binding * binding, GstClockTime time)
{
  return binding->value[MIN (time / BINDING_SPAN, BINDING_POINTS - 1)];
}

/* Groups: transform and quality or QP tell which one it is, as there are 52 of
 * each transform; everything else follows from the number. */

void
group_params (guint n, BdctParams * params)
{
  guint v = n / BDCT_N_TRANSFORMS;

  memset (params, 0, sizeof *params);
  params->transform = n % BDCT_N_TRANSFORMS;
  params->quality = 1 + 97 * v % 100;
  params->qp = v;
  params->chroma_qp_offset = (gint) (n * 7 % 25) - 12;
  params->scaling_list = n / 3 % 2 ? BDCT_SCALING_DEFAULT : BDCT_SCALING_FLAT;
  params->n_steps = n % 5 == 0 ? 64 : 0;
  for (gint i = 0; i < params->n_steps; i++)
    params->steps[i] = 1 + (n + i) % 255;
}

gint
group_find (const gchar * transform, gint quality_or_qp)
{
  for (guint n = 0; n < N_GROUPS; n++) {
    BdctParams params;

    group_params (n, &params);
    if (strcmp (transform, bdct_transform_info (params.transform)->name) == 0
        && quality_or_qp == (params.transform >= BDCT_HEVC_DST_4X4 ? params.qp
            : params.quality))
      return n;
  }
  return -1;
}
