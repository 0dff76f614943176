#include "net/a2a/operation.hpp"

#include "net/a2a/json_rpc.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"
#include <troupe/net/limits.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace troupe::net {

namespace json = boost::json;

void operation_call::reset() {
  codec = &codec_1_0();
  frame = &json_rpc_binding();
  version = asked_version::absent;
  extensions = {};
  drop_params();
  id = "null";
  tenant.clear();
  who = principal_of(facts);
  traceparent.clear();
  tracestate.clear();
  reads_params_later = false;
}

void operation_call::begin_long() {
  own_scratch = std::make_unique<json_scratch>(server.options.json_depth_max, server.memory);
  responder.keep_body();
}

operation_call& begin_call(server_state& server, http_exchange& exchange) {
  // Nothing else is kept with a connection.
  if (!exchange.kept)
    exchange.kept = std::make_unique<operation_call>(server, exchange);
  auto& call = static_cast<operation_call&>(*exchange.kept);
  call.reset();
  return call;
}

void read_service_parameters(operation_call& call) {
  const auto& request = call.request;
  call.version = parse_version(request.a2a_version, request.query("A2A-Version"));
  call.codec = &codec_of(call.version);
  call.extensions = parse_extensions(request.a2a_extensions);
  if (is_traceparent(request.traceparent)) {
    call.traceparent = request.traceparent;
    if (is_tracestate(request.tracestate)) // says nothing without the other
      call.tracestate = request.tracestate;
  }
  append_extensions_header(call.responder.response().headers, call.extensions, call.version);
}

error version_not_supported(const operation_call& call) {
  const auto& request = call.request;
  const auto asked = shown(request.a2a_version.empty() ? request.query("A2A-Version")
                                                       : std::string_view(request.a2a_version));
  return make_error(errc::version_not_supported,
                    "this server speaks A2A 1.0 and 0.3; send `A2A-Version: 1.0` (or 0.3), not "
                        + quoted(asked),
                    asked);
}

error version_missing(const operation_call& call, std::string_view name) {
  const bool absent = call.version == asked_version::absent;
  return make_error(
      errc::version_not_supported,
      quoted(shown(name)) + " is A2A 1.0, and "
          + (absent ? "a request without version header counts as 0.3" : "the request says 0.3")
          + "; send `A2A-Version: 1.0`",
      absent ? "" : "0.3");
}

const json::value& params_of(const operation_call& call) noexcept {
  static const json::value none = json::object{};
  return call.params == nullptr || call.params->is_null() ? none : *call.params;
}

result<std::string_view> cursor_param_of(const operation_call& call) {
  const auto* given = params_of(call).get_object().if_contains("cursor");
  if (given == nullptr || given->is_null())
    return std::string_view{};
  if (!given->is_string())
    return make_error(errc::invalid_params, "cursor: must be a string, the id of an event",
                      "cursor");
  return std::string_view{given->get_string().data(), given->get_string().size()};
}

principal principal_of(const connection_facts& facts) {
  principal out;
  out.peer = facts.peer;
  return out;
}

result<void> identify(const operation_call& call, principal& who, errc unknown_tenant) {
  auto named = std::exchange(who, call.who).tenant;
  if (named.empty())
    if (const auto* given = params_of(call).get_object().if_contains("tenant");
        given != nullptr && given->is_string())
      named.assign(given->get_string().data(), given->get_string().size());
  if (!call.tenant.empty() && !named.empty() && call.tenant != named)
    return make_error(errc::invalid_params,
                      "tenant: " + quoted(shown(named)) + " is not the path's "
                          + quoted(shown(call.tenant)),
                      "tenant");
  const auto& tenant = named.empty() ? call.tenant : named;
  if (!tenant.empty())
    return make_error(unknown_tenant,
                      "tenant " + quoted(shown(tenant))
                          + " does not exist: this server has no tenants",
                      unknown_tenant == errc::invalid_params ? "tenant" : shown(tenant));
  return {};
}

awaitable<result<bool>> apart(operation_call& call, std::function<void()> work) {
  auto done = call.server.answers.make(
      client_of(call.who), {}, [work = std::move(work)](std::string&) { work(); },
      call.responder.wake());
  if (!done)
    co_return done.error();
  while (!done->is_made()) {
    if (call.responder.is_gone() && done->give_up())
      co_return false;
    co_await call.responder.wait(time_point::max());
  }
  static_cast<void>(done->take()); // Throws what the work has thrown.
  co_return true;
}

awaitable<void> answer_apart(operation_call& call, std::function<void(json_writer&)> write) {
  std::string begun;
  call.frame->begin_result(call, begun);
  auto made = call.server.answers.make(
      client_of(call.who), std::move(begun),
      [frame = call.frame, write = std::move(write)](std::string& text) {
        json_writer out(text);
        write(out);
        frame->end_result(text);
      },
      call.responder.wake());
  if (!made && call.responder.response().repeatable)
    co_return fail(call, made.error());
  if (!made)
    co_return fail(
        call, make_error(errc::internal, "the command was done, but its answer exceeds a limit ("
                                             + made.error().field
                                             + "); do not repeat it, read the object instead"));
  while (!made->is_made() && !call.responder.is_gone())
    co_await call.responder.wait(time_point::max());
  if (made->is_made())
    call.responder.response().body = made->take();
}

void fail(operation_call& call, const error& why) {
  auto& response = call.responder.response();
  response.body.clear();
  response.content_type = json_type;
  response.status = call.frame->status_of(why);
  // The condition was a header's (RFC 9110 13.1.1).
  if (response.status == 409 && why.code == errc::revision_mismatch
      && !call.request.if_match.empty())
    response.status = 412;
  call.frame->write_error(call, response.body, why);
  if (response.status == 429 || response.status == 503)
    add_retry_after(response);
}

error explain_parse_error(operation_call& call, const error_code& why, std::size_t offset) {
  const std::string_view body = call.request.body;
  if (why == boost::system::errc::not_enough_memory) {
    const auto& memory = *call.server.memory;
    if (const auto refused = call.scratch().refused_bytes(); refused > 0)
      return memory.refusal(memory_account::bodies, refused);
    return make_error(errc::unavailable, no_memory_for("the request", memory));
  }
  if (why == json::error::too_deep)
    return make_error(errc::parse_error, "nested deeper than "
                                             + std::to_string(call.server.options.json_depth_max)
                                             + " levels (limits.json-depth)");
  if (const auto bad = find_invalid_utf8(body))
    return make_error(errc::parse_error, "invalid UTF-8 at byte " + std::to_string(*bad));
  if (body.empty())
    return make_error(errc::parse_error, "the body is empty");
  if (why == json::error::incomplete)
    return make_error(errc::parse_error,
                      "the text ends too early, at byte " + std::to_string(body.size()));
  return make_error(errc::parse_error, json_fault(why) + " at byte " + std::to_string(offset));
}

} // namespace troupe::net
