// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string_view>

namespace lufact {

// How what the devices of a rank have found goes to rank 0.
enum class ExchangeOption {
  automatic,  // nccl where every rank can, else mpi
  mpi,        // through the memory of the hosts, in messages of the group
  nccl,       // from device to device
};
constexpr std::string_view to_string(ExchangeOption option) noexcept {
  switch (option) {
    case ExchangeOption::mpi:
      return "mpi";
    case ExchangeOption::nccl:
      return "nccl";
    default:
      return "auto";
  }
}

}  // namespace lufact
