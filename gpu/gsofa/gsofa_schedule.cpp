// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_schedule.hpp"

#include <algorithm>
#include <numeric>

namespace lufact::gpu {

Offset GsofaRows::chunks() const noexcept {
  return (Offset{n} + chunk_size - 1) / chunk_size;
}

Offset GsofaRows::positions() const noexcept {
  const Offset all = chunks();
  const Offset own = all > node ? (all - node - 1) / nodes + 1 : 0;
  if (own == 0) return 0;
  // Of all chunks the last one alone may be short.
  const bool has_last = (all - 1) % nodes == node;
  const Offset missing = all * chunk_size - n;
  return own * chunk_size - (has_last ? missing : 0);
}

Offset whole_chunk_sources(Offset sources, Index chunk_size, Index devices) noexcept {
  const Offset unit = chunk_size / std::gcd(chunk_size, devices);
  return sources < unit ? sources : sources - sources % unit;
}

}  // namespace lufact::gpu
