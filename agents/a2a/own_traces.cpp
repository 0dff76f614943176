#include "agents/a2a/own_traces.hpp"

#include "protocol/text/hex.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// The last `count` characters, with `0` in front if there are fewer: ids end with random ones.
std::string last_of(std::string_view id, std::size_t count) {
  std::string out(count - std::min(count, id.size()), '0');
  out += id.substr(id.size() - std::min(count, id.size()));
  return out;
}

} // namespace

std::shared_ptr<void> own_traces::add(std::string_view trace_id) {
  std::string id(trace_id);
  {
    const std::lock_guard lock(guard_);
    ++live_[id];
  }
  return {nullptr, [self = shared_from_this(), id = std::move(id)](void*) {
            const std::lock_guard lock(self->guard_);
            const auto found = self->live_.find(id);
            if (--found->second == 0)
              self->live_.erase(found);
          }};
}

bool own_traces::has(std::string_view trace_id) const {
  const std::lock_guard lock(guard_);
  return live_.contains(trace_id);
}

// W3C Trace Context section 3.2.2: 16 bytes of the trace, 8 of the parent, and that it need not be
// recorded.
std::string traceparent_of(const delegation_note& note) {
  return "00-" + to_hex(last_of(note.key, 8)) + to_hex(last_of(note.message, 8)) + "-"
         + to_hex(last_of(note.message, 8)) + "-00";
}

} // namespace troupe
