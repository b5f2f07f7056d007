// SPDX-License-Identifier: BSD-3-Clause
// A child process that speaks JSON lines: requests on its standard input, answers on a pipe of its
// own, so that nothing a library prints can be taken for an answer. Or a launcher that has started
// several, of which one answers: with marked records on standard output, for a launcher passes no
// other stream on.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/process/last_lines.hpp"
#include "app/process/marked_records.hpp"
#include "core/measure/phase_board.hpp"

namespace lufact {

// The descriptor on which a child writes its answers.
inline constexpr int answer_descriptor = 3;
// That of the board on which it shows its phases.
inline constexpr int board_descriptor = 4;

struct LauncherCommand {
  std::vector<std::string> words;  // the first is looked for in PATH
};

class ChildProcess {
 public:
  // Starts this program again with `arguments`, in a process group of its own, so that an interrupt
  // from the terminal reaches the parent alone. `added` variables, "NAME=VALUE", come to those of
  // this process, which has none of these names.
  explicit ChildProcess(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& added = {});
  // Starts a launcher in the same way. What it and its processes print as errors goes to those of
  // this process. It is told to end where this process dies.
  explicit ChildProcess(const LauncherCommand& launcher,
                        const std::vector<std::string>& added = {});
  // Kills what still runs. A launcher has some seconds to end by itself, for its processes may be
  // on other hosts.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Wait { line, ended, timed_out, stopped, out_of_memory };
  struct Limits {
    std::optional<std::chrono::steady_clock::time_point> deadline;
    std::optional<std::uint64_t> resident_bytes;
    const volatile int* stop = nullptr;  // nonzero: stop waiting
    std::function<void()> meanwhile{};   // called some twenty times a second
  };

  bool send(const std::string& line);  // false where the child is gone
  // Waits for the next answer; watches the deadline, the resident size (not a launcher's) and the
  // stop flag.
  Wait next_line(const Limits& limits, std::string& line);
  // Waits until all its threads sleep, at most a second: threads that spin on after their work take
  // cores that the next process is measured on. Those of a launcher's processes on this host too.
  void wait_until_idle() const;
  // SIGTERM to the child and what it started, two seconds of patience, then SIGKILL. Returns how
  // the child ended, in words.
  std::string terminate();
  // How it ended, once next_line() has said so: "exit status 1", "signal 11 (Segmentation fault)".
  std::string ending();
  // The last lines that a launcher and its processes have printed as errors.
  const LastLines& last_lines() const noexcept { return last_lines_; }
  // The exit status of one that has ended by itself.
  int exit_status() const noexcept { return exit_status_; }
  // The signal that ended it, or 0.
  int ending_signal() const noexcept { return signal_; }
  std::uint64_t peak_resident_seen() const noexcept { return peak_resident_; }
  pid_t pid() const noexcept { return pid_; }
  // What the child is doing; null for a launcher, and where the system has no memory to share.
  const PhaseBoard* board() const noexcept { return board_ ? &*board_ : nullptr; }

 private:
  void start(std::vector<std::string> words, std::vector<std::string> variables);
  bool take_buffered(std::string& line);
  void add_answer(std::string_view bytes);
  // What a launcher has printed by now. `pass_on` it as our own.
  void read_errors(bool pass_on);
  void let_launcher_end();
  void reap(bool block);
  std::uint64_t resident_now() const;

  std::optional<PhaseBoard> board_;
  pid_t pid_ = -1;
  int request_ = -1, answer_ = -1, errors_ = -1;
  bool launcher_ = false;
  bool reaped_ = false;
  int exit_status_ = 0, signal_ = 0;
  std::uint64_t peak_resident_ = 0;
  std::string buffer_;
  MarkedRecords records_;
  LastLines last_lines_;
};

}  // namespace lufact
