// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/schemes/recursion.hpp"

#include <algorithm>

#include "gpu/dense/schemes/iterative.hpp"
#include "gpu/dense/schemes/product.hpp"
#include "gpu/dense/schemes/side_stream.hpp"
#include "gpu/dense/schemes/triangular.hpp"

namespace lufact::gpu::schemes {
namespace {

// Threads of a block of the triangular kernels, unless told: as many blocks as multiprocessors for
// some thousands of columns.
constexpr int own_solve_threads = 32;

template <class Real>
std::unique_ptr<Factorization<Real>> make_base(DeviceSession& session, const GridRequest& request,
                                               DenseBase base) {
  if (base == DenseBase::skr) return make_single_kernel<Real>(session, request);
  return make_kernel_a_step<Real>(session, request, HostWaits::yes);
}

GridRequest request_of_blocks(const RecursionSettings& settings) {
  GridRequest request = settings.grid;
  if (request.blocks) request.blocks = std::min(*request.blocks, settings.block);
  return request;
}

template <class Real>
class Recursion final : public Factorization<Real> {
 public:
  Recursion(DeviceSession& session, const RecursionSettings& settings)
      : session_(session),
        settings_(settings),
        of_blocks_(make_base<Real>(session, request_of_blocks(settings), settings.base)),
        of_rest_(make_base<Real>(session, settings.grid, settings.base)),
        side_(session) {}

  void check(Index order, Index columns) const override {
    const Index eliminated = eliminated_after(settings_.levels, order);
    if (eliminated > 0) {
      const Index block = std::min(order, settings_.block);
      of_blocks_->check(block, block);
    }
    if (eliminated < order) of_rest_->check(order - eliminated, columns - eliminated);
  }

  void factor(const RowMatrix<Real>& a, SchemeCounts& counts, PhaseRecorder* phases) override {
    const Offset most_blocks = settings_.grid.blocks_for(a.order());
    for (Index level = 0; level < settings_.levels; ++level) {
      const Index begin = eliminated_after(level, a.order());
      if (begin == a.order()) return;
      eliminate_block(a.rest(begin, begin), most_blocks, counts, phases);
    }
    const Index begin = eliminated_after(settings_.levels, a.order());
    if (begin == a.order()) return;
    const Part part(phases, "rest");
    of_rest_->factor(a.rest(begin, begin), counts, nullptr);
  }

 private:
  Index eliminated_after(Index levels, Index order) const {
    return static_cast<Index>(std::min<Offset>(order, Offset{levels} * settings_.block));
  }

  // One level.
  void eliminate_block(const RowMatrix<Real>& a, Offset most_blocks, SchemeCounts& counts,
                       PhaseRecorder* phases) {
    const Index block = std::min(settings_.block, a.order());
    const RowMatrix<Real> factors = a.part(0, 0, block, block);
    {
      const Part part(phases, "diagonal");
      of_blocks_->factor(factors, counts, nullptr);
    }
    const RowMatrix<Real> right = a.part(0, block, block, a.columns - block);
    const RowMatrix<Real> below = a.part(block, 0, a.rows - block, block);
    {
      const Part part(phases, "triangular");
      solve_beside(factors, right, below, most_blocks, counts);
    }
    const Part part(phases, "product");
    subtract_product(session_.stream(), settings_.product, most_blocks, below, right,
                     a.rest(block, block), counts);
  }

  void solve_beside(const RowMatrix<Real>& factors, const RowMatrix<Real>& right,
                    const RowMatrix<Real>& below, Offset most_blocks, SchemeCounts& counts) {
    const SolveSettings how{settings_.triangular, settings_.product, most_blocks,
                            settings_.grid.threads.value_or(own_solve_threads)};
    solve_with_upper(side_.fork(), how, factors, below, counts);
    solve_with_lower(session_.stream(), how, factors, right, counts);
    side_.join();
  }

  DeviceSession& session_;
  const RecursionSettings settings_;
  const std::unique_ptr<Factorization<Real>> of_blocks_, of_rest_;
  SideStream side_;
};

}  // namespace

template <class Real>
std::unique_ptr<Factorization<Real>> make_recursion(DeviceSession& session,
                                                    const RecursionSettings& settings) {
  return std::make_unique<Recursion<Real>>(session, settings);
}

template std::unique_ptr<Factorization<float>> make_recursion(DeviceSession&,
                                                              const RecursionSettings&);
template std::unique_ptr<Factorization<double>> make_recursion(DeviceSession&,
                                                               const RecursionSettings&);

}  // namespace lufact::gpu::schemes
