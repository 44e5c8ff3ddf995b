/* blockdct: the plan of a frame (engine.h) or a comparison (compare.h), which
 * both engines carry out: the images and where they are, the results, and the
 * steps in order. It follows from the layout, the caller's description, the
 * engine's BdctPlanRules and the history; engines decide nothing else of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_ENGINE_PLAN_H
#define BDCT_ENGINE_PLAN_H

#include "engine.h"
#include "history.h"

/* The images of a frame's stages. The base has the pixel format of the
 * caller's images; all others are planes of the layout. */
typedef enum {
  BDCT_PLAN_PLANES, /* the planes that are transformed; none if there is no
                         source. In a comparison: the reference, then each
                         distorted picture */
  BDCT_PLAN_RECONSTRUCTION = BDCT_PLAN_PLANES + 1 + BDCT_MAX_DISTORTED,
  BDCT_PLAN_LEVELS, /* the picture of the levels */
  BDCT_PLAN_VIEW,   /* what a view is drawn on */
  BDCT_PLAN_BASE,   /* the view at 1:1 that a zoomed view enlarges */
  BDCT_PLAN_IMAGES
} BdctPlanImage;

/* Where an image is. */
typedef enum {
  BDCT_PLACE_NONE,           /* there is none */
  BDCT_PLACE_SRC,            /* the caller's source. In a comparison, planes
                                  that are packed lie elsewhere */
  BDCT_PLACE_DST,            /* the caller's destination */
  BDCT_PLACE_OWN,            /* memory of the engine */
  BDCT_PLACE_BEFORE,         /* where the planes of the frame before are */
  BDCT_PLACE_PLANES,         /* over the planes: nothing reads them later */
  BDCT_PLACE_RECONSTRUCTION, /* where the reconstruction is */
  BDCT_PLACE_BASE,           /* where the base is */
} BdctPlace;

/* What is done, in this order. A step needs all before it to be done. */
typedef enum {
  BDCT_STEP_RGB_TO_PLANES, /* make a frame's planes of its R, G and B */
  BDCT_STEP_PACK,      /* make planes of a comparison's pictures */
  BDCT_STEP_HISTORY,   /* copy luma to the history */
  BDCT_STEP_ERRORS,    /* add up squared errors of distorted pictures */
  BDCT_STEP_TRANSFORM, /* do a frame's job */
  BDCT_STEP_BITS,      /* price its levels */
  BDCT_STEP_METRICS,   /* compute the metrics */
  BDCT_STEP_RECORDS,   /* make the records of a comparison's 8x8 blocks */
  BDCT_STEP_MAP,       /* make the map of a metric */
  BDCT_STEP_VIEW,      /* draw the view at 1:1 */
  BDCT_STEP_PLANES_TO_RGB, /* make R, G and B of what is shown */
  BDCT_STEP_ZOOM,      /* enlarge the view; the last kind */
} BdctStepKind;

/* Where an engine can have a frame's planes. */
typedef struct {
  bool in_place;      /* the picture can be written over them */
  bool kept;          /* the planes of the frame before are still there, for
                           one of the same source */
} BdctPlanRules;

typedef struct {
  unsigned wanted;  /* bits 1 << BdctMetric */
  int frame_rate;   /* whole frames a second */
  BdctHistoryUse history;
} BdctPlanMetrics;

/* Results for each block. */
typedef struct {
  bool by_map;      /* blocks have different quantizers */
  bool records;     /* records of blocks are made */
  bool sizes;       /* sizes of a tree's blocks are written */
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS]; /* of the frame's quantizers */
  size_t n;         /* blocks: entries of map and records */
  size_t n_sizes;   /* entries of `sizes` */
} BdctPlanBlocks;

/* The levels of a frame's blocks. */
typedef struct {
  bool out;         /* they are written to the caller's memory */
  bool in;          /* they are read from there: nothing is transformed */
  size_t n;         /* all of them, and the first of each component: where
                           they are in memory */
  size_t first[BDCT_MAX_COMPONENTS];
} BdctPlanLevels;

/* The view. */
typedef struct {
  bool drawn;       /* a step draws `view`, at 1:1 */
  BdctView view;
  bool enlarged;    /* a step draws `zoomed`, of `view` or of a picture */
  BdctView zoomed;
  int left, right;  /* pictures of a comparison: 0 is the reference */
} BdctPlanView;

typedef struct {
  int n_distorted;  /* pictures of a comparison; 0: it is a frame */
  int n_results;    /* statistics: of a frame, or of each distorted picture */
  bool bits;        /* they are counted */
  bool rgb_errors;  /* errors of R, G and B are added up */
  BdctPlanMetrics metrics;
  BdctPlanBlocks blocks;
  BdctPlanLevels levels;
  BdctPlanView view;
  BdctPlace place[BDCT_PLAN_IMAGES];
  bool packed[1 + BDCT_MAX_DISTORTED]; /* a step makes the picture's planes */
  int n_steps;
  BdctStepKind step[1 + BDCT_STEP_ZOOM]; /* each at most once */
} BdctPlan;

/* Plan a frame that bdct_frame_check() has accepted, or a comparison that
 * bdct_comparison_check() has; `job` is bdct_comparison_job()'s. The frame
 * enters `history`. If it does not start, call bdct_history_forget(). */
void bdct_plan_frame (BdctPlan *plan, const BdctLayout *layout,
    const BdctFrame *frame, const BdctPlanRules *rules, BdctHistory *history);
void bdct_plan_comparison (BdctPlan *plan, const BdctLayout *layout,
    const BdctComparison *comparison, const BdctJob *job,
    BdctHistory *history);

/* Whether a frame has a step of this kind. */
bool bdct_plan_has (const BdctPlan *plan, BdctStepKind kind);

/* Write where each image is to `image`; an image that the plan does not have
 * gets no data. `src`: the source, or each picture of a comparison. `own`: the
 * engine's memory for each image of the place OWN. */
void bdct_plan_find_images (const BdctPlan *plan, const BdctImage *src,
    const BdctImage *dst, const BdctImage own[BDCT_PLAN_IMAGES],
    BdctImage image[BDCT_PLAN_IMAGES]);

/* Set statistics to zero, except the numbers of samples and, of a frame, of
 * levels, which follow from the layout and `job`. */
void bdct_plan_begin_stats (const BdctPlan *plan, const BdctLayout *layout,
    const BdctJob *job, BdctStats *stats);

#endif
