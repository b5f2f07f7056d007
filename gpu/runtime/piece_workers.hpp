// SPDX-License-Identifier: BSD-3-Clause
// A few threads that help another one with pieces of work of a few microseconds. They are not an
// OpenMP team: a team ends when all of its threads have come, and on a busy machine the system may
// not schedule one for milliseconds, which holds up work of microseconds. Here the caller waits
// only for pieces that a helper has taken, and takes the other pieces itself.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace lufact::gpu {

class PieceWorkers {
 public:
  // Must not throw.
  using Work = std::function<void(std::uint32_t piece)>;

  // Starts so many helpers, 0 or more.
  explicit PieceWorkers(int helpers);
  ~PieceWorkers();
  PieceWorkers(const PieceWorkers&) = delete;
  PieceWorkers& operator=(const PieceWorkers&) = delete;

  // Calls work(piece) once for each piece in [0, pieces), in any order, and returns when all calls
  // have. By one thread at a time.
  void run(std::uint32_t pieces, const Work& work);

 private:
  void help();
  void stop() noexcept;
  void take_pieces();

  // Arguments of the present call; a helper reads them after it has taken a piece.
  const Work* work_ = nullptr;
  std::uint32_t pieces_ = 0;
  std::atomic<std::uint32_t> left_{0};  // pieces that no thread has taken
  std::atomic<std::uint32_t> done_{0};
  std::atomic<std::uint32_t> calls_{0};  // helpers wait for a change of this
  std::atomic<bool> stop_{false};
  std::vector<std::jthread> helpers_;
};

}  // namespace lufact::gpu
