// The traces that this server has made for delegations that are under way: a request that has one
// of them has come back, through agents that name no servers. Thread-safe.
//
// A trace that a client has begun says nothing: the client may ask this server twice in it.
#pragma once

#include "agents/a2a/delegation_note.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace troupe {

class own_traces : public std::enable_shared_from_this<own_traces> {
public:
  /// The trace with that id is under way as long as what is returned.
  [[nodiscard]] std::shared_ptr<void> add(std::string_view trace_id);
  [[nodiscard]] bool has(std::string_view trace_id) const;

private:
  mutable std::mutex guard_;
  std::map<std::string, int, std::less<>> live_; ///< How often, by the id.
};

/// The `traceparent` of a delegation whose order has none: always the same for the same note.
[[nodiscard]] std::string traceparent_of(const delegation_note& note);

} // namespace troupe
