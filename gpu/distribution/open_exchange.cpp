// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/distribution/open_exchange.hpp"

#include "gpu/distribution/exchange_choice.hpp"
#include "gpu/distribution/host_exchange.hpp"
#include "gpu/distribution/nccl_exchange.hpp"

namespace lufact::gpu {

std::shared_ptr<DeviceExchange> open_exchange(DeviceSession& session, RankGroup& ranks,
                                              ExchangeOption option) {
  ExchangeChoice choice;
  if (option != ExchangeOption::mpi) {
    const NcclLibrary& nccl = nccl_library();
    const auto own =
        exchange_facts(session.uuid(), nccl.fault.empty() ? nccl.version : 0, nccl.fault);
    choice = choose_exchange(option, share_facts(ranks, own), ranks);
  }
  if (choice.nccl) return std::make_shared<NcclExchange>(session, ranks, choice.reason);
  return std::make_shared<HostExchange>(session, ranks, choice.reason);
}

}  // namespace lufact::gpu
