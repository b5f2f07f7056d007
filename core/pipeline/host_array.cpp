// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/host_array.hpp"

#include <algorithm>

namespace lufact {

HostArray::HostArray(std::size_t size, const PageLockedMemory& memory) : size_(size) {
  if (memory && size > 0) {
    const std::shared_ptr<void> locked = memory(size * sizeof(double));
    page_locked_ = locked != nullptr;
    data_ = {locked, static_cast<double*>(locked.get())};
  }
  if (!page_locked_) data_ = std::make_shared<double[]>(size);
  std::ranges::fill(entries(), 0.0);
}

}  // namespace lufact
