// SPDX-License-Identifier: BSD-3-Clause
// Runs the program on a terminal, for tests.
#pragma once
#include <poll.h>
#include <sys/ioctl.h>

#include <map>
#include <utility>

#include "app/test/command_line.hpp"

namespace lufact::test {

struct OnTerminal {
  int status = -1;
  std::string bytes;  // as the program wrote them
};

// Standard output and standard error are a terminal of `columns`; `environment` is set besides.
inline OnTerminal run_on_terminal(const std::vector<std::string>& arguments,
                                  const std::map<std::string, std::string>& environment,
                                  unsigned short columns = 100) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  const std::string name = ptsname(terminal);
  const winsize size{50, columns, 0, 0};
  EXPECT_EQ(ioctl(terminal, TIOCSWINSZ, &size), 0);
  std::vector<std::string> words{located(LUFACT_BINARY_VARIABLE, LUFACT_BINARY)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Held open here, too: once the last process has let go of a terminal, a read may fail before it
  // has given what was written last.
  const int held = open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  EXPECT_GE(held, 0);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    const int own = open(name.c_str(), O_RDWR);
    dup2(own, STDOUT_FILENO);
    dup2(own, STDERR_FILENO);
    for (const char* variable : {"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"}) unsetenv(variable);
    setenv("TERM", "xterm", 1);
    for (const auto& [variable, value] : environment) setenv(variable.c_str(), value.c_str(), 1);
    execv(argv[0], argv.data());
    _exit(127);
  }
  OnTerminal result;
  int status = 0;
  for (bool ended = false; !ended;) {
    ended = waitpid(child, &status, WNOHANG) == child;
    pollfd written{terminal, POLLIN, 0};
    char chunk[4096];
    while (poll(&written, 1, ended ? 0 : 10) > 0) {
      const ssize_t got = read(terminal, chunk, sizeof chunk);
      if (got <= 0) break;
      result.bytes.append(chunk, static_cast<std::size_t>(got));
    }
  }
  close(held);
  close(terminal);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

// What stands on the screen in the end, colours left out: carriage returns, line feeds and "erase
// to the end of the line" are followed.
inline std::vector<std::string> screen_of(const std::string& bytes) {
  std::vector<std::string> lines{""};
  std::size_t column = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    if (bytes[k] == '\n') {
      lines.emplace_back();
    } else if (bytes[k] == '\r') {
      column = 0;
    } else if (bytes[k] == '\033') {
      const std::size_t end = bytes.find_first_of("mK", k);
      if (bytes[end] == 'K') lines.back().resize(std::min(column, lines.back().size()));
      k = end;
    } else {
      lines.back().resize(std::max(lines.back().size(), column + 1), ' ');
      lines.back()[column++] = bytes[k];
    }
  }
  return lines;
}

}  // namespace lufact::test
