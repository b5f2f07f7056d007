// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <memory>

#include "core/dense/host_dense_arrays.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

// The arrays of one large matrix on the device. The host makes and judges them: the device has the
// operands and a copy of the input, from which every repetition is restored; results come to the
// host when they are asked for.
class DeviceDenseArrays final : public DenseArrays {
 public:
  // Throws Error{oom_device, "device_budget"} that names the need before anything is allocated.
  DeviceDenseArrays(DeviceSession& session, const ArrayProblem& problem,
                    const DenseMatrixSource& source, int threads);

  const ArrayProblem& problem() const noexcept override { return host_->problem(); }
  void restore() override;
  ArrayOperands operands() noexcept override;
  DenseCheck check(const DenseCheckRequest& request) override;
  std::vector<double> result_column(Index j) const override;
  std::vector<std::int32_t> pivots() const override;
  std::int32_t info() const override;
  std::string values_sha256() const override;
  std::string pivots_sha256() const override;
  std::uint64_t bytes() const noexcept override;

 private:
  // An operand and what it is restored from.
  struct Array {
    Buffer<std::byte> now, given;
  };
  Array array(std::size_t bytes, std::string_view what) const;
  void upload_input();
  HostDenseArrays& fetched() const;

  DeviceSession& session_;
  const std::unique_ptr<HostDenseArrays> host_;
  Array a_, b_;
  Buffer<std::int32_t> pivots_, info_;
  mutable bool fetched_ = false;  // the host has the results of the last run
};

}  // namespace lufact::gpu
