// SPDX-License-Identifier: BSD-3-Clause
// Puts a result file on disk so that a crash costs no finished run and no half file is ever seen.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/report/result_file.hpp"

namespace lufact {

// An open file descriptor.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) noexcept : descriptor_(descriptor) {}
  ~FileHandle() { reset(); }
  FileHandle(FileHandle&& other) noexcept;
  FileHandle& operator=(FileHandle&& other) noexcept;
  bool is_open() const noexcept { return descriptor_ >= 0; }
  int get() const noexcept { return descriptor_; }
  void reset() noexcept;

 private:
  int descriptor_ = -1;
};

// For an output NAME.json: finished runs go to the journal NAME.jsonl, one synced line each;
// finish() writes NAME.json under a temporary name beside it, syncs and renames it, and removes the
// journal. An existing NAME.json stays as it is until then. A writer that is destroyed without
// finish() leaves a journal that holds runs. A journal that an earlier, interrupted invocation left
// becomes NAME.jsonl.previous. The output "-" (stdout) and files that are not regular (a pipe, a
// terminal, /dev/null) are written once, by finish(), and have no journal.
class ResultWriter {
 public:
  // Throws UsageError where the output cannot be written, or another process is writing it.
  explicit ResultWriter(const std::string& output);
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  // Throws Error{error, "output_failed"}; the journal then ends with the last whole run.
  void append(const RunRecord& run);
  // Throws Error{error, "output_failed"}; the journal and an existing file stay.
  void finish(const ResultFile& file);

  // Where an interrupted invocation's runs were moved to, for a warning; empty mostly.
  const std::optional<std::filesystem::path>& kept_journal() const noexcept {
    return kept_journal_;
  }

 private:
  void open_journal();
  void replace_file(const std::string& text) const;

  std::filesystem::path file_;     // where the whole file goes; empty: stdout
  std::filesystem::path journal_;  // empty: no journal
  std::optional<std::filesystem::path> kept_journal_;
  FileHandle journal_handle_;
  long long journal_bytes_ = 0;  // whole lines
};

}  // namespace lufact
