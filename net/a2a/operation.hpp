// One call of an operation, from any binding (JSON-RPC or REST, A2A 1.0 or 0.3), and its answer.
// The operations use this and nothing of HTTP: a `wire_codec` has the format of the version, a
// `binding` its framing.
#pragma once

#include "client/io.hpp"
#include "net/a2a/wire_codec.hpp"
#include "net/http/exchange.hpp"
#include "net/server_state.hpp"
#include "net/version.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/refusable_work.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>

#include <boost/json/value.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::net {

struct operation_call;

/// How answers, errors and events are framed: `json_rpc_binding` (net/a2a/json_rpc.hpp) and
/// `rest_binding` (net/a2a/rest.hpp).
class binding {
public:
  virtual ~binding() = default;

  /// What stands before and after a result, in an answer and in a stream's event.
  virtual void begin_result(const operation_call& call, std::string& out) const = 0;
  virtual void end_result(std::string& out) const = 0;
  /// The body for the error `why`.
  virtual void write_error(const operation_call& call, std::string& out,
                           const error& why) const = 0;
  /// The HTTP status of the error `why`.
  [[nodiscard]] virtual unsigned status_of(const error& why) const = 0;
  /// The lines of a stream's event before its `data:`, if the event is an error.
  [[nodiscard]] virtual std::string_view error_event() const noexcept = 0;
  /// Whether a streaming operation that is refused answers with a stream of one error event
  /// (docs/a2a.md, D5), or as any other.
  [[nodiscard]] virtual bool streams_refusals() const noexcept = 0;
};

/// One at a time on each connection.
struct operation_call final : kept_memory {
  operation_call(server_state& of, http_exchange& by)
      : server(of), request(by.request), responder(by.responder), home(by.home), facts(by.facts) {}
  /// To be called before each use: as new, but for the memory.
  void reset();

  server_state& server;
  const http_request& request;
  http_responder& responder;
  loop& home;
  const connection_facts& facts;

  const wire_codec* codec = nullptr;
  const binding* frame = nullptr;
  asked_version version = asked_version::absent;
  active_extensions extensions;
  /// Null if absent. Valid until the operation first waits: decode before.
  const boost::json::value* params = nullptr;
  std::string id = "null";   ///< Of a JSON-RPC request, as JSON.
  std::string tenant;        ///< Of a REST path.
  boost::json::value merged; ///< The params of a REST path and query, if there is no body.
  principal who;             ///< Whose the connection is; the tenant comes with the params.
  std::string traceparent;   ///< W3C Trace Context, as received; empty: none.
  std::string tracestate;    ///< Beside it.

  /// Gives up the params, which may take twelve times the bytes of the body.
  void drop_params() noexcept {
    params = nullptr;
    merged = nullptr;
    own_scratch.reset();
  }

  // -- a long request -----------------------------------------------------------------------------
  // It is read by another thread (`apart`), and so is its command from the params.

  [[nodiscard]] bool is_long() const noexcept { return own_scratch != nullptr; }
  /// Makes it a long one, whose body stays until it is parsed. Before the handler returns: its
  /// coroutine begins later.
  void begin_long();
  /// Where its JSON is parsed: the loop's memory, or that of a long request.
  [[nodiscard]] json_scratch& scratch() noexcept {
    return is_long() ? *own_scratch : home.scratch();
  }
  std::unique_ptr<json_scratch> own_scratch; ///< Of a long request only.
  bool reads_params_later = false; ///< The operation's coroutine does, and gives them up then.

  [[nodiscard]] const service& operations() const noexcept { return server.operations; }
};

/// The call that answers the connection's current request, reset.
[[nodiscard]] operation_call& begin_call(server_state& server, http_exchange& exchange);

/// Answers at once and returns an invalid awaitable, or returns what has to be awaited.
using operation_function = awaitable<void> (*)(operation_call&);

/// Takes from the request's headers what every binding takes: version, extensions, trace. Also
/// writes the extensions' response header.
void read_service_parameters(operation_call& call);

/// `A2A-Version` names a version that is not served here.
[[nodiscard]] error version_not_supported(const operation_call& call);
/// `name` (a method, a path) is of A2A 1.0 and the request does not say that it speaks that
/// (docs/a2a.md, D1).
[[nodiscard]] error version_missing(const operation_call& call, std::string_view name);

/// `params`, or an empty object in their place.
[[nodiscard]] const boost::json::value& params_of(const operation_call& call) noexcept;
/// The param `cursor` of a subscription, or on REST that of the query; empty: none was sent.
[[nodiscard]] result<std::string_view> cursor_param_of(const operation_call& call);

/// The caller, from the facts of the connection: every caller is anonymous where none has to say
/// who it is.
[[nodiscard]] principal principal_of(const connection_facts& facts);

/// Completes a command: `who` becomes the principal of the call, with the tenant that path or
/// params name. The one place where a tenant is read. Errors: a tenant this server does not have
/// (`unknown_tenant` says how that looks for the operation), or another one in the path than in the
/// params.
[[nodiscard]] result<void> identify(const operation_call& call, principal& who,
                                    errc unknown_tenant);

/// Has `work` done by a thread that reads long requests and writes long answers, in the turn of the
/// call's client. The call is the thread's until this returns. False: the client went away before,
/// and nothing was done. errc::overloaded if too many wait. Throws what `work` throws.
[[nodiscard]] awaitable<result<bool>> apart(operation_call& call, std::function<void()> work);

// -- answers --------------------------------------------------------------------------------------

/// Answers with what `write(json_writer&)` writes.
template<std::invocable<json_writer&> Write>
void answer(operation_call& call, Write write) {
  const refusable_work here;
  auto& body = call.responder.response().body;
  call.frame->begin_result(call, body);
  json_writer out(body);
  write(out);
  call.frame->end_result(body);
}

/// The same with a long answer: a thread of its own calls `write`, when it is the client's turn.
/// What `write` refers to is its own.
[[nodiscard]] awaitable<void> answer_apart(operation_call& call,
                                           std::function<void(json_writer&)> write);

/// Answers with an error.
void fail(operation_call& call, const error& why);

/// What is wrong with the call's body, which was not parsed, and where; or that there is no memory
/// for it.
[[nodiscard]] error explain_parse_error(operation_call& call, const error_code& why,
                                        std::size_t offset);

} // namespace troupe::net
