// SPDX-License-Identifier: BSD-3-Clause
// lufact-rank: one of the processes of `lufact run --ranks`, which a launcher starts. Nobody calls
// it by hand. The first rank serves the supervisor over standard input and output as a worker does;
// the others follow the first.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "app/ranks/mpi_ranks.hpp"
#include "app/ranks/rank_watch.hpp"
#include "app/run/messages.hpp"
#include "app/run/worker.hpp"
#include "app/workloads.hpp"
#include "core/base/heap.hpp"

namespace lufact {
namespace {

// Standard output is for answers: what a library prints goes to standard error.
AnswerStream take_standard_output() {
  const int descriptor = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return {descriptor, AnswerStream::Form::marked_records};
}

nlohmann::ordered_json ranks_message(const RankLink& ranks) {
  auto hosts = nlohmann::ordered_json::array();
  for (const RankFacts& facts : ranks.facts()) hosts.push_back(facts.host);
  return {{"type", "ranks"}, {"hosts", hosts}};
}

void lead(RankLink& ranks, const AnswerStream& answers, const HostLimit& limit) {
  answers.send(ranks_message(ranks));
  serve_as_first_rank(make_workloads(), ranks, answers, limit);
  tell_to_end(ranks);
}

// What a rank cannot tell the first one ends all, after it has told the supervisor.
void follow(RankLink& ranks, const std::string& name, const AnswerStream& answers,
            const HostLimit& limit) {
  try {
    follow_commands(make_workloads(), ranks, limit);
  } catch (const Error& error) {
    answers.send(failed_message(error.outcome(), error.code(),
                                fmt::format("{}: {}", name, error.what()), ""));
    ranks.abort();
  } catch (const std::exception& error) {
    answers.send(failed_message(
        Outcome::error, "internal",
        fmt::format("{}: internal error: {}; please report it", name, error.what()), ""));
    ranks.abort();
  }
}

int run_rank(int argc, char** argv) {
  keep_freed_memory();
  const AnswerStream answers = take_standard_output();
  MpiRanks ranks(&argc, &argv);
  const std::string name = fmt::format("rank {} on {}", ranks.rank(), ranks.host(ranks.rank()));
  RankWatch watch(answers, name);
  const HostLimit limit = [&](std::optional<std::uint64_t> bytes) { watch.set_limit(bytes); };
  if (ranks.rank() == 0) {
    lead(ranks, answers, limit);
  } else {
    follow(ranks, name, answers, limit);
  }
  return 0;
}

}  // namespace
}  // namespace lufact

int main(int argc, char** argv) {
  return lufact::run_rank(argc, argv);
}
