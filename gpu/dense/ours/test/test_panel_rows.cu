// SPDX-License-Identifier: BSD-3-Clause
// Panels in registers on the host: what one thread does to its rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/dense/dense_entry.hpp"
#include "core/reference/dense_lu.hpp"
#include "gpu/dense/ours/panel_rows.cuh"

namespace lufact::gpu::blocked {
namespace {

constexpr int width = 8, rows_of_thread = 2;
using Rows = PanelRows<double, width, rows_of_thread>;

// The threads of a panel, one after the other.
class EmulatedPanel {
 public:
  EmulatedPanel(Index m, Index n, const std::vector<double>& a)
      : m_(m), n_(n), threads_(at((m + rows_of_thread - 1) / rows_of_thread)) {
    for_rows([&](Rows& rows, int r, Index row) {
      rows.place(r, row < m ? row : -1);
      for (int c = 0; c < width; ++c) {
        rows.entry(r, c) = row < m && c < n ? a[at(Offset{c} * m + row)] : 0;
      }
    });
  }

  std::vector<double> factor(std::vector<std::int32_t>& pivots) {
    for (Index step = 0; step < n_; ++step) pivots[at(step)] = eliminate(step) + 1;
    std::vector<double> a(at(Offset{m_} * n_));
    for (Rows& rows : threads_) {
      for (Index step = n_; step < width; ++step) rows.pass();
    }
    for_rows([&](Rows& rows, int r, Index) {
      if (rows.position(r) < 0) return;
      for (int c = 0; c < n_; ++c) {
        a[at(Offset{c} * m_ + rows.position(r))] = rows.entry(r, c);
      }
    });
    return a;
  }

 private:
  template <class Body>
  void for_rows(const Body& body) {
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      for (int r = 0; r < rows_of_thread; ++r) {
        body(threads_[t], r, static_cast<Index>(t) + r * static_cast<Index>(threads_.size()));
      }
    }
  }

  Index eliminate(Index step) {
    Index best = -1;
    double largest = -1;
    alignas(16) double pivot[width] = {};
    for_rows([&](Rows& rows, int r, Index) {
      if (!rows.is_open(r, step)) return;
      const double size = std::abs(rows.entry(r, 0));
      if (size < largest || (size == largest && rows.position(r) > best)) return;
      largest = size;
      best = rows.position(r);
      for (int c = 0; c < width; ++c) pivot[c] = c < width - step ? rows.entry(r, c) : 0;
    });
    const Divisor<double> divisor{pivot[0], 1 / pivot[0], pivot[0] != 0};
    for (Rows& rows : threads_) {
      rows.exchange(step, best);
      rows.eliminate(step, pivot, divisor);
    }
    return best;
  }

  Index m_, n_;
  std::vector<Rows> threads_;
};

TEST(PanelRows, PivotsAndEntriesAreThoseOfTheTwin) {
  for (const DenseKind kind : {DenseKind::random, DenseKind::ties, DenseKind::singular}) {
    for (const auto& [m, n] : {std::pair{8, 8}, {33, 8}, {40, 5}, {3, 3}, {1, 1}}) {
      DenseGenerator generator{.name = {.kind = kind, .column = 1}, .m = m, .n = n};
      std::vector<double> a(at(Offset{m} * n));
      for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < m; ++i) a[at(Offset{j} * m + i)] = dense_entry(generator, i, j);
      }
      std::vector<std::int32_t> pivots(at(n)), expected(at(n));
      const std::vector<double> lu = EmulatedPanel(m, n, a).factor(pivots);
      reference::dense_lu(m, n, a.data(), m, expected.data());
      EXPECT_EQ(pivots, expected) << m << " x " << n;
      for (std::size_t k = 0; k < lu.size(); ++k) EXPECT_NEAR(lu[k], a[k], 1e-12 * m);
    }
  }
}

}  // namespace
}  // namespace lufact::gpu::blocked
