// SPDX-License-Identifier: BSD-3-Clause
// Sizes in bytes as people write them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace lufact {

// "16GiB", "512 MB", "1048576": a non-negative number, then nothing, B, or one of KiB MiB GiB TiB
// (powers of 1024) and kB MB GB TB (powers of 1000). Throws std::invalid_argument naming the text
// and the accepted forms.
std::uint64_t parse_byte_size(std::string_view text);

// "1.50 GiB", "312 B": for messages and tables, never for the result file.
std::string format_byte_size(std::uint64_t bytes);

}  // namespace lufact
