/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The C interface between lufact and the plug-in of a whole foreign solver.
 *
 * A plug-in is a shared library lufact_peer_NAME.so that exports one function,
 * lufact_peer_get_api(), which returns a table of functions. lufact loads it on demand into a
 * worker process of its own and runs `lufact run --peer NAME`, or NAME-VARIANT, as
 *
 *   create, describe                                   once, timed as the set-up phase `init`
 *   set_pattern, set_values                            phase `transfer`
 *   order, symbolic, factor                            phases `order`, `symbolic`, `numeric`
 *   set_rhs                                            phase `transfer`
 *   solve                                              phase `solve`
 *   get_solution                                       phase `transfer`
 *   (set_values, refactor, set_rhs, solve, get_solution) as often as --refactor says
 *   figures, describe, clear                           not timed
 *
 * again for every repetition, and `destroy` at the end. Every call returns when its work is done:
 * a plug-in for a device synchronises, but for what run_ahead() says. Calls come from one thread.
 * No C++ type and no exception crosses the interface. Texts are UTF-8 and belong to the plug-in,
 * which keeps them until the next call of the same function with the same object, or until it is
 * destroyed.
 *
 * The caller sets struct_size of a structure that it passes; the plug-in reads and writes no more
 * than that, so that structures may grow at their end without a new abi_version.
 */
#ifndef LUFACT_PEER_H
#define LUFACT_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUFACT_PEER_ABI_VERSION 1u
#define LUFACT_PEER_ENTRY "lufact_peer_get_api"

/* What a call returns, an int32_t. */
enum {
  LUFACT_PEER_OK = 0,
  /* order, symbolic: the library did this within an earlier step, or will within a later one; the
   * phase is left out of the record. describe() says with which one. */
  LUFACT_PEER_FUSED = 1,
  /* The rest are failures, which end the run with that outcome; last_error() says why. */
  LUFACT_PEER_UNSUPPORTED = 2, /* no library, another major version, no device */
  LUFACT_PEER_SINGULAR_STRUCTURAL = 3,
  LUFACT_PEER_SINGULAR_NUMERIC = 4,
  LUFACT_PEER_OOM_HOST = 5,
  LUFACT_PEER_OOM_DEVICE = 6,
  LUFACT_PEER_ERROR = 7
};

/* lufact_peer_facts.layout: how set_pattern and set_values want the matrix. lufact prepares it
 * before the clock starts. */
enum { LUFACT_PEER_BY_ROW = 0, LUFACT_PEER_BY_COLUMN = 1 };

typedef struct lufact_peer lufact_peer; /* an opened solver; the plug-in defines it */

typedef struct lufact_peer_text {
  const char* name;
  const char* value;
} lufact_peer_text;

typedef struct lufact_peer_options {
  uint32_t struct_size;
  int32_t threads;         /* host threads that may be used, 1 or more */
  int32_t device;          /* CUDA device number */
  const char* variant;     /* one of lufact_peer_api.variants; "" is the default */
  const char* search_path; /* folders for the solver's own libraries, separated by colons */
} lufact_peer_options;

typedef struct lufact_peer_facts {
  uint32_t struct_size;
  int32_t layout;
  int32_t on_device; /* 1 where the factorization runs on a device */
  int32_t threads;   /* host threads that the solver uses */
  const char* library;
  const char* version;
  /* What the solver does in each step, for the record; NULL: nothing, or not known. Some are known
   * only after the step. */
  const char* scaling;
  const char* ordering;
  const char* symbolic;
  const char* numeric;
  const char* solve;
  /* Steps that another one does: {"symbolic", "order"}. */
  uint32_t fused_count;
  const lufact_peer_text* fused;
  /* Every setting that differs from the library's default or that a reader may want to know. */
  uint32_t setting_count;
  const lufact_peer_text* settings;
  /* What on this machine makes the solver slower than it can be, code and message, for the record
   * and the terminal: {"peer_on_one_thread", "..."}. */
  uint32_t warning_count;
  const lufact_peer_text* warnings;
} lufact_peer_facts;

/* Figures of the last factorization and solve; -1: not known. Byte counts add up from create(). */
typedef struct lufact_peer_figures {
  uint32_t struct_size;
  int32_t refinement_steps; /* the library's own, of the last solve */
  int64_t nnz_l;            /* strictly lower */
  int64_t nnz_u;            /* with the diagonal */
  int64_t nnz_lu;           /* both, where the library tells no more */
  int64_t perturbed_pivots;
  int64_t supernodes;
  int64_t device_peak_bytes;
  int64_t bytes_h2d, bytes_d2h; /* moved by the set_ and get_ calls */
  double flops;
} lufact_peer_figures;

typedef struct lufact_peer_api {
  uint32_t abi_version; /* LUFACT_PEER_ABI_VERSION of the header that the plug-in was built with */
  uint32_t struct_size;
  const char* name;
  const char* description;
  uint32_t variant_count;
  const lufact_peer_text* variants; /* name, what it sets; the default is not among them */

  int32_t (*create)(const lufact_peer_options* options, lufact_peer** peer);
  int32_t (*describe)(lufact_peer* peer, lufact_peer_facts* facts);

  /* The square matrix of a new problem; what was left of an earlier one is freed first. By row:
   * the entries of row i are offsets[i] .. offsets[i+1] of indices, which ascend. The arrays stay
   * as they are until the next call of the same function, or clear(). */
  int32_t (*set_pattern)(lufact_peer* peer, int32_t n, const int64_t* offsets,
                         const int32_t* indices);
  /* The next call may bring other values in the same array, which change just before it. */
  int32_t (*set_values)(lufact_peer* peer, const double* values);
  int32_t (*order)(lufact_peer* peer);
  int32_t (*symbolic)(lufact_peer* peer);
  int32_t (*factor)(lufact_peer* peer);
  int32_t (*refactor)(lufact_peer* peer); /* new values, the pattern and its analysis kept */
  /* n x columns numbers, stored by column. */
  int32_t (*set_rhs)(lufact_peer* peer, int32_t columns, const double* b);
  int32_t (*solve)(lufact_peer* peer);
  int32_t (*get_solution)(lufact_peer* peer, double* x);
  int32_t (*figures)(lufact_peer* peer, lufact_peer_figures* figures);
  /* Frees the problem and all device memory that belongs to it; the library stays initialised. */
  int32_t (*clear)(lufact_peer* peer);
  void (*destroy)(lufact_peer* peer); /* NULL is allowed */
  /* Why the last call failed; of a failed create() where peer is NULL. Never NULL. */
  const char* (*last_error)(const lufact_peer* peer);

  /* What a solver on a device may have beside, for refactorizations: all of it or, in a shorter
   * table or as NULL, nothing. A variant without answers LUFACT_PEER_UNSUPPORTED.
   *
   * put_on_device, not timed: new values and right-hand sides to arrays on the device, where a
   * caller who works there would have them. use_device_arrays, in place of set_values and set_rhs:
   * the solver takes them from there. get_solution then is not timed either. */
  int32_t (*put_on_device)(lufact_peer* peer, const double* values, int32_t columns,
                           const double* b);
  int32_t (*use_device_arrays)(lufact_peer* peer);
  /* With 1, set_values, use_device_arrays, refactor, set_rhs, solve and get_solution may return
   * before their work is done, until wait(), which tells their failures; their arrays stay as they
   * are meanwhile. With 0 they wait again. */
  int32_t (*run_ahead)(lufact_peer* peer, int32_t ahead);
  int32_t (*wait)(lufact_peer* peer);
  /* A mark behind the work so far, 0 <= number < LUFACT_PEER_MARKS; and the seconds between two,
   * once the work is done. */
  int32_t (*mark)(lufact_peer* peer, int32_t number);
  int32_t (*seconds_between)(lufact_peer* peer, int32_t begin, int32_t end, double* seconds);

  /* Many systems with one pattern, of which a solver may take several together; in a shorter table
   * or as NULL, it takes one at a time, and a variant may answer LUFACT_PEER_UNSUPPORTED. Holds
   * from the next set_pattern on, until the next call; 1 after create(). set_values then brings
   * `count` sets of values, one after another. factor, refactor and solve are of all systems and
   * fail where one of them does; order and symbolic may look at the first. set_rhs brings one
   * column for each system, get_solution gives one for each. Figures of factors are those of the
   * first. */
  int32_t (*set_systems)(lufact_peer* peer, int32_t count);

  /* Before set_pattern: with 1, solve() solves systems with the transpose of the matrix, by the
   * factors of the matrix, from now on; with 0, with the matrix itself. A library without such a
   * solve answers LUFACT_PEER_UNSUPPORTED, as a shorter table or NULL does. */
  int32_t (*transpose)(lufact_peer* peer, int32_t transposed);
} lufact_peer_api;

#define LUFACT_PEER_MARKS 16

/* The one exported function. */
typedef const lufact_peer_api* (*lufact_peer_entry)(void);

#ifdef __cplusplus
}
#endif
#endif
