// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/streamed_batch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <thread>

#include "gpu/batch/chunk_clock.hpp"

namespace lufact::gpu {
namespace {

// Of the free budget, for buffers of the stage.
constexpr std::uint64_t workspace_part = 8;
constexpr Offset number_bytes = sizeof(std::int32_t);

Offset entry_bytes(const ArrayProblem& problem) {
  return problem.precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

}  // namespace

// One batch on its way through the device.
class StreamedBatch::Pass {
 public:
  Pass(StreamedBatch& batch, PreparedArrays& stage, const ArrayOperands& host)
      : batch_(batch),
        stage_(stage),
        host_(host),
        uploads_(batch.uploads(host)),
        downloads_(batch.downloads(host)) {}

  StreamingRecord run() {
    record_.chunks = plan().chunks;
    record_.chunk_matrices = plan().chunk_matrices;
    if (batch_.direct_) {
      run_direct();
    } else {
      run_staged();
    }
    batch_.session_.synchronize();
    return record_;
  }

 private:
  DeviceSession& session() const { return batch_.session_; }
  const ChunkPlan& plan() const { return batch_.plan_; }
  ChunkClock& clock() const { return *batch_.clock_; }

  // The clock has events for more chunks than there are buffers, so that the device need not wait
  // for this thread to see a chunk come back.
  void run_direct() {
    for (Offset number = 0; number < plan().chunks; ++number) {
      if (number >= clock().chunks()) clock().finish(number - clock().chunks(), record_);
      upload(number);
      compute(number);
      download(number);
    }
    const Offset unfinished = std::min<Offset>(clock().chunks(), plan().chunks);
    for (Offset back = unfinished; back > 0; --back) clock().finish(plan().chunks - back, record_);
  }

  // This thread uploads and computes, another one downloads.
  void run_staged() {
    std::jthread downloader([this] { download_all(); });
    try {
      for (Offset number = 0; number < plan().chunks && !failed_; ++number) {
        const Offset previous = number - plan().buffers;  // in the same buffer
        if (previous >= 0) {
          wait_for(downloaded_, previous + 1);
          if (failed_) break;
          clock().finish(previous, record_);
        }
        upload(number);
        compute(number);
        advance(computed_, number + 1);
      }
    } catch (...) {
      stop(computed_);
      throw;
    }
    downloader.join();
    if (thrown_) std::rethrow_exception(thrown_);
    const Offset unfinished = std::min<Offset>(plan().buffers, plan().chunks);
    for (Offset back = unfinished; back > 0; --back) clock().finish(plan().chunks - back, record_);
  }

  void download_all() noexcept {
    try {
      LUFACT_CUDA(cudaSetDevice(session().device()));
      for (Offset number = 0; number < plan().chunks; ++number) {
        wait_for(computed_, number + 1);
        if (failed_) return;
        download(number);
        advance(downloaded_, number + 1);
      }
    } catch (...) {
      thrown_ = std::current_exception();
      stop(downloaded_);
    }
  }

  // Waits until so many chunks have come so far, or something has failed.
  void wait_for(const std::atomic<Offset>& done, Offset chunks) const {
    for (Offset now = done; now < chunks && !failed_; now = done) done.wait(now);
  }
  static void advance(std::atomic<Offset>& done, Offset chunks) {
    done = chunks;
    done.notify_all();
  }
  // Wakes who waits for `done`.
  void stop(std::atomic<Offset>& done) {
    failed_ = true;
    advance(done, plan().chunks);
  }

  void upload(Offset number) {
    const Chunk chunk = plan().chunk(number);
    const cudaStream_t stream = session().copy_stream(CopyDirection::to_device);
    if (number >= plan().buffers) {
      clock().wait(number - plan().buffers, ChunkStep::download, stream);
    }
    clock().begin(number, ChunkStep::upload, stream);
    for (const MovedArray& array : uploads_) {
      const HostParts parts(array.host, chunk.first, chunk.matrices);
      std::byte* const to = batch_.place(chunk.buffer, array.number);
      if (batch_.direct_) {
        session().copy_rows(CopyDirection::to_device,
                            rows(parts, to, parts.piece_bytes(), parts.piece(0), parts.pitch()));
      } else {
        session().upload_parts(to, parts.bytes(), filling(parts));
      }
    }
    clock().end(number, ChunkStep::upload, stream);
  }

  void compute(Offset number) {
    const Chunk chunk = plan().chunk(number);
    clock().wait(number, ChunkStep::upload, session().stream());
    clock().begin(number, ChunkStep::compute, session().stream());
    stage_.run(batch_.operands(chunk.buffer, host_), chunk.matrices);
    clock().end(number, ChunkStep::compute, session().stream());
  }

  void download(Offset number) {
    const Chunk chunk = plan().chunk(number);
    const cudaStream_t stream = session().copy_stream(CopyDirection::to_host);
    clock().wait(number, ChunkStep::compute, stream);
    clock().begin(number, ChunkStep::download, stream);
    for (const MovedArray& array : downloads_) {
      const HostParts parts(array.host, chunk.first, chunk.matrices);
      const std::byte* const from = batch_.place(chunk.buffer, array.number);
      if (batch_.direct_) {
        session().copy_rows(CopyDirection::to_host,
                            rows(parts, parts.piece(0), parts.pitch(), from, parts.piece_bytes()));
      } else {
        session().download_parts(from, parts.bytes(), draining(parts));
      }
    }
    clock().end(number, ChunkStep::download, stream);
  }

  static CopiedRows rows(const HostParts& parts, void* to, std::size_t to_pitch, const void* from,
                         std::size_t from_pitch) {
    return {
        to, to_pitch, from, from_pitch, parts.piece_bytes(), parts.bytes() / parts.piece_bytes()};
  }
  static StagedCopies::Fill filling(const HostParts& parts) {
    return [parts](std::byte* stage, std::size_t first, std::size_t bytes) {
      parts.for_each(first, bytes,
                     [stage](const std::byte* from, std::size_t offset, std::size_t some) {
                       std::memcpy(stage + offset, from, some);
                     });
    };
  }
  static StagedCopies::Drain draining(const HostParts& parts) {
    return [parts](const std::byte* stage, std::size_t first, std::size_t bytes) {
      parts.for_each(first, bytes, [stage](std::byte* to, std::size_t offset, std::size_t some) {
        std::memcpy(to, stage + offset, some);
      });
    };
  }

  StreamedBatch& batch_;
  PreparedArrays& stage_;
  ArrayOperands host_;
  std::vector<MovedArray> uploads_, downloads_;
  StreamingRecord record_;
  // Of run_staged(): chunks whose kernel is on the stream, and that are back.
  std::atomic<Offset> computed_{0}, downloaded_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr thrown_;  // of the downloader
};

StreamedBatch::StreamedBatch(DeviceSession& session, const ArrayProblem& problem, bool page_locked)
    : session_(session),
      problem_(problem),
      chunk_problem_(problem),
      direct_(page_locked && problem.layout != ArrayLayout::pointers) {
  ChunkRequest request = make_request();
  const std::uint64_t room = session.ledger().available();
  request.budget = room - room / workspace_part;
  plan_ = plan_chunks(request);
  chunk_problem_.count = plan_.chunk_matrices;
  memory_ = {session, MemoryRole::resident, static_cast<Offset>(plan_.bytes()),
             "the buffers of chunks"};
  clock_ = std::make_unique<ChunkClock>(2 * plan_.buffers);
  fill_addresses(numbers_.a, numbers_.a_places);
  fill_addresses(numbers_.result, numbers_.result_places);
  fill_addresses(numbers_.b, numbers_.b_places);
  if (!direct_) session.open_staged_copies();
  session.synchronize();  // the memory is ordered by the first stream alone
}

// Copies may still be under way after an error.
StreamedBatch::~StreamedBatch() {
  settle();
}

void StreamedBatch::settle() noexcept {
  try {
    session_.synchronize();
  } catch (...) {  // follows from the error that led here, which is the one to be told
  }
}

int StreamedBatch::add_array(ChunkRequest& request, Offset bytes_per_matrix) const {
  request.bytes_per_matrix.push_back(bytes_per_matrix);
  return static_cast<int>(request.bytes_per_matrix.size()) - 1;
}

ChunkRequest StreamedBatch::make_request() {
  ChunkRequest request;
  request.count = problem_.count;
  const bool pointers = problem_.layout == ArrayLayout::pointers;
  const auto add = [&](Index columns, Index ld, int& number, int& places) {
    number = add_array(request, Offset{columns} * ld * entry_bytes(problem_));
    if (pointers) places = add_array(request, sizeof(void*));
  };
  add(problem_.columns, problem_.ld, numbers_.a, numbers_.a_places);
  if (!problem_.in_place) {
    add(problem_.columns, problem_.ld, numbers_.result, numbers_.result_places);
  }
  if (problem_.rhs > 0) add(problem_.rhs, problem_.rows, numbers_.b, numbers_.b_places);
  if (problem_.pivoting != ArrayPivoting::none) {
    numbers_.pivots = add_array(request, problem_.order() * number_bytes);
  }
  numbers_.info = add_array(request, number_bytes);
  return request;
}

// Matrices of a buffer one after the other.
void StreamedBatch::fill_addresses(int number, int places_number) {
  if (places_number < 0) return;
  const Offset columns = number == numbers_.b ? problem_.rhs : problem_.columns;
  const Offset ld = number == numbers_.b ? problem_.rows : problem_.ld;
  std::vector<std::byte*> addresses(at(plan_.chunk_matrices));
  for (int buffer = 0; buffer < plan_.buffers; ++buffer) {
    for (std::size_t k = 0; k < addresses.size(); ++k) {
      addresses[k] = place(buffer, number) + k * at(columns * ld * entry_bytes(problem_));
    }
    session_.copy_to_device(place(buffer, places_number), addresses.data(),
                            addresses.size() * sizeof(std::byte*));
  }
}

std::byte* StreamedBatch::place(int buffer, int number) noexcept {
  return memory_.data() + static_cast<std::uint64_t>(buffer) * plan_.buffer_bytes +
         plan_.array_begin[static_cast<std::size_t>(number)];
}

// What the stage gets; arrays that the caller has not are left out.
ArrayOperands StreamedBatch::operands(int buffer, const ArrayOperands& host) noexcept {
  const bool pointers = problem_.layout == ArrayLayout::pointers;
  const auto base = [&](int number, int places) {
    return place(buffer, pointers ? places : number);
  };
  const auto numbers = [&](int number) {
    return reinterpret_cast<std::int32_t*>(place(buffer, number));
  };
  ArrayOperands operands;
  operands.a = base(numbers_.a, numbers_.a_places);
  operands.result = problem_.in_place ? operands.a : base(numbers_.result, numbers_.result_places);
  if (problem_.rhs > 0) operands.b = base(numbers_.b, numbers_.b_places);
  if (host.pivots != nullptr) operands.pivots = numbers(numbers_.pivots);
  if (host.info != nullptr) operands.info = numbers(numbers_.info);
  return operands;
}

HostMatrices StreamedBatch::matrices(void* base, Index columns, Index ld) const noexcept {
  return {base, problem_.layout, problem_.count, at(entry_bytes(problem_)), Offset{columns} * ld};
}

std::vector<StreamedBatch::MovedArray> StreamedBatch::uploads(const ArrayOperands& host) const {
  std::vector<MovedArray> arrays{{matrices(host.a, problem_.columns, problem_.ld), numbers_.a}};
  if (problem_.rhs > 0) {
    arrays.push_back({matrices(host.b, problem_.rhs, problem_.rows), numbers_.b});
  }
  return arrays;
}

std::vector<StreamedBatch::MovedArray> StreamedBatch::downloads(const ArrayOperands& host) const {
  std::vector<MovedArray> arrays;
  if (problem_.rhs > 0) {
    arrays.push_back({matrices(host.b, problem_.rhs, problem_.rows), numbers_.b});
  } else {
    arrays.push_back({matrices(host.result, problem_.columns, problem_.ld),
                      problem_.in_place ? numbers_.a : numbers_.result});
  }
  const auto add_numbers = [&](std::int32_t* base, Offset of_matrix, int number) {
    if (base == nullptr) return;
    arrays.push_back(
        {{base, ArrayLayout::contiguous, problem_.count, at(number_bytes), of_matrix}, number});
  };
  add_numbers(host.pivots, problem_.order(), numbers_.pivots);
  add_numbers(host.info, 1, numbers_.info);
  return arrays;
}

StreamingRecord StreamedBatch::run(PreparedArrays& stage, const ArrayOperands& host) {
  try {
    return Pass(*this, stage, host).run();
  } catch (...) {
    settle();  // the caller may free arrays that copies still read and write
    throw;
  }
}

}  // namespace lufact::gpu
