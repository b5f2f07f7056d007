/* SPDX-License-Identifier: BSD-3-Clause
 * The symbolic factorization of SuperLU_DIST alone, for `lufact run --peer exec:`:
 *   superlu_dist_symbolic seq PATTERN.mtx                   symbfact, one process, the order as it is
 *   mpirun -n N superlu_dist_symbolic par PATTERN.mtx PERM  symbfact_dist after its ParMETIS
 * PATTERN is a real general coordinate file, such as lufact's {pattern}. N processes work as the
 * largest power of two up to N. PERM gets the order of ParMETIS, a label per line, so that
 * `lufact run --permutation PERM` has the same labelled pattern. Supernodes are not relaxed, so that
 * counts are those of the exact pattern. Build:
 *   mpicc -O2 -I/usr/include/superlu-dist superlu_dist_symbolic.c -o superlu_dist_symbolic \
 *     -lsuperlu_dist -lm
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <superlu_ddefs.h>

/* A general matrix by rows, on every process. */
typedef struct {
  int_t n, nnz;
  int_t *row_ptr, *columns;
} Pattern;

static void fail(const char* outcome, const char* message) {
  printf("outcome %s\nmessage %s\n", outcome, message);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 0);
  exit(0);
}

static FILE* open_file(const char* path, const char* mode) {
  FILE* file = fopen(path, mode);
  if (file == NULL) fail("error", "a file cannot be opened");
  return file;
}

static Pattern read_pattern(const char* path) {
  FILE* file = open_file(path, "r");
  int c;
  while ((c = fgetc(file)) == '%') {
    while (c != '\n' && c != EOF) c = fgetc(file);
  }
  ungetc(c, file);
  long long rows, order, entries;
  if (fscanf(file, "%lld %lld %lld", &rows, &order, &entries) != 3 || rows != order) {
    fail("error", "the matrix is not square, or no coordinate file");
  }
  Pattern a = {(int_t)order, (int_t)entries, intCalloc_dist(order + 1), intMalloc_dist(entries)};
  int_t *i = intMalloc_dist(entries), *j = intMalloc_dist(entries);
  for (long long q = 0; q < entries; ++q) {
    long long row, column;
    if (fscanf(file, "%lld %lld %*s", &row, &column) != 2) fail("error", "a short matrix");
    i[q] = row - 1;
    j[q] = column - 1;
    ++a.row_ptr[row];
  }
  fclose(file);
  for (int_t k = 0; k < a.n; ++k) a.row_ptr[k + 1] += a.row_ptr[k];
  int_t* next = intMalloc_dist(a.n + 1);
  memcpy(next, a.row_ptr, (a.n + 1) * sizeof *next);
  for (int_t q = 0; q < a.nnz; ++q) a.columns[next[i[q]]++] = j[q];
  SUPERLU_FREE(i);
  SUPERLU_FREE(j);
  SUPERLU_FREE(next);
  return a;
}

static superlu_dist_options_t exact_options(void) {
  superlu_dist_options_t options;
  set_default_options_dist(&options);
  options.PrintStat = NO;
  options.ColPerm = NATURAL;
  options.superlu_relax = 1;
  return options;
}

static void print_head(int processes) {
  printf("library SuperLU_DIST\nversion %d.%d.%d\n", SUPERLU_DIST_MAJOR_VERSION,
         SUPERLU_DIST_MINOR_VERSION, SUPERLU_DIST_PATCH_VERSION);
  printf("setting processes %d\nsetting relaxed_supernodes 1\n", processes);
}

/* symbfact takes columns: those of the transposed pattern would have the same fill in L + U with L
 * and U exchanged, so rows are made columns first. */
static void transpose(const Pattern* a, int_t** column_ptr, int_t** rows) {
  *column_ptr = intCalloc_dist(a->n + 1);
  *rows = intMalloc_dist(a->nnz);
  for (int_t q = 0; q < a->nnz; ++q) ++(*column_ptr)[a->columns[q] + 1];
  for (int_t k = 0; k < a->n; ++k) (*column_ptr)[k + 1] += (*column_ptr)[k];
  int_t* next = intMalloc_dist(a->n + 1);
  memcpy(next, *column_ptr, (a->n + 1) * sizeof *next);
  for (int_t row = 0; row < a->n; ++row) {
    for (int_t q = a->row_ptr[row]; q < a->row_ptr[row + 1]; ++q) {
      (*rows)[next[a->columns[q]]++] = row;
    }
  }
  SUPERLU_FREE(next);
}

static void run_sequential(const Pattern* a) {
  superlu_dist_options_t options = exact_options();
  int_t *column_ptr, *rows;
  transpose(a, &column_ptr, &rows);
  SuperMatrix by_columns, ordered;
  dCreate_CompCol_Matrix_dist(&by_columns, a->n, a->n, a->nnz, doubleCalloc_dist(a->nnz), rows,
                              column_ptr, SLU_NC, SLU_D, SLU_GE);
  int_t *perm = intMalloc_dist(a->n), *tree = intMalloc_dist(a->n);
  for (int_t k = 0; k < a->n; ++k) perm[k] = k;
  Glu_persist_t* supernodes = SUPERLU_MALLOC(sizeof *supernodes);
  Glu_freeable_t* structure = SUPERLU_MALLOC(sizeof *structure);

  const double begin = SuperLU_timer_();
  sp_colorder(&options, &by_columns, perm, tree, &ordered);
  for (int_t q = 0; q < a->nnz; ++q) rows[q] = perm[rows[q]];  /* columns only were ordered */
  const double ordered_at = SuperLU_timer_();
  if (symbfact(&options, 0, &ordered, perm, tree, supernodes, structure) > 0) {
    fail("oom_host", "the library ran out of memory");
  }
  const double end = SuperLU_timer_();

  int_t nnz_l, nnz_u;
  int_t* scratch = intMalloc_dist(a->n);
  countnz_dist(a->n, scratch, &nnz_l, &nnz_u, supernodes, structure);
  print_head(1);
  printf("symbolic symbfact\nordering as given, postorder of its tree\n");
  printf("order_s %.9g\nsymbolic_s %.9g\n", ordered_at - begin, end - ordered_at);
  printf("nnz_l %lld\nnnz_u %lld\n", (long long)nnz_l - a->n, (long long)nnz_u);
  printf("supernodes %lld\n", (long long)supernodes->supno[a->n - 1] + 1);
}

static void write_order(const char* path, const int_t* perm, int_t n) {
  int_t* old_of_new = intMalloc_dist(n);
  for (int_t k = 0; k < n; ++k) old_of_new[perm[k]] = k;
  FILE* file = open_file(path, "w");
  for (int_t k = 0; k < n; ++k) fprintf(file, "%lld\n", (long long)old_of_new[k]);
  fclose(file);
  SUPERLU_FREE(old_of_new);
}

/* Entries of the columns of L (rows of U) of this process: of a supernode the first one alone is
 * stored, and each that follows has one entry less. */
static long long count_entries(const int_t* begin, const Pslu_freeable_t* structure) {
  long long count = 0, current = 0;
  for (int_t k = 0; k < structure->nvtcs_loc; ++k) {
    const int follows = k > 0 && structure->supno_loc[k] == structure->supno_loc[k - 1];
    const int_t stored = begin[k + 1] - begin[k];
    current = follows && stored == 0 ? current - 1 : stored;
    count += current;
  }
  return count;
}

static void run_parallel(const Pattern* a, const char* order_file) {
  gridinfo_t grid;
  int processes, domains = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  superlu_gridinit(MPI_COMM_WORLD, 1, processes, &grid);
  while (2 * domains <= processes) domains *= 2;
  MPI_Comm workers;
  MPI_Comm_split(grid.comm, grid.iam < domains ? 0 : MPI_UNDEFINED, grid.iam, &workers);

  /* Consecutive rows for each process. */
  const int_t first = a->n / processes * grid.iam;
  const int_t end = grid.iam == processes - 1 ? a->n : first + a->n / processes;
  const int_t rows = end - first, begin = a->row_ptr[first], nnz = a->row_ptr[end] - begin;
  int_t *row_ptr = intMalloc_dist(rows + 1), *columns = intMalloc_dist(nnz);
  for (int_t k = 0; k <= rows; ++k) row_ptr[k] = a->row_ptr[first + k] - begin;
  memcpy(columns, a->columns + begin, nnz * sizeof *columns);
  SuperMatrix by_rows;
  dCreate_CompRowLoc_Matrix_dist(&by_rows, a->n, a->n, nnz, rows, first, doubleCalloc_dist(nnz),
                                 columns, row_ptr, SLU_NR_loc, SLU_D, SLU_GE);
  int_t *perm_r = intMalloc_dist(a->n), *perm_c = intMalloc_dist(a->n);
  for (int_t k = 0; k < a->n; ++k) perm_r[k] = perm_c[k] = k;

  superlu_dist_options_t options = exact_options();
  options.ParSymbFact = YES;
  options.ColPerm = PARMETIS;
  int_t *sizes = NULL, *separators = NULL;
  Pslu_freeable_t structure;
  superlu_dist_mem_usage_t memory;
  MPI_Barrier(grid.comm);
  const double start = SuperLU_timer_();
  if (get_perm_c_parmetis(&by_rows, perm_r, perm_c, processes, domains, &sizes, &separators, &grid,
                          &workers) > 0) {
    fail("error", "ParMETIS failed");
  }
  MPI_Barrier(grid.comm);
  const double ordered = SuperLU_timer_();
  if (symbfact_dist(&options, processes, domains, &by_rows, perm_c, perm_r, sizes, separators,
                    &structure, &grid.comm, &workers, &memory) > 0) {
    fail("oom_host", "the library ran out of memory");
  }
  MPI_Barrier(grid.comm);
  const double done = SuperLU_timer_();

  if (grid.iam == 0) {
    write_order(order_file, perm_c, a->n);
    print_head(processes);
    printf("setting symbolic_processes %d\nsymbolic symbfact_dist\nordering ParMETIS\n", domains);
    printf("order_s %.9g\nsymbolic_s %.9g\n", ordered - start, done - ordered);
  }
  long long own[2], all[2];
  own[0] = count_entries(structure.xlsub, &structure);  /* with the diagonal */
  own[1] = count_entries(structure.xusub, &structure);  /* without */
  MPI_Reduce(own, all, 2, MPI_LONG_LONG, MPI_SUM, 0, grid.comm);
  if (grid.iam == 0) printf("nnz_l %lld\nnnz_u %lld\n", all[0] - a->n, all[1] + a->n);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int sequential = argc == 3 && strcmp(argv[1], "seq") == 0;
  const int parallel = argc == 4 && strcmp(argv[1], "par") == 0;
  if (!sequential && !parallel) fail("error", "usage: seq PATTERN | par PATTERN PERMUTATION");
  const Pattern a = read_pattern(argv[2]);
  if (sequential) {
    run_sequential(&a);
  } else {
    run_parallel(&a, argv[3]);
  }
  MPI_Finalize();
  return 0;
}
