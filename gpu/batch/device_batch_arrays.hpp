// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a group of small matrices in the memory of the device.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/batch/batch_arrays.hpp"
#include "core/batch/batch_sample.hpp"
#include "gpu/batch/batch_validator.hpp"
#include "gpu/batch/fetched_matrices.hpp"
#include "gpu/batch/guarded_memory.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

struct DeviceBatchOptions {
  Offset shift = 0;       // entries by which arrays of entries begin behind an aligned address
  bool keep_copy = true;  // of the input, where it leaves room enough; else it is made again
};

class DeviceBatchArrays final : public BatchArrays {
 public:
  // The session must outlive it. restore() must be called before the first use. Throws
  // std::invalid_argument where problem and group do not fit, Error{oom_device, "device_budget"}
  // that names the need and `--data pinned` where the arrays do not fit into the budget.
  DeviceBatchArrays(DeviceSession& session, const BatchGroup& group, const ArrayProblem& problem,
                    const DeviceBatchOptions& options = {});

  const ArrayProblem& problem() const noexcept override { return problem_; }
  void restore() override;
  ArrayOperands operands() noexcept override;
  // Throws Error{error, "validators_disagree"} where the two validators do.
  BatchCheck check(const BatchCheckRequest& request) override;
  void pack_results(std::span<const Offset> matrices, ResultPart part,
                    PackedResults& results) const override;
  std::string values_sha256() const override;
  std::string pivots_sha256() const override;
  std::uint64_t bytes() const noexcept override;

  // Bytes beside the arrays, and entries between the rows n and ld, that something has written to
  // since restore().
  Offset damaged_guards() const;

 private:
  // Entries of one operand, and their addresses where the layout is `pointers`.
  struct Operand {
    GuardedMemory entries, addresses;
    Index columns = 0, ld = 1;
  };

  void require_room(const DeviceBatchOptions& options) const;
  Operand make_operand(Index columns, Index ld, Offset shift, std::string_view what) const;
  std::size_t entry_bytes() const noexcept;
  std::size_t bytes_of(Index columns, Index ld) const;
  BatchPlaces places(const Operand& operand) const noexcept;
  void restore_operand(Operand& operand, std::uint64_t seed);
  void restore_matrices();
  // What check() and pack_results() look at.
  BatchResults result_places(bool with_pivots) const noexcept;
  void repeat_on_host(const BatchResults& results, const BatchCheckRequest& request, Offset first,
                      std::vector<DeviceVerdict>& verdicts);
  void judge_on_host(const BatchResults& results, bool own_result, Offset first,
                     std::span<const Offset> matrices, std::vector<DeviceVerdict>& verdicts) const;
  Offset fetched_at_a_time() const noexcept;
  bool pivots_given() const noexcept;
  BatchSample hashed() const noexcept;

  DeviceSession& session_;
  BatchGroup group_;
  ArrayProblem problem_;
  Operand a_, result_, b_;
  GuardedMemory pivots_, info_;
  Buffer<double> given_;
  Buffer<std::byte> copy_;  // of a_.entries; empty: there is no room
  bool copied_ = false;
  Offset doubtful_left_ = 0;  // matrices beyond the sample that the host may still look at
};

}  // namespace lufact::gpu
