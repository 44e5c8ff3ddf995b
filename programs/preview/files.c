/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "server.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

/* What a request has: what it sends, or the session that it asks. */
#define UPLOAD "blockdct-upload"

struct _PreviewFiles
{
  PreviewSession *session;
  /* Of the opened file, and of those that are A and B; or NULL. */
  gchar *folder[3], *path[3];
  guint running;                /* pictures and files that a thread works on */
};

static void
answer (SoupServerMessage * message, guint status, const gchar * type,
    gconstpointer data, gsize size)
{
  soup_server_message_set_status (message, status, NULL);
  soup_server_message_set_response (message, type, SOUP_MEMORY_COPY, data,
      size);
}

void
preview_answer (SoupServerMessage * message, guint status, const gchar * text)
{
  answer (message, status, "text/plain; charset=utf-8", text, strlen (text));
}

/* Pictures */

static void
make (GTask * task, gpointer message, gpointer what, GCancellable * unused)
{
  PreviewSession *session = g_object_get_data (message, UPLOAD);
  g_autoptr (GstSample) frame = preview_session_get_original (session);
  GError *error = NULL;
  GBytes *png = frame == NULL ? NULL : preview_session_save (session, frame,
      GPOINTER_TO_INT (what), &error);

  (void) unused;
  if (frame == NULL)
    preview_refuse (&error, "There is no frame to save.");
  if (png != NULL)
    g_task_return_pointer (task, png, (GDestroyNotify) g_bytes_unref);
  else
    g_task_return_error (task, error);
}

static void
made (GObject * source, GAsyncResult * result, gpointer files)
{
  SoupServerMessage *message = SOUP_SERVER_MESSAGE (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) png = g_task_propagate_pointer (G_TASK (result), &error);

  if (png != NULL)
    answer (message, SOUP_STATUS_OK, "image/png", g_bytes_get_data (png, NULL),
        g_bytes_get_size (png));
  else
    preview_answer (message, SOUP_STATUS_CONFLICT, error->message);
  soup_server_message_unpause (message);
  ((PreviewFiles *) files)->running--;
}

static void
start (PreviewFiles * self, SoupServerMessage * message, PreviewSave what)
{
  g_autoptr (GTask) task = g_task_new (message, NULL, made, self);

  self->running++;
  soup_server_message_pause (message);
  g_object_set_data (G_OBJECT (message), UPLOAD, self->session);
  g_task_set_task_data (task, GINT_TO_POINTER (what), NULL);
  g_task_run_in_thread (task, make);
}

static void
answer_line (SoupServerMessage * message, gchar * line)
{
  preview_answer (message, line != NULL ? SOUP_STATUS_OK : SOUP_STATUS_CONFLICT,
      line != NULL ? line : "blockdctpreview has no files as A or B: copy the "
      "line of blockdct-preview.");
  g_free (line);
}

gboolean
preview_files_get (PreviewFiles * self, SoupServerMessage * message,
    const gchar * name)
{
  static const gchar *const pictures[] = {
    [PREVIEW_SAVE_VIEW] = "view.png",[PREVIEW_SAVE_A] = "a.png",
    [PREVIEW_SAVE_B] = "b.png",[PREVIEW_SAVE_ORIGINAL] = "original.png"
  };

  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++)
    if (strcmp (name, pictures[i]) == 0) {
      start (self, message, i);
      return TRUE;
    }
  if (strcmp (name, "command.txt") == 0)
    answer_line (message, preview_session_describe_for_shell (self->session));
  else if (strcmp (name, "program.py") == 0)
    answer_line (message, preview_session_describe_for_python (self->session));
  else
    return FALSE;
  return TRUE;
}

/* Files that are opened */

typedef struct
{
  gchar *folder, *path;
  FILE *file;                   /* NULL: it cannot be written */
  gint error;                   /* errno, or 0 */
  guint64 size, limit;          /* bytes so far, and at most */
  guint place;                  /* what it is to be: 1 is A, 2 is B */
} Upload;

static void
remove_file (gchar * folder, gchar * path)
{
  if (path != NULL)
    g_unlink (path);
  if (folder != NULL)
    g_rmdir (folder);
  g_free (path);
  g_free (folder);
}

static void
free_upload (gpointer data)
{
  Upload *upload = data;

  if (upload->file != NULL)
    fclose (upload->file);
  remove_file (upload->folder, upload->path);
  g_free (upload);
}

/* Half of the space that is free, so that no upload fills the disk. */
static guint64
get_limit (void)
{
  g_autoptr (GFile) file = g_file_new_for_path (g_get_tmp_dir ());
  g_autoptr (GFileInfo) info = g_file_query_filesystem_info (file,
      G_FILE_ATTRIBUTE_FILESYSTEM_FREE, NULL, NULL);

  return info == NULL ? G_MAXUINT64 : g_file_info_get_attribute_uint64 (info,
      G_FILE_ATTRIBUTE_FILESYSTEM_FREE) / 2;
}

/* Whether a file has this size, or the answer is that it is too large. */
static gboolean
check_size (SoupServerMessage * message, guint64 size, guint64 limit)
{
  g_autofree gchar *text = g_strdup_printf ("The file has %" G_GUINT64_FORMAT
      " bytes; the limit is %" G_GUINT64_FORMAT ", half of what is free in the "
      "server's folder for temporary files.", size, limit);

  if (size > limit)
    preview_answer (message, SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE, text);
  return size <= limit;
}

void
preview_files_check (SoupServerMessage * message, const gchar * size)
{
  if (check_size (message, g_ascii_strtoull (size, NULL, 10), get_limit ()))
    preview_answer (message, SOUP_STATUS_OK, "");
}

static void
write_chunk (SoupServerMessage * message, GBytes * chunk, Upload * upload)
{
  const gsize size = g_bytes_get_size (chunk);

  (void) message;
  upload->size += size;
  if (upload->file != NULL && upload->error == 0
      && upload->size <= upload->limit && fwrite (g_bytes_get_data
          (chunk, NULL), 1, size, upload->file) != size)
    upload->error = errno;
}

void
preview_files_receive (SoupServerMessage * message, const gchar * name,
    const gchar * side)
{
  const guint64 limit = get_limit ();
  Upload *upload;
  g_autofree gchar *base = g_path_get_basename (name);

  soup_message_body_set_accumulate (soup_server_message_get_request_body
      (message), FALSE);
  if (!check_size (message, soup_message_headers_get_content_length
          (soup_server_message_get_request_headers (message)), limit))
    return;
  upload = g_new0 (Upload, 1);
  upload->limit = limit;
  upload->place = g_strcmp0 (side, "a") == 0 ? 1 : g_strcmp0 (side, "b") == 0
      ? 2 : 0;
  upload->folder = g_dir_make_tmp ("blockdct-preview-XXXXXX", NULL);
  upload->path = g_build_filename (upload->folder != NULL ? upload->folder
      : "/", base, NULL);
  upload->file = upload->folder == NULL ? NULL : fopen (upload->path, "wbx");
  upload->error = upload->file == NULL ? errno : 0;
  g_object_set_data_full (G_OBJECT (message), UPLOAD, upload, free_upload);
  g_signal_connect (message, "got-chunk", G_CALLBACK (write_chunk), upload);
}

static void
check (GTask * task, gpointer source, gpointer data, GCancellable * unused)
{
  const Upload *upload = g_object_get_data (data, UPLOAD);
  const PreviewOptions options = {.file = upload->path };
  GError *error = NULL;

  (void) source, (void) unused;
  if (preview_source_check (&options, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* A file that is refused leaves the one that is shown. */
static void
checked (GObject * source, GAsyncResult * result, gpointer data)
{
  PreviewFiles *self = data;
  SoupServerMessage *message = g_task_get_task_data (G_TASK (result));
  Upload *upload = g_object_get_data (G_OBJECT (message), UPLOAD);
  g_autofree gchar *uri = g_filename_to_uri (upload->path, NULL, NULL);
  const guint place = upload->place;
  g_autoptr (GError) error = NULL;

  (void) source;
  if (g_task_propagate_boolean (G_TASK (result), &error)
      && (place > 0 || preview_session_open (self->session, uri, &error))) {
    if (place > 0)
      preview_session_set_version (self->session, place - 1, upload->path);
    remove_file (self->folder[place], self->path[place]);
    self->folder[place] = g_steal_pointer (&upload->folder);
    self->path[place] = g_steal_pointer (&upload->path);
    preview_answer (message, SOUP_STATUS_OK, "");
  } else {
    preview_answer (message, SOUP_STATUS_UNSUPPORTED_MEDIA_TYPE,
        error->message);
    g_signal_emit_by_name (self->session, "notice", error->message);
  }
  soup_server_message_unpause (message);
  self->running--;
}

void
preview_files_open (PreviewFiles * self, SoupServerMessage * message)
{
  Upload *upload = g_object_get_data (G_OBJECT (message), UPLOAD);
  g_autoptr (GTask) task = NULL;

  if (upload->file != NULL && fclose (upload->file) != 0)
    upload->error = errno;
  upload->file = NULL;
  if (upload->error != 0) {
    preview_answer (message, SOUP_STATUS_INSUFFICIENT_STORAGE,
        g_strerror (upload->error));
    return;
  }
  if (!check_size (message, upload->size, upload->limit))
    return;
  self->running++;
  soup_server_message_pause (message);
  task = g_task_new (NULL, NULL, checked, self);
  g_task_set_task_data (task, g_object_ref (message), g_object_unref);
  g_task_run_in_thread (task, check);
}

PreviewFiles *
preview_files_new (PreviewSession * session)
{
  PreviewFiles *self = g_new0 (PreviewFiles, 1);

  self->session = session;
  return self;
}

void
preview_files_remove (PreviewFiles * self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->path); i++)
    remove_file (g_steal_pointer (&self->folder[i]),
        g_steal_pointer (&self->path[i]));
}

void
preview_files_free (PreviewFiles * self)
{
  while (self->running > 0)
    g_main_context_iteration (NULL, TRUE);
  preview_files_remove (self);
  g_free (self);
}
