// SPDX-License-Identifier: BSD-3-Clause
#include "core/distribution/gsofa_schedule.hpp"

#include <algorithm>
#include <numeric>

namespace lufact {
namespace {

// The part of [0, count) that number k of `parts` takes where each takes a run.
Index run_begin(Offset count, Index parts, Index k) {
  return static_cast<Index>(count * k / parts);
}

}  // namespace

Offset GsofaRows::chunks() const noexcept {
  return (Offset{n} + chunk_size - 1) / chunk_size;
}

Offset GsofaRows::own_chunks() const noexcept {
  const Offset end = std::min<Offset>(chunks(), end_chunk);
  return end > first_chunk ? (end - first_chunk - 1) / stride + 1 : 0;
}

Offset GsofaRows::positions() const noexcept {
  const Offset own = own_chunks();
  if (own == 0) return 0;
  // Of all chunks the last one alone may be short.
  const bool has_last = first_chunk + (own - 1) * stride == chunks() - 1;
  const Offset missing = chunks() * chunk_size - n;
  return own * chunk_size - (has_last ? missing : 0);
}

Offset GsofaShare::count() const noexcept {
  const Offset left = rows.positions() - device;
  return left > 0 ? (left + devices - 1) / devices : 0;
}

GsofaRows gsofa_node_rows(Index n, const GsofaOptions& options, const GsofaMachine& machine,
                          Index node) noexcept {
  GsofaRows rows;
  rows.n = n;
  rows.chunk_size = options.chunk_size;
  if (options.inter == GsofaInter::interleave) {
    rows.stride = machine.nodes;
    rows.first_chunk = node;
  } else {
    rows.first_chunk = run_begin(rows.chunks(), machine.nodes, node);
    rows.end_chunk = run_begin(rows.chunks(), machine.nodes, node + 1);
  }
  return rows;
}

GsofaShare gsofa_share(Index n, const GsofaOptions& options, const GsofaMachine& machine,
                       Index node, Index device) noexcept {
  GsofaShare share{gsofa_node_rows(n, options, machine, node), machine.devices, device};
  if (options.intra == GsofaIntra::rows) return share;
  share.rows.first_chunk += device * share.rows.stride;
  share.rows.stride *= machine.devices;
  return {share.rows, 1, 0};
}

Offset whole_chunk_sources(Offset sources, Index chunk_size, Index devices) noexcept {
  const Offset unit = chunk_size / std::gcd(chunk_size, devices);
  return sources < unit ? sources : sources - sources % unit;
}

}  // namespace lufact
