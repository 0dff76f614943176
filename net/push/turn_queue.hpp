// Whose turn it is: members wait in lines, lines take turns, and no more than so many go at once,
// in all and of one line. The sender of notifications has a line for each host, so that a slow one
// holds up no other. A plain value: no clock, no thread.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace troupe::net {

template<class Member>
class turn_queue {
public:
  turn_queue(std::size_t at_once_max, std::size_t at_once_per_line_max)
      : at_once_max_(at_once_max), at_once_per_line_max_(at_once_per_line_max) {}

  /// Puts `who`, which waits nowhere, at the end of a line.
  void wait(const std::string& line, Member who) {
    auto& home = lines_[line];
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
    while (going_ < at_once_max_ && !called_.empty()) {
      const auto line = std::move(called_.front());
      called_.pop_front();
      auto& home = lines_.at(line);
      home.called = false;
      if (home.waiting.empty()) {
        forget_if_unused(line);
        continue;
      }
      auto who = std::move(home.waiting.front());
      home.waiting.pop_front();
      places_.erase(who);
      ++home.going;
      ++going_;
      call(line, home);
      return who;
    }
    return std::nullopt;
  }
  /// One that `next` named, out of this line, is done.
  void end(const std::string& line) {
    auto& home = lines_.at(line);
    --home.going;
    --going_;
    call(line, home);
    forget_if_unused(line);
  }
  /// Lines in which a member stands, or from which one went.
  [[nodiscard]] std::size_t lines() const noexcept { return lines_.size(); }

private:
  struct place {
    std::list<Member> waiting;
    std::size_t going = 0;
    bool called = false; ///< Its name is in `called_`.
  };

  void call(const std::string& name, place& which) {
    if (which.called || which.waiting.empty() || which.going >= at_once_per_line_max_)
      return;
    which.called = true;
    called_.push_back(name);
  }
  void forget_if_unused(const std::string& name) {
    const auto& which = lines_.at(name);
    if (which.waiting.empty() && which.going == 0 && !which.called)
      lines_.erase(name);
  }

  const std::size_t at_once_max_;
  const std::size_t at_once_per_line_max_;
  std::unordered_map<std::string, place> lines_;
  std::unordered_map<Member, typename std::list<Member>::iterator> places_; ///< Of all that wait.
  std::deque<std::string> called_; ///< Lines of which a member may go, in turn.
  std::size_t going_ = 0;
};

} // namespace troupe::net
