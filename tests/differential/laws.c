/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "laws.h"
#include "oracle.h"

/* There no engine is plain. */
#ifdef FAKE_RUNTIME
#define oracle_frame(...) true
#define oracle_comparison(...) true
#endif

#include <stdlib.h>
#include <string.h>

static bool
is_tree (const SceneFrame * f)
{
  return f->value[TRANSFORM] == BDCT_HEVC_QUADTREE;
}

static bool
law (bool holds, int frame, const char *what, char *text)
{
  if (!holds)
    snprintf (text, DIFFERENCE_TEXT, "frame %d: %s", frame, what);
  return holds;
}

/* Squared errors by their definition. */
static bool
errors_are (const Picture * a, const Picture * b, const uint8_t * bytes,
    const BdctStats * stats)
{
  const BdctCounters *counters = a->layout.rgb.n_planes > 0 ? stats->rgb
      : stats->component;
  bool same = true;

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    size_t n = 0;
    int *x = picture_samples (a, a->bytes, c, &n);
    int *y = picture_samples (b, bytes, c, &n);
    uint64_t sse = 0;

    for (size_t i = 0; i < n; i++)
      sse += (int64_t) (x[i] - y[i]) * (x[i] - y[i]);
    same = same && counters[c].samples == n && counters[c].sse == sse;
    free (x);
    free (y);
  }
  return same;
}

/* The records' sums are the statistics, but for errors that no record holds;
 * so is the count of levels. */
static bool
sums_agree (const SceneFrame * f, const Output * own)
{
  const BdctStats *stats = (const BdctStats *) own->bytes[STATISTICS];
  const BdctBlockRecord *record =
      (const BdctBlockRecord *) own->bytes[RECORD_BYTES];
  const int16_t *level = (const int16_t *) own->bytes[LEVEL_BYTES];
  const bool errors = !f->frame.from_levels || !f->value[NO_SRC];
  /* Changed levels of trees may be of blocks beyond the picture. */
  const bool counted = level != NULL
      && (f->value[FROM_LEVELS] < 2 || !is_tree (f));
  uint64_t all = 0;

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctBlockGrid *grid = &f->info.grid[c];
    const size_t n = (size_t) grid->columns * grid->rows;
    uint64_t sse = 0, nonzero = 0;
    bool whole = errors;

    for (size_t i = grid->first; i < grid->first + n && record != NULL; i++) {
      sse += record[i].sse;
      whole = whole && record[i].sse != UINT32_MAX && record[i].reserved == 0;
      nonzero += record[i].nonzero;
    }
    if (record != NULL && ((whole && sse != stats->component[c].sse)
            || nonzero != stats->component[c].nonzero))
      return false;
    all += stats->component[c].nonzero;
  }
  for (size_t i = 0; i < f->info.n_levels && counted; i++)
    all -= level[i] != 0;
  return !counted || all == 0;
}

/* Whether statistics are the same where both have them. */
static bool
figures_equal (const SceneFrame * f, const SceneFrame * g, const BdctStats * a,
    const BdctStats * b)
{
  const bool bits = f->frame.bits && g->frame.bits;
  const unsigned metrics = a->metrics & b->metrics;
  bool same = memcmp (a->area, b->area, sizeof a->area) == 0;

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    BdctCounters other = b->component[c];

    if (!bits)
      other.bits = a->component[c].bits;
    same = same && memcmp (&a->component[c], &other, sizeof other) == 0;
  }
  if (bits)
    same = same && a->bits_optimized == b->bits_optimized
        && a->file_size == b->file_size
        && a->file_size_optimized == b->file_size_optimized;
  for (int m = 0; m < BDCT_N_METRICS; m++)
    if (metrics >> m & 1)
      same = same && memcmp (a->metric[m], b->metric[m], sizeof a->metric[m])
          == 0 && memcmp (a->billionths[m], b->billionths[m],
          sizeof a->billionths[m]) == 0;
  return same;
}

/* Of two outcomes of a frame that is asked for other things: what both have.
 * Levels behind the frame's and sizes of chroma's blocks are nobody's. */
static bool
same_where_both (const SceneFrame * f, const SceneFrame * g, const Output * a,
    const Output * b, const char **what)
{
  static const char *const names[N_OUTPUTS] = { "another picture",
    "other levels", "other records", "other sizes"
  };
  const int n = f->compares ? f->comparison.n_distorted : 1;
  const bool pictures = f->value[VIEW] == g->value[VIEW]
      && f->value[NO_DST] == g->value[NO_DST];

  const size_t size[] = { f->dst.size, f->info.n_levels * sizeof *f->levels,
    f->info.n_blocks * sizeof (BdctBlockRecord),
    is_tree (f) ? (size_t) f->info.grid[0].columns * f->info.grid[0].rows : 0
  };

  for (int i = pictures ? PICTURE : LEVEL_BYTES; i <= SIZE_BYTES; i++) {
    *what = names[i];
    if (a->size[i] > 0 && b->size[i] > 0
        && memcmp (a->bytes[i], b->bytes[i], size[i]) != 0)
      return false;
  }
  *what = "other statistics";
  for (int i = 0; i < n; i++)
    if (!figures_equal (f, g, (const BdctStats *) a->bytes[STATISTICS] + i,
            (const BdctStats *) b->bytes[STATISTICS] + i))
      return false;
  return true;
}

/* The same pictures by way of levels, in one layout; with nothing else, one at
 * a time; without a picture, but with all else; and with all, which has to be
 * as it is defined. */
enum { BY_LEVELS, ALONE, WITH_ALL, DEFINED, N_VARIANTS };

static void
vary (const Scene * scene, int variant, Case * c)
{
  *c = scene->c;
  if (variant == ALONE)
    c->common[IN_FLIGHT] = 1;
  for (int i = 0; i < scene->n_frames; i++) {
    int *value = c->frame[i];
    const int all = variant >= WITH_ALL;

    if (variant == BY_LEVELS) {
      value[NO_SRC] = value[NO_SRC] && value[FROM_LEVELS];
      value[FROM_LEVELS] += value[FROM_LEVELS] == 0;
      value[MATES] = 0;
      continue;
    }
    value[RECORDS] = value[LEVELS] = value[BITS] = all;
    value[SIZES] = all || value[SIZES];
    /* XPSNR, 8, is of the frames before, too. */
    value[METRICS] = variant == WITH_ALL ? value[METRICS] | 7 : 0;
    value[NO_DST] = variant == WITH_ALL
        || (variant == ALONE && value[NO_DST]);
    value[VIEW] = 0;
  }
}

/* A frame's picture, compared with its source, has the frame's figures: those
 * of a first frame, as a metric may look at those before. */
static bool
comparison_holds (const Scene * scene, int i, BdctEngine * engine,
    const Output * own)
{
  const SceneFrame *f = &scene->frame[i];
  int value[N_FRAME] = {[DISTORTED] = 1,[SRC_MEMORY] = 0 };
  Scene alone = *scene;
  SceneFrame *one = &alone.frame[0];
  Outcome first, compared;
  BdctStats *a, *b;
  bool same;

  if (f->compares || f->source == NULL || own->size[PICTURE] == 0
      || f->value[NO_DST] || f->frame.view != NULL
      || scene->layout.rgb.n_planes > 0)
    return true;
  alone.n_frames = 1;
  *one = *f;
  one->picture[0] = *f->source;
  one->frame.same_source = false;
  run_scene (&alone, engine, BDCT_BACKEND_CPU, &first);
  one->picture[1] = f->dst;
  one->picture[1].bytes = own->bytes[PICTURE];
  one->picture[1].image = picture_image (&f->dst, own->bytes[PICTURE]);
  one->value = value;
  one->compares = true;
  one->comparison = (BdctComparison) {.size = sizeof one->comparison,
    .n_distorted = 1,.errors = true,.metrics = f->frame.metrics,
    .frame_rate = f->frame.frame_rate,.number = f->frame.number
  };
  run_scene (&alone, engine, BDCT_BACKEND_CPU, &compared);
  a = (BdctStats *) first.frame[0].bytes[STATISTICS];
  b = (BdctStats *) compared.frame[0].bytes[STATISTICS];
  same = memcmp (a->metric, b->metric, sizeof a->metric) == 0
      && memcmp (a->billionths, b->billionths, sizeof a->billionths) == 0;
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    same = same && a->component[c].sse == b->component[c].sse;
  outcome_clear (&first);
  outcome_clear (&compared);
  return same;
}

/* Definitions take their time. */
static bool
is_small (const Scene * scene, const SceneFrame * f)
{
  const int area = scene->c.common[WIDTH] * scene->c.common[HEIGHT];

  return area < (is_tree (f) ? 20000 : 100000);
}

static bool
variant_holds (const Scene * scene, BdctEngine * engine, const Outcome * own,
    int variant, char *text)
{
  static const char *const ways[N_VARIANTS] = { "from its levels", "alone",
    "without a picture", "with all"
  };
  Outcome other = { 0 };
  bool holds = true;
  Scene varied;
  Case c;

  vary (scene, variant, &c);
  if (scene_init (&varied, &c, NULL)) {
    scene_make_levels (&varied, engine);
    run_scene (&varied, engine, BDCT_BACKEND_CPU, &other);
  }
  for (int i = 0; i < scene->n_frames && holds; i++) {
    const char *what;
    char said[DIFFERENCE_TEXT / 2];

    if (own->frame[i].error.message[0] != '\0'
        || other.frame[i].error.message[0] != '\0'
        || own->frame[i].size[STATISTICS] == 0
        || other.frame[i].size[STATISTICS] == 0)
      continue;
    holds = same_where_both (&scene->frame[i], &varied.frame[i],
        &own->frame[i], &other.frame[i], &what);
    snprintf (said, sizeof said, "%s %s", ways[variant], what);
    law (holds, i, said, text);
    if (holds && variant == DEFINED && !scene->frame[i].compares
        && is_small (scene, &scene->frame[i])) {
      holds = oracle_frame (&varied, i, &other.frame[i], &scene->frame[i],
          &own->frame[i], said);
      law (holds, i, said, text);
    }
  }
  outcome_clear (&other);
  scene_clear (&varied);
  return holds;
}

static bool
frame_holds (const SceneFrame * f, int i, const Output * own, char *text)
{
  const BdctStats *stats = (const BdctStats *) own->bytes[STATISTICS];

  if (own->error.message[0] != '\0' || own->size[STATISTICS] == 0)
    return true;
  for (int k = 0; f->compares && f->comparison.errors
      && k < f->comparison.n_distorted; k++)
    if (!law (errors_are (&f->picture[0], &f->picture[1 + k],
                f->picture[1 + k].bytes, &stats[k]), i, "wrong errors", text))
      return false;
  if (f->compares)
    return law (f->comparison.errors || stats->component[0].sse == 0, i,
        "errors that nobody asked for", text);
  if (f->source != NULL && own->size[PICTURE] > 0 && !f->value[NO_DST]
      && f->frame.view == NULL
      && !law (errors_are (f->source, &f->dst, own->bytes[PICTURE], stats), i,
          "wrong errors", text))
    return false;
  return law (sums_agree (f, own), i, "sums that are not the statistics",
      text);
}

/* Picture `k` of a stack's. */
static Picture
picture_of (const Picture * stack, const BdctLayout * layout, int k)
{
  Picture picture = *stack;

  picture.layout = *layout;
  for (int p = 0; p < picture_planes (layout); p++)
    picture.image.data[p] = (uint8_t *) picture.image.data[p]
        + k * layout->plane[0].height * picture.image.stride[p];
  return picture;
}

/* A stack's picture becomes what it becomes alone, with its quantizer. */
static bool
stack_holds (const Scene * scene, const SceneFrame * f, int k,
    BdctEngine * engine, const Output * own)
{
  int value[N_FRAME] = {[TRANSFORM] = f->value[TRANSFORM] };
  const uint64_t *sse = (uint64_t *) own->bytes[STACK_SSE] + 3 * k;
  const uint64_t *bits = (uint64_t *) own->bytes[STACK_BITS] + 2 * k;
  Scene alone = *scene;
  SceneFrame *one = &alone.frame[0];
  Picture source;
  Outcome other;
  BdctStats *stats;
  bool same = true;
  int size;

  bdct_layout_init_rgb (&alone.layout, &scene->layout.rgb,
      scene->layout.plane[0].width, scene->layout.plane[0].height
      / scene->layout.stack, scene->layout.chroma);
  alone.n_frames = 1;
  alone.c.common[IN_FLIGHT] = 1;
  *one = *f;
  one->value = value;
  source = picture_of (&f->picture[0], &alone.layout, k);
  one->picture[0] = source;
  one->source = &source;
  one->dst = picture_of (&f->dst, &alone.layout, k);
  one->frame = (BdctFrame) {.size = sizeof one->frame,.n_quantizers = 1,
    .quantizers = bdct_jobs_at (f->quantizers, f->frame.stack_map != NULL
        ? f->map[k] : 0),.bits = f->frame.bits
  };
  if (!bdct_job_describe (one->frame.quantizers, &alone.layout, &one->info,
          NULL))
    return false;
  run_scene (&alone, engine, BDCT_BACKEND_CPU, &other);
  stats = (BdctStats *) other.frame[0].bytes[STATISTICS];
  for (int c = 0; c < 3; c++)
    same = same && stats->rgb[c].sse == sse[c];
  same = same && (!f->frame.bits || (bits[1] == stats->file_size
          && bits[0] == bdct_counters_sum (stats->component).bits));
  for (int p = 0; p < picture_planes (&alone.layout); p++)
    for (int y = 0; y < picture_rows (&alone.layout, p); y++) {
      const size_t at = picture_at (&one->dst, p, y);

      same = same && memcmp (own->bytes[PICTURE] + at,
          other.frame[0].bytes[PICTURE] + at, picture_row (&alone.layout, p,
              &size)) == 0;
    }
  outcome_clear (&other);
  return same;
}

bool
laws_hold (const Scene * scene, BdctEngine * engine, const Outcome * own,
    char text[DIFFERENCE_TEXT])
{
  if (own->error.message[0] != '\0')
    return true;
  for (int i = 0; i < scene->n_frames && scene->layout.stack > 1; i++)
    for (int k = 0; k < scene->layout.stack; k++)
      if (own->frame[i].error.message[0] == '\0'
          && own->frame[i].size[STATISTICS] > 0
          && !law (stack_holds (scene, &scene->frame[i], k, engine,
                  &own->frame[i]), i, "a picture is not what it is alone",
              text))
        return false;
  if (scene->layout.stack > 1)
    return true;
  for (int i = 0; i < scene->n_frames; i++)
    if (!frame_holds (&scene->frame[i], i, &own->frame[i], text)
        || (scene->frame[i].compares && own->frame[i].size[STATISTICS] > 0
            && is_small (scene, &scene->frame[i])
            && own->frame[i].error.message[0] == '\0'
            && !oracle_comparison (scene, i, &own->frame[i], text))
        || !law (comparison_holds (scene, i, engine, &own->frame[i]), i,
            "other figures than its picture's, compared", text))
      return false;
  for (int variant = 0; variant < N_VARIANTS; variant++)
    if (!variant_holds (scene, engine, own, variant, text))
      return false;
  return true;
}
