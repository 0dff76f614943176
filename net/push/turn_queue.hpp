// Whose turn it is: members wait in lines, lines take turns, and no more than so many go at once,
// in all and of one line. The sender of notifications has a line for each host, so that a slow one
// holds up no other. A line that has not answered yet, or not soon the last time, is silent: all
// silent lines together leave places to those that answer. A plain value: no clock, no thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace troupe::net {

/// How many go at once; each at least 1.
struct turn_bounds {
  std::size_t all;
  std::size_t of_line;
  std::size_t silent;         ///< Of all silent lines.
  std::size_t of_silent_line; ///< At most `of_line`.
};

/// How many unused lines are remembered as answering. Above it, all are forgotten.
inline constexpr std::size_t answering_lines_max = 10'000;

template<class Member>
class turn_queue {
public:
  explicit turn_queue(const turn_bounds& bounds) : bounds_(bounds) {}

  /// Puts `who`, which waits nowhere, at the end of a line.
  void wait(const std::string& line, Member who) {
    const auto [at, is_new] = lines_.try_emplace(line);
    auto& home = at->second;
    if (is_new)
      home.silent = !answering_.contains(line);
    places_.emplace(who, home.waiting.insert(home.waiting.end(), who));
    call(line, home);
  }
  /// Takes `who` out of a line; nothing if it does not wait there. Costs the same however many
  /// wait.
  void leave(const std::string& line, const Member& who) {
    const auto at = places_.find(who);
    const auto home = lines_.find(line);
    if (at == places_.end() || home == lines_.end())
      return;
    home->second.waiting.erase(at->second);
    places_.erase(at);
  }
  /// The next to go, of the line whose turn it is; nothing if no member waits, or may go now. To be
  /// ended by `end`.
  [[nodiscard]] std::optional<Member> next() {
    while (auto* const from = queue_whose_turn_it_is()) {
      const auto line = std::move(from->begin()->second);
      from->erase(from->begin());
      auto& home = lines_.at(line);
      home.call = 0;
      if (home.waiting.empty()) {
        forget_if_unused(line);
        continue;
      }
      auto who = std::move(home.waiting.front());
      home.waiting.pop_front();
      places_.erase(who);
      ++home.going;
      ++going_;
      silent_going_ += home.silent ? 1 : 0;
      call(line, home);
      return who;
    }
    return std::nullopt;
  }
  /// One that `next` named, out of this line, is done. `answered`: whether the line did, and soon,
  /// the last time it was asked; nothing if it was not asked.
  void end(const std::string& line, std::optional<bool> answered = std::nullopt) {
    auto& home = lines_.at(line);
    --home.going;
    --going_;
    silent_going_ -= home.silent ? 1 : 0;
    if (answered)
      note(line, home, *answered);
    call(line, home);
    forget_if_unused(line);
  }
  /// Lines in which a member stands, or from which one went.
  [[nodiscard]] std::size_t lines() const noexcept { return lines_.size(); }

private:
  struct place {
    std::list<Member> waiting;
    std::size_t going = 0;
    bool silent = true;
    std::uint64_t call = 0; ///< Its number in one of the two queues; 0: in none.
  };
  using call_queue = std::map<std::uint64_t, std::string>; ///< Lines by the numbers of their calls.

  /// The one with the earlier call; null if no member may go.
  [[nodiscard]] call_queue* queue_whose_turn_it_is() {
    if (going_ >= bounds_.all)
      return nullptr;
    const bool may_silent = !silent_called_.empty() && silent_going_ < bounds_.silent;
    if (called_.empty())
      return may_silent ? &silent_called_ : nullptr;
    return may_silent && silent_called_.begin()->first < called_.begin()->first ? &silent_called_
                                                                                : &called_;
  }
  [[nodiscard]] call_queue& queue_of(const place& which) {
    return which.silent ? silent_called_ : called_;
  }
  void call(const std::string& name, place& which) {
    const auto most = which.silent ? bounds_.of_silent_line : bounds_.of_line;
    if (which.call != 0 || which.waiting.empty() || which.going >= most)
      return;
    which.call = ++calls_;
    queue_of(which).emplace(which.call, name);
  }
  void note(const std::string& name, place& which, bool answers) {
    if (which.silent == !answers)
      return;
    queue_of(which).erase(std::exchange(which.call, 0)); // it is called again, as what it is now
    which.silent = !answers;
    if (answers) {
      silent_going_ -= which.going;
      if (answering_.size() >= answering_lines_max)
        answering_.clear();
      answering_.insert(name);
    } else {
      silent_going_ += which.going;
      answering_.erase(name);
    }
  }
  void forget_if_unused(const std::string& name) {
    const auto& which = lines_.at(name);
    if (which.waiting.empty() && which.going == 0 && which.call == 0)
      lines_.erase(name);
  }

  const turn_bounds bounds_;
  std::unordered_map<std::string, place> lines_;
  std::unordered_map<Member, typename std::list<Member>::iterator> places_; ///< Of all that wait.
  std::unordered_set<std::string> answering_;
  call_queue called_; ///< Lines that answer of which a member may go, in turn.
  call_queue silent_called_;
  std::uint64_t calls_ = 0; ///< Over both queues.
  std::size_t going_ = 0;
  std::size_t silent_going_ = 0;
};

} // namespace troupe::net
