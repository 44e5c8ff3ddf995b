/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When messages are posted. A bus may have a handler that is called at once, in
 * the streaming thread, and that thread holds the locks: the handler can stop
 * the element or send it caps, and the ring of frames, the engine and the file
 * are gone or others when it returns. So what is said while any of these is in
 * hand waits, whoever says it, until nothing is. */
#include "gstblockdct.h"

#include <string.h>

static gboolean (*parent_post) (GstElement * element, GstMessage * message);

static gboolean
post_message (GstElement * element, GstMessage * message)
{
  GstBlockDct *self = GST_BLOCKDCT (element);

  /* Others' messages, as the answer to a click, do not wait for this thread. */
  if (g_atomic_pointer_get (&self->posts.holder) != g_thread_self ())
    return parent_post (element, message);
  g_queue_push_tail (&self->posts.waiting, message);
  return TRUE;
}

void
gst_blockdct_post_hold (GstBlockDct * self)
{
  g_atomic_pointer_set (&self->posts.holder, g_thread_self ());
}

void
gst_blockdct_post_release (GstBlockDct * self)
{
  static const struct
  {
    GstBlockDctChecked which;
    const gchar *name;
  } dropped[] = {
    {GST_BLOCKDCT_STEPS, "quantization-matrix"},
    {GST_BLOCKDCT_STEPS, "quantization-file"},
    {GST_BLOCKDCT_SCALING, "scaling-list"},
    {GST_BLOCKDCT_SCALING, "scaling-list-file"},
    {GST_BLOCKDCT_CURVE, "curve"},
    {GST_BLOCKDCT_SECOND, "b-transform"},
  };
  gboolean told[GST_BLOCKDCT_N_CHECKED];
  GstMessage *message;

  g_atomic_pointer_set (&self->posts.holder, NULL);
  memcpy (told, self->posts.dropped, sizeof told);
  memset (self->posts.dropped, 0, sizeof told);
  for (guint i = 0; i < G_N_ELEMENTS (dropped); i++)
    if (told[dropped[i].which])
      g_object_notify (G_OBJECT (self), dropped[i].name);
  /* A handler may come back to here, and then posts the rest. */
  while ((message = g_queue_pop_head (&self->posts.waiting)) != NULL)
    parent_post (GST_ELEMENT (self), message);
}

void
gst_blockdct_post_install (GstElementClass * klass)
{
  parent_post = klass->post_message;
  klass->post_message = GST_DEBUG_FUNCPTR (post_message);
}
