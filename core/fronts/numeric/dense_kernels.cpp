// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/numeric/dense_kernels.hpp"

#include <vector>

#include "core/fronts/numeric/dense_kernel_sets.hpp"

namespace lufact {
namespace {

// The best one first.
std::vector<const DenseKernelSet*> usable_sets() {
  std::vector<const DenseKernelSet*> sets;
#ifdef LUFACT_X86_KERNELS
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (v4) sets.push_back(&avx512_kernels);
  if (v3) sets.push_back(&avx2_kernels);
#endif
  sets.push_back(&baseline_kernels);
  return sets;
}

template <class T>
const DenseKernels<T>* member(const DenseKernelSet& set) {
  if constexpr (std::is_same_v<T, double>) {
    return &set.in_double;
  } else {
    return &set.in_float;
  }
}

}  // namespace

template <class T>
std::span<const DenseKernels<T>* const> dense_kernel_sets() {
  static const auto list = [] {
    std::vector<const DenseKernels<T>*> kernels;
    for (const DenseKernelSet* set : usable_sets()) kernels.push_back(member<T>(*set));
    return kernels;
  }();
  return list;
}

template <class T>
const DenseKernels<T>& dense_kernels() {
  return *dense_kernel_sets<T>().front();
}

template std::span<const DenseKernels<double>* const> dense_kernel_sets<double>();
template std::span<const DenseKernels<float>* const> dense_kernel_sets<float>();
template const DenseKernels<double>& dense_kernels<double>();
template const DenseKernels<float>& dense_kernels<float>();

}  // namespace lufact
