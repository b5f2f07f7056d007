// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/distribution/host_exchange.hpp"

#include "core/distribution/rank_exchange.hpp"

namespace lufact::gpu {

void HostExchange::send(const void* data, std::uint64_t bytes) {
  in_pieces(const_cast<void*>(data), bytes, [&](void* piece, std::uint64_t size) {
    stage_.resize(size);
    session_.copy_to_host(stage_.data(), piece, size);
    ranks_.send(0, stage_.data(), size);
  });
}

void HostExchange::receive(Index from, void* data, std::uint64_t bytes) {
  in_pieces(data, bytes, [&](void* piece, std::uint64_t size) {
    stage_.resize(size);
    ranks_.receive(from, stage_.data(), size);
    session_.copy_to_device(piece, stage_.data(), size);
  });
}

}  // namespace lufact::gpu
