// SPDX-License-Identifier: BSD-3-Clause
#include "app/peers/external_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "app/process/child_process.hpp"
#include "core/base/affinity.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

[[noreturn]] void cannot(const char* what) {
  throw Error(Outcome::error, "cannot_start", fmt::format("{}: {}", what, std::strerror(errno)));
}

// Between fork and exec: only calls that are safe there.
[[noreturn]] void become_program(const char* command, int out, int err,
                                 const std::optional<cpu_set_t>& processors) {
  run_on(processors);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(answer_descriptor);  // whatever outlives the program must not hold the supervisor up
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  signal(SIGPIPE, SIG_DFL);
  execl("/bin/sh", "sh", "-c", command, nullptr);
  _exit(127);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t got = read(descriptor, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

std::string ending(int status) {
  constexpr int shell_adds = 128;  // to the signal that ended its command
  int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) > shell_adds) {
    signal_number = WEXITSTATUS(status) - shell_adds;
  }
  if (signal_number != 0) {
    return fmt::format("signal {} ({})", signal_number, strsignal(signal_number));
  }
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace

ProgramResult run_program(const std::string& command, const std::filesystem::path& error_file) {
  std::array<int, 2> out{};
  if (pipe2(out.data(), O_CLOEXEC) != 0) cannot("a pipe cannot be made");
  const int err = open(error_file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  const auto processors = given_processors();
  const pid_t pid = fork();
  if (pid == 0) become_program(command.c_str(), out[1], err, processors);
  close(out[1]);
  if (err >= 0) close(err);
  ProgramResult result;
  if (pid > 0) result.out = read_all(out[0]);
  close(out[0]);
  if (pid < 0) cannot("the program cannot be started");
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.fault = ending(status);
  result.not_found =
      WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
  result.peak_resident_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return result;
}

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace lufact
