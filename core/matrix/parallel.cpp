// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/parallel.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace lufact {

int thread_count(int requested) noexcept {
  if (requested > 0) return requested;
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

int thread_number() noexcept {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

#ifdef _OPENMP
OneThread::OneThread() noexcept : before_(omp_get_max_threads()) {
  omp_set_num_threads(1);
}
OneThread::~OneThread() {
  omp_set_num_threads(before_);
}
#else
OneThread::OneThread() noexcept : before_(1) {}
OneThread::~OneThread() = default;
#endif

}  // namespace lufact
