// SPDX-License-Identifier: BSD-3-Clause
// Puts a result file on disk so that a crash costs no finished run and no half file is ever seen.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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

// For an output NAME.json, NAME.json.gz or NAME.json.xz (compressed as its ending says, read below
// as NAME.json): finished runs go to the journal NAME.jsonl, one synced line each;
// finish() writes NAME.json under a temporary name beside it, syncs and renames it, and removes the
// journal. An existing NAME.json stays as it is until then. A writer that is destroyed without
// finish() leaves a journal that holds runs. A journal that an earlier, interrupted invocation left
// becomes NAME.jsonl.previous, unless the writer is told to go on with it. The output "-" (stdout)
// and files that are not regular (a pipe, a terminal, /dev/null) are written once, by finish(), and
// have no journal.
class ResultWriter {
 public:
  // Throws UsageError where the output cannot be written, or another process is writing it.
  explicit ResultWriter(const std::string& output);
  // What becomes of a run that an earlier invocation left: it counts, it is of no more use, or it
  // answers another question (another build, another configuration) and is kept apart.
  enum class Earlier { counts, drop, set_aside };
  using Judge = std::function<Earlier(const RunRecord&)>;
  // Goes on with what stands in NAME.jsonl and NAME.json, in that order: runs that count are in the
  // journal from the start. Files with runs to set aside, or with what is no run of this program,
  // are kept as .previous. A last line that a crash cut short is dropped. `output` is a regular
  // file's name.
  ResultWriter(const std::string& output, const Judge& judge);
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  // Throws Error{error, "output_failed"}; the journal then ends with the last whole run.
  void append(const RunRecord& run);
  // Throws Error{error, "output_failed"}; the journal and an existing file stay.
  void finish(const ResultFile& file);

  // The runs that count, as earlier invocations left them.
  const std::vector<RunRecord>& earlier_runs() const noexcept { return earlier_runs_; }

  // Where an interrupted invocation's runs were moved to, for a warning; empty mostly.
  const std::optional<std::filesystem::path>& kept_journal() const noexcept {
    return kept_journal_;
  }

 private:
  void name_files(const std::string& output);
  FileHandle locked_journal() const;
  void open_journal();
  void take_earlier_runs(const Judge& judge);
  void replace_journal(const std::string& text);
  void replace_file(const std::string& content) const;

  std::filesystem::path file_;     // where the whole file goes; empty: stdout
  std::filesystem::path journal_;  // empty: no journal
  std::optional<std::filesystem::path> kept_journal_;
  FileHandle journal_handle_;
  long long journal_bytes_ = 0;  // whole lines
  std::vector<RunRecord> earlier_runs_;
};

// The runs that NAME.jsonl and NAME.json hold, journal first; none where there is neither. Lines
// and files that hold no such runs, such as a line cut short by a crash, are left out.
std::vector<RunRecord> read_earlier_runs(const std::string& output);

}  // namespace lufact
