#include "actors/loop/gateway_actor.hpp"

#include <utility>

namespace troupe {

void gateway_actor::on(request_answered& message) {
  auto* who = requests_.find(message.request);
  if (who == nullptr)
    return; // no request waits any more
  requests_.forget(message.request);
  who->on_answer(std::move(message.answer));
}

void gateway_actor::on(request_woken& message) {
  if (auto* who = requests_.find(message.request))
    who->on_wake();
}

void gateway_actor::on(end_feeds& message) {
  requests_.fail_feeds_of(message.reader, message.reason);
}

} // namespace troupe
