// SPDX-License-Identifier: BSD-3-Clause
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "core/matrix/file_bytes.hpp"
#include "core/matrix/source_text.hpp"

namespace lufact::matrix_market {
namespace {

// zlib counts input and output in 32 bits.
constexpr std::size_t largest_step = std::size_t{1} << 30;

std::size_t first_capacity(std::size_t compressed) noexcept {
  return std::max<std::size_t>(65536, std::min(compressed, SIZE_MAX / 8) * 4);
}

class Inflater {
 public:
  Inflater() {
    // 15: largest window; +16: a gzip wrapper, whose checksum zlib verifies.
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& stream() noexcept { return stream_; }

 private:
  z_stream stream_{};
};

class XzDecoder {
 public:
  XzDecoder() {
    if (lzma_stream_decoder(&stream_, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }
  ~XzDecoder() { lzma_end(&stream_); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;
  lzma_stream& stream() noexcept { return stream_; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

// Inflates one gzip member from `compressed[begin..)` to the end of `output`; returns where the
// next member would start.
std::size_t inflate_member(std::string_view compressed, std::size_t begin, ByteBuffer& output,
                           const std::string& name) {
  Inflater inflater;
  z_stream& stream = inflater.stream();
  std::size_t read = begin, written = output.bytes().size();
  while (true) {
    if (written == output.capacity()) output.grow();
    const std::size_t in = std::min(compressed.size() - read, largest_step);
    const std::size_t out = std::min(output.capacity() - written, largest_step);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + read));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(output.data() + written);
    stream.avail_out = static_cast<uInt>(out);
    const int status = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
    output.set_size(written);
    if (status == Z_STREAM_END) return read;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_BUF_ERROR) fail(name, "the gzip data are corrupt");
    if (read == compressed.size() && stream.avail_out != 0) {
      fail(name, "the gzip data end too early (truncated file?)");
    }
  }
}

}  // namespace

ByteBuffer gunzip(std::string_view compressed, const std::string& name) {
  ByteBuffer output;
  output.reserve(first_capacity(compressed.size()));
  std::size_t position = inflate_member(compressed, 0, output, name);
  while (position < compressed.size()) {
    const std::string_view rest = compressed.substr(position);
    // Zeros after the last member are padding of tapes and block devices.
    if (rest.find_first_not_of('\0') == std::string_view::npos) break;
    if (recognise(rest) != Container::gzip) fail(name, "garbage follows the gzip data");
    position = inflate_member(compressed, position, output, name);
  }
  return output;
}

ByteBuffer unxz(std::string_view compressed, const std::string& name) {
  ByteBuffer output;
  output.reserve(first_capacity(compressed.size()));
  XzDecoder decoder;
  lzma_stream& stream = decoder.stream();
  stream.next_in = reinterpret_cast<const std::uint8_t*>(compressed.data());
  stream.avail_in = compressed.size();
  std::size_t written = 0;
  while (true) {
    if (written == output.capacity()) output.grow();
    const std::size_t out = output.capacity() - written;
    stream.next_out = reinterpret_cast<std::uint8_t*>(output.data() + written);
    stream.avail_out = out;
    const lzma_ret status = lzma_code(&stream, LZMA_FINISH);
    written += out - stream.avail_out;
    output.set_size(written);
    if (status == LZMA_STREAM_END) return output;
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (status == LZMA_BUF_ERROR) fail(name, "the xz data end too early (truncated file?)");
    if (status == LZMA_OPTIONS_ERROR) fail(name, "the xz data need a newer liblzma");
    if (status != LZMA_OK) fail(name, "the xz data are corrupt");
  }
}

}  // namespace lufact::matrix_market
