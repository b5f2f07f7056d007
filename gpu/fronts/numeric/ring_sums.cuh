// SPDX-License-Identifier: BSD-3-Clause
// What a ring of panels holds and what is done with it, in double and in float: how the copy unit
// brings a panel, and the sums that its product is added to. Steps of two panels follow each other:
// what of the next one is read early is read in add_last_step().
#pragma once
#include "gpu/fronts/numeric/grouped_panel.cuh"
#include "gpu/fronts/numeric/panel_sums.cuh"

namespace lufact::gpu {

template <class T>
class RingSums;

// Doubles: panels in groups of columns, for the tensor cores.
template <>
class RingSums<double> {
 public:
  static_assert(largest_grouped_panel <= sizeof(ProductStage<double>::left) / sizeof(double));

  __device__ RingSums(Fragment<double>& fragment, TileMemory<double>&, int rows, int columns)
      : sum_(fragment), product_(rows, columns) {}

  // By one thread: the first `depth` columns of a stored tile from `from` on.
  __device__ static void copy(double* panel, const double* from, int rows, int depth,
                              const CopyBarrier& barrier) {
    copy_groups(panel, from, rows, depth, barrier);
  }
  // By all threads of a block: columns from `depth` on become zero.
  __device__ static void clear_from(int depth, double* panel, int rows) {
    clear_groups_from(depth, panel, rows);
  }

  __device__ void load_first(const ProductStage<double>& stage) {
    product_.load_first(stage.left, stage.right);
  }
  __device__ void add_first_steps(const ProductStage<double>& stage) {
    product_.add_first_steps(sum_, stage.right);
  }
  __device__ void add_last_step(const ProductStage<double>& next) {
    product_.add_last_step(sum_, next.left, next.right);
  }
  __device__ void give_back() {}

 private:
  Fragment<double>& sum_;
  GroupedProduct product_;
};

// Floats: a panel is one copy, as it is stored.
template <>
class RingSums<float> {
 public:
  __device__ RingSums(Fragment<float>& fragment, TileMemory<float>& memory, int rows, int columns)
      : sums_(fragment, memory), rows_(rows), columns_(columns) {}

  __device__ static void copy(float* panel, const float* from, int rows, int depth,
                              const CopyBarrier& barrier) {
    copy_bytes(panel, from, depth * rows * static_cast<int>(sizeof(float)), barrier);
  }
  __device__ static void clear_from(int depth, float* panel, int rows) {
    for (int e = depth * rows + static_cast<int>(threadIdx.x); e < product_depth * rows;
         e += tile_threads) {
      panel[e] = 0;
    }
  }

  __device__ void load_first(const ProductStage<float>&) {}
  // Rows beyond the tile's are those of the next column: they come into no other row of a sum.
  __device__ void add_first_steps(const ProductStage<float>& stage) {
    sums_.add(stage.left, rows_, stage.right, columns_);
  }
  __device__ void add_last_step(const ProductStage<float>&) {}
  __device__ void give_back() { sums_.give_back(); }

 private:
  PanelSums<float> sums_;
  const int rows_, columns_;
};

}  // namespace lufact::gpu
