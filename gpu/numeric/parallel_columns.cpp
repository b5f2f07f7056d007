// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/numeric/parallel_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"

namespace lufact::gpu {
namespace {

constexpr Offset warps_per_large_block = 32;

// Bytes of one work column; that of an empty matrix counts as one value.
std::uint64_t column_bytes(Index n, Precision precision) {
  const std::uint64_t value = precision == Precision::float64 ? sizeof(double) : sizeof(float);
  return static_cast<std::uint64_t>(std::max(n, Index{1})) * value;
}

}  // namespace

Offset fitting_columns(std::uint64_t free_bytes, Index n, Precision precision) {
  return static_cast<Offset>(free_bytes / column_bytes(n, precision));
}

Offset max_parallel_blocks(Offset resident_warps) {
  return std::max<Offset>(resident_warps / warps_per_large_block, 1);
}

bool wants_sorted_columns(std::uint64_t free_bytes, Index n, Precision precision,
                          Offset max_blocks) {
  return column_bytes(n, precision) * static_cast<std::uint64_t>(max_blocks) > free_bytes;
}

Offset plan_work_columns(const WorkColumnDemand& demand) {
  const Offset fitting = fitting_columns(demand.free_bytes, demand.n, demand.precision);
  const Offset needed = demand.required.value_or(1);
  if (fitting < needed) {
    throw Error(
        Outcome::oom_device, "device_budget",
        fmt::format("{} dense work column{} of {} each must fit beside what is resident, but {} "
                    "of device memory are left, enough for {}; raise --device-memory-limit, use a "
                    "larger card{}, or --numeric gpu-binary-search, which needs none",
                    needed, needed == 1 ? "" : "s",
                    format_byte_size(column_bytes(demand.n, demand.precision)),
                    format_byte_size(demand.free_bytes), fitting,
                    demand.required ? ", lower --parallel-columns" : ""));
  }
  if (demand.required) return needed;
  return std::clamp<Offset>(demand.useful, 1, fitting);
}

}  // namespace lufact::gpu
