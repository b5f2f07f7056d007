// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "app/config/value_checks.hpp"
#include "app/input/collection.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

struct FetchOptions {
  std::vector<std::string> names;
  std::optional<std::string> search, output, url;
  int limit = 40;
  bool download = false, offline = false, recheck = false, print_path = false;
};

// The words of the script, which has the same options.
std::vector<std::string> words_of(const FetchOptions& options) {
  std::vector<std::string> words = options.names;
  const auto add = [&](const char* name, const std::optional<std::string>& value) {
    if (value) words.insert(words.end(), {name, *value});
  };
  const auto add_flag = [&](const char* name, bool given) {
    if (given) words.emplace_back(name);
  };
  add("--search", options.search);
  add("--output", options.output.value_or(matrix_cache().string()));
  add("--url", options.url);
  if (options.search) add("--limit", fmt::format("{}", options.limit));
  add_flag("--download", options.download);
  add_flag("--offline", options.offline);
  add_flag("--recheck", options.recheck);
  add_flag("--print-path", options.print_path);
  return words;
}

int run_fetch(const FetchOptions& options) {
  if (options.limit < 0) throw UsageError("--limit is out of range; accepted: 0 or more");
  if (options.names.empty() != options.search.has_value()) {
    throw UsageError("give names of matrices, or --search 'n<1e5 kind=circuit'");
  }
  if (options.download && !options.search) {
    throw UsageError("--download is for what --search finds; names are fetched without it");
  }
  const int status = run_fetch_script(words_of(options));
  return status == exit_status::internal ? exit_status::no_input : status;
}

}  // namespace

Command add_fetch_command(CLI::App& app) {
  const auto options = std::make_shared<FetchOptions>();
  CLI::App* command = app.add_subcommand(
      "fetch", "Fetch matrices of the SuiteSparse Matrix Collection, or search for them");
  command->add_option("matrix", options->names, "Group/Name, or a name that only one group has");
  command
      ->add_option("--search", options->search,
                   "Print matrices for which every condition holds; fields: n, cols, nnz, psym, "
                   "nsym, posdef, real, binary, square, group, name, kind")
      ->type_name("CONDITIONS");
  command->add_option("--limit", options->limit, "Matrices that a search prints; 0: all")
      ->capture_default_str();
  command->add_flag("--download", options->download, "Fetch what --search finds");
  command
      ->add_option("--output", options->output,
                   "Folder for GROUP/NAME.mtx (default: lufact/matrices in the user's cache, where "
                   "lufact run finds them by Group/Name)")
      ->type_name("FOLDER");
  command->add_flag("--print-path", options->print_path, "Print where each matrix lies");
  command->add_flag("--offline", options->offline, "Use no network: what is there already");
  command->add_flag("--recheck", options->recheck, "Read files that are there again");
  command
      ->add_option("--url", options->url,
                   "Of the collection or a copy of it (default: LUFACT_COLLECTION_URL, or "
                   "https://sparse.tamu.edu)")
      ->type_name("URL");
  command->footer(
      "Examples:\n"
      "  lufact fetch Hamm/memplus\n"
      "  lufact fetch --search 'n<1e5 kind=circuit square=1'\n"
      "  lufact fetch --search 'group=Rajat nnz<5e5' --download\n"
      "  lufact run Hamm/memplus --peer klu");
  return {command, [options] { return run_fetch(*options); }};
}

}  // namespace lufact
