/* blockdct-bench, the laboratory: common declarations.
 *
 * An entry is one implementation of one stage of one transform. A set is the
 * input of such a stage and its expected output. Entries are registered once;
 * the program checks each against its set, then times it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LAB_H
#define LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "dct/base/stats.h"
#include "dct/quantizer/job.h"
#include "dct/transform/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAB_MAX_LIST 8
#define LAB_N_BATCHES 3
#define LAB_MAX_TIMED 4

typedef enum { LAB_NOISE, LAB_NATURAL, LAB_N_CONTENTS } LabContent;

typedef enum {
  LAB_FORWARD,
  LAB_QUANTIZE, /* and dequantize */
  LAB_INVERSE,
  LAB_CHAIN, /* forward, quantize, dequantize, inverse */
} LabStage;

/* The layout in memory. Planes are LAB_WIDTH samples wide. */
typedef enum {
  LAB_BLOCKS, /* int16, N x N of a block, then the next block's */
  LAB_PLANE_FLOAT, /* float: samples - 128, or coefficients */
  LAB_PLANE_STRIDED, /* the same, with a gap between rows */
  LAB_PLANE_SHORT, /* int16: samples - 128, or coefficients */
  LAB_PLANE_8, /* samples of 8 bits */
  LAB_PLANE_10, /* samples of 10 bits in words of 16 */
  LAB_NV12, /* one frame, LAB_HEIGHT samples high */
} LabShape;

#define LAB_WIDTH 3840
#define LAB_HEIGHT 2160

/* The memory that an entry reads and writes: on the host for CPU entries, else
 * on the device. Scratch is as large as dst. */
typedef struct {
  const void *src;
  void *dst, *scratch;
  int width, height, stride; /* planes, in samples */
  int64_t n_blocks; /* LAB_BLOCKS */
} LabWork;

typedef struct LabEntry LabEntry;

struct LabEntry {
  const char *source; /* where the design comes from */
  char name[32];
  LabShape shape;
  BdctTransform transform;
  LabStage stage;
  bool gpu;
  bool launch_each; /* LAB_BLOCKS: launches a kernel for every block */
  int quality, qp;
  int parameter[4]; /* Spector: blocks in x, in y, rows, unrolled */
  const void *data; /* the entry's own */

  /* Run once; on the GPU only enqueue it. Returns a cudaError_t, 0 on the
   * CPU. */
  int (*run) (const LabEntry *entry, const LabWork *work, void *stream);
  /* NULL, or run once and return the statistics. */
  int (*stats) (const LabEntry *entry, const LabWork *work, void *stream,
      BdctStats *stats);
};

/* Input and expected output of a stage: one period of a pattern, which repeats
 * over the length of a run. A period is 1000 blocks, 192 rows, or a frame. */
typedef struct {
  LabEntry of; /* an entry that it is for */
  int size, depth; /* N; bits a sample */
  int width, rows, stride; /* of a period; LAB_BLOCKS: N*N, 1000, N*N */
  size_t element, period; /* bytes of an element; elements of a period */
  void *input[LAB_N_CONTENTS];
  double *expected[LAB_N_CONTENTS];
  uint8_t *marks[LAB_N_CONTENTS]; /* NULL, or whether one is a REF_TIE */
  uint64_t nonzero[LAB_N_CONTENTS][BDCT_MAX_COMPONENTS];
  uint64_t unsure[LAB_N_CONTENTS][BDCT_MAX_COMPONENTS];
} LabSet;

/* The result of a check; the worst of several. */
typedef struct {
  bool ok;
  char text[64]; /* for the table: exact, 63.1 dB off ties */
  double db; /* agreement; NAN where it is not measured */
  double error; /* largest; NAN likewise */
} LabVerdict;

typedef struct {
  const LabEntry *entry;
  LabVerdict verdict;
  int64_t batch; /* blocks (LAB_BLOCKS), else 0 */
  double samples; /* of a run */
  double ns; /* a run; 0: not timed */
  double copy_ns; /* GPU: the copy that ran alternately with it ... */
  double copy_bytes; /* ... read and wrote this much each */
  int registers, shared, local; /* GPU; -1: not known */
} LabResult;

/* main.c */
typedef struct {
  int quick, cpu_only;
  int cuda_cores; /* blockdct's kernels without tensor cores */
  LabContent content; /* that is timed; both are checked */
  int n_qualities, n_qps;
  int quality[LAB_MAX_LIST], qp[LAB_MAX_LIST];
  int default_lists; /* the standard's lists, for hevc-* */
} LabOptions;

extern LabOptions lab_options;
extern const int64_t lab_batches[LAB_N_BATCHES];
/* The GPU, its name and what else describes it; "": none. */
extern char lab_gpu_name[128], lab_gpu_text[256];

/* Whether a source is selected. */
bool lab_wants (const char *source);
/* Add a copy of an entry to those that are checked and timed, if its source is
 * selected. */
void lab_register (const LabEntry *entry);
/* Print the message and end with status 1. */
void lab_die (const char *format, ...)
    __attribute__ ((noreturn, format (printf, 1, 2)));

/* timing.c */
/* What is timed. */
typedef struct {
  /* Do it n times; returns the ns that this took. */
  double (*run) (void *data, int n);
  void *data;
  double ns; /* of one: the median */
} LabTimed;

/* Time them in turn, each so many times at once that they take `interval` ns,
 * in lab_repetitions() rounds or fewer: after `budget` ns no round begins,
 * unless fewer than three (--quick: one) are done. */
void lab_time (LabTimed *timed, int n, double interval, double budget);
int lab_repetitions (void);
double lab_now (void);

/* set.c */
/* Generate rows of samples, without gaps. */
void lab_fill_samples (LabContent content, int depth, int width, int rows,
    int *out);
/* The parameters of a transform: these, and the lists chosen by the
 * options. */
BdctParams lab_params (BdctTransform transform, int quality, int qp);
/* Make the set of an entry. */
void lab_set_build (LabSet *set, const LabEntry *entry);
void lab_set_clear (LabSet *set);
/* Whether a set belongs to an entry. */
bool lab_set_is_for (const LabSet *set, const LabEntry *entry);
/* The work of n blocks or periods at these addresses. */
LabWork lab_set_work (const LabSet *set, int64_t n, const void *src,
    void *dst, void *scratch);
/* An element of a set's layout. */
double lab_get (const LabSet *set, const void *memory, size_t i);
/* Elements and samples of such work. */
size_t lab_set_elements (const LabSet *set, int64_t n);
double lab_set_samples (const LabSet *set, int64_t n);

/* check.c */
#define LAB_POISON 0xaa
/* Compare one period of output, in memory that was filled with LAB_POISON. */
void lab_check_period (const LabSet *set, LabContent content,
    const void *got, LabVerdict *verdict);
/* Compare the statistics of n periods like this one. */
void lab_check_stats (const LabSet *set, LabContent content, const void *got,
    int64_t n, const BdctStats *stats, LabVerdict *verdict);
void lab_verdict_wrong (LabVerdict *verdict, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* cpu.c */
void lab_cpu_register (void);
void lab_cpu_check (const LabEntry *entry, const LabSet *set,
    LabVerdict *verdict);
void lab_cpu_time (const LabEntry *entry, const LabSet *set, int64_t batch,
    LabResult *result);

/* gpu.c */
/* Work in the pools of device memory, that a walk through them times: of an
  *entry, or without one a copy of so many bytes. Further runs of it are so many
 * bytes further, so that the L2 never has their input. */
typedef struct {
  const LabEntry *entry;
  LabWork work;
  size_t bytes;
} LabWalk;

/* False, with the reason, if there is no GPU. */
bool lab_gpu_open (char *reason, size_t size);
/* Fill the source with what is at `data`, repeatedly, up to `least` bytes and
 * what walks need. */
void lab_gpu_fill (const void *data, size_t size, size_t least);
void lab_gpu_check (const LabEntry *entry, const LabSet *set,
    LabVerdict *verdict);
void lab_gpu_time (const LabEntry *entry, const LabSet *set, int64_t batch,
    LabResult *result);
/* Time walks in turn: ns a run of each. */
void lab_gpu_time_walks (LabWalk *walks, int n, double *ns);
/* Run a walk's first step. */
void lab_gpu_run (const LabWalk *walk);

/* Entries of the GPU; each also prepares the device for them. */
void lab_whitepaper_register (void);
void lab_hevc_register (void);
void lab_spector_register (void);
void lab_production_register (void);

/* production.c */
/* Time frames of some sizes. */
void lab_production_print_frames (void);
/* Launch each kernel once, over a large plane. */
void lab_production_profile (void);

/* engines.c */
/* Time comparisons of given pictures on the GPU. */
void lab_engines_print_comparisons (void);
/* Time frames on the GPU with and without their bits. */
void lab_engines_print_bits (void);

/* device.cu */
/* Enqueue: add to *count the words of n periods that differ from the period
 * before. */
int lab_device_compare (const uint32_t *data, int64_t words, int64_t n,
    unsigned long long *count, void *stream);

/* report.c */
void lab_print_header (void);
void lab_print_result (const LabResult *result);
/* Write all as JSON or CSV. */
void lab_write_results (const char *name, bool json,
    const LabResult *results, int n);

#ifdef __cplusplus
}
#endif
#endif
