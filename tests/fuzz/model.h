/* blockdct fuzzer: what the properties have to be, by the reference.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_MODEL_H
#define TESTS_FUZZ_MODEL_H

#include <gst/gst.h>
#include "dct/engine/engine.h"
#include "dct/quantizer/job.h"

/* The most settings of a curve. */
#define MAX_CURVE 128

/* The views, by the names that the property has. Of what follows the original
 * it is not known here what samples it shows. */
enum
{
  VIEW_RECONSTRUCTION,
  VIEW_ORIGINAL,
  N_VIEWS = 7
};

extern const gchar *const view_names[N_VIEWS];

typedef struct
{
  BdctParams params;
  gint view, subsampling;
  gboolean set_subsampling;     /* to whatever it is */
  gboolean grid, post, bits;
  guint64 interval;
  gint n_curve;                 /* -1: all */
  gint curve[MAX_CURVE];
  gdouble psnr, bpp, size;      /* targets; 0: none */
  gdouble min_psnr;             /* min-psnr-warning */
} Choice;

/* What the element warns of once. */
typedef enum
{
  MODEL_WARNED_NO_TARGET,       /* a matrix leaves nothing to choose */
  MODEL_WARNED_NO_CURVE,
  MODEL_WARNED_CURVE,           /* it is set aside */
  MODEL_WARNED_STEPS,
  MODEL_WARNED_SUBSAMPLING      /* it has no effect */
} ModelWarning;

typedef struct
{
  Choice wanted, force;         /* set, and what the last frame has of it */
  gint depth;                   /* of the stream; 0: no caps yet */
  gboolean rgb;                 /* the stream has R, G and B */
  guint warned;                 /* bits 1 << ModelWarning */
} Model;

void model_init (Model * m);

/* A matrix is set. Returns how many warnings are due. */
gint model_set_matrix (Model * m, const gint * steps, guint n);

/* A curve is set; the same. With `n` -1 it is all settings. */
gint model_set_curve (Model * m, const gint * settings, gint n);

/* Whether a frame enters without a warning. */
gboolean model_fits (const Model * m);

/* The settings that a transform has, and whether a QP is what they are. */
gint model_first (BdctTransform transform);
gint model_last (BdctTransform transform);

/* Whether there is a target, and a frame's quality or QP can be chosen. */
gboolean model_has_target (const Choice * choice);
gboolean model_curve_is_possible (const Choice * choice);

/* A frame enters; the same. */
gint model_enter (Model * m);

/* Write a property, by its name; the same. */
gint model_set (Model * m, const gchar * name, const GValue * value);

/* Control bindings: three values, one after the other. */
enum
{
  BIND_QUALITY,
  BIND_QP,
  BIND_DEADZONE,                /* from here on doubles */
  BIND_LAMBDA_SCALE,
  N_BINDINGS
};

#define BINDING_SPAN (120 * GST_MSECOND)
#define BINDING_POINTS 3

typedef struct
{
  gboolean on;
  gdouble value[BINDING_POINTS];
  gdouble last;                 /* that was set; NAN: none */
} Binding;

extern const gchar *const binding_names[N_BINDINGS];

/* What a binding says of a stream time. */
gdouble binding_at (const Binding * binding, GstClockTime time);

/* Parameters that several threads set: those of a number below N_GROUPS. What
 * a report says of them leads back to the number. */
#define N_GROUPS 100
void group_params (guint n, BdctParams * params);
gint group_find (const gchar * transform, gint quality);

#endif
