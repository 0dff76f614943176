// How the session files beside a store are (docs/sessions.md), for /readyz and for people.
#pragma once

#include <cstdint>
#include <string>

namespace troupe {

class store;

struct session_status {
  std::string directory;
  std::string problem; ///< Why nothing is written at the moment, with what to do; empty: it is.
  std::uint64_t lag_groups = 0; ///< Published, and not yet safe in the files.
  std::uint64_t lost = 0;       ///< Objectives whose sessions are not kept any more.
  std::string loss; ///< The first of them and why, or what is missing; empty: nothing is.
};

/// A store beside which session files are kept.
class keeps_sessions {
public:
  virtual ~keeps_sessions() = default;
  /// Thread-safe.
  [[nodiscard]] virtual session_status sessions() const = 0;
};

/// Null: there are no session files beside it.
[[nodiscard]] const keeps_sessions* sessions_beside(const store& records);

} // namespace troupe
