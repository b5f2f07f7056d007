// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/device_dense_arrays.hpp"

#include <fmt/format.h>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {
namespace {

constexpr int untouched_byte = 0x7b;  // an index beyond every order

std::size_t entry_bytes(const ArrayProblem& problem) {
  return problem.precision == Precision::float64 ? sizeof(double) : sizeof(float);
}
std::size_t matrix_bytes(const ArrayProblem& problem) {
  return checked_bytes(Offset{problem.ld} * problem.columns, entry_bytes(problem));
}
std::size_t vectors_bytes(const ArrayProblem& problem) {
  return checked_bytes(Offset{problem.rows} * problem.rhs, entry_bytes(problem));
}

void require_room(const DeviceSession& session, const ArrayProblem& problem) {
  const std::uint64_t need = 2 * (matrix_bytes(problem) + vectors_bytes(problem));
  const std::uint64_t room = session.ledger().available();
  if (need <= room) return;
  throw Error(Outcome::oom_device, "device_budget",
              fmt::format("a matrix of {} x {} with a copy of it and right-hand sides needs {} ({} "
                          "bytes) of device memory, {} ({} bytes) are free",
                          problem.rows, problem.columns, format_byte_size(need), need,
                          format_byte_size(room), room));
}

std::unique_ptr<HostDenseArrays> make_host(const DeviceSession& session,
                                           const ArrayProblem& problem,
                                           const DenseMatrixSource& source, int threads) {
  require_room(session, problem);
  HostDenseOptions options;
  options.threads = threads;
  return make_host_dense_arrays(problem, source, options);
}

}  // namespace

DeviceDenseArrays::DeviceDenseArrays(DeviceSession& session, const ArrayProblem& problem,
                                     const DenseMatrixSource& source, int threads)
    : session_(session),
      host_(make_host(session, problem, source, threads)),
      a_(array(matrix_bytes(problem), "the matrix")),
      b_(array(vectors_bytes(problem), "right-hand sides")),
      pivots_(session, MemoryRole::resident,
              problem.pivoting == ArrayPivoting::partial ? problem.order() : 0, "pivots"),
      info_(session, MemoryRole::resident, 1, "info") {
  upload_input();
}

DeviceDenseArrays::Array DeviceDenseArrays::array(std::size_t bytes, std::string_view what) const {
  const auto size = static_cast<Offset>(bytes);
  return {Buffer<std::byte>(session_, MemoryRole::resident, size, what),
          Buffer<std::byte>(session_, MemoryRole::resident, size, what)};
}

void DeviceDenseArrays::upload_input() {
  host_->restore();
  const ArrayOperands made = host_->operands();
  session_.copy_to_device(a_.given.data(), made.a, a_.given.bytes());
  if (b_.given.size() > 0) session_.copy_to_device(b_.given.data(), made.b, b_.given.bytes());
}

void DeviceDenseArrays::restore() {
  for (Array* array : {&a_, &b_}) {
    if (array->now.size() == 0) continue;
    LUFACT_CUDA(cudaMemcpyAsync(array->now.data(), array->given.data(), array->now.bytes(),
                                cudaMemcpyDeviceToDevice, session_.stream()));
  }
  pivots_.fill_bytes(untouched_byte);
  info_.fill_bytes(untouched_byte);
  session_.synchronize();
  fetched_ = false;
}

ArrayOperands DeviceDenseArrays::operands() noexcept {
  return {.a = a_.now.data(),
          .result = a_.now.data(),
          .b = b_.now.size() > 0 ? b_.now.data() : nullptr,
          .pivots = pivots_.size() > 0 ? pivots_.data() : nullptr,
          .info = info_.data()};
}

HostDenseArrays& DeviceDenseArrays::fetched() const {
  if (fetched_) return *host_;
  session_.synchronize();
  const ArrayOperands to = host_->operands();
  if (b_.now.size() > 0) {
    session_.copy_to_host(to.b, b_.now.data(), b_.now.bytes());
  } else {
    session_.copy_to_host(to.a, a_.now.data(), a_.now.bytes());
  }
  if (pivots_.size() > 0) session_.copy_to_host(to.pivots, pivots_.data(), pivots_.bytes());
  session_.copy_to_host(to.info, info_.data(), info_.bytes());
  fetched_ = true;
  return *host_;
}

DenseCheck DeviceDenseArrays::check(const DenseCheckRequest& request) {
  return fetched().check(request);
}
std::vector<double> DeviceDenseArrays::result_column(Index j) const {
  return fetched().result_column(j);
}
std::vector<std::int32_t> DeviceDenseArrays::pivots() const {
  return fetched().pivots();
}
std::int32_t DeviceDenseArrays::info() const {
  return fetched().info();
}
std::string DeviceDenseArrays::values_sha256() const {
  return fetched().values_sha256();
}
std::string DeviceDenseArrays::pivots_sha256() const {
  return fetched().pivots_sha256();
}

std::uint64_t DeviceDenseArrays::bytes() const noexcept {
  return a_.now.bytes() + a_.given.bytes() + b_.now.bytes() + b_.given.bytes() + pivots_.bytes() +
         info_.bytes();
}

}  // namespace lufact::gpu
