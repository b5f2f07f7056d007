// SPDX-License-Identifier: BSD-3-Clause
// lufact-superlu-dist: the symbolic factorization of SuperLU_DIST alone, with which GSoFa compares
// itself, as a program that answers as docs/adding-a-peer.md says.
//   lufact-superlu-dist version              library and version
//   lufact-superlu-dist seq PATTERN          symbfact, in the order as it is; without MPI
//   lufact-superlu-dist par PATTERN ORDER    symbfact_dist behind its ParMETIS; under mpirun
// PATTERN is a general coordinate file, such as lufact's {pattern}. The processes of `par` are a
// power of two: for other numbers ParMETIS does not tell the separators that symbfact_dist needs.
// ORDER gets the order of ParMETIS, a label a line, so that `lufact run --permutation ORDER` has
// the same labelled pattern. Supernodes are not relaxed, so that counts are those of the exact
// pattern. What the library is given stays until the process ends.
#include <superlu_ddefs.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct FileFault {
  const char* what;
};

// A square pattern by rows. `columns[row_ptr[i]]` to `columns[row_ptr[i + 1] - 1]` are those of row
// i, from 0 on.
struct Pattern {
  int_t n = 0;
  std::vector<int_t> row_ptr, columns;
};

// Of one process, or of all that MPI has started.
[[noreturn]] void fail(const char* outcome, const char* message) {
  std::printf("outcome %s\nmessage %s\n", outcome, message);
  std::fflush(stdout);
  int over_mpi = 0;
  MPI_Initialized(&over_mpi);
  if (over_mpi != 0) MPI_Abort(MPI_COMM_WORLD, 0);
  std::exit(0);
}

double seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::size_t at(int_t index) {
  return static_cast<std::size_t>(index);
}

// The numbers of a text, one after the other.
class Numbers {
 public:
  explicit Numbers(std::string_view text) : rest_(text) {}

  int_t next() {
    skip_blanks();
    int_t number = 0;
    const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (fault != std::errc{}) throw FileFault{"the matrix is no coordinate file, or too short"};
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }
  void skip_line() {
    const std::size_t end = rest_.find('\n');
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  }
  void skip_comments() {
    while (rest_.starts_with('%')) skip_line();
  }

 private:
  void skip_blanks() {
    const std::size_t begin = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
  }

  std::string_view rest_;
};

std::string text_of_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileFault{"the matrix cannot be opened"};
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Entry {
  int_t row, column;
};

std::vector<Entry> read_entries(Numbers numbers, int_t n, int_t count) {
  std::vector<Entry> entries;
  entries.reserve(at(count));
  for (int_t k = 0; k < count; ++k) {
    const int_t row = numbers.next() - 1, column = numbers.next() - 1;
    numbers.skip_line();
    if (row < 0 || row >= n || column < 0 || column >= n) {
      throw FileFault{"an entry of the matrix is outside of it"};
    }
    entries.push_back({row, column});
  }
  return entries;
}

void count_to_begin(std::vector<int_t>& counts) {
  for (std::size_t k = 1; k < counts.size(); ++k) counts[k] += counts[k - 1];
}

Pattern parse_pattern(const char* path) {
  const std::string text = text_of_file(path);
  Numbers numbers(text);
  numbers.skip_comments();
  const int_t rows = numbers.next(), order = numbers.next(), count = numbers.next();
  numbers.skip_line();
  if (rows != order || order < 1) throw FileFault{"the matrix is not square"};
  const std::vector<Entry> entries = read_entries(numbers, order, count);
  Pattern pattern{order, std::vector<int_t>(at(order) + 1), std::vector<int_t>(entries.size())};
  for (const Entry& entry : entries) ++pattern.row_ptr[at(entry.row) + 1];
  count_to_begin(pattern.row_ptr);
  std::vector<int_t> next = pattern.row_ptr;
  for (const Entry& entry : entries) pattern.columns[at(next[at(entry.row)]++)] = entry.column;
  return pattern;
}

Pattern read_pattern(const char* path) {
  try {
    return parse_pattern(path);
  } catch (const FileFault& fault) {
    fail("error", fault.what);
  }
}

void share(std::vector<int_t>& numbers) {
  MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), mpi_int_t, 0, MPI_COMM_WORLD);
}

// The first process reads; all have the pattern.
Pattern share_pattern(const char* path, int rank) {
  Pattern pattern;
  if (rank == 0) pattern = read_pattern(path);
  int_t sizes[] = {pattern.n, static_cast<int_t>(pattern.columns.size())};
  MPI_Bcast(sizes, 2, mpi_int_t, 0, MPI_COMM_WORLD);
  pattern.n = sizes[0];
  pattern.row_ptr.resize(at(sizes[0]) + 1);
  pattern.columns.resize(at(sizes[1]));
  share(pattern.row_ptr);
  share(pattern.columns);
  return pattern;
}

superlu_dist_options_t exact_options() {
  superlu_dist_options_t options;
  set_default_options_dist(&options);
  options.PrintStat = NO;
  options.ColPerm = NATURAL;
  options.superlu_relax = 1;
  return options;
}

// Memory of the library's own, for what it may free.
int_t* library_copy(const int_t* begin, int_t count) {
  int_t* copy = intMalloc_dist(count > 0 ? count : 1);
  if (copy == nullptr) fail("oom_host", "there is no memory for the matrix");
  std::copy_n(begin, at(count), copy);
  return copy;
}

double* library_values(int_t count) {
  double* values = doubleCalloc_dist(count > 0 ? count : 1);
  if (values == nullptr) fail("oom_host", "there is no memory for the matrix");
  return values;
}

std::vector<int_t> identity(int_t n) {
  std::vector<int_t> labels(at(n));
  for (int_t k = 0; k < n; ++k) labels[at(k)] = k;
  return labels;
}

void print_library() {
  std::printf("library SuperLU_DIST\nversion %d.%d.%d\n", SUPERLU_DIST_MAJOR_VERSION,
              SUPERLU_DIST_MINOR_VERSION, SUPERLU_DIST_PATCH_VERSION);
}

void print_run(const char* function, const char* ordering, int processes) {
  print_library();
  std::printf("symbolic %s\nordering %s\n", function, ordering);
  std::printf("setting processes %d\nsetting relaxed_supernodes 1\n", processes);
}

void print_seconds(double order, double symbolic) {
  std::printf("order_s %.9g\nsymbolic_s %.9g\n", order, symbolic);
}

// `nnz_l` with the diagonal, which lufact counts in U alone.
void print_counts(int_t n, long long nnz_l, long long nnz_u) {
  std::printf("nnz_l %lld\nnnz_u %lld\n", nnz_l - n, nnz_u);
}

Pattern transposed(const Pattern& a) {
  Pattern result{a.n, std::vector<int_t>(at(a.n) + 1), std::vector<int_t>(a.columns.size())};
  for (const int_t column : a.columns) ++result.row_ptr[at(column) + 1];
  count_to_begin(result.row_ptr);
  std::vector<int_t> next = result.row_ptr;
  for (int_t row = 0; row < a.n; ++row) {
    for (int_t q = a.row_ptr[at(row)]; q < a.row_ptr[at(row) + 1]; ++q) {
      result.columns[at(next[at(a.columns[at(q)])]++)] = row;
    }
  }
  return result;
}

struct Counts {
  long long nnz_l = 0, nnz_u = 0;  // both with the diagonal
};

// As countnz_dist, which counts in int_t: columns of a supernode are stored once, and a segment of
// U reaches from its first row to the end of its supernode.
Counts count_entries(int_t n, const Glu_persist_t& supernodes, const Glu_freeable_t& structure) {
  Counts counts;
  for (int_t column = 0; column < n; ++column) {
    const int_t first = supernodes.xsup[supernodes.supno[column]];
    counts.nnz_l += structure.xlsub[first + 1] - structure.xlsub[first] - (column - first);
    counts.nnz_u += column - first + 1;
    for (int_t q = structure.xusub[column]; q < structure.xusub[column + 1]; ++q) {
      const int_t row = structure.usub[q];
      counts.nnz_u += supernodes.xsup[supernodes.supno[row] + 1] - row;
    }
  }
  return counts;
}

// symbfact takes columns. Column order is the postorder of their elimination tree.
void run_sequential(const Pattern& a) {
  superlu_dist_options_t options = exact_options();
  const Pattern by_columns = transposed(a);
  const auto count = static_cast<int_t>(a.columns.size());
  int_t* rows = library_copy(by_columns.columns.data(), count);
  SuperMatrix matrix, ordered;
  dCreate_CompCol_Matrix_dist(&matrix, a.n, a.n, count, library_values(count), rows,
                              library_copy(by_columns.row_ptr.data(), a.n + 1), SLU_NC, SLU_D,
                              SLU_GE);
  std::vector<int_t> perm = identity(a.n), tree(at(a.n));
  auto* supernodes = static_cast<Glu_persist_t*>(SUPERLU_MALLOC(sizeof(Glu_persist_t)));
  auto* structure = static_cast<Glu_freeable_t*>(SUPERLU_MALLOC(sizeof(Glu_freeable_t)));

  const double begin = seconds();
  sp_colorder(&options, &matrix, perm.data(), tree.data(), &ordered);
  for (int_t q = 0; q < count; ++q) rows[q] = perm[at(rows[q])];  // it orders columns alone
  const double ordered_at = seconds();
  if (symbfact(&options, 0, &ordered, perm.data(), tree.data(), supernodes, structure) > 0) {
    fail("oom_host", "SuperLU_DIST ran out of memory");
  }
  const double end = seconds();

  const Counts counts = count_entries(a.n, *supernodes, *structure);
  print_run("symbfact", "as given, in postorder", 1);
  print_seconds(ordered_at - begin, end - ordered_at);
  print_counts(a.n, counts.nnz_l, counts.nnz_u);
  std::printf("supernodes %lld\n", static_cast<long long>(supernodes->supno[a.n - 1]) + 1);
}

void write_order(const char* path, const std::vector<int_t>& new_of_old) {
  std::vector<int_t> old_of_new(new_of_old.size());
  for (std::size_t k = 0; k < new_of_old.size(); ++k) {
    old_of_new[at(new_of_old[k])] = static_cast<int_t>(k);
  }
  std::ofstream file(path);
  for (const int_t label : old_of_new) file << label << '\n';
  file.flush();
  if (!file) fail("error", "the order cannot be written");
}

// Entries of the columns of L, or rows of U, that this process has: of a supernode the first one
// alone is stored, and each that follows has one entry less.
long long count_stored(const int_t* begin, const Pslu_freeable_t& structure) {
  long long count = 0, current = 0;
  for (int_t k = 0; k < structure.nvtcs_loc; ++k) {
    const bool follows = k > 0 && structure.supno_loc[k] == structure.supno_loc[k - 1];
    const int_t stored = begin[k + 1] - begin[k];
    current = follows && stored == 0 ? current - 1 : stored;
    count += current;
  }
  return count;
}

void print_sums(int_t n, const Pslu_freeable_t& structure, const gridinfo_t& grid) {
  const long long own[] = {count_stored(structure.xlsub, structure),   // with the diagonal
                           count_stored(structure.xusub, structure)};  // without
  long long all[] = {0, 0};
  MPI_Reduce(own, all, 2, MPI_LONG_LONG, MPI_SUM, 0, grid.comm);
  if (grid.iam == 0) print_counts(n, all[0], all[1] + n);
}

// Consecutive rows for each process, the rest for the last one.
void distribute(const Pattern& a, const gridinfo_t& grid, int processes, SuperMatrix& matrix) {
  const int_t each = a.n / processes, first = each * grid.iam;
  const int_t end = grid.iam == processes - 1 ? a.n : first + each;
  const int_t rows = end - first, begin = a.row_ptr[at(first)];
  const int_t count = a.row_ptr[at(end)] - begin;
  int_t* row_ptr = library_copy(&a.row_ptr[at(first)], rows + 1);
  for (int_t k = 0; k <= rows; ++k) row_ptr[k] -= begin;
  dCreate_CompRowLoc_Matrix_dist(&matrix, a.n, a.n, count, rows, first, library_values(count),
                                 library_copy(a.columns.data() + begin, count), row_ptr, SLU_NR_loc,
                                 SLU_D, SLU_GE);
}

double after_all(const gridinfo_t& grid) {
  MPI_Barrier(grid.comm);
  return seconds();
}

// PT-Scotch, which is ParMETIS on Debian, starts as many threads in every process as the host has
// processors, unless told otherwise. They crowd the processes out while it orders, and still in
// symbfact_dist (docs/peers.md), so that it is told to take one. The user may ask for more.
constexpr const char* threads_of_scotch = "SCOTCH_PTHREAD_NUMBER";

void run_parallel(const Pattern& a, int processes, const char* order_file) {
  if (!std::has_single_bit(static_cast<unsigned>(processes))) {
    fail("unsupported", "symbfact_dist works on 1, 2, 4, 8 and so on processes");
  }
  if (a.n < processes) fail("unsupported", "the matrix has fewer rows than there are processes");
  gridinfo_t grid;
  superlu_gridinit(MPI_COMM_WORLD, 1, processes, &grid);
  MPI_Comm workers;
  MPI_Comm_dup(grid.comm, &workers);
  SuperMatrix matrix;
  distribute(a, grid, processes, matrix);
  std::vector<int_t> perm_r = identity(a.n), perm_c = identity(a.n);
  superlu_dist_options_t options = exact_options();
  options.ParSymbFact = YES;
  options.ColPerm = PARMETIS;
  int_t *sizes = nullptr, *separators = nullptr;

  const double begin = after_all(grid);
  if (get_perm_c_parmetis(&matrix, perm_r.data(), perm_c.data(), processes, processes, &sizes,
                          &separators, &grid, &workers) > 0) {
    fail("error", "ParMETIS failed");
  }
  const double ordered_at = after_all(grid);
  Pslu_freeable_t structure;
  superlu_dist_mem_usage_t memory;
  if (symbfact_dist(&options, processes, processes, &matrix, perm_c.data(), perm_r.data(), sizes,
                    separators, &structure, &grid.comm, &workers, &memory) > 0) {
    fail("oom_host", "SuperLU_DIST ran out of memory");
  }
  const double end = after_all(grid);

  if (grid.iam == 0) {
    write_order(order_file, perm_c);
    print_run("symbfact_dist", "ParMETIS", processes);
    std::printf("setting mpi_threads multiple\n");
    std::printf("setting scotch_threads %s\n", std::getenv(threads_of_scotch));
    print_seconds(ordered_at - begin, end - ordered_at);
  }
  print_sums(a.n, structure, grid);
}

// Where threads of PT-Scotch are several, two of a process talk to different halves of the others
// at once. With MPI for one thread such runs crash or wait for ever.
void run_over_mpi(const char* pattern, const char* order_file) {
  int rank = 0, processes = 1, level = MPI_THREAD_SINGLE;
  setenv(threads_of_scotch, "1", /*overwrite=*/0);
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (level < MPI_THREAD_MULTIPLE) {
    fail("unsupported", "this MPI has no MPI_THREAD_MULTIPLE, which PT-Scotch needs as ParMETIS");
  }
  run_parallel(share_pattern(pattern, rank), processes, order_file);
  MPI_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view task = argc > 1 ? argv[1] : "";
  if (task == "version" && argc == 2) {
    print_library();
  } else if (task == "seq" && argc == 3) {
    run_sequential(read_pattern(argv[2]));
  } else if (task == "par" && argc == 4) {
    run_over_mpi(argv[2], argv[3]);
  } else {
    fail("error", "usage: version | seq PATTERN | par PATTERN PERMUTATION");
  }
  return 0;
}
