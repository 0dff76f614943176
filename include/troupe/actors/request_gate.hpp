// What an agent that passes tasks on to other servers knows about requests that come from them: a
// task that has been here before, or has come too far, must not begin. An agent may be one, too
// (dynamic_cast); the gateway asks it before anything begins.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string>
#include <vector>

namespace troupe {

class request_gate {
public:
  virtual ~request_gate() = default;
  /// Whether a request that came through these servers, in that trace, may begin something here.
  /// Either may be empty. From any thread. Errors: invalid_request, with the path in words.
  [[nodiscard]] virtual result<void> admit(const std::vector<std::string>& path,
                                           const std::string& traceparent) = 0;
};

} // namespace troupe
