/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "long-run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What may come and go without a leak: the heap of each thread keeps pages as
 * it likes. Over a run of minutes a byte a frame is much more. */
#define RESIDENT_SLACK (4 << 20)

static gint64
resident (void)
{
  gchar *text = NULL;
  gint64 pages = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%*d %" G_GINT64_FORMAT, &pages);
  g_free (text);
  return pages * sysconf (_SC_PAGESIZE);
}

static gint
count_entries (const gchar * path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  gint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  g_clear_pointer (&dir, g_dir_close);
  return n;
}

/* What a query of nvidia-smi prints; to be freed. NULL without. */
static gchar *
ask_driver (const gchar * query)
{
  gchar *line = g_strdup_printf ("nvidia-smi %s --format=csv,noheader,nounits",
      query);
  gchar *text = NULL;

  if (!g_spawn_command_line_sync (line, &text, NULL, NULL, NULL))
    g_clear_pointer (&text, g_free);
  g_free (line);
  return text;
}

/* MiB of this process; -1 if the driver does not list it, as in a container. */
static gint
own_memory (void)
{
  gchar *text = ask_driver ("--query-compute-apps=pid,used_memory");
  gchar **lines = g_strsplit (text != NULL ? text : "", "\n", -1);
  gint memory = -1;

  for (gchar ** line = lines; *line != NULL; line++) {
    gint pid, used;

    if (sscanf (*line, "%d, %d", &pid, &used) == 2 && pid == getpid ())
      memory = MAX (memory, 0) + used;
  }
  g_strfreev (lines);
  g_free (text);
  return memory;
}

static gint
gpu_memory (void)
{
  static gboolean whole;
  gint memory = whole ? -1 : own_memory ();

  if (memory < 0) {
    gchar *text = ask_driver ("--query-gpu=memory.used");

    if (!whole)
      printf ("GPU memory is that of the whole device: the driver does not "
          "list this process\n");
    whole = TRUE;
    if (text == NULL || sscanf (text, "%d", &memory) != 1)
      memory = -1;
    g_free (text);
  }
  return memory;
}

Usage
usage_now (gboolean gpu)
{
  return (Usage) {
    .resident = resident (),
    .descriptors = count_entries ("/proc/self/fd"),
    .threads = count_entries ("/proc/self/task"),
    .gpu = gpu && on_cuda () ? gpu_memory () : -1,
  };
}

static void
raise_to (Usage * most, const Usage * usage)
{
  most->resident = MAX (most->resident, usage->resident);
  most->descriptors = MAX (most->descriptors, usage->descriptors);
  most->threads = MAX (most->threads, usage->threads);
  most->gpu = MAX (most->gpu, usage->gpu);
}

void
growth_add (Growth * self, const Usage * usage, gboolean warm)
{
  if (warm)
    raise_to (&self->warm, usage);
  else
    raise_to (&self->most, usage);
  self->is_warm = self->is_warm || !warm;
  self->last = *usage;
}

static gboolean
is_flat (const gchar * what, gint64 before, gint64 after, gint64 slack)
{
  gboolean ok = after <= before + slack;

  printf ("%s %s: %" G_GINT64_FORMAT " warm, %" G_GINT64_FORMAT " then\n",
      ok ? "flat" : "GREW", what, before, after);
  return ok;
}

gboolean
growth_is_flat (const Growth * self)
{
  gboolean ok = is_flat ("resident bytes", self->warm.resident,
      self->last.resident, RESIDENT_SLACK);

  ok = is_flat ("descriptors", self->warm.descriptors,
      self->most.descriptors, 0) && ok;
  ok = is_flat ("threads", self->warm.threads, self->most.threads, 0) && ok;
  if (on_cuda ())
    ok = is_flat ("MiB of the GPU", self->warm.gpu, self->most.gpu, 0) && ok;
  if (!self->is_warm)
    printf ("the run was too short to say\n");
  return ok && self->is_warm;
}
