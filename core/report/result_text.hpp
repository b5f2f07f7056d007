// SPDX-License-Identifier: BSD-3-Clause
// The text of a result file on disk: NAME.json as it is, NAME.json.gz or NAME.json.xz compressed.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lufact {

enum class Compression { none, gzip, xz };

// What the name's ending asks for: gzip for .gz, xz for .xz.
Compression compression_of(std::string_view name) noexcept;

// `text` as a file of that compression holds it. Throws std::bad_alloc.
std::string compress(const std::string& text, Compression compression);

// The result file at `path`, whose first bytes say how it is compressed: a renamed file is read all
// the same. Throws Error{error, "bad_result"} whose message begins with `path`: it cannot be read,
// its compressed data are damaged or end too early, or it holds no JSON.
nlohmann::ordered_json read_result_json(const std::string& path);

}  // namespace lufact
