#include "actors/claim_desk.hpp"

#include "protocol/json/json_writer.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

error is_claimed(const std::string& question, const input_claim& by) {
  const auto until = to_rfc3339(by.until);
  auto out = make_error(errc::input_claimed,
                        "question " + troupe::quoted(shown(question)) + " is claimed by "
                            + troupe::quoted(shown(by.by)) + " until " + until,
                        question);
  json_writer data(out.details);
  data.begin_object().member("inputId", question).member("by", by.by).member("until", until);
  data.end_object();
  return out;
}

} // namespace

claim_desk::claim_desk(std::function<timestamp()> now, std::size_t most)
    : now_(std::move(now)), most_(most) {}

result<input_claim> claim_desk::claim(const std::string& question, const std::string& by,
                                      std::optional<timestamp> deadline, bool overrides) {
  const std::lock_guard lock{guard_};
  if (auto ok = look(question, by, overrides); !ok)
    return ok.error();
  const auto now = now_();
  if (claims_.size() >= most_ && !claims_.contains(question))
    std::erase_if(claims_, [&](const auto& each) { return each.second.until <= now; });
  if (claims_.size() >= most_ && !claims_.contains(question))
    return make_error(errc::overloaded,
                      std::to_string(most_) + " questions are claimed; try again later", question);
  const timestamp until = now + claim_lease;
  return claims_
      .insert_or_assign(question, input_claim{by, deadline ? std::min(until, *deadline) : until})
      .first->second;
}

result<void> claim_desk::release(const std::string& question, const std::string& by,
                                 bool overrides) {
  const std::lock_guard lock{guard_};
  if (auto ok = look(question, by, overrides); !ok)
    return ok;
  claims_.erase(question);
  return {};
}

result<void> claim_desk::admit(const std::string& question, const std::string& by,
                               bool overrides) const {
  const std::lock_guard lock{guard_};
  return look(question, by, overrides);
}

std::optional<input_claim> claim_desk::find(const std::string& question) const {
  const std::lock_guard lock{guard_};
  const auto* found = live(question);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

const input_claim* claim_desk::live(const std::string& question) const {
  const auto found = claims_.find(question);
  return found != claims_.end() && found->second.until > now_() ? &found->second : nullptr;
}

result<void> claim_desk::look(const std::string& question, const std::string& by,
                              bool overrides) const {
  const auto* held = live(question);
  if (held != nullptr && held->by != by && !overrides)
    return is_claimed(question, *held);
  return {};
}

} // namespace troupe
