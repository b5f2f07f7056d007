// SPDX-License-Identifier: BSD-3-Clause
// A child process that speaks JSON lines: requests on its standard input, answers on a pipe of its
// own, so that nothing a library prints can be taken for an answer.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lufact {

// The descriptor on which a child writes its answers.
inline constexpr int answer_descriptor = 3;

class ChildProcess {
 public:
  // Starts this program again with `arguments`, in a process group of its own, so that an interrupt
  // from the terminal reaches the parent alone. `added` variables, "NAME=VALUE", come to those of
  // this process, which has none of these names.
  explicit ChildProcess(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& added = {});
  ~ChildProcess();  // kills what still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Wait { line, ended, timed_out, stopped, out_of_memory };
  struct Limits {
    std::optional<std::chrono::steady_clock::time_point> deadline;
    std::optional<std::uint64_t> resident_bytes;
    const volatile int* stop = nullptr;  // nonzero: stop waiting
  };

  bool send(const std::string& line);  // false where the child is gone
  // Waits for the next answer; watches the deadline, the resident size and the stop flag.
  Wait next_line(const Limits& limits, std::string& line);
  // Waits until all its threads sleep, at most a second: threads that spin on after their work take
  // cores that the next process is measured on.
  void wait_until_idle() const;
  // SIGTERM to the child and what it started, two seconds of patience, then SIGKILL. Returns how
  // the child ended, in words.
  std::string terminate();
  // How it ended, once next_line() has said so: "exit status 1", "signal 11 (Segmentation fault)".
  std::string ending();
  // The signal that ended it, or 0.
  int ending_signal() const noexcept { return signal_; }
  std::uint64_t peak_resident_seen() const noexcept { return peak_resident_; }
  pid_t pid() const noexcept { return pid_; }

 private:
  bool take_buffered(std::string& line);
  void reap(bool block);
  std::uint64_t resident_now() const;
  bool has_running_thread() const;

  pid_t pid_ = -1;
  int request_ = -1, answer_ = -1;
  bool reaped_ = false;
  int exit_status_ = 0, signal_ = 0;
  std::uint64_t peak_resident_ = 0;
  std::string buffer_;
};

}  // namespace lufact
