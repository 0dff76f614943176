#include "net/a2a/disk_patience.hpp"

#include <troupe/net/limits.hpp>

namespace troupe::net {

disk_patience::disk_patience(const operation_call& call)
    : call_(call), until_(call.home.now() + call.server.options.disk_wait_max) {}

std::optional<error> disk_patience::refusal() {
  const auto now = call_.home.now();
  if (now < until_)
    return std::nullopt;
  const auto store = call_.server.main_gateway.records().status();
  if (store.writable) {
    until_ = now + disk_look_interval;
    return std::nullopt;
  }
  auto out = make_error(errc::unavailable,
                        "the store cannot write: " + store.problem
                            + " The command was taken and may still be done; read its object, or "
                              "send it again with the same messageId, requestId or "
                              "Idempotency-Key");
  out.details = R"({"mayBeDone":true})";
  return out;
}

} // namespace troupe::net
