// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/kinetics_matrices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lufact {
namespace {

// Random bits of one network, one word after the other.
class Draws {
 public:
  Draws(std::uint64_t seed, Offset network)
      : seed_(seed), network_(static_cast<std::uint64_t>(network)) {}
  std::uint64_t next() { return hash64(seed_, network_, drawn_++); }
  Index index(Index bound) { return below(next(), bound); }
  // From 2^least to 2^(most + 1), evenly in its exponent. With nine bits, so that products of a few
  // are exact: no sum depends on how a compiler fuses it.
  double magnitude(int least, int most) {
    const int exponent = least + index(most - least + 1);
    return std::ldexp(1.0 + index(256) / 256.0, exponent);
  }

 private:
  std::uint64_t seed_, network_, drawn_ = 0;
};

struct Reaction {
  std::array<Index, 2> from{}, to{};
  int species = 1;  // on either side
  double constant = 0;
};

Reaction make_reaction(Draws& draws, Index n, Index first) {
  Reaction reaction;
  reaction.species = 1 + draws.index(2);
  reaction.from = {first, draws.index(n)};
  const Index shift = 1 + draws.index(n - 1);
  reaction.to = {(first + shift) % n, draws.index(n)};
  reaction.constant = draws.magnitude(-10, 30);
  return reaction;
}

// a -= h * (the change of species) x (the derivative of the rate with respect to reactant r)
void subtract_derivative(double* a, Index n, const Reaction& reaction, int r, double derivative) {
  double* const column = a + Offset{reaction.from[static_cast<std::size_t>(r)]} * n;
  for (int s = 0; s < reaction.species; ++s) {
    column[reaction.from[static_cast<std::size_t>(s)]] += derivative;
    column[reaction.to[static_cast<std::size_t>(s)]] -= derivative;
  }
}

void make_matrix(double* a, Index n, Draws draws) {
  std::array<double, largest_kinetics_order> concentration{};
  for (Index i = 0; i < n; ++i) concentration[at(i)] = draws.magnitude(-20, 0);
  const double step = draws.magnitude(-24, 0);
  for (Index i = 0; i < n; ++i) a[i * Offset{n} + i] = 1;
  for (Index number = 0; number < 2 * n; ++number) {
    // Every species reacts.
    const Reaction reaction = make_reaction(draws, n, number < n ? number : draws.index(n));
    const double scale = step * reaction.constant;
    if (reaction.species == 1) {
      subtract_derivative(a, n, reaction, 0, scale);
      continue;
    }
    for (const int r : {0, 1}) {
      const Index other = reaction.from[static_cast<std::size_t>(1 - r)];
      subtract_derivative(a, n, reaction, r, scale * concentration[at(other)]);
    }
  }
}

}  // namespace

GivenMatrices kinetics_matrices(Index n, Offset count, std::uint64_t seed) {
  checked_bytes(count, sizeof(double) * at(Offset{n} * n));
  GivenMatrices result{.n = n, .count = count, .values = std::vector<double>(at(count * n * n))};
  for (Offset k = 0; k < count; ++k) {
    make_matrix(result.values.data() + k * n * n, n, Draws(seed, k));
  }
  return result;
}

}  // namespace lufact
