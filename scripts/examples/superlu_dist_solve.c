/* SPDX-License-Identifier: BSD-3-Clause
 * SuperLU_DIST for `lufact run --peer exec:`, in one process with OpenMP threads:
 *   superlu_dist_solve MATRIX.mtx RHS.mtx SOLUTION
 * MATRIX is a real general coordinate file, RHS an array, both as lufact writes them. Settings are
 * the library's defaults; the answers are those of docs/adding-a-peer.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <superlu_ddefs.h>

static void fail(const char* outcome, const char* message) {
  printf("outcome %s\nmessage %s\n", outcome, message);
  exit(0);
}

static void* memory(size_t bytes) {
  void* made = malloc(bytes > 0 ? bytes : 1);
  if (made == NULL) fail("oom_host", "no memory for the input");
  return made;
}

/* Leaves the file behind its comments. */
static FILE* open_mtx(const char* path) {
  FILE* file = fopen(path, "r");
  if (file == NULL) fail("error", "a file cannot be read");
  int c;
  while ((c = fgetc(file)) == '%') {
    while (c != '\n' && c != EOF) c = fgetc(file);
  }
  ungetc(c, file);
  return file;
}

/* The matrix by columns, which the library frees. */
static void read_matrix(const char* path, int_t* n, int_t* nnz, int_t** columns, int_t** rows,
                        double** values) {
  FILE* file = open_mtx(path);
  long long m, order, entries;
  if (fscanf(file, "%lld %lld %lld", &m, &order, &entries) != 3 || m != order) {
    fail("error", "the matrix is not square, or no coordinate file");
  }
  int_t *i = memory(entries * sizeof *i), *j = memory(entries * sizeof *j);
  double* a = memory(entries * sizeof *a);
  *columns = intCalloc_dist(order + 1);
  *rows = intMalloc_dist(entries);
  *values = doubleMalloc_dist(entries);
  for (long long q = 0; q < entries; ++q) {
    long long row, column;
    if (fscanf(file, "%lld %lld %lf", &row, &column, &a[q]) != 3) fail("error", "a short matrix");
    i[q] = row - 1;
    j[q] = column - 1;
    ++(*columns)[column];
  }
  fclose(file);
  for (long long c = 0; c < order; ++c) (*columns)[c + 1] += (*columns)[c];
  int_t* next = memory((order + 1) * sizeof *next);
  memcpy(next, *columns, (order + 1) * sizeof *next);
  for (long long q = 0; q < entries; ++q) {
    const int_t at = next[j[q]]++;
    (*rows)[at] = i[q];
    (*values)[at] = a[q];
  }
  free(i);
  free(j);
  free(a);
  free(next);
  *n = order;
  *nnz = entries;
}

static double* read_rhs(const char* path, int_t n, int* count) {
  FILE* file = open_mtx(path);
  long long m;
  if (fscanf(file, "%lld %d", &m, count) != 2 || m != n) fail("error", "right-hand sides of n rows");
  double* b = memory((size_t)n * *count * sizeof *b);
  for (size_t q = 0; q < (size_t)n * *count; ++q) {
    if (fscanf(file, "%lf", &b[q]) != 1) fail("error", "short right-hand sides");
  }
  fclose(file);
  return b;
}

int main(int argc, char** argv) {
  if (argc != 4) fail("error", "usage: superlu_dist_solve MATRIX RHS SOLUTION");
  MPI_Init(&argc, &argv);
  gridinfo_t grid;
  superlu_gridinit(MPI_COMM_WORLD, 1, 1, &grid);
  int_t n, nnz, *columns, *rows;
  double* values;
  read_matrix(argv[1], &n, &nnz, &columns, &rows, &values);
  int rhs;
  double* b = read_rhs(argv[2], n, &rhs);
  double* backward_errors = memory(rhs * sizeof *backward_errors);

  superlu_dist_options_t options;
  set_default_options_dist(&options);
  options.PrintStat = NO;
  SuperMatrix a;
  dCreate_CompCol_Matrix_dist(&a, n, n, nnz, values, rows, columns, SLU_NC, SLU_D, SLU_GE);
  dScalePermstruct_t scaling;
  dScalePermstructInit(n, n, &scaling);
  dLUstruct_t factors;
  dLUstructInit(n, &factors);
  SuperLUStat_t stat;
  PStatInit(&stat);
  int info = 0;
  pdgssvx_ABglobal(&options, &a, &scaling, b, (int)n, rhs, &grid, &factors, backward_errors, &stat,
                   &info);
  if (info > 0 && info <= n) fail("singular_numeric", "a pivot is exactly zero");
  if (info > n) fail("oom_host", "the library ran out of memory");
  if (info < 0) fail("error", "the library refuses an argument");

  printf("library SuperLU_DIST\nversion %d.%d.%d\n", SUPERLU_DIST_MAJOR_VERSION,
         SUPERLU_DIST_MINOR_VERSION, SUPERLU_DIST_PATCH_VERSION);
  printf("scaling equilibration and maximum product matching\n");
  printf("numeric supernodal right-looking, static pivoting\n");
  printf("scale_s %.9g\norder_s %.9g\n", stat.utime[EQUIL] + stat.utime[ROWPERM],
         stat.utime[COLPERM] + stat.utime[ETREE]);
  printf("symbolic_s %.9g\n", stat.utime[SYMBFAC]);
  printf("numeric_s %.9g\n", stat.utime[DIST] + stat.utime[FACT]);
  printf("solve_s %.9g\n", stat.utime[SOLVE] + stat.utime[REFINE]);
  printf("perturbed_pivots %d\nrefinement_steps %d\n", stat.TinyPivots, stat.RefineSteps);
  FILE* out = fopen(argv[3], "w");
  if (out == NULL) fail("error", "the solution cannot be written");
  for (size_t q = 0; q < (size_t)n * rhs; ++q) fprintf(out, "%.17g\n", b[q]);
  fclose(out);
  printf("solution %s\n", argv[3]);
  MPI_Finalize();
  return 0;
}
