/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The C interface between lufact and a plug-in for foreign libraries that work on dense matrices:
 * batches of small ones, or one large one.
 *
 * A plug-in is a shared library lufact_array_peer_NAME.so that exports one function,
 * lufact_array_peer_get_api(), which returns a table of functions. lufact loads it on demand into a
 * worker process of its own and runs `lufact batch --peer NAME`, NAME-VARIANT, or `lufact dense`,
 * as
 *
 *   create, describe                      once, timed as the set-up phase `init`
 *   prepare                               not timed: workspaces, arrays of addresses
 *   run                                   phase `numeric`
 *   (run, for other contents of the same arrays, as often as there are repetitions)
 *   prepare again for another problem, `destroy` at the end
 *
 * All arrays belong to lufact, which makes them on the side that describe() names, restores the
 * input before every run and judges the result by the code that judges its own. Calls come from one
 * thread. No C++ type and no exception crosses the interface. Texts are UTF-8 and belong to the
 * plug-in, which keeps them until the next call of the same function with the same object, or until
 * it is destroyed.
 *
 * The caller sets struct_size of a structure that it passes; the plug-in reads and writes no more
 * than that, so that structures may grow at their end without a new abi_version. Statuses are those
 * of lufact_peer.h.
 */
#ifndef LUFACT_ARRAY_PEER_H
#define LUFACT_ARRAY_PEER_H

#include <stdint.h>

#include "lufact_peer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LUFACT_ARRAY_PEER_ABI_VERSION 1u
#define LUFACT_ARRAY_PEER_ENTRY "lufact_array_peer_get_api"

/* Values of the problem, and bits 1 << value of what a plug-in takes. */
enum { LUFACT_ARRAY_LU = 0, LUFACT_ARRAY_INVERSE = 1, LUFACT_ARRAY_SOLVE = 2 };
enum { LUFACT_ARRAY_FLOAT32 = 0, LUFACT_ARRAY_FLOAT64 = 1 };
enum { LUFACT_ARRAY_PIVOTING_NONE = 0, LUFACT_ARRAY_PIVOTING_PARTIAL = 1 };
/* The numbers of the factors: those of the matrix, or lower ones, from which the solution is
 * refined to the precision of the matrix. */
enum {
  LUFACT_ARRAY_FACTORS_OWN = 0,
  LUFACT_ARRAY_FACTORS_FLOAT32 = 1,
  LUFACT_ARRAY_FACTORS_TF32 = 2,
  LUFACT_ARRAY_FACTORS_HALF = 3,
  LUFACT_ARRAY_FACTORS_BFLOAT = 4
};
/* Bits of lufact_array_facts::commands. */
enum { LUFACT_ARRAY_BATCHES = 1, LUFACT_ARRAY_ONE_MATRIX = 2 };
/* Entry (i, j) of matrix k: a[k * ld * columns + j * ld + i], a[(j * ld + i) * count + k], or
 * a[k][j * ld + i] with an array of addresses. */
enum { LUFACT_ARRAY_CONTIGUOUS = 0, LUFACT_ARRAY_INTERLEAVED = 1, LUFACT_ARRAY_POINTERS = 2 };

typedef struct lufact_array_peer lufact_array_peer; /* an opened library; the plug-in defines it */

typedef struct lufact_array_problem {
  uint32_t struct_size;
  int32_t operation;
  int32_t rows, columns; /* of every matrix */
  int64_t count;
  int32_t ld;  /* entries between columns */
  int32_t rhs; /* right-hand sides of each matrix; 0 unless solving */
  int32_t layout;
  int32_t precision;
  int32_t pivoting;
  int32_t in_place; /* 0: the inverse has an array of its own, and A may be overwritten */
  int32_t factors;  /* numbers of the factors; OWN where the plug-in knows no others */
} lufact_array_problem;

/* In memory of the device or of the host, as describe() says. */
typedef struct lufact_array_operands {
  uint32_t struct_size;
  void* a;         /* entries, or the addresses of the matrices */
  void* result;    /* in the form of a; equal to it in place */
  void* b;         /* in the layout of a with ld = rows; overwritten by the solution; or NULL */
  int32_t* pivots; /* count * min(rows, columns) numbers from 1: LAPACK's ipiv */
  int32_t* info;   /* count numbers: LAPACK's info */
} lufact_array_operands;

typedef struct lufact_array_facts {
  uint32_t struct_size;
  int32_t on_device;
  int32_t threads;     /* host threads that are used */
  uint32_t operations; /* bits, of this variant of the plug-in, as the library that is there can */
  uint32_t precisions, layouts, pivoting;
  int32_t largest_order;
  int32_t takes_in_place, takes_out_of_place; /* of the inverse */
  int32_t gives_pivots;
  const char* library;
  const char* version;
  uint32_t setting_count;
  const lufact_peer_text* settings;
  uint32_t commands; /* LUFACT_ARRAY_BATCHES, LUFACT_ARRAY_ONE_MATRIX; 0: batches */
  uint32_t factors;  /* bits; 0: OWN */
  /* Of the last run, where factors are not OWN: steps of refinement, below 0 where the library went
   * back to factors in the precision of the matrix. */
  int32_t refinement_steps;
  /* As those of lufact_peer_facts: a code and a message each, for the record and the terminal. */
  uint32_t warning_count;
  const lufact_peer_text* warnings;
} lufact_array_facts;

typedef struct lufact_array_peer_api {
  uint32_t abi_version; /* LUFACT_ARRAY_PEER_ABI_VERSION of the header that it was built with */
  uint32_t struct_size;
  const char* name;
  const char* description;
  uint32_t variant_count;
  const lufact_peer_text* variants; /* name, what it does; the default is not among them */

  int32_t (*create)(const lufact_peer_options* options, lufact_array_peer** peer);
  int32_t (*describe)(lufact_array_peer* peer, lufact_array_facts* facts);
  /* What was prepared before is freed. The addresses in `operands` stay as they are until the next
   * call. `bytes`: what the plug-in allocated on the side that computes. UNSUPPORTED for a problem
   * that the plug-in does not take. */
  int32_t (*prepare)(lufact_array_peer* peer, const lufact_array_problem* problem,
                     const lufact_array_operands* operands, int64_t* bytes);
  /* Works on the arrays that were prepared, on `stream` (a cudaStream_t; NULL on the host), and
   * returns when it is done. Matrices that are singular are no failure: info says so. */
  int32_t (*run)(lufact_array_peer* peer, void* stream);
  void (*destroy)(lufact_array_peer* peer); /* NULL is allowed */
  /* Why the last call failed; of a failed create() where peer is NULL. Never NULL. */
  const char* (*last_error)(const lufact_array_peer* peer);
} lufact_array_peer_api;

/* The one exported function. */
typedef const lufact_array_peer_api* (*lufact_array_peer_entry)(void);

#ifdef __cplusplus
}
#endif
#endif
