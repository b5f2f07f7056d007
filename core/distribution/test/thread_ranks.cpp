// SPDX-License-Identifier: BSD-3-Clause
#include "core/distribution/test/thread_ranks.hpp"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace lufact::test {
namespace {

using Bytes = std::vector<char>;

// What ranks have sent and not received yet.
class Mail {
 public:
  template <class T>
  using Boxes = std::map<std::pair<Index, Index>, std::deque<T>>;  // by sender and receiver

  template <class T>
  void put(Boxes<T>& boxes, Index from, Index to, T message) {
    const std::lock_guard lock(mutex_);
    boxes[{from, to}].push_back(std::move(message));
    arrived_.notify_all();
  }

  template <class T>
  T take(Boxes<T>& boxes, Index from, Index to) {
    std::unique_lock lock(mutex_);
    auto& box = boxes[{from, to}];
    arrived_.wait(lock, [&] { return !box.empty(); });
    T message = std::move(box.front());
    box.pop_front();
    return message;
  }

  Boxes<Bytes> bytes;
  Boxes<RankReport> reports;

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
};

class ThreadRank final : public RankGroup {
 public:
  ThreadRank(Mail& mail, Index rank, Index size) : mail_(mail), rank_(rank), size_(size) {}

  Index rank() const override { return rank_; }
  Index size() const override { return size_; }
  const std::string& host(Index) const override { return host_; }
  std::string_view transport() const override { return "mpi"; }
  Index ranks_on_host() const override { return size_; }
  Index place_on_host() const override { return rank_; }
  void call_others() override {}

  void broadcast(void* data, std::uint64_t bytes) override {
    if (rank_ > 0) return receive(0, data, bytes);
    for (Index to = 1; to < size_; ++to) send(to, data, bytes);
  }
  void send(Index to, const void* data, std::uint64_t bytes) override {
    const auto* const begin = static_cast<const char*>(data);
    mail_.put(mail_.bytes, rank_, to, Bytes(begin, begin + bytes));
  }
  void receive(Index from, void* data, std::uint64_t bytes) override {
    const Bytes message = mail_.take(mail_.bytes, from, rank_);
    if (message.size() != bytes) throw std::logic_error("a message of another size");
    if (bytes > 0) std::memcpy(data, message.data(), bytes);
  }
  void send_report(const RankReport& report) override {
    mail_.put(mail_.reports, rank_, 0, report);
  }
  RankReport receive_report(Index from) override { return mail_.take(mail_.reports, from, 0); }

 private:
  Mail& mail_;
  Index rank_, size_;
  std::string host_ = "here";
};

}  // namespace

void run_on_ranks(Index size, const std::function<void(RankGroup&)>& body) {
  Mail mail;
  std::exception_ptr thrown;
  {
    std::vector<std::jthread> others;
    for (Index rank = 1; rank < size; ++rank) {
      others.emplace_back([&mail, &body, rank, size] {
        ThreadRank group(mail, rank, size);
        body(group);
      });
    }
    ThreadRank first(mail, 0, size);
    try {
      body(first);
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace lufact::test
