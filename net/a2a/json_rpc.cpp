#include "net/a2a/json_rpc.hpp"

#include "net/a2a/operation_table.hpp"
#include "net/http/content_type.hpp"
#include "protocol/a2a/errc_wire.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/net/limits.hpp>

#include <boost/json/object.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::net {

namespace {

namespace json = boost::json;

// -- the binding ----------------------------------------------------------------------------------

class json_rpc_frame final : public binding {
public:
  void begin_result(const operation_call& call, std::string& out) const override {
    begin(call, out, "result");
  }
  void end_result(std::string& out) const override { out += '}'; }

  void write_error(const operation_call& call, std::string& out, const error& why) const override {
    begin(call, out, "error");
    json_writer writer(out);
    call.codec->write_rpc_error(writer, why, call.server.options.time->now());
    out += '}';
  }

  /// 200 whatever happened, since the Go and Python SDKs drop the body of any other status; but for
  /// what proxies and clients know how to deal with: who is asking, overload, unavailability.
  unsigned status_of(const error& why) const override {
    const auto status = wire_of(why.code).http;
    return status == 401 || status == 429 || status == 503 ? status : 200;
  }

  std::string_view error_event() const noexcept override { return {}; }
  bool streams_refusals() const noexcept override { return true; }

private:
  static void begin(const operation_call& call, std::string& out, std::string_view member) {
    out += R"({"jsonrpc":"2.0","id":)";
    out += call.id;
    out += ",\"";
    out += member;
    out += "\":";
  }
};

// -- the envelope ---------------------------------------------------------------------------------

/// Takes the id out of the envelope; false if it cannot be one.
bool read_id(const json::object& envelope, std::string& out) {
  const auto* id = envelope.if_contains("id");
  if (id == nullptr || id->is_null())
    return true;
  if (!id->is_string() && !id->is_number())
    return false;
  if (id->is_string() && id->get_string().size() > rpc_id_bytes_max)
    return false;
  std::string text;
  json_writer(text).value(*id);
  out = std::move(text);
  return true;
}

error no_method(std::string_view name) {
  return make_error(
      errc::method_not_found,
      "no method " + quoted(shown(name))
          + " (methods of A2A 1.0 are spelled like SendMessage, of 0.3 like message/send)",
      shown(name));
}

/// Whether the version asked for has the method (A2A 1.0 section 3.6.2; docs/a2a.md, D1); sets the
/// codec that serves it.
std::optional<error> check_version(operation_call& call, std::string_view name,
                                   const std::optional<rpc_method>& found) {
  if (call.version == asked_version::unknown)
    return version_not_supported(call);
  if (!found)
    return no_method(name);
  if (found->in == method_family::v0_3 && call.version == asked_version::v1_0)
    return no_method(name);
  if (found->in == method_family::v1_0 && call.version != asked_version::v1_0) {
    call.codec = &codec_1_0();
    if (call.version == asked_version::v0_3 || !call.server.options.lenient_version)
      return version_missing(call, name);
  }
  return std::nullopt;
}

/// The ids that a request names, for the log: ` task-o9TB`.
std::string ids_of(const json::value* params) {
  constexpr auto names = std::to_array<std::string_view>({"id", "taskId", "objectiveId", "planId"});
  std::string out;
  if (params != nullptr && params->is_object())
    for (const auto name : names)
      if (const auto* id = params->get_object().if_contains(name); id != nullptr && id->is_string())
        out.append(" ").append(shown(id->get_string()));
  return out;
}

/// The envelope's checks (JSON-RPC 2.0 section 4), then version, method and params; the method to
/// call, or the error.
result<operation_function> read_envelope(operation_call& call, const json::value& root) {
  const auto* envelope = root.if_object();
  if (envelope == nullptr)
    return make_error(errc::invalid_request,
                      root.is_array() ? "batches are not part of A2A; send one object per request"
                                      : "the body must be one JSON object");
  if (!read_id(*envelope, call.id))
    return make_error(errc::invalid_request,
                      "id must be a number, null, or a string of at most "
                          + std::to_string(rpc_id_bytes_max) + " bytes",
                      "id");
  const auto* version = envelope->if_contains("jsonrpc");
  if (version == nullptr || !version->is_string() || version->get_string() != "2.0")
    return make_error(errc::invalid_request, "jsonrpc must be \"2.0\"", "jsonrpc");
  const auto* name = envelope->if_contains("method");
  if (name == nullptr || !name->is_string())
    return make_error(errc::invalid_request, "method must be a string", "method");
  call.params = envelope->if_contains("params");

  const std::string_view method_name(name->get_string().data(), name->get_string().size());
  if (call.server.options.debug)
    call.responder.response().label =
        std::string(shown(method_name)) + " " + std::string(call.id) + ids_of(call.params);
  const auto found = find_method(method_name);
  if (auto refused = check_version(call, method_name, found))
    return *std::move(refused);
  if (call.params != nullptr && !call.params->is_object() && !call.params->is_null())
    return make_error(errc::invalid_params, "params must be an object", "params");
  return found->row->serve;
}

struct parsed_body {
  const json::value* root = nullptr; ///< Null: it is not JSON, for the reason `why`.
  error_code why;
  std::size_t offset = 0; ///< Where it went wrong.
};

parsed_body parse_body(operation_call& call) {
  parsed_body out;
  out.root = call.scratch().parse(call.request.body, out.why, out.offset);
  return out;
}

awaitable<void> serve_body(operation_call& call, const parsed_body& body) {
  if (body.root == nullptr) {
    fail(call, explain_parse_error(call, body.why, body.offset));
    return {};
  }
  const auto handle = read_envelope(call, *body.root);
  if (!handle) {
    fail(call, handle.error());
    return {};
  }
  return (*handle)(call);
}

/// The same for a long body, which another thread parses.
awaitable<void> serve_long_body(operation_call& call) {
  parsed_body body;
  std::function<void()> parse = [&] { body = parse_body(call); };
  const auto done = co_await apart(call, std::move(parse));
  if (!done)
    co_return fail(call, done.error());
  if (!*done)
    co_return;
  auto rest = serve_body(call, body);
  call.responder.release_body();
  if (!call.reads_params_later)
    call.drop_params();
  if (rest.valid())
    co_await std::move(rest);
}

} // namespace

const binding& json_rpc_binding() noexcept {
  static const json_rpc_frame frame;
  return frame;
}

awaitable<void> serve_json_rpc(server_state& server, http_exchange& exchange) {
  const auto& request = exchange.request;
  auto& call = begin_call(server, exchange);
  read_service_parameters(call);
  if (!is_json(request.content_type)) {
    // Before the body is looked at: what is not sent as JSON need not be any.
    fail(call, not_json(request.content_type));
    call.responder.response().status = 400;
    return {};
  }
  if (request.body.size() > long_request_bytes) {
    call.begin_long();
    return serve_long_body(call);
  }
  return serve_body(call, parse_body(call));
}

} // namespace troupe::net
