// SPDX-License-Identifier: BSD-3-Clause
// The bytes of an input file: mapped as they lie on disk, or decompressed into memory.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace lufact::matrix_market {

// A whole file, mapped read-only. A file that another process shortens meanwhile ends this one with
// SIGBUS, as any mapping does.
class MappedFile {
 public:
  // Throws Error{error, "bad_matrix"}: missing, not readable, a directory, not a regular file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const noexcept { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// A growing block of bytes that is never filled before it is written: a std::vector would clear
// every byte of a decompressed file once more.
class ByteBuffer {
 public:
  // Throws std::bad_alloc.
  void reserve(std::size_t capacity);
  void grow() { reserve(capacity_ < 65536 ? 131072 : 2 * capacity_); }
  void set_size(std::size_t size) noexcept { size_ = size; }

  char* data() noexcept { return data_.get(); }
  std::size_t capacity() const noexcept { return capacity_; }
  std::string_view bytes() const noexcept { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(char* block) const noexcept { std::free(block); }
  };
  std::unique_ptr<char, Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

enum class Container { none, gzip, xz, tar };

// The container format that the first bytes of a file show. An old tar without the "ustar" mark is
// not known.
Container recognise(std::string_view bytes) noexcept;

// "a zip archive" and the like where `bytes` start as a format that lufact does not read; else
// empty.
std::string_view foreign_format(std::string_view bytes) noexcept;

// The whole content; every member of a gzip file and every stream of an xz file. Both throw
// Error{error, "bad_matrix"} naming `name` where the data are damaged or end too early, and
// std::bad_alloc.
ByteBuffer gunzip(std::string_view compressed, const std::string& name);
ByteBuffer unxz(std::string_view compressed, const std::string& name);

}  // namespace lufact::matrix_market
