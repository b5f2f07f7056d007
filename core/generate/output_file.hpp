// SPDX-License-Identifier: BSD-3-Clause
// A file that appears whole or not at all, written plainly or through gzip.
#pragma once
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace lufact::generate {

class OutputFile {
 public:
  // Opens a new file beside `path`. Throws Error{error, "cannot_write"}, as every member does.
  OutputFile(std::string path, bool gzip);
  // Removes the new file unless commit() put it in place.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  // Flushes, closes and renames to `path`.
  void commit();

 private:
  struct Deflater;
  void write_raw(const void* data, std::size_t bytes);
  [[noreturn]] void fail(const std::string& action) const;

  std::string path_, temporary_;
  std::FILE* file_ = nullptr;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace lufact::generate
