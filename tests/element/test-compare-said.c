/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: what is said, once, where inputs do not fit: a row is a
 * test. */
#include "duel.h"

#define CAPS(more) \
  " ! video/x-raw,width=16,height=16,framerate=200/1," more " ! "
#define SOURCE "videotestsrc num-buffers=5 "
#define COMPARE "blockdctcompare name=compare "
#define SINK " ! fakesink name=out"

/* Two inputs, and what their caps have beside a size. */
#define TWO(reference, distorted, properties) \
  SOURCE CAPS (reference) "compare.ref_sink " SOURCE CAPS (distorted) \
  "compare.dist_sink " COMPARE properties SINK
#define I420 "format=I420"

typedef struct
{
  const gchar *path, *line;
  GstMessageType type;
  gboolean ends;                /* with nothing else said */
  const gchar *parts[4];
} Row;

static const Row rows[] = {
  {"size", SOURCE CAPS (I420) "compare.ref_sink " SOURCE
        "! video/x-raw,format=I420,width=18,height=16 ! compare.dist_sink "
        COMPARE SINK, GST_MESSAGE_ERROR, FALSE, {"differ in size",
          "videoscale"}},
  {"subsampling", TWO (I420, "format=Y42B", ""), GST_MESSAGE_ERROR, FALSE,
      {"differ in chroma subsampling", "videoconvert", "Y42B"}},
  {"depth", TWO (I420, "format=I420_10LE", ""), GST_MESSAGE_ERROR, FALSE,
      {"differ in depth", "I420_10LE",
          "videoconvert ! video/x-raw,format=I420"}},
  {"format", TWO (I420, "format=RGB", ""), GST_MESSAGE_ERROR, FALSE,
      {"differ in format", "videoconvert", "RGB"}},
  {"range", TWO (I420 ",colorimetry=bt601", I420 ",colorimetry=1:4:16:4", ""),
      GST_MESSAGE_WARNING, TRUE, {"and ref_sink", "differ in range"}},
  {"colorimetry", TWO (I420 ",colorimetry=bt601", I420 ",colorimetry=bt709",
          ""), GST_MESSAGE_WARNING, TRUE, {"and ref_sink",
          "differ in colorimetry"}},
  /* One thread feeds both, which waits from then on. */
  {"stuck", "videotestsrc " CAPS (I420) "tee name=t ! compare.ref_sink "
        "t. ! identity drop-probability=1 ! compare.dist_sink " COMPARE SINK,
      GST_MESSAGE_WARNING, FALSE, {"ref_sink has ", "and dist_sink has none",
          "queue max-size-buffers=0"}},
  {"unlinked", "videotestsrc " CAPS (I420) "compare.ref_sink " COMPARE SINK,
      GST_MESSAGE_WARNING, FALSE, {"ref_sink has ",
          "and dist_sink is not linked", "Link dist_sink"}},
  {"no-caps", "fakesrc num-buffers=1 sizetype=fixed sizemax=384 format=time ! "
        "compare.ref_sink " SOURCE CAPS (I420) "compare.dist_sink " COMPARE
        SINK, GST_MESSAGE_ERROR, FALSE, {"ref_sink has frames without caps"}},
  {"alone", SOURCE CAPS (I420) "compare.ref_sink videotestsrc num-buffers=1 "
        "timestamp-offset=40000000000 " CAPS (I420) "compare.dist_sink "
        COMPARE SINK, GST_MESSAGE_WARNING, TRUE, {
          "None of 5 reference frames"}},
  {"missing-side", TWO (I420, I420, "view=wipe right=1"), GST_MESSAGE_WARNING,
      TRUE, {"right=1: there is no dist_sink_1"}},
  /* A view of a blockdct is no picture of it. */
  {"view", SOURCE CAPS (I420) "tee name=t ! queue ! compare.ref_sink "
        "t. ! queue ! blockdct view=error-map ! compare.dist_sink " COMPARE
        SINK, GST_MESSAGE_WARNING, TRUE, {"view=error-map"}},
  {"min-psnr-warning", SOURCE "pattern=snow " CAPS (I420)
        "compare.ref_sink " SOURCE CAPS (I420) "compare.dist_sink " COMPARE
        "metrics=ssim min-psnr-warning=50 min-psnr-error=1" SINK,
      GST_MESSAGE_WARNING, TRUE, {"below min-psnr-warning=50"}},
  {"min-psnr-error", SOURCE "pattern=snow " CAPS (I420) "compare.ref_sink "
        SOURCE CAPS (I420) "compare.dist_sink " COMPARE "min-psnr-error=60"
        SINK, GST_MESSAGE_ERROR, FALSE, {"dist_sink: frame 0",
          "min-psnr-error=60"}},
  {"stats-file", TWO (I420, I420, "stats-file=/nowhere/figures.txt"),
      GST_MESSAGE_ERROR, FALSE, {".log, .csv or .jsonl"}},
};

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  Duel duel;

  duel_launch (&duel, row->line);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  text_expect (duel_wait_text (&duel, row->type), row->parts[0],
      row->parts[1], row->parts[2], row->parts[3], NULL);
  if (row->ends)
    gst_message_unref (duel_wait (&duel, GST_MESSAGE_EOS));
  if (row->type == GST_MESSAGE_ERROR)
    duel_abort (&duel);
  else
    duel_clear (&duel);
}

TEST_ROWS ("/compare-said/", test_row, rows)
