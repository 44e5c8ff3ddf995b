/* blockdct-regions: sharp regions in a coarse picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   blockdct-regions PIPELINE [X,Y,WIDTH,HEIGHT[,DELTA]]...
 *
 * Plays a pipeline with a blockdct named `dct`, and tells it that each of these
 * rectangles has to be finer by DELTA QP (below 0; -18 if it is left out):
 *
 *   blockdct-regions "videotestsrc pattern=zone-plate kx2=20 ky2=20 !
 *       video/x-raw,format=I420 ! blockdct name=dct quality=10 ! videoconvert !
 *       autovideosink" 100,60,120,90 0,0,64,64,-6
 *
 * So are faces that a facedetect finds in the pipeline (Debian:
 * gstreamer1.0-opencv), until it finds others: between it and blockdct the
 * picture keeps its size, and no queue stands.
 *
 *   blockdct-regions "filesrc location=street.avi ! decodebin ! videoconvert !
 *       video/x-raw,format=RGB ! facedetect display=false profile=
 *       /usr/share/opencv4/haarcascades/haarcascade_fullbody.xml !
 *       blockdct name=dct quality=5 view=quality-map ! videoconvert !
 *       autovideosink" */
#include <stdio.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#define DELTA -18

typedef struct
{
  guint x, y, width, height;
  gint delta;
} Rectangle;

typedef struct
{
  GArray *given;                /* for all frames */
  GMutex lock;
  GArray *found;                /* until something else is */
} Rectangles;

/* facedetect's message has a list of structures. */
static void
find_faces (GArray * found, const GstStructure * message)
{
  const GValue *faces = gst_structure_get_value (message, "faces");
  guint n = faces != NULL ? gst_value_list_get_size (faces) : 0;

  for (guint i = 0; i < n; i++) {
    const GstStructure *face =
        gst_value_get_structure (gst_value_list_get_value (faces, i));
    Rectangle r = {.delta = DELTA };

    if (gst_structure_get (face, "x", G_TYPE_UINT, &r.x, "y", G_TYPE_UINT, &r.y,
            "width", G_TYPE_UINT, &r.width, "height", G_TYPE_UINT, &r.height,
            NULL))
      g_array_append_val (found, r);
  }
}

/* In the streaming thread, before the frame leaves the element that posts. */
static GstBusSyncReply
look_at_message (GstBus * bus, GstMessage * message, gpointer data)
{
  const GstStructure *s = gst_message_get_structure (message);
  Rectangles *rectangles = data;

  (void) bus;
  if (s != NULL && gst_structure_has_name (s, "facedetect")) {
    g_mutex_lock (&rectangles->lock);
    g_array_set_size (rectangles->found, 0);
    find_faces (rectangles->found, s);
    g_mutex_unlock (&rectangles->lock);
  }
  return GST_BUS_PASS;
}

/* Encoders read the same meta, each with a structure of its own name. */
static void
add_rectangles (GstBuffer * buffer, const GArray * rectangles)
{
  for (guint i = 0; i < rectangles->len; i++) {
    const Rectangle *r = &g_array_index (rectangles, Rectangle, i);
    GstVideoRegionOfInterestMeta *meta =
        gst_buffer_add_video_region_of_interest_meta (buffer, "example", r->x,
        r->y, r->width, r->height);

    gst_video_region_of_interest_meta_add_param (meta,
        gst_structure_new ("roi/blockdct", "delta-qp", G_TYPE_INT, r->delta,
            NULL));
  }
}

/* Attach them to a buffer on its way into blockdct. */
static GstPadProbeReturn
add_regions (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer =
      gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  Rectangles *rectangles = data;

  (void) pad;
  add_rectangles (buffer, rectangles->given);
  g_mutex_lock (&rectangles->lock);
  add_rectangles (buffer, rectangles->found);
  g_mutex_unlock (&rectangles->lock);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

/* Play to the end and print what is said of each frame. */
static gboolean
play (GstElement * pipeline, GstBus * bus)
{
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
              GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR | GST_MESSAGE_EOS))
      && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
    const GstStructure *s = gst_message_get_structure (message);
    guint64 index;
    gdouble psnr;
    guint regions = 0;

    if (gst_structure_has_name (s, "blockdct")
        && gst_structure_get (s, "index", G_TYPE_UINT64, &index, "psnr",
            G_TYPE_DOUBLE, &psnr, NULL)) {
      gst_structure_get_uint (s, "regions", &regions);
      printf ("%-6s %4" G_GUINT64_FORMAT " %2u regions %6.2f dB\n",
          gst_structure_get_string (s, "type"), index, regions, psnr);
    }
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    return TRUE;
  gst_message_parse_error (message, &error, NULL);
  g_printerr ("%s\n", error->message);
  return FALSE;
}

int
main (int argc, char **argv)
{
  Rectangles rectangles = {
    .given = g_array_new (FALSE, FALSE, sizeof (Rectangle)),
    .found = g_array_new (FALSE, FALSE, sizeof (Rectangle)),
  };
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstElement) dct = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GError) error = NULL;

  gst_init (&argc, &argv);
  for (gint i = 2; i < argc; i++) {
    Rectangle r = {.delta = DELTA };

    if (sscanf (argv[i], "%u,%u,%u,%u,%d", &r.x, &r.y, &r.width, &r.height,
            &r.delta) < 4) {
      g_printerr ("%s is not X,Y,WIDTH,HEIGHT[,DELTA]\n", argv[i]);
      return 2;
    }
    g_array_append_val (rectangles.given, r);
  }
  pipeline = gst_parse_launch (argc > 1 ? argv[1] : "", &error);
  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  dct = gst_bin_get_by_name (GST_BIN (pipeline), "dct");
  bus = gst_element_get_bus (pipeline);
  gst_bus_set_sync_handler (bus, look_at_message, &rectangles, NULL);
  pad = gst_element_get_static_pad (dct, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, add_regions, &rectangles,
      NULL);
  return play (pipeline, bus) ? 0 : 1;
}
