// SPDX-License-Identifier: BSD-3-Clause
// Small batches on the device for tests, and what they must be.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "core/batch/batch_entry.hpp"
#include "core/reference/dense_lu.hpp"
#include "gpu/batch/device_batch_arrays.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/session_facts.hpp"

namespace lufact::gpu {

class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
    session.emplace(SessionOptions{});
  }
  std::optional<DeviceSession> session;
};

inline ArrayProblem batch_problem(ArrayOperation operation, Index n, Offset count,
                                  Precision precision = Precision::float64) {
  ArrayProblem problem;
  problem.operation = operation;
  problem.rows = problem.columns = problem.ld = n;
  problem.count = count;
  problem.precision = precision;
  problem.in_place = operation != ArrayOperation::inverse;
  problem.rhs = operation == ArrayOperation::solve ? 2 : 0;
  return problem;
}

inline BatchGroup batch_group(BatchKind kind, Index n, Offset count, std::uint64_t seed = 7) {
  BatchGroup group;
  group.n = n;
  group.count = count;
  group.kind = kind;
  group.seed = seed;
  return group;
}

// Copies of what the device has, by the address of an entry.
template <class Real>
class DeviceReader {
 public:
  DeviceReader(DeviceSession& session, const ArrayProblem& problem, void* base, Index columns,
               Index ld)
      : problem_(problem), columns_(columns), ld_(ld) {
    session.synchronize();
    const Offset matrix = Offset{columns} * ld;
    if (problem.layout != ArrayLayout::pointers) {
      all_ = copied<Real>(base, problem.count * matrix);
      return;
    }
    for (Real* const place : copied<Real*>(base, problem.count)) {
      const std::vector<Real> one = copied<Real>(place, matrix);
      all_.insert(all_.end(), one.begin(), one.end());
    }
  }

  Real operator()(Offset k, Index i, Index j) const {
    const Offset in_matrix = Offset{j} * ld_ + i;
    if (problem_.layout == ArrayLayout::interleaved)
      return all_[at(in_matrix * problem_.count + k)];
    return all_[at(k * columns_ * ld_ + in_matrix)];
  }

 private:
  template <class T>
  static std::vector<T> copied(const void* from, Offset size) {
    std::vector<T> to(at(size));
    LUFACT_CUDA(cudaMemcpy(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }

  ArrayProblem problem_;
  Offset columns_, ld_;
  std::vector<Real> all_;
};

template <class Real>
bool same_bits(Real a, Real b) {
  return std::memcmp(&a, &b, sizeof(Real)) == 0 || (std::isnan(a) && std::isnan(b));
}

// Runs the body for float and for double.
template <class Body>
void for_both_precisions(const Body& body) {
  {
    SCOPED_TRACE("float");
    body(Precision::float32, float{});
  }
  SCOPED_TRACE("double");
  body(Precision::float64, double{});
}

inline constexpr ArrayLayout all_layouts[] = {ArrayLayout::contiguous, ArrayLayout::interleaved,
                                              ArrayLayout::pointers};

}  // namespace lufact::gpu
