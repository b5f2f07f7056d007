// SPDX-License-Identifier: BSD-3-Clause
// Every plug-in for dense matrices that can be opened here and works on the host, on the same small
// batches; those of a device are judged where one is, by `lufact batch`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "baselines/peers/array_peer.hpp"
#include "baselines/peers/known_peers.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"

namespace lufact {
namespace {

using testing::HasSubstr;

const bool peer_path_set = [] {
  const char* moved = std::getenv("LUFACT_TEST_PEERS");
  setenv("LUFACT_PEER_PATH", moved != nullptr ? moved : LUFACT_TEST_PEER_PATH, 1);
  return true;
}();

// A batch on the host with what is needed to judge it.
template <class T>
struct Batch {
  ArrayProblem problem;
  std::vector<T> input, a, result, b, rhs;
  std::vector<std::int32_t> pivots, info;
  std::vector<T*> a_at, result_at, b_at;

  Batch(ArrayOperation operation, Index n, ArrayLayout layout, ArrayPivoting pivoting) {
    problem.operation = operation;
    problem.rows = problem.columns = n;
    problem.count = 37;
    problem.ld = n + 1;
    problem.rhs = operation == ArrayOperation::solve ? 2 : 0;
    problem.layout = layout;
    problem.precision = sizeof(T) == sizeof(double) ? Precision::float64 : Precision::float32;
    problem.pivoting = pivoting;
    problem.in_place = operation != ArrayOperation::inverse;
    fill();
  }

  std::size_t at(Offset k, Index i, Index j) const {
    return static_cast<std::size_t>((k * problem.columns + j) * problem.ld + i);
  }
  std::size_t rhs_at(Offset k, Index i, Index c) const {
    return static_cast<std::size_t>((k * problem.rhs + c) * problem.rows + i);
  }

  // The largest difference between what the operation promises and what it gave, over the norm.
  double error() const {
    double worst = 0;
    for (Offset k = 0; k < problem.count; ++k) worst = std::max(worst, error_of(k));
    return worst;
  }

  ArrayOperands operands() {
    const bool addresses = problem.layout == ArrayLayout::pointers;
    const auto base = [&](std::vector<T>& values, std::vector<T*>& list) -> void* {
      if (values.empty()) return nullptr;
      return addresses ? static_cast<void*>(list.data()) : static_cast<void*>(values.data());
    };
    ArrayOperands made{base(a, a_at), base(result, result_at), base(b, b_at), pivots.data(),
                       info.data()};
    if (problem.in_place) made.result = made.a;
    return made;
  }

 private:
  void fill() {
    const Index n = problem.rows;
    input.assign(at(problem.count, 0, 0), std::numeric_limits<T>::quiet_NaN());
    for (Offset k = 0; k < problem.count; ++k) {
      for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < n; ++i) {
          const auto place = static_cast<std::uint64_t>(at(k, i, j));
          input[at(k, i, j)] = static_cast<T>(symmetric_interval(hash64(1, place))) +
                               static_cast<T>(i == j ? 2 * n : 0);
        }
      }
    }
    a = input;
    if (!problem.in_place) result = input;
    rhs.resize(rhs_at(problem.count, 0, 0));
    for (std::size_t p = 0; p < rhs.size(); ++p) {
      rhs[p] = static_cast<T>(symmetric_interval(hash64(2, p)));
    }
    b = rhs;
    pivots.assign(static_cast<std::size_t>(problem.count * n), 0);
    info.assign(static_cast<std::size_t>(problem.count), -1);
    for (Offset k = problem.count - 1; k >= 0; --k) {  // not in order
      const Offset matrix = problem.count - 1 - k;
      a_at.push_back(a.data() + at(matrix, 0, 0));
      if (!result.empty()) result_at.push_back(result.data() + at(matrix, 0, 0));
      b_at.push_back(b.data() + rhs_at(matrix, 0, 0));
    }
  }

  double error_of(Offset k) const {
    const Index n = problem.rows;
    double worst = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < (problem.rhs > 0 ? problem.rhs : n); ++j) {
        worst = std::max(worst, std::abs(difference(k, i, j)));
      }
    }
    return worst / (2.0 * n);
  }

  double difference(Offset k, Index i, Index j) const {
    switch (problem.operation) {
      case ArrayOperation::lu:
        return product_of_factors(k, i, j) - input[at(k, permuted(k, i), j)];
      case ArrayOperation::inverse:
        return row_times(k, i, result, at(k, 0, j)) - (i == j ? 1 : 0);
      default:
        return row_times(k, i, b, rhs_at(k, 0, j)) - rhs[rhs_at(k, i, j)];
    }
  }

  double product_of_factors(Offset k, Index i, Index j) const {
    double sum = i <= j ? static_cast<double>(a[at(k, i, j)]) : 0;
    for (Index p = 0; p < std::min(i, j + 1); ++p) sum += double{a[at(k, i, p)]} * a[at(k, p, j)];
    return sum;
  }
  // Row of A at place i of PA.
  Index permuted(Offset k, Index i) const {
    if (problem.pivoting == ArrayPivoting::none) return i;
    std::vector<Index> rows(static_cast<std::size_t>(problem.rows));
    for (Index r = 0; r < problem.rows; ++r) rows[static_cast<std::size_t>(r)] = r;
    for (Index step = 0; step < problem.rows; ++step) {
      const auto place = static_cast<std::size_t>(k * problem.rows + step);
      std::swap(rows[static_cast<std::size_t>(step)],
                rows[static_cast<std::size_t>(pivots[place] - 1)]);
    }
    return rows[static_cast<std::size_t>(i)];
  }
  double row_times(Offset k, Index i, const std::vector<T>& x, std::size_t column) const {
    double sum = 0;
    for (Index p = 0; p < problem.rows; ++p) {
      sum += double{input[at(k, i, p)]} * x[column + static_cast<std::size_t>(p)];
    }
    return sum;
  }
};

class ArrayPlugins : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const PeerName name = parse_peer_name(GetParam());
    try {
      plugin_.emplace(name.plugin);
      peer_.emplace(*plugin_, ArrayPeer::Options{name.variant, 2, 0});
    } catch (const Error& error) {
      ASSERT_EQ(error.outcome(), Outcome::unsupported);
      GTEST_SKIP() << error.what();
    }
    facts_ = peer_->facts();
  }

  template <class T>
  void run_all() {
    for (const ArrayOperation operation :
         {ArrayOperation::lu, ArrayOperation::inverse, ArrayOperation::solve}) {
      for (const ArrayLayout layout : {ArrayLayout::contiguous, ArrayLayout::pointers}) {
        for (const Index n : {1, 2, 5, 16, 33, 64}) run_one<T>(operation, layout, n);
      }
    }
  }

  template <class T>
  void run_one(ArrayOperation operation, ArrayLayout layout, Index n) {
    Batch<T> batch(operation, n, layout, facts_.takes.pivoting.front());
    SCOPED_TRACE(std::string(to_string(operation)) + " " + std::string(to_string(layout)) + " " +
                 std::to_string(n));
    if (!refusal(facts_.takes, batch.problem).empty()) {
      EXPECT_THROW(peer_->prepare(batch.problem, batch.operands()), UsageError);
      return;
    }
    peer_->prepare(batch.problem, batch.operands());
    peer_->run(nullptr);
    EXPECT_LT(batch.error(), 30 * double{std::numeric_limits<T>::epsilon()});
    EXPECT_THAT(batch.info, testing::Each(0));
  }

  std::optional<ArrayPeerPlugin> plugin_;
  std::optional<ArrayPeer> peer_;
  ArrayPeerFacts facts_;
};

TEST_P(ArrayPlugins, GivesWhatItPromises) {
  EXPECT_EQ(facts_.takes.name, GetParam());
  EXPECT_TRUE(facts_.record.library && facts_.record.version);
  if (facts_.takes.side == Side::device) GTEST_SKIP() << "works on a device";
  run_all<double>();
  run_all<float>();
}

TEST_P(ArrayPlugins, TakesASecondProblem) {
  if (facts_.takes.side == Side::device) GTEST_SKIP() << "works on a device";
  run_one<double>(ArrayOperation::lu, ArrayLayout::contiguous, 8);
  run_one<double>(ArrayOperation::lu, ArrayLayout::contiguous, 3);
}

INSTANTIATE_TEST_SUITE_P(Known, ArrayPlugins,
                         testing::Values("fakearrays", "lapack", "lapack-omp", "mkl", "mkl-batch",
                                         "mkl-omp", "mkl-compact", "cublas", "cublas-matinv",
                                         "magma", "magma-shfl", "magma-noshfl"),
                         [](const auto& peer) {
                           std::string name = peer.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(ArrayPeer, FailsInTheWordsOfThePlugin) {
  const ArrayPeerPlugin plugin("fakearrays");
  Batch<double> batch(ArrayOperation::lu, 4, ArrayLayout::contiguous, ArrayPivoting::partial);
  EXPECT_THROW(ArrayPeer(plugin, {"absent", 1, 0}), Error);
  ArrayPeer memory(plugin, {"memory", 1, 0});
  try {
    memory.prepare(batch.problem, batch.operands());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_host);
  }
  ArrayPeer fails(plugin, {"fail", 1, 0});
  EXPECT_EQ(fails.prepare(batch.problem, batch.operands()), 4711u);
  try {
    fails.run(nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::error);
    EXPECT_THAT(error.what(), HasSubstr("fakearrays-fail failed in run: status 13"));
  }
}

TEST(ArrayPeer, WarnsWhereItUsesOneThreadOfSeveral) {
  const ArrayPeerPlugin plugin("fakearrays");
  EXPECT_TRUE(ArrayPeer(plugin, {"", 3, 0}).facts().warnings.empty());
  EXPECT_TRUE(ArrayPeer(plugin, {"alone", 1, 0}).facts().warnings.empty());
  const std::vector<Warning> warnings = ArrayPeer(plugin, {"alone", 3, 0}).facts().warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, "peer_on_one_thread");
  EXPECT_THAT(warnings[0].message, HasSubstr("one of the 3 host threads"));
}

// It has been asked for more than any machine of today has cores.
TEST(ArrayPeer, TellsTheThreadsThatItTakesAndNotThoseItWasGiven) {
  try {
    const ArrayPeerPlugin plugin("mkl");
    const ArrayPeerFacts facts = ArrayPeer(plugin, {"", 900, 0}).facts();
    EXPECT_LT(facts.record.threads.value(), 900);
    EXPECT_GE(facts.record.threads.value(), 1);
    EXPECT_EQ(facts.warnings.empty(), facts.record.threads > 1);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
}

TEST(ArrayPeer, OfAnotherVersionIsRefused) {
  try {
    ArrayPeerPlugin("fakearraysabi");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("version 2 of the plug-in interface"));
  }
}

TEST(KnownArrayPeers, SayWhatTheyAreAndHowToGetThem) {
  EXPECT_GE(known_peers(PeerKind::array).size(), 4u);
  for (const KnownPeer& peer : known_peers(PeerKind::array)) {
    EXPECT_EQ(find_known_peer(PeerKind::array, peer.plugin), &peer);
    EXPECT_FALSE(peer.description.empty()) << peer.plugin;
    EXPECT_FALSE(peer.how_to_get.empty()) << peer.plugin;
  }
}

}  // namespace
}  // namespace lufact
