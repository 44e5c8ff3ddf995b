/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Defects that are known and not mended yet. While a line stands here, no step
 * is drawn that meets its defect, so that the fuzzer finds others; --with NAME
 * draws them again. Whoever mends one deletes its line, and needs nothing else:
 * with an empty table this file may go. */
#include "fuzz.h"

#include <string.h>

static const struct
{
  const gchar *name;
  const gchar *kind;            /* steps of this kind ... */
  const gchar *arg;             /* ... all, or with this argument ... */
  gint64 value;                 /* ... of this value */
  const gchar *what;
} known[] = {
  {"lost-change", "duel", NULL, 0,
      "a change is lost when another thread freezes just then"},
  {"binding-waits", "bind", NULL, 0,
      "what a binding sets waits for whoever has notifications frozen"},
  {"stalled-file", "ready", "file", 3,
      "a FIFO as stats-file that nobody reads stops the stream"},
  {"huge-caps", "huge", NULL, 0, "sizes are accepted that cannot be computed"},
  {"no-format", "bad", "how", 1, "a GstVideoMeta of format 0 is a critical"},
  {"tiny-rate", "caps", "rate", 5, "the latency of 1/2147483647 overflows"},
  {"handler", "handler", NULL, 0,
      "a synchronous handler that stops the element or sends caps"},
  {"proposed-pool", "pool", NULL, 0,
      "interactive, switched on later, holds a buffer too many"},
  {"late-reports", "report", "drain", 0,
      "post-messages and interval act on frames that are in flight"},
  {"late-overlay", "overlay", "drain", 0, "the same of overlay"},
  {"late-settings", "late", NULL, 0,
      "settings of READY are taken while playing, and ignored"},
  {"passthrough", "passthrough", NULL, 0, "a reference count underflows"},
  {"bytes", "bytes", NULL, 0, "a segment in bytes is a critical a frame"},
  {"mixed-depths", "stats", "mixed", 1, "stats pools errors of two depths"},
  {.name = NULL}
};

static gboolean included[G_N_ELEMENTS (known)];

gboolean
known_excludes (const Step * step)
{
  const Kind *kind = kind_get (step->kind);

  for (guint i = 0; known[i].name != NULL; i++) {
    gboolean same = !included[i] && strcmp (kind->name, known[i].kind) == 0;

    if (same && known[i].arg == NULL)
      return TRUE;
    for (guint a = 0; same && a < MAX_ARGS && kind->arg[a].name; a++)
      if (strcmp (kind->arg[a].name, known[i].arg) == 0
          && step->arg[a] == known[i].value)
        return TRUE;
  }
  return FALSE;
}

gboolean
known_include (const gchar * name)
{
  gboolean all = strcmp (name, "all") == 0, found = all;

  for (guint i = 0; known[i].name != NULL; i++)
    if (all || strcmp (known[i].name, name) == 0)
      found = included[i] = TRUE;
  return found;
}

void
known_print (void)
{
  for (guint i = 0; known[i].name != NULL; i++)
    g_print ("%-16s %s\n", known[i].name, known[i].what);
}
