/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For LeakSanitizer: what libraries allocate once and lose is no leak of ours.
 * They do in their constructors (GLib's first table of quarks), and gst_init()
 * does as plugins are tried. To know these by the functions on the stack, each
 * allocation would have to walk through libraries that keep no frame pointer:
 * that takes ten times as long as the tests. Our plugin is loaded once more,
 * outside, by each test that finds the registry made. Built with
 * -Db_sanitize=address alone. */
#include <gst/gst.h>
#include <sanitizer/lsan_interface.h>

/* Called before any library's constructor. */
static void
begin (void)
{
  __lsan_disable ();
}

__attribute__ ((section (".preinit_array"), used))
static void (*const begin_first) (void) = begin;

/* And after all of theirs. */
__attribute__ ((constructor))
static void
end (void)
{
  gst_init (NULL, NULL);
  __lsan_enable ();
}
