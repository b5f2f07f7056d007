// SPDX-License-Identifier: BSD-3-Clause
// The products that one tile is the sum of, by each way to take them, against products of the host.
// Tiles become complete one after the other, while the block already works.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "gpu/fronts/numeric/panel_products.cuh"
#include "gpu/fronts/numeric/ring_products.cuh"
#include "gpu/runtime/buffer.hpp"
#include "gpu/solve/test/device_problem.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

template <class T>
__device__ void add_products(const TaskFactors<T>& factors, TileMemory<T>& memory,
                             PanelBarriers& barriers, Fragment<T>& sum, Index steps, bool by_ring) {
  if (!by_ring) {
    PanelProducts<T>(factors, memory).add(sum, steps);
  } else if constexpr (has_copy_unit) {
    RingProducts<T>(factors, memory, barriers, steps).add(sum);
  }
}

// Twice, so that shared memory is taken over from products before; what is there at first is not a
// number.
template <class T>
__device__ void multiply(const FrontProblem<T>& problem, const FrontTask& task,
                         const FrontShape& shape, TileMemory<T>& memory, PanelBarriers& barriers,
                         bool by_ring, T* result) {
  auto* const words = reinterpret_cast<unsigned*>(&memory);
  for (unsigned w = threadIdx.x; w < sizeof(memory) / 4; w += blockDim.x) words[w] = ~0U;
  __syncthreads();
  const TaskFactors<T> factors(problem, task, shape);
  const Index steps = min(min(task.tile_row, task.tile_column), shape.pivot_tiles);
  for (int turn = 0; turn < 2; ++turn) {
    Fragment<T> sum;
    sum.clear();
    add_products(factors, memory, barriers, sum, steps, by_ring);
    sum.for_each([&](int i, int j, const T& value) {
      const int row = BlockGroup::first_row() + i, column = BlockGroup::first_column() + j;
      result[turn * tile * tile + column * tile + row] = value;
    });
  }
}

__device__ void raise_slowly(unsigned* flag, Index flags, unsigned nanoseconds) {
  for (Index f = 0; f < flags; ++f) {
    __threadfence();
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(flag[f]).store(
        1, cuda::memory_order_release);
#if __CUDA_ARCH__ >= 700
    __nanosleep(nanoseconds);
#endif
  }
}

// The first block multiplies, the second one raises the flags.
template <class T>
__global__ void __launch_bounds__(tile_threads, 3)
    products_kernel(FrontProblem<T> problem, FrontTask own_task, FrontShape own_shape, Index flags,
                    unsigned nanoseconds, bool by_ring, T* result) {
  extern __shared__ __align__(16) char dynamic[];
  __shared__ FrontTask task;
  __shared__ FrontShape shape;
  __shared__ PanelBarriers barriers;
  barriers.init();
  if (threadIdx.x == 0) {
    task = own_task;
    shape = own_shape;
  }
  __syncthreads();
  if (blockIdx.x == 0) {
    multiply(problem, task, shape, *reinterpret_cast<TileMemory<T>*>(dynamic), barriers, by_ring,
             result);
  } else if (threadIdx.x == 0) {
    raise_slowly(problem.sync.flag, flags, nanoseconds);
  }
}

FrontShape front_of(Index pivots, Index rows, Index row_width) {
  FrontShape shape;
  shape.pivots = pivots;
  shape.rows = rows;
  shape.pivot_width = pivot_tile_width(pivots);
  shape.pivot_tiles = (pivots + shape.pivot_width - 1) / shape.pivot_width;
  shape.row_width = row_width;
  shape.tiles = shape.pivot_tiles + (rows + row_width - 1) / row_width;
  return shape;
}

// A front whose stored tiles are random, padding included.
template <class T>
class StoredFront {
 public:
  StoredFront(DeviceSession& session, const FrontShape& shape)
      : session_(session),
        shape_(shape),
        flags_(shape.tiles * (shape.tiles + 1)),
        host_(at(shape.stored_entries())) {
    for (std::size_t e = 0; e < host_.size(); ++e) {
      host_[e] = static_cast<T>(symmetric_interval(hash64(5, e)));
    }
    factors_ = upload_copy(session, MemoryRole::scratch, std::span<const T>(host_), "factors");
    flag_ = Buffer<unsigned>(session, MemoryRole::scratch, flags_, "flags");
    result_ = Buffer<T>(session, MemoryRole::scratch, 2 * tile * tile, "a tile");
  }

  // Both sums of tile (i, j).
  std::vector<T> sums(Index i, Index j, bool by_ring, unsigned nanoseconds) {
    FrontProblem<T> problem;
    problem.factors = factors_.data();
    problem.sync.flag = flag_.data();
    FrontTask task;
    task.tile_row = i;
    task.tile_column = j;
    flag_.fill_bytes(0);
    constexpr int bytes = static_cast<int>(sizeof(TileMemory<T>));
    LUFACT_CUDA(cudaFuncSetAttribute(products_kernel<T>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    launch(session_, {2, tile_threads, std::size_t{bytes}}, products_kernel<T>, problem, task,
           shape_, flags_, nanoseconds, by_ring, result_.data());
    return result_.download();
  }

  double expected(Index i, Index j, Index row, Index column) const {
    if (row >= shape_.stored_rows(i) || column >= shape_.stored_rows(j)) return 0;
    double sum = 0;
    for (Index k = 0; k < std::min({i, j, shape_.pivot_tiles}); ++k) {
      for (Index p = 0; p < shape_.stored_pivots(k); ++p) {
        sum += double{host_[at(shape_.lower_place(i, k) + p * shape_.stored_rows(i) + row)]} *
               double{host_[at(shape_.upper_place(k, j) + p * shape_.stored_rows(j) + column)]};
      }
    }
    return sum;
  }

 private:
  DeviceSession& session_;
  FrontShape shape_;
  Index flags_;
  std::vector<T> host_;
  Buffer<T> factors_, result_;
  Buffer<unsigned> flag_;
};

bool card_has_ring() {
  cudaFuncAttributes attributes{};
  LUFACT_CUDA(cudaFuncGetAttributes(&attributes, products_kernel<double>));
  return attributes.ptxVersion >= 90;
}

class TileProducts : public DeviceTest {
 protected:
  template <class T>
  void check(const FrontShape& shape, bool by_ring, double tolerance) {
    SCOPED_TRACE(std::to_string(shape.pivots) + " pivots, " + std::to_string(shape.rows) +
                 " rows by " + std::to_string(shape.row_width) + (by_ring ? ", ring" : ""));
    StoredFront<T> front(session(), shape);
    for (const Index i : {Index{1}, shape.pivot_tiles - 1, shape.pivot_tiles, shape.tiles - 1}) {
      for (const Index j : {Index{1}, shape.pivot_tiles, shape.tiles - 1}) {
        if (std::min(i, j) < 1) continue;
        SCOPED_TRACE("tile " + std::to_string(i) + ", " + std::to_string(j));
        const std::vector<T> sums = front.sums(i, j, by_ring, 0);
        for (std::size_t e = 0; e < sums.size(); ++e) {
          const Index place = static_cast<Index>(e % (tile * tile));
          const double expected = front.expected(i, j, place % tile, place / tile);
          ASSERT_NEAR(sums[e], expected, tolerance) << place % tile << ", " << place / tile;
        }
        const std::vector<T> late = front.sums(i, j, by_ring, 500);
        EXPECT_EQ(0, std::memcmp(sums.data(), late.data(), sums.size() * sizeof(T)));
      }
    }
  }
  template <class T>
  void check_all(bool by_ring, double tolerance) {
    for (const Index pivots : {64, 65, 100, 128, 200, 300, 333, 1000, 1500}) {
      for (const auto& [rows, width] :
           {std::pair{64, 64}, {1, 4}, {100, 52}, {130, 44}, {90, 64}}) {
        check<T>(front_of(pivots, rows, width), by_ring, tolerance);
      }
    }
  }
};

TEST_F(TileProducts, PanelsGiveTheHostsSums) {
  check_all<double>(false, 1e-11);
  check_all<float>(false, 1e-3);
}

TEST_F(TileProducts, SanitizePanelsAndRingGiveTheHostsSums) {
  const FrontShape shape = front_of(333, 100, 52);
  check<double>(shape, false, 1e-11);
  check<float>(shape, false, 1e-3);
  if (!card_has_ring()) return;
  check<double>(shape, true, 1e-11);
  check<float>(shape, true, 1e-3);
}

TEST_F(TileProducts, TheRingGivesTheHostsSums) {
  if (!card_has_ring()) GTEST_SKIP() << "the card has no copy unit";
  check_all<double>(true, 1e-11);
  check_all<float>(true, 1e-3);
}

}  // namespace
}  // namespace lufact::gpu
