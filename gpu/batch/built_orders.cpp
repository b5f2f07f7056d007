// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/built_orders.hpp"

namespace lufact::gpu {

std::vector<Index> built_batch_orders(Index least, Index largest) {
  std::vector<Index> built;
  for (const Index order : {LUFACT_BATCH_ORDERS}) {
    if (order >= least && order <= largest) built.push_back(order);
  }
  if (static_cast<Index>(built.size()) == largest - least + 1) built.clear();
  return built;
}

}  // namespace lufact::gpu
