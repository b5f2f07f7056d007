// SPDX-License-Identifier: BSD-3-Clause
// SparseLU of Eigen: supernodal left-looking LU with partial pivoting, after SuperLU (D. Nuentsa,
// G. Guennebaud, since Eigen 3.2). Takes A by columns. All of it is headers, so that it is as fast
// as this plug-in was compiled: see LUFACT_EIGEN_FLAGS. It has no refactorization: new values go
// through factorize() with the analysis that is there, pivoting included.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {
namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

// The plug-in may have been compiled for more than this processor has.
void require_processor() {
#ifdef __AVX2__
  if (!__builtin_cpu_supports("avx2")) {
    throw Failure(LUFACT_PEER_UNSUPPORTED,
                  "the plug-in was compiled with AVX2, which this processor does not have; "
                  "configure lufact with -DLUFACT_EIGEN_FLAGS= and build it again");
  }
#endif
#ifdef __FMA__
  if (!__builtin_cpu_supports("fma")) {
    throw Failure(LUFACT_PEER_UNSUPPORTED,
                  "the plug-in was compiled with FMA, which this processor does not have; "
                  "configure lufact with -DLUFACT_EIGEN_FLAGS= and build it again");
  }
#endif
}

template <class Ordering>
class EigenLu final : public Solver {
 public:
  explicit EigenLu(std::string ordering) : ordering_(std::move(ordering)) { require_processor(); }

  Facts facts() const override {
    Facts facts;
    facts.layout = LUFACT_PEER_BY_COLUMN;
    facts.library = "Eigen SparseLU";
    facts.version = std::to_string(EIGEN_WORLD_VERSION) + "." +
                    std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION);
    facts.ordering = ordering_;
    facts.symbolic = "column elimination tree, with its ordering";
    facts.numeric = "supernodal left-looking, partial pivoting";
    facts.solve = "sequential, no refinement";
    facts.fused = {{"symbolic", "order"}};
    facts.settings = {{"vector_instructions", Eigen::SimdInstructionSetsInUse()}};
    return facts;
  }

  void set_pattern(std::int32_t n, const std::int64_t* offsets,
                   const std::int32_t* indices) override {
    clear();
    const std::vector<int> columns = narrow_offsets(n, offsets);
    a_.resize(n, n);
    a_.resizeNonZeros(columns.back());
    std::copy(columns.begin(), columns.end(), a_.outerIndexPtr());
    std::copy(indices, indices + columns.back(), a_.innerIndexPtr());
    lu_ = std::make_unique<Lu>();
  }
  void set_values(const double* values) override {
    std::copy(values, values + a_.nonZeros(), a_.valuePtr());
  }

  Step order() override {
    lu_->analyzePattern(a_);
    return Step::done;
  }
  Step symbolic() override { return Step::fused; }

  void factor() override {
    lu_->factorize(a_);
    const std::string& fault = lu_->lastErrorMessage();
    factored_ = fault.empty() && lu_->info() == Eigen::Success;
    if (factored_) return;
    const bool memory = fault.find("UNABLE TO") != std::string::npos;
    throw Failure(memory ? LUFACT_PEER_OOM_HOST : LUFACT_PEER_SINGULAR_NUMERIC,
                  "factorize: " + (fault.empty() ? "numerical issue" : fault));
  }
  void refactor() override { factor(); }

  void set_rhs(std::int32_t columns, const double* b) override {
    b_ = b;
    x_.resize(a_.rows(), columns);
  }
  void solve() override {
    const Eigen::Map<const Eigen::MatrixXd> b(b_, x_.rows(), x_.cols());
    if (transposed_) {
      x_ = lu_->transpose().solve(b);
    } else {
      x_ = lu_->solve(b);
    }
    if (lu_->info() != Eigen::Success) throw Failure(LUFACT_PEER_ERROR, "solve failed");
  }
  void transpose(bool transposed) override { transposed_ = transposed; }
  void get_solution(double* x) override { std::copy(x_.data(), x_.data() + x_.size(), x); }

  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.refinement_steps = 0;
    if (!factored_) return figures;
    figures.nnz_l = lu_->nnzL() - a_.rows();  // counted with its diagonal
    figures.nnz_u = lu_->nnzU();
    return figures;
  }

  void clear() override {
    lu_.reset();
    a_ = Matrix();
    x_.resize(0, 0);
    factored_ = false;
  }

 private:
  using Lu = Eigen::SparseLU<Matrix, Ordering>;

  std::string ordering_;
  Matrix a_;
  std::unique_ptr<Lu> lu_;
  const double* b_ = nullptr;
  Eigen::MatrixXd x_;
  bool factored_ = false, transposed_ = false;
};

constexpr lufact_peer_text variants[] = {{"amd", "AMD of A+A' instead of COLAMD"}};

std::unique_ptr<Solver> make(const lufact_peer_options& options) {
  if (std::string(options.variant) == "amd") {
    return std::make_unique<EigenLu<Eigen::AMDOrdering<int>>>("amd");
  }
  return std::make_unique<EigenLu<Eigen::COLAMDOrdering<int>>>("colamd");
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_peer_api* lufact_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_peer_api api =
      make_api<make>("eigen", "Eigen SparseLU: supernodal, one thread", variants);
  return &api;
}
