// How each error code looks on the wire: one row per code with the numbers, names and texts of
// every binding, and the writers that put an error into a JSON-RPC or REST answer. There is no
// second mapping anywhere.
#pragma once

#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// The domain of the errors that A2A defines (A2A 1.0 section 9.5), and of those that only this
/// program knows.
inline constexpr std::string_view a2a_error_domain = "a2a-protocol.org";
inline constexpr std::string_view own_error_domain = "troupe";

struct wire_error {
  errc code;
  std::int32_t jsonrpc;  ///< `error.code` in JSON-RPC.
  std::uint16_t http;    ///< Status on the REST binding. JSON-RPC answers 200 whatever happened
                         ///< (net/a2a/json_rpc.cpp).
  std::string_view grpc; ///< Name of the gRPC status, also `error.status` in AIP-193.
  std::string_view
      reason; ///< ErrorInfo.reason, UPPER_SNAKE_CASE; clients choose the error class by it.
  std::string_view domain;   ///< ErrorInfo.domain.
  std::string_view text_1_0; ///< Standard text in A2A 1.0.
  std::string_view text_0_3; ///< Standard text in A2A 0.3.
  std::string_view
      subject; ///< What error::field names, as a key of ErrorInfo.metadata: `taskId`, `field`, ...
  std::string_view type_0_3; ///< Name of the class that 0.3 clients know the error by.
  std::string_view advice;   ///< What the client can do about it, as a command.
};

/// The row of `code`; that of errc::internal for an undefined value.
[[nodiscard]] const wire_error& wire_of(errc code) noexcept;

/// The standard text, what the error says, what to do, and reason and code:
/// `Task not found: no task "t-9"; check the id of the task [TASK_NOT_FOUND, -32001]`. Some clients
/// show their users nothing else, as the JavaScript SDKs an error that comes as the first event of
/// a stream. A message that has a `; ` says itself what to do; the others get the advice of the
/// code.
[[nodiscard]] std::string wire_message(std::string_view standard, const error& error);

/// The 1.0 value of a JSON-RPC answer's `error`: code, message, data[ErrorInfo, and BadRequest if
/// it is about a field]. `at` goes to ErrorInfo.metadata.timestamp. A2A 1.0 sections 5.4, 9.5.
void write_jsonrpc_error(json_writer& out, const error& error, timestamp at);

/// The 0.3 value: code and message only (no form of `data` suits every 0.3 client).
void write_jsonrpc_error_0_3(json_writer& out, const error& error);

/// The 1.0 REST body, AIP-193: `{"error":{code,status,message,details[...]}}` (A2A 1.0
/// section 11.6). `status`: the HTTP status of the answer; 0: `wire_of(error.code).http`.
void write_rest_error(json_writer& out, const error& error, timestamp at, unsigned status = 0);

/// The 0.3 REST body, which has a form for each kind of client, since 0.3 defines none: `code` and
/// `message` as in JSON-RPC, `type`, and `error` as in 1.0 (docs/a2a.md, D14). Status as above.
void write_rest_error_0_3(json_writer& out, const error& error, timestamp at, unsigned status = 0);

} // namespace troupe
