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
 * So are faces that a facedetect, and parts in motion that a motioncells, finds
 * in the pipeline (Debian: gstreamer1.0-opencv), until it finds others: between
 * it and blockdct the picture keeps its size, and no queue stands.
 *
 *   blockdct-regions "filesrc location=street.avi ! decodebin ! videoconvert !
 *       video/x-raw,format=RGB ! facedetect display=false profile=
 *       /usr/share/opencv4/haarcascades/haarcascade_fullbody.xml !
 *       blockdct name=dct quality=5 view=quality-map ! videoconvert !
 *       autovideosink"
 *
 * Exit status 77: there is no such element. */
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

/* motioncells' has cells of a grid, as "row:column,row:column"; none at the end
 * of a motion. */
static void
find_motion (GArray * found, GstElement * element,
    const GstStructure * message)
{
  const gchar *text = gst_structure_get_string (message,
      "motion_cells_indices");
  gchar **cells = g_strsplit (text != NULL ? text : "", ",", -1);
  GstPad *pad = gst_element_get_static_pad (element, "src");
  GstCaps *caps = gst_pad_get_current_caps (pad);
  gint columns, rows;
  GstVideoInfo info;
  guint row, column;

  g_object_get (element, "gridx", &columns, "gridy", &rows, NULL);
  if (caps != NULL && gst_video_info_from_caps (&info, caps))
    for (guint i = 0; cells[i] != NULL; i++)
      if (sscanf (cells[i], "%u:%u", &row, &column) == 2) {
        Rectangle r = {.width = info.width / columns,
          .height = info.height / rows,.delta = DELTA
        };

        r.x = column * r.width;
        r.y = row * r.height;
        g_array_append_val (found, r);
      }
  gst_clear_caps (&caps);
  gst_object_unref (pad);
  g_strfreev (cells);
}

/* In the streaming thread, before the frame leaves the element that posts. */
static GstBusSyncReply
look_at_message (GstBus * bus, GstMessage * message, gpointer data)
{
  const GstStructure *s = gst_message_get_structure (message);
  gboolean faces = s != NULL && gst_structure_has_name (s, "facedetect");
  Rectangles *rectangles = data;

  (void) bus;
  if (faces || (s != NULL && gst_structure_has_name (s, "motion"))) {
    g_mutex_lock (&rectangles->lock);
    g_array_set_size (rectangles->found, 0);
    if (faces)
      find_faces (rectangles->found, s);
    else
      find_motion (rectangles->found, GST_ELEMENT (GST_MESSAGE_SRC (message)),
          s);
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

static gboolean
read_rectangles (GArray * rectangles, gint n, gchar ** texts)
{
  for (gint i = 0; i < n; i++) {
    Rectangle r = {.delta = DELTA };

    if (sscanf (texts[i], "%u,%u,%u,%u,%d", &r.x, &r.y, &r.width, &r.height,
            &r.delta) < 4) {
      fprintf (stderr, "%s is not X,Y,WIDTH,HEIGHT[,DELTA]\n", texts[i]);
      return FALSE;
    }
    g_array_append_val (rectangles, r);
  }
  return TRUE;
}

/* The pipeline, and its blockdct; or the exit status. */
static gint
make_pipeline (const gchar * text, GstElement ** pipeline, GstElement ** dct)
{
  GError *error = NULL;

  *pipeline = gst_parse_launch (text, &error);
  if (error == NULL && GST_IS_BIN (*pipeline)
      && (*dct = gst_bin_get_by_name (GST_BIN (*pipeline), "dct")) != NULL)
    return 0;
  fprintf (stderr, "%s\n", error != NULL ? error->message
      : "The pipeline needs 'blockdct name=dct'.");
  if (g_error_matches (error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT))
    return 77;
  return 2;
}

int
main (int argc, char **argv)
{
  Rectangles rectangles = {
    .given = g_array_new (FALSE, FALSE, sizeof (Rectangle)),
    .found = g_array_new (FALSE, FALSE, sizeof (Rectangle)),
  };
  GstElement *pipeline, *dct;
  gint status;
  GstBus *bus;
  GstPad *pad;

  gst_init (&argc, &argv);
  if (argc < 2) {
    fprintf (stderr, "usage: %s PIPELINE [X,Y,WIDTH,HEIGHT[,DELTA]]...\n",
        argv[0]);
    return 2;
  }
  if (!read_rectangles (rectangles.given, argc - 2, argv + 2))
    return 2;
  status = make_pipeline (argv[1], &pipeline, &dct);
  if (status != 0)
    return status;
  g_mutex_init (&rectangles.lock);
  bus = gst_element_get_bus (pipeline);
  gst_bus_set_sync_handler (bus, look_at_message, &rectangles, NULL);
  pad = gst_element_get_static_pad (dct, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, add_regions, &rectangles,
      NULL);
  status = play (pipeline) ? 0 : 1;
  gst_object_unref (pad);
  gst_object_unref (bus);
  gst_object_unref (dct);
  gst_object_unref (pipeline);
  g_mutex_clear (&rectangles.lock);
  g_array_unref (rectangles.given);
  g_array_unref (rectangles.found);
  return status;
}
