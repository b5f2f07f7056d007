// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/permutation.hpp"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/base/error.hpp"

namespace lufact {
namespace {

constexpr std::size_t parallel_from = 1 << 15;  // labels; below, threads cost more than they save

std::vector<Index> invert(std::span<const Index> forward) {
  std::vector<Index> inverse(forward.size(), -1);
  for (std::size_t k = 0; k < forward.size(); ++k) {
    const Index label = forward[k];
    if (label < 0 || static_cast<std::size_t>(label) >= forward.size()) {
      throw Error(Outcome::error, "bad_permutation",
                  fmt::format("entry {} is {}, outside 0..{}", k, label, forward.size() - 1));
    }
    if (inverse[static_cast<std::size_t>(label)] != -1) {
      throw Error(Outcome::error, "bad_permutation",
                  fmt::format("label {} appears twice, at entries {} and {}", label,
                              inverse[static_cast<std::size_t>(label)], k));
    }
    inverse[static_cast<std::size_t>(label)] = static_cast<Index>(k);
  }
  return inverse;
}

}  // namespace

Permutation Permutation::identity(Index n) {
  Permutation result;
  result.old_of_new_.resize(static_cast<std::size_t>(n));
  std::iota(result.old_of_new_.begin(), result.old_of_new_.end(), 0);
  result.new_of_old_ = result.old_of_new_;
  return result;
}

Permutation Permutation::from_old_of_new(std::vector<Index> old_of_new) {
  Permutation result;
  result.new_of_old_ = invert(old_of_new);
  result.old_of_new_ = std::move(old_of_new);
  return result;
}

Permutation Permutation::from_both(std::vector<Index> old_of_new, std::vector<Index> new_of_old) {
  const std::size_t n = old_of_new.size();
  const auto undone = [&](std::size_t k) {
    const auto label = static_cast<std::size_t>(old_of_new[k]);
    return label < n && new_of_old[label] == static_cast<Index>(k);
  };
  bool inverses = new_of_old.size() == n;
#pragma omp parallel for schedule(static) reduction(&& : inverses) if (n >= parallel_from)
  for (std::size_t k = 0; k < n; ++k) inverses = inverses && undone(k);
  if (!inverses) throw std::invalid_argument("two arrays of labels that are no inverses");
  Permutation result;
  result.old_of_new_ = std::move(old_of_new);
  result.new_of_old_ = std::move(new_of_old);
  return result;
}

Permutation Permutation::inverse() const {
  Permutation result;
  result.old_of_new_ = new_of_old_;
  result.new_of_old_ = old_of_new_;
  return result;
}

bool Permutation::is_identity() const noexcept {
  for (std::size_t k = 0; k < old_of_new_.size(); ++k) {
    if (old_of_new_[k] != static_cast<Index>(k)) return false;
  }
  return true;
}

Permutation Permutation::then(const Permutation& next) const {
  const std::size_t n = old_of_new_.size();
  if (next.old_of_new_.size() != n) {
    throw std::invalid_argument(
        fmt::format("a permutation of {} labels after one of {}", next.old_of_new_.size(), n));
  }
  Permutation result;
  result.old_of_new_.resize(n);
  result.new_of_old_.resize(n);
#pragma omp parallel for schedule(static) if (n >= parallel_from)
  for (std::size_t k = 0; k < n; ++k) {
    result.old_of_new_[k] = old_of_new_[static_cast<std::size_t>(next.old_of_new_[k])];
    result.new_of_old_[k] = next.new_of_old_[static_cast<std::size_t>(new_of_old_[k])];
  }
  return result;
}

}  // namespace lufact
