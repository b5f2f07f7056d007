// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_slice.hpp"

#include <utility>

namespace lufact::gpu {

GsofaSlice::GsofaSlice(DeviceSession& session, PhaseRecorder& phases, const StageOptions& options,
                       const GsofaShare& share)
    : session_(session),
      share_(share),
      context_{.phases = phases,
               .options = options,
               .notes = notes_,
               .device = &session,
               .check_resident = {}} {
  figures.uuid = session.uuid();
}

void GsofaSlice::search(const GsofaMatrix& matrix, const GsofaLimits& limits,
                        std::vector<int> readers, Progress* progress, SharedSlots* shared) {
  context_.progress = progress;
  figures.search_s = timed_on(session_, [&] {
    GsofaPasses passes(matrix, share_, limits, context_, std::move(readers), shared);
    passes.search();
    figures.device_peak_bytes = passes.bytes_in_use();
    rows_ = passes.finish();
  });
  figures.sources = share_.count();
  figures.edges_checked = notes_.gsofa->edges_checked;
}

void GsofaSlice::collect_records() {
  figures.supernodes_s =
      timed_on(session_, [&] { records_ = collect_chunk_records(session_, *rows_, share_); });
}

}  // namespace lufact::gpu
