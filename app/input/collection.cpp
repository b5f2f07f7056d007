// SPDX-License-Identifier: BSD-3-Clause
#include "app/input/collection.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/error.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

constexpr const char* script_name = "fetch_matrix";
constexpr int most_levels_up = 4;  // from build/NAME/app to the checkout

bool is_name(const std::string& text) {
  return !text.empty() && text.front() != '.' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '+' || c == '.';
         });
}

std::vector<fs::path> script_folders() {
  std::vector<fs::path> folders;
  if (const char* given = std::getenv("LUFACT_SCRIPTS")) folders.emplace_back(given);
  std::error_code ignored;
  fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  folders.push_back(folder.parent_path() / "share/lufact/scripts");
  for (int level = 0; level < most_levels_up; ++level) {
    folder = folder.parent_path();
    folders.push_back(folder / "scripts");
  }
  return folders;
}

std::string fetch_script() {
  std::error_code ignored;
  for (const fs::path& folder : script_folders()) {
    if (fs::is_regular_file(folder / script_name, ignored)) return (folder / script_name).string();
  }
  throw Error(
      Outcome::error, "bad_matrix",
      fmt::format("the script {} that fetches matrices is not beside this program; name its "
                  "folder by LUFACT_SCRIPTS",
                  script_name));
}

}  // namespace

fs::path matrix_cache() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return fs::path(cache) / "lufact/matrices";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / ".cache/lufact/matrices";
  throw UsageError("neither XDG_CACHE_HOME nor HOME says where matrices are to be kept");
}

bool is_collection_name(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return false;
  const std::string group = text.substr(0, slash), name = text.substr(slash + 1);
  if (!is_name(group) || !is_name(name)) return false;
  for (const char* ending : {".mtx", ".gz", ".xz", ".tgz"}) {
    if (name.ends_with(ending)) return false;
  }
  return true;
}

std::string path_of_matrix(const std::string& text) {
  std::error_code ignored;
  if (is_name(text) && text.find('.') == std::string::npos && !fs::exists(text, ignored)) {
    throw Error(Outcome::error, "bad_matrix",
                fmt::format("{}: there is no such file; a matrix of the SuiteSparse collection is "
                            "named Group/{}, and `lufact fetch --search name={}` looks for it",
                            text, text, text));
  }
  if (!is_collection_name(text) || fs::exists(text, ignored)) return text;
  const fs::path cache = matrix_cache();
  const std::string file = (cache / (text + ".mtx")).string();
  if (fs::is_regular_file(file, ignored)) return file;
  const int status = run_fetch_script({text, "--output", cache.string()});
  if (status == 0 && fs::is_regular_file(file, ignored)) return file;
  throw Error(Outcome::error, "bad_matrix",
              fmt::format("{}: there is no such file, and it could not be fetched from the "
                          "collection (see above); `lufact fetch --search name={}` looks for it",
                          text, text.substr(text.find('/') + 1)));
}

int run_fetch_script(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"python3", fetch_script()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int fault = posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ);
  if (fault != 0) {
    throw Error(Outcome::error, "bad_matrix",
                fmt::format("python3, which fetches matrices, cannot be started: {}",
                            std::strerror(fault)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace lufact
