// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <memory>
#include <stdexcept>

#include "core/base/error.hpp"
#include "gpu/batch/kernel_module.hpp"
#include "gpu/batch/streamed_batch.hpp"
#include "gpu/batch/test/batch_on_device.hpp"

namespace lufact::gpu {
namespace {

constexpr std::uint64_t mib = 1ULL << 20;

// The kernel probe_double as a stage; fails at the call with the number `fails_at`.
class DoublingStage final : public PreparedArrays {
 public:
  DoublingStage(DeviceSession& session, const ArrayProblem& problem, int fails_at = -1)
      : session_(session),
        problem_(problem),
        kernel_(KernelModule(session, "probe", problem.precision, 1).kernel("probe_double")),
        calls_left_(fails_at) {}
  void run(const ArrayOperands& operands, Offset count) override {
    if (calls_left_-- == 0) throw std::runtime_error("a stage that fails");
    kernel_.launch(session_, (count + 127) / 128, 128, 0,
                   kernel_arguments(problem_, operands, count, problem_.rows));
  }

 private:
  DeviceSession& session_;
  ArrayProblem problem_;
  BatchKernel kernel_;
  int calls_left_;
};

// Memory of the host, page-locked or not.
class HostMemory {
 public:
  HostMemory(Offset bytes, bool page_locked) : plain_(page_locked ? 0 : at(bytes)) {
    if (page_locked) locked_ = page_locked_memory(0, at(bytes));
  }
  void* data() { return locked_ ? locked_.get() : plain_.data(); }

 private:
  std::vector<std::byte> plain_;
  std::shared_ptr<void> locked_;
};

// One operand on the host.
template <class Real>
class HostOperand {
 public:
  HostOperand(const ArrayProblem& problem, Index columns, Index ld, bool page_locked)
      : problem_(problem),
        columns_(columns),
        ld_(ld),
        memory_(problem.count * columns * ld * Offset{sizeof(Real)}, page_locked) {
    for (Offset k = 0; k < problem.count; ++k) {  // in no order
      addresses_.push_back(entries() + (k * 7919 % problem.count) * columns * ld);
    }
  }
  void* base() {
    return problem_.layout == ArrayLayout::pointers ? static_cast<void*>(addresses_.data())
                                                    : entries();
  }
  Real& operator()(Offset k, Index i, Index j) {
    const Offset in_matrix = Offset{j} * ld_ + i;
    if (problem_.layout == ArrayLayout::pointers) return addresses_[at(k)][in_matrix];
    if (problem_.layout == ArrayLayout::interleaved) {
      return entries()[in_matrix * problem_.count + k];
    }
    return entries()[k * columns_ * ld_ + in_matrix];
  }

 private:
  Real* entries() { return static_cast<Real*>(memory_.data()); }

  ArrayProblem problem_;
  Offset columns_, ld_;
  HostMemory memory_;
  std::vector<Real*> addresses_;
};

// A batch on the host, filled with numbers of its seed.
template <class Real>
class HostBatch {
 public:
  HostBatch(const ArrayProblem& problem, bool page_locked)
      : problem_(problem),
        a_(problem, problem.columns, problem.ld, page_locked),
        result_(problem, problem.columns, problem.ld, page_locked),
        b_(problem, problem.rhs, problem.rows, page_locked),
        pivots_(problem.count * problem.rows * Offset{sizeof(std::int32_t)}, page_locked),
        info_(problem.count * Offset{sizeof(std::int32_t)}, page_locked) {
    for_all([this](Offset k, Index i, Index j) { a_(k, i, j) = entry(k, i, j); });
    for (Offset k = 0; k < problem.count; ++k) {
      for (Index e = 0; e < problem.rows * problem.rhs; ++e) {
        b_(k, e % problem.rows, e / problem.rows) = static_cast<Real>(k + e);
      }
    }
  }

  ArrayOperands operands() {
    ArrayOperands operands;
    operands.a = a_.base();
    operands.result = problem_.in_place ? operands.a : result_.base();
    operands.b = problem_.rhs > 0 ? b_.base() : nullptr;
    operands.pivots = static_cast<std::int32_t*>(pivots_.data());
    operands.info = static_cast<std::int32_t*>(info_.data());
    return operands;
  }

  void expect_doubled() {
    const ArrayOperands found = operands();
    const bool solves = problem_.rhs > 0;
    for_all([&](Offset k, Index i, Index j) {
      const Real value = solves || !problem_.in_place ? a_(k, i, j) : a_(k, i, j) / 2;
      ASSERT_EQ(value, entry(k, i, j)) << "A of matrix " << k;
      if (!problem_.in_place) {
        ASSERT_EQ(result_(k, i, j), 2 * entry(k, i, j)) << "matrix " << k;
      }
    });
    for (Offset k = 0; k < problem_.count; ++k) {
      ASSERT_EQ(found.info[k], static_cast<int>(1000 * entry(k, 0, 0))) << "matrix " << k;
      for (Index i = 0; i < problem_.rows; ++i)
        ASSERT_EQ(found.pivots[k * problem_.rows + i], i + 1);
      for (Index e = 0; e < problem_.rows * problem_.rhs; ++e) {
        ASSERT_EQ(b_(k, e % problem_.rows, e / problem_.rows), static_cast<Real>(2 * (k + e)));
      }
    }
  }

 private:
  template <class Body>
  void for_all(const Body& body) {
    for (Offset k = 0; k < problem_.count; ++k) {
      for (Index e = 0; e < problem_.rows * problem_.columns; ++e) {
        body(k, e % problem_.rows, e / problem_.rows);
      }
    }
  }
  static Real entry(Offset k, Index i, Index j) {
    return static_cast<Real>(static_cast<double>(k % 4099) / 8 + i * 64 + j * 1024);
  }

  ArrayProblem problem_;
  HostOperand<Real> a_, result_, b_;
  HostMemory pivots_, info_;
};

class StreamedBatchTest : public DeviceTest {
 protected:
  void limit(std::uint64_t bytes) {
    session.reset();
    session.emplace(SessionOptions{.device = 0, .memory_limit = bytes});
  }
  template <class Real>
  StreamingRecord expect_doubled(const ArrayProblem& problem, bool page_locked) {
    HostBatch<Real> host(problem, page_locked);
    StreamedBatch stream(*session, problem, page_locked);
    EXPECT_LE(stream.bytes(), session->ledger().budget());
    DoublingStage stage(*session, stream.chunk_problem());
    const StreamingRecord record = stream.run(stage, host.operands());
    host.expect_doubled();
    return record;
  }
};

TEST_F(StreamedBatchTest, EveryLayoutOperationAndKindOfMemory) {
  limit(8 * mib);
  for (const ArrayLayout layout : all_layouts) {
    for (const auto operation :
         {ArrayOperation::lu, ArrayOperation::inverse, ArrayOperation::solve}) {
      for (const bool page_locked : {true, false}) {
        SCOPED_TRACE(testing::Message() << to_string(layout) << " " << to_string(operation)
                                        << (page_locked ? " page-locked" : " pageable"));
        for_both_precisions([&](Precision precision, auto real) {
          ArrayProblem problem = batch_problem(operation, 5, 50021, precision);
          problem.layout = layout;
          const StreamingRecord record = expect_doubled<decltype(real)>(problem, page_locked);
          EXPECT_GT(record.chunks, 2);
          EXPECT_EQ(record.chunks,
                    (problem.count + record.chunk_matrices - 1) / record.chunk_matrices);
          EXPECT_GT(record.upload_busy_s, 0);
          EXPECT_GT(record.compute_busy_s, 0);
          EXPECT_GT(record.download_busy_s, 0);
        });
      }
    }
  }
}

TEST_F(StreamedBatchTest, PaddedMatricesAndFewOfThem) {
  for (const Offset count : {1, 3, 1025}) {
    for (const bool page_locked : {true, false}) {
      ArrayProblem problem = batch_problem(ArrayOperation::inverse, 4, count);
      problem.ld = 6;
      expect_doubled<double>(problem, page_locked);
    }
  }
}

TEST_F(StreamedBatchTest, OneBufferIsEnough) {
  const ArrayProblem problem = batch_problem(ArrayOperation::lu, 16, 10000);
  // A chunk of 1024 matrices takes 2.2 MB.
  limit(3 * mib);
  const StreamingRecord record = expect_doubled<double>(problem, true);
  EXPECT_EQ(record.chunk_matrices, 1024);
  limit(1 * mib);
  EXPECT_THROW(StreamedBatch(*session, problem, true), Error);
}

TEST_F(StreamedBatchTest, BytesAreCountedAndRunsRepeat) {
  const ArrayProblem problem = batch_problem(ArrayOperation::lu, 5, 20000);
  for (const bool page_locked : {true, false}) {
    limit(8 * mib);
    StreamedBatch stream(*session, problem, page_locked);
    DoublingStage stage(*session, stream.chunk_problem());
    for (int round = 0; round < 3; ++round) {
      HostBatch<double> host(problem, page_locked);
      const TransferCounters before = session->counters();
      stream.run(stage, host.operands());
      host.expect_doubled();
      EXPECT_EQ(session->counters().bytes_h2d - before.bytes_h2d, 20000U * 25 * 8);
      EXPECT_EQ(session->counters().bytes_d2h - before.bytes_d2h, 20000U * (25 * 8 + 5 * 4 + 4));
    }
  }
}

TEST_F(StreamedBatchTest, AStageThatFailsLeavesTheSessionUsable) {
  limit(8 * mib);
  const ArrayProblem problem = batch_problem(ArrayOperation::lu, 5, 50021);
  for (const bool page_locked : {true, false}) {
    {
      HostBatch<double> host(problem, page_locked);
      StreamedBatch stream(*session, problem, page_locked);
      DoublingStage stage(*session, stream.chunk_problem(), 2);
      EXPECT_THROW(stream.run(stage, host.operands()), std::runtime_error);
    }
    expect_doubled<double>(problem, page_locked);
  }
}

// Larger than 2^32 bytes on the host.
TEST_F(StreamedBatchTest, ABatchBeyondThirtyTwoBits) {
  const Offset count = (Offset{1} << 32) / (32 * 32 * 8) + 1000;
  const ArrayProblem problem = batch_problem(ArrayOperation::lu, 32, count);
  const std::shared_ptr<void> memory = page_locked_memory(0, at(count) * 32 * 32 * 8);
  if (!memory) GTEST_SKIP() << "the system locks no 4 GiB of pages";
  limit(512 * mib);
  auto* const entries = static_cast<double*>(memory.get());
  for (Offset k = 0; k < count; ++k)
    entries[k * 1024] = entries[k * 1024 + 1023] = static_cast<double>(k);
  ArrayOperands operands;
  operands.a = operands.result = entries;
  const std::shared_ptr<void> info = page_locked_memory(0, at(count) * sizeof(std::int32_t));
  operands.info = static_cast<std::int32_t*>(info.get());
  StreamedBatch stream(*session, problem, true);
  DoublingStage stage(*session, stream.chunk_problem());
  stream.run(stage, operands);
  for (Offset k = 0; k < count; ++k) {
    ASSERT_EQ(entries[k * 1024], static_cast<double>(2 * k));
    ASSERT_EQ(entries[k * 1024 + 1023], static_cast<double>(2 * k));
  }
}

}  // namespace
}  // namespace lufact::gpu
