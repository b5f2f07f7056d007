// SPDX-License-Identifier: BSD-3-Clause
#include "app/process/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "app/process/process_tree.hpp"
#include "core/base/affinity.hpp"

namespace lufact {
namespace {

using namespace std::chrono_literals;
constexpr auto poll_interval = 50ms;
constexpr auto patience = 2s;
constexpr auto launcher_patience = 6s;  // it has to end processes, perhaps on other hosts
constexpr auto longest_spin = 1s;

struct Pipe {
  int read = -1, write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  return {ends[0], ends[1]};
}

// Between fork and exec: only calls that are safe there.
[[noreturn]] void become_worker(const Pipe& request, const Pipe& answer,
                                const std::optional<PhaseBoard>& board,
                                const std::vector<char*>& argv,
                                const std::vector<char*>& variables) {
  dup2(request.read, STDIN_FILENO);
  if (answer.write == answer_descriptor) {
    fcntl(answer.write, F_SETFD, 0);  // dup2 onto itself would leave close-on-exec set
  } else {
    dup2(answer.write, answer_descriptor);
  }
  if (board) dup2(board->descriptor(), board_descriptor);
  execve("/proc/self/exe", argv.data(), variables.data());
  _exit(127);
}

[[noreturn]] void become_launcher(const Pipe& request, const Pipe& answer, const Pipe& errors,
                                  const std::vector<char*>& argv,
                                  const std::vector<char*>& variables) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // which it passes on to what it has started
  dup2(request.read, STDIN_FILENO);
  dup2(answer.write, STDOUT_FILENO);
  dup2(errors.write, STDERR_FILENO);
  execvpe(argv.front(), argv.data(), variables.data());
  _exit(127);
}

// Null at the end, as exec wants it. The texts must outlive it.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& added)
    : board_(PhaseBoard::make()) {
  std::vector<std::string> words{"lufact"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  start(std::move(words), added);
}

ChildProcess::ChildProcess(const LauncherCommand& launcher, const std::vector<std::string>& added)
    : launcher_(true) {
  start(launcher.words, added);
}

void ChildProcess::start(std::vector<std::string> words, std::vector<std::string> variables) {
  signal(SIGPIPE, SIG_IGN);  // a child that died is met by send()
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  const std::vector<char*> argv = pointers_to(words), environment = pointers_to(variables);
  const Pipe request = make_pipe(), answer = make_pipe();
  const Pipe errors = launcher_ ? make_pipe() : Pipe();
  const auto processors = given_processors();
  pid_ = fork();
  if (pid_ == 0) {
    setpgid(0, 0);
    run_on(processors);
    if (launcher_) become_launcher(request, answer, errors, argv, environment);
    become_worker(request, answer, board_, argv, environment);
  }
  if (pid_ > 0) setpgid(pid_, pid_);  // here too: the group must be there before a signal to it
  close(request.read);
  close(answer.write);
  request_ = request.write;
  answer_ = answer.read;
  if (launcher_) {
    close(errors.write);
    errors_ = errors.read;
    fcntl(errors_, F_SETFL, O_NONBLOCK);
  }
  if (pid_ < 0) throw std::runtime_error(fmt::format("cannot fork: {}", std::strerror(errno)));
}

ChildProcess::~ChildProcess() {
  if (request_ >= 0) close(request_);
  if (!reaped_ && pid_ > 0) {
    if (launcher_) let_launcher_end();
    kill(-pid_, SIGKILL);
    reap(true);
  }
  if (answer_ >= 0) close(answer_);
  if (errors_ >= 0) close(errors_);
}

// Its standard input has ended, which ends its processes. Nobody hears what it says of that.
void ChildProcess::let_launcher_end() {
  fcntl(answer_, F_SETFL, O_NONBLOCK);
  const auto give_up = std::chrono::steady_clock::now() + patience;
  std::array<char, 4096> unheard;
  while (!reaped_ && std::chrono::steady_clock::now() < give_up) {
    while (read(answer_, unheard.data(), unheard.size()) > 0) {
    }
    read_errors(false);
    reap(false);
    if (!reaped_) std::this_thread::sleep_for(10ms);
  }
  if (!reaped_) terminate();
}

bool ChildProcess::send(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t wrote = write(request_, text.data() + sent, text.size() - sent);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    sent += static_cast<std::size_t>(wrote);
  }
  return true;
}

bool ChildProcess::take_buffered(std::string& line) {
  if (launcher_) return records_.take(line);
  const auto end = buffer_.find('\n');
  if (end == std::string::npos) return false;
  line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return true;
}

void ChildProcess::add_answer(std::string_view bytes) {
  if (launcher_) {
    records_.add(bytes);
  } else {
    buffer_.append(bytes);
  }
}

void ChildProcess::read_errors(bool pass_on) {
  std::array<char, 4096> chunk;
  while (errors_ >= 0) {
    const ssize_t got = read(errors_, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;  // nothing more for now
    if (got == 0) {
      close(errors_);
      errors_ = -1;
      return;
    }
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(got));
    last_lines_.add(bytes);
    if (pass_on) std::fwrite(bytes.data(), 1, bytes.size(), stderr);
  }
}

ChildProcess::Wait ChildProcess::next_line(const Limits& limits, std::string& line) {
  std::array<char, 65536> chunk;
  while (!take_buffered(line)) {
    if (limits.stop != nullptr && *limits.stop != 0) return Wait::stopped;
    if (limits.deadline && std::chrono::steady_clock::now() >= *limits.deadline) {
      return Wait::timed_out;
    }
    if (limits.meanwhile) limits.meanwhile();
    if (!launcher_) peak_resident_ = std::max(peak_resident_, resident_now());
    if (limits.resident_bytes && peak_resident_ > *limits.resident_bytes) {
      return Wait::out_of_memory;
    }
    std::array<pollfd, 2> ready{{{answer_, POLLIN, 0}, {errors_, POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), static_cast<int>(poll_interval.count())) <= 0) continue;
    read_errors(true);
    if (ready[0].revents == 0) continue;
    const ssize_t got = read(answer_, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      reap(true);
      return Wait::ended;
    }
    add_answer({chunk.data(), static_cast<std::size_t>(got)});
  }
  return Wait::line;
}

void ChildProcess::wait_until_idle() const {
  const auto give_up = std::chrono::steady_clock::now() + longest_spin;
  const auto processes = launcher_ ? process_tree(pid_) : std::vector<pid_t>{pid_};
  while (std::ranges::any_of(processes, has_running_thread) &&
         std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(1ms);
  }
}

std::string ChildProcess::terminate() {
  kill(-pid_, SIGTERM);
  const auto give_up =
      std::chrono::steady_clock::now() + (launcher_ ? launcher_patience : patience);
  while (!reaped_ && std::chrono::steady_clock::now() < give_up) {
    read_errors(false);
    reap(false);
    if (!reaped_) std::this_thread::sleep_for(10ms);
  }
  if (!reaped_) kill(-pid_, SIGKILL);
  reap(true);
  return ending();
}

void ChildProcess::reap(bool block) {
  if (reaped_) return;
  int status = 0;
  pid_t done = 0;
  do {
    done = waitpid(pid_, &status, block ? 0 : WNOHANG);
  } while (done < 0 && errno == EINTR);
  if (done != pid_) return;
  reaped_ = true;
  kill(-pid_, SIGKILL);  // whatever the child had started ends with it
  if (WIFSIGNALED(status)) signal_ = WTERMSIG(status);
  if (WIFEXITED(status)) exit_status_ = WEXITSTATUS(status);
}

std::string ChildProcess::ending() {
  reap(true);
  read_errors(true);
  if (signal_ != 0) return fmt::format("signal {} ({})", signal_, strsignal(signal_));
  return fmt::format("exit status {}", exit_status_);
}

std::uint64_t ChildProcess::resident_now() const {
  std::ifstream statm(fmt::format("/proc/{}/statm", pid_));
  std::uint64_t total = 0, resident = 0;
  if (!(statm >> total >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace lufact
