// SPDX-License-Identifier: BSD-3-Clause
#include "core/measure/phase_board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

namespace lufact {

// What both processes see. A reader that meets an odd version, or another one afterwards, has met a
// name that was being written and tries again (a sequence lock).
struct PhaseBoard::Memory {
  std::atomic<std::uint32_t> version{0};
  std::atomic<float> done{-1};  // negative: the phase does not say
  std::array<std::atomic<char>, 104> name{};
};

namespace {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<float>::is_always_lock_free && std::atomic<char>::is_always_lock_free);

constexpr int first_free_descriptor = 10;  // leaves room for those that have a meaning in a child

thread_local PhaseBoard* board_of_thread = nullptr;

}  // namespace

std::optional<PhaseBoard> PhaseBoard::make() {
  const int low = memfd_create("phase-board", MFD_CLOEXEC);
  if (low < 0) return std::nullopt;
  const int descriptor = fcntl(low, F_DUPFD_CLOEXEC, first_free_descriptor);
  close(low);
  if (descriptor < 0) return std::nullopt;
  void* memory =
      ftruncate(descriptor, sizeof(Memory)) == 0
          ? mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
          : MAP_FAILED;
  if (memory == MAP_FAILED) {
    close(descriptor);
    return std::nullopt;
  }
  return PhaseBoard(new (memory) Memory, descriptor);
}

std::optional<PhaseBoard> PhaseBoard::inherited(int descriptor) {
  struct stat facts {};
  const bool fits = fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
                    facts.st_size == static_cast<off_t>(sizeof(Memory));
  if (!fits) return std::nullopt;
  void* memory = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return std::nullopt;
  close(descriptor);
  return PhaseBoard(static_cast<Memory*>(memory), -1);
}

PhaseBoard::~PhaseBoard() {
  if (memory_ == nullptr) return;
  munmap(memory_, sizeof(Memory));
  if (descriptor_ >= 0) close(descriptor_);
}

PhaseBoard::PhaseBoard(PhaseBoard&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

void PhaseBoard::show(std::string_view phase) noexcept {
  Memory& memory = *memory_;
  const std::uint32_t version = memory.version.load(std::memory_order_relaxed);
  memory.version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  const std::size_t length = std::min(phase.size(), memory.name.size() - 1);
  for (std::size_t k = 0; k < length; ++k) {
    memory.name[k].store(phase[k], std::memory_order_relaxed);
  }
  memory.name[length].store('\0', std::memory_order_relaxed);
  memory.done.store(-1, std::memory_order_relaxed);
  memory.version.store(version + 2, std::memory_order_release);
}

void PhaseBoard::show_share(double done) noexcept {
  memory_->done.store(static_cast<float>(done), std::memory_order_relaxed);
}

PhaseBoard::Shown PhaseBoard::read() const {
  constexpr int tries = 100;
  for (int k = 0; k < tries; ++k) {
    const std::uint32_t before = memory_->version.load(std::memory_order_acquire);
    Shown shown;
    for (const std::atomic<char>& byte : memory_->name) {
      const char letter = byte.load(std::memory_order_relaxed);
      if (letter == '\0') break;
      shown.phase += letter;
    }
    const float done = memory_->done.load(std::memory_order_relaxed);
    if (done >= 0) shown.done = done;
    std::atomic_thread_fence(std::memory_order_acquire);
    const std::uint32_t after = memory_->version.load(std::memory_order_relaxed);
    if (before == after && before % 2 == 0) return shown;
  }
  return {};  // the writer was stopped amid a name
}

void show_phases_on(PhaseBoard* board) noexcept {
  board_of_thread = board;
}

PhaseBoard* board_of_phases() noexcept {
  return board_of_thread;
}

void show_phase(std::string_view phase) noexcept {
  if (board_of_thread != nullptr) board_of_thread->show(phase);
}

void show_share_of_phase(double done) noexcept {
  if (board_of_thread != nullptr) board_of_thread->show_share(done);
}

}  // namespace lufact
