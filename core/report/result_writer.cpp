// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/result_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.hpp"
#include "core/report/record_json.hpp"
#include "core/report/result_text.hpp"

namespace lufact {

namespace fs = std::filesystem;

FileHandle::FileHandle(FileHandle&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    reset();
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

void FileHandle::reset() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

namespace {

constexpr int stdout_descriptor = 1;

std::string reason() {
  return std::generic_category().message(errno);
}

UsageError bad_output(const std::string& output, const std::string& why) {
  return UsageError(fmt::format(
      "--output {}: {}; give a file in a folder that exists and can be written, or - for stdout",
      output, why));
}

Error failed(const fs::path& path, std::string_view what) {
  return Error(Outcome::error, "output_failed",
               fmt::format("cannot {} {}: {}", what, path.string(), reason()));
}

// Whether all of `text` was written; errno says why not.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

FileHandle open_file(const fs::path& path, int flags) {
  constexpr mode_t mode = 0666;  // the user's umask decides
  return FileHandle(::open(path.c_str(), flags | O_CLOEXEC, mode));
}

// A rename is on disk only when its folder is. Some file systems cannot sync a folder; the file's
// content is safe all the same.
void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const FileHandle handle = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (handle.is_open()) ::fsync(handle.get());
}

fs::path journal_of(const fs::path& file) {
  fs::path journal = file;
  if (compression_of(file.native()) != Compression::none) journal.replace_extension();
  if (journal.extension() == ".json") return journal.replace_extension(".jsonl");
  return journal += ".jsonl";
}

fs::path temporary_of(const fs::path& path) {
  return path.string() + fmt::format(".tmp.{}", ::getpid());
}

// A new file with `text`, on disk; not open, with errno, where that failed.
FileHandle write_synced(const fs::path& path, std::string_view text) {
  FileHandle handle = open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
  if (handle.is_open() && write_all(handle.get(), text) && ::fsync(handle.get()) == 0)
    return handle;
  return FileHandle();
}

// A run, or nothing where `json` is none that this program wrote.
std::optional<RunRecord> run_or_nothing(const nlohmann::ordered_json& json) {
  try {
    return run_from_json(json);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

struct EarlierRuns {
  std::vector<RunRecord> runs;
  bool foreign = false;  // something stands there that is not ours to drop

  void add(const nlohmann::ordered_json& json) {
    auto run = run_or_nothing(json);
    foreign = foreign || !run.has_value();
    if (run) runs.push_back(std::move(*run));
  }
};

EarlierRuns runs_of_journal(const fs::path& path) {
  EarlierRuns earlier;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (file.eof()) break;  // no newline: a crash cut it short
    earlier.add(nlohmann::ordered_json::parse(line, nullptr, false));
  }
  return earlier;
}

// Discarded where `path` holds no JSON that can be read.
nlohmann::ordered_json json_or_nothing(const fs::path& path) {
  try {
    return read_result_json(path.string());
  } catch (const Error&) {
    return nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded);
  }
}

EarlierRuns runs_of_file(const fs::path& path) {
  EarlierRuns earlier;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return earlier;
  const nlohmann::ordered_json json = json_or_nothing(path);
  earlier.foreign = !json.is_object() || !json.contains("runs") || !json.at("runs").is_array();
  if (earlier.foreign) return earlier;
  for (const auto& entry : json.at("runs")) earlier.add(entry);
  return earlier;
}

}  // namespace

ResultWriter::ResultWriter(const std::string& output) {
  if (output == "-") return;
  name_files(output);
  if (journal_.empty()) return;
  try {
    open_journal();
  } catch (const std::system_error& failure) {
    throw bad_output(output, failure.what());
  }
}

ResultWriter::ResultWriter(const std::string& output, const Judge& judge) {
  name_files(output);
  if (journal_.empty()) throw bad_output(output, "only a regular file can be resumed");
  try {
    journal_handle_ = locked_journal();
    take_earlier_runs(judge);
  } catch (const std::system_error& failure) {
    throw bad_output(output, failure.what());
  }
}

// Sets file_, and journal_ where there is to be one.
void ResultWriter::name_files(const std::string& output) {
  if (output.empty()) throw bad_output("\"\"", "the name is empty");
  std::error_code error;
  // Through symbolic links, so that renaming replaces what they point to and not the link.
  file_ = fs::weakly_canonical(output, error);
  if (error) throw bad_output(output, error.message());
  const fs::file_status status = fs::status(file_, error);
  if (fs::is_directory(status)) throw bad_output(output, "it is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (::access(file_.c_str(), W_OK) != 0) throw bad_output(output, reason());
    return;
  }
  if (output.back() == '/') throw bad_output(output, "it names a folder");
  journal_ = journal_of(file_);
}

// Throws std::system_error whose text says what failed.
FileHandle ResultWriter::locked_journal() const {
  FileHandle handle = open_file(journal_, O_WRONLY | O_CREAT | O_APPEND);
  if (!handle.is_open()) {
    throw std::system_error(errno, std::generic_category(), "cannot write " + journal_.string());
  }
  if (::flock(handle.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw std::system_error(errno, std::generic_category(),
                            "another process is writing " + journal_.string());
  }
  return handle;
}

void ResultWriter::open_journal() {
  journal_handle_ = locked_journal();
  struct stat facts {};
  if (::fstat(journal_handle_.get(), &facts) != 0 || facts.st_size == 0) return;
  kept_journal_ = journal_.string() + ".previous";
  fs::rename(journal_, *kept_journal_);
  journal_handle_ = locked_journal();
}

// Whatever moment a crash takes, every run that counts is in the journal or in the whole file.
void ResultWriter::take_earlier_runs(const Judge& judge) {
  std::string kept;
  const auto sift = [&](const EarlierRuns& earlier) {
    bool set_aside = earlier.foreign;
    for (const RunRecord& run : earlier.runs) {
      const Earlier verdict = judge(run);
      set_aside = set_aside || verdict == Earlier::set_aside;
      if (verdict != Earlier::counts) continue;
      earlier_runs_.push_back(run);
      kept += dump_json(to_json(run)) + "\n";
    }
    return set_aside;
  };
  const bool journal_aside = sift(runs_of_journal(journal_));
  const bool file_aside = sift(runs_of_file(file_));
  const auto previous = [](const fs::path& path) { return path.string() + ".previous"; };
  if (journal_aside) {
    fs::copy_file(journal_, previous(journal_), fs::copy_options::overwrite_existing);
    kept_journal_ = previous(journal_);
  }
  replace_journal(kept);
  if (file_aside) {
    fs::rename(file_, previous(file_));
    kept_journal_ = previous(file_);
  }
}

void ResultWriter::replace_journal(const std::string& text) {
  const fs::path temporary = temporary_of(journal_);
  FileHandle handle = write_synced(temporary, text);
  if (!handle.is_open() || ::flock(handle.get(), LOCK_EX | LOCK_NB) != 0 ||
      ::rename(temporary.c_str(), journal_.c_str()) != 0) {
    const Error failure = failed(journal_, "write");
    ::unlink(temporary.c_str());
    throw failure;
  }
  sync_folder_of(journal_);
  journal_handle_ = std::move(handle);
  journal_bytes_ = static_cast<long long>(text.size());
}

ResultWriter::~ResultWriter() {
  if (journal_handle_.is_open() && journal_bytes_ == 0) ::unlink(journal_.c_str());
}

void ResultWriter::append(const RunRecord& run) {
  if (!journal_handle_.is_open()) return;
  const std::string line = dump_json(to_json(run)) + "\n";
  if (!write_all(journal_handle_.get(), line) || ::fsync(journal_handle_.get()) != 0) {
    const Error failure = failed(journal_, "write");
    // Half a line must not stay: the journal's readers trust every line.
    if (::ftruncate(journal_handle_.get(), journal_bytes_) != 0) throw failed(journal_, "repair");
    throw failure;
  }
  journal_bytes_ += static_cast<long long>(line.size());
}

void ResultWriter::finish(const ResultFile& file) {
  const std::string content =
      compress(dump_json(to_json(file), 1) + "\n", compression_of(file_.native()));
  if (file_.empty()) {
    if (!write_all(stdout_descriptor, content)) throw failed("stdout", "write");
    return;
  }
  if (!journal_handle_.is_open()) {
    const FileHandle handle = open_file(file_, O_WRONLY);
    if (!handle.is_open() || !write_all(handle.get(), content)) throw failed(file_, "write");
    return;
  }
  replace_file(content);
  ::unlink(journal_.c_str());
  journal_handle_.reset();
}

void ResultWriter::replace_file(const std::string& content) const {
  const fs::path temporary = temporary_of(file_);
  const auto fail = [&](std::string_view what) {
    const Error failure = failed(file_, what);
    ::unlink(temporary.c_str());
    return failure;
  };
  if (!write_synced(temporary, content).is_open()) throw fail("write");
  if (::rename(temporary.c_str(), file_.c_str()) != 0) throw fail("put in place");
  sync_folder_of(file_);
}

std::vector<RunRecord> read_earlier_runs(const std::string& output) {
  std::vector<RunRecord> runs = runs_of_journal(journal_of(output)).runs;
  for (RunRecord& run : runs_of_file(output).runs) runs.push_back(std::move(run));
  return runs;
}

}  // namespace lufact
