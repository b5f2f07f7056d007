// SPDX-License-Identifier: BSD-3-Clause
// UMFPACK of SuiteSparse: unsymmetric multifrontal LU (T. A. Davis, ACM TOMS 30, 2004), parallel
// only within the BLAS. Takes A by columns. It has no refactorization of its own: new values go
// through umfpack_di_numeric with the analysis that is there, pivoting included.
#include <umfpack.h>

#include <array>
#include <cmath>

#include "baselines/peers/plugins/blas.hpp"
#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {
namespace {

class Umfpack final : public Solver {
 public:
  explicit Umfpack(const lufact_peer_options& options) : given_threads_(options.threads) {
    umfpack_di_defaults(control_.data());
    const std::string variant = options.variant;
    if (variant == "metis") control_[UMFPACK_ORDERING] = UMFPACK_ORDERING_METIS;
    if (variant == "seq") given_threads_ = 1;
    threads_ = set_blas_threads(given_threads_);
  }
  ~Umfpack() override { release(); }
  Umfpack(const Umfpack&) = delete;
  Umfpack& operator=(const Umfpack&) = delete;

  Facts facts() const override {
    Facts facts;
    facts.layout = LUFACT_PEER_BY_COLUMN;
    facts.threads = threads_;
    facts.library = "SuiteSparse UMFPACK";
    facts.version = std::to_string(UMFPACK_MAIN_VERSION) + "." +
                    std::to_string(UMFPACK_SUB_VERSION) + "." +
                    std::to_string(UMFPACK_SUBSUB_VERSION);
    facts.scaling = "sum of each row";
    facts.ordering = ordering();
    facts.symbolic = "column analysis, with its ordering";
    facts.numeric = "multifrontal, threshold partial pivoting";
    facts.solve = "sequential, up to 2 refinement steps of its own";
    facts.fused = {{"scale", "numeric"}, {"symbolic", "order"}};
    facts.settings = {{"blas", blas_name()}, {"strategy", strategy()}};
    warn_on_one_thread(facts, given_threads_,
                       "its BLAS, " + blas_name() + ", has no threads; install OpenBLAS");
    return facts;
  }

  void set_pattern(std::int32_t n, const std::int64_t* offsets,
                   const std::int32_t* indices) override {
    clear();
    columns_ = narrow_offsets(n, offsets);
    rows_ = indices;
    n_ = n;
  }
  void set_values(const double* values) override { values_ = values; }

  Step order() override {
    check("umfpack_di_symbolic", umfpack_di_symbolic(n_, n_, columns_.data(), rows_, values_,
                                                     &symbolic_, control_.data(), info_.data()));
    analysis_ = info_;
    return Step::done;
  }
  Step symbolic() override { return Step::fused; }

  void factor() override {
    release_numeric();
    check("umfpack_di_numeric", umfpack_di_numeric(columns_.data(), rows_, values_, symbolic_,
                                                   &numeric_, control_.data(), info_.data()));
    factorization_ = info_;
  }
  void refactor() override { factor(); }

  void set_rhs(std::int32_t columns, const double* b) override {
    b_ = b;
    rhs_ = columns;
    x_.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(n_));
  }
  void solve() override {
    refinement_steps_ = 0;
    for (std::int32_t c = 0; c < rhs_; ++c) {
      const std::size_t at = static_cast<std::size_t>(c) * static_cast<std::size_t>(n_);
      check("umfpack_di_solve",
            umfpack_di_solve(transposed_ ? UMFPACK_At : UMFPACK_A, columns_.data(), rows_, values_,
                             x_.data() + at, b_ + at, numeric_, control_.data(), info_.data()));
      refinement_steps_ = std::max(refinement_steps_, static_cast<int>(info_[UMFPACK_IR_TAKEN]));
    }
  }
  void transpose(bool transposed) override { transposed_ = transposed; }
  void get_solution(double* x) override { std::copy(x_.begin(), x_.end(), x); }

  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.refinement_steps = refinement_steps_;
    if (numeric_ == nullptr) return figures;
    figures.nnz_l = static_cast<std::int64_t>(factorization_[UMFPACK_LNZ]) - n_;
    figures.nnz_u = static_cast<std::int64_t>(factorization_[UMFPACK_UNZ]);
    figures.flops = factorization_[UMFPACK_FLOPS];
    return figures;
  }

  void clear() override {
    release();
    columns_.clear();
    x_ = {};
    refinement_steps_ = -1;
  }

 private:
  using Info = std::array<double, UMFPACK_INFO>;

  void release_numeric() noexcept {
    if (numeric_ != nullptr) umfpack_di_free_numeric(&numeric_);
  }
  void release() noexcept {
    release_numeric();
    if (symbolic_ != nullptr) umfpack_di_free_symbolic(&symbolic_);
  }

  std::string strategy() const {
    if (symbolic_ == nullptr) return "auto";
    const bool symmetric = analysis_[UMFPACK_STRATEGY_USED] == UMFPACK_STRATEGY_SYMMETRIC;
    return symmetric ? "auto: symmetric" : "auto: unsymmetric";
  }
  std::string ordering() const {
    if (symbolic_ == nullptr) return {};
    const bool symmetric = analysis_[UMFPACK_STRATEGY_USED] == UMFPACK_STRATEGY_SYMMETRIC;
    switch (static_cast<int>(analysis_[UMFPACK_ORDERING_USED])) {
      case UMFPACK_ORDERING_AMD:
        return symmetric ? "amd" : "colamd";
      case UMFPACK_ORDERING_METIS:
        return "metis";
      default:
        return "other";
    }
  }

  void check(const std::string& what, int status) const {
    switch (status) {
      case UMFPACK_OK:
        return;
      case UMFPACK_WARNING_singular_matrix:
        throw Failure(LUFACT_PEER_SINGULAR_NUMERIC, what + ": the matrix is singular");
      case UMFPACK_ERROR_out_of_memory:
        throw Failure(LUFACT_PEER_OOM_HOST,
                      what + ": out of memory, or the factors overflow 32-bit integers");
      default:
        throw Failure(LUFACT_PEER_ERROR, what + ": status " + std::to_string(status));
    }
  }

  int given_threads_, threads_ = 1;
  std::array<double, UMFPACK_CONTROL> control_{};
  Info info_{}, analysis_{}, factorization_{};  // of the last call, of each step
  void* symbolic_ = nullptr;
  void* numeric_ = nullptr;
  std::int32_t n_ = 0, rhs_ = 0;
  std::vector<int> columns_;
  const std::int32_t* rows_ = nullptr;
  const double *values_ = nullptr, *b_ = nullptr;
  std::vector<double> x_;
  int refinement_steps_ = -1;
  bool transposed_ = false;
};

constexpr lufact_peer_text variants[] = {
    {"metis", "METIS nested dissection instead of AMD or COLAMD"},
    {"seq", "BLAS on one thread: fronts of sparse matrices are often too small for more"}};

std::unique_ptr<Solver> make(const lufact_peer_options& options) {
  return std::make_unique<Umfpack>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_peer_api* lufact_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_peer_api api = make_api<make>(
      "umfpack", "SuiteSparse UMFPACK: multifrontal, threads within the BLAS", variants);
  return &api;
}
