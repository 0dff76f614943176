// Messages sent a short while ago, so that one that is sent again leads to the same task and not to a second one (A2A 1.0 section 3.3.1:
// servers may; docs/a2a.md, D12: off unless an operator wants it). In memory: the end of the process forgets them.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/gateway.hpp"
#include "protocol/command.hpp"
#include "protocol/time.hpp"

namespace troupe {

/// Thread-safe.
class recent_sends {
public:
  recent_sends(std::chrono::seconds window, std::function<timestamp()> now) : window_(window), now_(std::move(now)) {}

  /// True: the message is known and `done` is taken care of. It is told what came of the first (at once, or when that is known), or
  /// errc::invalid_params if the message now says something else. False: it is new; `done` then also notes what comes of it, and a refusal
  /// is forgotten at once.
  [[nodiscard]] bool answer(const send_message& what, reply<sent>& done);

private:
  struct entry {
    std::uint64_t fingerprint = 0;
    std::uint64_t number = 0; ///< A key that comes again after it was forgotten is another entry.
    std::optional<sent> outcome;
    std::vector<reply<sent>> waiting;
  };
  struct age {
    timestamp since;
    std::string key;
    std::uint64_t number;
  };

  void note(const std::string& key, std::uint64_t number, const result<sent>& outcome);
  void forget_old(timestamp now);

  const std::chrono::seconds window_;
  const std::function<timestamp()> now_;
  std::mutex lock_;
  std::unordered_map<std::string, entry> known_;
  std::deque<age> ages_; ///< Oldest first.
  std::uint64_t last_number_ = 0;
};

} // namespace troupe
