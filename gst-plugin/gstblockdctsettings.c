/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a notification names is what is taken over. The name of a property would
 * not do: threads share an object's queue of notifications, so that the one who
 * empties it announces what others have set, and before it comes to take the
 * value over another one may have set the same property again, as the first of
 * a group. So a setter queues a name of its own beside the property's, that of
 * the change: a GParamSpec that nobody else sees, and that has the value.
 *
 * GObject queues it with the group it belongs to, and delivers it once, when
 * nobody has notifications frozen: all that comes with it is complete. So
 *  - one g_object_set(), or what stands between freeze and thaw, comes into
 *    force under one lock: no frame sees half of it;
 *  - each change comes into force, at its own thread's thaw or, if another one
 *    had notifications frozen then, at that one's. Numbers keep an older change
 *    that is delivered late from undoing a newer one, so that in the end what
 *    is in force is what was set last. */
#include "gstblockdctsettings.h"

#include <string.h>
#include "gstblockdcttables.h"

GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_debug);
#define GST_CAT_DEFAULT gst_blockdct_debug

/* As many changes wait on their own. Who sets more than that while another one
 * has notifications frozen writes over one of the same property: still none is
 * lost, but a group might show in parts. GObject's queue has limits too. */
#define MAX_CHANGES 1024

typedef struct _Change Change;

struct _Change
{
  GParamSpec parent;
  Change *next;                 /* in a list: unused, or come into force */
  gboolean waits;               /* to be announced */
  guint id;                     /* the property */
  guint64 number;
  GstBlockDctField field;
  gint value[sizeof (BdctParams) / sizeof (gint)];
};

static GType
change_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    const GParamSpecTypeInfo info = {
      .instance_size = sizeof (Change),
      .value_type = G_TYPE_POINTER,
    };

    g_once_init_leave (&type,
        g_param_type_register_static ("GstBlockDctChange", &info));
  }
  return type;
}

static gboolean
is_change (const GParamSpec * pspec)
{
  return G_PARAM_SPEC_TYPE (pspec) == change_get_type ();
}

void
gst_blockdct_changes_init (GstBlockDctChanges * changes,
    const GstBlockDctSettings * initial)
{
  changes->wanted = changes->current = *initial;
  changes->changes =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_param_spec_unref);
}

void
gst_blockdct_changes_clear (GstBlockDctChanges * changes)
{
  g_ptr_array_unref (changes->changes);
}

/* Called with the lock. */
static Change *
get_change (GstBlockDctChanges * changes, guint id)
{
  Change *change = changes->unused;

  if (change != NULL) {
    changes->unused = change->next;
    return change;
  }
  if (changes->changes->len >= MAX_CHANGES)
    for (guint i = 0; i < changes->changes->len; i++) {
      change = g_ptr_array_index (changes->changes, i);
      if (change->waits && change->id == id)
        return change;
    }
  change = g_param_spec_internal (change_get_type (), "change", NULL, NULL,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_ptr_array_add (changes->changes,
      g_param_spec_ref_sink ((GParamSpec *) change));
  return change;
}

static void
put (GstBlockDctSettings * settings, const GstBlockDctField * field,
    gconstpointer value)
{
  memcpy ((guint8 *) settings + field->offset, value, field->size);
}

void
gst_blockdct_changes_start (GstBlockDctChanges * changes,
    GstElement * element, gboolean started)
{
  GST_OBJECT_LOCK (element);
  changes->started = started;
  memset (changes->refused, 0, sizeof changes->refused);
  GST_OBJECT_UNLOCK (element);
}

/* What is read at the start is in force at once, as nothing runs; no frame can
 * see half of a group. Called with the lock. */
static gboolean
set_ready (GstBlockDctChanges * changes, const GstBlockDctField * field,
    gconstpointer value)
{
  if (changes->started)
    return memcmp ((guint8 *) & changes->current + field->offset, value,
        field->size) == 0;
  put (&changes->wanted, field, value);
  put (&changes->current, field, value);
  return TRUE;
}

gboolean
gst_blockdct_changes_set (GstBlockDctChanges * changes, GstElement * element,
    guint id, const GstBlockDctField * field, gconstpointer value)
{
  gboolean ok = TRUE, synced;
  Change *change;

  g_assert (id < GST_BLOCKDCT_MAX_PROPERTIES);
  g_assert (field->size <= sizeof change->value);
  GST_OBJECT_LOCK (element);
  if (field->ready) {
    ok = set_ready (changes, field, value);
    GST_OBJECT_UNLOCK (element);
    return ok;
  }
  put (&changes->wanted, field, value);
  changes->set[id] = ++changes->n_set;
  change = get_change (changes, id);
  change->id = id;
  change->number = changes->n_set;
  change->field = *field;
  memcpy (change->value, value, field->size);
  /* The next frame waits for this: nobody need announce it. */
  synced = changes->syncing == g_thread_self ();
  change->waits = !synced;
  if (synced) {
    change->next = changes->synced;
    changes->synced = change;
  }
  GST_OBJECT_UNLOCK (element);
  if (!synced)
    g_object_notify_by_pspec (G_OBJECT (element), (GParamSpec *) change);
  return TRUE;
}

/* Where what is checked is among the settings. */
static void
get_part (GstBlockDctChecked which, gsize * offset, gsize * size)
{
  switch (which) {
    case GST_BLOCKDCT_STEPS:
      *offset = G_STRUCT_OFFSET (GstBlockDctSettings, params.preset);
      *size = sizeof (BdctParams) - G_STRUCT_OFFSET (BdctParams, preset);
      break;
    case GST_BLOCKDCT_SCALING:
      *offset = G_STRUCT_OFFSET (GstBlockDctSettings, params.scaling_list);
      *size = G_STRUCT_OFFSET (BdctParams, baseline)
          - G_STRUCT_OFFSET (BdctParams, scaling_list);
      break;
    case GST_BLOCKDCT_BLOCKS:
      *offset = G_STRUCT_OFFSET (GstBlockDctSettings, params.min_block);
      *size = G_STRUCT_OFFSET (BdctParams, lambda_scale)
          - G_STRUCT_OFFSET (BdctParams, min_block);
      break;
    case GST_BLOCKDCT_SECOND:
      *offset = G_STRUCT_OFFSET (GstBlockDctSettings, second.transform);
      *size = sizeof (gint);
      break;
    case GST_BLOCKDCT_CURVE:
      *offset = G_STRUCT_OFFSET (GstBlockDctSettings, curve);
      *size = sizeof (GstBlockDctCurve);
      break;
    default:
      *offset = G_STRUCT_OFFSET (GstBlockDctSettings, targets);
      *size = G_STRUCT_OFFSET (GstBlockDctTargets, size) + sizeof (guint);
      break;
  }
}

/* The rest of an array that is not full is 0: setters see to that. */
static gboolean
is_same (GstBlockDctChecked which, const GstBlockDctSettings * a,
    const GstBlockDctSettings * b)
{
  gsize offset, size;

  get_part (which, &offset, &size);
  return memcmp ((const guint8 *) a + offset, (const guint8 *) b + offset,
      size) == 0;
}

static void
copy (GstBlockDctChecked which, GstBlockDctSettings * to,
    const GstBlockDctSettings * from)
{
  gsize offset, size;

  get_part (which, &offset, &size);
  memcpy ((guint8 *) to + offset, (const guint8 *) from + offset, size);
}

/* One of them at most says what the steps are. */
static gboolean
check_steps (const BdctParams * params, gint depth, BdctError * error)
{
  gboolean matrix = params->n_steps > 0, file = params->tables.n_steps > 0;
  const gchar *texts[4];
  guint n = 0;
  BdctError reason;
  gchar *text;

  if (matrix)
    texts[n++] = "quantization-matrix";
  if (file)
    texts[n++] = "quantization-file";
  if (params->preset != BDCT_PRESET_ANNEX_K)
    texts[n++] = "quantization-preset";
  texts[n] = NULL;
  if (n > 1) {
    text = g_strjoinv (" and ", (gchar **) texts);
    bdct_error (error, "%s exclude each other; unset the other one with it",
        text);
    g_free (text);
    return FALSE;
  }
  if (bdct_params_check_steps (params, depth, &reason))
    return TRUE;
  text = file ? gst_blockdct_tables_describe (&params->tables)
      : g_strdup (texts[0]);
  bdct_error (error, "%s: %s", text, reason.message);
  g_free (text);
  return FALSE;
}

/* Called with the lock. */
static gboolean
is_allowed (const GstBlockDctChanges * changes, GstBlockDctChecked which,
    BdctError * error)
{
  const GstBlockDctSettings *s = &changes->current;
  const gint depth = changes->depth;

  switch (which) {
    case GST_BLOCKDCT_STEPS:
      return check_steps (&s->params, depth, error);
    case GST_BLOCKDCT_BLOCKS:
      return bdct_blocks_check (s->params.min_block, s->params.max_block,
          error);
    case GST_BLOCKDCT_SCALING: /* whole with another group */
    case GST_BLOCKDCT_SECOND:  /* what its job says */
      return TRUE;
    case GST_BLOCKDCT_CURVE:
      /* Before there is a stream, the transform may still be set. */
      return depth == 0 || gst_blockdct_sweep_check (&s->curve,
          s->params.transform, error);
    default:
      return gst_blockdct_targets_check (&s->targets, error);
  }
}

/* What depends on other properties, or on the stream, is checked with the whole
 * group. Called with the lock; where it fails `error` has the reasons. */
static void
check_group (GstBlockDctChanges * changes, const GstBlockDctSettings * old,
    BdctError error[GST_BLOCKDCT_N_CHECKED])
{
  for (gint i = 0; i < GST_BLOCKDCT_N_CHECKED; i++) {
    error[i].message[0] = '\0';
    if (is_same (i, &changes->current, old)
        || is_allowed (changes, i, &error[i]))
      continue;
    copy (i, &changes->current, old);
  }
}

/* Called with the lock. Whether frames are other ones by it. */
static gboolean
put_in_force (GstBlockDctChanges * changes, const Change * change)
{
  const GstBlockDctField *field = &change->field;
  gboolean shown;

  if (change->number <= changes->in_force[change->id])
    return FALSE;
  shown = field->shown && memcmp ((guint8 *) & changes->current
      + field->offset, change->value, field->size) != 0;
  put (&changes->current, field, change->value);
  changes->in_force[change->id] = change->number;
  return shown;
}

/* Let a list of changes come into force, which are unused then. Called with the
 * lock; `error` is as above. Whether frames are other ones by it. */
static gboolean
apply (GstBlockDctChanges * changes, Change * list,
    BdctError error[GST_BLOCKDCT_N_CHECKED])
{
  const GstBlockDctSettings old = changes->current;
  gboolean shown = FALSE;

  for (Change * change = list; change != NULL; change = change->next)
    shown |= put_in_force (changes, change);
  check_group (changes, &old, error);
  while (list != NULL) {
    Change *change = list;

    list = change->next;
    /* What was refused; not what was set since. */
    if (change->number == changes->set[change->id])
      put (&changes->wanted, &change->field,
          (guint8 *) & changes->current + change->field.offset);
    change->next = changes->unused;
    changes->unused = change;
  }
  return shown;
}

/* To be called without the lock. */
static void
warn_all (GstBlockDctChanges * changes, GstElement * element,
    const BdctError error[GST_BLOCKDCT_N_CHECKED])
{
  for (gint i = 0; i < GST_BLOCKDCT_N_CHECKED; i++)
    if (error[i].message[0] != '\0')
      gst_blockdct_changes_warn (changes, element, i, &error[i]);
}

guint
gst_blockdct_changes_take (GstBlockDctChanges * changes, GstElement * element,
    guint n_pspecs, GParamSpec ** pspecs, gboolean * shown)
{
  BdctError error[GST_BLOCKDCT_N_CHECKED];
  Change *list = NULL;
  guint n = 0;

  GST_OBJECT_LOCK (element);
  for (guint i = 0; i < n_pspecs; i++) {
    Change *change = (Change *) pspecs[i];

    if (!is_change (pspecs[i])) {
      pspecs[n++] = pspecs[i];
      continue;
    }
    if (!change->waits)
      continue;
    change->waits = FALSE;
    change->next = list;
    list = change;
  }
  *shown = apply (changes, list, error);
  GST_OBJECT_UNLOCK (element);
  warn_all (changes, element, error);
  return n;
}

/* The base class's g_object_set() of each controlled property would wait for
 * who has notifications frozen, and this frame cannot. */
void
gst_blockdct_changes_sync (GstBlockDctChanges * changes, GstElement * element,
    GstClockTime time)
{
  BdctError error[GST_BLOCKDCT_N_CHECKED];

  if (!gst_object_has_active_control_bindings (GST_OBJECT (element)))
    return;
  GST_OBJECT_LOCK (element);
  changes->syncing = g_thread_self ();
  GST_OBJECT_UNLOCK (element);
  gst_object_sync_values (GST_OBJECT (element), time);
  GST_OBJECT_LOCK (element);
  changes->syncing = NULL;
  apply (changes, g_steal_pointer (&changes->synced), error);
  for (gint i = 0; i < GST_BLOCKDCT_N_CHECKED; i++) {
    gboolean refused = error[i].message[0] != '\0';

    if (changes->refused[i])
      error[i].message[0] = '\0';
    changes->refused[i] = refused;
  }
  GST_OBJECT_UNLOCK (element);
  warn_all (changes, element, error);
}

void
gst_blockdct_changes_warn (GstBlockDctChanges * changes, GstElement * element,
    GstBlockDctChecked which, const BdctError * error)
{
  static const gchar *const names[GST_BLOCKDCT_N_CHECKED] = {
    "The quantization tables were", "The scaling lists were", "curve was",
    "The targets were", "min-block and max-block were", "b-transform was"
  };
  gboolean no_bus;

  GST_OBJECT_LOCK (element);
  no_bus = GST_ELEMENT_BUS (element) == NULL;
  if (no_bus)
    changes->untold[which] = *error;
  GST_OBJECT_UNLOCK (element);
  if (no_bus)
    GST_WARNING_OBJECT (element, "%s", error->message);
  else
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
        ("%s not changed: %s.", names[which], error->message), (NULL));
}

void
gst_blockdct_changes_tell (GstBlockDctChanges * changes, GstElement * element)
{
  BdctError error[GST_BLOCKDCT_N_CHECKED];

  GST_OBJECT_LOCK (element);
  memcpy (error, changes->untold, sizeof error);
  memset (changes->untold, 0, sizeof changes->untold);
  GST_OBJECT_UNLOCK (element);
  warn_all (changes, element, error);
}

void
gst_blockdct_changes_drop (GstBlockDctChanges * changes, GstElement * element,
    GstBlockDctChecked which, const GstBlockDctSettings * bad)
{
  static const GstBlockDctSettings none = { 0 };

  GST_OBJECT_LOCK (element);
  /* Not what was set since. */
  if (is_same (which, &changes->wanted, bad))
    copy (which, &changes->wanted, &none);
  if (is_same (which, &changes->current, bad))
    copy (which, &changes->current, &none);
  GST_OBJECT_UNLOCK (element);
}
