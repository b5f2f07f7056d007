// SPDX-License-Identifier: BSD-3-Clause
// Plug-ins that behave in every way that one can: a dense solver for small matrices, whose variants
// fail on purpose. FAKE_NAME is the plug-in's name; FAKE_OTHER_ABI claims another version of the
// interface, FAKE_CRASH_ON_LOAD aborts when it is loaded, FAKE_ON_ONE_THREAD uses one host thread
// however many it is given and takes one system at a time.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "baselines/peers/plugins/device_solver.hpp"
#include "baselines/peers/plugins/systems_solver.hpp"

namespace lufact::peers {
namespace {

#ifdef FAKE_ON_ONE_THREAD
constexpr bool on_one_thread = true;
#else
constexpr bool on_one_thread = false;
#endif

class Fake final : public DeviceSolver, public SystemsSolver {
 public:
  explicit Fake(const lufact_peer_options& options)
      : threads_(options.threads), variant_(options.variant) {
    if (variant_ == "absent") {
      throw Failure(LUFACT_PEER_UNSUPPORTED, "libfake.so.3: cannot open shared object file");
    }
  }

  Facts facts() const override {
    Facts facts;
    facts.layout = variant_ == "columns" ? LUFACT_PEER_BY_COLUMN : LUFACT_PEER_BY_ROW;
    facts.on_device = variant_ == "device";
    facts.threads = on_one_thread ? 1 : threads_;
    facts.library = "fake";
    facts.version = "3.1.4";
    facts.ordering = "none";
    facts.numeric = "dense, partial pivoting";
    facts.fused = {{"symbolic", "order"}};
    facts.settings = {{"variant", variant_}};
    warn_on_one_thread(facts, threads_, "its threads are missing");
    return facts;
  }

  void set_pattern(std::int32_t n, const std::int64_t* offsets,
                   const std::int32_t* indices) override {
    n_ = n;
    offsets_ = offsets;
    indices_ = indices;
  }
  void set_systems(std::int32_t count) override { systems_ = at(count); }
  void set_values(const double* values) override { values_ = values; }
  Step order() override { return Step::done; }
  Step symbolic() override { return Step::fused; }
  void factor() override {
    if (variant_ == "crash") std::abort();
    if (variant_ == "hang") sleep(600);
    if (variant_ == "singular") throw Failure(LUFACT_PEER_SINGULAR_NUMERIC, "a pivot is zero");
    if (variant_ == "memory") throw std::bad_alloc();
    if (variant_ == "spin") spin_for_a_while();
    gather();
  }
  void refactor() override { gather(); }
  void spin_for_a_while() {
    spinning_ = std::jthread([] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
      while (std::chrono::steady_clock::now() < end) {
      }
    });
  }
  void set_rhs(std::int32_t columns, const double* b) override {
    columns_ = columns;
    x_.assign(b, b + at(columns) * at(n_));
  }
  void solve() override {
    for (std::size_t c = 0; c < at(columns_); ++c) {
      eliminate(systems_ == 1 ? 0 : c, x_.data() + c * at(n_));
    }
    if (variant_ == "wrong" && !x_.empty()) x_[0] += 1e-3;
  }
  // `silent` reports success without touching the solution.
  void get_solution(double* x) override {
    if (ahead_) {
      wanted_ = x;
    } else if (variant_ != "silent") {
      std::copy(x_.begin(), x_.end(), x);
    }
  }

  // Its device is the host, where what was asked for ahead is not there before it was waited for.
  void put_on_device(const double* values, std::int32_t columns, const double* b) override {
    if (variant_ != "device") throw Failure(LUFACT_PEER_UNSUPPORTED, "it is on no device");
    given_values_.assign(values, values + offsets_[n_]);
    given_b_.assign(b, b + at(columns) * at(n_));
    columns_ = columns;
  }
  void use_device_arrays() override {
    values_ = given_values_.data();
    x_ = given_b_;
  }
  void run_ahead(bool ahead) override { ahead_ = ahead; }
  void wait() override {
    if (wanted_ != nullptr) std::copy(x_.begin(), x_.end(), wanted_);
    wanted_ = nullptr;
  }
  void mark(std::int32_t number) override { marks_.at(at(number)) = Clock::now(); }
  double seconds_between(std::int32_t begin, std::int32_t end) const override {
    return std::chrono::duration<double>(marks_.at(at(end)) - marks_.at(at(begin))).count();
  }
  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.refinement_steps = 0;
    figures.nnz_l = std::int64_t{n_} * (n_ - 1) / 2;
    figures.nnz_u = std::int64_t{n_} * (n_ + 1) / 2;
    return figures;
  }
  void clear() override { dense_ = {}; }
  // `columns` has no solve with the transpose.
  void transpose(bool transposed) override {
    if (variant_ == "columns") return Solver::transpose(transposed);
    transposed_ = transposed;
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  void gather() {
    dense_.assign(systems_ * at(n_) * at(n_), 0);
    for (std::size_t k = 0; k < systems_; ++k) {
      gather(values_ + at(offsets_[n_]) * k, dense_.data() + k * at(n_) * at(n_));
    }
  }
  void gather(const double* values, double* to) const {
    for (std::int32_t i = 0; i < n_; ++i) {
      for (std::int64_t q = offsets_[i]; q < offsets_[i + 1]; ++q) {
        const bool turned = (variant_ == "columns") != transposed_;
        const std::size_t row = turned ? at(indices_[q]) : at(i);
        const std::size_t column = turned ? at(i) : at(indices_[q]);
        to[row * at(n_) + column] = values[q];
      }
    }
  }

  // Gauss-Jordan with partial pivoting on a copy.
  void eliminate(std::size_t system, double* b) const {
    const std::size_t n = at(n_);
    const double* const first = dense_.data() + system * n * n;
    std::vector<double> a(first, first + n * n);
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k; i < n; ++i) {
        if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
      }
      std::swap_ranges(a.begin() + static_cast<std::ptrdiff_t>(k * n),
                       a.begin() + static_cast<std::ptrdiff_t>(k * n + n),
                       a.begin() + static_cast<std::ptrdiff_t>(pivot * n));
      std::swap(b[k], b[pivot]);
      for (std::size_t i = 0; i < n; ++i) {
        if (i == k || a[i * n + k] == 0) continue;
        const double factor = a[i * n + k] / a[k * n + k];
        for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
        b[i] -= factor * b[k];
      }
    }
    for (std::size_t k = 0; k < n; ++k) b[k] /= a[k * n + k];
  }

  using Clock = std::chrono::steady_clock;

  int threads_;
  std::string variant_;
  std::size_t systems_ = 1;
  std::int32_t n_ = 0, columns_ = 0;
  const std::int64_t* offsets_ = nullptr;
  const std::int32_t* indices_ = nullptr;
  const double* values_ = nullptr;
  std::vector<double> dense_, x_, given_values_, given_b_;
  bool ahead_ = false, transposed_ = false;
  double* wanted_ = nullptr;
  std::array<Clock::time_point, LUFACT_PEER_MARKS> marks_;
  std::jthread spinning_;
};

constexpr lufact_peer_text variants[] = {{"absent", "its library is missing"},
                                         {"columns", "takes A by columns"},
                                         {"crash", "aborts in factor"},
                                         {"device", "says that it is on a device"},
                                         {"hang", "never ends"},
                                         {"memory", "runs out of host memory"},
                                         {"silent", "gives no solution, reports success"},
                                         {"singular", "reports a zero pivot"},
                                         {"spin", "a thread of it spins on after factor"},
                                         {"wrong", "a wrong solution, reports success"}};

std::unique_ptr<Solver> make(const lufact_peer_options& options) {
  return std::make_unique<Fake>(options);
}

#ifdef FAKE_CRASH_ON_LOAD
[[gnu::constructor]] void crash() {
  std::abort();
}
#endif

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_peer_api* lufact_peer_get_api(void) {
  using namespace lufact::peers;
  static lufact_peer_api api = make_api<make>(FAKE_NAME, "for tests", variants);
  add_device_calls(api);
#ifndef FAKE_ON_ONE_THREAD
  add_systems_call(api);
#endif
#ifdef FAKE_OTHER_ABI
  api.abi_version = LUFACT_PEER_ABI_VERSION + 1;
#endif
  return &api;
}
