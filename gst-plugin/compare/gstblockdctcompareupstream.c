/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctcompareupstream.h"

/* Collect the pads where a sink pad's data comes from: those of elements
 * without inputs or, with `threads`, the nearest ones that have a thread. */
static void
find_origins (GstPad * pad, gboolean threads, GHashTable * origins,
    GHashTable * seen)
{
  GstPad *peer = gst_pad_get_peer (pad);
  GValue item = G_VALUE_INIT;
  GstIterator *links = NULL;
  gboolean any = FALSE;

  if (peer == NULL)
    return;
  if (!g_hash_table_add (seen, gst_object_ref (peer))) {
    gst_object_unref (peer);
    return;
  }
  if (!threads || GST_PAD_TASK (peer) == NULL)
    links = gst_pad_iterate_internal_links (peer);
  while (links != NULL
      && gst_iterator_next (links, &item) == GST_ITERATOR_OK) {
    any = TRUE;
    find_origins (g_value_get_object (&item), threads, origins, seen);
    g_value_reset (&item);
  }
  if (links != NULL)
    gst_iterator_free (links);
  if (G_IS_VALUE (&item))
    g_value_unset (&item);
  /* A pad without an element is a source of its own. */
  if (!any)
    g_hash_table_add (origins, gst_object_ref (threads
            || GST_OBJECT_PARENT (peer) == NULL ? GST_OBJECT (peer)
            : GST_OBJECT_PARENT (peer)));
  gst_object_unref (peer);
}

static GHashTable *
list_origins (GstPad * pad, gboolean threads)
{
  GHashTable *origins = g_hash_table_new_full (NULL, NULL, gst_object_unref,
      NULL);
  GHashTable *seen = g_hash_table_new_full (NULL, NULL, gst_object_unref, NULL);

  find_origins (pad, threads, origins, seen);
  g_hash_table_unref (seen);
  return origins;
}

static gboolean
share_origin (GstPad * a, GstPad * b, gboolean threads)
{
  GHashTable *of_a = list_origins (a, threads);
  GHashTable *of_b = list_origins (b, threads);
  gboolean common = FALSE;
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, of_a);
  while (!common && g_hash_table_iter_next (&iter, &key, NULL))
    common = g_hash_table_contains (of_b, key);
  g_hash_table_unref (of_a);
  g_hash_table_unref (of_b);
  return common;
}

gboolean
gst_blockdct_compare_share_source (GstPad * a, GstPad * b)
{
  return share_origin (a, b, FALSE);
}

gboolean
gst_blockdct_compare_share_thread (GstPad * a, GstPad * b)
{
  return share_origin (a, b, TRUE);
}
