// SPDX-License-Identifier: BSD-3-Clause
// A matrix a thread: 32 matrices of a warp between global memory and the threads' registers.
#pragma once
#include "gpu/batch/ours/rows_shape.cuh"

namespace lufact::gpu::ours {

// Matrices that lie one after the other are one run of vectors, which shared memory turns: lanes
// copy neighbouring vectors, then each takes its own matrix.
template <class Real, int N>
struct ThreadShape {
  static constexpr int real = static_cast<int>(sizeof(Real));
  static constexpr bool whole_vectors = N * N % vector_length<Real> == 0;
  static constexpr int vectors = N * N / vector_length<Real>;  // of a matrix, if whole
  static constexpr int stride = thread_stride(N, real) / real;
  static constexpr int run_vectors = lanes_per_warp * N * N / vector_length<Real>;
  static constexpr int shared_bytes = thread_shared_bytes(N, real);  // of a warp
  static constexpr int data = N * N * real / 4;                      // registers
};

struct OwnColumn {
  LUFACT_LANE int operator()(int j) const { return j; }
};

template <class Lanes, class Real, int N>
class ThreadStage {
  using Shape = ThreadShape<Real, N>;
  static constexpr int vector = vector_length<Real>;

 public:
  // `shared`: of the block. `first`: the warp's first matrix.
  LUFACT_LANE ThreadStage(char* shared, Offset first, Offset count)
      : shared_(reinterpret_cast<Real*>(shared + Lanes::warp() * Shape::shared_bytes)),
        whole_warp_(first + lanes_per_warp <= count) {}

  // All lanes call both functions; a lane that is not `present` has matrix `first`, and gives
  // nothing back.
  LUFACT_LANE void load(Real (&a)[N * N], const GlobalMatrix<Real>& source, bool contiguous) {
    if (!in_vectors(source, contiguous)) {
      LUFACT_UNROLL
      for (int e = 0; e < N * N; ++e) a[e] = source.at(e % N, e / N);
      return;
    }
    const Real* run = source.first - Lanes::lane() * (N * N);
    LUFACT_UNROLL
    for (int v = 0; v < copies; ++v) {
      const int at = v * lanes_per_warp + Lanes::lane();
      if (in_run(v, at)) store_vector(shared_ + place(at), load_vector(run + at * vector).entry);
    }
    Lanes::sync();
    take(a);
  }

  // Column j of `a` becomes column `column(j)`.
  template <class Column>
  LUFACT_LANE void store(const Real (&a)[N * N], const Column& column,
                         const GlobalMatrix<Real>& target, bool contiguous, bool present) {
    if (!in_vectors(target, contiguous)) {
      if (!present) return;
      LUFACT_UNROLL
      for (int e = 0; e < N * N; ++e) target.at(e % N, column(e / N)) = a[e];
      return;
    }
    Lanes::sync();
    give(a, column);
    Lanes::sync();
    Real* run = target.first - Lanes::lane() * (N * N);
    LUFACT_UNROLL
    for (int v = 0; v < copies; ++v) {
      const int at = v * lanes_per_warp + Lanes::lane();
      if (in_run(v, at)) store_vector(run + at * vector, load_vector(shared_ + place(at)).entry);
    }
  }

 private:
  static constexpr int copies = (Shape::run_vectors + lanes_per_warp - 1) / lanes_per_warp;

  // The same for all lanes: whether the warp's matrices are a run that begins at a multiple of 16.
  LUFACT_LANE bool in_vectors(const GlobalMatrix<Real>& matrix, bool contiguous) const {
    if (!contiguous || !whole_warp_ || matrix.ld != N) return false;
    const Real* run = matrix.first - Lanes::lane() * (N * N);
    return reinterpret_cast<std::uintptr_t>(run) % 16 == 0;
  }
  static LUFACT_LANE bool in_run(int v, int at) {
    return (v + 1) * lanes_per_warp <= Shape::run_vectors || at < Shape::run_vectors;
  }
  // Of vector `at` of the run, in entries.
  static LUFACT_LANE int place(int at) {
    if constexpr (Shape::whole_vectors) {
      return at / Shape::vectors * Shape::stride + at % Shape::vectors * vector;
    } else {
      return at * vector;
    }
  }
  LUFACT_LANE void take(Real (&a)[N * N]) const {
    const Real* mine = shared_ + Lanes::lane() * Shape::stride;
    if constexpr (Shape::whole_vectors) {
      LUFACT_UNROLL
      for (int e = 0; e < N * N; e += vector) {
        const Vector<Real> entries = load_vector(mine + e);
        LUFACT_UNROLL
        for (int i = 0; i < vector; ++i) a[e + i] = entries.entry[i];
      }
    } else {
      LUFACT_UNROLL
      for (int e = 0; e < N * N; ++e) a[e] = mine[e];
    }
  }
  template <class Column>
  LUFACT_LANE void give(const Real (&a)[N * N], const Column& column) const {
    Real* mine = shared_ + Lanes::lane() * Shape::stride;
    LUFACT_UNROLL
    for (int j = 0; j < N; ++j) {
      Real* target = mine + column(j) * N;
      if constexpr (N % vector == 0) {
        LUFACT_UNROLL
        for (int i = 0; i < N; i += vector) store_vector(target + i, a + j * N + i);
      } else {
        LUFACT_UNROLL
        for (int i = 0; i < N; ++i) target[i] = a[j * N + i];
      }
    }
  }

  Real* shared_;
  bool whole_warp_;
};

template <int N>
LUFACT_LANE void store_pivots(std::int32_t* target, const std::int32_t (&pivots)[N]) {
  constexpr int length = N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1;
  if (reinterpret_cast<std::uintptr_t>(target) % (4 * length) == 0) {
    struct alignas(4 * length) Numbers {
      std::int32_t number[length];
    };
    LUFACT_UNROLL
    for (int i = 0; i < N; i += length) {
      Numbers numbers;
      LUFACT_UNROLL
      for (int e = 0; e < length; ++e) numbers.number[e] = pivots[i + e];
      *reinterpret_cast<Numbers*>(target + i) = numbers;
    }
  } else {
    LUFACT_UNROLL
    for (int i = 0; i < N; ++i) target[i] = pivots[i];
  }
}

// What every kernel with a matrix a thread begins and ends with.
template <class Lanes, class Real, int N>
struct ThreadTask {
  const BatchKernelArguments& arguments;
  Offset first;  // matrix of the warp; asked for once, since the lanes agree on it by a shuffle
  bool present;  // false: the lane has no matrix of its own, and gives nothing back
  Offset k;      // of the batch; without one the warp's first
  bool contiguous;
  ThreadStage<Lanes, Real, N> stage;

  static LUFACT_LANE bool warp_has_work(const BatchKernelArguments& arguments) {
    return first_of_warp() < arguments.count;
  }
  // `shared`: of the block. For warps that have work.
  LUFACT_LANE ThreadTask(const BatchKernelArguments& of_kernel, char* shared)
      : arguments(of_kernel),
        first(first_of_warp()),
        present(first + Lanes::lane() < of_kernel.count),
        k(first + (present ? Lanes::lane() : 0)),
        contiguous(of_kernel.layout == static_cast<std::int32_t>(ArrayLayout::contiguous)),
        stage(shared, first, of_kernel.count) {}

  LUFACT_LANE void load(Real (&a)[N * N]) {
    stage.load(a, global_matrix<Real, Lanes>(arguments.a, arguments, k, arguments.ld, N),
               contiguous);
  }
  // Column j of `a` becomes column `column(j)`.
  template <class Column>
  LUFACT_LANE void store_result(const Real (&a)[N * N], const Column& column) {
    stage.store(a, column,
                global_matrix<Real, Lanes>(arguments.result, arguments, k, arguments.ld, N),
                contiguous, present);
  }
  LUFACT_LANE void store_numbers(int info, const std::int32_t (&pivots)[N]) const {
    if (!present) return;
    arguments.info[k] = info;
    if (arguments.pivots != nullptr) store_pivots<N>(arguments.pivots + k * N, pivots);
  }

 private:
  static LUFACT_LANE Offset first_of_warp() { return Lanes::warp_of_launch() * lanes_per_warp; }
};

}  // namespace lufact::gpu::ours
