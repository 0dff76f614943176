// JSON-RPC 2.0 over one POST: the envelope, the version, the table of methods, and how results and errors are written (a2a-wire 1.2,
// 2.1). Works on what a session has read; the methods themselves stand in a2a_methods.cpp and opt_methods.cpp.
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "net/io.hpp"
#include "net/session.hpp"
#include "net/version.hpp"
#include "net/wire_codec.hpp"
#include "protocol/command.hpp"
#include "protocol/errc.hpp"
#include "protocol/json_writer.hpp"

namespace troupe::net {

/// A call being answered. Lives as long as its request.
struct rpc_call {
  explicit rpc_call(session& on) : connection(on) {}
  /// As new, but for the memory.
  void reset();

  session& connection;
  const wire_codec* codec = &codec_1_0();
  asked_version version = asked_version::absent;
  active_extensions extensions;
  /// Null if absent. Valid until the method first waits: decode before.
  const boost::json::value* params = nullptr;
  std::string id = "null"; ///< As JSON.
  caller who;

  [[nodiscard]] server_state& server() const noexcept { return connection.server(); }
  [[nodiscard]] store& records() const noexcept { return connection.server().door.records(); }
};

/// Answers at once and returns an invalid awaitable, or returns what has to be awaited.
using rpc_handler = awaitable<void> (*)(rpc_call&);

/// Under which versions a method exists.
enum class rpc_family : std::uint8_t {
  a2a_1_0,   ///< Only with `A2A-Version: 1.0`.
  extension, ///< Under every supported version, or none named.
};

struct rpc_method {
  std::string_view name;
  rpc_family family;
  rpc_handler handle;
};

/// A2A 1.0 section 9.4, and the methods of the OPT extension (a2a-wire 8.4).
[[nodiscard]] std::span<const rpc_method> a2a_methods() noexcept;
[[nodiscard]] std::span<const rpc_method> opt_methods() noexcept;

/// Answers the session's request, which is a POST of JSON; at once (then the result is not valid), or by what is returned.
[[nodiscard]] awaitable<void> serve_rpc(session& connection);

/// An error of the envelope's kind: id null, HTTP `status`.
void refuse_rpc(session& connection, unsigned status, const error& why);

// -- answers -----------------------------------------------------------------------------------------------------------

/// `{"jsonrpc":"2.0","id":...,"<member>":`; to be followed by a value and `}`.
void begin_answer(const rpc_call& call, std::string& out, std::string_view member);

/// Answers with what `write(json_writer&)` writes.
template<std::invocable<json_writer&> Write>
void answer(rpc_call& call, Write write) {
  auto& body = call.connection.response().body;
  begin_answer(call, body, "result");
  json_writer out(body);
  write(out);
  body += '}';
}

/// Answers with an error. HTTP 200, but for overload (429) and unavailability (503), which proxies and clients know how to retry.
void fail(rpc_call& call, const error& why);

/// `params`, or an empty object in their place.
[[nodiscard]] const boost::json::value& params_of(const rpc_call& call) noexcept;

/// A client's text for an error message: cut if long, and valid UTF-8 whatever it was.
[[nodiscard]] std::string shown(std::string_view text);

} // namespace troupe::net
