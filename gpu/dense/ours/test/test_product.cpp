// SPDX-License-Identifier: BSD-3-Clause
// target -= left * right by every kernel that takes it, against products of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "gpu/batch/test/batch_on_device.hpp"
#include "gpu/dense/ours/product.hpp"
#include "gpu/dense/ours/streams.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu::blocked {
namespace {

// Operands that are `odd` begin on no boundary of 16 bytes, and have an odd leading dimension.
struct Case {
  Index rows = 1, columns = 1, depth = 1;
  bool odd_factors = false, odd_target = false;

  std::string text() const {
    return std::to_string(rows) + " x " + std::to_string(columns) + ", depth " +
           std::to_string(depth) + (odd_factors ? ", odd factors" : "") +
           (odd_target ? ", odd target" : "");
  }
};

template <class T>
bool same_bits_all(const std::vector<T>& one, const std::vector<T>& other) {
  return std::memcmp(one.data(), other.data(), one.size() * sizeof(T)) == 0;
}

// A part of a larger matrix, which has NaN in all other rows and columns.
template <class T>
class Part {
 public:
  template <class Value>
  Part(DeviceSession& session, Index rows, Index columns, bool odd, const Value& value)
      : rows_(rows), columns_(columns), first_(margin + (odd ? 1 : 0)) {
    ld_ = (rows + 7) / 4 * 4 + (odd ? 1 : 0);
    host_.assign(at(first_ + ld_ * (columns + 1) + margin), std::numeric_limits<T>::quiet_NaN());
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) host_[place(i, j)] = static_cast<T>(value(i, j));
    }
    device_ = upload_copy(session, MemoryRole::scratch, std::span<const T>(host_), "a part");
  }

  T entry(Index i, Index j) const { return host_[place(i, j)]; }
  T* data() { return device_.data() + first_; }
  Offset ld() const { return ld_; }
  void restore() { device_.upload(host_); }
  std::vector<T> download() const { return device_.download(); }
  std::size_t place(Index i, Index j) const { return at(first_ + j * ld_ + i); }
  bool has_kept_what_is_around(std::vector<T> now) const {
    for (Index j = 0; j < columns_; ++j) {
      std::copy_n(&host_[place(0, j)], rows_, &now[place(0, j)]);
    }
    return same_bits_all(now, host_);
  }

 private:
  static constexpr Offset margin = 32;

  Index rows_, columns_;
  Offset first_, ld_ = 1;
  std::vector<T> host_;
  Buffer<T> device_;
};

double random_entry(std::uint64_t seed, Index i, Index j) {
  const auto place = static_cast<std::uint64_t>(Offset{j} << 32 | i);
  return symmetric_interval(mix64(seed << 60 ^ place));
}
// -4 to 4.
std::vector<int> small_numbers(std::uint64_t seed, Index count) {
  std::vector<int> numbers(at(count));
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    numbers[k] = static_cast<int>(hash64(seed, k) % 9) - 4;
  }
  return numbers;
}

template <class T>
class OnDevice {
 public:
  template <class Left, class Right, class Target>
  OnDevice(DeviceSession& session, const Case& given, const Left& left, const Right& right,
           const Target& target)
      : session_(session),
        given_(given),
        left_(session, given.rows, given.depth, given.odd_factors, left),
        right_(session, given.depth, given.columns, given.odd_factors, right),
        target_(session, given.rows, given.columns, given.odd_target, target) {}

  std::vector<T> run() {
    target_.restore();
    put();
    return target_.download();
  }
  std::vector<T> run_recorded() {
    target_.restore();
    RecordedWork work;
    work.record(session_.stream(), [&] { put(); });
    work.launch(session_.stream());
    return target_.download();
  }

  void expect_same_bits_again(const std::vector<T>& first) {
    EXPECT_TRUE(same_bits_all(run(), first));
    EXPECT_TRUE(same_bits_all(run_recorded(), first));
    EXPECT_TRUE(target_.has_kept_what_is_around(first));
  }

  // Within the bound of a sum in any order: all entries, or of large products the last ones and
  // some that are drawn.
  void expect_close(const std::vector<T>& result) const {
    const Offset entries = Offset{given_.rows} * given_.columns;
    constexpr Offset most_terms = 500'000;
    const Offset drawn = most_terms / std::max(given_.depth, 1);
    if (entries <= drawn) {
      for (Offset e = 0; e < entries; ++e) expect_close(result, e);
      return;
    }
    for (Offset k = 0; k < drawn; ++k) {
      const auto bits = hash64(5, static_cast<std::uint64_t>(k));
      expect_close(result, static_cast<Offset>(bits % static_cast<std::uint64_t>(entries)));
      expect_close(result, entries - 1 - k % given_.rows);
    }
  }

  // For factors of rank one with products that have no rounding.
  template <class Expected>
  void expect_exactly(const std::vector<T>& result, const Expected& expected) const {
    Offset wrong = 0;
    for (Index j = 0; j < given_.columns; ++j) {
      for (Index i = 0; i < given_.rows; ++i) {
        wrong += result[target_.place(i, j)] != static_cast<T>(expected(i, j));
      }
    }
    EXPECT_EQ(wrong, 0);
  }

 private:
  void put() {
    subtract_product(session_.stream(), Product<T>{.left = left_.data(),
                                                   .ld_left = left_.ld(),
                                                   .right = right_.data(),
                                                   .ld_right = right_.ld(),
                                                   .target = target_.data(),
                                                   .ld_target = target_.ld(),
                                                   .rows = given_.rows,
                                                   .columns = given_.columns,
                                                   .depth = given_.depth});
  }
  void expect_close(const std::vector<T>& result, Offset entry) const {
    const auto i = static_cast<Index>(entry % given_.rows);
    const auto j = static_cast<Index>(entry / given_.rows);
    long double value = target_.entry(i, j), size = std::abs(value);
    for (Index k = 0; k < given_.depth; ++k) {
      const long double term = static_cast<long double>(left_.entry(i, k)) *
                               static_cast<long double>(right_.entry(k, j));
      value -= term;
      size += std::abs(term);
    }
    const long double units = (given_.depth + 1) * (std::numeric_limits<T>::epsilon() / 2.0L);
    const long double error = std::abs(result[target_.place(i, j)] - value);
    ASSERT_LE(error, units / (1 - units) * size) << "at " << i << ", " << j;
  }

  DeviceSession& session_;
  const Case given_;
  Part<T> left_, right_, target_;
};

template <class T>
class ProductTest : public DeviceTest {
 protected:
  void expect_right(const Case& given) {
    SCOPED_TRACE(given.text());
    expect_close(given);
    expect_exact(given);
  }

 private:
  void expect_close(const Case& given) {
    const auto random = [](std::uint64_t seed) {
      return [seed](Index i, Index j) { return random_entry(seed, i, j); };
    };
    OnDevice<T> product(*session, given, random(1), random(2), random(3));
    const std::vector<T> result = product.run();
    product.expect_close(result);
    product.expect_same_bits_again(result);
  }
  // left(i, k) = row(i) a(k), right(k, j) = b(k) column(j), in whole numbers.
  void expect_exact(const Case& given) {
    const std::vector<int> row = small_numbers(11, given.rows);
    const std::vector<int> a = small_numbers(12, given.depth);
    const std::vector<int> b = small_numbers(13, given.depth);
    const std::vector<int> column = small_numbers(14, given.columns);
    const int inner = std::inner_product(a.begin(), a.end(), b.begin(), 0);
    OnDevice<T> product(
        *session, given, [&](Index i, Index k) { return row[at(i)] * a[at(k)]; },
        [&](Index k, Index j) { return b[at(k)] * column[at(j)]; },
        [](Index i, Index j) { return i - j; });
    product.expect_exactly(product.run(), [&](Index i, Index j) {
      return i - j - row[at(i)] * inner * column[at(j)];
    });
  }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ProductTest, Reals);

TYPED_TEST(ProductTest, SanitizeEdgesOfSmallProducts) {
  const std::vector<Index> sizes = {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto other = [&](std::size_t step) { return sizes[(k + step) % sizes.size()]; };
    for (const bool odd : {false, true}) {
      this->expect_right({sizes[k], other(5), other(7), odd, !odd});
      this->expect_right({other(3), sizes[k], other(8), odd, odd});
      this->expect_right({other(1), other(10), sizes[k], odd, false});
    }
  }
}

// 132 tiles of 128 x 128 and more.
TYPED_TEST(ProductTest, LargeProductsOfEveryDepth) {
  for (const Index depth :
       {1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 95, 96, 97, 127, 128, 129, 200, 1000}) {
    this->expect_right({1500, 1400, depth});
  }
}

TYPED_TEST(ProductTest, LargeProductsOfEverySize) {
  for (const Index more : {0, 1, 2, 15, 16, 17, 63, 64, 65, 127}) {
    this->expect_right({1536 + more, 1408, 72});
    this->expect_right({1536, 1408 + more, 80});
  }
  this->expect_right({1537, 1409, 64});
  for (const auto& [rows, columns] :
       {std::pair{128, 8448}, {129, 8449}, {16896, 64}, {16999, 67}, {129, 16999}, {16999, 129}}) {
    this->expect_right({rows, columns, 66});
  }
}

// More tiles than the card has room for, in bands of which the last is lower.
TYPED_TEST(ProductTest, ManyTiles) {
  this->expect_right({2500, 2300, 70});
  this->expect_right({4300, 2111, 65});
}

TYPED_TEST(ProductTest, LargeProductsOnEveryBoundary) {
  for (const bool odd_factors : {false, true}) {
    for (const bool odd_target : {false, true}) {
      this->expect_right({1536, 1408, 64, odd_factors, odd_target});
      this->expect_right({1570, 1450, 77, odd_factors, odd_target});
    }
  }
}

TYPED_TEST(ProductTest, SanitizeTallAndShallow) {
  this->expect_right({65'539, 3, 5});
}

TYPED_TEST(ProductTest, TallAndShallow) {
  for (const Index depth : {1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33}) {
    const bool odd = depth % 2 == 1;
    this->expect_right({65'536, 35 - depth, depth, odd, !odd});
    this->expect_right({70'001, depth, depth, !odd, odd});
  }
  this->expect_right({66'000, 70, 32});
}

TYPED_TEST(ProductTest, NothingToSubtract) {
  this->expect_right({1000, 1000, 0});
}

}  // namespace
}  // namespace lufact::gpu::blocked
