// SPDX-License-Identifier: BSD-3-Clause
// Intel oneMKL on one large matrix, by getrf or getrfnp, and on a batch, in three ways: its strided
// batch functions on all cores; a loop over getrf, getri and getrs with OpenMP over the batch (the
// baseline of Abdelfattah et al. 2017); and its compact functions, which have no pivoting.
#include <numeric>
#include <optional>
#include <variant>

#include "baselines/peers/plugins/lapack_functions.hpp"
#include "baselines/peers/plugins/mkl_library.hpp"

namespace lufact::peers {
namespace {

template <class T>
std::string function_name(const char* before, const char* after) {
  return std::string(before) + (sizeof(T) == sizeof(double) ? "d" : "s") + after;
}

// getrf_batch_strided and what follows it: one call for the whole batch.
template <class T>
class StridedBatch {
 public:
  StridedBatch(const ForeignLibrary& library, int)
      : getrf_(library.function<Getrf>(function_name<T>("", "getrf_batch_strided").c_str())),
        getri_(library.function<Getri>(function_name<T>("", "getri_oop_batch_strided").c_str())),
        getrs_(library.function<Getrs>(function_name<T>("", "getrs_batch_strided").c_str())) {}

  std::int64_t prepare(const lufact_array_problem& problem, const lufact_array_operands& operands) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (matrix_stride(problem) > most || rhs_stride(problem) > most) {
      throw Failure(LUFACT_PEER_UNSUPPORTED, "the stride overflows 32-bit integers");
    }
    problem_ = problem;
    operands_ = operands;
    count_ = narrow_count(problem);
    if (problem.operation != LUFACT_ARRAY_LU) info_.resize(static_cast<std::size_t>(count_));
    return static_cast<std::int64_t>(info_.size() * sizeof(int));
  }

  void run() {
    const int stride = static_cast<int>(matrix_stride(problem_)), order = problem_.rows;
    T* a = static_cast<T*>(operands_.a);
    getrf_(&problem_.rows, &problem_.columns, a, &problem_.ld, &stride, operands_.pivots, &order,
           &count_, operands_.info);
    if (problem_.operation == LUFACT_ARRAY_INVERSE) {
      getri_(&order, a, &problem_.ld, &stride, operands_.pivots, &order,
             static_cast<T*>(operands_.result), &problem_.ld, &stride, &count_, info_.data());
    } else if (problem_.operation == LUFACT_ARRAY_SOLVE) {
      const int rhs_entries = static_cast<int>(rhs_stride(problem_));
      getrs_("N", &order, &problem_.rhs, a, &problem_.ld, &stride, operands_.pivots, &order,
             static_cast<T*>(operands_.b), &order, &rhs_entries, &count_, info_.data());
    }
  }

 private:
  using Getrf = void(const int* m, const int* n, T* a, const int* lda, const int* stride_a,
                     int* ipiv, const int* stride_ipiv, const int* count, int* info);
  using Getri = void(const int* n, const T* a, const int* lda, const int* stride_a, const int* ipiv,
                     const int* stride_ipiv, T* inverse, const int* ld, const int* stride,
                     const int* count, int* info);
  using Getrs = void(const char* trans, const int* n, const int* rhs, const T* a, const int* lda,
                     const int* stride_a, const int* ipiv, const int* stride_ipiv, T* b,
                     const int* ldb, const int* stride_b, const int* count, int* info);
  Getrf* getrf_;
  Getri* getri_;
  Getrs* getrs_;
  lufact_array_problem problem_{};
  lufact_array_operands operands_{};
  int count_ = 0;
  std::vector<int> info_;  // of the second step; lufact judges that of the first
};

// getrfnp_compact: vectors across matrices. A thread packs, factors and unpacks some hundred
// matrices at a time, so that what it packs stays in its cache and sizes fit 32 bits.
template <class T>
class CompactBatch {
 public:
  CompactBatch(const ForeignLibrary& library, int threads)
      : getrf_(library.function<Getrf>(function_name<T>("mkl_", "getrfnp_compact").c_str())),
        size_(library.function<Size>(function_name<T>("mkl_", "get_size_compact").c_str())),
        pack_(library.function<Pack>(function_name<T>("mkl_", "gepack_compact").c_str())),
        unpack_(library.function<Unpack>(function_name<T>("mkl_", "geunpack_compact").c_str())),
        format_(library.function<int()>("mkl_get_format_compact")()),
        threads_(threads) {}

  std::int64_t prepare(const lufact_array_problem& problem, const lufact_array_operands& operands) {
    problem_ = problem;
    operands_ = operands;
    const int bytes = size_(problem.rows, problem.columns, format_, chunk);
    packed_.assign(static_cast<std::size_t>(threads_),
                   std::vector<T>(static_cast<std::size_t>(bytes) / sizeof(T)));
    matrices_ = problem.layout == LUFACT_ARRAY_POINTERS
                    ? std::vector<T*>(static_cast<T**>(operands.a),
                                      static_cast<T**>(operands.a) + problem.count)
                    : addresses<T>(operands.a, matrix_stride(problem), problem.count);
    return std::int64_t{threads_} * bytes;
  }

  void run() {
    const std::int64_t chunks = (problem_.count + chunk - 1) / chunk;
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t c = 0; c < chunks; ++c) run_chunk(c * chunk);
    std::fill(operands_.info, operands_.info + problem_.count, 0);  // the functions give none
  }

 private:
  static constexpr int chunk = 128, by_columns = 102;
  using Getrf = void(int layout, int m, int n, T* a, int lda, int* info, int format, int count);
  using Size = int(int ld, int sd, int format, int count);
  using Pack = void(int layout, int rows, int columns, const T* const* a, int lda, T* packed,
                    int ldp, int format, int count);
  using Unpack = void(int layout, int rows, int columns, T* const* a, int lda, const T* packed,
                      int ldp, int format, int count);

  void run_chunk(std::int64_t first) {
    const int count = static_cast<int>(std::min<std::int64_t>(chunk, problem_.count - first));
    T* packed = packed_[static_cast<std::size_t>(omp_get_thread_num())].data();
    T** matrices = matrices_.data() + first;
    const int rows = problem_.rows, columns = problem_.columns;
    int info = 0;
    pack_(by_columns, rows, columns, matrices, problem_.ld, packed, rows, format_, count);
    getrf_(by_columns, rows, columns, packed, rows, &info, format_, count);
    unpack_(by_columns, rows, columns, matrices, problem_.ld, packed, rows, format_, count);
  }

  Getrf* getrf_;
  Size* size_;
  Pack* pack_;
  Unpack* unpack_;
  int format_, threads_;
  lufact_array_problem problem_{};
  lufact_array_operands operands_{};
  std::vector<std::vector<T>> packed_;  // a thread each
  std::vector<T*> matrices_;
};

// One matrix on all cores: getrf, or getrfnp of LAPACKE where it has no pivots, and getrs.
template <class T>
class OneMatrix {
 public:
  OneMatrix(const ForeignLibrary& library, int)
      : lapack_(library),
        getrfnp_(library.function<Getrfnp>(function_name<T>("LAPACKE_mkl_", "getrfnp").c_str())) {}

  std::int64_t prepare(const lufact_array_problem& problem, const lufact_array_operands& operands) {
    problem_ = problem;
    operands_ = operands;
    if (problem.pivoting == LUFACT_ARRAY_PIVOTING_PARTIAL) return 0;
    unmoved_.resize(static_cast<std::size_t>(std::min(problem.rows, problem.columns)));
    std::iota(unmoved_.begin(), unmoved_.end(), 1);
    return static_cast<std::int64_t>(unmoved_.size() * sizeof(int));
  }

  void run() {
    T* const a = static_cast<T*>(operands_.a);
    const bool pivots = unmoved_.empty();
    if (pivots) {
      lapack_.getrf(&problem_.rows, &problem_.columns, a, &problem_.ld, operands_.pivots,
                    operands_.info);
    } else {
      constexpr int by_columns = 102;
      *operands_.info = getrfnp_(by_columns, problem_.rows, problem_.columns, a, problem_.ld);
    }
    if (problem_.operation != LUFACT_ARRAY_SOLVE || *operands_.info != 0) return;
    int status = 0;
    lapack_.getrs("N", &problem_.rows, &problem_.rhs, a, &problem_.ld,
                  pivots ? operands_.pivots : unmoved_.data(), static_cast<T*>(operands_.b),
                  &problem_.rows, &status, 1);
  }

 private:
  using Getrfnp = int(int layout, int m, int n, T* a, int lda);
  LapackFunctions<T> lapack_;
  Getrfnp* getrfnp_;
  lufact_array_problem problem_{};
  lufact_array_operands operands_{};
  std::vector<int> unmoved_;  // pivots of rows that stay where they are
};

enum class Way { batch, loop, compact, nopivot };

Way way_of(const std::string& variant) {
  if (variant == "omp") return Way::loop;
  if (variant == "nopivot") return Way::nopivot;
  return variant == "compact" ? Way::compact : Way::batch;
}

class MklArrays final : public ArraySolver {
 public:
  explicit MklArrays(const lufact_peer_options& options)
      : way_(way_of(options.variant)),
        threads_(options.threads),
        mkl_(options.search_path,
             has_threads() ? MklLibrary::Threading::gnu : MklLibrary::Threading::sequential,
             has_threads() ? options.threads : 1) {}

  ArrayFacts facts() const override {
    ArrayFacts facts;
    facts.threads = has_threads() ? mkl_.threads() : threads_;
    facts.operations = way_ == Way::compact ? bit(LUFACT_ARRAY_LU) : lapack_operations;
    if (way_ == Way::batch) facts.layouts = bit(LUFACT_ARRAY_CONTIGUOUS);
    if (way_ == Way::compact || way_ == Way::nopivot) {
      facts.pivoting = bit(LUFACT_ARRAY_PIVOTING_NONE);
    }
    if (way_ == Way::batch) facts.commands |= LUFACT_ARRAY_ONE_MATRIX;
    if (way_ == Way::nopivot) {
      facts.commands = LUFACT_ARRAY_ONE_MATRIX;
      facts.operations = bit(LUFACT_ARRAY_LU) | bit(LUFACT_ARRAY_SOLVE);
      facts.layouts = bit(LUFACT_ARRAY_CONTIGUOUS);
    }
    facts.in_place = way_ == Way::loop;
    facts.gives_pivots = way_ != Way::compact && way_ != Way::nopivot;
    facts.library = "Intel oneMKL";
    facts.version = mkl_.version();
    facts.settings = {{"threading within a call", mkl_.threading()}};
    if (way_ == Way::compact) facts.settings.emplace_back("packing", "counted");
    if (has_threads()) warn_on_one_thread(facts, threads_, mkl_.why_one_thread());
    return facts;
  }

  std::int64_t prepare(const lufact_array_problem& problem,
                       const lufact_array_operands& operands) override {
    return with_precision(problem.precision, [&](auto value) {
      using T = decltype(value);
      const bool one = problem.count == 1 && problem.operation != LUFACT_ARRAY_INVERSE;
      if (has_threads() && one) return prepare_as<OneMatrix<T>>(problem, operands);
      switch (way_) {
        case Way::loop:
          return prepare_as<LapackLoop<T>>(problem, operands);
        case Way::compact:
          return prepare_as<CompactBatch<T>>(problem, operands);
        default:
          return prepare_as<StridedBatch<T>>(problem, operands);
      }
    });
  }
  void run(void*) override {
    std::visit([](auto& work) { work->run(); }, work_);
  }

 private:
  bool has_threads() const { return way_ == Way::batch || way_ == Way::nopivot; }

  template <class Work>
  std::int64_t prepare_as(const lufact_array_problem& problem,
                          const lufact_array_operands& operands) {
    auto work = std::make_unique<Work>(mkl_.functions(), threads_);
    const std::int64_t bytes = work->prepare(problem, operands);
    work_ = std::move(work);
    return bytes;
  }

  Way way_;
  int threads_;
  MklLibrary mkl_;
  std::variant<std::unique_ptr<OneMatrix<double>>, std::unique_ptr<OneMatrix<float>>,
               std::unique_ptr<StridedBatch<double>>, std::unique_ptr<StridedBatch<float>>,
               std::unique_ptr<LapackLoop<double>>, std::unique_ptr<LapackLoop<float>>,
               std::unique_ptr<CompactBatch<double>>, std::unique_ptr<CompactBatch<float>>>
      work_;
};

constexpr lufact_peer_text variants[] = {
    {"batch", "the same: strided batch functions on all cores"},
    {"omp", "getrf, getri, getrs of a matrix on one thread, OpenMP over the batch"},
    {"compact", "vectors across matrices, without pivoting, packing counted"},
    {"nopivot", "one matrix on all cores without pivoting: getrfnp"}};

std::unique_ptr<ArraySolver> make(const lufact_peer_options& options) {
  return std::make_unique<MklArrays>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_array_peer_api* lufact_array_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_array_peer_api api = make_array_api<make>(
      "mkl", "Intel oneMKL: strided batch functions, or one matrix, on all cores", variants);
  return &api;
}
