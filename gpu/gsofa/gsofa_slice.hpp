// SPDX-License-Identifier: BSD-3-Clause
// What one device of one node does in a search that several share: its rows, and the records in
// which supernodes across devices are found. Timed by itself, because slices work side by side.
#pragma once
#include <chrono>
#include <memory>
#include <vector>

#include "core/measure/clock.hpp"
#include "gpu/gsofa/chunk_records.hpp"
#include "gpu/gsofa/gsofa_passes.hpp"

namespace lufact::gpu {

class GsofaSlice {
 public:
  // `phases` are those of the thread that calls.
  GsofaSlice(DeviceSession& session, PhaseRecorder& phases, const StageOptions& options,
             const GsofaShare& share);
  GsofaSlice(const GsofaSlice&) = delete;
  GsofaSlice& operator=(const GsofaSlice&) = delete;

  // Its rows. `progress` and `shared` may be null.
  void search(const GsofaMatrix& matrix, const GsofaLimits& limits, std::vector<int> readers,
              Progress* progress, SharedSlots* shared = nullptr);
  void collect_records();
  // Frees them; their records stay.
  void release_rows() { rows_.reset(); }

  const GsofaShare& share() const noexcept { return share_; }
  const DeviceColumnPattern& rows() const { return *rows_; }
  const Buffer<ChunkRecordWord>& records() const noexcept { return records_; }
  const StageNotes& notes() const noexcept { return notes_; }
  DistributionSlice figures;

 private:
  DeviceSession& session_;
  GsofaShare share_;
  StageNotes notes_;
  StageContext context_;
  std::shared_ptr<DeviceColumnPattern> rows_;
  Buffer<ChunkRecordWord> records_;
};

inline bool wants_supernodes(const StageContext& context) {
  return context.options.supernodes != SupernodeRule::off;
}

// Seconds that `work` takes on a stream that is idle before, until it is idle again.
template <class Work>
double timed_on(DeviceSession& session, const Work& work) {
  const SteadyClock clock;
  session.synchronize();
  const auto begin = clock.now();
  work();
  session.synchronize();
  return std::chrono::duration<double>(clock.now() - begin).count();
}

}  // namespace lufact::gpu
