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
model_curve_is_possible (const Choice * choice)
{
  return has_qp (choice->params.transform) || choice->params.n_steps == 0;
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
  return !ok;
}

gint
model_set_curve (Model * m, const gint * settings, gint n)
{
  gboolean ok = n <= MAX_CURVE;

  for (gint i = 0; i < n; i++)
    ok = ok && settings[i] >= 0 && settings[i] <= 100;
  if (ok) {
    m->wanted.n_curve = n;
    memcpy (m->wanted.curve, settings, MAX (n, 0) * sizeof settings[0]);
  }
  return !ok;
}

/* With Y, U and V that setting has no effect. */
static gboolean
tells_subsampling (const Model * m)
{
  return m->wanted.set_subsampling && !m->rgb
      && !(m->warned >> MODEL_WARNED_SUBSAMPLING & 1);
}

/* The number of warnings: 1 the first time, then 0. */
static gint
warn_once (Model * m, ModelWarning warning)
{
  const gint n = !(m->warned >> warning & 1);

  m->warned |= 1u << warning;
  return n;
}

/* A matrix that leaves nothing to choose, and a curve that the transform has
 * not. */
static gint
enter_curve (Model * m)
{
  Choice *c = &m->force;
  const gboolean curve = c->n_curve != 0 && c->post;
  gint n = 0;

  if (!model_curve_is_possible (c)) {
    if (model_has_target (c))
      n += warn_once (m, MODEL_WARNED_NO_TARGET);
    return curve ? n + warn_once (m, MODEL_WARNED_NO_CURVE) : n;
  }
  if (!curve)
    return 0;
  if (curve_fits (c)) {
    m->warned &= ~(1u << MODEL_WARNED_CURVE);
    return 0;
  }
  c->n_curve = 0;
  return warn_once (m, MODEL_WARNED_CURVE);
}

/* What cannot be is set aside for the frame. */
gint
model_enter (Model * m)
{
  BdctParams *params = &m->force.params;
  gint n = 0;

  m->force = m->wanted;
  params->min_block = MIN (params->min_block, params->max_block);
  if (fits (params, m->depth)) {
    m->warned &= ~(1u << MODEL_WARNED_STEPS);
  } else {
    n += warn_once (m, MODEL_WARNED_STEPS);
    params->n_steps = 0;
  }
  n += enter_curve (m);
  if (tells_subsampling (m))
    n += warn_once (m, MODEL_WARNED_SUBSAMPLING);
  return n;
}

gboolean
model_fits (const Model * m)
{
  Model copy = *m;

  return model_enter (&copy) == 0;
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

static gboolean
is_side (gint side)
{
  return side == 4 || side == 8 || side == 16 || side == 32;
}

gint
model_set (Model * m, const gchar * name, const GValue * value)
{
  if (g_str_has_suffix (name, "-block")
      && !is_side (g_value_get_int (value)))
    return 1;
  set (&m->wanted, name, value);
  return 0;
}

gdouble
binding_at (const Binding * binding, GstClockTime time)
{
  return binding->value[MIN (time / BINDING_SPAN, BINDING_POINTS - 1)];
}

/* Groups: all have a quality of their own, and nothing else. */

void
group_params (guint n, BdctParams * params)
{
  *params = (BdctParams) BDCT_PARAMS_DEFAULT;
  params->quality = 1 + n;
}

gint
group_find (const gchar * transform, gint quality)
{
  return strcmp (transform, "jpeg-8x8") == 0 ? quality - 1 : -1;
}
