// SPDX-License-Identifier: BSD-3-Clause
// Where a process shows what it is doing to another one that looks now and then: some bytes of
// shared memory, so that neither waits for the other and what is being measured is not disturbed.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lufact {

class PhaseBoard {
 public:
  // A board of its own that a child process may inherit; empty where the system gives no memory.
  static std::optional<PhaseBoard> make();
  // That of a descriptor, which is closed; empty where it is none.
  static std::optional<PhaseBoard> inherited(int descriptor);
  ~PhaseBoard();
  PhaseBoard(PhaseBoard&& other) noexcept;
  PhaseBoard& operator=(PhaseBoard&&) = delete;

  // For one writer. Names longer than a hundred bytes are cut short.
  void show(std::string_view phase) noexcept;
  void show_share(double done) noexcept;  // of the phase, 0 to 1

  struct Shown {
    std::string phase;           // "symbolic/count"; empty: between phases
    std::optional<double> done;  // where the phase says so
  };
  Shown read() const;
  int descriptor() const noexcept { return descriptor_; }  // closed on exec; of make() alone

 private:
  struct Memory;
  PhaseBoard(Memory* memory, int descriptor) : memory_(memory), descriptor_(descriptor) {}

  Memory* memory_;
  int descriptor_;
};

// Every PhaseRecorder of this thread shows its phases there from now on; null: nowhere, as in all
// threads before.
void show_phases_on(PhaseBoard* board) noexcept;
// The one that was given last in this thread; null: none.
PhaseBoard* board_of_phases() noexcept;
// On that board, if any.
void show_phase(std::string_view phase) noexcept;
void show_share_of_phase(double done) noexcept;

}  // namespace lufact
