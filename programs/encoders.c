/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoders.h"

/* The rate of CRF is bounded nowhere else. */
#define CQ "end-usage=cq cq-level={crf} target-bitrate=2000000000"

const EncoderInfo encoders[] = {
  {"x264enc", {NULL, "pass=quant quantizer={qp}", "pass=qual quantizer={crf}",
          "bitrate={bitrate}"}},
  {"x265enc", {NULL, "qp={qp}", "option-string=crf={crf}",
          "bitrate={bitrate}"}},
  {"openh264enc", {NULL, "qp-min={qp} qp-max={qp}", NULL,
          "rate-control=bitrate bitrate={bitrate}000"}},
  {"av1enc", {NULL, "min-quantizer={qp} max-quantizer={qp}", NULL,
          "max-quantizer=63 target-bitrate={bitrate}"}},
  {"vp8enc", {NULL, "min-quantizer={qp} max-quantizer={qp}", CQ,
          "target-bitrate={bitrate}000"}},
  {"vp9enc", {NULL, "min-quantizer={qp} max-quantizer={qp}", CQ,
          "target-bitrate={bitrate}000"}},
  {"theoraenc", {"quality={quality}", NULL, NULL, "bitrate={bitrate}"}},
  {"jpegenc", {"quality={quality}"}},
  {"mpeg2enc", {NULL, "quantisation={qp}", NULL, "bitrate={bitrate}"}},
  {"avenc_mpeg4", {NULL, "qmin={qp} qmax={qp}"}},
  {"avenc_mpeg2video", {NULL, "qmin={qp} qmax={qp}"}},
  {NULL, {NULL}}
};

const gchar *
encoder_scale_name (EncoderScale scale)
{
  static const gchar *const names[] = { "quality", "qp", "crf", "bitrate" };

  return names[scale];
}

const gchar *
encoder_placeholder (EncoderScale scale)
{
  static const gchar *const texts[] = { "{quality}", "{qp}", "{crf}",
    "{bitrate}"
  };

  return texts[scale];
}

gchar *
encoder_fill (const gchar * text, EncoderScale scale, gint value)
{
  gchar **parts = g_strsplit (text, encoder_placeholder (scale), -1);
  gchar *number = g_strdup_printf ("%d", value);
  gchar *filled = g_strjoinv (number, parts);

  g_strfreev (parts);
  g_free (number);
  return filled;
}

gboolean
encoder_get_range (GParamSpec * spec, gdouble * min, gdouble * max)
{
#define RANGE(IS, CAST) \
  if (IS (spec)) { \
    *min = CAST (spec)->minimum; \
    *max = CAST (spec)->maximum; \
    return TRUE; \
  }
  RANGE (G_IS_PARAM_SPEC_INT, G_PARAM_SPEC_INT);
  RANGE (G_IS_PARAM_SPEC_UINT, G_PARAM_SPEC_UINT);
  RANGE (G_IS_PARAM_SPEC_INT64, G_PARAM_SPEC_INT64);
  RANGE (G_IS_PARAM_SPEC_UINT64, G_PARAM_SPEC_UINT64);
  RANGE (G_IS_PARAM_SPEC_FLOAT, G_PARAM_SPEC_FLOAT);
  RANGE (G_IS_PARAM_SPEC_DOUBLE, G_PARAM_SPEC_DOUBLE);
#undef RANGE
  return FALSE;
}

GParamSpec *
encoder_find_range (const gchar * text, EncoderScale scale,
    GObjectClass * klass, gdouble * min, gdouble * max)
{
  gchar *pattern = g_strdup_printf ("([a-zA-Z0-9-]+)=\\{%s\\}(?=\\s|!|$)",
      encoder_scale_name (scale));
  GRegex *regex = g_regex_new (pattern, 0, 0, NULL);
  GParamSpec *found = NULL;
  GMatchInfo *match;

  g_regex_match (regex, text, 0, &match);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL)) {
    gchar *name = g_match_info_fetch (match, 1);
    GParamSpec *spec = g_object_class_find_property (klass, name);
    gdouble low, high;

    if (spec != NULL && encoder_get_range (spec, &low, &high) && (found == NULL
            || low > *min || high < *max)) {
      *min = found == NULL ? low : MAX (low, *min);
      *max = found == NULL ? high : MIN (high, *max);
      found = spec;
    }
    g_free (name);
  }
  g_match_info_free (match);
  g_regex_unref (regex);
  g_free (pattern);
  return found;
}
