/* blockdct-regions: sharp regions in a coarse picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   blockdct-regions PIPELINE X,Y,WIDTH,HEIGHT[,DELTA]...
 *
 * Plays a pipeline with a blockdct named `dct`, and tells it that each of these
 * rectangles has to be finer by DELTA QP (below 0; -18 if it is left out):
 *
 *   blockdct-regions "videotestsrc pattern=zone-plate kx2=20 ky2=20 !
 *       video/x-raw,format=I420 ! blockdct name=dct quality=10 ! videoconvert !
 *       autovideosink" 100,60,120,90 0,0,64,64,-6
 *
 * A detector of faces would do the same with what it finds in each frame. */
#include <stdio.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#define DELTA -18

typedef struct
{
  guint x, y, width, height;
  gint delta;
} Rectangle;

/* Attach the rectangles to a buffer on its way into blockdct. Encoders read the
 * same meta, each with a structure of its own name. */
static GstPadProbeReturn
add_regions (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer =
      gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  const GArray *rectangles = data;

  (void) pad;
  for (guint i = 0; i < rectangles->len; i++) {
    const Rectangle *r = &g_array_index (rectangles, Rectangle, i);
    GstVideoRegionOfInterestMeta *meta =
        gst_buffer_add_video_region_of_interest_meta (buffer, "example", r->x,
        r->y, r->width, r->height);

    gst_video_region_of_interest_meta_add_param (meta,
        gst_structure_new ("roi/blockdct", "delta-qp", G_TYPE_INT, r->delta,
            NULL));
  }
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

/* Play to the end and print what is said of each frame. FALSE on an error, or
 * if no region was in force. */
static gboolean
play (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean end = FALSE, found = FALSE, failed = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!end) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR
        | GST_MESSAGE_EOS);
    const GstStructure *s = gst_message_get_structure (message);
    GError *error = NULL;
    guint64 index;
    gdouble psnr;
    guint regions = 0;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
        && gst_structure_has_name (s, "blockdct")
        && gst_structure_get (s, "index", G_TYPE_UINT64, &index, "psnr",
            G_TYPE_DOUBLE, &psnr, NULL)) {
      gst_structure_get_uint (s, "regions", &regions);
      printf ("%-6s %4" G_GUINT64_FORMAT " %2u regions %6.2f dB\n",
          gst_structure_get_string (s, "type"), index, regions, psnr);
      found = found || regions > 0;
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      gst_message_parse_warning (message, &error, NULL);
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error (message, &error, NULL);
      end = failed = TRUE;
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS) {
      end = TRUE;
    }
    if (error != NULL)
      fprintf (stderr, "%s\n", error->message);
    g_clear_error (&error);
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  return found && !failed;
}

int
main (int argc, char **argv)
{
  GArray *rectangles = g_array_new (FALSE, FALSE, sizeof (Rectangle));
  GstElement *pipeline, *dct;
  GError *error = NULL;
  gboolean ok;
  GstPad *pad;

  gst_init (&argc, &argv);
  for (gint i = 2; i < argc; i++) {
    Rectangle r = {.delta = DELTA };

    if (sscanf (argv[i], "%u,%u,%u,%u,%d", &r.x, &r.y, &r.width, &r.height,
            &r.delta) < 4) {
      fprintf (stderr, "%s is not X,Y,WIDTH,HEIGHT[,DELTA]\n", argv[i]);
      return 2;
    }
    g_array_append_val (rectangles, r);
  }
  if (argc < 3) {
    fprintf (stderr, "usage: %s PIPELINE X,Y,WIDTH,HEIGHT[,DELTA]...\n",
        argv[0]);
    return 2;
  }
  pipeline = gst_parse_launch (argv[1], &error);
  if (error != NULL || !GST_IS_BIN (pipeline)
      || (dct = gst_bin_get_by_name (GST_BIN (pipeline), "dct")) == NULL) {
    fprintf (stderr, "%s\n", error != NULL ? error->message
        : "The pipeline needs 'blockdct name=dct'.");
    return 2;
  }
  pad = gst_element_get_static_pad (dct, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, add_regions, rectangles,
      NULL);
  ok = play (pipeline);
  gst_object_unref (pad);
  gst_object_unref (dct);
  gst_object_unref (pipeline);
  g_array_unref (rectangles);
  return ok ? 0 : 1;
}
