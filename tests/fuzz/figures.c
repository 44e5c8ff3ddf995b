/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The figures of a frame that came out, and what they say was done to it,
 * against the definitions. */
#include "fuzz.h"

#include <math.h>
#include <string.h>

/* Figures */

static gdouble
psnr (gdouble mse, gint depth)
{
  gdouble peak = (1 << depth) - 1;

  return mse == 0 ? INFINITY : 10 * log10 (peak * peak / mse);
}

/* The squared errors of what came out, where that is all dct-8x8 is held to. */
static guint64
measure (const Frame * f, gint c, const Samples * got)
{
  guint64 sse = 0;

  for (gint i = 0; i < f->shape.w[c] * f->shape.h[c]; i++) {
    gint64 e = got->v[c][i] - f->in.v[c][i];

    sse += e * e;
  }
  return sse;
}

/* Those of R, G and B; whether there are any errors. dct-8x8 is held to its
 * planes alone: then they are taken at their word. */
static gboolean
check_rgb_figures (const Frame * f, const GstStructure * s, gboolean real,
    Figures * figures)
{
  static const gchar *mse[] = { "mse-r", "mse-g", "mse-b" };
  static const gchar *names[] = { "psnr-r", "psnr-g", "psnr-b" };
  const gdouble n = figures->samples[0];
  gboolean any = FALSE;
  guint64 all = 0;

  for (gint k = 0; k < 3; k++) {
    if (f->shape.rgb == NULL) {
      check (!gst_structure_has_field (s, mse[k])
          && !gst_structure_has_field (s, names[k]),
          "figures of R, G and B, which are not there");
      continue;
    }
    if (real)
      figures->rgb_sse[k] = llround (field_double (s, mse[k]) * n);
    expect_double (s, mse[k], figures->rgb_sse[k] / n);
    expect_double (s, names[k], psnr (figures->rgb_sse[k] / n, 8));
    any |= figures->rgb_sse[k] > 0;
    all += figures->rgb_sse[k];
  }
  if (f->shape.rgb == NULL) {
    check (!gst_structure_has_field (s, "psnr-rgb"),
        "a figure of R, G and B, which are not there");
    return any;
  }
  expect_double (s, "mse-rgb", all / (3 * n));
  expect_double (s, "psnr-rgb", psnr (all / (3 * n), 8));
  return any;
}

void
check_figures (const Frame * f, const Choice * choice, GstStructure * s,
    Figures * figures, const Samples * got)
{
  static const gchar *mse[] = { "mse-y", "mse-u", "mse-v" };
  static const gchar *names[] = { "psnr-y", "psnr-u", "psnr-v" };
  gboolean real = choice->params.transform == BDCT_DCT_8X8, identical;
  gboolean plain = !f->any_settings && !choice->grid && f->shape.rgb == NULL
      && choice->view == VIEW_RECONSTRUCTION;
  gboolean rgb;
  guint64 sse = 0, samples = 0;
  gdouble nonzero = field_double (s, "nonzero");

  for (gint c = 0; c < 3; c++) {
    if (c >= f->shape.n_components) {
      check (!gst_structure_has_field (s, mse[c])
          && !gst_structure_has_field (s, names[c]),
          "figures of a plane that is not there");
      continue;
    }
    if (real)
      figures->sse[c] = plain ? measure (f, c, got)
          : (guint64) llround (field_double (s, mse[c]) * figures->samples[c]);
    expect_double (s, mse[c],
        (gdouble) figures->sse[c] / figures->samples[c]);
    expect_double (s, names[c],
        psnr ((gdouble) figures->sse[c] / figures->samples[c],
            f->shape.depth));
    sse += figures->sse[c];
    samples += figures->samples[c];
  }
  rgb = check_rgb_figures (f, s, real, figures);
  expect_double (s, "mse", (gdouble) sse / samples);
  expect_double (s, "psnr", psnr ((gdouble) sse / samples, f->shape.depth));
  check (gst_structure_get_boolean (s, "identical", &identical)
      && identical == (sse == 0 && !rgb), "'identical' is wrong");
  if (real) {
    gdouble n = nonzero * figures->levels;

    check (fabs (n - figures->nonzero) <= figures->unsure + 1e-6,
        "%g levels are not 0, of %" G_GUINT64_FORMAT " or %" G_GUINT64_FORMAT
        " more or less", n, figures->nonzero, figures->unsure);
    figures->nonzero = llround (n);
  }
  expect_double (s, "nonzero", (gdouble) figures->nonzero / figures->levels);
}

/* The engine's arithmetic is known but where it is a GPU's floating point. */
static gboolean
is_known (const BdctParams * params)
{
  return params->transform != BDCT_DCT_8X8 || !on_cuda ();
}

static gboolean
is_exact (const Frame * f, const BdctParams * params)
{
  return params->transform == BDCT_JPEG_8X8 && f->shape.depth == 8;
}

/* How near a setting comes to the PSNR, and to bits and bytes: 1 is there. */
static void
find_shares (const Frame * f, const Choice * c, const BdctStats * stats,
    gdouble * floor, gdouble * ceiling)
{
  BdctCounters total = bdct_stats_total (stats);
  gdouble size = is_exact (f, &c->params) ? (gdouble) stats->file_size
      : total.bits / 8.0;

  *floor = c->psnr > 0
      ? bdct_psnr (bdct_mse (&total), f->shape.depth) / c->psnr : INFINITY;
  *ceiling = 0;
  if (c->bpp > 0)
    *ceiling = (gdouble) total.bits / (f->shape.w[0] * f->shape.h[0]) / c->bpp;
  if (c->size > 0)
    *ceiling = MAX (*ceiling, size / c->size);
}

/* Check the setting that is chosen for a target: it keeps the PSNR, which the
 * next coarser one does not, or else bits and bytes, which the next finer one
 * does not; or it does not, and neither does the last one, which comes no
 * nearer. Returns whether all targets are met. */
static gboolean
check_target (const Frame * f, const Choice * c, gint setting)
{
  const gint first = model_first (c->params.transform);
  const gint end = model_last (c->params.transform);
  /* Coarser is a lower quality and a higher QP. */
  const gint step = (c->psnr > 0) == (first == 0) ? 1 : -1;
  const gint last = step > 0 ? first : end;
  const gint settings[] = { setting, CLAMP (setting + step, first, end), last };
  gdouble floor[3], ceiling[3], v[3];
  BdctStats stats[3];

  picture_curve (&f->shape, &c->params, &f->in, settings, 3, c->size > 0,
      stats);
  for (guint i = 0; i < 3; i++) {
    find_shares (f, c, &stats[i], &floor[i], &ceiling[i]);
    v[i] = c->psnr > 0 ? floor[i] - 1 : 1 - ceiling[i];
  }
  if (v[0] >= 0)
    check (settings[1] == setting || v[1] < 0,
        "%d is chosen for a target that %d keeps", setting, settings[1]);
  else
    check (v[2] < 0 && v[0] >= v[2],
        "%d is chosen, which misses a target by %g; %d, by %g", setting, v[0],
        last, v[2]);
  return floor[0] >= 1 && ceiling[0] <= 1;
}

/* What the target makes of the parameters. */
static void
apply_target (World * w, const Frame * f, const GstStructure * s,
    Choice * choice)
{
  gboolean has = model_has_target (choice) && model_curve_is_possible (choice);
  gboolean met = FALSE, said = FALSE;
  gint *setting = model_first (choice->params.transform) == 0
      ? &choice->params.qp : &choice->params.quality;

  check (gst_structure_get_boolean (s, "target-met", &said) == has,
      "target-met is there or not: %s", gst_structure_to_string (s));
  if (!has)
    return;
  if (!gst_structure_get_int (s, setting == &choice->params.qp ? "qp"
          : "quality", setting))
    fail ("no setting");
  if (is_known (&choice->params))
    met = check_target (f, choice, *setting);
  check (said == met || !is_known (&choice->params), "target-met is %d", said);
  w->missed |= !said;
}

/* What it says of the quantizer: no more than the transform has. */
static void
check_quantizer (const GstStructure * s, const BdctParams * params)
{
  gboolean has_qp =
      bdct_transform_info (params->transform)->has_qp;
  gdouble deadzone = 0;

  check (gst_structure_get_double (s, "deadzone", &deadzone) == has_qp
      && (!has_qp || deadzone == params->deadzone),
      "deadzone is %g, not %g", deadzone, params->deadzone);
}

void
check_choice (World * w, const Frame * f, const GstStructure * s,
    Choice * choice)
{
  const gchar *transform = gst_structure_get_string (s, "transform");
  gboolean has_qp;
  gint v;

  check (transform != NULL && (gst_structure_get_int (s, "qp", &v)
          || gst_structure_get_int (s, "quality", &v)),
      "no transform, or neither quality nor qp");
  has_qp = strcmp (transform, "jpeg-8x8") != 0
      && strcmp (transform, "dct-8x8") != 0;
  check (gst_structure_has_field (s, "qp") == has_qp
      && gst_structure_has_field (s, "quality") == !has_qp,
      "qp or quality, of %s", transform);
  *choice = f->choice;
  if (f->any_settings) {
    gint n = group_find (transform, v);

    check (n >= 0, "%s and %d were never set together", transform, v);
    group_params (n, &choice->params);
    threads_seen (w, n);
    return;
  }
  apply_target (w, f, s, choice);
  check (strcmp (transform,
          bdct_transform_info (choice->params.transform)->name) == 0,
      "the transform is %s, not %s", transform,
      bdct_transform_info (choice->params.transform)->name);
  check (v == (has_qp ? choice->params.qp : choice->params.quality),
      "%s is %d, not %d", has_qp ? "qp" : "quality", v,
      has_qp ? choice->params.qp : choice->params.quality);
  check_quantizer (s, &choice->params);
}

void
check_costs (const Frame * f, const Choice * c, Record * record)
{
  const BdctParams *params = &c->params;
  gint first = model_first (params->transform);
  gint n = model_last (params->transform) - first + 1;
  gint setting = first == 0 ? params->qp : params->quality;

  record->rate = !c->bits ? 0 : !is_known (params) ? -1
      : is_exact (f, params) ? 2 : 1;
  if (record->rate > 0)
    picture_curve (&f->shape, params, &f->in, &setting, 1,
        c->size > 0 && model_curve_is_possible (c), &record->stats);
  if (!c->post || c->n_curve == 0 || !model_curve_is_possible (c))
    return;
  record->n_curve = c->n_curve < 0 ? n : c->n_curve;
  if (!is_known (params))
    return;
  record->curve = g_new (gint, record->n_curve);
  record->curve_stats = g_new (BdctStats, record->n_curve);
  for (gint i = 0; i < record->n_curve; i++)
    record->curve[i] = c->n_curve < 0 ? first + i : c->curve[i];
  picture_curve (&f->shape, params, &f->in, record->curve, record->n_curve,
      FALSE, record->curve_stats);
}
