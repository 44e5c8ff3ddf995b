/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * As a structure is filled for every frame, names are quarks, and strings are
 * interned. */
#include "gstblockdctstatistics.h"

/* What a field says. Its part: a component, a time, or one of several. */
typedef enum
{
  TYPE, TIME, INDEX, PAD, FRAMES, SETTING, SAMPLES, SSE, MSE, PSNR, IDENTICAL,
  LEVELS, NONZERO, BITS, OPTIMIZED, FILE_SIZE, ESTIMATED, BPP, AREA, FIGURE,
  SUM, TRANSFORM, QP, DEADZONE, QUALITY, TARGET_MET, REGIONS, CODED, BACKEND,
  SPREAD, DROPPED, UNMATCHED, VIEW, GRID, REPEATED
} What;

/* Components: planes, the colours of RGB, all planes, all colours. */
enum
{
  Y, U, V, R, G, B, ALL, RGB, N_COUNTERS
};

/* Where a field is. */
enum
{
  FRAME = GST_BLOCKDCT_PLACE_FRAME,
  POOLED = GST_BLOCKDCT_PLACE_POOLED,
  STATS = GST_BLOCKDCT_PLACE_STATS,
  POOLS = POOLED | GST_BLOCKDCT_PLACE_INTERVAL,
  MESSAGES = FRAME | POOLS,
  CURVE = 16,
  ITEMS = 32                    /* the arrays of a curve */
};

typedef struct
{
  What what;
  gint part;
  const gchar *name;
  GType type;
  guint places;
  guint column[GST_BLOCKDCT_COLUMNS_FIGURES];
  gint metric;                  /* of FIGURE and SUM */
  GQuark quark;
} Field;

#define FIELD(what, part, name, type, places, csv, pads, log, meaning) \
  {what, part, name, G_TYPE_ ## type, places, {csv, pads, log}, 0, 0},
#define METRICS {.what = FIGURE,.name = NULL },
static const Field table[] = {
#include "gstblockdctfields.def"
};

#undef FIELD
#undef METRICS

#define MAX_COLUMNS 64
#define N_FIGURES (BDCT_N_METRICS * (BDCT_METRIC_ALL + 1))

/* The table, with the fields of the metrics in place of their row. */
static Field fields[G_N_ELEMENTS (table) + 2 * N_FIGURES];
static guint n_fields;
static GQuark columns[GST_BLOCKDCT_N_COLUMNS][MAX_COLUMNS];

static void
add_field (Field field)
{
  field.quark = g_quark_from_string (field.name);
  fields[n_fields++] = field;
  for (guint i = 0; i < G_N_ELEMENTS (field.column); i++)
    if (field.column[i] > 0)
      columns[i][field.column[i] - 1] = field.quark;
}

static void
add_metrics (void)
{
  guint n = 0;

  for (gint m = 0; m < BDCT_N_METRICS; m++)
    for (gint c = 0; c <= BDCT_METRIC_ALL; c++) {
      const gchar *name = bdct_metric_info (m)->figure[c];
      gchar *sum = g_strconcat ("sum-", name, NULL);

      if (name != NULL) {
        columns[GST_BLOCKDCT_COLUMNS_FIGURES][n++] = g_quark_from_string (name);
        add_field ((Field) {FIGURE, c, name, G_TYPE_DOUBLE,
            MESSAGES | STATS | ITEMS, {0}, m, 0});
        add_field ((Field) {SUM, c, sum, G_TYPE_INT64, MESSAGES | STATS, {0},
            m, 0});
      }
      g_free (sum);
    }
}

void
gst_blockdct_structure_init (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (table[i].name != NULL)
      add_field (table[i]);
    else
      add_metrics ();
}

const GQuark *
gst_blockdct_structure_columns (GstBlockDctColumns which)
{
  return columns[which];
}

/* What a structure is filled from. */
typedef struct
{
  guint place;
  const GstBlockDctSpan *span;
  BdctCounters counters[N_COUNTERS];
  guint64 dropped;
  gint setting;
  gboolean repeated;
} Source;

static Source
source_of (guint place, const GstBlockDctSpan * span)
{
  const BdctStats *stats = &span->pool.sum;
  Source s = {.place = place,.span = span };

  for (guint c = 0; c < 3; c++) {
    s.counters[Y + c] = stats->component[c];
    s.counters[R + c] = stats->rgb[c];
  }
  s.counters[ALL] = bdct_counters_sum (stats->component);
  s.counters[RGB] = bdct_counters_sum (stats->rgb);
  return s;
}

static gboolean
has_setting (const GstBlockDctRecipe * recipe, gboolean qp)
{
  return recipe->pad == NULL
      && bdct_transform_info (recipe->params.transform)->has_qp == qp;
}

/* A field's value, by its type. */
typedef union
{
  guint64 whole;
  gdouble real;
  const gchar *text;
} Value;

/* Find a field's value. FALSE: it is not there. */
static gboolean
find_value (const Source * s, const Field * field, Value * v)
{
  const BdctCounters *c = &s->counters[field->part], *all = &s->counters[ALL];
  const BdctPool *pool = &s->span->pool;
  const BdctStats *stats = &pool->sum;
  const GstBlockDctRecipe *r = &s->span->recipe;
  const GstBlockDctTimes *t = &s->span->times;
  const guint64 times[] = { t->timestamp, t->stream_time, t->running_time,
    t->duration
  };
  gdouble share[BDCT_TREE_SIZES];

  switch (field->what) {
    case TYPE:
      v->text = s->place == FRAME ? "frame" : s->place == POOLED ? "pooled"
          : "interval";
      return TRUE;
    case TIME:
      v->whole = times[field->part];
      return TRUE;
    case INDEX:
      v->whole = s->span->first_index;
      return pool->frames > 0;
    case PAD:
      v->text = r->pad;
      return r->pad != NULL;
    case FRAMES:
      v->whole = pool->frames;
      return TRUE;
    case SETTING:
      v->whole = s->setting;
      return TRUE;
    case SAMPLES:
      v->whole = c->samples;
      return c->samples > 0;
    case SSE:
      v->whole = c->sse_high > 0 ? G_MAXUINT64 : c->sse;
      return c->samples > 0;
    case MSE:
      v->real = bdct_mse (c);
      return c->samples > 0;
    case PSNR:
      v->real = bdct_psnr (bdct_mse (c), r->depth);
      return c->samples > 0;
    case IDENTICAL:
      v->whole = bdct_mse (all) == 0 && bdct_mse (&s->counters[RGB]) == 0;
      return all->samples > 0;
    case LEVELS:
      v->whole = field->part ? all->nonzero : all->levels;
      return all->levels > 0;
    case NONZERO:
      v->real = (gdouble) all->nonzero / MAX (all->levels, 1);
      return all->levels > 0 || s->place == ITEMS;
    case BITS:
      v->whole = c->bits;
      return r->rate == GST_BLOCKDCT_RATE_EXACT && c->samples > 0;
    case OPTIMIZED:
      v->whole = stats->bits_optimized;
      return r->rate == GST_BLOCKDCT_RATE_EXACT;
    case FILE_SIZE:
      v->whole = field->part ? stats->file_size_optimized : stats->file_size;
      return r->rate == GST_BLOCKDCT_RATE_EXACT;
    case ESTIMATED:
      v->real = c->bits;
      return r->rate == GST_BLOCKDCT_RATE_ESTIMATED && c->samples > 0;
    case BPP:
      v->real = (gdouble) all->bits / s->counters[Y].samples;
      return r->rate != GST_BLOCKDCT_RATE_NONE && pool->frames > 0;
    case AREA:
      if (!bdct_stats_shares (stats, share))
        return FALSE;
      v->real = share[field->part];
      return TRUE;
    case FIGURE:
      return bdct_metric_figure (stats, pool->frames, r->depth, field->metric,
          field->part, &v->real);
    case SUM:
      v->whole = stats->billionths[field->metric][field->part];
      return TRUE;
    case TRANSFORM:
      v->text = bdct_transform_info (r->params.transform)->name;
      return r->pad == NULL;
    case QP:
      v->whole = r->params.qp;
      return has_setting (r, TRUE);
    case DEADZONE:
      v->real = r->params.deadzone;
      return has_setting (r, TRUE);
    case QUALITY:
      v->whole = r->params.quality;
      return has_setting (r, FALSE);
    case TARGET_MET:
      v->whole = r->target_met;
      return r->target;
    case REGIONS:
      v->whole = r->regions;
      return r->regions > 0;
    case CODED:
      v->whole = field->part ? r->header_bits : r->bits;
      return r->coded;
    case BACKEND:
      v->text = r->backend;
      return TRUE;
    case SPREAD:
      v->real = (const gdouble[]) { pool->psnr_mean, pool->psnr_mean_capped,
        pool->psnr_min, pool->psnr_max }[field->part];
      return all->samples > 0;
    case DROPPED:
    case UNMATCHED:
      v->whole = s->dropped;
      return (field->what == UNMATCHED) == (r->pad != NULL);
    case VIEW:
      v->text = bdct_view_info (r->view)->name;
      return r->pad == NULL;
    case GRID:
      v->whole = TRUE;
      return r->grid;
    case REPEATED:
      v->whole = TRUE;
      return s->repeated;
  }
  return FALSE;
}

/* The value of a field that is there. */
static gboolean
get_value (const Source * s, const Field * field, GValue * v)
{
  Value value;

  if (!find_value (s, field, &value))
    return FALSE;
  g_value_init (v, field->type);
  switch (field->type) {
    case G_TYPE_STRING:
      g_value_set_interned_string (v, g_intern_static_string (value.text));
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (v, value.real);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (v, value.whole);
      break;
    case G_TYPE_INT64:
      g_value_set_int64 (v, value.whole);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (v, value.whole);
      break;
    case G_TYPE_INT:
      g_value_set_int (v, value.whole);
      break;
    default:
      g_value_set_boolean (v, value.whole);
  }
  return TRUE;
}

/* A metric that has a figure has its sum. Most frames have no metrics. */
static void
fill (GstStructure * structure, const Source * s)
{
  const gboolean has_metrics = s->span->pool.sum.metrics != 0;
  gboolean there = FALSE;

  for (guint i = 0; i < n_fields; i++) {
    GValue v = G_VALUE_INIT;

    if (!(fields[i].places & s->place)
        || (fields[i].what == FIGURE && !has_metrics)
        || (fields[i].what == SUM && !(has_metrics && there)))
      continue;
    there = get_value (s, &fields[i], &v);
    if (there)
      gst_structure_id_take_value (structure, fields[i].quark, &v);
  }
}

void
gst_blockdct_structure_fill (GstStructure * structure, GstBlockDctPlace place,
    const GstBlockDctSpan * span, guint64 dropped, gboolean repeated)
{
  Source s = source_of (place, span);

  s.dropped = dropped;
  s.repeated = repeated;
  fill (structure, &s);
}

/* Add a field's array, if each setting has the value. */
static void
add_items (GstStructure * structure, const Field * field,
    GstBlockDctSpan * span, const GstBlockDctCurve * curve,
    const BdctStats * stats)
{
  GValue array = G_VALUE_INIT;
  gboolean there = TRUE;

  gst_value_array_init (&array, curve->n);
  for (gint i = 0; i < curve->n && there; i++) {
    GValue v = G_VALUE_INIT;
    Source s;

    span->pool.sum = stats[i];
    s = source_of (ITEMS, span);
    s.setting = curve->setting[i];
    there = get_value (&s, field, &v);
    if (there)
      gst_value_array_append_and_take_value (&array, &v);
  }
  if (there)
    gst_structure_id_take_value (structure, field->quark, &array);
  else
    g_value_unset (&array);
}

GstStructure *
gst_blockdct_structure_curve (const GstBlockDctCurve * curve,
    const BdctStats * stats, gboolean exact, const GstBlockDctRecipe * recipe,
    const GstBlockDctTimes * times, guint64 index)
{
  GstStructure *structure = gst_structure_new_empty (GST_BLOCKDCT_NAME
      "-curve");
  GstBlockDctSpan span = {.pool = {.frames = 1},.first_index = index,
    .times = *times,.recipe = *recipe
  };
  Source s = {.place = CURVE,.span = &span };

  span.recipe.rate = exact ? GST_BLOCKDCT_RATE_EXACT
      : GST_BLOCKDCT_RATE_ESTIMATED;
  fill (structure, &s);
  for (guint i = 0; i < n_fields; i++)
    if (fields[i].places & ITEMS)
      add_items (structure, &fields[i], &span, curve, stats);
  return structure;
}

GstStructure *
gst_blockdct_structure_stats (const GstBlockDctTotals * totals,
    const gchar * pad)
{
  GstStructure *structure = gst_structure_new_empty (pad != NULL ? pad
      : GST_BLOCKDCT_NAME "-stats");
  const GstBlockDctSpan span = {.pool = totals->pool,
    .first_index = totals->first_index,
    .recipe = {.depth = totals->depth,.rate = totals->pool.frames > 0
          ? totals->rate : GST_BLOCKDCT_RATE_NONE,.pad = pad}
  };

  gst_blockdct_structure_fill (structure, GST_BLOCKDCT_PLACE_STATS, &span,
      totals->dropped, FALSE);
  return structure;
}
