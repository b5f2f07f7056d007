// SPDX-License-Identifier: BSD-3-Clause
// What every kernel of `rows` begins and ends with: which matrix a group of lanes has, and where it
// is in shared memory.
#pragma once
#include "gpu/batch/ours/rows_shape.cuh"

namespace lufact::gpu::ours {

template <class Lanes, class Real, int N, int R, int G>
struct RowsTask {
  using Shape = RowsShape<Real, N, R, G>;

  const BatchKernelArguments& arguments;
  RowsMemory<Lanes, Real, N, G> memory;
  StagedMatrix<Lanes, Real, N, G> staged;
  Offset first;  // matrix of the warp; asked for once, since the lanes agree on it by a shuffle
  bool present;  // false: the group has no matrix, works on zeros, and gives nothing back
  Offset k;      // of the batch; without one the warp's first
  Real* panel;   // Shape::panel_stride entries of the group
  std::int32_t* numbers;  // 2 N of the group

  static LUFACT_LANE bool warp_has_work(const BatchKernelArguments& arguments) {
    return first_of_warp() < arguments.count;
  }
  // `shared`: of the block. Waits until A is there. For warps that have work.
  LUFACT_LANE RowsTask(const BatchKernelArguments& of_kernel, char* shared)
      : arguments(of_kernel),
        memory(shared),
        staged(memory.stage, memory.barrier),
        first(first_of_warp()),
        present(first + staged.group() < of_kernel.count),
        k(first + (present ? staged.group() : 0)),
        panel(reinterpret_cast<Real*>(memory.panels) + staged.group() * Shape::panel_stride),
        numbers(memory.numbers + staged.group() * 2 * N) {
    staged.load(input(), present);
  }

  LUFACT_LANE GlobalMatrix<Real> input() const {
    return global_matrix<Real, Lanes>(arguments.a, arguments, k, arguments.ld, N);
  }

  LUFACT_LANE void store_result() {
    staged.store(global_matrix<Real, Lanes>(arguments.result, arguments, k, arguments.ld, N),
                 present);
  }
  // `pivots`: N numbers of the group.
  LUFACT_LANE void store_numbers(int info, const std::int32_t* pivots) const {
    if (!present) return;
    if (staged.lane() == 0) arguments.info[k] = info;
    if (arguments.pivots == nullptr) return;
    LUFACT_UNROLL
    for (int i = staged.lane(); i < N; i += G) arguments.pivots[k * N + i] = pivots[i];
  }

 private:
  static LUFACT_LANE Offset first_of_warp() { return Lanes::warp_of_launch() * Shape::matrices; }
};

}  // namespace lufact::gpu::ours
