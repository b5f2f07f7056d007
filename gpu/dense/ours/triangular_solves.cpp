// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/ours/triangular_solves.hpp"

#include <algorithm>

#include "gpu/dense/ours/block_rows.hpp"
#include "gpu/dense/ours/not_a_number.hpp"
#include "gpu/dense/ours/product.hpp"

namespace lufact::gpu::blocked {
namespace {

template <class T>
class Sweeps {
 public:
  Sweeps(cudaStream_t stream, const FactoredSystem<T>& system, T* b, Index columns)
      : stream_(stream), system_(system), b_(b), columns_(columns) {}

  // The factors have all exchanges, so that those come before everything else.
  void exchange() const {
    BlockRows<T> rows;
    rows.x = b_;
    rows.ldx = rows.pivots = system_.n;
    rows.moved = {0, columns_};
    rows.origin = system_.origin;
    rows.destination = system_.destination;
    rows.list = system_.list;
    apply_block(stream_, Triangle::unit_lower, rows);
  }
  void forward() const {
    for (Index first = 0; first < system_.n; first += solve_depth) {
      const BlockRows<T> rows = block(first);
      apply_block(stream_, Triangle::unit_lower, rows);
      const Index end = first + rows.depth;
      subtract(rows, end, system_.n);
    }
  }
  void backward() const {
    const Index last = (system_.n - 1) / solve_depth * solve_depth;
    for (Index first = last; first >= 0; first -= solve_depth) {
      const BlockRows<T> rows = block(first);
      apply_block(stream_, Triangle::upper, rows);
      subtract(rows, 0, first);
    }
  }

 private:
  BlockRows<T> block(Index first) const {
    BlockRows<T> rows;
    rows.triangle = system_.lu + first * (system_.ld + 1);
    rows.ld = system_.ld;
    rows.x = b_;
    rows.ldx = system_.n;
    rows.first = first;
    rows.depth = std::min(Index{solve_depth}, system_.n - first);
    rows.solved = {0, columns_};
    return rows;
  }

  // What the rows of a solved block do to rows [begin, end).
  void subtract(const BlockRows<T>& solved, Index begin, Index end) const {
    subtract_product(stream_, Product<T>{.left = system_.lu + solved.first * system_.ld + begin,
                                         .ld_left = system_.ld,
                                         .right = b_ + solved.first,
                                         .ld_right = system_.n,
                                         .target = b_ + begin,
                                         .ld_target = system_.n,
                                         .rows = end - begin,
                                         .columns = columns_,
                                         .depth = solved.depth});
  }

  const cudaStream_t stream_;
  const FactoredSystem<T>& system_;
  T* const b_;
  const Index columns_;
};

}  // namespace

template <class T>
void solve_with_factors(cudaStream_t stream, const FactoredSystem<T>& system, T* b, Index columns) {
  const Sweeps<T> sweeps(stream, system, b, columns);
  if (system.origin != nullptr) sweeps.exchange();
  sweeps.forward();
  sweeps.backward();
  spoil_if_singular(stream, b, Offset{system.n} * columns, system.info);
}

template void solve_with_factors(cudaStream_t, const FactoredSystem<float>&, float*, Index);
template void solve_with_factors(cudaStream_t, const FactoredSystem<double>&, double*, Index);

}  // namespace lufact::gpu::blocked
