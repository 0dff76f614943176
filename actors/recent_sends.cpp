#include "actors/recent_sends.hpp"

#include "actors/service/fingerprint.hpp"
#include <troupe/actors/limits.hpp>

#include <string>

namespace troupe {

namespace {

/// What makes a message the same one (docs/a2a.md, "The same message again"), beside its owner.
std::string key_of(const send_message& command) {
  std::string out;
  for (const auto* part :
       {&command.message.context_id, &command.message.task_id, &command.message.message_id})
    out += std::to_string(part->size()) + ":" + *part;
  return out;
}

} // namespace

sent sent_again(sent first) {
  first.created = false; // for one that sends again it is there already
  return first;
}

// One owner may have all there is: every client of a server without doors is the same one.
recent_sends::recent_sends(std::chrono::seconds window, std::function<timestamp()> now)
    : known_({.window = window,
              .answers_max = recent_sends_max,
              .answers_per_owner_max = recent_sends_max,
              .bytes_per_owner_max = recent_answers_bytes_max},
             std::move(now), &sent_again) {}

bool recent_sends::answer(const send_message& command, reply<sent>& done) {
  static const auto mismatch = make_error(
      errc::invalid_params,
      "message.messageId: another message with this id was sent a moment ago; choose a new one",
      "message.messageId");
  return known_.answer(owner_of(command.who), key_of(command), fingerprint_of(command), mismatch,
                       done);
}

} // namespace troupe
