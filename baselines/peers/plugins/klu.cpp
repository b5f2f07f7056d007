// SPDX-License-Identifier: BSD-3-Clause
// KLU of SuiteSparse: sequential left-looking LU of the diagonal blocks of a block triangular form
// (T. A. Davis, E. Palamadai Natarajan, ACM TOMS 37, 2010). Takes A by columns, as its users have
// it. All settings are the library's defaults but the ordering of `klu-colamd`.
#include "baselines/peers/plugins/klu_objects.hpp"

namespace lufact::peers {
namespace {

constexpr int amd_ordering = 0, colamd_ordering = 1;

class Klu final : public Solver {
 public:
  explicit Klu(const lufact_peer_options& options) {
    if (std::string(options.variant) == "colamd") klu_.common.ordering = colamd_ordering;
  }

  Facts facts() const override {
    Facts facts;
    facts.layout = LUFACT_PEER_BY_COLUMN;
    facts.library = "SuiteSparse KLU";
    facts.version = klu_version();
    facts.scaling = "largest entry of each row";
    facts.ordering = klu_.common.ordering == amd_ordering ? "btf + amd" : "btf + colamd";
    facts.symbolic = "of each block, with its ordering";
    facts.numeric = "left-looking Gilbert-Peierls, partial pivoting";
    facts.solve = "sequential, no refinement";
    facts.fused = {{"scale", "numeric"}, {"symbolic", "order"}};
    facts.settings = {{"pivot_tolerance", std::to_string(klu_.common.tol)}};
    if (klu_.symbolic != nullptr) {
      facts.settings.emplace_back("diagonal_blocks", std::to_string(klu_.symbolic->nblocks));
      facts.settings.emplace_back("largest_block", std::to_string(klu_.symbolic->maxblock));
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
    klu_.symbolic = klu_analyze(n_, columns_.data(), const_cast<int*>(rows_), &klu_.common);
    if (klu_.common.status == KLU_SINGULAR) {
      throw Failure(LUFACT_PEER_SINGULAR_STRUCTURAL,
                    "KLU finds a structural rank of " +
                        std::to_string(klu_.common.structural_rank) + " of " + std::to_string(n_));
    }
    if (klu_.symbolic == nullptr) klu_.fail("klu_analyze");
    return Step::done;
  }
  Step symbolic() override { return Step::fused; }

  void factor() override {
    klu_.numeric = klu_factor(columns_.data(), const_cast<int*>(rows_),
                              const_cast<double*>(values_), klu_.symbolic, &klu_.common);
    if (klu_.numeric == nullptr) klu_.fail("klu_factor");
  }
  void refactor() override {
    if (klu_refactor(columns_.data(), const_cast<int*>(rows_), const_cast<double*>(values_),
                     klu_.symbolic, klu_.numeric, &klu_.common) == 0) {
      klu_.fail("klu_refactor");
    }
  }

  void set_rhs(std::int32_t columns, const double* b) override {
    x_.assign(b, b + static_cast<std::size_t>(columns) * static_cast<std::size_t>(n_));
    rhs_ = columns;
  }
  void solve() override {
    const auto solves = transposed_ ? klu_tsolve : klu_solve;
    if (solves(klu_.symbolic, klu_.numeric, n_, rhs_, x_.data(), &klu_.common) == 0) {
      klu_.fail(transposed_ ? "klu_tsolve" : "klu_solve");
    }
  }
  void transpose(bool transposed) override { transposed_ = transposed; }
  void get_solution(double* x) override { std::copy(x_.begin(), x_.end(), x); }

  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.refinement_steps = 0;
    if (klu_.numeric == nullptr) return figures;
    figures.nnz_l = std::int64_t{klu_.numeric->lnz} - n_;
    figures.nnz_u = std::int64_t{klu_.numeric->unz} + klu_.numeric->nzoff;
    figures.flops = klu_.flops();
    return figures;
  }

  void clear() override {
    klu_.clear();
    columns_.clear();
    x_ = {};
  }

 private:
  mutable KluObjects klu_{"column"};  // KLU counts operations into its settings
  std::int32_t n_ = 0, rhs_ = 0;
  std::vector<int> columns_;
  const std::int32_t* rows_ = nullptr;
  const double* values_ = nullptr;
  std::vector<double> x_;
  bool transposed_ = false;
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
