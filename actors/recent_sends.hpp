// Messages sent a short while ago, so that one that is sent again leads to the same task and not to
// a second one (A2A 1.0 section 3.3.1: servers may; docs/a2a.md, D12: off unless an operator wants
// it).
#pragma once

#include "actors/service/recent_answers.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/time.hpp>

#include <chrono>
#include <functional>
#include <utility>

namespace troupe {

/// Thread-safe.
class recent_sends {
public:
  recent_sends(std::chrono::seconds window, std::function<timestamp()> now);

  /// True: the message is known and `done` is taken care of: answered as the first one, or with
  /// errc::invalid_params if the message now says something else. False: it is new
  /// (recent_answers::answer).
  [[nodiscard]] bool answer(const send_message& command, reply<sent>& done);

private:
  recent_answers<sent> known_;
};

/// What came of the first one, for a send that comes again.
[[nodiscard]] sent sent_again(sent first);

} // namespace troupe
