// SPDX-License-Identifier: BSD-3-Clause
// MUMPS, its library without MPI: unsymmetric multifrontal LU with threshold partial pivoting
// (P. R. Amestoy, I. S. Duff, J. Koster, J.-Y. L'Excellent, SIMAX 23, 2001). Threads within the
// BLAS, and its own where it was compiled with OpenMP. Takes the entries one by one, here by
// columns. It has no refactorization: new values go through the factorization with the analysis
// that is there, pivoting included.
// icntl[k] below is ICNTL(k+1) of its users' guide, infog[k] INFOG(k+1). Settings are the defaults
// but for messages, threads and what a variant names.
#include <dmumps_c.h>

#include "baselines/peers/plugins/blas.hpp"
#include "baselines/peers/plugins/needed_libraries.hpp"
#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {
namespace {

enum Job { begin = -1, end = -2, analysis = 1, factorization = 2, solution = 3 };
constexpr int world = -987654;  // "all processes" of its interface

class Mumps final : public Solver {
 public:
  explicit Mumps(const lufact_peer_options& options)
      : variant_(options.variant), given_threads_(variant_ == "seq" ? 1 : options.threads) {
    blas_threads_ = set_blas_threads(given_threads_);
    if (needs_openmp(reinterpret_cast<const void*>(&dmumps_c))) own_threads_ = given_threads_;
    start();  // what the library sets up once is part of `init`
  }
  ~Mumps() override { stop(); }
  Mumps(const Mumps&) = delete;
  Mumps& operator=(const Mumps&) = delete;

  Facts facts() const override {
    Facts facts;
    facts.layout = LUFACT_PEER_BY_COLUMN;
    facts.threads = std::max(blas_threads_, own_threads_);
    facts.library = "MUMPS";
    facts.version = version_;
    facts.scaling = "the library's choice, some of it within the analysis";
    facts.ordering = ordering();
    facts.symbolic = "multifrontal, with its ordering";
    facts.numeric = "multifrontal, threshold partial pivoting";
    facts.solve = "no refinement";
    facts.fused = {{"scale", "order"}, {"symbolic", "order"}};
    facts.settings = {{"blas", blas_name()},
                      {"blas_threads", std::to_string(blas_threads_)},
                      {"icntl(14)", std::to_string(workspace_percent_)},
                      {"repeated_for_workspace", std::to_string(repeated_)}};
    warn_on_one_thread(facts, given_threads_,
                       "it was compiled without OpenMP, and its BLAS, " + blas_name() +
                           ", has no threads; install OpenBLAS");
    return facts;
  }

  void set_pattern(std::int32_t n, const std::int64_t* offsets,
                   const std::int32_t* indices) override {
    if (mumps_.n != 0) clear();
    const auto entries = static_cast<std::size_t>(offsets[n]);
    rows_.resize(entries);
    columns_.resize(entries);
    for (std::int32_t j = 0; j < n; ++j) {
      for (std::int64_t q = offsets[j]; q < offsets[j + 1]; ++q) {
        rows_[static_cast<std::size_t>(q)] = indices[q] + 1;
        columns_[static_cast<std::size_t>(q)] = j + 1;
      }
    }
    mumps_.n = n;
    mumps_.nnz = offsets[n];
    mumps_.irn = rows_.data();
    mumps_.jcn = columns_.data();
  }
  // The library declares its inputs without const and does not write to them.
  void set_values(const double* values) override { mumps_.a = const_cast<double*>(values); }

  Step order() override {
    run(analysis);
    check("analysis");
    ordering_used_ = mumps_.infog[6];
    return Step::done;
  }
  Step symbolic() override { return Step::fused; }

  // Where pivoting needs more room than the analysis foresaw, the guide says to raise ICNTL(14) and
  // to repeat; all attempts are timed.
  void factor() override {
    constexpr int most_percent = 20 << 8;
    run(factorization);
    while (workspace_too_small() && workspace_percent_ < most_percent) {
      workspace_percent_ *= 2;
      ++repeated_;
      mumps_.icntl[13] = workspace_percent_;
      run(factorization);
    }
    check("factorization");
    factored_ = true;
  }
  void refactor() override { factor(); }

  void set_rhs(std::int32_t columns, const double* b) override {
    x_.assign(b, b + static_cast<std::size_t>(columns) * static_cast<std::size_t>(mumps_.n));
    mumps_.rhs = x_.data();
    mumps_.nrhs = columns;
    mumps_.lrhs = mumps_.n;
  }
  void solve() override {
    run(solution);
    check("solve");
  }
  void transpose(bool transposed) override {
    transposed_ = transposed;
    mumps_.icntl[8] = transposed_ ? 0 : 1;
  }
  void get_solution(double* x) override { std::copy(x_.begin(), x_.end(), x); }

  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.refinement_steps = 0;
    if (!factored_) return figures;
    // Negative: in millions.
    const std::int64_t entries = mumps_.infog[28];
    figures.nnz_lu = entries < 0 ? -entries * 1'000'000 : entries;
    figures.perturbed_pivots = mumps_.infog[24];
    figures.flops = mumps_.rinfog[2];
    return figures;
  }

  void clear() override {
    stop();
    rows_ = {};
    columns_ = {};
    x_ = {};
    factored_ = false;
    ordering_used_ = -1;
    repeated_ = 0;
    start();
  }

 private:
  // An instance without a problem: n is 0.
  void start() {
    mumps_ = {};
    mumps_.par = 1;  // this process takes part
    mumps_.sym = 0;  // unsymmetric
    mumps_.comm_fortran = world;
    run(begin);
    check("initialisation");
    started_ = true;
    version_ = mumps_.version_number;
    // No messages; errors are told by infog.
    mumps_.icntl[0] = mumps_.icntl[1] = mumps_.icntl[2] = -1;
    mumps_.icntl[3] = 0;
    mumps_.icntl[8] = transposed_ ? 0 : 1;
    mumps_.icntl[15] = given_threads_;
    if (variant_ == "amd") mumps_.icntl[6] = 0;
    if (variant_ == "scotch") mumps_.icntl[6] = 3;
    workspace_percent_ = mumps_.icntl[13];
  }
  void stop() noexcept {
    if (started_) run(end);
    started_ = false;
  }
  void run(Job job) noexcept {
    mumps_.job = job;
    dmumps_c(&mumps_);
  }

  bool workspace_too_small() const { return mumps_.infog[0] == -8 || mumps_.infog[0] == -9; }

  std::string ordering() const {
    switch (ordering_used_) {
      case -1:
        return {};
      case 0:
        return "amd";
      case 2:
        return "amf";
      case 3:
        return "scotch nested dissection";
      case 4:
        return "pord";
      case 5:
        return "metis nested dissection";
      case 6:
        return "qamd";
      default:
        return "ordering " + std::to_string(ordering_used_);
    }
  }

  void check(const std::string& what) const {
    const int error = mumps_.infog[0];
    if (error >= 0) return;
    const std::string said = what + ": INFOG(1) = " + std::to_string(error) +
                             ", INFOG(2) = " + std::to_string(mumps_.infog[1]);
    switch (error) {
      case -6:
        throw Failure(LUFACT_PEER_SINGULAR_STRUCTURAL,
                      what + ": structural rank " + std::to_string(mumps_.infog[1]));
      case -10:
        throw Failure(LUFACT_PEER_SINGULAR_NUMERIC, what + ": no usable pivot");
      case -5:
      case -7:
      case -8:
      case -9:
      case -11:
      case -13:
        throw Failure(LUFACT_PEER_OOM_HOST, said + " (out of memory)");
      default:
        throw Failure(LUFACT_PEER_ERROR, said);
    }
  }

  std::string variant_, version_;
  int given_threads_, blas_threads_ = 1, own_threads_ = 1;
  DMUMPS_STRUC_C mumps_{};
  bool started_ = false, factored_ = false, transposed_ = false;
  int ordering_used_ = -1, workspace_percent_ = 0, repeated_ = 0;
  std::vector<int> rows_, columns_;  // of every entry, counted from 1
  std::vector<double> x_;
};

constexpr lufact_peer_text variants[] = {
    {"amd", "AMD instead of the library's choice of an ordering"},
    {"scotch", "nested dissection of Scotch instead of the library's choice"},
    {"seq", "BLAS on one thread: fronts of sparse matrices are often too small for more"}};

std::unique_ptr<Solver> make(const lufact_peer_options& options) {
  return std::make_unique<Mumps>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_peer_api* lufact_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_peer_api api =
      make_api<make>("mumps", "MUMPS without MPI: multifrontal, threads within the BLAS", variants);
  return &api;
}
