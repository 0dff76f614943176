// What all parts of a simulated world share: its one seed, its one clock, what is to happen, what
// happened. One thread; nothing here waits.
#pragma once

#include "actors/manual_clock.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/dice.hpp"
#include "sim/history.hpp"
#include "sim/settings.hpp"
#include "sim/timeline.hpp"
#include "sim/trace.hpp"

namespace troupe::sim {

class connection;

/// A plan that clients know, to change it.
struct known_plan {
  std::string objective;
  std::string name;               ///< Its id, too.
  std::vector<std::string> tasks; ///< Names; some may never have been added, or are removed.
};

/// A change that was sent with a request id; anyone may send it again.
struct sent_change {
  std::string method;
  std::string params;
  std::string objective;
  asked_change change;
};

class world {
public:
  explicit world(settings drawn)
      : how(drawn), clock(timestamp{std::chrono::sys_days{std::chrono::year{2030} / 1 / 1}},
                          dice(how.seed, "order of actors").next()),
        story([this] { return clock.elapsed(); }) {}
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  [[nodiscard]] dice stream(std::string_view name) const { return {how.seed, name}; }
  [[nodiscard]] nanoseconds now() const { return clock.elapsed(); }
  void after(nanoseconds wait, timeline::step then) {
    to_come.put(clock.elapsed() + wait, std::move(then));
  }
  /// The next place in the order of happenings.
  [[nodiscard]] moment next_moment() { return ++moments_; }

  settings how;
  manual_clock clock;
  timeline to_come;
  trace story;
  history seen;
  /// Where the server writes down cancels that are not settled (a2a_agent); on the real disk.
  std::string cancels_file;
  bool is_calm = false;        ///< Faults and new requests have ended.
  bool starts_at_once = false; ///< The process that starts has died right after its last start.
  bool is_dying = false;       ///< The process has died; what its parts do now never happened.
  /// Connects to the server. False: no server listens.
  std::function<bool(const std::shared_ptr<connection>&)> dial;
  /// Connects the server to a remote agent, or a receiver of notifications. False: there is none at
  /// that host.
  std::function<bool(const std::string& host, const std::shared_ptr<connection>&)> dial_out;
  /// Whether changes are on their way to the disk.
  std::function<bool()> is_disk_behind;
  /// The process ends, and another one starts. False: it refuses to.
  std::function<bool(bool with_damage)> start_again;
  /// Tasks that clients were shown and that have not been seen to end, and their questions.
  std::deque<std::string> known_tasks;
  std::deque<std::string> asking_tasks;
  std::deque<std::string> known_objectives;
  std::deque<std::string> known_questions;
  std::deque<std::string> known_push_configs; ///< Tokens of configurations that were acknowledged.
  /// By message: the connection on which it was sent again last.
  std::map<std::string, std::weak_ptr<connection>> retries;
  std::deque<known_plan> known_plans;
  std::deque<sent_change> sent_changes;
  std::map<std::string, std::uint64_t>
      revisions; ///< That were shown last, of plans and objectives.

private:
  moment moments_ = 0;
};

} // namespace troupe::sim
