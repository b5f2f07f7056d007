// SPDX-License-Identifier: BSD-3-Clause
// What `gpu-persistent` promises beyond the other engines: the same bits in every run, for
// supernodes of every width and for work space in shared and in global memory.
#include <gtest/gtest.h>

#include "gpu/numeric/persistent_numeric.hpp"
#include "gpu/numeric/supernode_factorization.hpp"
#include "gpu/numeric/test/numeric_bench.hpp"
#include "gpu/numeric/transpose.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

// Dense blocks of the given sizes along the diagonal, each coupled with the last rows and columns.
HostProblem blocks_problem(const std::vector<Index>& sizes, Index border) {
  Entries entries;
  Index n = border;
  for (const Index size : sizes) n += size;
  Index first = 0;
  const auto value = [](Index i, Index j) {
    return symmetric_interval(
        hash64(29, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
  };
  for (const Index size : sizes) {
    for (Index i = first; i < first + size; ++i) {
      for (Index j = first; j < first + size; ++j) entries[{i, j}] = value(i, j);
      for (Index j = n - border; j < n; ++j) {
        entries[{i, j}] = value(i, j);
        entries[{j, i}] = value(j, i);
      }
    }
    first += size;
  }
  for (Index i = 0; i < n; ++i) entries[{i, i}] = n;
  return make_problem("blocks", n, std::move(entries));
}

// A last column that has every row, whose sources are many and narrow.
HostProblem long_column_problem(Index n) {
  Entries entries = random_entries(n, 1, 41);
  for (Index i = 0; i < n; ++i) entries[{i, n - 1}] = entries[{n - 1, i}] = 0.5 + 0.0001 * i;
  for (Index i = 0; i < n; ++i) entries[{i, i}] = 0.6 * n;
  return make_problem("long_column", n, std::move(entries));
}

class PersistentNumeric : public DeviceTest {
 protected:
  Bench bench(const HostProblem& problem) {
    return Bench(session(), problem, make_persistent_numeric());
  }
};

TEST_F(PersistentNumeric, SanitizeSupernodesOfEveryWidthGiveTheReferencesFactors) {
  for (const Index border : {1, 3, 40}) {
    const auto problem = blocks_problem({1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33}, border);
    for (const Accuracy& accuracy : {in_double, in_float}) {
      Bench subject = bench(problem);
      check_factors(subject, problem, accuracy);
    }
  }
}

TEST_F(PersistentNumeric, DenseMatricesGiveTheReferencesFactors) {
  for (const Index n : {100, 257}) {
    for (const Accuracy& accuracy : {in_double, in_float}) {
      Bench subject = bench(dense_problem(n));
      check_factors(subject, dense_problem(n), accuracy);
    }
  }
}

TEST_F(PersistentNumeric, SupernodesThatWorkInGlobalMemoryGiveTheReferencesFactors) {
  // The columns of the border have every row, more than shared memory holds for a supernode of
  // them.
  const auto problem = blocks_problem(std::vector<Index>(6000, 1), 24);
  Bench subject = bench(problem);
  check_factors(subject, problem, in_double);
  const auto columns = make_columns(session(), subject.pattern());
  const auto& rows = subject.pattern();
  const FactorPattern pattern{rows.n,
                              rows.row_ptr.data(),
                              rows.col_idx.data(),
                              rows.diagonal.data(),
                              columns.col_ptr.data(),
                              columns.row_idx.data(),
                              columns.position.data()};
  const SupernodeFactorization<double> supernodes(session(), pattern, rows.nnz,
                                                  subject.schedule().columns.data());
  EXPECT_GT(supernodes.plan().large_supernodes, 0) << "the test misses its purpose";
}

TEST_F(PersistentNumeric, StressEveryRunBesideACompetingKernelGivesTheSameBits) {
  const OtherStream other;
  for (const auto& problem :
       {random_problem(400, 2), dense_problem(300), chain_problem(800), long_column_problem(2000),
        blocks_problem(std::vector<Index>(60, 11), 100), zero_pivot_problem()}) {
    for (const Precision precision : {Precision::float64, Precision::float32}) {
      SCOPED_TRACE(problem.name + " in " + std::string(to_string(precision)));
      Bench subject = bench(problem);
      subject.options.precision = precision;
      const auto matrix = upload(session(), problem.matrix);
      const auto factors = subject.run();
      const auto first = values_of(*factors);
      for (std::uint64_t run = 0; run < 20; ++run) {
        other.occupy_randomly(session().sm_count(), run);
        factors->refactor(matrix, subject.context);
        ASSERT_EQ(values_of(*factors), first) << "run " << run;
      }
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
