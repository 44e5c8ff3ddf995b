/* blockdct-preview: where in the stream it is, and ways to elsewhere.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All is called by the main thread. Times are stream times in ns. */
#ifndef PREVIEW_TRANSPORT_H
#define PREVIEW_TRANSPORT_H

#include <gst/gst.h>

G_BEGIN_DECLS typedef struct _PreviewTransport PreviewTransport;

PreviewTransport *preview_transport_new (GstElement * pipeline);
void preview_transport_free (PreviewTransport * self);

/** Another stream: all that is known of the old one is forgotten. */
void preview_transport_reset (PreviewTransport * self);

/** The figures of the frame that is shown now; those of all are passed over. */
void preview_transport_take_figures (PreviewTransport * self,
    const GstStructure * figures);

/** The pipeline has said GST_MESSAGE_ASYNC_DONE. */
void preview_transport_arrive (PreviewTransport * self);

/** Whether it plays, or will when it can. */
gboolean preview_transport_is_paused (PreviewTransport * self);
void preview_transport_set_paused (PreviewTransport * self, gboolean paused);

/** Where it is, and how long, of what can be sought; else FALSE. */
gboolean preview_transport_get_time (PreviewTransport * self,
    GstClockTime * position, GstClockTime * duration);

/** To the frame at `place`. While one seek is on its way the next one waits for
 * it, and of those that wait the last one counts. FALSE if there is no way. */
gboolean preview_transport_seek (PreviewTransport * self, GstClockTime place);

/** The next frame (1), or the one before (-1), of what is paused; what plays,
 * pauses. FALSE if there is no way. */
gboolean preview_transport_step (PreviewTransport * self, gint frames);

/** The start of a range that is repeated is the frame that is shown; called
 * again, its end; once more, there is none. FALSE if nothing can be sought. */
gboolean preview_transport_mark (PreviewTransport * self);

/** The range; unknown (GST_CLOCK_TIME_NONE) what is not marked. */
void preview_transport_get_range (PreviewTransport * self,
    GstClockTime * from, GstClockTime * to);

/** At the end: from the start again, or that of the range; what cannot, or is a
 * still picture, stays. */
void preview_transport_rewind (PreviewTransport * self);

/** Whether it stays at its end. */
gboolean preview_transport_stays (PreviewTransport * self);

/** Whether there was more than one picture. */
gboolean preview_transport_moves (PreviewTransport * self);

G_END_DECLS
#endif
