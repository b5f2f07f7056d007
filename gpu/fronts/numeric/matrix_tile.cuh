// SPDX-License-Identifier: BSD-3-Clause
// A tile of a dense matrix, to and from the fragments of a block.
#pragma once
#include "gpu/fronts/tasks/front_problem.cuh"
#include "gpu/fronts/tasks/tile_layout.cuh"

namespace lufact::gpu {

template <class T>
class MatrixTile {
 public:
  __device__ MatrixTile(const DenseTiles<T>& tiles, const FrontShape& shape, Index tile_row,
                        Index tile_column)
      : ld_(tiles.ld) {
    const Index row = tile_row * shape.pivot_width, column = tile_column * shape.pivot_width;
    rows_ = min(shape.pivot_width, shape.pivots - row) - BlockGroup::first_row();
    columns_ = min(shape.pivot_width, shape.pivots - column) - BlockGroup::first_column();
    entry_ = tiles.entry + row + BlockGroup::first_row() +
             (column + BlockGroup::first_column()) * tiles.ld;
  }

  // What is not in the matrix becomes zero.
  __device__ void load(Fragment<T>& fragment) const {
    for_entries(fragment, [](const T* entry, T& value) { value = *entry; });
  }
  // What is not in the matrix becomes zero in the fragment.
  __device__ void store(Fragment<T>& fragment) const {
    for_entries(fragment, [](T* entry, const T& value) { *entry = value; });
  }

 private:
  template <class Body>
  __device__ void for_entries(Fragment<T>& fragment, const Body& body) const {
    fragment.for_each([&](int i, int j, T& value) {
      if (i < rows_ && j < columns_) {
        body(entry_ + j * ld_ + i, value);
      } else {
        value = T(0);
      }
    });
  }

  T* entry_;  // of the warp's first row and column
  Offset ld_;
  Index rows_, columns_;  // from there to the tile's last
};

}  // namespace lufact::gpu
