#include "net/routes.hpp"

#include "net/card_routes.hpp"
#include "net/cors.hpp"
#include "net/json_rpc.hpp"
#include "net/rest.hpp"
#include "net/wire_codec.hpp"
#include "protocol/errc_wire.hpp"
#include "protocol/json_writer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe::net {

namespace {

using boost::beast::http::verb;

// -- health ------------------------------------------------------------------------------------------------------------

void write_health(http_response& response, std::string_view status, std::string_view reason) {
  json_writer out(response.body);
  out.begin_object().member("status", status).optional_member("reason", reason).end_object();
  response.headers += "Cache-Control: no-store\r\n";
}

awaitable<void> get_health(session& connection) {
  write_health(connection.response(), "ok", {});
  return {};
}

awaitable<void> get_ready(session& connection) {
  auto& response = connection.response();
  const auto store = connection.server().door.records().status();
  if (connection.is_draining() || connection.server().door.draining()) {
    response.status = 503;
    write_health(response, "draining", "The server is shutting down.");
  } else if (!store.writable) {
    response.status = 503;
    write_health(response, "unavailable", store.problem);
  } else {
    write_health(response, "ready", {});
  }
  if (response.status != 200)
    add_retry_after(response);
  return {};
}

// -- the table ---------------------------------------------------------------------------------------------------------

struct route_row {
  std::string_view path;
  verb method; ///< `get` also stands for HEAD.
  awaitable<void> (*handle)(session&);
  bool while_draining;
};

constexpr auto rows = std::to_array<route_row>({
    {"/",                            verb::post, &serve_json_rpc, false},
    {"/agents/planner",              verb::post, &serve_json_rpc, false}, // where the examples of Objective-Plan-Task send theirs
    {"/.well-known/agent-card.json", verb::get,  &get_card,       true },
    {"/.well-known/agent.json",      verb::get,  &get_card,       true }, // where 0.2 had it
    {"/healthz",                     verb::get,  &get_health,     true },
    {"/readyz",                      verb::get,  &get_ready,      true },
});

bool takes(const route_row& row, verb method) noexcept {
  return row.method == method || (row.method == verb::get && method == verb::head);
}

void refuse_method(session& connection, const route_row& row) {
  const std::string_view allowed = row.method == verb::get ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
  auto& response = connection.response();
  response.headers.append("Allow: ").append(allowed).append("\r\n");
  if (connection.request().method == verb::options) {
    if (row.handle == &get_card)
      append_card_preflight(response.headers);
    response.status = 204;
    response.content_type = {};
    return;
  }
  std::string message("This path takes ");
  write_plain_error(response, 405, message.append(allowed).append("."));
}

/// As the bindings answer, in the words of the version whose paths begin so.
void refuse_path(session& connection, std::string_view path) {
  auto& response = connection.response();
  const auto why = make_error(errc::method_not_found,
                              "there is nothing at \"" + shown(path) + "\"; JSON-RPC is served at \"/\"");
  const auto& codec = path.starts_with("/v1/") ? codec_0_3_rest() : codec_1_0();
  response.status = wire_of(why.code).http;
  json_writer out(response.body);
  codec.write_rest_error(out, why, connection.server().options.now());
}

/// The path; slashes alone are the root, as of clients that put a slash behind the card's URL.
std::string_view path_of(const http_request& request) noexcept {
  const auto path = request.path();
  return path.find_first_not_of('/') == std::string_view::npos ? std::string_view{"/"} : path;
}

} // namespace

awaitable<void> route(session& connection) {
  const auto& request = connection.request();
  auto& response = connection.response();
  const auto path = path_of(request);
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.path == path; });
  if (connection.is_draining() && (row == rows.end() || !row->while_draining)) {
    write_plain_error(response, 503, "The server is shutting down.");
    return {};
  }
  const bool has_own_cors = row != rows.end() && row->handle == &get_card;
  if (!has_own_cors && apply_cors(connection.server().options.cors_origins, request, response))
    return {};
  if (row == rows.end()) {
    if (const auto named = parse_rest_path(path))
      return serve_rest(connection, *named);
    refuse_path(connection, path);
    return {};
  }
  if (!takes(*row, request.method)) {
    refuse_method(connection, *row);
    return {};
  }
  return row->handle(connection);
}

} // namespace troupe::net
