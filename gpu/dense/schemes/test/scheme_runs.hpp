// SPDX-License-Identifier: BSD-3-Clause
// Runs of the schemes on one matrix between guard zones, and what they must leave.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/array/array_stage.hpp"
#include "core/array/guarded_array.hpp"
#include "core/dense/dense_input.hpp"
#include "gpu/dense/schemes/scheme_stages.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu::testing_support {

inline constexpr const char* scheme_names[] = {"mkr",    "skr",       "recursive",
                                               "hybrid", "mkr-async", "mkr-graph"};

inline std::unique_ptr<ArrayStage> scheme_stage(std::string_view name) {
  for (auto* const make : {make_mkr_array, make_skr_array, make_recursive_array, make_hybrid_array,
                           make_mkr_async_array, make_mkr_graph_array}) {
    std::unique_ptr<ArrayStage> stage = make();
    if (stage->facts().name == name) return stage;
  }
  return nullptr;
}

template <class Real>
struct DenseHostMatrix {
  Index m = 0, n = 0, ld = 0;
  std::vector<Real> entries;  // ld * n; guard values between columns

  Real& operator()(Index i, Index j) { return entries[at(Offset{j} * ld + i)]; }
  Index order() const { return std::min(m, n); }
};

template <class Real>
DenseHostMatrix<Real> made_matrix(const std::string& kind, Index m, Index n, Index ld) {
  const DenseMatrixSource source({.input = kind, .m = m, .n = n, .seed = 5});
  DenseHostMatrix<Real> a{m, n, ld, std::vector<Real>(at(Offset{ld} * n), guard_value<Real>)};
  std::vector<double> column(at(m));
  for (Index j = 0; j < n; ++j) {
    source.column(j, column.data());
    for (Index i = 0; i < m; ++i) a(i, j) = static_cast<Real>(column[at(i)]);
  }
  return a;
}

// The arithmetic that all schemes share, one entry after the other.
template <class Real>
std::int32_t eliminate_on_host(DenseHostMatrix<Real>& a) {
  std::int32_t info = 0;
  for (Index k = 0; k < a.order(); ++k) {
    const Real pivot = a(k, k);
    if (pivot == Real{0} && info == 0) info = k + 1;
    for (Index i = k + 1; i < a.m; ++i) {
      const Real l = pivot == Real{0} ? a(i, k) : a(i, k) / pivot;
      for (Index j = k + 1; j < a.n; ++j) a(i, j) = std::fma(-l, a(k, j), a(i, j));
      a(i, k) = l;
    }
  }
  return info;
}

// Entries with equal bits, every NaN being equal to every other.
template <class Real>
bool same_entries(const std::vector<Real>& a, const std::vector<Real>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Real x, Real y) {
    return std::memcmp(&x, &y, sizeof(Real)) == 0 || (std::isnan(x) && std::isnan(y));
  });
}

// One matrix on the device between guards, and a stage that is prepared for it.
template <class Real>
class SchemeRun {
 public:
  // Throws what prepare() throws.
  SchemeRun(DeviceSession& session, const std::string& variant, const DenseSettings& settings,
            DenseHostMatrix<Real> a)
      : session_(session),
        a_(std::move(a)),
        memory_(session, MemoryRole::resident, 2 * guard + size(), "a matrix between guards"),
        info_(session, MemoryRole::resident, 1, "info"),
        stage_(scheme_stage(variant)) {
    options_.dense = settings;
    prepared_ = stage_->prepare(problem(), context_);
  }

  ArrayProblem problem() const {
    return {.rows = a_.m,
            .columns = a_.n,
            .ld = a_.ld,
            .precision = sizeof(Real) == 8 ? Precision::float64 : Precision::float32,
            .pivoting = ArrayPivoting::none};
  }
  void restore() {
    std::vector<Real> all(at(2 * guard + size()), guard_value<Real>);
    std::ranges::copy(a_.entries, all.begin() + guard);
    memory_.upload(all);
    info_.fill_bytes(0x7b);
  }
  ArrayOperands operands() {
    return {.a = memory_.data() + guard,
            .result = memory_.data() + guard,
            .b = nullptr,
            .pivots = nullptr,
            .info = info_.data()};
  }
  void run() {
    restore();
    prepared_->run(operands(), 1);
  }
  std::int32_t info() { return read_value(session_, info_.data()); }
  // Columns with what is between them; fails where a guard was touched.
  std::vector<Real> result() {
    session_.synchronize();
    const std::vector<Real> all = memory_.download();
    const auto intact = [](Real value) { return value == guard_value<Real>; };
    EXPECT_TRUE(std::all_of(all.begin(), all.begin() + guard, intact));
    EXPECT_TRUE(std::all_of(all.end() - guard, all.end(), intact));
    return {all.begin() + guard, all.end() - guard};
  }
  PreparedArrays& prepared() { return *prepared_; }
  const DenseHostMatrix<Real>& input() const { return a_; }

 private:
  static constexpr Offset guard = 64;
  Offset size() const { return static_cast<Offset>(a_.entries.size()); }

  DeviceSession& session_;
  const DenseHostMatrix<Real> a_;
  Buffer<Real> memory_;
  Buffer<std::int32_t> info_;
  std::unique_ptr<ArrayStage> stage_;
  ArrayOptions options_;
  std::vector<Choice> choices_;
  std::vector<Warning> warnings_;
  ArrayContext context_{options_, choices_, warnings_, &session_};
  std::unique_ptr<PreparedArrays> prepared_;
};

}  // namespace lufact::gpu::testing_support
