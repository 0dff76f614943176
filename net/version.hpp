// Which protocol version and which extensions a request names (A2A 1.0 section 3.2.6). Plain
// functions over header values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::net {

/// What `A2A-Version` asks for.
enum class asked_version : std::uint8_t {
  absent, ///< Missing or empty: the specification reads it as 0.3.
  v0_3,
  v1_0,
  unknown, ///< Anything else, or not a version at all.
};

/// `header` wins over `query` if it is not empty. A third component (`1.0.2`) is ignored.
[[nodiscard]] asked_version parse_version(std::string_view header, std::string_view query) noexcept;

/// The extension of ours that the card declares for the header `Idempotency-Key`. The header works
/// without it.
inline constexpr std::string_view idempotent_send_uri = "urn:troupe:idempotent-send:v1";

/// The extensions a client activated, of those this server has.
struct active_extensions {
  bool opt = false;
  bool progress = false;
  bool cursors = false;          ///< Of streams (protocol/a2a/stream_mark.hpp).
  bool idempotent_sends = false; ///< Sends with the header `Idempotency-Key` (docs/a2a.md).
  bool hitl = false;             ///< Questions in kagent's words (docs/questions.md).

  [[nodiscard]] bool any() const noexcept {
    return opt || progress || cursors || idempotent_sends || hitl;
  }
};

/// `list`: comma separated URIs; unknown ones are ignored, blanks trimmed.
[[nodiscard]] active_extensions parse_extensions(std::string_view list) noexcept;

/// The header line that says what was activated, in the spelling of the version asked for (1.0:
/// `A2A-Extensions`; 0.3: that and `X-A2A-Extensions`); nothing is appended if nothing was.
void append_extensions_header(std::string& out, const active_extensions& active,
                              asked_version version);

/// Whether `text` has the form of W3C Trace Context section 3.2.2; anything else is to be ignored,
/// says the same section.
[[nodiscard]] bool is_traceparent(std::string_view text) noexcept;
/// Whether `text` may be kept as a `tracestate` (section 3.3): printable ASCII, at most
/// tracestate_bytes_max. Its members are their vendors'.
[[nodiscard]] bool is_tracestate(std::string_view text) noexcept;
/// W3C Trace Context section 3.3.1.5: at least so much is to be passed on.
inline constexpr std::size_t tracestate_bytes_max = 512;

} // namespace troupe::net
