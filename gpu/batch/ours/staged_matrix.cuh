// SPDX-License-Identifier: BSD-3-Clause
// The matrices of a warp in shared memory: of any layout and alignment, by bulk copies where a
// matrix is one run of bytes.
#pragma once
#include "gpu/batch/kernel_arguments.hpp"
#include "gpu/batch/ours/lanes.cuh"

namespace lufact::gpu::ours {

// A matrix in global memory: entry (i, j) is at first[(j * ld + i) * step].
template <class Real>
struct GlobalMatrix {
  Real* first;
  Offset step;
  int ld;

  LUFACT_LANE Real& at(int i, int j) const {
    return first[(static_cast<Offset>(j) * ld + i) * step];
  }
};

// Matrix k of `array`, whose matrices have `columns` columns.
template <class Real, class Lanes>
LUFACT_LANE GlobalMatrix<Real> global_matrix(void* array, const BatchKernelArguments& arguments,
                                             Offset k, int ld, int columns) {
  Real* entries = static_cast<Real*>(array);
  const auto layout = static_cast<ArrayLayout>(arguments.layout);
  if (layout == ArrayLayout::pointers) {
    entries = static_cast<Real* const*>(array)[k];
  } else {
    entries += layout == ArrayLayout::interleaved ? k : k * ld * columns;
  }
  return {Lanes::global(entries), layout == ArrayLayout::interleaved ? arguments.count : 1, ld};
}

template <class Real>
inline constexpr int vector_length = 16 / sizeof(Real);

// A group's matrix of order N in the stage of its warp (shared_sizes.hpp). All lanes of the warp
// call every function together.
template <class Lanes, class Real, int N, int G>
class StagedMatrix {
  static constexpr int vector = vector_length<Real>;

 public:
  // `shared`: stage_bytes() of the warp, aligned to 16.
  LUFACT_LANE StagedMatrix(char* shared, std::uint64_t* barrier)
      : barrier_(barrier),
        group_(Lanes::lane() / G),
        lane_(Lanes::lane() % G),
        slot_(reinterpret_cast<Real*>(shared + group_ * stage_stride(N, G, sizeof(Real)))),
        matrix_(slot_) {}

  // Entry (i, j) is at [j * N + i].
  LUFACT_LANE Real* matrix() const { return matrix_; }
  LUFACT_LANE int lane() const { return lane_; }
  LUFACT_LANE int group() const { return group_; }

  // Every group its own matrix; a group that is not `present` gets zeros. Waits until it is there.
  LUFACT_LANE void load(const GlobalMatrix<Real>& source, bool present) {
    if (source.step == 1 && source.ld == N) {
      if (Lanes::lane() == 0) Lanes::init_barrier(barrier_, lanes_per_warp / G);
      Lanes::sync();
      matrix_ = slot_ + shift_of(source.first);
      const Run run = run_of(source.first);
      if (lane_ == 0) {
        Lanes::bulk_load(matrix_ + run.head, source.first + run.head,
                         present ? run.bulk * static_cast<int>(sizeof(Real)) : 0, barrier_);
      }
      if (present) {
        for_ends(run, [&](int e) { matrix_[e] = source.first[e]; });
      } else {
        clear();
      }
      Lanes::wait(barrier_);
    } else if (present) {
      LUFACT_ROLL
      for (int e = lane_; e < N * N; e += G) matrix_[e] = source.at(e % N, e / N);
    } else {
      clear();
    }
    Lanes::sync();
  }

  // What the groups have written into matrix().
  LUFACT_LANE void store(const GlobalMatrix<Real>& target, bool present) {
    Lanes::before_bulk_store();
    Lanes::sync();
    if (!present) return;
    const bool one_run = target.step == 1 && target.ld == N;
    if (one_run && shift_of(target.first) == static_cast<int>(matrix_ - slot_)) {
      const Run run = run_of(target.first);
      for_ends(run, [&](int e) { target.first[e] = matrix_[e]; });
      if (lane_ == 0) {
        Lanes::bulk_store(target.first + run.head, matrix_ + run.head,
                          run.bulk * static_cast<int>(sizeof(Real)));
      }
    } else {
      LUFACT_ROLL
      for (int e = lane_; e < N * N; e += G) target.at(e % N, e / N) = matrix_[e];
    }
  }

 private:
  // Entries before the first whole vector of the address, and in whole vectors.
  struct Run {
    int head, bulk;
  };

  // Entries that an address is behind a multiple of 16.
  static LUFACT_LANE int shift_of(const Real* address) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) / sizeof(Real)) &
           (vector - 1);
  }
  static LUFACT_LANE Run run_of(const Real* address) {
    int head = (vector - shift_of(address)) & (vector - 1);
    if (head > N * N) head = N * N;
    return {head, (N * N - head) & ~(vector - 1)};
  }

  // The entries of a run that are in no whole vector: fewer than 4 at either end.
  template <class Body>
  LUFACT_LANE void for_ends(const Run& run, Body body) const {
    if (lane_ < run.head) body(lane_);
    const int tail = run.head + run.bulk + lane_;
    if (tail < N * N) body(tail);
  }

  LUFACT_LANE void clear() {
    LUFACT_ROLL
    for (int e = lane_; e < N * N; e += G) matrix_[e] = Real(0);
  }

  std::uint64_t* barrier_;
  int group_, lane_;
  Real *slot_, *matrix_;
};

}  // namespace lufact::gpu::ours
