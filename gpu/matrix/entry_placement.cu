// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <limits>

#include "gpu/components/carver.hpp"
#include "gpu/components/radix_sort.hpp"
#include "gpu/components/thread_each.cuh"
#include "gpu/matrix/entry_placement.hpp"
#include "gpu/matrix/new_values.hpp"
#include "gpu/matrix/pattern_entries.cuh"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

// Both directions of a permutation.
struct Labels {
  Index *new_of_old = nullptr, *old_of_new = nullptr;
};

// A, B's row pointers, and the labels that lead from one to the other.
struct Relabelling {
  PatternRef a;
  const Offset* row_ptr = nullptr;  // of B
  Labels rows, cols;
  int bits = 0;  // of a label

  // B's entries in ascending order of keys are those of its rows in ascending order of columns.
  __device__ std::uint64_t key(Index row, Index column) const {
    return static_cast<std::uint64_t>(row) << bits | static_cast<std::uint64_t>(column);
  }
  __device__ Index row(std::uint64_t key) const { return static_cast<Index>(key >> bits); }
  __device__ Index column(std::uint64_t key) const {
    return static_cast<Index>(key & ((std::uint64_t{1} << bits) - 1));
  }
};

// One thread a label.
__global__ void invert_labels(Index n, Labels rows, Labels cols) {
  const Offset i = own_thread();
  if (i >= n) return;
  rows.old_of_new[rows.new_of_old[i]] = static_cast<Index>(i);
  cols.old_of_new[cols.new_of_old[i]] = static_cast<Index>(i);
}

// One thread an entry of A.
__global__ void write_keys(Relabelling labels, Offset nnz, std::uint64_t* key) {
  const Offset p = own_thread();
  if (p >= nnz) return;
  const Index row = row_of_entry(labels.a, p);
  key[p] = labels.key(labels.rows.new_of_old[row], labels.cols.new_of_old[labels.a.col_idx[p]]);
}

// One thread a row of A, behind the keys of whose entries come those of diagonal entries that it
// does not have, in any order. `absent` counts them from 0.
__global__ void add_diagonals(Relabelling labels, std::uint64_t* key, unsigned long long* absent) {
  const Offset i = own_thread();
  if (i >= labels.a.n) return;
  const Index k = labels.rows.new_of_old[i];
  const Offset length = labels.row_ptr[k + 1] - labels.row_ptr[k];
  if (length == labels.a.row_ptr[i + 1] - labels.a.row_ptr[i]) return;
  key[atomicAdd(absent, 1ULL)] = labels.key(k, k);
}

// One thread an entry of B, whose keys are sorted. `col_idx` null: the sources alone.
template <class Source>
__global__ void write_entries(Relabelling labels, const std::uint64_t* key, Offset nnz,
                              Index* col_idx, Source* source) {
  const Offset q = own_thread();
  if (q >= nnz) return;
  const Index column = labels.column(key[q]);
  const Offset at = find_entry(labels.a, labels.rows.old_of_new[labels.row(key[q])],
                               labels.cols.old_of_new[column]);
  if (col_idx != nullptr) col_idx[q] = column;
  source[q] = static_cast<Source>(at);
}

class EntryPlacer {
 public:
  // The pattern of A is uploaded unless it is there.
  EntryPlacer(DeviceSession& session, const PermutedMatrix& host,
              const DevicePermutedMatrix& device, const DeviceMatrixAhead* there)
      : session_(session), a_(host.unplaced->pattern), nnz_(device.nnz) {
    const Index n = a_.n_rows;
    const bool brings_pattern = there == nullptr;
    sorting_.bytes = sort_keys_bytes(session, nnz_);
    Offset* row_ptr = nullptr;
    Index* col_idx = nullptr;
    block_ = carve(session, "placing the entries of B", [&](Carver& carver) {
      row_ptr = carver.take<Offset>(brings_pattern ? n + Offset{1} : 0);
      col_idx = carver.take<Index>(brings_pattern ? a_.nnz() : 0);
      for (Labels* labels : {&labels_.rows, &labels_.cols}) {
        labels->new_of_old = carver.take<Index>(n);
        labels->old_of_new = carver.take<Index>(n);
      }
      key_ = carver.take<std::uint64_t>(nnz_);
      sorted_ = carver.take<std::uint64_t>(nnz_);
      absent_ = carver.take<unsigned long long>(1);
      sorting_.data = carver.take<std::byte>(static_cast<Offset>(sorting_.bytes));
    });
    if (brings_pattern) {
      upload(std::span(a_.row_ptr), row_ptr);
      upload(std::span(a_.col_idx), col_idx);
      labels_.a = {n, row_ptr, col_idx};
    } else {
      labels_.a = {n, there->row_ptr(), there->col_idx()};
    }
    upload(host.rows.new_of_old(), labels_.rows.new_of_old);
    upload(host.cols.new_of_old(), labels_.cols.new_of_old);
    labels_.row_ptr = device.row_ptr.data();
    labels_.bits = std::bit_width(static_cast<unsigned>(n - 1));
  }

  // The sources of B's entries, as many as A has entries or more; `col_idx` as write_entries().
  EntrySources place(Offset entries_of_a, Index* col_idx) {
    sort();
    EntrySources sources;
    if (entries_of_a <= std::numeric_limits<Index>::max()) {
      sources.narrow = write<Index>(col_idx);
    } else {
      sources.wide = write<Offset>(col_idx);
    }
    sources.space = std::make_shared<PlacementSpace>();
    return sources;
  }

 private:
  void sort() {
    const Offset nnz = a_.nnz();
    LUFACT_CUDA(cudaMemsetAsync(absent_, 0, sizeof(*absent_), session_.stream()));
    launch(session_, thread_each(a_.n_rows), invert_labels, a_.n_rows, labels_.rows, labels_.cols);
    launch(session_, thread_each(nnz), write_keys, labels_, nnz, key_);
    if (nnz_ > nnz) {
      launch(session_, thread_each(a_.n_rows), add_diagonals, labels_, key_ + nnz, absent_);
    }
    sort_keys(session_, sorting_, key_, sorted_, nnz_, 2 * labels_.bits);
  }

  template <class Source>
  Buffer<Source> write(Index* col_idx) {
    Buffer<Source> source(session_, MemoryRole::resident, nnz_, "the sources of entries in A");
    launch(session_, thread_each(nnz_), write_entries<Source>, labels_, sorted_, nnz_, col_idx,
           source.data());
    return source;
  }

  template <class T>
  void upload(std::span<const T> from, T* to) {
    session_.copy_to_device(to, from.data(), from.size_bytes());
  }

  DeviceSession& session_;
  const CsrPattern& a_;
  Offset nnz_;  // of B
  Relabelling labels_;
  SortScratch sorting_;
  std::uint64_t *key_ = nullptr, *sorted_ = nullptr;
  unsigned long long* absent_ = nullptr;
  Buffer<std::byte> block_;
};

}  // namespace

void place_entries(DeviceSession& session, const PermutedMatrix& host, Offset entries_of_a,
                   DeviceMatrixAhead* ahead, DevicePermutedMatrix& device) {
  if (device.n == 0) return;
  if (ahead != nullptr) ahead->finish();
  Buffer<Index> col_idx(session, MemoryRole::resident, device.nnz, "the columns of B");
  device.source = EntryPlacer(session, host, device, ahead).place(entries_of_a, col_idx.data());
  device.col_idx = std::move(col_idx);
  device.values = {Buffer<double>(session, MemoryRole::resident, device.nnz, "the values of B")};
  if (ahead != nullptr) {
    device.scaled_norm = place_first_values(session, ahead->values(), device);
    return;
  }
  const std::vector<double>& values = host.unplaced->values;
  const Buffer<double> of_a =
      upload_copy(session, MemoryRole::scratch, std::span<const double>(values), "the values of A");
  device.scaled_norm = place_first_values(session, of_a.data(), device);
}

EntrySources find_sources(DeviceSession& session, const PermutedMatrix& host, Offset entries_of_a,
                          const DevicePermutedMatrix& placed) {
  return EntryPlacer(session, host, placed, nullptr).place(entries_of_a, nullptr);
}

std::uint64_t source_finding_bytes(DeviceSession& session, Index n, Offset nnz) {
  constexpr Offset bytes_a_row = 24, bytes_an_entry = 28;
  return checked_bytes(n, bytes_a_row) + checked_bytes(nnz, bytes_an_entry) +
         sort_keys_bytes(session, nnz);
}

}  // namespace lufact::gpu
