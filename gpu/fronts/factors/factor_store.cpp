// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/fronts/factors/factor_store.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

#include "core/fronts/plan/factor_parts.hpp"
#include "gpu/fronts/factors/gather_values.hpp"
#include "gpu/runtime/check.hpp"
#include "gpu/runtime/held_memory.hpp"

namespace lufact::gpu {
namespace {

constexpr std::string_view arena_name = "contribution blocks";

}  // namespace

template <class T>
Offset FactorStore<T>::device_entries(const DeviceTaskGraph& graph) {
  if (graph.factor_end.empty()) return graph.factor_entries + graph.contribution_entries;
  const std::array<Offset, 2> regions = factor_regions(graph.factor_end);
  return regions[0] + regions[1] + graph.contribution_entries;
}

template <class T>
FactorStore<T>::FactorStore(DeviceSession& session, const DeviceTaskGraph& graph)
    : session_(session) {
  if (!graph.factor_end.empty()) {
    keep_on_host(graph);
    return;
  }
  whole_factors_ = graph.factor_entries;
  whole_ = {session, MemoryRole::resident, device_entries(graph), "values of fronts"};
  if (HeldMemory* const held = held_memory()) {
    held->name_part(whole_.data(), checked_bytes(graph.contribution_entries, sizeof(T)),
                    arena_name);
  }
  // No kernel writes the alignment gaps between small fronts, nor, where no contribution block was,
  // the other triangle and the padding of diagonal tiles; all of these are part of the stored
  // values.
  const std::size_t bytes = checked_bytes(whole_factors_, sizeof(T));
  if (bytes > 0) LUFACT_CUDA(cudaMemsetAsync(whole_.data(), 0, bytes, session.stream()));
}

template <class T>
T* FactorStore<T>::contributions() noexcept {
  return on_host() ? arena_.data() : whole_.data() + whole_factors_;
}

// One region each for the even and for the odd parts.
template <class T>
void FactorStore<T>::keep_on_host(const DeviceTaskGraph& graph) {
  const std::array<Offset, 2> entries = factor_regions(graph.factor_end);
  for (std::size_t r = 0; r < regions_.size(); ++r) {
    regions_[r] = {session_, MemoryRole::resident, entries[r], "values of fronts in parts"};
  }
  arena_ = {session_, MemoryRole::resident, graph.contribution_entries, arena_name};
  host_entries_ = graph.factor_entries;
  host_bytes_ = checked_bytes(host_entries_, sizeof(T));
  if (host_bytes_ > 0) host_ = session_.kept_page_locked(host_bytes_, "values of fronts");
  std::vector<FactorLanes::PartBytes> bytes;
  Offset first = 0;
  for (const Offset end : graph.factor_end) {
    parts_.push_back({first, end - first});
    bytes.push_back({checked_bytes(first, sizeof(T)), checked_bytes(end - first, sizeof(T))});
    first = end;
  }
  const auto start = [](Buffer<T>& region) { return reinterpret_cast<std::byte*>(region.data()); };
  lanes_ = std::make_unique<FactorLanes>(
      session_, std::move(bytes), static_cast<std::byte*>(host_.get()),
      std::array<std::byte*, 2>{start(regions_[0]), start(regions_[1])});
  traffic_.emplace(*lanes_);
}

// In whole numbers, since the place may be in front of the region.
template <class T>
T* FactorStore<T>::base(Index part) const {
  const auto r = static_cast<std::size_t>(PartTraffic<FactorLanes>::region_of(part));
  const auto region = reinterpret_cast<std::uintptr_t>(regions_[r].data());
  return reinterpret_cast<T*>(region - checked_bytes(parts_[at(part)].first, sizeof(T)));
}

// What no kernel writes of a part is zero, as in the whole: the region has another part's there.
template <class T>
T* FactorStore<T>::begin_writing(Index part) {
  if (!on_host()) return whole_.data();
  traffic_->begin_writing(part);
  const auto r = static_cast<std::size_t>(PartTraffic<FactorLanes>::region_of(part));
  const std::size_t bytes = checked_bytes(parts_[at(part)].entries, sizeof(T));
  if (bytes > 0) LUFACT_CUDA(cudaMemsetAsync(regions_[r].data(), 0, bytes, session_.stream()));
  return base(part);
}

template <class T>
void FactorStore<T>::end_writing(Index part) {
  if (on_host()) traffic_->end_writing(part);
}

template <class T>
const T* FactorStore<T>::begin_reading(Index part, Index next) {
  if (!on_host()) return whole_.data();
  traffic_->begin_reading(part, next);
  return base(part);
}

template <class T>
void FactorStore<T>::end_reading(Index part) {
  if (on_host()) traffic_->end_reading(part);
}

template <class T>
std::vector<T> FactorStore<T>::download() const {
  if (!on_host()) return whole_.download(whole_factors_);
  session_.synchronize();
  return {host(), host() + host_entries_};
}

template <class T>
std::vector<T> FactorStore<T>::download(std::span<const Offset> places) const {
  const auto count = static_cast<Offset>(places.size());
  if (!on_host()) {
    const auto place =
        upload_copy<Offset>(session_, MemoryRole::scratch, places, "where pivots are stored");
    Buffer<T> values(session_, MemoryRole::scratch, count, "reciprocals of pivots");
    gather_values(session_, whole_.data(), place.data(), count, values.data());
    return values.download();
  }
  session_.synchronize();
  std::vector<T> values;
  values.reserve(places.size());
  for (const Offset place : places) values.push_back(host()[place]);
  return values;
}

template class FactorStore<float>;
template class FactorStore<double>;

}  // namespace lufact::gpu
