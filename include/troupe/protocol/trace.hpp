// The trace of a task or an objective (W3C Trace Context), and the servers through which its order
// came. Part of the event that creates it, so that an agent gets the same after a restart.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// Servers that a path names: the first ones. Further ones are left out; the trace stays valid.
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

/// The trace with a path of at most trace_path_max.
[[nodiscard]] inline trace_context bounded(trace_context trace) {
  if (trace.path.size() > trace_path_max)
    trace.path.resize(trace_path_max);
  return trace;
}

/// Null for an empty one. The path is bounded.
[[nodiscard]] inline trace_ptr shared_trace(trace_context received) {
  auto trace = bounded(std::move(received));
  return trace.empty() ? nullptr : std::make_shared<const trace_context>(std::move(trace));
}

} // namespace troupe
