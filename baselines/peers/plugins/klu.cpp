// SPDX-License-Identifier: BSD-3-Clause
// KLU of SuiteSparse: sequential left-looking LU of the diagonal blocks of a block triangular form
// (T. A. Davis, E. Palamadai Natarajan, ACM TOMS 37, 2010). Takes A by columns, as its users have
// it. All settings are the library's defaults but the ordering of `klu-colamd`.
#include <klu.h>

#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {
namespace {

constexpr int amd_ordering = 0, colamd_ordering = 1;

class Klu final : public Solver {
 public:
  explicit Klu(const lufact_peer_options& options) {
    klu_defaults(&common_);
    if (std::string(options.variant) == "colamd") common_.ordering = colamd_ordering;
  }
  ~Klu() override { release(); }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;

  Facts facts() const override {
    Facts facts;
    facts.layout = LUFACT_PEER_BY_COLUMN;
    facts.library = "SuiteSparse KLU";
    facts.version = std::to_string(KLU_MAIN_VERSION) + "." + std::to_string(KLU_SUB_VERSION) + "." +
                    std::to_string(KLU_SUBSUB_VERSION);
    facts.scaling = "largest entry of each row";
    facts.ordering = common_.ordering == amd_ordering ? "btf + amd" : "btf + colamd";
    facts.symbolic = "of each block, with its ordering";
    facts.numeric = "left-looking Gilbert-Peierls, partial pivoting";
    facts.solve = "sequential, no refinement";
    facts.fused = {{"scale", "numeric"}, {"symbolic", "order"}};
    facts.settings = {{"pivot_tolerance", std::to_string(common_.tol)}};
    if (symbolic_ != nullptr) {
      facts.settings.emplace_back("diagonal_blocks", std::to_string(symbolic_->nblocks));
      facts.settings.emplace_back("largest_block", std::to_string(symbolic_->maxblock));
    }
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

  // KLU declares its inputs without const and does not write to them.
  Step order() override {
    symbolic_ = klu_analyze(n_, columns_.data(), const_cast<int*>(rows_), &common_);
    if (common_.status == KLU_SINGULAR) {
      throw Failure(LUFACT_PEER_SINGULAR_STRUCTURAL, "KLU finds a structural rank of " +
                                                         std::to_string(common_.structural_rank) +
                                                         " of " + std::to_string(n_));
    }
    if (symbolic_ == nullptr) fail("klu_analyze");
    return Step::done;
  }
  Step symbolic() override { return Step::fused; }

  void factor() override {
    numeric_ = klu_factor(columns_.data(), const_cast<int*>(rows_), const_cast<double*>(values_),
                          symbolic_, &common_);
    if (numeric_ == nullptr) fail("klu_factor");
  }
  void refactor() override {
    if (klu_refactor(columns_.data(), const_cast<int*>(rows_), const_cast<double*>(values_),
                     symbolic_, numeric_, &common_) == 0) {
      fail("klu_refactor");
    }
  }

  void set_rhs(std::int32_t columns, const double* b) override {
    x_.assign(b, b + static_cast<std::size_t>(columns) * static_cast<std::size_t>(n_));
    rhs_ = columns;
  }
  void solve() override {
    if (klu_solve(symbolic_, numeric_, n_, rhs_, x_.data(), &common_) == 0) fail("klu_solve");
  }
  void get_solution(double* x) override { std::copy(x_.begin(), x_.end(), x); }

  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.refinement_steps = 0;
    if (numeric_ == nullptr) return figures;
    figures.nnz_l = std::int64_t{numeric_->lnz} - n_;
    figures.nnz_u = std::int64_t{numeric_->unz} + numeric_->nzoff;
    klu_flops(symbolic_, numeric_, &common_);
    figures.flops = common_.flops;
    return figures;
  }

  void clear() override {
    release();
    columns_.clear();
    x_ = {};
  }

 private:
  void release() noexcept {
    if (numeric_ != nullptr) klu_free_numeric(&numeric_, &common_);
    if (symbolic_ != nullptr) klu_free_symbolic(&symbolic_, &common_);
  }

  [[noreturn]] void fail(const std::string& what) const {
    switch (common_.status) {
      case KLU_SINGULAR:
        throw Failure(LUFACT_PEER_SINGULAR_NUMERIC,
                      what + ": no usable pivot in column " + std::to_string(common_.singular_col));
      case KLU_OUT_OF_MEMORY:
        throw Failure(LUFACT_PEER_OOM_HOST, what + ": out of memory");
      case KLU_TOO_LARGE:
        throw Failure(LUFACT_PEER_UNSUPPORTED, what + ": the factors overflow 32-bit integers");
      default:
        throw Failure(LUFACT_PEER_ERROR, what + ": status " + std::to_string(common_.status));
    }
  }

  mutable klu_common common_{};  // klu_flops() leaves its count there
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  std::int32_t n_ = 0, rhs_ = 0;
  std::vector<int> columns_;
  const std::int32_t* rows_ = nullptr;
  const double* values_ = nullptr;
  std::vector<double> x_;
};

constexpr lufact_peer_text variants[] = {{"colamd", "COLAMD within the blocks, not AMD"}};

std::unique_ptr<Solver> make(const lufact_peer_options& options) {
  return std::make_unique<Klu>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_peer_api* lufact_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_peer_api api =
      make_api<make>("klu", "SuiteSparse KLU: block triangular form, one thread", variants);
  return &api;
}
