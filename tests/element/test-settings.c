/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is set, and what is said of it: a row is a test, a list of steps:
 *
 *   NAME=VALUE      sets a property
 *   ?NAME=VALUE     reads one
 *   .               pushes a frame; x: which is an error; n: not negotiated; E:
 *                   the end of the stream
 *   =               pushes one that has to be what the engine makes of it with
 *                   what the properties say; `= annex-k`, `= flat`: with these
 *                   tables or lists instead
 *   each:NAME       does that with each value of an enumeration
 *   v:FIELD=VALUE   the last message has that; v:FIELD: any; v:!FIELD: none
 *   V:...           likewise of `stats`
 *   k:N             N curves came with it
 *   w:, e:, i:      the next warning, error or info has these PARTs, divided
 *                   by |, and no !PART
 *   -               there is none; *: any are dropped
 *   c:FORMAT WxH    caps; C:CAPS: these are refused; D:CAPS: downstream takes
 *                   these alone
 *   s:STATE         the state is set; F: cannot be PAUSED
 *   p:NAME          loads a preset that is installed
 *   f:NAME=TEXT     writes a file; t:NAME=SIZE: its size; d:NAME: removes it;
 *                   n:NAME: there is none; q:NAME: nor is its path kept;
 *                   l:NAME=TARGET: a link; g:NAME=PARTS: it has these
 *
 * In values and texts 64x5+1 stands for 64 numbers from 5 on, behind commas,
 * 64*5+1 for the same behind blanks; @NAME for a file's path, %B for the
 * backend. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include "settings-rows.h"


typedef struct
{
  Bench bench;
  guint n, curves;
  GstStructure *report;         /* the last one */
  BdctTables tables;            /* of the files, as they were read */
  BdctScalingLists lists;
} State;

/* The numbers that a match of "N x FIRST BY" or "N * FIRST BY" stands for. */
static gboolean
repeat (const GMatchInfo * match, GString * out, gpointer unused)
{
  gchar *part[5];
  gint n, v;

  (void) unused;
  for (guint i = 0; i < G_N_ELEMENTS (part); i++)
    part[i] = g_match_info_fetch (match, i);
  n = atoi (part[1]);
  v = atoi (part[3]);
  for (gint i = 0; i < n; i++, v += part[4] ? atoi (part[4]) : 0)
    g_string_append_printf (out, "%d%s", v, i == n - 1 ? ""
        : *part[2] == 'x' ? ", " : i % 8 == 7 ? "\n" : " ");
  for (guint i = 0; i < G_N_ELEMENTS (part); i++)
    g_free (part[i]);
  return FALSE;
}

static gchar *
expand (const gchar * text)
{
  g_autoptr (GRegex) numbers = g_regex_new
      ("(?<![-\\w])(\\d+)([x*])(-?\\d+)([+-]\\d+)?", 0, 0, NULL);

  if (*text == '@')
    return test_path (text + 1);
  if (strcmp (text, "%B") == 0)
    return g_strdup (test_backend ());
  return g_regex_replace_eval (numbers, text, -1, 0, 0, repeat, NULL, NULL);
}

static gchar *
read_value (GstElement * element, const gchar * name)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_object_get_property (G_OBJECT (element), name, &value);
  text = G_VALUE_HOLDS_STRING (&value) ? g_value_dup_string (&value)
      : gst_value_serialize (&value);
  g_value_unset (&value);
  return text;
}

static void
set (State * state, const gchar * name, const gchar * value)
{
  g_autofree gchar *now = NULL;
  g_autofree gchar *data = NULL;
  BdctError error;
  gsize size;

  if (*value == '\0' && g_str_has_suffix (name, "-file"))
    g_object_set (state->bench.element, name, NULL, NULL);
  else
    element_set (state->bench.element, name, value);
  if (!g_str_has_prefix (name, "quantization-file")
      && !g_str_has_prefix (name, "scaling-list-file"))
    return;
  now = read_value (state->bench.element, name);
  if (g_strcmp0 (now, value) != 0)
    return;
  g_assert_true (g_file_get_contents (now, &data, &size, NULL));
  if (*name == 'q')
    g_assert_true (bdct_tables_parse (data, size, &state->tables, &error));
  else
    g_assert_true (bdct_scaling_parse (data, size, &state->lists, &error));
  state->lists.name = 1;
}

/* What the properties say. */
static BdctParams
get_params (State * state, const gchar * instead)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  GstElement *element = state->bench.element;
  GValue matrix = G_VALUE_INIT;
  gint tables;
  gboolean scale, baseline;

  g_object_get (element, "transform", &params.transform, "quality",
      &params.quality, "qp", &params.qp, "chroma-qp-offset",
      &params.chroma_qp_offset, "deadzone", &params.deadzone, "min-block",
      &params.min_block, "max-block", &params.max_block, "lambda-scale",
      &params.lambda_scale, "scaling-list", &params.scaling_list,
      "quantization-tables", &tables, "quantization-scale", &scale, "baseline",
      &baseline, NULL);
  params.baseline = baseline;
  if (strcmp (instead, "annex-k") == 0)
    tables = BDCT_PRESET_ANNEX_K;
  if (strcmp (instead, "flat") == 0)
    params.scaling_list = BDCT_SCALING_FLAT;
  if (params.scaling_list == BDCT_SCALING_FILE)
    params.lists = state->lists;
  if (tables < BDCT_N_PRESETS) {
    params.preset = tables;
  } else if (tables == BENCH_TABLES_FILE) {
    params.tables = state->tables;
    params.scale_tables = scale;
  } else {
    g_object_get_property (G_OBJECT (element), "quantization-matrix", &matrix);
    params.n_steps = gst_value_array_get_size (&matrix);
    for (gint i = 0; i < params.n_steps; i++)
      params.steps[i] = g_value_get_int (gst_value_array_get_value (&matrix,
              i));
    g_value_unset (&matrix);
  }
  return params;
}

static void
check (State * state, const gchar * instead)
{
  const BdctParams params = get_params (state, instead);

  bench_check (&state->bench, state->n++, &params);
}

static void
check_each (State * state, const gchar * name)
{
  GParamSpecEnum *pspec = G_PARAM_SPEC_ENUM (g_object_class_find_property
      (G_OBJECT_GET_CLASS (state->bench.element), name));

  for (guint i = 0; i < pspec->enum_class->n_values; i++) {
    const GEnumValue *value = &pspec->enum_class->values[i];

    if (strcmp (value->value_nick, "matrix") == 0
        || strcmp (value->value_nick, "file") == 0)
      continue;
    g_test_message ("%s", value->value_nick);
    element_set (state->bench.element, name, value->value_nick);
    check (state, "");
  }
}

/* The last message is the report. */
static void
collect (State * state)
{
  GstMessage *message;

  state->curves = 0;
  while ((message = bench_pop (&state->bench, GST_MESSAGE_ELEMENT)) != NULL) {
    const GstStructure *s = gst_message_get_structure (message);

    if (gst_structure_has_name (s, "blockdct-curve")) {
      state->curves++;
    } else {
      gst_clear_structure (&state->report);
      state->report = gst_structure_copy (s);
    }
    gst_message_unref (message);
  }
}

static void
push (State * state, GstFlowReturn ret)
{
  GstBuffer *in = frame_new (&state->bench.info, state->n++), *out;
  const GstFlowReturn flow = gst_harness_push (state->bench.h, in);

  /* What is in flight fails as it leaves. */
  if (flow != ret)
    g_assert_true (flow == GST_FLOW_OK && state->bench.drain);
  out = bench_pull (&state->bench);
  g_assert_cmpint (out != NULL, ==, ret == GST_FLOW_OK);
  gst_clear_buffer (&out);
  collect (state);
}

static void
check_field (const GstStructure * s, const gchar * name, const gchar * value)
{
  const gboolean absent = *name == '!';
  const GValue *v = gst_structure_get_value (s, name + absent);
  g_autofree gchar *text = v != NULL ? gst_value_serialize (v) : NULL;

  g_assert_cmpint (v == NULL, ==, absent);
  if (value != NULL)
    g_assert_cmpstr (text, ==, value);
}

static void
check_stats (State * state, const gchar * name, const gchar * value)
{
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (state->bench.element, "stats", &stats, NULL);
  check_field (stats, name, value);
}

static void
check_parts (const gchar * text, const gchar * parts)
{
  g_auto (GStrv) part = g_strsplit (parts, "|", -1);

  g_test_message ("%s", text);
  for (guint i = 0; part[i] != NULL; i++)
    g_assert_cmpint (strstr (text, part[i] + (*part[i] == '!')) == NULL, ==,
        *part[i] == '!');
}

static void
check_said (State * state, GstMessageType type, const gchar * parts)
{
  g_autofree gchar *text = bench_pop_text (&state->bench, type);

  check_parts (text, parts);
}

static void
refuse_caps (State * state, const gchar * text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (state->bench.element,
      "sink");

  g_assert_false (gst_pad_query_accept_caps (pad, caps));
  g_assert_false (gst_pad_send_event (pad, gst_event_new_caps (caps)));
}

static void
set_caps (State * state, const gchar * text)
{
  g_auto (GStrv) part = g_strsplit_set (text, " x", 3);

  bench_set_caps (&state->bench, part[0], atoi (part[1]), atoi (part[2]));
}

static void
do_with_file (const gchar * step)
{
  g_auto (GStrv) pair = g_strsplit (step + 2, "=", 2);
  g_autofree gchar *path = test_path (pair[0]);
  g_autofree gchar *text = *step == 'f' ? expand (pair[1]) : NULL;

  if (*step == 'g') {
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    check_parts (text, pair[1]);
    return;
  }
  if (*step == 'f')
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
  else if (*step == 't')
    g_assert_cmpint (truncate (path, atoi (pair[1])), ==, 0);
  else if (*step == 'd')
    g_unlink (path);
  else if (*step == 'l')
    g_assert_cmpint (symlink (pair[1], path), ==, 0);
  else if (*step == 'n')
    g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  else
    g_assert_cmpuint (g_quark_try_string (path), ==, 0);
}

static void
do_step (State * state, const gchar * step)
{
  const gchar *const rest = step[0] != '\0' && step[1] == ':' ? step + 2 : NULL;
  GstElement *const element = state->bench.element;
  const GstMessageType said = GST_MESSAGE_ERROR | GST_MESSAGE_WARNING
      | GST_MESSAGE_INFO;
  g_auto (GStrv) pair = g_strsplit (rest != NULL ? rest : step + (*step == '?'),
      "=", 2);
  g_autofree gchar *value = NULL, *now = NULL;

  g_test_message ("%.60s", step);
  if (*step == '-') {
    g_assert_null (bench_pop (&state->bench, said));
  } else if (*step == '*') {
    for (GstMessage * m; (m = bench_pop (&state->bench, said)) != NULL;)
      gst_message_unref (m);
  } else if (*step == '=') {
    check (state, step[1] == ' ' ? step + 2 : "");
  } else if (strcmp (step, ".") == 0 || strcmp (step, "x") == 0
      || strcmp (step, "n") == 0) {
    push (state, *step == '.' ? GST_FLOW_OK : *step == 'x' ? GST_FLOW_ERROR
        : GST_FLOW_NOT_NEGOTIATED);
  } else if (strcmp (step, "E") == 0) {
    gst_harness_push_event (state->bench.h, gst_event_new_eos ());
    collect (state);
  } else if (*step == 'F' || (rest != NULL && *step == 's')) {
    g_assert_cmpint (gst_element_set_state (element, *step == 'F'
            ? GST_STATE_PAUSED : rest[0] == 'N' ? GST_STATE_NULL
            : rest[0] == 'R' ? GST_STATE_READY : GST_STATE_PLAYING)
        == GST_STATE_CHANGE_FAILURE, ==, *step == 'F');
  } else if (g_str_has_prefix (step, "each:")) {
    check_each (state, step + 5);
  } else if (rest == NULL) {
    value = expand (pair[1]);
    if (*step != '?') {
      set (state, pair[0], value);
      return;
    }
    now = read_value (element, pair[0]);
    g_assert_cmpstr (now ? now : "", ==, value);
  } else if (strchr ("ftdnqlg", *step) != NULL) {
    do_with_file (step);
  } else if (*step == 'v') {
    check_field (state->report, pair[0], pair[1]);
  } else if (*step == 'V') {
    check_stats (state, pair[0], pair[1]);
  } else if (*step == 'k') {
    g_assert_cmpuint (state->curves, ==, atoi (rest));
  } else if (*step == 'c') {
    set_caps (state, rest);
  } else if (*step == 'C') {
    refuse_caps (state, rest);
  } else if (*step == 'D') {
    gst_harness_set_sink_caps_str (state->bench.h, rest);
  } else if (*step == 'p') {
    g_assert_true (gst_preset_load_preset (GST_PRESET (element), rest));
  } else {
    check_said (state, *step == 'w' ? GST_MESSAGE_WARNING : *step == 'e'
        ? GST_MESSAGE_ERROR : GST_MESSAGE_INFO, rest);
  }
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  State state = {.n = 0 };

  bench_init (&state.bench, NULL, 0, 0, NULL);
  if (*row->caps != '\0')
    set_caps (&state, row->caps);
  for (guint i = 0; i < MAX_STEPS && row->steps[i] != NULL; i++)
    do_step (&state, row->steps[i]);
  gst_clear_structure (&state.report);
  bench_clear (&state.bench);
}

TEST_ROWS ("/settings/", test_row, rows)
