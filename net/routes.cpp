// What answers which path: one table. Paths know nothing of JSON-RPC's inside, methods nothing of
// paths.
#include "net/a2a/json_rpc.hpp"
#include "net/a2a/rest.hpp"
#include "net/a2a/wire_codec.hpp"
#include "net/card/card_routes.hpp"
#include "net/http/cors.hpp"
#include "net/push/push_sender.hpp"
#include "net/server_state.hpp"
#include "protocol/a2a/errc_wire.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/store/session_status.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe::net {

namespace {

using boost::beast::http::verb;

// -- health ---------------------------------------------------------------------------------------

/// Models hold up nothing: a server of theirs that fails is no fault of this one.
void write_models(json_writer& out, const std::vector<model_health>& all) {
  out.key("models").begin_array();
  for (const auto& each : all) {
    out.begin_object().member("name", each.name).member("breaker", each.breaker);
    if (each.since)
      out.member("since", to_rfc3339(*each.since));
    if (each.next_probe)
      out.member("nextProbe", to_rfc3339(*each.next_probe));
    out.end_object();
  }
  out.end_array();
}

void write_health(http_response& response, std::string_view status, std::string_view reason,
                  const server_state* server = nullptr) {
  json_writer out(response.body);
  out.begin_object().member("status", status).optional_member("reason", reason);
  if (const auto* memory = server != nullptr ? server->memory.get() : nullptr;
      memory != nullptr && is_nearly_full(*memory)) {
    out.key("memory").begin_object().key("bytes").number(std::uint64_t{memory->held()});
    out.key("limit").number(std::uint64_t{memory->bytes_max()}).key("accounts").begin_object();
    for (const auto& share : memory_shares)
      out.key(share.name).number(std::uint64_t{memory->held(share.account)});
    out.end_object().end_object();
  }
  if (const auto* sessions =
          server != nullptr ? sessions_beside(server->main_gateway.records()) : nullptr) {
    const auto now = sessions->sessions(); // They hold up nothing: the server is ready.
    out.key("sessions").begin_object().member("directory", now.directory);
    out.key("lagGroups").number(now.lag_groups).key("lost").number(now.lost);
    out.optional_member("problem", now.problem).optional_member("loss", now.loss).end_object();
  }
  if (server != nullptr && server->options.models)
    write_models(out, server->options.models());
  out.end_object();
  response.headers += "Cache-Control: no-store\r\n";
}

awaitable<void> get_health(server_state&, http_exchange& exchange) {
  write_health(exchange.responder.response(), "ok", {});
  return {};
}

awaitable<void> get_ready(server_state& server, http_exchange& exchange) {
  auto& response = exchange.responder.response();
  const auto store = server.main_gateway.records().status();
  if (exchange.responder.is_draining() || server.main_gateway.draining()) {
    response.status = 503;
    write_health(response, "draining", "The server is shutting down.");
  } else if (!store.writable) {
    response.status = 503;
    write_health(response, "unavailable", store.problem, &server);
  } else if (const auto taken = server.main_gateway.takes_work(); !taken) {
    response.status = 503;
    const bool is_full = taken.error().code == errc::overloaded;
    write_health(response, is_full ? "overloaded" : "unavailable", taken.error().message, &server);
  } else {
    write_health(response, "ready", {}, &server);
  }
  if (response.status != 200)
    add_retry_after(response);
  return {};
}

awaitable<void> get_public_card(server_state& server, http_exchange& exchange) {
  get_card(*server.cards.get(), exchange.request, exchange.responder.response());
  return {};
}

// -- the table ------------------------------------------------------------------------------------

struct route_row {
  std::string_view path;
  verb method; ///< `get` also stands for HEAD.
  awaitable<void> (*handle)(server_state&, http_exchange&);
  bool while_draining;
};

constexpr auto rows = std::to_array<route_row>({
    {"/", verb::post, &serve_json_rpc, false},
    {"/agents/planner", verb::post, &serve_json_rpc,
     false}, // where the examples of Objective-Plan-Task send theirs
    {"/.well-known/agent-card.json", verb::get, &get_public_card, true},
    {"/.well-known/agent.json", verb::get, &get_public_card, true}, // where 0.2 had it
    {"/healthz", verb::get, &get_health, true},
    {"/readyz", verb::get, &get_ready, true},
});

bool takes(const route_row& row, verb method) noexcept {
  return row.method == method || (row.method == verb::get && method == verb::head);
}

void refuse_method(http_exchange& exchange, const route_row& row) {
  const std::string_view allowed = row.method == verb::get ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
  auto& response = exchange.responder.response();
  response.headers.append("Allow: ").append(allowed).append("\r\n");
  if (exchange.request.method == verb::options) {
    if (row.handle == &get_public_card)
      append_card_preflight(response.headers);
    response.status = 204;
    response.content_type = {};
    return;
  }
  std::string message("This path takes ");
  write_plain_error(response, 405, message.append(allowed).append("."));
}

/// As the bindings answer, in the words of the version whose paths begin so.
void refuse_path(server_state& server, http_exchange& exchange, std::string_view path) {
  auto& response = exchange.responder.response();
  const auto why = make_error(errc::method_not_found, "there is nothing at " + quoted(shown(path))
                                                          + "; JSON-RPC is served at \"/\"");
  const auto& codec = path.starts_with("/v1/") ? codec_0_3_rest() : codec_1_0();
  response.status = wire_of(why.code).http;
  json_writer out(response.body);
  codec.write_rest_error(out, why, server.options.time->now(), response.status);
}

/// The path; slashes alone are the root, as of clients that put a slash behind the card's URL.
std::string_view path_of(const http_request& request) noexcept {
  const auto path = request.path();
  return path.find_first_not_of('/') == std::string_view::npos ? std::string_view{"/"} : path;
}

} // namespace

server_state::server_state(gateway& to, server_options how)
    : server_state(to, how, push_seams{.time = how.time}) {}

server_state::server_state(gateway& to, server_options how, push_seams network)
    : http_service(with_memory_of(to, std::move(how))), main_gateway(to),
      push(std::make_shared<push_service>(to.records(), options.push, stream_bytes.feeds(),
                                          std::move(network))),
      operations(to, push), hosts(options, default_host(options)) {}

awaitable<void> server_state::serve(http_exchange& exchange) {
  const auto& request = exchange.request;
  auto& response = exchange.responder.response();
  if (const auto why = hosts.refuse(request)) {
    write_plain_error(response, why->status, why->message);
    return {};
  }
  const auto path = path_of(request);
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.path == path; });
  if (exchange.responder.is_draining() && (row == rows.end() || !row->while_draining)) {
    write_plain_error(response, 503, "The server is shutting down.");
    return {};
  }
  const bool has_own_cors = row != rows.end() && row->handle == &get_public_card;
  if (!has_own_cors && apply_cors(options.cors_origins, request, response))
    return {};
  if (row == rows.end()) {
    if (const auto named = parse_rest_path(path))
      return serve_rest(*this, exchange, *named);
    refuse_path(*this, exchange, path);
    return {};
  }
  if (!takes(*row, request.method)) {
    refuse_method(exchange, *row);
    return {};
  }
  return row->handle(*this, exchange);
}

} // namespace troupe::net
