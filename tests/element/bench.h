/* blockdct element tests: the element in a GstHarness, and what it reports.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ELEMENT_BENCH_H
#define TESTS_ELEMENT_BENCH_H

#include <gst/check/gstharness.h>
#include "frames.h"

/* A test, or one for each row of a table, whose first member is what its path
 * ends in. It is skipped if BLOCKDCT_TEST_BACKEND names a backend that is not
 * there; one that hangs ends the program. The backend itself comes from that
 * variable, else it is the CPU. */
typedef struct _Test Test;
struct _Test
{
  const gchar *path;
  GTestDataFunc func;
  gconstpointer rows;
  gsize size;                   /* of a row; 0: there are none */
  guint n;
  Test *next;
};

void test_register (Test * test);

#define TEST_REGISTER(path, func, rows, size, n) \
  static Test func##_test = { path, (GTestDataFunc) func, rows, size, n, \
    NULL \
  }; \
  __attribute__ ((constructor)) static void \
  func##_register (void) \
  { \
    test_register (&func##_test); \
  }
#define TEST_ROWS(path, func, rows) \
  TEST_REGISTER (path, func, rows, sizeof rows[0], G_N_ELEMENTS (rows))

/* The function's body follows. */
#define TEST(path, func) \
  static void func (void); \
  TEST_REGISTER (path, func, NULL, 0, 1) \
  static void \
  func (void)

/* What main.c does, for a program whose main() does more: start GLib's tests
 * and GStreamer, with the tests above; test_run() is g_test_run() and
 * test_end(). */
void test_init (int *argc, char ***argv);
int test_run (void);
void test_end (void);

const gchar *test_backend (void);
gboolean test_on_cuda (void);

/* An element, the caller's; and one of its properties, as text. */
GstElement *element_new (const gchar * factory);
void element_set (GstElement * element, const gchar * property,
    const gchar * value);

/* Let a stopped element use the GPU context that a program's elements share
 * if CUDA is the backend under test. */
void test_share_context (GstElement * element);

/* The path of a file in a folder that all of a program's tests have, and that
 * is removed with its files at the end; the caller's. */
gchar *test_path (const gchar * name);

/* How often a test that repeats itself does so: `n`, or as
 * BLOCKDCT_TEST_ROUNDS says if that is less, where a frame takes long. */
gint test_rounds (gint n);

/* What downstream answers allocation queries with. */
typedef struct
{
  GstBufferPool *pool;
  guint min, max;
} Offer;

/* Have the peer of a source pad, or a sink's pad, answer so. */
void offer_pool (GstPad * pad, Offer * offer);

/* The flag `bits` of blockdct's `metrics`. */
#define BENCH_BITS (1u << 16)

/* The value `file` of its `quantization-tables`. */
#define BENCH_TABLES_FILE (BDCT_N_PRESETS + 1)

/* The element. */

typedef struct
{
  GstHarness *h;
  GstElement *element;          /* the harness's */
  GstBus *bus;
  GQueue messages;              /* popped, not yet asked for */
  gboolean drain;               /* ask for what is in flight, see below */
  GstVideoInfo info;            /* of the caps pushed last */
} Bench;

/* A playing element. Properties, as for g_object_set(), are set before it
 * starts; with `format` NULL no caps are pushed. If BLOCKDCT_TEST_DEPTH is set
 * and `async-depth` is not among them, that is its value; what does not come
 * out is then asked for by a query, so that a test need not know. At depth 1
 * the streaming thread does frames as small as these; above, two threads. */
void bench_init (Bench * bench, const gchar * format, gint width, gint height,
    ...) G_GNUC_NULL_TERMINATED;

/* Fails on an error or a warning that no test asked for. */
void bench_clear (Bench * bench);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bench, bench_clear)

void bench_set_caps (Bench * bench, const gchar * format, gint width,
    gint height);

/* Push frame `n`, which must be taken. */
void bench_push (Bench * bench, guint n);

/* The next buffer that came out; NULL if there is none. */
GstBuffer *bench_pull (Bench * bench);

/* The same, which must be there. */
GstBuffer *bench_take (Bench * bench);

/* Push frame `n` and check all that comes out: it was made with these
 * parameters, and the message and the meta say so, with all figures. */
void bench_check (Bench * bench, guint n, const BdctParams * params);

/* The next message of these types; NULL if there is none. */
GstMessage *bench_pop (Bench * bench, GstMessageType types);

/* The next warning's or error's text, which must be there. */
gchar *bench_pop_text (Bench * bench, GstMessageType type);

/* The text, the debug text, the domain and the code of a warning or an error,
 * which must be there and is taken; the caller's. */
gchar *message_text (GstMessage * message);

/* A text, which is taken, has all of these parts. */
void text_expect (gchar * text, ...) G_GNUC_NULL_TERMINATED;

/* The meta the element leaves on a buffer; NULL if there is none, or more than
 * one. */
GstStructure *buffer_report (GstBuffer * buffer);

/* Fields of a report, which must be there with their type. */
guint64 get_uint64 (const GstStructure * s, const gchar * name);
gint get_int (const GstStructure * s, const gchar * name);
gdouble get_double (const GstStructure * s, const gchar * name);

/* Check the bits of a report, and of a JPEG file's bytes, against an engine's:
 * exact ones, or those of an estimate. */
void check_bits (const GstStructure * s, const BdctStats * stats,
    gboolean exact);

/* Check the errors, PSNRs and levels of a report against an engine's. */
void check_figures (const GstStructure * s, const BdctStats * stats,
    gint depth);

#endif
