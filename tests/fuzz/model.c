/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "model.h"

#include <math.h>
#include <string.h>

const gchar *const binding_names[N_BINDINGS] = {
  "quality", "qp", "deadzone", "lambda-scale"
};

const gchar *const view_names[N_VIEWS] = {
  "reconstruction", "original", "coefficients", "nonzero-map", "quality-map",
  "size-map", "error-map"
};

void
model_init (Model * m)
{
  *m = (Model) {
    .wanted = {
      .params = BDCT_PARAMS_DEFAULT,
      .post = TRUE,.subsampling = BDCT_CHROMA_420,
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

static gboolean
has_qp (BdctTransform transform)
{
  return transform != BDCT_JPEG_8X8 && transform != BDCT_DCT_8X8;
}

gint
model_first (BdctTransform transform)
{
  return has_qp (transform) ? 0 : 1;
}

gint
model_last (BdctTransform transform)
{
  return has_qp (transform) ? 51 : 100;
}

gboolean
model_has_target (const Choice * choice)
{
  return choice->psnr > 0 || choice->bpp > 0 || choice->size > 0;
}

gboolean
model_may_sweep (const Choice * choice)
{
  return has_qp (choice->params.transform) || choice->params.n_steps == 0;
}

static gboolean
same_curve (const Choice * a, const Choice * b)
{
  return a->n_curve == b->n_curve && (a->n_curve <= 0
      || memcmp (a->curve, b->curve, a->n_curve * sizeof a->curve[0]) == 0);
}

static gboolean
curve_fits (const Choice * c)
{
  for (gint i = 0; i < c->n_curve; i++)
    if (c->curve[i] < model_first (c->params.transform)
        || c->curve[i] > model_last (c->params.transform))
      return FALSE;
  return TRUE;
}

static gboolean
is_side (gint side)
{
  return side == 4 || side == 8 || side == 16 || side == 32;
}

/* Whether a quadtree's blocks are new, and cannot be. */
static gboolean
blocks_refused (const BdctParams * wanted, const BdctParams * old)
{
  return (wanted->min_block != old->min_block
      || wanted->max_block != old->max_block)
      && (!is_side (wanted->min_block) || !is_side (wanted->max_block)
      || wanted->min_block > wanted->max_block);
}

/* Refuse what is new of blocks, a curve or targets and cannot be. */
static gint
refuse (Model * m)
{
  Choice *wanted = &m->wanted, *old = &m->force;
  gint n = 0;

  if (blocks_refused (&wanted->params, &old->params)) {
    wanted->params.min_block = old->params.min_block;
    wanted->params.max_block = old->params.max_block;
    n++;
  }

  if (m->depth > 0 && !same_curve (wanted, old) && !curve_fits (wanted)) {
    wanted->n_curve = old->n_curve;
    memcpy (wanted->curve, old->curve, sizeof wanted->curve);
    n++;
  }
  if ((wanted->psnr > 0) + (wanted->bpp > 0) + (wanted->size > 0) > 1) {
    wanted->psnr = old->psnr;
    wanted->bpp = old->bpp;
    wanted->size = old->size;
    n++;
  }
  return n;
}

gint
model_announce (Model * m)
{
  BdctParams *wanted = &m->wanted.params, *old = &m->force.params;
  gint refused;
  gboolean bad;

  if (m->frozen > 0)
    return 0;
  refused = refuse (m);
  bad = !same_matrix (wanted, old) && !fits (wanted, m->depth);
  if (bad) {
    wanted->n_steps = old->n_steps;
    memcpy (wanted->steps, old->steps, sizeof wanted->steps);
  }
  m->force = m->wanted;
  return bad + refused;
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

gint
model_set_curve (Model * m, const gint * settings, gint n)
{
  gboolean ok = n <= BDCT_MAX_OTHERS;

  for (gint i = 0; i < n; i++)
    ok = ok && settings[i] >= 0 && settings[i] <= 100;
  if (ok) {
    m->wanted.n_curve = n;
    memcpy (m->wanted.curve, settings, MAX (n, 0) * sizeof settings[0]);
  }
  return !ok + model_announce (m);
}

/* With Y, U and V that setting has no effect. */
static gboolean
tells_subsampling (const Model * m)
{
  return m->force.set_subsampling && !m->rgb && !m->told_subsampling;
}

gboolean
model_fits (const Model * m)
{
  const Choice *c = &m->force;

  return fits (&c->params, m->depth) && curve_fits (c) && !tells_subsampling (m)
      && (model_may_sweep (c) || (!model_has_target (c) && c->n_curve == 0));
}

/* A matrix that leaves nothing to choose, and a curve that the transform has
 * not. */
static gint
enter_sweep (Model * m)
{
  Choice *c = &m->force;
  gboolean curve = c->n_curve != 0 && c->post;

  if (!model_may_sweep (c)) {
    gboolean target = model_has_target (c) && !m->told_target;

    curve = curve && !m->told_curve;
    m->told_target |= target;
    m->told_curve |= curve;
    return target + curve;
  }
  if (!curve || curve_fits (c))
    return 0;
  if (same_curve (&m->wanted, c))
    m->wanted.n_curve = 0;
  c->n_curve = 0;
  return 1;
}

static gint
enter_matrix (Model * m)
{
  BdctParams *force = &m->force.params, *wanted = &m->wanted.params;

  if (fits (force, m->depth))
    return 0;
  if (same_matrix (wanted, force))
    wanted->n_steps = 0;
  force->n_steps = 0;
  return 1;
}

gint
model_enter (Model * m)
{
  gint n = enter_matrix (m);

  n += enter_sweep (m);
  if (n > 0)
    n += model_announce (m);
  if (tells_subsampling (m)) {
    m->told_subsampling = TRUE;
    n++;
  }
  return n;
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
  else if (strcmp (name, "min-block") == 0)
    w->params.min_block = i;
  else if (strcmp (name, "max-block") == 0)
    w->params.max_block = i;
  else if (strcmp (name, "lambda-scale") == 0)
    w->params.lambda_scale = g_value_get_double (value);
  else if (strcmp (name, "deadzone") == 0)
    w->params.deadzone = g_value_get_double (value);
  else if (strcmp (name, "rdoq") == 0)
    w->params.rdoq = g_value_get_boolean (value);
  else if (strcmp (name, "scaling-list") == 0)
    w->params.scaling_list = i;
  else if (strcmp (name, "view") == 0)
    w->view = i;
  else if (strcmp (name, "chroma-subsampling") == 0)
    w->subsampling = i, w->set_subsampling = TRUE;
  else if (strcmp (name, "grid") == 0)
    w->grid = g_value_get_boolean (value);
  else if (strcmp (name, "post-messages") == 0)
    w->post = g_value_get_boolean (value);
  else if (strcmp (name, "interval") == 0)
    w->interval = g_value_get_uint64 (value);
  else if (strcmp (name, "bits") == 0)
    w->bits = g_value_get_boolean (value);
  else if (strcmp (name, "target-psnr") == 0)
    w->psnr = g_value_get_double (value);
  else if (strcmp (name, "target-bpp") == 0)
    w->bpp = g_value_get_double (value);
  else if (strcmp (name, "target-size") == 0)
    w->size = g_value_get_uint (value);
  else if (strcmp (name, "min-psnr-warning") == 0)
    w->min_psnr = g_value_get_double (value);
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
  guint v = n / BDCT_N_FIXED;

  memset (params, 0, sizeof *params);
  params->transform = n % BDCT_N_FIXED;
  params->quality = 1 + 97 * v % 100;
  params->qp = v;
  params->chroma_qp_offset = (gint) (n * 7 % 25) - 12;
  params->min_block = 4;
  params->max_block = 32;
  params->lambda_scale = 1;
  params->deadzone = BDCT_MAX_DEADZONE;
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
