// SPDX-License-Identifier: BSD-3-Clause
// The one implementation of BatchStream. Page-locked arrays are copied directly, by the copy
// engines of the device; others, and matrices behind addresses, go through page-locked stages, for
// which a second thread empties those of downloads.
#pragma once
#include <memory>
#include <vector>

#include "core/batch/chunk_planner.hpp"
#include "gpu/batch/batch_stream.hpp"
#include "gpu/batch/host_parts.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

class ChunkClock;

class StreamedBatch final : public BatchStream {
 public:
  // The session must outlive it. Throws Error{oom_device, "chunk_memory"} where the free budget,
  // less an eighth for the workspace of stages, has no room for the smallest chunk.
  StreamedBatch(DeviceSession& session, const ArrayProblem& problem, bool page_locked);
  ~StreamedBatch() override;

  const ArrayProblem& chunk_problem() const noexcept override { return chunk_problem_; }
  StreamingRecord run(PreparedArrays& stage, const ArrayOperands& host) override;
  std::uint64_t bytes() const noexcept override { return memory_.bytes(); }

 private:
  // Where the arrays of a buffer are among those of the plan; negative: not needed.
  struct ArrayNumbers {
    int a = -1, result = -1, b = -1, pivots = -1, info = -1;
    int a_places = -1, result_places = -1, b_places = -1;  // addresses, for the layout `pointers`
  };
  // An array of the host and its number in the buffers.
  struct MovedArray {
    HostMatrices host;
    int number = -1;
  };
  class Pass;

  int add_array(ChunkRequest& request, Offset bytes_per_matrix) const;
  ChunkRequest make_request();
  void fill_addresses(int number, int places_number);
  std::byte* place(int buffer, int number) noexcept;
  ArrayOperands operands(int buffer, const ArrayOperands& host) noexcept;
  HostMatrices matrices(void* base, Index columns, Index ld) const noexcept;
  std::vector<MovedArray> uploads(const ArrayOperands& host) const;
  std::vector<MovedArray> downloads(const ArrayOperands& host) const;
  void settle() noexcept;  // waits for all that was begun on the device

  DeviceSession& session_;
  ArrayProblem problem_, chunk_problem_;
  bool direct_;  // copies by the device, without stages
  ArrayNumbers numbers_;
  ChunkPlan plan_;
  Buffer<std::byte> memory_;
  std::unique_ptr<ChunkClock> clock_;
};

}  // namespace lufact::gpu
