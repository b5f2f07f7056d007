// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "core/matrix/source_text.hpp"

namespace lufact::matrix_market {
namespace {

// Not blocking, so that a pipe is refused instead of waited for.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail_with_errno(const std::string& path, std::string_view what) {
  fail(path, fmt::format("{}: {}", what, std::strerror(errno)));
}

constexpr std::string_view gzip_magic("\x1f\x8b", 2);
constexpr std::string_view xz_magic(
    "\xfd"
    "7zXZ\0",
    6);
constexpr std::size_t tar_magic_offset = 257;

using Magic = std::pair<std::string_view, std::string_view>;
constexpr std::array<Magic, 8> foreign_magics{{
    {std::string_view("BZh", 3), "a bzip2 file"},
    {std::string_view("\x28\xb5\x2f\xfd", 4), "a Zstandard file"},
    {std::string_view("PK\x03\x04", 4), "a zip archive"},
    {std::string_view("7z\xbc\xaf\x27\x1c", 6), "a 7z archive"},
    {std::string_view("\x89HDF", 4), "an HDF5 file"},
    {std::string_view("MATLAB 5.0 MAT-file", 19), "a MATLAB file"},
    {std::string_view("\x7f"
                      "ELF",
                      4),
     "a program"},
    {std::string_view("version https://git-lfs", 23), "a Git LFS pointer, not the file itself"},
}};

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file(path);
  if (file.get() < 0) fail_with_errno(path, "cannot be opened");
  struct stat facts {};
  if (fstat(file.get(), &facts) != 0) fail_with_errno(path, "cannot be examined");
  if (S_ISDIR(facts.st_mode)) fail(path, "is a directory, not a matrix file");
  if (!S_ISREG(facts.st_mode)) fail(path, "is not a regular file");
  if (facts.st_size == 0) return;
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapped == MAP_FAILED) fail_with_errno(path, "cannot be mapped");
  data_ = mapped;
  size_ = size;
  madvise(data_, size_, MADV_WILLNEED);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, size_);
}

void ByteBuffer::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  char* const grown = static_cast<char*>(std::realloc(data_.get(), capacity));
  if (grown == nullptr) throw std::bad_alloc();
  static_cast<void>(data_.release());
  data_.reset(grown);
  capacity_ = capacity;
}

Container recognise(std::string_view bytes) noexcept {
  if (bytes.starts_with(gzip_magic)) return Container::gzip;
  if (bytes.starts_with(xz_magic)) return Container::xz;
  if (bytes.size() > tar_magic_offset && bytes.substr(tar_magic_offset).starts_with("ustar")) {
    return Container::tar;
  }
  return Container::none;
}

std::string_view foreign_format(std::string_view bytes) noexcept {
  for (const auto& [magic, what] : foreign_magics) {
    if (bytes.starts_with(magic)) return what;
  }
  return {};
}

}  // namespace lufact::matrix_market
