// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace lufact {

struct ProgramResult {
  std::string out;    // standard output
  std::string fault;  // empty where it ended with status 0; else how it ended
  bool not_found = false;
  std::uint64_t peak_resident_bytes = 0;
};

// Runs `command` with the shell, its standard input empty, and waits for it. Standard error goes to
// `error_file`. The program dies with this process.
ProgramResult run_program(const std::string& command, const std::filesystem::path& error_file);

// `text` as one word of the shell.
std::string shell_word(std::string_view text);

}  // namespace lufact
