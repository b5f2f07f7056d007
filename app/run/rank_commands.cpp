// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/rank_commands.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/run/messages.hpp"
#include "core/base/error.hpp"
#include "core/distribution/rank_exchange.hpp"

namespace lufact {
namespace {

using nlohmann::json;

void tell(RankLink& ranks, const char* command) {
  ranks.tell_others(json{{"command", command}}.dump());
}

void check_count(int asked, const RankLink& ranks) {
  if (ranks.size() == asked) return;
  throw Error(Outcome::error, "wrong_ranks",
              fmt::format("the launcher started {} ranks where --ranks asked for {}; --launcher "
                          "must start as many as {{ranks}} says, as one job",
                          ranks.size(), asked));
}

void check_builds(const std::string& build, const RankLink& ranks) {
  for (std::size_t rank = 0; rank < ranks.facts().size(); ++rank) {
    const RankFacts& facts = ranks.facts()[rank];
    if (facts.build == build) continue;
    throw Error(Outcome::error, "other_build",
                fmt::format("rank {} on {} is lufact {}, the program that started it {}; put the "
                            "same build on every host",
                            rank, facts.host, facts.build, build));
  }
}

void check_matrix(const json& request, const std::string& sha256) {
  const Input input = input_from_json(request.at("input"));
  const InputHash found = hash_of_file(input.path);
  if (found.unreadable.empty() && found.sha256 == sha256) return;
  throw Error(
      Outcome::error, "other_matrix",
      fmt::format("the first rank {}; the host on which it runs must have the file that "
                  "lufact was given",
                  found.unreadable.empty() ? "finds another matrix as " + input.path
                                           : "cannot read the matrix: " + found.unreadable));
}

class Follower {
 public:
  Follower(const Workloads& workloads, RankLink& ranks) : workloads_(workloads), ranks_(ranks) {}

  void open(const json& request) {
    assistant_.reset();  // of another input
    search_and_report(ranks_, [&] {
      const Workload& workload =
          workload_named(workloads_, request.at("workload").get<std::string>());
      assistant_ = workload.make_assistant(open_request(request, &ranks_));
      return RankReport();
    });
  }
  void assist() { assistant_->assist(); }
  void release() { assistant_->release(); }

 private:
  const Workloads& workloads_;
  RankLink& ranks_;
  std::unique_ptr<RankAssistant> assistant_;
};

}  // namespace

void check_ranks(const json& open_request, const RankLink& ranks) {
  const json& asked = open_request.at("ranks");
  check_count(asked.at("count").get<int>(), ranks);
  check_builds(asked.at("build").get<std::string>(), ranks);
  check_matrix(open_request, asked.at("sha256").get<std::string>());
}

void tell_to_open(RankLink& ranks, const json& open_request) {
  ranks.tell_others(open_request.dump());
}
void tell_to_attend(RankLink& ranks) {
  tell(ranks, "attend");
  collect_reports(ranks);  // so that no repetition waits for one that sleeps
}
void tell_to_assist(RankLink& ranks) {
  tell(ranks, "assist");
}
void tell_to_release(RankLink& ranks) {
  tell(ranks, "release");
}
void tell_to_end(RankLink& ranks) {
  tell(ranks, "end");
}

std::optional<std::uint64_t> host_limit_of(const json& open_request) {
  const json& limit = open_request.at("ranks").at("host_memory_limit");
  return limit.is_null() ? std::nullopt : std::optional(limit.get<std::uint64_t>());
}

void follow_commands(const Workloads& workloads, RankLink& ranks, const HostLimit& limit) {
  Follower follower(workloads, ranks);
  bool attentive = false;
  for (;;) {
    const json request = json::parse(ranks.await_command(attentive));
    const std::string command = request.at("command").get<std::string>();
    if (command == "end") return;
    if (command == "attend") {
      ranks.send_report({});
      attentive = true;
    }
    if (command == "assist") follower.assist();
    if (command == "release") {
      follower.release();
      attentive = false;
    }
    if (command == "open") {
      limit(host_limit_of(request));
      follower.open(request);
    }
  }
}

}  // namespace lufact
