// How a person at a command is told what the service refuses. Its errors are written for clients
// that send JSON.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string>

namespace troupe {

/// The message with options of the command in place of members of a request.
[[nodiscard]] std::string with_options(std::string message);

/// The same of an error of this process, with what to do about it, as a server would say it.
[[nodiscard]] std::string explained_here(const error& why);

} // namespace troupe
