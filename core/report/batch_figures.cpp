// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/batch_figures.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/report/comparisons.hpp"
#include "core/report/work_time.hpp"

namespace lufact {
namespace {

Index entry_bytes(const RunRecord& run) {
  return run.pipeline && run.pipeline->precision == "float" ? 4 : 8;
}

// What two runs must have in common for their bytes to be the same.
auto arrays_of(const RunRecord& run) {
  const BatchRecord& batch = *run.batch;
  return std::tuple(run.input.sha256, run.input.reading, run.input.entries, batch.operation,
                    batch.rhs, batch.layout, batch.ld, batch.in_place, batch.data,
                    entry_bytes(run));
}

bool is_yardstick(const RunRecord& run) {
  return run.pipeline && run.pipeline->numeric == yardstick_variant;
}

bool on_device(const RunRecord& run) {
  const auto time = median_work_time(run);
  return time && time->of_device;
}

std::optional<double> copy_fraction(const RunRecord& run, std::span<const RunRecord> runs) {
  if (is_yardstick(run) || !run.batch->bytes_per_s || !on_device(run)) return std::nullopt;
  for (const RunRecord& copy : runs) {
    if (!copy.batch || !is_yardstick(copy) || !copy.batch->bytes_per_s || !on_device(copy))
      continue;
    if (took_turns(run, copy) && arrays_of(run) == arrays_of(copy)) {
      return *run.batch->bytes_per_s / *copy.batch->bytes_per_s;
    }
  }
  return std::nullopt;
}

}  // namespace

double batch_flops(const std::string& operation, Index n, Index rhs) {
  const double order = n;
  const double lu = 2 * order * order * order / 3 - order * order / 2 + 5 * order / 6;
  if (operation == "inverse") {
    return 2 * order * order * order - 3 * order * order / 2 + 5 * order / 2;
  }
  return operation == "solve" ? lu + rhs * (2 * order * order - order) : lu;
}

double batch_useful_bytes(const std::string& operation, Index n, Index rhs, Index entry_bytes) {
  constexpr double number = sizeof(std::int32_t);
  const double matrix = static_cast<double>(n) * n * entry_bytes;
  const double vectors = static_cast<double>(n) * rhs * entry_bytes;
  if (operation == "solve") return matrix + 2 * vectors + number;
  return 2 * matrix + number + (operation == "lu" ? n * number : 0);
}

void set_batch_figures(RunRecord& run) {
  BatchRecord& batch = *run.batch;
  batch.flops = batch.useful_bytes = 0;
  for (const BatchSize& size : batch.sizes) {
    const double count = static_cast<double>(size.count);
    batch.flops += count * batch_flops(batch.operation, size.n, batch.rhs);
    batch.useful_bytes +=
        count * batch_useful_bytes(batch.operation, size.n, batch.rhs, entry_bytes(run));
  }
  batch.flops_per_s.reset();
  batch.bytes_per_s.reset();
  if (const auto time = median_work_time(run)) {
    batch.flops_per_s = batch.flops / time->seconds;
    batch.bytes_per_s = batch.useful_bytes / time->seconds;
  }
}

void set_copy_fractions(std::span<RunRecord> runs) {
  for (RunRecord& run : runs) {
    if (run.batch) run.batch->copy_fraction = copy_fraction(run, runs);
  }
}

}  // namespace lufact
