/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page-parts.h"

static void
add_descriptions (PreviewPage * self, JsonObject * json)
{
  g_auto (GStrv) presets = preview_session_get_presets (self->session);
  JsonArray *controls = json_array_new (), *names = json_array_new ();

  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
    json_array_add_object_element (controls,
        preview_protocol_write_control (preview_controls[i],
            preview_session_get_pspec (self->session, i)));
  for (gchar ** name = presets; name != NULL && *name != NULL; name++)
    json_array_add_string_element (names, *name);
  json_object_set_array_member (json, "controls", controls);
  json_object_set_array_member (json, "presets", names);
}

static JsonObject *
describe_values (PreviewPage * self)
{
  JsonObject *values = json_object_new ();

  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++) {
    g_auto (GValue) value = G_VALUE_INIT;

    preview_session_get_value (self->session, i, &value);
    json_object_set_member (values, preview_controls[i],
        preview_protocol_write_value (&value));
  }
  return values;
}

/* The figures that the viewer does not have yet. */
static JsonArray *
describe_points (Viewer * viewer)
{
  PreviewPage *self = viewer->page;
  const guint64 n = MIN (self->n_points - viewer->point, self->points.length);
  GList *link = g_queue_peek_nth_link (&self->points, self->points.length - n);
  JsonArray *array = json_array_new ();

  for (; link != NULL; link = link->next)
    json_array_add_object_element (array, json_object_ref (link->data));
  viewer->point = self->n_points;
  return array;
}

static JsonArray *
describe_idle (PreviewPage * self)
{
  JsonArray *idle = json_array_new ();

  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
    if (preview_session_is_idle (self->session, i, self->picture.figures))
      json_array_add_string_element (idle, preview_controls[i]);
  return idle;
}

/* How many frames it has, across and down; and how wide a sample of theirs is
 * for its height. */
static void
describe_sample (GstSample * sample, JsonObject * picture)
{
  const GstStructure *both = gst_sample_get_info (sample);
  const gboolean stacked = both != NULL
      && gst_structure_has_name (both, PREVIEW_STACKED);
  gint n = 1, d = 1;

  gst_structure_get_fraction (gst_caps_get_structure (gst_sample_get_caps
          (sample), 0), "pixel-aspect-ratio", &n, &d);
  json_object_set_int_member (picture, "columns", 1 + (both && !stacked));
  json_object_set_int_member (picture, "rows", 1 + stacked);
  json_object_set_double_member (picture, "aspect", (gdouble) n / d);
}

void
preview_news_add_picture (Viewer * viewer, JsonObject * json)
{
  PreviewPage *self = viewer->page;
  const PreviewPicture *file = &self->file;
  JsonObject *picture = json_object_new ();

  if (viewer->frame > 0)
    viewer->skipped += self->picture.number - viewer->frame - 1;
  viewer->frame = self->picture.number;
  json_object_set_int_member (picture, "frame", viewer->frame);
  json_object_set_int_member (picture, "skipped", viewer->skipped);
  json_object_set_string_member (picture, "format", file->format);
  json_object_set_int_member (picture, "width", file->width);
  json_object_set_int_member (picture, "height", file->height);
  if (file->matrix != NULL)
    json_object_set_string_member (picture, "matrix", file->matrix);
  json_object_set_boolean_member (picture, "full", file->full);
  describe_sample (self->picture.sample, picture);
  json_object_set_object_member (json, "picture", picture);
  json_object_set_boolean_member (json, "tone-mapped", file->tone_mapped);
  if (self->picture.figures == NULL)
    return;
  json_object_set_object_member (json, "figures",
      preview_protocol_write_structure (self->picture.figures));
  json_object_set_array_member (json, "idle", describe_idle (self));
}

static void
add_property (GParamSpec * pspec, const gchar * value, gpointer array)
{
  JsonObject *property = preview_protocol_write_control (pspec->name, pspec);

  if (value != NULL)
    json_object_set_string_member (property, "value", value);
  json_array_add_object_element (array, property);
}

/* The other properties of A's and B's encoder. */
static void
add_coding (Viewer * viewer, JsonObject * json)
{
  PreviewPage *self = viewer->page;
  JsonArray *sides = json_array_new ();

  for (guint i = 0; i < 2; i++) {
    JsonArray *properties = json_array_new ();

    preview_session_foreach_property (self->session, i, add_property,
        properties);
    json_array_add_array_element (sides, properties);
  }
  json_object_set_array_member (json, "properties", sides);
  viewer->coding = preview_session_count_codings (self->session);
}

void
preview_news_add (Viewer * viewer, JsonObject * json)
{
  PreviewPage *self = viewer->page;
  g_autoptr (GstStructure) session = preview_session_describe (self->session);

  if (viewer->sent == 0)
    add_descriptions (self, json);
  json_object_set_int_member (json, "heard", viewer->heard);
  json_object_set_object_member (json, "values", describe_values (self));
  preview_protocol_add_structure (json, session);
  if (viewer->coding != preview_session_count_codings (self->session))
    add_coding (viewer, json);
  if (self->opened_at > viewer->sent)
    json_object_set_boolean_member (json, "opened", TRUE);
  if (viewer->point < self->n_points)
    json_object_set_array_member (json, "points", describe_points (viewer));
  if (self->notice_at > viewer->sent)
    json_object_set_string_member (json, "notice", self->notice);
  if (self->block_at > viewer->sent)
    json_object_set_object_member (json, "block",
        preview_protocol_write_structure (self->block));
  if (self->curve_at > viewer->sent)
    json_object_set_object_member (json, "curve",
        json_object_ref (self->curve));
}
