// The trace of a task or an objective (W3C Trace Context), and the servers through which its order
// came. Part of the event that creates it, so that an agent gets the same after a restart.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// Servers that a path names; further ones are not added.
inline constexpr std::size_t trace_path_max = 16;

struct trace_context {
  /// Trace id, parent and sampled flag, as received (section 3.2). Empty: none.
  std::string traceparent;
  std::string tracestate;        ///< As received (section 3.3). Empty: none.
  std::vector<std::string> path; ///< Servers through which the order came, the first one first.

  [[nodiscard]] bool empty() const noexcept {
    return traceparent.empty() && tracestate.empty() && path.empty();
  }
  friend bool operator==(const trace_context&, const trace_context&) = default;
};

/// Null: none.
using trace_ptr = std::shared_ptr<const trace_context>;

/// Null for an empty one.
[[nodiscard]] inline trace_ptr shared_trace(trace_context trace) {
  return trace.empty() ? nullptr : std::make_shared<const trace_context>(std::move(trace));
}

} // namespace troupe
