// SPDX-License-Identifier: BSD-3-Clause
// Runs of the kernels' own code on lanes that take turns (emulated_lanes.hpp): operands of every
// layout and placement, with guards around.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gpu/batch/ours/rows_inverse.cuh"
#include "gpu/batch/ours/rows_lu.cuh"
#include "gpu/batch/ours/rows_solve.cuh"
#include "gpu/batch/ours/test/emulated_lanes.hpp"
#include "gpu/batch/ours/thread_inverse.cuh"
#include "gpu/batch/ours/thread_solve.cuh"

namespace lufact::gpu::ours {

using Lanes = EmulatedLanes;

inline std::size_t at(Offset value) {
  return static_cast<std::size_t>(value);
}

// A layout of lanes: R = 0 is a matrix a thread.
template <class RealType, int Order, int Rows, int LanesOfGroup>
struct Case {
  using Real = RealType;
  static constexpr int n = Order, rows = Rows, group = LanesOfGroup;
  static constexpr int per_warp = rows == 0 ? lanes_per_warp : lanes_per_warp / group;
  static constexpr Offset count = per_warp + per_warp / 2 + 2;  // the last warp is not full

  static constexpr int real = static_cast<int>(sizeof(Real));
  static constexpr int shared_bytes =
      rows == 0 ? thread_shared_bytes(n, real) : rows_shared_bytes(n, group, real);

  static void run(ArrayOperation operation, const BatchKernelArguments& arguments, char* shared) {
    if constexpr (rows == 0) {
      if (operation == ArrayOperation::lu) thread_lu<Lanes, Real, n>(arguments, shared);
      if (operation == ArrayOperation::inverse) thread_inverse<Lanes, Real, n>(arguments, shared);
      if (operation == ArrayOperation::solve) thread_solve<Lanes, Real, n>(arguments, shared);
    } else {
      constexpr int r = rows, g = group;
      if (operation == ArrayOperation::lu) rows_lu<Lanes, Real, n, r, g>(arguments, shared);
      if (operation == ArrayOperation::inverse) {
        rows_inverse<Lanes, Real, n, r, g>(arguments, shared);
      }
      if (operation == ArrayOperation::solve) rows_solve<Lanes, Real, n, r, g>(arguments, shared);
    }
  }
};

// Matrices of n rows and some columns in a layout, at an address that is `shift` entries behind a
// multiple of 16, with guards around.
template <class Real>
class Array {
 public:
  Array(ArrayLayout layout, Offset count, int n, int columns, int ld, int shift)
      : layout_(layout), count_(count), n_(n), columns_(columns), ld_(ld) {
    memory_.assign(at(count * ld * columns) + 32, guard);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    first_ = memory_.data() + (16 - address % 16) % 16 / sizeof(Real) + 4 + shift;
    for (Offset k = 0; k < count; ++k) {
      pointers_.push_back(first_ + (count - 1 - k) * ld * columns);
    }
  }
  void* argument() {
    return layout_ == ArrayLayout::pointers ? static_cast<void*>(pointers_.data()) : first_;
  }
  Real& entry(Offset k, Offset i, Offset j) {
    switch (layout_) {
      case ArrayLayout::pointers:
        return pointers_[at(k)][j * ld_ + i];
      case ArrayLayout::interleaved:
        return first_[(j * ld_ + i) * count_ + k];
      default:
        return first_[(k * columns_ + j) * ld_ + i];
    }
  }
  void put(Offset k, const std::vector<Real>& matrix) {
    for (int j = 0; j < columns_; ++j) {
      for (int i = 0; i < n_; ++i) entry(k, i, j) = matrix[at(j * n_ + i)];
    }
  }
  std::vector<Real> take(Offset k) {
    std::vector<Real> matrix(at(n_ * columns_));
    for (int j = 0; j < columns_; ++j) {
      for (int i = 0; i < n_; ++i) matrix[at(j * n_ + i)] = entry(k, i, j);
    }
    return matrix;
  }
  // Whether anything but entries of matrices was written.
  bool guards_hold() {
    for (Offset k = 0; k < count_; ++k) put(k, std::vector<Real>(at(n_ * columns_), guard));
    return std::ranges::all_of(memory_, [](Real x) { return x == guard; });
  }

 private:
  static constexpr Real guard = 77;
  ArrayLayout layout_;
  Offset count_;
  int n_, columns_, ld_;
  std::vector<Real> memory_;
  Real* first_;
  std::vector<Real*> pointers_;
};

template <class Real>
using Matrices = std::vector<std::vector<Real>>;

struct Placement {
  ArrayLayout layout = ArrayLayout::contiguous;
  int padding = 0, shift = 0, result_shift = 0;
};

template <class Real>
struct Results {
  Matrices<Real> a, b;
  std::vector<std::int32_t> pivots, info;
  bool guards_hold = true;
};

// `backwards`: the order in which lanes take their turns.
template <class Case>
Results<typename Case::Real> run_case(ArrayOperation operation,
                                      const Matrices<typename Case::Real>& a,
                                      const Matrices<typename Case::Real>& b,
                                      const Placement& placement, bool backwards) {
  using Real = typename Case::Real;
  const auto count = static_cast<Offset>(a.size());
  const int rhs = b.empty() ? 0 : static_cast<int>(b[0].size()) / Case::n;
  const int ld = Case::n + placement.padding;
  Array<Real> input(placement.layout, count, Case::n, Case::n, ld, placement.shift);
  Array<Real> output(placement.layout, count, Case::n, Case::n, ld, placement.result_shift);
  Array<Real> sides(placement.layout, count, Case::n, std::max(rhs, 1), Case::n, placement.shift);
  for (Offset k = 0; k < count; ++k) {
    input.put(k, a[at(k)]);
    if (rhs > 0) sides.put(k, b[at(k)]);
  }
  Results<Real> results;
  results.pivots.assign(at(count * Case::n + 1), -7);
  results.info.assign(at(count + 1), -7);
  BatchKernelArguments arguments{.a = input.argument(),
                                 .result = output.argument(),
                                 .b = sides.argument(),
                                 .pivots = results.pivots.data(),
                                 .info = results.info.data(),
                                 .count = count,
                                 .ld = ld,
                                 .rhs = rhs,
                                 .layout = static_cast<std::int32_t>(placement.layout)};
  struct alignas(128) Line {
    char bytes[128];
  };
  std::vector<Line> shared(2 * Case::shared_bytes / 128);
  const Offset warps = (count + Case::per_warp - 1) / Case::per_warp + 1;  // one has nothing to do
  for (Offset w = 0; w < warps; ++w) {
    EmulatedWarp warp(w, static_cast<int>(w % 2), backwards);
    warp.run([&] { Case::run(operation, arguments, shared[0].bytes); });
  }
  for (Offset k = 0; k < count; ++k) {
    results.a.push_back(output.take(k));
    if (rhs > 0) results.b.push_back(sides.take(k));
  }
  EXPECT_EQ(results.pivots.back(), -7);
  EXPECT_EQ(results.info.back(), -7);
  results.guards_hold = input.guards_hold() && output.guards_hold() && sides.guards_hold();
  return results;
}

}  // namespace lufact::gpu::ours
