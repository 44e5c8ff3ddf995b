/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An engine, and batches of pictures that go through it. */
#include "module.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a picture's figures are, in the order of Results in _results.py; NaN
 * where there is none. Behind these: of each metric, of each component and of
 * all. */
enum
{ MSE, PSNR, PSNR_Y, PSNR_U, PSNR_V, NONZERO, BITS, FILE_SIZE, METRICS,
  N_FIGURES = METRICS + BDCT_N_METRICS * (BDCT_MAX_COMPONENTS + 1)
};

/* Its whole numbers, in the order of Counts in _results.py: of each component
 * or of R, G and B; of the picture; and the billionths of each metric. */
enum
{ SAMPLES, SSE = SAMPLES + 3, SSE_RGB = SSE + 3, LEVELS = SSE_RGB + 3,
  NONZERO_LEVELS = LEVELS + 3, BITS_OF = NONZERO_LEVELS + 3,
  BITS_OPTIMIZED = BITS_OF + 3, SIZE, SIZE_OPTIMIZED, BILLIONTHS,
  N_COUNTS = BILLIONTHS + BDCT_N_METRICS * (BDCT_MAX_COMPONENTS + 1)
};

/* Between pictures that are independent: none has one numbered 1 or 2 lower. */
#define NUMBER_STEP 4
#define FRAME_RATE 30

typedef struct {
  PyObject_HEAD
  BdctBackend backend;
  int device;
  BdctContext context;          /* of CUDA */
  BdctEngine *engine;
  BdctLayout layout;            /* size 0: not configured */
  unsigned depth;
  uint64_t number;              /* of the next picture */
  pid_t process;                /* the engine's threads are there alone */
} Engine;

/* Memory that has as much for each picture of a batch. */
typedef struct {
  uint8_t *data;                /* NULL: none */
  ptrdiff_t pitch;              /* bytes from one picture's to the next */
} Rows;

typedef struct {
  BdctImage image;              /* the first picture's */
  ptrdiff_t pitch[BDCT_MAX_PLANES];
} Pictures;

/* A batch to transform, or to compare with `dst` where there are no jobs. What
 * follows is of each picture at each setting. */
typedef struct {
  int n;
  int settings;                 /* of each picture */
  int high;                     /* pictures of a stack; 0: no stacks */
  int frame_rate;               /* of consecutive frames; 0: of pictures */
  const Jobs **jobs;
  const int32_t *index;         /* in its jobs */
  Pictures src, dst;
  Rows levels, sizes;
  int levels_memory;
  Py_ssize_t n_levels;
  int from_levels, bits;
  unsigned metrics;
  void *wait;
  double *figures;              /* N_FIGURES */
  int64_t *counts;              /* N_COUNTS; NULL: not wanted */
} Batch;

/* Arguments */

static void *
pointer (unsigned long long address)
{
  return (void *) (uintptr_t) address;
}

/* From (on the device, (address, pitch, stride) of each plane), or None. */
static bool
read_pictures (PyObject * from, Pictures * to)
{
  const Py_ssize_t n = from == Py_None ? 0 : PyTuple_Size (from) - 1;

  memset (to, 0, sizeof *to);
  if (from == Py_None)
    return true;
  if (n < 1 || n > BDCT_MAX_PLANES) {
    PyErr_Format (PyExc_ValueError, "%zd planes are outside 1 to %d", n,
        BDCT_MAX_PLANES);
    return false;
  }
  to->image.memory = PyObject_IsTrue (PyTuple_GetItem (from, 0))
      ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST;
  for (int p = 0; p < n; p++) {
    unsigned long long address;
    Py_ssize_t pitch, stride;

    if (!PyArg_ParseTuple (PyTuple_GetItem (from, 1 + p), "Knn", &address,
            &pitch, &stride))
      return false;
    to->image.data[p] = pointer (address);
    to->image.stride[p] = stride;
    to->pitch[p] = pitch;
  }
  return true;
}

static bool
read_rows (PyObject * from, Rows * to)
{
  unsigned long long address = 0;
  Py_ssize_t pitch = 0;

  if (from != Py_None && !PyArg_ParseTuple (from, "Kn", &address, &pitch))
    return false;
  *to = (Rows) { pointer (address), pitch };
  return true;
}

static BdctImage
image_at (const Pictures * pictures, int i)
{
  BdctImage image = pictures->image;

  for (int p = 0; p < BDCT_MAX_PLANES; p++)
    if (image.data[p] != NULL)
      image.data[p] = (uint8_t *) image.data[p] + i * pictures->pitch[p];
  return image;
}

static void *
row_at (const Rows * rows, int i)
{
  return rows->data == NULL ? NULL : rows->data + i * rows->pitch;
}

/* A batch, without the interpreter's lock */

/* From one picture's number to the next one's. */
static unsigned
get_step (const Batch * batch)
{
  return batch->frame_rate > 0 ? 1 : NUMBER_STEP;
}

static bool
submit (Engine * self, const Batch * batch, int i, BdctError * error)
{
  const int picture = i / batch->settings;
  const uint64_t number = self->number + (uint64_t) picture * get_step (batch);
  const BdctImage src = image_at (&batch->src, picture);

  if (batch->jobs == NULL) {
    BdctComparison comparison = {.size = sizeof comparison,
      .reference.image = src,
      .distorted[0].image = image_at (&batch->dst, i),
      .n_distorted = 1,.errors = true,.metrics = batch->metrics,
      .frame_rate = FRAME_RATE,.number = number,
      .wait = { batch->wait }
    };

    return bdct_engine_compare (self->engine, &comparison, error);
  }
  return bdct_engine_submit (self->engine, &(BdctFrame) {
        .size = sizeof (BdctFrame),
        .quantizers = bdct_jobs_at (batch->jobs[i]->jobs, batch->index[i]),
        .n_quantizers = 1,
        .src = src,
        .same_source = i % batch->settings != 0,
        .dst = image_at (&batch->dst, i),
        .sizes = row_at (&batch->sizes, i),
        .levels = row_at (&batch->levels, i),
        .levels_memory = batch->levels_memory,
        .n_levels = batch->n_levels,
        .from_levels = batch->from_levels,
        .bits = batch->bits,
        .metrics = batch->metrics,
        .frame_rate = batch->frame_rate > 0 ? batch->frame_rate : FRAME_RATE,
        .number = number,
        .wait = { batch->wait }
      }, error);
}

static void
write_figures (const BdctStats * stats, int depth, const Batch * batch,
    double to[N_FIGURES])
{
  const bool measured = batch->src.image.data[0] != NULL;
  const BdctCounters planes = bdct_counters_sum (stats->component);
  const BdctCounters rgb = bdct_counters_sum (stats->rgb);
  const BdctCounters *all = rgb.samples > 0 ? &rgb : &planes;

  for (int i = 0; i < N_FIGURES; i++)
    to[i] = NAN;
  if (measured) {
    to[MSE] = bdct_mse (all);
    to[PSNR] = bdct_psnr (to[MSE], depth);
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      if (stats->component[c].samples > 0)
        to[PSNR_Y + c] = bdct_psnr (bdct_mse (&stats->component[c]), depth);
  }
  if (planes.levels > 0)
    to[NONZERO] = (double) planes.nonzero / planes.levels;
  if (batch->bits) {
    to[BITS] = planes.bits;
    if (stats->file_size > 0)
      to[FILE_SIZE] = stats->file_size;
  }
  for (int m = 0; m < BDCT_N_METRICS; m++)
    for (int c = 0; c <= BDCT_METRIC_ALL; c++)
      if (stats->metrics >> m & 1)
        bdct_metric_figure (stats, 1, depth, m, c,
            &to[METRICS + m * (BDCT_METRIC_ALL + 1) + c]);
}

static void
write_counts (const BdctStats * stats, int64_t to[N_COUNTS])
{
  for (int c = 0; c < 3; c++) {
    const BdctCounters *counters = &stats->component[c];

    to[SAMPLES + c] = counters->samples;
    to[SSE + c] = counters->sse;
    to[SSE_RGB + c] = stats->rgb[c].sse;
    to[LEVELS + c] = counters->levels;
    to[NONZERO_LEVELS + c] = counters->nonzero;
    to[BITS_OF + c] = counters->bits;
  }
  to[BITS_OPTIMIZED] = stats->bits_optimized;
  to[SIZE] = stats->file_size;
  to[SIZE_OPTIMIZED] = stats->file_size_optimized;
  memcpy (to + BILLIONTHS, stats->billionths, sizeof stats->billionths);
}

/* Have all pictures done, `depth` of them in flight at a setting. */
static bool
run (Engine * self, const Batch * batch, BdctError * error)
{
  BdctStats stats = {.size = sizeof stats };
  int begun = 0, done = 0;
  bool ok = true;

  while (ok && done < batch->n) {
    if (begun < batch->n && begun - done < (int) self->depth) {
      ok = submit (self, batch, begun++, error);
    } else {
      ok = bdct_engine_collect (self->engine, &stats, error);
      if (ok)
        write_figures (&stats, self->layout.depth, batch,
            batch->figures + (size_t) done * N_FIGURES);
      if (ok && batch->counts != NULL)
        write_counts (&stats, batch->counts + (size_t) done * N_COUNTS);
      done++;
    }
  }
  self->number += (uint64_t) batch->n * get_step (batch) + NUMBER_STEP;
  while (!ok && bdct_engine_collect (self->engine, NULL, NULL));
  return ok;
}

/* Have a batch of R, G and B on the device done in stacks, two in flight, for
 * pictures, PSNR and JPEG's bits alone. The last stack is as high as the
 * others: it does some pictures again. */
static bool
run_stacks (Engine * self, const Batch * batch, BdctError * error)
{
  const int n = batch->n, high = batch->high;
  const uint64_t samples = 3ull * self->layout.plane[0].width
      * self->layout.plane[0].height / high;
  uint64_t (*sse)[3] = malloc (n * (sizeof *sse + 2 * sizeof **sse + 1));
  uint64_t (*bits)[2] = (uint64_t (*)[2]) (sse + n);
  uint8_t *map = (uint8_t *) (bits + n);
  int begun = 0, done = 0;
  bool ok = sse != NULL;

  if (!ok)
    snprintf (error->message, sizeof error->message, "out of memory");
  for (int i = 0; ok && i < n; i++)
    map[i] = batch->index[i];
  while (ok && done < n)
    if (begun < n && begun - done < 2 * high) {
      const int first = Py_MIN (begun, n - high);

      ok = bdct_engine_submit (self->engine, &(BdctFrame) {
            .size = sizeof (BdctFrame),
            .quantizers = batch->jobs[0]->jobs,
            .n_quantizers = batch->jobs[0]->n,
            .src = image_at (&batch->src, first),
            .dst = image_at (&batch->dst, first),
            .bits = batch->bits,
            .stack_map = map + first,
            .src_pitch = batch->src.pitch[0],
            .dst_pitch = batch->dst.pitch[0],
            .stack_sse = sse + first,
            .stack_bits = bits + first,
            .wait = { batch->wait }
          }, error);
      begun += high;
    } else {
      ok = bdct_engine_collect (self->engine, NULL, error);
      done += high;
    }
  while (!ok && bdct_engine_collect (self->engine, NULL, NULL));
  for (int i = 0; ok && i < n; i++) {
    double *to = batch->figures + (size_t) i * N_FIGURES;

    for (int k = 0; k < N_FIGURES; k++)
      to[k] = NAN;
    if (batch->bits) {
      to[BITS] = bits[i][0];
      to[FILE_SIZE] = bits[i][1];
    }
    to[MSE] = (double) (sse[i][0] + sse[i][1] + sse[i][2]) / samples;
    to[PSNR] = bdct_psnr (to[MSE], self->layout.depth);
  }
  free (sse);
  return ok;
}

static bool
configure (Engine * self, const BdctLayout * layout, unsigned depth,
    BdctError * error)
{
  if (depth == self->depth
      && memcmp (&self->layout, layout, sizeof *layout) == 0)
    return true;
  self->layout.size = 0;
  if (!bdct_engine_configure (self->engine, layout, depth, error))
    return false;
  self->layout = *layout;
  self->depth = depth;
  return true;
}

/* Methods */

/* Whether the engine can be used: in the process that made it. */
static bool
is_usable (const Engine * self)
{
  if (self->engine != NULL && self->process == getpid ())
    return true;
  PyErr_SetString (PyExc_RuntimeError, self->engine == NULL
      ? "the engine is closed" : "the engine belongs to another process");
  return false;
}

BdctEngine *
bdct_python_engine (PyObject * engine)
{
  const Engine *self = (const Engine *) engine;

  return is_usable (self) ? self->engine : NULL;
}

/* The jobs of each picture, from a tuple of one for all or of `n`; the caller
 * frees them. */
static const Jobs **
read_jobs (PyObject * from, int n)
{
  const Jobs **jobs = PyMem_Malloc (n * sizeof *jobs + 1);
  const Py_ssize_t size = PyTuple_Size (from);

  if (jobs == NULL)
    PyErr_NoMemory ();
  for (int i = 0; jobs != NULL && i < n; i++) {
    PyObject *one = PyTuple_GetItem (from, size == 1 ? 0 : i);

    if (one == NULL || Py_TYPE (one) != bdct_python_jobs_type) {
      PyErr_SetString (PyExc_TypeError, "jobs must be of type Jobs");
      PyMem_Free (jobs);
      return NULL;
    }
    jobs[i] = (const Jobs *) one;
  }
  return jobs;
}

/* Transform a batch, or compare it with `dst` where there are no jobs. */
static PyObject *
engine_run (PyObject * object, PyObject * args)
{
  PyObject *layout_tuple, *jobs, *src, *dst, *levels, *sizes;
  unsigned long long index, figures, counts, wait;
  Engine *self = (Engine *) object;
  Batch batch = { 0 };
  BdctLayout layout;
  BdctError error;
  int depth;
  bool ok;

  if (!is_usable (self) || !PyArg_ParseTuple (args, "O!iiiiO!KOOOOniiiIiKKK",
          &PyTuple_Type, &layout_tuple, &depth, &batch.n, &batch.settings,
          &batch.high, &PyTuple_Type, &jobs, &index, &src, &dst, &levels,
          &sizes, &batch.n_levels, &batch.levels_memory, &batch.from_levels,
          &batch.bits, &batch.metrics, &batch.frame_rate, &wait, &figures,
          &counts)
      || !read_pictures (src, &batch.src) || !read_pictures (dst, &batch.dst)
      || !read_rows (levels, &batch.levels)
      || !read_rows (sizes, &batch.sizes)
      || !bdct_python_read_layout (layout_tuple, &layout))
    return NULL;
  for (int m = 0; m < BDCT_N_METRICS; m++)
    if (batch.metrics >> m & 1 && !bdct_metric_check (m, &layout, &error))
      return bdct_python_fail (PyExc_ValueError, &error);
  if (PyTuple_Size (jobs) > 0) {
    batch.jobs = read_jobs (jobs, batch.n);
    if (batch.jobs == NULL)
      return NULL;
  }
  layout.stack = batch.high;
  batch.index = pointer (index);
  batch.wait = pointer (wait);
  batch.figures = pointer (figures);
  batch.counts = pointer (counts);
  Py_BEGIN_ALLOW_THREADS;
  ok = configure (self, &layout, depth, &error)
      && (batch.high > 0 ? run_stacks : run) (self, &batch, &error);
  Py_END_ALLOW_THREADS;
  PyMem_Free (batch.jobs);
  return ok ? Py_NewRef (Py_None)
      : bdct_python_fail (PyExc_ValueError, &error);
}

static PyObject *
engine_warning (PyObject * object, PyObject * unused)
{
  const Engine *self = (const Engine *) object;
  const char *warning = bdct_engine_text (self->engine, BDCT_ENGINE_WARNING);

  (void) unused;
  return PyUnicode_FromString (warning[0] != '\0' ? warning
      : bdct_engine_text (self->engine, BDCT_ENGINE_DISTRUST));
}

static PyObject *
engine_new (PyTypeObject * type, PyObject * args, PyObject * keywords)
{
  BdctEngineOptions options = {.size = sizeof options };
  Engine *self = (Engine *) PyType_GenericAlloc (type, 0);
  int backend, threads;
  BdctError error;
  bool ok = true;

  if (self == NULL || keywords != NULL
      || !PyArg_ParseTuple (args, "iii", &backend, &self->device, &threads)) {
    Py_XDECREF ((PyObject *) self);
    return NULL;
  }
  self->backend = backend;
  self->process = getpid ();
  options.threads = threads;
  Py_BEGIN_ALLOW_THREADS;
  if (self->backend == BDCT_BACKEND_CUDA)
    ok = bdct_backend_count_devices (backend, &error) > 0
        && bdct_python_open_context (self->device, &self->context, &error);
  options.context = self->context;
  if (ok)
    self->engine = bdct_engine_new (self->backend, &options, &error);
  Py_END_ALLOW_THREADS;
  if (self->engine == NULL) {
    Py_DECREF ((PyObject *) self);
    return bdct_python_fail (PyExc_RuntimeError, &error);
  }
  return (PyObject *) self;
}

/* Free everything; in a forked child, where the threads are not, nothing. */
static void
close_engine (Engine * self)
{
  BdctEngine *engine = self->engine;

  self->engine = NULL;
  if (self->process != getpid ())
    return;
  Py_BEGIN_ALLOW_THREADS;
  bdct_engine_free (engine);
  bdct_python_close_context (self->device, &self->context);
  Py_END_ALLOW_THREADS;
}

static PyObject *
engine_close (PyObject * object, PyObject * unused)
{
  (void) unused;
  close_engine ((Engine *) object);
  return Py_NewRef (Py_None);
}

static void
engine_dealloc (PyObject * object)
{
  PyTypeObject *type = Py_TYPE (object);

  close_engine ((Engine *) object);
  PyObject_Free (object);
  Py_DECREF (type);
}

PyObject *
bdct_python_make_engine_type (void)
{
  static PyMethodDef methods[] = {
    {"run", engine_run, METH_VARARGS, NULL},
    {"warning", engine_warning, METH_NOARGS, NULL},
    {"close", engine_close, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}
  };
  PyType_Slot slots[] = {
    {Py_tp_new, engine_new}, {Py_tp_dealloc, engine_dealloc},
    {Py_tp_methods, methods}, {0, NULL}
  };
  PyType_Spec spec = {.name = "_blockdct.Engine",
    .basicsize = sizeof (Engine),.flags = Py_TPFLAGS_DEFAULT,.slots = slots
  };

  return PyType_FromSpec (&spec);
}
