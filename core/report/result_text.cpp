// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/result_text.hpp"

#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>
#include <system_error>

#include "core/base/error.hpp"
#include "core/matrix/file_bytes.hpp"
#include "core/report/json_fault.hpp"

namespace lufact {
namespace {

Error unreadable(const std::string& path, std::string_view why) {
  return Error(Outcome::error, "bad_result", fmt::format("{}: {}", path, why));
}

class Deflater {
 public:
  Deflater() {
    constexpr int gzip_window = 15 + 16;  // largest window; +16: a gzip wrapper
    constexpr int memory_level = 8;       // zlib's default
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  z_stream& stream() noexcept { return stream_; }

 private:
  z_stream stream_{};
};

// zlib counts both sides of a step in 32 bits.
uInt step_of(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

std::string gzip(const std::string& text) {
  Deflater deflater;
  z_stream& stream = deflater.stream();
  std::string compressed(deflateBound(&stream, text.size()), '\0');
  std::size_t read = 0, written = 0;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    const uInt in = step_of(text.size() - read), out = step_of(compressed.size() - written);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + read));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(compressed.data() + written);
    stream.avail_out = out;
    status = deflate(&stream, read + in == text.size() ? Z_FINISH : Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
  }
  compressed.resize(written);
  return compressed;
}

// Text without alignment, whose numbers look alike: more literal context and no position bits make
// records a seventh smaller than the default does.
std::string xz(const std::string& text) {
  lzma_options_lzma options;
  if (lzma_lzma_preset(&options, LZMA_PRESET_DEFAULT | LZMA_PRESET_EXTREME)) throw std::bad_alloc();
  options.lc = 4;
  options.pb = 0;
  lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
  std::string compressed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t written = 0;
  const lzma_ret status = lzma_stream_buffer_encode(
      filters, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
      text.size(), reinterpret_cast<std::uint8_t*>(compressed.data()), &written, compressed.size());
  if (status != LZMA_OK) throw std::bad_alloc();
  compressed.resize(written);
  return compressed;
}

// Read as a stream, so that `validate <(...)` works too.
std::string bytes_of(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw unreadable(path, "is a folder, not a result file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw unreadable(path, "cannot be opened: " + std::generic_category().message(errno));
  }
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (file.bad()) throw unreadable(path, "cannot be read");
  return std::move(bytes).str();
}

std::string decompressed(std::string bytes, const std::string& path) {
  namespace files = matrix_market;
  const files::Container container = files::recognise(bytes);
  if (container == files::Container::gzip) return std::string(files::gunzip(bytes, path).bytes());
  if (container == files::Container::xz) return std::string(files::unxz(bytes, path).bytes());
  return bytes;
}

std::string read_text(const std::string& path) {
  try {
    return decompressed(bytes_of(path), path);
  } catch (const Error& failure) {  // gunzip and unxz give the code of a bad matrix
    throw Error(Outcome::error, "bad_result", failure.what());
  }
}

}  // namespace

Compression compression_of(std::string_view name) noexcept {
  if (name.ends_with(".gz")) return Compression::gzip;
  return name.ends_with(".xz") ? Compression::xz : Compression::none;
}

std::string compress(const std::string& text, Compression compression) {
  switch (compression) {
    case Compression::gzip:
      return gzip(text);
    case Compression::xz:
      return xz(text);
    case Compression::none:
      break;
  }
  return text;
}

nlohmann::ordered_json read_result_json(const std::string& path) {
  const std::string text = read_text(path);
  if (text.starts_with("%%MatrixMarket")) {
    throw unreadable(path, "is a matrix, not a result file; lufact describe looks at it");
  }
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::parse_error& failure) {
    throw unreadable(path, fmt::format("cannot be read as JSON: {}", json_fault(failure)));
  }
}

}  // namespace lufact
