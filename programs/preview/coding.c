/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bin's line alone determines B: an encoder counts as chosen if the line is
 * the one that its number makes. */
#include "coding.h"

#include <string.h>

/* The values of the choice; from FIRST on, each is an encoder and a scale. */
enum
{
  TRANSFORM, LINE, FIRST
};

/* The controls: the choice, and a number for each scale. */
static const gchar *const names[] = { "b::encoder", "b::encoder-quality",
  "b::encoder-qp", "b::encoder-bitrate"
};

#define PROPERTY(name) (name + strlen ("b::"))

static const struct
{
  gint min, max, normal;
  const gchar *about;
} ranges[ENCODER_N_SCALES] = {
  [ENCODER_QUALITY] = {0, 100, 75, "The quality of B's encoder"},
  [ENCODER_QP] = {0, 63, 30, "The QP of B's encoder"},
  [ENCODER_BITRATE] = {1, 20000, 2000, "The bitrate of B's encoder, kbit/s"},
};

static void
add_choice (GArray * values, gint value, const gchar * about,
    const gchar * nick)
{
  const GEnumValue choice = { value, about, nick };

  g_array_append_val (values, choice);
}

static GType
register_choices (void)
{
  GArray *values = g_array_new (TRUE, FALSE, sizeof (GEnumValue));

  add_choice (values, TRANSFORM, "the transform of b::transform", "transform");
  for (gint i = 0; encoders[i].name != NULL; i++) {
    g_autoptr (GstElementFactory) factory = gst_element_factory_find
        (encoders[i].name);

    for (gint scale = 0; factory != NULL && scale < ENCODER_N_SCALES; scale++)
      if (encoders[i].text[scale] != NULL)
        add_choice (values, FIRST + i * ENCODER_N_SCALES + scale,
            gst_element_factory_get_metadata (factory,
                GST_ELEMENT_METADATA_LONGNAME), g_strdup_printf ("%s-%s",
                encoders[i].name, encoder_scale_name (scale)));
  }
  add_choice (values, LINE, "the encoder of --b-encoder", "line");
  return g_enum_register_static ("PreviewCoding",
      (GEnumValue *) g_array_free (values, FALSE));
}

static GParamSpec **
get_pspecs (void)
{
  static GParamSpec *pspecs[G_N_ELEMENTS (names)];
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    pspecs[0] =
        g_param_spec_enum (PROPERTY (names[0]), NULL,
        "What B is: a transform, or an encoder", register_choices (),
        TRANSFORM, G_PARAM_READWRITE);
    for (guint i = 0; i < ENCODER_N_SCALES; i++)
      pspecs[1 + i] =
          g_param_spec_int (PROPERTY (names[1 + i]), NULL, ranges[i].about,
          ranges[i].min, ranges[i].max, ranges[i].normal, G_PARAM_READWRITE);
    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      g_param_spec_ref_sink (pspecs[i]);
    g_once_init_leave (&once, 1);
  }
  return pspecs;
}

/* The index of a name; G_N_ELEMENTS (names): none. */
static guint
find (const gchar * name)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (names) && strcmp (name, names[i]) != 0)
    i++;
  return i;
}

GParamSpec *
preview_coding_find_pspec (const gchar * name)
{
  const guint i = find (name);

  return i < G_N_ELEMENTS (names) ? get_pspecs ()[i] : NULL;
}

static EncoderScale
scale_of (gint choice)
{
  return (choice - FIRST) % ENCODER_N_SCALES;
}

static const EncoderInfo *
encoder_of (gint choice)
{
  return &encoders[(choice - FIRST) / ENCODER_N_SCALES];
}

/* The line of an encoder and its number, owned by the caller. */
static gchar *
make_line (PreviewSession * self, gint choice)
{
  const EncoderInfo *encoder = encoder_of (choice);
  const EncoderScale scale = scale_of (choice);
  g_autofree gchar *text = encoder_fill (encoder->text[scale], scale,
      g_atomic_int_get (&self->number[scale]));

  return g_strconcat (encoder->name, " ", text, NULL);
}

gchar *
preview_coding_get_line (PreviewSession * self)
{
  gchar *line;

  g_object_get (self->bin, "b-encoder", &line, NULL);
  return line;
}

static gint
get_choice (PreviewSession * self)
{
  const GEnumClass *choices = G_PARAM_SPEC_ENUM (get_pspecs ()[0])->enum_class;
  g_autofree gchar *line = preview_coding_get_line (self);

  for (guint i = 0; line != NULL && i < choices->n_values; i++) {
    const gint choice = choices->values[i].value;
    g_autofree gchar *made = choice < FIRST ? NULL : make_line (self, choice);

    if (g_strcmp0 (line, made) == 0)
      return choice;
  }
  return line == NULL ? TRANSFORM : LINE;
}

gint
preview_coding_get (PreviewSession * self, const gchar * name)
{
  const guint i = find (name);

  return i == 0 ? get_choice (self) : g_atomic_int_get (&self->number[i - 1]);
}

/* Limit the number, as GStreamer would silently take the nearest one. */
static void
limit_number (PreviewSession * self, gint choice)
{
  const EncoderInfo *encoder = encoder_of (choice);
  const EncoderScale scale = scale_of (choice);
  GstElement *element = gst_element_factory_make (encoder->name, NULL);
  const gint number = g_atomic_int_get (&self->number[scale]);
  gdouble min, max;

  if (element != NULL && encoder_find_range (encoder->text[scale], scale,
          G_OBJECT_GET_CLASS (element), &min, &max) != NULL)
    g_atomic_int_set (&self->number[scale], (gint) CLAMP (number, min, max));
  gst_clear_object (&element);
}

gboolean
preview_coding_set (PreviewSession * self, const gchar * name, gint value)
{
  const guint i = find (name);
  const gint choice = i == 0 ? value : get_choice (self);
  g_autofree gchar *line = NULL;

  if (i > 0)
    g_atomic_int_set (&self->number[i - 1], value);
  if (i > 0 && (choice < FIRST || scale_of (choice) != i - 1))
    return FALSE;
  if (choice >= FIRST) {
    limit_number (self, choice);
    line = make_line (self, choice);
  }
  g_object_set (self->bin, "b-encoder", choice == LINE
      ? self->options.b_encoder : line, NULL);
  return TRUE;
}

gboolean
preview_coding_is_idle (PreviewSession * self, const gchar * name)
{
  const guint i = find (name);
  const gint choice = get_choice (self);

  if (i == G_N_ELEMENTS (names))
    return choice != TRANSFORM;
  return i > 0 && (choice < FIRST || scale_of (choice) != i - 1);
}

static void
measure (PreviewSession * self)
{
  GObject *compare = self->part[PREVIEW_COMPARE];
  const GParamSpecFlags *pspec = G_PARAM_SPEC_FLAGS
      (g_object_class_find_property (G_OBJECT_GET_CLASS (compare), "metrics"));
  g_autofree gchar *line = preview_coding_get_line (self);
  const gboolean encoded = self->encodes;
  guint metrics = 0;

  self->encodes = line != NULL;
  if (line != NULL)
    g_object_get (self->part[PREVIEW_A], "metrics", &metrics, NULL);
  if (line != NULL || encoded)
    g_object_set (compare, "metrics", pspec->default_value | (metrics
            & pspec->flags_class->mask), NULL);
}

static void
line_changed (PreviewSession * self)
{
  preview_frames_change (self->frames);
  measure (self);
}

void
preview_coding_follow (PreviewSession * self)
{
  for (guint i = 0; i < ENCODER_N_SCALES; i++)
    self->number[i] = ranges[i].normal;
  g_signal_connect_swapped (self->bin, "notify::b-encoder",
      G_CALLBACK (line_changed), self);
  g_signal_connect_swapped (self->part[PREVIEW_A], "notify::metrics",
      G_CALLBACK (measure), self);
}
