// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/run/repetition.hpp"

namespace lufact {
namespace {

// Memory that counts as page-locked, of which there are so many pieces.
class FakeMemory {
 public:
  explicit FakeMemory(int pieces) : left_(pieces) {}
  std::shared_ptr<void> give(std::size_t bytes) {
    if (left_-- <= 0) return nullptr;
    ++held;
    auto* const memory = new char[bytes];
    std::memset(memory, 1, bytes);
    return {memory, [this](void* pointer) {
              delete[] static_cast<char*>(pointer);
              --held;
            }};
  }
  PageLockedMemory hook() {
    return [this](std::size_t bytes) { return give(bytes); };
  }
  int held = 0;

 private:
  int left_;
};

LinearSystem system_of(std::size_t nnz, std::size_t n) {
  LinearSystem system;
  system.input.matrix.values.resize(nnz, 1.0);
  system.b.resize(n, 2.0);
  return system;
}

std::vector<Warning> warnings_of(const RefactorArrays& arrays) {
  RunRecord record;
  arrays.report(record);
  return record.warnings;
}

TEST(HostArray, HoldsZerosInTheMemoryThatItIsGiven) {
  FakeMemory memory(1);
  {
    HostArray locked(100, memory.hook());
    EXPECT_EQ(memory.held, 1);
    EXPECT_TRUE(locked.page_locked());
    EXPECT_TRUE(locked.span().page_locked);
    EXPECT_THAT(locked.entries(), testing::AllOf(testing::SizeIs(100), testing::Each(0.0)));
    const HostArray moved = std::move(locked);
    EXPECT_EQ(memory.held, 1);
  }
  EXPECT_EQ(memory.held, 0);
  HostArray pageable(100, memory.hook());
  EXPECT_FALSE(pageable.page_locked());
  EXPECT_FALSE(pageable.const_span().page_locked);
  EXPECT_THAT(pageable.entries(), testing::AllOf(testing::SizeIs(100), testing::Each(0.0)));
}

TEST(HostSpan, OfAnyOtherArrayIsPageable) {
  const std::vector<double> values{1, 2, 3};
  const HostSpan<const double> span = values;
  EXPECT_FALSE(span.page_locked);
  EXPECT_EQ(span.entries.data(), values.data());
}

TEST(RefactorArrays, SayWhereMemoryWasWantedAndNotThere) {
  FakeMemory enough(3), too_little(2);
  const LinearSystem system = system_of(9, 3);
  EXPECT_TRUE(warnings_of(RefactorArrays(system, {})).empty());
  EXPECT_TRUE(warnings_of(RefactorArrays(system, enough.hook())).empty());
  const auto warnings = warnings_of(RefactorArrays(system, too_little.hook()));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, "pageable_copies");
  EXPECT_EQ(enough.held + too_little.held, 0);
}

TEST(RefactorArrays, OfAnEmptySystemNeedNoMemory) {
  FakeMemory none(0);
  EXPECT_TRUE(warnings_of(RefactorArrays(system_of(0, 0), none.hook())).empty());
}

}  // namespace
}  // namespace lufact
