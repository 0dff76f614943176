#include "net/operation.hpp"

#include "net/json_rpc.hpp"
#include "net/limits.hpp"
#include "protocol/text.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <optional>

namespace troupe::net {

namespace json = boost::json;

void operation_call::reset() {
  codec = &codec_1_0();
  frame = &json_rpc_binding();
  version = asked_version::absent;
  extensions = {};
  params = nullptr;
  id = "null";
  tenant.clear();
  merged = nullptr;
  who = caller{};
}

void read_service_parameters(operation_call& call) {
  const auto& request = call.connection.request();
  call.version = parse_version(request.a2a_version, request.query("A2A-Version"));
  call.codec = &codec_of(call.version);
  call.extensions = parse_extensions(request.a2a_extensions);
  if (is_traceparent(request.traceparent))
    call.who.traceparent = request.traceparent;
  append_extensions_header(call.connection.response().headers, call.extensions, call.version);
}

error version_not_supported(const operation_call& call) {
  const auto& request = call.connection.request();
  const auto asked = shown(request.a2a_version.empty() ? request.query("A2A-Version") : std::string_view(request.a2a_version));
  return make_error(errc::version_not_supported,
                    "this server speaks A2A 1.0 and 0.3; send `A2A-Version: 1.0` (or 0.3), not \"" + asked + "\"", asked);
}

error version_missing(const operation_call& call, std::string_view what) {
  const bool absent = call.version == asked_version::absent;
  return make_error(errc::version_not_supported,
                    "\"" + shown(what) + "\" is A2A 1.0, and "
                        + (absent ? "a request without version header counts as 0.3" : "the request says 0.3")
                        + "; send `A2A-Version: 1.0`",
                    absent ? "" : "0.3");
}

const json::value& params_of(const operation_call& call) noexcept {
  static const json::value none = json::object{};
  return call.params == nullptr || call.params->is_null() ? none : *call.params;
}

result<void> identify(const operation_call& call, caller& who, errc unknown_tenant) {
  who.principal = call.who.principal;
  who.traceparent = call.who.traceparent;
  if (!call.tenant.empty() && !who.tenant.empty() && call.tenant != who.tenant)
    return make_error(errc::invalid_params,
                      "tenant: \"" + shown(who.tenant) + "\" is not the path's \"" + shown(call.tenant) + "\"", "tenant");
  const auto& tenant = who.tenant.empty() ? call.tenant : who.tenant;
  if (!tenant.empty())
    return make_error(unknown_tenant, "this server has no tenants, so none is called \"" + shown(tenant) + "\"",
                      unknown_tenant == errc::invalid_params ? "tenant" : shown(tenant));
  return {};
}

void fail(operation_call& call, const error& why) {
  auto& response = call.connection.response();
  response.body.clear();
  response.content_type = json_type;
  response.status = call.frame->status_of(why);
  call.frame->write_error(call, response.body, why);
  if (response.status == 429 || response.status == 503)
    add_retry_after(response);
}

error explain_parse_error(std::string_view body, const error_code& why, std::size_t offset, std::size_t depth_max) {
  if (why == json::error::too_deep)
    return make_error(errc::parse_error, "nested deeper than " + std::to_string(depth_max) + " levels (limits.json-depth)");
  if (const auto bad = find_invalid_utf8(body))
    return make_error(errc::parse_error, "invalid UTF-8 at byte " + std::to_string(*bad));
  if (body.empty())
    return make_error(errc::parse_error, "the body is empty");
  if (why == json::error::incomplete)
    return make_error(errc::parse_error, "the text ends too early, at byte " + std::to_string(body.size()));
  return make_error(errc::parse_error, why.message() + " at byte " + std::to_string(offset));
}

} // namespace troupe::net
