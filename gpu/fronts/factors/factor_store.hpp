// SPDX-License-Identifier: BSD-3-Clause
// Where the factors of fronts are: on the device as a whole, or in page-locked memory of the host,
// from where they come to the device part by part (core/fronts/plan/part_traffic.hpp).
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/fronts/device_front_products.hpp"
#include "gpu/fronts/factors/factor_lanes.hpp"

namespace lufact::gpu {

// T is float or double.
template <class T>
class FactorStore {
 public:
  // Entries of device memory that the factors and contribution blocks of a graph take here.
  static Offset device_entries(const DeviceTaskGraph& graph);

  // The whole is zero at first. On the host it is made for the first store of a session that is as
  // large. Throws Error{oom_host} where the host has no room for it.
  FactorStore(DeviceSession& session, const DeviceTaskGraph& graph);

  bool on_host() const noexcept { return traffic_.has_value(); }
  Index parts() const noexcept { return static_cast<Index>(parts_.size()); }
  std::uint64_t host_bytes() const noexcept { return host_bytes_; }

  // Around the launches that make the factors of a part, and around those that read them; nothing
  // to do on the device. Returns where entry 0 of all factors would be, for kernels that touch
  // those of the part alone. `next` is the part that is read after it, or -1.
  T* begin_writing(Index part);
  void end_writing(Index part);
  const T* begin_reading(Index part, Index next);
  void end_reading(Index part);

  // Where the arena of contribution blocks begins: behind the factors where these stay on the
  // device.
  T* contributions() noexcept;

  // All entries of the factors, or those at places; wait for everything, and copy.
  std::vector<T> download() const;
  std::vector<T> download(std::span<const Offset> places) const;

 private:
  void keep_on_host(const DeviceTaskGraph& graph);
  T* base(Index part) const;
  const T* host() const { return static_cast<const T*>(host_.get()); }

  struct Part {
    Offset first = 0, entries = 0;
  };

  DeviceSession& session_;
  // Factors on the device, with the arena behind them ...
  Buffer<T> whole_;
  Offset whole_factors_ = 0;
  // ... or regions of even parts, and of odd ones, and the arena alone.
  std::array<Buffer<T>, 2> regions_;
  Buffer<T> arena_;
  std::vector<Part> parts_;
  std::shared_ptr<void> host_;
  Offset host_entries_ = 0;
  std::uint64_t host_bytes_ = 0;
  std::unique_ptr<FactorLanes> lanes_;
  std::optional<PartTraffic<FactorLanes>> traffic_;
};

extern template class FactorStore<float>;
extern template class FactorStore<double>;

}  // namespace lufact::gpu
