/* The fuzzer of invariants: what its parts share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef INVARIANTS_H
#define INVARIANTS_H

#include <gst/video/video.h>

#define MAX_PADS 4              /* the reference and three distorted pads */

/* The element under test: blockdct, blockdctcompare or blockdctpreview. */
typedef enum
{ TRANSFORM, COMPARE, PREVIEW, N_SUBJECTS } Subject;

/* What has properties: A, which is blockdct itself, B, and compare. */
typedef enum
{ PART_A, PART_B, PART_COMPARE, N_PARTS } Part;

/* main.c */

void fail (const gchar * format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;

/* The watchdog starts again. */
void doing (const gchar * what);
void count_frame (void);

/* settings.c: the values of all live properties, as numbers of the values in
 * its tables; 0 is a property's default. */

#define MAX_PROPERTIES 24

typedef struct
{
  guint8 value[N_PARTS][MAX_PROPERTIES];
} Settings;

extern const gchar *const subject_names[N_SUBJECTS];

/* Change one property, drawn from `property` and `value`. */
void settings_change (Settings * settings, Subject subject, guint64 property,
    guint64 value);
/* Set what differs from `before`; NULL: from the defaults. */
void settings_apply (const Settings * settings, const Settings * before,
    Part part, GstElement * element);
/* What is read at the start. */
void settings_start (GstElement * element, guint threads, guint depth);
/* What messages there are: none, one for each frame, one for intervals. */
typedef enum
{ SILENT, EACH_FRAME, INTERVALS } Report;
Report settings_report (const Settings * settings, Part part);
gchar *settings_print (const Settings * settings, Part part);

/* frames.c */

/* Caps of a format that the elements take; `like`: of one that can be compared
 * with these. */
GstCaps *caps_draw (guint64 format, gint width, gint height, gint rate,
    GstCaps * like);
/* Looks: bits that say how it lies in memory, what it carries. */
#define LOOK_STRIDES 1
#define LOOK_META 2
#define LOOK_REGION 4
#define LOOK_FLAGS 8
#define LOOK_POOL 16
GstBuffer *frame_new (GstCaps * caps, guint64 seed, guint look,
    GstBufferPool * pool);
/* The same frame, with a format's own strides in one memory. */
GstBuffer *frame_plain (GstBuffer * buffer, GstCaps * caps);
gint caps_depth (GstCaps * caps);

/* A buffer in words: times, flags, metas, a sum of its samples. */
gchar *describe_buffer (GstBuffer * buffer, GstCaps * caps,
    const GstSegment * segment);
/* A structure in words, without what a frame alone cannot have. */
gchar *describe_structure (const GstStructure * s);

/* alone.c: the oracle, which is the elements themselves. */

typedef struct
{
  GstBuffer *in[MAX_PADS];      /* NULL: no partner */
  GstCaps *caps[MAX_PADS];      /* NULL: no pad */
  GstSegment segment;
  gint late;                    /* frames by which distorted inputs are late */
} Input;

typedef struct
{
  GstBuffer *out;
  GstCaps *caps;
  GQueue messages[N_PARTS];     /* strings: a frame's own */
  GstStructure *stats[N_PARTS];
} Alone;

/* By part, and for compare by distorted pad: the frames before this one. */
typedef struct
{
  guint64 at[N_PARTS][MAX_PADS];
} Index;

/* Send one frame, and nothing else, through a new element. Each part has
 * settings of its own. */
void alone_run (Alone * alone, Subject subject, const Input * input,
    const Settings * const settings[N_PARTS], const Index * index);
void alone_clear (Alone * alone);
/* The part's figures of a distorted pad; NULL: it has none. */
const GstStructure *stats_of_pad (const GstStructure * stats, Part part,
    guint pad);
extern const gchar *const pad_names[MAX_PADS];

/* steps.c */

#define MAX_ARGS 5

typedef struct
{
  guint kind;
  guint64 arg[MAX_ARGS];
} Step;

/* Draw a sequence, to be freed. */
Step *steps_draw (guint64 seed, guint n, Subject subject);
void steps_run (const Step * steps, guint n, Subject subject, guint * at);
gchar *step_print (const Step * step);

#endif
