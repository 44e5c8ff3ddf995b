/* blockdct: the plan of a frame (engine.h) or a comparison (compare.h), which
 * both engines carry out: the images and where they are, the jobs in groups,
 * the results of each job and block, and the steps in order. It follows from
 * the layout and the caller's description alone; engines decide nothing of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_ENGINE_PLAN_H
#define BDCT_ENGINE_PLAN_H

#include "engine.h"
#include "history.h"

/* The maximum number of jobs of a frame: the quantizers count as one, each
 * trial as one. */
#define BDCT_MAX_JOBS (1 + BDCT_MAX_TRIALS)

/* The images of a frame's stages. The base has the pixel format of the
 * caller's images; all others are planes of the layout. */
typedef enum {
  BDCT_PLAN_PLANES, /* the planes that jobs read; none if there is no
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
  BDCT_STEP_TRANSFORM, /* do a group of jobs */
  BDCT_STEP_BITS,      /* price the levels of a group */
  BDCT_STEP_METRICS,   /* compute the metrics of a group */
  BDCT_STEP_RECORDS,   /* make the records of a comparison's 8x8 blocks */
  BDCT_STEP_MAP,       /* make the map of a metric */
  BDCT_STEP_VIEW,      /* draw the view at 1:1 */
  BDCT_STEP_PLANES_TO_RGB, /* make R, G and B of what is shown */
  BDCT_STEP_ZOOM,      /* enlarge the view */
} BdctStepKind;

typedef struct {
  BdctStepKind kind;
  int group; /* of TRANSFORM, BITS and METRICS */
} BdctStep;

/* Jobs that are done together: `n` entries of BdctPlanJobs.order. */
typedef struct {
  int first, n;
} BdctPlanGroup;

/* How an engine can group jobs. */
typedef struct {
  int max_jobs;       /* of a group */
  int max_pictures;   /* of a group whose trials make pictures */
  bool one_transform; /* the jobs of a group have one transform */
  bool in_place;      /* a job can write its picture over its planes */
  bool kept;          /* the planes of the frame before are still there, for
                           one of the same source */
} BdctPlanRules;

/* Jobs by number. In a frame, job 0 is that of the quantizers, and job 1 +
 * i is trial i. In a comparison, job i is distorted picture i. A job that
 * starts from levels is alone in its group. */
typedef struct {
  int n;
  bool bits;        /* each job is priced */
  bool trial_files; /* the size of a file is computed for trials, too */
  bool rgb_errors;  /* errors of R, G and B are added up: for job 0 of a
                         frame, for each job of a comparison */
  int n_groups;
  BdctPlanGroup group[BDCT_MAX_JOBS];
  int order[BDCT_MAX_JOBS];
} BdctPlanJobs;

typedef struct {
  unsigned first;   /* of job 0: bits 1 << BdctMetric */
  unsigned others;  /* of each other job */
  int frame_rate;   /* whole frames a second */
  BdctHistoryUse history;
} BdctPlanMetrics;

/* Results for each block. */
typedef struct {
  bool by_map;      /* blocks have different quantizers */
  bool records;     /* records of blocks are made */
  bool sizes;       /* sizes of a tree's blocks are written */
  size_t n;         /* blocks: entries of map and records */
  size_t n_sizes;   /* entries of `sizes` */
} BdctPlanBlocks;

/* The levels of job 0's blocks. */
typedef struct {
  bool out;         /* they are written to the caller's memory */
  bool in;          /* they are read from there: nothing is transformed */
  size_t n;         /* all of them, and the first of each component */
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
  BdctPlanJobs jobs;
  BdctPlanMetrics metrics;
  BdctPlanBlocks blocks;
  BdctPlanLevels levels;
  BdctPlanView view;
  BdctPlace place[BDCT_PLAN_IMAGES];
  bool packed[1 + BDCT_MAX_DISTORTED]; /* a step makes the picture's planes */
  int n_steps;
  BdctStep step[3 * BDCT_MAX_JOBS + 8];
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

/* The metrics of job `i`. */
static inline unsigned
bdct_plan_metrics (const BdctPlan *plan, int i)
{
  return i == 0 ? plan->metrics.first : plan->metrics.others;
}

/* Write where each image is to `image`; an image that the plan does not have
 * gets no data. `src`: the source, or each picture of a comparison. `own`: the
 * engine's memory for each image of the place OWN. */
void bdct_plan_find_images (const BdctPlan *plan, const BdctImage *src,
    const BdctImage *dst, const BdctImage own[BDCT_PLAN_IMAGES],
    BdctImage image[BDCT_PLAN_IMAGES]);

/* Set the statistics of job `i` to zero, except the numbers of samples and of
 * levels, which follow from the layout and `job`. */
void bdct_plan_begin_stats (const BdctPlan *plan, const BdctLayout *layout,
    int i, const BdctJob *job, BdctStats *stats);

#endif
