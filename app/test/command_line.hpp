// SPDX-License-Identifier: BSD-3-Clause
// Runs the program as a user does, for tests.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace lufact::test {

struct Outcome {
  int status = -1;  // exit status, or 128 + signal
  std::string out, err;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A path that the build knows, or what the environment variable of that name says: a bundle of
// programs is tested on another machine.
#ifndef LUFACT_BINARY_VARIABLE
#define LUFACT_BINARY_VARIABLE "LUFACT_BINARY"
#endif
inline std::string located(const char* variable, const char* as_built) {
  const char* moved = std::getenv(variable);
  return moved != nullptr ? moved : as_built;
}

// A folder of its own for each test, removed with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "lufact-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path() const { return path_.string(); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// A started program; wait() collects what it printed.
class Running {
 public:
  Running(const TemporaryFolder& folder, const std::vector<std::string>& arguments)
      : out_(folder / "stdout"), err_(folder / "stderr") {
    std::vector<std::string> words{located(LUFACT_BINARY_VARIABLE, LUFACT_BINARY)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(open(out_.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDOUT_FILENO);
      dup2(open(err_.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
      execv(argv[0], argv.data());
      _exit(127);
    }
  }
  pid_t pid() const { return pid_; }
  Outcome wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, read_text(out_), read_text(err_)};
  }

 private:
  pid_t pid_ = -1;
  std::string out_, err_;
};

inline Outcome run_program(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  return Running(folder, arguments).wait();
}

inline nlohmann::json read_json(const std::string& path) {
  return nlohmann::json::parse(read_text(path));
}

// A generated matrix in `folder`.
inline std::string generate(const TemporaryFolder& folder, const std::string& name,
                            std::vector<std::string> kind_and_sizes) {
  const std::string path = folder / name;
  kind_and_sizes.insert(kind_and_sizes.begin(), "generate");
  kind_and_sizes.insert(kind_and_sizes.end(), {"--output", path});
  const Outcome outcome = run_program(kind_and_sizes);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return path;
}

}  // namespace lufact::test
