/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "console.h"

#include <stdio.h>

static void
write_plain (const gchar * text)
{
  g_autoptr (GString) plain = g_string_new (NULL);
  g_autofree gchar *converted = NULL;
  const gchar *charset;

  while (*text != '\0') {
    const gunichar c = g_utf8_get_char_validated (text, -1);
    const gboolean valid = c < (gunichar) - 2;
    const gchar *next = valid ? g_utf8_next_char (text) : text + 1;
    const gboolean shown = valid && (!g_unichar_iscntrl (c) || c == '\n'
        || c == '\t');

    for (; text < next; text++)
      g_string_append_printf (plain, shown ? "%c" : "\\x%02X", (guchar) * text);
  }
  if (!g_get_charset (&charset))
    converted = g_convert_with_fallback (plain->str, -1, charset, "UTF-8", NULL,
        NULL, NULL, NULL);
  fputs (converted != NULL ? converted : plain->str, stderr);
  fflush (stderr);
}

void
console_init (void)
{
  g_set_printerr_handler (write_plain);
}
