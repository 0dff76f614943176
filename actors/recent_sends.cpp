#include "actors/recent_sends.hpp"

#include <functional>
#include <utility>

#include "actors/limits.hpp"
#include "protocol/codec_v1_0.hpp"

namespace troupe {

namespace {

/// What makes a message the same one (docs/a2a.md, "The same message again").
std::string key_of(const send_message& what) {
  std::string out;
  for (const auto* part :
       {&what.who.tenant, &what.who.principal, &what.what.context_id, &what.what.task_id, &what.what.message_id})
    out += std::to_string(part->size()) + ":" + *part;
  return out;
}

std::uint64_t fingerprint_of(const send_message& what) {
  std::string text;
  json_writer out(text);
  out.begin_array();
  v1_0::write(out, what.what);
  out.value(what.metadata);
  for (const auto& mode : what.accepted_output_modes)
    out.string(mode);
  out.end_array();
  return std::hash<std::string>{}(text);
}

} // namespace

bool recent_sends::answer(const send_message& what, reply<sent>& done) {
  auto key = key_of(what);
  const auto fingerprint = fingerprint_of(what);
  std::optional<result<sent>> answer;
  {
    const std::lock_guard guard(lock_);
    const auto now = now_();
    forget_old(now);
    const auto [found, is_new] = known_.try_emplace(key);
    auto& known = found->second;
    if (is_new) {
      known.fingerprint = fingerprint;
      known.number = ++last_number_;
      ages_.push_back({now, key, known.number});
      done = [this, key = std::move(key), number = known.number, done = std::move(done)](result<sent> outcome) {
        note(key, number, outcome);
        done(std::move(outcome));
      };
      return false;
    }
    if (known.fingerprint != fingerprint) {
      answer = make_error(errc::invalid_params, "message.messageId: another message with this id was sent a moment ago; choose a new one",
                          "message.messageId");
    } else if (known.outcome) {
      answer = *known.outcome;
    } else {
      known.waiting.push_back(std::move(done));
      return true;
    }
  }
  done(std::move(*answer));
  return true;
}

void recent_sends::note(const std::string& key, std::uint64_t number, const result<sent>& outcome) {
  std::vector<reply<sent>> waiting;
  auto told = outcome;
  if (told)
    told->created = false; // for whoever sends it again it is there already
  {
    const std::lock_guard guard(lock_);
    const auto found = known_.find(key);
    if (found == known_.end() || found->second.number != number)
      return;
    waiting = std::exchange(found->second.waiting, {});
    if (told)
      found->second.outcome = *told;
    else
      known_.erase(found);
  }
  for (const auto& one : waiting)
    one(told);
}

// An entry with somebody waiting is kept until that is answered, however old: its place in `ages_` goes, `note` ends it.
void recent_sends::forget_old(timestamp now) {
  while (!ages_.empty() && (now - ages_.front().since >= window_ || ages_.size() >= recent_sends_max)) {
    const auto oldest = std::move(ages_.front());
    ages_.pop_front();
    const auto found = known_.find(oldest.key);
    if (found == known_.end() || found->second.number != oldest.number)
      continue;
    if (found->second.waiting.empty())
      known_.erase(found);
    else
      ages_.push_back({now, oldest.key, oldest.number});
    if (!ages_.empty() && ages_.front().since == now)
      break;
  }
}

} // namespace troupe
