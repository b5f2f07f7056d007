// SPDX-License-Identifier: BSD-3-Clause
#include "core/generate/output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace lufact::generate {

// A zlib stream with a gzip header, whose time field zlib leaves zero.
struct OutputFile::Deflater {
  z_stream stream{};
  std::vector<unsigned char> buffer = std::vector<unsigned char>(std::size_t{1} << 18);

  Deflater() {
    constexpr int kGzipWindow = 15 + 16;
    constexpr int kMemoryLevel = 8;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Compresses `text` (less than 4 GiB) and hands each full buffer, or at the end the rest, to
  // sink.
  template <class Sink>
  void compress(std::string_view text, bool last, const Sink& sink) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    int status = Z_OK;
    do {
      stream.next_out = buffer.data();
      stream.avail_out = static_cast<uInt>(buffer.size());
      status = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
      sink(buffer.data(), buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0 || (last && status != Z_STREAM_END));
  }
};

OutputFile::OutputFile(std::string path, bool gzip)
    : path_(std::move(path)), temporary_(fmt::format("{}.{}.part", path_, getpid())) {
  if (gzip) deflater_ = std::make_unique<Deflater>();
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) fail("open");
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) {
    std::fclose(file_);
    std::remove(temporary_.c_str());
  }
}

void OutputFile::fail(const std::string& action) const {
  throw Error(Outcome::error, "cannot_write",
              fmt::format("cannot {} {}: {}", action, path_, std::strerror(errno)));
}

void OutputFile::write_raw(const void* data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, file_) != bytes) fail("write");
}

void OutputFile::write(std::string_view text) {
  if (!deflater_) return write_raw(text.data(), text.size());
  constexpr std::size_t kChunk = std::numeric_limits<uInt>::max();
  for (; !text.empty(); text.remove_prefix(std::min(kChunk, text.size()))) {
    deflater_->compress(text.substr(0, kChunk), false,
                        [&](const void* data, std::size_t bytes) { write_raw(data, bytes); });
  }
}

void OutputFile::commit() {
  if (deflater_) {
    deflater_->compress({}, true,
                        [&](const void* data, std::size_t bytes) { write_raw(data, bytes); });
  }
  const bool flushed = std::fflush(file_) == 0;
  if (!flushed) fail("write");
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (!closed || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    std::remove(temporary_.c_str());
    errno = reason;
    fail(closed ? "rename" : "close");
  }
}

}  // namespace lufact::generate
