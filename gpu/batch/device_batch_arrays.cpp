// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/device_batch_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/batch/result_hash.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact::gpu {
namespace {

constexpr std::uint64_t address_seed = 0x61646472;
// Matrices whose verdicts are in memory at a time.
constexpr Offset checked_at_a_time = Offset{1} << 18;
// Bytes of matrices that come to the host at a time.
constexpr Offset fetched_bytes = Offset{64} << 20;
// Beyond the sample and the singular ones: matrices on which only the host has the last word. A
// stage that fails on all of a million is not worth the hour.
constexpr Offset most_doubtful = 65536;
// Operations (the cube of the order for each matrix) from which the host judges on all threads: one
// takes some 40 ms for them. A team whose processors others use can take 20 ms to come together.
constexpr Offset worthwhile_operations = Offset{1} << 25;
constexpr Offset verdict_shares = 64;
// Verdicts from which all threads add them up; one takes some 2 ms for them.
constexpr Offset worthwhile_verdicts = Offset{1} << 16;

void require_fit(const BatchGroup& group, const ArrayProblem& problem) {
  if (problem.rows != group.n || problem.columns != group.n || problem.count != group.count ||
      problem.ld < group.n || (!group.kind && !group.given)) {
    throw std::invalid_argument("the problem is not that of the group");
  }
}

bool close(double device, double host) {
  if (device == host) return true;
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  return std::abs(device - host) <= 0.25 * std::max(device, host) + rounding;
}

bool agree(const MatrixVerdict& device, const MatrixVerdict& host) {
  return device.nonfinite == host.nonfinite && device.wrong_info == host.wrong_info &&
         device.wrong_not_nan == host.wrong_not_nan && device.pivots == host.pivots &&
         close(device.error, host.error);
}

std::string describe(const MatrixVerdict& verdict) {
  const int pivots = verdict.pivots ? static_cast<int>(*verdict.pivots) : -1;
  return fmt::format("error {:g}, nonfinite {}, wrong info {}, wrong NaN {}, pivots {}",
                     verdict.error, verdict.nonfinite, verdict.wrong_info, verdict.wrong_not_nan,
                     pivots);
}

void take_host_verdict(Offset matrix, const MatrixVerdict& host, DeviceVerdict& device) {
  if (device.result_nonfinite) device.verdict.error = host.error;
  if (agree(device.verdict, host)) return;
  throw Error(Outcome::error, "validators_disagree",
              fmt::format("the validators disagree on matrix {}: on the device {}; on the host {}; "
                          "one of them has a fault, please report it",
                          matrix, describe(device.verdict), describe(host)));
}

// Whether the host judges a matrix too.
enum class Repeated : unsigned char { never, where_few, always };

Repeated repeated(const BatchSample& sample, Offset matrix, const DeviceVerdict& device) noexcept {
  const bool singular = device.info > 0 && !device.verdict.wrong_info;
  if (singular || sample.contains(matrix)) return Repeated::always;
  return device.info > 0 || device.result_nonfinite ? Repeated::where_few : Repeated::never;
}

// Calls body(share, begin, end) for equal shares of [0, count), on all threads where that pays.
template <class Body>
void for_shares(Offset count, const Body& body) {
  parallel_for(verdict_shares, threads_for(count, worthwhile_verdicts, thread_count(0)),
               [&](Offset share) {
                 body(share, share * count / verdict_shares, (share + 1) * count / verdict_shares);
               });
}

void add_verdicts(Offset first, const std::vector<DeviceVerdict>& verdicts, BatchCheck& check) {
  std::array<BatchCheck, at(verdict_shares)> parts;
  for_shares(static_cast<Offset>(verdicts.size()), [&](Offset share, Offset begin, Offset end) {
    for (Offset i = begin; i < end; ++i) {
      const DeviceVerdict& one = verdicts[at(i)];
      add_verdict(parts[at(share)], first + i, one.info, one.verdict);
    }
  });
  for (const BatchCheck& part : parts) add_check(check, part);
}

template <class T>
std::span<const T> part(const std::vector<T>& all, Offset number, Offset size) {
  if (all.empty()) return {};
  return std::span<const T>(all).subspan(at(number * size), at(size));
}

}  // namespace

DeviceBatchArrays::DeviceBatchArrays(DeviceSession& session, const BatchGroup& group,
                                     const ArrayProblem& problem, const DeviceBatchOptions& options)
    : session_(session), group_(group), problem_(problem) {
  require_fit(group, problem);
  require_room(options);
  a_ = make_operand(group.n, problem.ld, options.shift, "the matrices of the batch");
  if (!problem.in_place) {
    result_ = make_operand(group.n, problem.ld, options.shift, "the results of the batch");
  }
  if (problem.rhs > 0) {
    b_ = make_operand(problem.rhs, group.n, options.shift, "right-hand sides of the batch");
  }
  pivots_ = {session, checked_bytes(problem.count, at(group.n) * sizeof(std::int32_t)), 0,
             "pivots of the batch"};
  info_ = {session, checked_bytes(problem.count, sizeof(std::int32_t)), 0, "info of the batch"};
  if (!group.kind) {
    given_ = upload_copy(session, MemoryRole::resident,
                         std::span<const double>(group.given->values), "the given matrices");
  }
  if (options.keep_copy && session.ledger().available() / 2 >= a_.entries.bytes()) {
    copy_ = {session, MemoryRole::resident, static_cast<Offset>(a_.entries.bytes()),
             "the input of the batch"};
  }
}

std::size_t DeviceBatchArrays::entry_bytes() const noexcept {
  return problem_.precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

std::size_t DeviceBatchArrays::bytes_of(Index columns, Index ld) const {
  return checked_bytes(problem_.count, at(Offset{ld} * columns) * entry_bytes());
}

void DeviceBatchArrays::require_room(const DeviceBatchOptions& options) const {
  const std::size_t shift = at(options.shift) * entry_bytes();
  const bool pointers = problem_.layout == ArrayLayout::pointers;
  std::uint64_t need = 0;
  const auto add = [&need](std::size_t bytes, std::size_t before) {
    need += GuardedMemory::guarded_bytes(bytes, before);
  };
  const auto add_operand = [&](Index columns, Index ld) {
    add(bytes_of(columns, ld), shift);
    if (pointers) add(checked_bytes(problem_.count, sizeof(void*)), 0);
  };
  add_operand(group_.n, problem_.ld);
  if (!problem_.in_place) add_operand(group_.n, problem_.ld);
  if (problem_.rhs > 0) add_operand(problem_.rhs, group_.n);
  add(checked_bytes(problem_.count, at(group_.n) * sizeof(std::int32_t)), 0);
  add(checked_bytes(problem_.count, sizeof(std::int32_t)), 0);
  if (!group_.kind) need += group_.given->values.size() * sizeof(double);
  const std::uint64_t room = session_.ledger().available();
  if (need <= room) return;
  throw Error(Outcome::oom_device, "device_budget",
              fmt::format("{} matrices of order {} with their results need {} ({} bytes) of device "
                          "memory, {} ({} bytes) are free; pass --data pinned, which sends them "
                          "through in chunks, or fewer matrices",
                          problem_.count, group_.n, format_byte_size(need), need,
                          format_byte_size(room), room));
}

DeviceBatchArrays::Operand DeviceBatchArrays::make_operand(Index columns, Index ld, Offset shift,
                                                           std::string_view what) const {
  Operand operand;
  operand.columns = columns;
  operand.ld = ld;
  operand.entries = {session_, bytes_of(columns, ld), at(shift) * entry_bytes(), what};
  if (problem_.layout == ArrayLayout::pointers) {
    operand.addresses = {session_, checked_bytes(problem_.count, sizeof(void*)), 0, what};
  }
  return operand;
}

BatchPlaces DeviceBatchArrays::places(const Operand& operand) const noexcept {
  const GuardedMemory& base =
      problem_.layout == ArrayLayout::pointers ? operand.addresses : operand.entries;
  return {const_cast<void*>(base.data()),
          problem_.layout,
          problem_.precision,
          problem_.count,
          operand.columns,
          operand.ld};
}

void DeviceBatchArrays::restore_operand(Operand& operand, std::uint64_t seed) {
  operand.entries.make_untouched();
  if (problem_.layout != ArrayLayout::pointers || operand.entries.bytes() == 0) return;
  operand.addresses.make_untouched();
  fill_addresses(session_, operand.entries.data(), operand.entries.bytes() / at(problem_.count),
                 problem_.count, seed, static_cast<void**>(operand.addresses.data()));
}

void DeviceBatchArrays::restore_matrices() {
  if (copied_) {
    LUFACT_CUDA(cudaMemcpyAsync(a_.entries.data(), copy_.data(), copy_.bytes(),
                                cudaMemcpyDeviceToDevice, session_.stream()));
    return;
  }
  fill_matrices(session_, result_places(false).source, places(a_));
  if (copy_.size() == 0) return;
  LUFACT_CUDA(cudaMemcpyAsync(copy_.data(), a_.entries.data(), copy_.bytes(),
                              cudaMemcpyDeviceToDevice, session_.stream()));
  copied_ = true;
}

void DeviceBatchArrays::restore() {
  restore_operand(a_, hash64(group_.seed, address_seed, 0));
  restore_matrices();
  restore_operand(result_, hash64(group_.seed, address_seed, 1));
  restore_operand(b_, hash64(group_.seed, address_seed, 2));
  if (problem_.rhs > 0) fill_right_hand_sides(session_, result_places(false).source, places(b_));
  pivots_.make_untouched();
  info_.make_untouched();
}

ArrayOperands DeviceBatchArrays::operands() noexcept {
  ArrayOperands operands;
  operands.a = places(a_).base;
  operands.result = problem_.in_place ? operands.a : places(result_).base;
  operands.b = problem_.rhs > 0 ? places(b_).base : nullptr;
  if (pivots_given()) operands.pivots = static_cast<std::int32_t*>(pivots_.data());
  operands.info = static_cast<std::int32_t*>(info_.data());
  return operands;
}

BatchResults DeviceBatchArrays::result_places(bool with_pivots) const noexcept {
  BatchResults results;
  results.operation = problem_.operation;
  results.source = {group_.n, group_.seed, group_.kind.value_or(BatchKind::random), given_.data(),
                    group_.kind ? 0 : group_.given->count};
  const bool solves = problem_.operation == ArrayOperation::solve;
  results.values = places(solves ? b_ : problem_.in_place ? a_ : result_);
  results.pivots = with_pivots ? static_cast<const std::int32_t*>(pivots_.data()) : nullptr;
  results.info = static_cast<const std::int32_t*>(info_.data());
  return results;
}

BatchCheck DeviceBatchArrays::check(const BatchCheckRequest& request) {
  const bool has_pivots = request.has_pivots && pivots_given();
  const BatchResults found = result_places(has_pivots);
  doubtful_left_ = most_doubtful;
  BatchCheck check;
  for (Offset first = 0; first < problem_.count; first += checked_at_a_time) {
    const Offset some = std::min(checked_at_a_time, problem_.count - first);
    auto verdicts = validate_on_device(session_, found, request.own_result, first, some);
    repeat_on_host(found, request, first, verdicts);
    add_verdicts(first, verdicts, check);
  }
  return check;
}

void DeviceBatchArrays::repeat_on_host(const BatchResults& found, const BatchCheckRequest& request,
                                       Offset first, std::vector<DeviceVerdict>& verdicts) {
  const BatchSample sample(group_.seed, problem_.count, request.host_sample);
  std::vector<Repeated> repeated_ones(verdicts.size());
  for_shares(static_cast<Offset>(verdicts.size()), [&](Offset, Offset begin, Offset end) {
    for (Offset i = begin; i < end; ++i) {
      repeated_ones[at(i)] = repeated(sample, first + i, verdicts[at(i)]);
    }
  });
  std::vector<Offset> matrices;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (repeated_ones[i] == Repeated::never) continue;
    if (repeated_ones[i] == Repeated::where_few && doubtful_left_-- <= 0) continue;
    matrices.push_back(first + static_cast<Offset>(i));
  }
  const std::size_t at_a_time = at(fetched_at_a_time());
  for (std::size_t begin = 0; begin < matrices.size(); begin += at_a_time) {
    const std::size_t some = std::min(at_a_time, matrices.size() - begin);
    judge_on_host(found, request.own_result, first,
                  std::span<const Offset>(matrices).subspan(begin, some), verdicts);
  }
}

void DeviceBatchArrays::judge_on_host(const BatchResults& found, bool own_result, Offset first,
                                      std::span<const Offset> matrices,
                                      std::vector<DeviceVerdict>& verdicts) const {
  const FetchedMatrices fetched = fetch_matrices(session_, found, matrices);
  const Offset n = group_.n, columns = found.values.columns;
  const auto count = static_cast<Offset>(matrices.size());
  const int threads = threads_for(count * n * n * n, worthwhile_operations, thread_count(0));
  parallel_for(count, threads, [&](Offset number) {
    BatchMatrix matrix;
    matrix.operation = problem_.operation;
    matrix.precision = problem_.precision;
    matrix.n = group_.n;
    matrix.rhs = problem_.rhs;
    matrix.a = part(fetched.a, number, n * n);
    matrix.b = part(fetched.b, number, n * columns);
    matrix.result = part(fetched.values, number, n * columns);
    matrix.pivots = part(fetched.pivots, number, n);
    matrix.info = fetched.info[at(number)];
    const Offset k = matrices[at(number)];
    take_host_verdict(k, validate_matrix(matrix, true, own_result), verdicts[at(k - first)]);
  });
}

Offset DeviceBatchArrays::fetched_at_a_time() const noexcept {
  const Offset entries = Offset{group_.n} * (group_.n + 2 * std::max(group_.n, problem_.rhs) + 1);
  const Offset matrix = entries * static_cast<Offset>(sizeof(double));
  const auto room = static_cast<Offset>(session_.ledger().available() / 4);
  return std::clamp<Offset>(std::min(fetched_bytes, room) / matrix, 1, 1 << 16);
}

void DeviceBatchArrays::pack_results(std::span<const Offset> matrices, ResultPart part,
                                     PackedResults& results) const {
  const BatchResults found = result_places(part != ResultPart::values && pivots_given());
  const std::size_t n = at(group_.n);
  const std::size_t entries = part == ResultPart::pivots ? 0 : n * at(found.values.columns);
  const std::size_t pivots = found.pivots == nullptr ? 0 : n;
  const std::size_t infos = part == ResultPart::all ? 1 : 0;
  results.values.resize(matrices.size() * entries);
  results.pivots.resize(matrices.size() * pivots);
  results.info.resize(matrices.size() * infos);
  const std::size_t at_a_time = at(fetched_at_a_time());
  for (std::size_t begin = 0; begin < matrices.size(); begin += at_a_time) {
    const std::size_t some = std::min(at_a_time, matrices.size() - begin);
    const auto share = [&](auto& all, std::size_t of_each) {
      return std::span(all).subspan(begin * of_each, some * of_each);
    };
    fetch_matrices(session_, found, matrices.subspan(begin, some),
                   {.a = {},
                    .b = {},
                    .values = share(results.values, entries),
                    .pivots = share(results.pivots, pivots),
                    .info = share(results.info, infos)});
  }
}

bool DeviceBatchArrays::pivots_given() const noexcept {
  return problem_.pivoting != ArrayPivoting::none;
}

BatchSample DeviceBatchArrays::hashed() const noexcept {
  return {group_.seed, problem_.count, hashed_matrices};
}

std::string DeviceBatchArrays::values_sha256() const {
  return lufact::values_sha256(*this, hashed());
}

std::string DeviceBatchArrays::pivots_sha256() const {
  return lufact::pivots_sha256(*this, hashed());
}

std::uint64_t DeviceBatchArrays::bytes() const noexcept {
  std::uint64_t sum = pivots_.held_bytes() + info_.held_bytes() + given_.bytes() + copy_.bytes();
  for (const Operand* operand : {&a_, &result_, &b_}) {
    sum += operand->entries.held_bytes() + operand->addresses.held_bytes();
  }
  return sum;
}

Offset DeviceBatchArrays::damaged_guards() const {
  Offset damaged = pivots_.damaged_bytes(session_) + info_.damaged_bytes(session_);
  for (const Operand* operand : {&a_, &result_, &b_}) {
    damaged += operand->entries.damaged_bytes(session_);
    damaged += operand->addresses.damaged_bytes(session_);
    if (operand->entries.bytes() == 0) continue;
    damaged += count_damaged_padding(session_, places(*operand), group_.n, untouched_byte);
  }
  return damaged;
}

}  // namespace lufact::gpu
