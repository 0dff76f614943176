#include "net/http/long_answers.hpp"

namespace troupe::net {

namespace {

using answer_hook = boost::intrusive::list_base_hook<boost::intrusive::tag<long_answers>>;

bool is_on_its_way(const long_answer& who) noexcept {
  return static_cast<const answer_hook&>(who).is_linked();
}

} // namespace

void long_answers::begin(long_answer& who, time_point now) {
  const std::lock_guard lock{guard_};
  if (is_on_its_way(who))
    return;
  who.begun_at = now;
  all_.push_back(who);
}

void long_answers::end(long_answer& who) {
  const std::lock_guard lock{guard_};
  if (is_on_its_way(who))
    all_.erase(all_.iterator_to(who));
}

void long_answers::give_way(time_point now) {
  const std::lock_guard lock{guard_};
  if (all_.empty() || now - all_.front().begun_at < grace_)
    return;
  auto& first = all_.front();
  all_.pop_front();
  first.cut();
}

} // namespace troupe::net
