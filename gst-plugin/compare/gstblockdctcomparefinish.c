/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reports a pair that comes out of the engine, and makes the buffer that
 * leaves. */
#include "gstblockdctcompareprivate.h"

#include <math.h>
#include <string.h>

#define GST_CAT_DEFAULT gst_blockdct_compare_debug

#define find_meta gst_blockdct_find_meta
#define pad_names gst_blockdct_compare_pad_names

GstStructure *
gst_blockdct_compare_finish_stats (GstBlockDctCompare * self)
{
  GstStructure *s =
      gst_structure_new_empty (GST_BLOCKDCT_COMPARE_NAME "-stats");

  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++) {
    const GstBlockDctTotals *totals = &self->statistics[i].totals;
    GstStructure *of_pad;

    if (i > 0 && totals->frames + totals->dropped == 0)
      continue;
    of_pad = gst_blockdct_structure_stats (totals, pad_names[i]);
    gst_structure_set (s, pad_names[i], GST_TYPE_STRUCTURE, of_pad, NULL);
    gst_structure_free (of_pad);
  }
  return s;
}

#define GRID "grid"

/* The name of the view, if a buffer is not a picture but a view of one, or has
 * lines on it; else NULL. */
static const gchar *
find_view (GstBuffer * buffer)
{
  const GstStructure *figures = find_meta (buffer, GST_BLOCKDCT_NAME);
  const gchar *view = figures == NULL ? NULL
      : gst_structure_get_string (figures, "view");

  /* The buffer may go before this is read. */
  if (g_strcmp0 (view, "reconstruction") != 0)
    return g_intern_string (view);
  return gst_structure_has_field (figures, GRID) ? GRID : NULL;
}

/* The metas of a pad's buffer, read before it is released. */
typedef struct
{
  const gchar *view;            /* this view is shown by it or by the reference;
                                   NULL: both are pictures */
  GstBlockDctRecipe recipe;
  gchar name[64];               /* for text */
  gdouble psnr;                 /* for text: from its blockdct; or NAN */
} Input;

static void
read_input (GstBlockDctCompare * self, GstBuffer * buffer, gint pad,
    const gchar * reference_view, Input * input)
{
  const GstStructure *figures = find_meta (buffer, GST_BLOCKDCT_NAME);
  const GstStructure *coded = find_meta (buffer, GST_BLOCKDCT_CODED_NAME);
  GstBlockDctRecipe *recipe = &input->recipe;
  /* The optional field `encoder` is a name for text. */
  const gchar *name = coded == NULL ? NULL
      : gst_structure_get_string (coded, "encoder");
  gboolean has_qp;
  gint setting;

  input->view = find_view (buffer);
  if (input->view == NULL)
    input->view = reference_view;
  recipe->depth = self->frames.layout.depth;
  recipe->backend = self->frames.backend.name;
  recipe->pad = pad_names[pad];
  recipe->coded = coded != NULL
      && gst_structure_get_uint64 (coded, "bits", &recipe->bits)
      && gst_structure_get_uint64 (coded, "bits-headers", &recipe->header_bits);
  g_strlcpy (input->name, name != NULL ? name : pad_names[pad],
      sizeof input->name);
  input->psnr = NAN;
  if (figures == NULL)
    return;
  gst_structure_get_double (figures, "psnr", &input->psnr);
  name = gst_structure_get_string (figures, "transform");
  has_qp = gst_structure_get_int (figures, "qp", &setting);
  if (name != NULL && (has_qp
          || gst_structure_get_int (figures, "quality", &setting)))
    g_snprintf (input->name, sizeof input->name, "%s  %s %d", name,
        has_qp ? "QP" : "quality", setting);
}

/* Report one pad's figures. */
static gboolean
report (GstBlockDctCompare * self, GstBuffer * buffer,
    const GstBlockDctCompareInFlight * frame, BdctStats * stats,
    const Input * input, gint pad)
{
  const BdctCounters total = bdct_counters_sum (stats->component);

  /* Without `psnr` its fields are left out, even if the errors are known. */
  if (!(frame->settings.metrics & GST_BLOCKDCT_COMPARE_PSNR)) {
    memset (stats->component, 0, sizeof stats->component);
    memset (stats->rgb, 0, sizeof stats->rgb);
  }
  return gst_blockdct_statistics_report (&self->statistics[pad],
      GST_ELEMENT (self), buffer, stats, &input->recipe, &frame->times,
      &frame->settings.common, bdct_psnr (bdct_mse (&total),
          input->recipe.depth), frame->pair.repeated, self->stats_file);
}

static void
append_figures (GString * text, const gchar * name, const BdctStats * stats,
    gint depth)
{
  static const gchar names[] = "YUV";
  BdctCounters total = bdct_counters_sum (stats->component);

  g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", name);
  if (total.samples > 0 && total.sse == 0) {
    g_string_append (text, "  identical");
  } else if (total.samples > 0) {
    g_string_append_printf (text, "  PSNR %.2f dB\n ",
        bdct_psnr (bdct_mse (&total), depth));
    for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++)
      if (stats->component[c].samples > 0)
        g_string_append_printf (text, stats->component[c].sse > 0
            ? " %c %.2f" : " %c same", names[c],
            bdct_psnr (bdct_mse (&stats->component[c]), depth));
  }
  for (guint m = 0; m < BDCT_N_METRICS; m++) {
    gdouble figure;

    if (!bdct_metric_figure (stats, 1, depth, m, bdct_metric_info (m)->main,
            &figure))
      continue;
    g_string_append_printf (text, "\n  %s ", bdct_metric_info (m)->name);
    if (isinf (figure))
      g_string_append (text, "identical");
    else
      g_string_append_printf (text, bdct_metric_info (m)->in_db
          ? "%.2f dB" : "%.4f", figure);
  }
}

/* The view of the buffer that passes unchanged, for the legend of a map: that
 * of the blockdct that made it. Called before the buffer leaves. */
static BdctView
find_map (const GstBlockDctCompare * self,
    const GstBlockDctCompareInFlight * frame)
{
  const gint right = frame->settings.right;
  BdctView view = self->frames.colours;
  const gchar *name = find_view (right < 0 ? frame->pair.reference
      : frame->pair.distorted[right]);

  for (gint i = 0; name != NULL && i < BDCT_N_VIEWS; i++)
    if (strcmp (bdct_view_info (i)->name, name) == 0)
      view.mode = i;
  return view;
}

/* The figures of all inputs, as lines of text; owned by the caller. */
static gchar *
write_figures (GstBlockDctCompare * self,
    const GstBlockDctCompareInFlight * frame, const Input * inputs,
    const BdctStats * stats)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < frame->n_pads; i++) {
    const Input *input = &inputs[frame->pad[i]];

    if (input->view == NULL)
      append_figures (text, input->name, &stats[i], self->frames.layout.depth);
    else if (strcmp (input->view, GRID) == 0 && !isnan (input->psnr))
      g_string_append_printf (text, "%s%s  PSNR %.2f dB",
          text->len > 0 ? "\n" : "", input->name, input->psnr);
  }
  return g_string_free (text, FALSE);
}

/* Draw text on the picture, which shows `view`. `inputs` is indexed by pad. */
static void
draw_text (GstBlockDctCompare * self, const GstBlockDctCompareInFlight * frame,
    const BdctView * view, const Input * inputs, const BdctStats * stats,
    GstBuffer * buffer)
{
  const GstBlockDctCompareSettings *settings = &frame->settings;
  const gint sides[] = { settings->left, settings->right };
  g_autofree gchar *text = settings->overlay
      ? write_figures (self, frame, inputs, stats) : NULL;
  GstBlockDctOverlayFrame drawn = {
    .buffer = buffer,
    .info = &self->output.info,
    .layout = &self->frames.layout,
    .view = view,
    .text = text != NULL ? text : "",
    .figures = settings->overlay,
    .attach = self->output.overlay_attach,
  };

  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    drawn.names[i] = sides[i] < 0 ? "reference" : inputs[sides[i]].name;
  gst_blockdct_overlay_draw (&self->overlay, GST_ELEMENT (self), &drawn);
}

/* The buffer that leaves, with the reference's times: the view that was drawn,
 * or the pad's own buffer. The pair is released, so that this need not be
 * copied. */
static GstBuffer *
take_buffer (GstBlockDctCompareInFlight * frame)
{
  const gint right = frame->settings.right;
  const GstClockTime pts = GST_BUFFER_PTS (frame->pair.reference);
  const GstClockTime duration = GST_BUFFER_DURATION (frame->pair.reference);
  GstBuffer *buffer = frame->out != NULL ? g_steal_pointer (&frame->out)
      : gst_buffer_ref (right < 0 ? frame->pair.reference
      : frame->pair.distorted[right]);

  gst_blockdct_compare_pair_clear (&frame->pair);
  buffer = gst_buffer_make_writable (buffer);
  if (frame->pair.repeated)
    gst_blockdct_mark_add (buffer, GST_BLOCKDCT_MARK_REPEATED);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = duration;
  return buffer;
}

static void
warn_view (GstBlockDctCompare * self, gint pad, const gchar * view)
{
  /* A picture with lines on it has figures from its blockdct. */
  if (strcmp (view, GRID) == 0 || !gst_blockdct_compare_warn_once (self,
          GST_BLOCKDCT_COMPARE_WARNED_VIEW + pad))
    return;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("There are no figures for %s: an input shows view=%s.", pad_names[pad],
          view),
      ("Set view=reconstruction on the blockdct that it comes from."));
}

/* Collect and report the oldest pair; `*buffer` is the one that leaves. */
static GstFlowReturn
output (GstBlockDctCompare * self, GstBuffer ** buffer)
{
  Input inputs[BDCT_MAX_DISTORTED] = { 0 };
  GstBlockDctCompareInFlight *frame;
  BdctStats stats[BDCT_MAX_DISTORTED];
  GstFlowReturn ret = gst_blockdct_compare_frames_collect (self, &frame, stats);
  gboolean ok = TRUE, drawn;
  const gchar *reference_view;
  BdctView view;

  if (ret != GST_FLOW_OK)
    return ret;
  reference_view = find_view (frame->pair.reference);
  for (guint i = 0; i < frame->n_pads; i++) {
    const gint pad = frame->pad[i];

    read_input (self, frame->pair.distorted[pad], pad, reference_view,
        &inputs[pad]);
    if (inputs[pad].view != NULL)
      warn_view (self, pad, inputs[pad].view);
  }
  drawn = frame->out != NULL;
  view = drawn ? frame->view : find_map (self, frame);
  *buffer = take_buffer (frame);
  for (guint i = 0; i < frame->n_pads && ok; i++) {
    const gint pad = frame->pad[i];

    if (inputs[pad].view == NULL)
      ok = report (self, *buffer, frame, &stats[i], &inputs[pad], pad);
  }
  if (ok && (frame->settings.overlay || drawn))
    draw_text (self, frame, &view, inputs, stats, *buffer);
  if (ok)
    return GST_FLOW_OK;
  gst_clear_buffer (buffer);
  gst_blockdct_compare_frames_discard (self);
  return GST_FLOW_ERROR;
}

void
gst_blockdct_compare_finish_end (GstBlockDctCompare * self)
{
  const gboolean post =
      gst_blockdct_compare_get_settings (self).common.post_messages;

  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++)
    gst_blockdct_statistics_end (&self->statistics[i], GST_ELEMENT (self),
        post);
}

GstFlowReturn
gst_blockdct_compare_push_oldest (GstBlockDctCompare * self)
{
  GstBuffer *buffer = NULL;
  GstFlowReturn ret = output (self, &buffer);

  return ret == GST_FLOW_OK
      ? gst_aggregator_finish_buffer (GST_AGGREGATOR (self), buffer) : ret;
}

GstFlowReturn
gst_blockdct_compare_drain (GstBlockDctCompare * self)
{
  GstFlowReturn ret = GST_FLOW_OK;

  while (self->frames.n_in_flight > 0 && ret == GST_FLOW_OK)
    ret = gst_blockdct_compare_push_oldest (self);
  if (ret != GST_FLOW_OK)
    gst_blockdct_compare_frames_discard (self);
  return ret;
}
