// SPDX-License-Identifier: BSD-3-Clause
// LAPACK's functions as a library exports them under Fortran's names: for a loop over a batch, a
// matrix a thread of OpenMP with the library itself on one thread, or for one matrix.
#pragma once
#include <omp.h>

#include "baselines/peers/plugins/array_plugin.hpp"
#include "baselines/peers/plugins/foreign_library.hpp"

namespace lufact::peers {

template <class T>
struct LapackFunctions {
  using Getrf = void(const int* m, const int* n, T* a, const int* lda, int* ipiv, int* info);
  using Getri = void(const int* n, T* a, const int* lda, const int* ipiv, T* work, const int* lwork,
                     int* info);
  using Getrs = void(const char* trans, const int* n, const int* nrhs, const T* a, const int* lda,
                     const int* ipiv, T* b, const int* ldb, int* info, std::size_t trans_length);
  Getrf* getrf;
  Getri* getri;
  Getrs* getrs;

  explicit LapackFunctions(const ForeignLibrary& library) {
    const std::string letter = sizeof(T) == sizeof(double) ? "d" : "s";
    getrf = library.function<Getrf>((letter + "getrf_").c_str());
    getri = library.function<Getri>((letter + "getri_").c_str());
    getrs = library.function<Getrs>((letter + "getrs_").c_str());
  }
};

// A batch on the host with one call of LAPACK a matrix and step.
template <class T>
class LapackLoop {
 public:
  LapackLoop(const ForeignLibrary& library, int threads) : lapack_(library), threads_(threads) {}

  std::int64_t prepare(const lufact_array_problem& problem, const lufact_array_operands& operands) {
    problem_ = problem;
    operands_ = operands;
    work_.clear();
    if (problem.operation == LUFACT_ARRAY_INVERSE) {
      // The block size of getri times the order; a multiple of a cache line a thread.
      work_length_ = 64 * std::max(problem.rows, 1);
      work_.resize(static_cast<std::size_t>(work_length_) * static_cast<std::size_t>(threads_));
    }
    return static_cast<std::int64_t>(work_.size() * sizeof(T));
  }

  void run() {
    if (problem_.count == 1) return run_matrix(0);  // the library's own threads
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t k = 0; k < problem_.count; ++k) run_matrix(k);
  }

 private:
  T* matrix(void* base, std::int64_t k) const {
    if (problem_.layout == LUFACT_ARRAY_POINTERS) return static_cast<T**>(base)[k];
    return static_cast<T*>(base) + k * matrix_stride(problem_);
  }
  T* right_hand_sides(std::int64_t k) const {
    if (problem_.layout == LUFACT_ARRAY_POINTERS) return static_cast<T**>(operands_.b)[k];
    return static_cast<T*>(operands_.b) + k * rhs_stride(problem_);
  }

  void run_matrix(std::int64_t k) {
    const std::int64_t order = std::min(problem_.rows, problem_.columns);
    T* a = matrix(operands_.a, k);
    int* pivots = operands_.pivots + k * order;
    int* info = operands_.info + k;
    lapack_.getrf(&problem_.rows, &problem_.columns, a, &problem_.ld, pivots, info);
    if (problem_.operation == LUFACT_ARRAY_LU || *info != 0) return;
    int status = 0;
    if (problem_.operation == LUFACT_ARRAY_INVERSE) {
      const std::size_t thread = static_cast<std::size_t>(omp_get_thread_num());
      lapack_.getri(&problem_.rows, a, &problem_.ld, pivots,
                    work_.data() + thread * static_cast<std::size_t>(work_length_), &work_length_,
                    &status);
      T* result = matrix(operands_.result, k);
      if (result != a) std::copy(a, a + matrix_stride(problem_), result);
    } else {
      lapack_.getrs("N", &problem_.rows, &problem_.rhs, a, &problem_.ld, pivots,
                    right_hand_sides(k), &problem_.rows, &status, 1);
    }
  }

  LapackFunctions<T> lapack_;
  int threads_;
  lufact_array_problem problem_{};
  lufact_array_operands operands_{};
  int work_length_ = 0;
  std::vector<T> work_;
};

inline constexpr std::uint32_t lapack_operations =
    bit(LUFACT_ARRAY_LU) | bit(LUFACT_ARRAY_INVERSE) | bit(LUFACT_ARRAY_SOLVE);

}  // namespace lufact::peers
