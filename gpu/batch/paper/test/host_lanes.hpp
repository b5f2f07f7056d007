// SPDX-License-Identifier: BSD-3-Clause
// Lanes without a device: a thread of the host for each, which meet at every exchange. The class is
// what gpu/batch/paper/lanes.hpp asks for, so that the components of the kernels run unchanged.
#pragma once
#include <array>
#include <barrier>
#include <cstring>
#include <thread>
#include <vector>

namespace lufact::gpu::paper::testing_support {

// What the threads of a matrix share. Exchanges alternate between two sets of slots: who writes to
// one set again has met all others since they read it.
class Meeting {
 public:
  explicit Meeting(int threads)
      : barrier_(threads),
        slots_{Slots(static_cast<std::size_t>(threads)), Slots(static_cast<std::size_t>(threads))} {
  }
  void wait() { barrier_.arrive_and_wait(); }
  std::array<char, 8>& slot(bool set, int thread) {
    return slots_[set ? 1 : 0][static_cast<std::size_t>(thread)];
  }

 private:
  using Slots = std::vector<std::array<char, 8>>;
  std::barrier<> barrier_;
  std::array<Slots, 2> slots_;
};

template <int width_>
class HostLanes {
 public:
  static constexpr int width = width_;
  HostLanes(Meeting& meeting, int lane) : meeting_(meeting), lane_(lane) {}

  int lane() const { return lane_; }
  template <class T>
  T from(T value, int lane) const {
    static_assert(sizeof(T) <= 8);
    std::memcpy(meeting_.slot(set_, lane_).data(), &value, sizeof(T));
    meeting_.wait();
    T result;
    std::memcpy(&result, meeting_.slot(set_, lane).data(), sizeof(T));
    set_ = !set_;
    return result;
  }
  template <class T>
  T across(T value, int distance) const {
    return from(value, lane_ ^ distance);
  }
  void sync() const { meeting_.wait(); }

 private:
  Meeting& meeting_;
  int lane_;
  mutable bool set_ = false;
};

// n x n threads of a block.
template <int n>
class HostSquare {
 public:
  static constexpr int width = n * n;
  HostSquare(Meeting& meeting, int thread) : meeting_(meeting), thread_(thread) {}
  int row() const { return thread_ % n; }
  int column() const { return thread_ / n; }
  void sync() const { meeting_.wait(); }

 private:
  Meeting& meeting_;
  int thread_;
};

// Calls work(lanes) on Lanes::width threads.
template <class Lanes, class Work>
void on_all_lanes(const Work& work) {
  Meeting meeting(Lanes::width);
  std::vector<std::thread> threads;
  for (int lane = 0; lane < Lanes::width; ++lane) {
    threads.emplace_back([&, lane] { work(Lanes(meeting, lane)); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace lufact::gpu::paper::testing_support
