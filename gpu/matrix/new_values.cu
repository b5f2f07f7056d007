// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <stdexcept>

#include "gpu/components/magnitude.cuh"
#include "gpu/matrix/new_values.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 512;  // most windows have no more rows
// Up to so many values a kernel fetches them sooner than a copy would: 4 us on an H200.
constexpr Offset most_fetched = 40'000;
constexpr int window_size = static_cast<int>(norm_window);
constexpr int piece_size = static_cast<int>(norm_piece);
constexpr int pieces = window_size / piece_size;
constexpr int steps = window_size / threads;
static_assert(window_size % threads == 0 && window_size % piece_size == 0 && pieces <= threads);

// Source is Index or Offset.
template <class Source>
struct Placement {
  PatternRef matrix;
  Offset nnz;
  const Source* source;
  const double* values_of_a;
  const double *row_scale, *col_scale;
  double* values;

  // Without a branch, which would wait for the position before the next load: where A has no entry,
  // another double is read.
  __device__ double value_of(Source position) const {
    const double value = *(position < 0 ? col_scale : values_of_a + position);
    return position < 0 ? 0.0 : value;
  }
};

// Rows that several windows have parts of; arrays as in PlacementSpace.
struct CutRows {
  const Index* first_row;
  double* part;
  unsigned* arrived;
  Offset windows;
};

// The window of entries of a block, and the rows of its first entry and of the entry after it.
struct Window {
  Offset number, begin, end;
  Index first_row, last_row;
};

// Scaled magnitudes of a window, in shared memory, laid out without bank conflicts for threads that
// each add a piece of their own.
class Magnitudes {
 public:
  __device__ void put(int entry, double magnitude) { of_entry_[place(entry)] = magnitude; }

  // By the whole block between two barriers.
  __device__ void add_pieces() {
    const int piece = static_cast<int>(threadIdx.x);
    if (piece >= pieces) return;
    double sum = 0;
#pragma unroll
    for (int k = 0; k < piece_size; ++k) {
      sum = __dadd_rn(sum, of_entry_[place(piece * piece_size + k)]);
    }
    of_piece_[piece] = sum;
  }

  // The sum of entries [begin, end), which may be none, cut into pieces.
  __device__ double sum(int begin, int end) const {
    const int up = (begin + piece_size - 1) / piece_size * piece_size;
    const int head_end = up < end ? up : end;
    double total = sum_in_order(begin, head_end);
    const int whole_end = end / piece_size;
#pragma unroll 8
    for (int piece = head_end / piece_size; piece < whole_end; ++piece) {
      total = __dadd_rn(total, of_piece_[piece]);
    }
    const int tail_begin = whole_end * piece_size > head_end ? whole_end * piece_size : head_end;
    return __dadd_rn(total, sum_in_order(tail_begin, end));
  }

 private:
  __device__ static int place(int entry) {
    return entry + entry / piece_size;
  }

  __device__ double sum_in_order(int begin, int end) const {
    double sum = 0;
#pragma unroll 4
    for (int entry = begin; entry < end; ++entry) {
      sum = __dadd_rn(sum, of_entry_[place(entry)]);
    }
    return sum;
  }

  double of_entry_[window_size + pieces];
  double of_piece_[pieces];
};

// Places the entries of a window and stores their magnitudes. By the whole block. All loads of a
// thread overlap; without a branch, a thread beyond the window's end reads the first entry.
template <class Source>
__device__ void place_window(const Placement<Source>& placement, const Window& window,
                             Magnitudes& magnitudes) {
  const int first = static_cast<int>(threadIdx.x);
  const int count = static_cast<int>(window.end - window.begin);
  Source position[steps];
  Index column[steps];
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    const int entry = first + k * threads;
    const Offset p = window.begin + (entry < count ? entry : 0);
    position[k] = placement.source[p];
    column[k] = placement.matrix.col_idx[p];
  }
  wait_for_previous();
  double value[steps], scale[steps];
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    value[k] = placement.value_of(position[k]);
    scale[k] = placement.col_scale[column[k]];
  }
  double* const to = placement.values + window.begin;
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    const int entry = first + k * threads;
    if (entry < count) to[entry] = value[k];
    magnitudes.put(entry, fabs(__dmul_rn(value[k], scale[k])));
  }
}

struct RowEntries {
  Offset begin = 0, end = 0;
  double scale = 0;
};

template <class Source>
__device__ RowEntries entries_of(const Placement<Source>& placement, Index row, Index last) {
  if (row > last) return {};
  return {placement.matrix.row_ptr[row], placement.matrix.row_ptr[row + 1],
          placement.row_scale[row]};
}

// Sums that are NaN do not count.
__device__ unsigned long long sum_bits(double sum) {
  return isnan(sum) ? 0ULL : magnitude_bits(sum);
}

// Stores the sum of a window's part of a cut row. The last to come gets the row's sum, others NaN.
// The exchanges of `arrived` are one release sequence, so that the last one sees all parts.
__device__ double add_part(const CutRows& cut, const RowEntries& row, Offset window, double sum) {
  const Offset first = row.begin / norm_window, last = (row.end - 1) / norm_window;
  cut.part[window == first ? window : cut.windows + window] = sum;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrived(cut.arrived[first]);
  const unsigned before = arrived.fetch_add(1, cuda::memory_order_acq_rel);
  if (before != static_cast<unsigned>(last - first)) return nan("");
  arrived.store(0, cuda::memory_order_relaxed);
  double total = cut.part[first];
#pragma unroll 8
  for (Offset later = first + 1; later <= last; ++later) {
    total = __dadd_rn(total, cut.part[cut.windows + later]);
  }
  return total;
}

// The largest scaled sum of this thread's rows, among rows that end in the window and rows whose
// last part it has added. `next` is that of row `row`, whose loads began before.
template <class Source>
__device__ unsigned long long largest_row(const Placement<Source>& placement, const CutRows& cut,
                                          const Window& window, const Magnitudes& magnitudes,
                                          Index row, RowEntries next) {
  unsigned long long largest = 0;
  for (; row <= window.last_row; row += threads) {
    const RowEntries own = next;
    next = entries_of(placement, row + threads, window.last_row);
    const Offset begin = own.begin < window.begin ? window.begin : own.begin;
    const Offset end = own.end < window.end ? own.end : window.end;
    if (begin >= end) continue;  // the last one may begin where the window ends
    double sum = magnitudes.sum(static_cast<int>(begin - window.begin),
                                static_cast<int>(end - window.begin));
    if (end - begin < own.end - own.begin) sum = add_part(cut, own, window.number, sum);
    const unsigned long long bits = sum_bits(__dmul_rn(own.scale, sum));
    largest = largest < bits ? bits : largest;
  }
  return largest;
}

// The largest value of a block, returned to its first thread. By all threads.
__device__ unsigned long long block_largest(unsigned long long bits) {
  __shared__ unsigned long long of_warp[threads / warp_size];
  bits = warp_largest(bits);
  if (threadIdx.x % warp_size == 0) of_warp[threadIdx.x / warp_size] = bits;
  __syncthreads();
  if (threadIdx.x != 0) return bits;
  for (const unsigned long long other : of_warp) bits = bits < other ? other : bits;
  return bits;
}

// Where the norm goes: to the host and, for kernels, to the device.
struct NormPlaces {
  double *host, *there;
};

// By one thread of each block. The last block's thread writes the norm and clears the words. The
// exchanges of `finished` are one release sequence, so that the last one sees all writes before the
// others.
__device__ void finish_block(unsigned long long largest, PlacementSpace::Words& words,
                             const NormPlaces& to) {
  atomicMax(&words.norm, largest);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> finished(words.finished);
  if (finished.fetch_add(1, cuda::memory_order_acq_rel) != gridDim.x - 1) return;
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> norm(words.norm);
  *to.host = *to.there =
      __longlong_as_double(static_cast<long long>(norm.load(cuda::memory_order_relaxed)));
  norm.store(0, cuda::memory_order_relaxed);
  finished.store(0, cuda::memory_order_relaxed);
}

// A block per window: a thread per entry, then per row.
template <class Source>
__global__ void __launch_bounds__(threads)
    placement_kernel(Placement<Source> placement, CutRows cut, PlacementSpace::Words* words,
                     NormPlaces norm) {
  __shared__ Magnitudes magnitudes;
  let_next_start();
  const Offset begin = blockIdx.x * norm_window, left = placement.nnz - begin;
  const Window window{blockIdx.x, begin, begin + (left < norm_window ? left : norm_window),
                      cut.first_row[blockIdx.x], cut.first_row[blockIdx.x + 1]};
  const Index row = window.first_row + static_cast<Index>(threadIdx.x);
  const RowEntries entries = entries_of(placement, row, window.last_row);
  place_window(placement, window, magnitudes);
  __syncthreads();
  magnitudes.add_pieces();
  __syncthreads();
  const unsigned long long largest =
      block_largest(largest_row(placement, cut, window, magnitudes, row, entries));
  if (threadIdx.x == 0) finish_block(largest, *words, norm);
}

// A thread per entry, from page-locked memory of the host.
__global__ void fetch_kernel(const double* from, Offset size, double* to) {
  let_next_start();
  const Offset i = blockIdx.x * static_cast<Offset>(threads) + threadIdx.x;
  if (i < size) to[i] = from[i];
}

void bring_values(DeviceSession& session, const HostSpan<const double>& values, double* given) {
  const auto size = static_cast<Offset>(values.entries.size());
  if (!values.page_locked || size > most_fetched) return session.copy_to_device(given, values);
  launch(session, {ceil_div(size, threads), threads}, fetch_kernel, session.read_in_place(values),
         size, given);
}

// A thread per row.
__global__ void first_row_kernel(PatternRef matrix, Offset windows, Index* first_row) {
  const Offset row = blockIdx.x * static_cast<Offset>(threads) + threadIdx.x;
  if (row >= matrix.n) return;
  const Offset end = matrix.row_ptr[row + 1];
  Offset window = ceil_div(matrix.row_ptr[row], norm_window);
  for (; window * norm_window < end; ++window) first_row[window] = static_cast<Index>(row);
  if (row == matrix.n - 1) first_row[windows] = static_cast<Index>(row);
}

template <class Source>
void launch_placement(DeviceSession& session, const Source* source, const double* values_of_a,
                      const DevicePermutedMatrix& matrix, const NormPlaces& norm) {
  PlacementSpace& space = *matrix.source.space;
  const Offset windows = space.arrived.size();
  launch_early(
      session, {windows, threads}, placement_kernel<Source>,
      Placement<Source>{matrix.pattern(), matrix.nnz, source, values_of_a, matrix.row_scale.data(),
                        matrix.col_scale.data(), matrix.values.data()},
      CutRows{space.first_row.data(), space.part.data(), space.arrived.data(), windows},
      space.words.data(), norm);
}

Buffer<Index> upload_narrow(DeviceSession& session, std::span<const Offset> source) {
  Buffer<Index> narrow(session, MemoryRole::resident, static_cast<Offset>(source.size()),
                       "the sources of entries in A");
  session.copy_to_device(narrow.data(), narrow.bytes(),
                         [&](std::byte* stage, std::size_t first, std::size_t bytes) {
                           auto* const to = reinterpret_cast<Index*>(stage);
                           const Offset* const from = source.data() + first / sizeof(Index);
                           for (std::size_t k = 0; k < bytes / sizeof(Index); ++k) {
                             to[k] = static_cast<Index>(from[k]);
                           }
                         });
  return narrow;
}

void make_space(DeviceSession& session, const DevicePermutedMatrix& matrix, PlacementSpace& space) {
  constexpr auto role = MemoryRole::resident;
  const Offset windows = ceil_div(matrix.nnz, norm_window);
  space.words = {session, role, 1, "what blocks share"};
  space.first_row = {session, role, windows + 1, "the first rows of windows"};
  space.part = {session, role, 2 * windows, "sums of parts of rows"};
  space.arrived = {session, role, windows, "how many parts there are"};
  space.words.fill_bytes(0);
  space.arrived.fill_bytes(0);
  launch(session, {ceil_div(matrix.n, threads), threads}, first_row_kernel, matrix.pattern(),
         windows, space.first_row.data());
  space.norm_there = {session, role, 1, "the norm of the new values"};
}

// To where `host` says, too, or to the device alone.
void place_values(DeviceSession& session, const double* values_of_a,
                  const DevicePermutedMatrix& matrix, double* host) {
  PlacementSpace& space = *matrix.source.space;
  if (space.norm_there.size() == 0) make_space(session, matrix, space);
  double* const there = space.norm_there.data();
  const NormPlaces norm{host == nullptr ? there : host, there};
  if (matrix.source.wide.size() > 0) {
    launch_placement(session, matrix.source.wide.data(), values_of_a, matrix, norm);
  } else {
    launch_placement(session, matrix.source.narrow.data(), values_of_a, matrix, norm);
  }
}

}  // namespace

EntrySources upload_sources(DeviceSession& session, std::span<const Offset> source,
                            Offset entries_of_a) {
  EntrySources sources;
  if (entries_of_a <= std::numeric_limits<Index>::max()) {
    sources.narrow = upload_narrow(session, source);
  } else {
    sources.wide =
        upload_copy(session, MemoryRole::resident, source, "the sources of entries in A");
  }
  sources.space = std::make_shared<PlacementSpace>();
  return sources;
}

ScaledNorm place_new_values(DeviceSession& session, HostSpan<const double> values_of_a,
                            const DevicePermutedMatrix& matrix) {
  if (!matrix.source.space) throw std::logic_error("a matrix without its sources");
  if (matrix.n == 0) return 0.0;
  Buffer<double>& given = matrix.source.space->given;
  const auto size = static_cast<Offset>(values_of_a.entries.size());
  if (given.size() != size) given = {session, MemoryRole::resident, size, "the new values of A"};
  bring_values(session, values_of_a, given.data());
  return place_values_there(session, given.data(), matrix);
}

ScaledNorm place_values_there(DeviceSession& session, const double* values_of_a,
                              const DevicePermutedMatrix& matrix) {
  if (!matrix.source.space) throw std::logic_error("a matrix without its sources");
  if (matrix.n == 0) return 0.0;
  std::shared_ptr<Buffer<double>>& norm = matrix.source.space->norm;
  if (!norm) {
    norm = std::make_shared<Buffer<double>>(session, MemoryRole::resident, 1,
                                            "the norm of the new values", MemoryKind::pinned);
  }
  place_values(session, values_of_a, matrix, norm->data());
  return ScaledNorm(norm);
}

double place_first_values(DeviceSession& session, const double* values_of_a,
                          const DevicePermutedMatrix& matrix) {
  place_values(session, values_of_a, matrix, nullptr);
  return read_value(session, matrix.source.space->norm_there.data());
}

}  // namespace lufact::gpu
