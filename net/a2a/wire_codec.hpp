// Which codec answers which version that a client asks for.
#pragma once

#include "net/version.hpp"
#include "protocol/a2a/wire_codec.hpp"

namespace troupe::net {

/// Of JSON-RPC answers to a client that asked for `version`; a missing one counts as 0.3, an
/// unknown one as the newest.
[[nodiscard]] inline const wire_codec& codec_of(asked_version version) noexcept {
  return version == asked_version::absent || version == asked_version::v0_3 ? codec_0_3()
                                                                            : codec_1_0();
}

} // namespace troupe::net
