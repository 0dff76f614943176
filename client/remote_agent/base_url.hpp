// The normal form of a base URL, so that spellings of one URL meet: `HTTPS://Support.example:443`
// and `https://support.example/`. A plain function, after the WHATWG URL standard (sections 4.4 and
// 4.5), for http and https.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string>
#include <string_view>

namespace troupe::remote_agent {

/// Scheme and host in lower case, no port that is the scheme's own, no `.` and `..` in the path,
/// at least `/` as path, no fragment. Errors: invalid_params, as parse_http_url.
[[nodiscard]] result<std::string> normal_url(std::string_view text);

} // namespace troupe::remote_agent
