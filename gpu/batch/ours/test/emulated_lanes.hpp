// SPDX-License-Identifier: BSD-3-Clause
// A warp on the host: 32 lanes with stacks of their own that take turns, each running until it
// comes to something that all do together. So the kernels' own code is tested without a device. It
// also finds lanes that do not arrive at the same call, and what one lane reads before, or writes
// after, another without a barrier between them (in either order of the lanes).
#pragma once
#include <ucontext.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "gpu/batch/ours/lanes.cuh"

namespace lufact::gpu::ours {

class EmulatedWarp {
 public:
  // Runs `body` on all lanes of warp `warp` of a block of `warps` warps.
  EmulatedWarp(Offset warp_of_launch, int warp, bool backwards)
      : warp_of_launch_(warp_of_launch), warp_(warp), backwards_(backwards) {}

  void run(const std::function<void()>& body) {
    current_ = this;
    body_ = &body;
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
      Lane& l = lanes_[lane];
      l.stack.resize(1 << 18);
      getcontext(&l.context);
      l.context.uc_stack.ss_sp = l.stack.data();
      l.context.uc_stack.ss_size = l.stack.size();
      l.context.uc_link = &scheduler_;
      makecontext(&l.context, &EmulatedWarp::enter, 0);
    }
    for (bool running = true; running;) {
      running = false;
      for (int i = 0; i < lanes_per_warp; ++i) {
        lane_ = backwards_ ? lanes_per_warp - 1 - i : i;
        if (lanes_[lane_].finished) continue;
        swapcontext(&scheduler_, &lanes_[lane_].context);
        running = running || !lanes_[lane_].finished;
      }
      check_together();
    }
    current_ = nullptr;
    if (!error_.empty()) throw std::logic_error(error_);
  }

  static EmulatedWarp& current() { return *current_; }
  int lane() const { return lane_; }
  int warp() const { return warp_; }
  Offset warp_of_launch() const { return warp_of_launch_; }

  // All lanes show a value; returns those of all. `call` names what they do together.
  template <class T>
  std::array<T, lanes_per_warp> exchange(const char* call, T value) {
    static_assert(sizeof(T) <= 8);
    Lane& own = lanes_[lane_];
    own.call = call;
    ++own.calls;
    const std::size_t side = own.calls % 2;
    std::memcpy(shown_[side][static_cast<std::size_t>(lane_)].data(), &value, sizeof(T));
    swapcontext(&own.context, &scheduler_);
    std::array<T, lanes_per_warp> all;
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
      std::memcpy(&all[lane], shown_[side][lane].data(), sizeof(T));
    }
    return all;
  }
  void fail(const std::string& what) {
    if (error_.empty()) error_ = what;
  }

 private:
  struct Lane {
    ucontext_t context;
    std::vector<char> stack;
    const char* call = "";
    std::size_t calls = 0;
    bool finished = false;
  };

  static void enter() {
    EmulatedWarp& warp = current();
    (*warp.body_)();
    warp.lanes_[warp.lane_].finished = true;
  }
  // A lane that has returned may not be waited for.
  void check_together() {
    const Lane* one = nullptr;
    for (const Lane& l : lanes_) {
      if (l.finished) continue;
      if (one && (one->calls != l.calls || std::strcmp(one->call, l.call) != 0)) {
        fail(std::string("lanes part: ") + one->call + " and " + l.call);
      }
      one = &l;
    }
    bool any_finished = false;
    for (const Lane& l : lanes_) any_finished = any_finished || l.finished;
    if (one && any_finished) fail(std::string("a lane returned before ") + one->call);
  }

  inline static EmulatedWarp* current_ = nullptr;
  Offset warp_of_launch_;
  int warp_;
  bool backwards_;
  int lane_ = 0;
  const std::function<void()>* body_ = nullptr;
  ucontext_t scheduler_{};
  std::array<Lane, lanes_per_warp> lanes_;
  std::array<std::array<std::array<char, 8>, lanes_per_warp>, 2> shown_{};
  std::string error_;
};

// As DeviceLanes.
struct EmulatedLanes {
  static int lane() { return EmulatedWarp::current().lane(); }
  static int warp() { return EmulatedWarp::current().warp(); }
  static Offset warp_of_launch() { return EmulatedWarp::current().warp_of_launch(); }

  static void sync() { EmulatedWarp::current().exchange("sync", 0); }
  static unsigned ballot(bool value) {
    const auto all = EmulatedWarp::current().exchange("ballot", value);
    unsigned bits = 0;
    for (int lane = 0; lane < lanes_per_warp; ++lane) bits |= unsigned{all[lane]} << lane;
    return bits;
  }
  static bool any(bool value) { return ballot(value) != 0; }
  template <int G, class T>
  static T shuffle(T value, int from) {
    const int base = lane() & ~(G - 1);
    const auto all = EmulatedWarp::current().exchange("shuffle", value);
    return all[base + (from & (G - 1))];
  }
  template <int G, class T>
  static T largest(T value) {
    const int base = lane() & ~(G - 1);
    const auto all = EmulatedWarp::current().exchange("largest", value);
    for (int g = 0; g < G; ++g) value = value < all[base + g] ? all[base + g] : value;
    return value;
  }

  template <class T>
  static T* global(T* address) {
    return address;
  }
  static int computed_anew(int value) { return value; }

  static void init_barrier(std::uint64_t* barrier, int arrivals) {
    *barrier = static_cast<std::uint64_t>(arrivals);
  }
  static void bulk_load(void* shared, const void* global, int bytes, std::uint64_t* barrier) {
    copy(shared, global, bytes);
    --*barrier;
  }
  static void wait(std::uint64_t* barrier) {
    sync();
    if (*barrier != 0) EmulatedWarp::current().fail("wrong number of arrivals");
  }
  static void before_bulk_store() {}
  static void bulk_store(void* global, const void* shared, int bytes) {
    copy(global, shared, bytes);
  }

 private:
  static void copy(void* to, const void* from, int bytes) {
    const auto bits = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
    if (bytes != 0 && ((bits | static_cast<unsigned>(bytes)) % 16 != 0)) {
      EmulatedWarp::current().fail("a bulk copy is not of whole vectors");
      return;
    }
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
};

}  // namespace lufact::gpu::ours
