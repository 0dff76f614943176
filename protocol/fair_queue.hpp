// Reads that wait, and whose turn it is: the client that has cost least so far goes first, so that
// one that reads much, or asks often, delays itself. A plain value; not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace troupe {

template<class Item>
class fair_queue {
public:
  struct taken {
    std::string client;
    Item item;
  };

  /// `clients_max`: how many clients with nothing waiting are remembered for what they cost.
  explicit fair_queue(std::size_t clients_max) : clients_max_(clients_max) {}

  /// Behind the items of `client` that wait already.
  void push(const std::string& client, Item item) {
    auto& mine = *clients_.try_emplace(client).first;
    auto& of = mine.second;
    if (of.waiting.empty()) {
      idle_.erase(place_of(mine));
      // A client that waited for nothing saves nothing up.
      of.cost = std::max(of.cost, now_);
      of.since = ++moves_;
      turns_.insert(place_of(mine));
    }
    of.waiting.push_back(std::move(item));
    ++size_;
  }

  /// The next item, which costs its client 1 at once. Nothing if none waits.
  [[nodiscard]] std::optional<taken> next() {
    if (turns_.empty())
      return std::nullopt;
    auto& mine = *std::get<client_line*>(*turns_.begin());
    now_ = mine.second.cost;
    taken out{mine.first, std::move(mine.second.waiting.front())};
    mine.second.waiting.pop_front();
    --size_;
    turns_.erase(turns_.begin());
    move_on(mine, 1);
    forget();
    return out;
  }

  /// What the client's item turned out to cost more. The client may have been forgotten meanwhile.
  void charge(const std::string& client, std::uint64_t cost) {
    if (cost == 0)
      return;
    auto& mine = *clients_.try_emplace(client).first;
    (mine.second.waiting.empty() ? idle_ : turns_).erase(place_of(mine));
    mine.second.cost = std::max(mine.second.cost, now_);
    move_on(mine, cost);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t waiting_of(const std::string& client) const {
    const auto found = clients_.find(client);
    return found == clients_.end() ? 0 : found->second.waiting.size();
  }
  /// Clients with something waiting, and those remembered.
  [[nodiscard]] std::size_t clients() const noexcept { return clients_.size(); }

private:
  struct line {
    std::deque<Item> waiting;
    std::uint64_t cost = 0;
    /// Of two that cost as much the one that has so for longer goes first.
    std::uint64_t since = 0;
  };
  using client_line = std::pair<const std::string, line>;
  using place = std::tuple<std::uint64_t, std::uint64_t, client_line*>;

  [[nodiscard]] static place place_of(client_line& mine) noexcept {
    return {mine.second.cost, mine.second.since, &mine};
  }

  /// Of a line that is nowhere at the moment.
  void move_on(client_line& mine, std::uint64_t cost) {
    mine.second.cost += cost;
    mine.second.since = ++moves_;
    (mine.second.waiting.empty() ? idle_ : turns_).insert(place_of(mine));
  }

  /// Clients that would begin at `now_` anyway; and, of too many, those that cost least.
  void forget() {
    while (!idle_.empty() && (std::get<0>(*idle_.begin()) <= now_ || idle_.size() > clients_max_)) {
      const auto* gone = std::get<client_line*>(*idle_.begin());
      idle_.erase(idle_.begin());
      clients_.erase(clients_.find(gone->first));
    }
  }

  std::size_t clients_max_;
  std::size_t size_ = 0;
  std::uint64_t moves_ = 0;
  std::uint64_t now_ = 0; ///< What the client served last had cost before. Never falls.
  std::unordered_map<std::string, line> clients_;
  std::set<place> turns_; ///< Clients with something waiting.
  std::set<place> idle_;  ///< Clients with nothing waiting.
};

} // namespace troupe
