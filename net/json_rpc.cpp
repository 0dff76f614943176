#include "net/json_rpc.hpp"

#include "net/limits.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace troupe::net {

namespace {

namespace json = boost::json;

/// The first byte that cannot stand in UTF-8 (RFC 3629); nothing if `text` is valid.
std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5                 ? 4
                                                                             : 0;
    if (length == 0 || i + length > text.size())
      return i;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U)
        return i;
    const auto second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0x80U;
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool outside = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90);
    if (overlong || outside)
      return i;
    i += length;
  }
  return std::nullopt;
}

error explain_parse_error(std::string_view body, const error_code& why, std::size_t offset, std::size_t depth_max) {
  if (why == json::error::too_deep)
    return make_error(errc::parse_error, "nested deeper than " + std::to_string(depth_max) + " levels (json_depth_max)");
  if (const auto bad = find_invalid_utf8(body))
    return make_error(errc::parse_error, "invalid UTF-8 at byte " + std::to_string(*bad));
  if (body.empty())
    return make_error(errc::parse_error, "the body is empty");
  if (why == json::error::incomplete)
    return make_error(errc::parse_error, "the text ends too early, at byte " + std::to_string(body.size()));
  return make_error(errc::parse_error, why.message() + " at byte " + std::to_string(offset));
}

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

const rpc_method* find_method(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const rpc_method*> all;
    for (const auto& methods : {a2a_methods(), opt_methods()})
      for (const auto& one : methods)
        all.emplace(one.name, &one);
    return all;
  }();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

/// Whether the version asked for lets the method be called (a2a-wire 1.2).
std::optional<error> check_version(const rpc_call& call, const rpc_method* method) {
  const auto& request = call.connection.request();
  if (call.version == asked_version::unknown) {
    const auto& asked = request.a2a_version.empty() ? std::string(request.query("A2A-Version")) : request.a2a_version;
    return make_error(errc::version_not_supported,
                      "this server speaks A2A 1.0; send `A2A-Version: 1.0`, not \"" + shown(asked) + "\"", shown(asked));
  }
  if (method != nullptr && method->family == rpc_family::extension)
    return std::nullopt;
  if (call.version == asked_version::v0_3)
    return make_error(errc::version_not_supported, "this server speaks A2A 1.0; send `A2A-Version: 1.0`, not 0.3", "0.3");
  if (method != nullptr && call.version == asked_version::absent && !call.server().options.lenient_version)
    return make_error(errc::version_not_supported,
                      std::string(method->name) + " is a method of A2A 1.0, and a request without version header counts as 0.3; "
                      "send `A2A-Version: 1.0`");
  return std::nullopt;
}

/// The envelope's checks in the order of a2a-wire 2.1; the method to call, or the error.
result<const rpc_method*> read_envelope(rpc_call& call, const json::value& root) {
  const auto* envelope = root.if_object();
  if (envelope == nullptr)
    return make_error(errc::invalid_request, root.is_array() ? "batches are not part of A2A; send one object per request"
                                                             : "the body must be one JSON object");
  if (!read_id(*envelope, call.id))
    return make_error(errc::invalid_request,
                      "id must be a number, null, or a string of at most " + std::to_string(rpc_id_bytes_max) + " bytes", "id");
  const auto* version = envelope->if_contains("jsonrpc");
  if (version == nullptr || !version->is_string() || version->get_string() != "2.0")
    return make_error(errc::invalid_request, "jsonrpc must be \"2.0\"", "jsonrpc");
  const auto* name = envelope->if_contains("method");
  if (name == nullptr || !name->is_string())
    return make_error(errc::invalid_request, "method must be a string", "method");
  call.params = envelope->if_contains("params");

  const std::string_view method_name(name->get_string().data(), name->get_string().size());
  const auto* method = find_method(method_name);
  if (auto refused = check_version(call, method))
    return *std::move(refused);
  if (method == nullptr)
    return make_error(errc::method_not_found,
                      "no method \"" + shown(method_name) + "\" (A2A 1.0 methods are spelled like SendMessage)",
                      shown(method_name));
  if (call.params != nullptr && !call.params->is_object() && !call.params->is_null())
    return make_error(errc::invalid_params, "params must be an object", "params");
  return method;
}

} // namespace

void rpc_call::reset() {
  codec = &codec_1_0();
  version = asked_version::absent;
  extensions = {};
  params = nullptr;
  id = "null";
  who = caller{};
}

// -- answers -----------------------------------------------------------------------------------------------------------

void begin_answer(const rpc_call& call, std::string& out, std::string_view member) {
  out += R"({"jsonrpc":"2.0","id":)";
  out += call.id;
  out += ",\"";
  out += member;
  out += "\":";
}

void fail(rpc_call& call, const error& why) {
  auto& response = call.connection.response();
  response.body.clear();
  begin_answer(call, response.body, "error");
  json_writer out(response.body);
  call.codec->write_error(out, why, call.server().options.now());
  response.body += '}';
  if (why.code == errc::overloaded || why.code == errc::unavailable) {
    response.status = why.code == errc::overloaded ? 429 : 503;
    add_retry_after(response);
  }
}

void refuse_rpc(session& connection, unsigned status, const error& why) {
  fail(connection.begin_call(), why);
  connection.response().status = status;
}

const json::value& params_of(const rpc_call& call) noexcept {
  static const json::value none = json::object{};
  return call.params == nullptr || call.params->is_null() ? none : *call.params;
}

std::string shown(std::string_view text) {
  auto cut = std::min(text.size(), echoed_bytes_max);
  while (cut > 0 && cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U)
    --cut; // not in the middle of a character
  std::string out(text.substr(0, cut));
  if (find_invalid_utf8(out))
    std::replace_if(out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  if (cut < text.size())
    out += "...";
  return out;
}

// -- one call ----------------------------------------------------------------------------------------------------------

awaitable<void> serve_rpc(session& connection) {
  const auto& request = connection.request();
  auto& call = connection.begin_call();
  error_code ec;
  std::size_t offset = 0;
  const auto* root = connection.home().scratch().parse(request.body, ec, offset);
  if (root == nullptr) {
    fail(call, explain_parse_error(request.body, ec, offset, call.server().options.json_depth_max));
    return {};
  }
  call.version = parse_version(request.a2a_version, request.query("A2A-Version"));
  call.extensions = parse_extensions(request.a2a_extensions);
  if (is_traceparent(request.traceparent))
    call.who.traceparent = request.traceparent;
  append_extensions_header(connection.response().headers, call.extensions);
  const auto method = read_envelope(call, *root);
  if (!method) {
    fail(call, method.error());
    return {};
  }
  return (*method)->handle(call);
}

} // namespace troupe::net
