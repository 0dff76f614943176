#include "net/a2a/rest.hpp"

#include "net/a2a/operation_table.hpp"
#include "net/http/content_type.hpp"
#include "net/http/uri.hpp"
#include "protocol/a2a/errc_wire.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/percent.hpp"

#include <boost/json/object.hpp>
#include <boost/system/errc.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

namespace troupe::net {

namespace {

namespace json = boost::json;
using boost::beast::http::verb;

// -- the binding ----------------------------------------------------------------------------------

class rest_frame final : public binding {
public:
  void begin_result(const operation_call&, std::string&) const override {}
  void end_result(std::string&) const override {}

  void write_error(const operation_call& call, std::string& out, const error& why) const override {
    json_writer writer(out);
    call.codec->write_rest_error(writer, why, call.server.options.time->now(),
                                 call.responder.response().status);
  }

  unsigned status_of(const error& why) const override { return wire_of(why.code).http; }
  std::string_view error_event() const noexcept override { return "event: error\n"; }
  bool streams_refusals() const noexcept override { return false; }
};

// -- what the path, the query and the body say ----------------------------------------------------

/// Query parameters that are not the operation's.
constexpr auto service_parameters = std::to_array<std::string_view>({"A2A-Version"});

/// Adds the query's pairs as strings; those of one name as an array of them.
result<void> add_query(json::object& params, std::string_view query) {
  json::object asked;
  while (const auto pair = take_pair(query)) {
    const auto name = query_decoded(pair->name);
    const auto value = query_decoded(pair->value);
    if (!name || !value)
      return make_error(errc::invalid_params,
                        "the query is not properly percent-encoded at " + quoted(shown(pair->name)),
                        shown(pair->name));
    if (std::find(service_parameters.begin(), service_parameters.end(), *name)
        != service_parameters.end())
      continue;
    auto& known = asked[*name];
    if (known.is_null())
      known = *value;
    else if (known.is_string())
      known = json::array{known, json::value(*value)};
    else
      known.get_array().emplace_back(*value);
  }
  for (auto& [name, value] : asked)
    params[name] = std::move(value);
  return {};
}

/// Adds what the path names, under the names of the 1.0 params.
void add_path(json::object& params, const rest_path& path) {
  switch (path.resource) {
    case rest_resource::task:
    case rest_resource::objective:
    case rest_resource::plan:
    case rest_resource::input: params["id"] = path.id; return;
    case rest_resource::plans: params["objectiveId"] = path.id; return;
    case rest_resource::push_configs: params["taskId"] = path.id; return;
    case rest_resource::push_config:
      params["taskId"] = path.id;
      params["id"] = path.config;
      return;
    case rest_resource::message:
    case rest_resource::tasks:
    case rest_resource::objectives:
    case rest_resource::inputs:
    case rest_resource::extended_card: return;
  }
}

/// Whether it is about an objective that is there: its revision may be demanded.
bool has_revision(rest_resource resource) {
  return resource == rest_resource::objective || resource == rest_resource::plans
         || resource == rest_resource::plan;
}

/// Adds what `If-Match` demands (RFC 9110 13.1.1): a revision, or that there is any.
result<void> add_condition(json::object& params, std::string_view demanded) {
  if (demanded == "*")
    return {};
  auto digits = demanded;
  if (digits.size() > 2 && digits.starts_with('"') && digits.ends_with('"'))
    digits = digits.substr(1, digits.size() - 2);
  std::int64_t revision = 0;
  const auto* end = digits.data() + digits.size();
  const auto [stop, problem] = std::from_chars(digits.data(), end, revision);
  if (problem != std::errc{} || stop != end || revision < 0)
    return make_error(errc::invalid_params,
                      "If-Match must be a revision, as \"5\", found " + quoted(demanded, 60),
                      "If-Match");
  const auto& written = params["ifRevision"];
  if (!written.is_null() && written != json::value(revision))
    return make_error(errc::invalid_params,
                      "If-Match and \"ifRevision\" are the same; send one of them", "ifRevision");
  params["ifRevision"] = revision;
  return {};
}

/// One object of params out of path, query and body; in that order if they name the same. Those of
/// the path and the query are added to the tree of the body, in its memory: a copy would count
/// nowhere. Throws std::bad_alloc.
result<void> merge_params(operation_call& call, const rest_path& path, const operation_row& row) {
  const auto& request = call.request;
  json::value* root = nullptr;
  if (!request.body.empty()) {
    if (!is_json_like(request.content_type))
      return not_json(request.content_type);
    error_code ec;
    std::size_t offset = 0;
    root = call.scratch().parse(request.body, ec, offset);
    if (root == nullptr)
      return explain_parse_error(call, ec, offset);
    if (!root->is_object() && !root->is_null())
      return make_error(errc::invalid_params, "the body must be one JSON object");
  }
  const bool alone = path.id.empty() && request.query().empty();
  if (alone) {
    call.params = root;
    return {};
  }
  if (root == nullptr || root->is_null()) {
    call.merged.emplace_object();
    root = &call.merged;
  }
  auto& merged = root->get_object();
  if (auto added = add_query(merged, request.query()); !added)
    return added;
  add_path(merged, path);
  if (!request.if_match.empty() && has_revision(path.resource) && row.needs == scope::write)
    if (auto added = add_condition(merged, request.if_match); !added)
      return added;
  call.params = root;
  return {};
}

result<void> read_params(operation_call& call, const rest_path& path, const operation_row& row) {
  try {
    const refusable_work here;
    return merge_params(call, path, row);
  } catch (const std::bad_alloc&) {
    return explain_parse_error(call, make_error_code(boost::system::errc::not_enough_memory), 0);
  }
}

/// Whether the version asked for has the path; sets the codec that serves it (A2A 1.0
/// section 3.6.2; docs/a2a.md, D1).
result<void> check_version(operation_call& call, const rest_path& path) {
  call.codec = path.below_v1 ? &codec_0_3_rest() : &codec_1_0();
  if (call.version == asked_version::unknown)
    return version_not_supported(call);
  if (path.below_v1) {
    if (call.version != asked_version::v1_0)
      return {};
    call.codec = &codec_1_0();
    return make_error(errc::method_not_found,
                      "paths below /v1/ are A2A 0.3; those of 1.0 have no prefix");
  }
  if (call.version == asked_version::v1_0
      || (call.version == asked_version::absent && call.server.options.lenient_version))
    return {};
  return version_missing(call, call.request.path());
}

error no_path(const operation_call& call) {
  return make_error(errc::method_not_found,
                    "there is nothing at " + quoted(shown(call.request.path())));
}

/// OPTIONS without more, and verbs the path does not take.
void refuse_verb(operation_call& call, const std::string& allowed) {
  auto& response = call.responder.response();
  response.headers.append("Allow: ").append(allowed).append(", OPTIONS\r\n");
  if (call.request.method == verb::options) {
    response.status = 204;
    response.content_type = {};
    return;
  }
  fail(call, make_error(errc::verb_not_allowed, "this path takes " + allowed));
}

awaitable<void> serve_row(operation_call& call, const rest_path& path, const operation_binding& row,
                          const result<void>& read) {
  if (!read) {
    call.drop_params();
    fail(call, read.error());
    return {};
  }
  if (!path.below_v1 && names_a2a_type(call.request.accept))
    call.responder.response().content_type = a2a_json_type;
  auto rest = row.serve(call);
  if (!call.reads_params_later) // Else it has decoded them; a stream may last for hours.
    call.drop_params();
  return rest;
}

/// The same for a long body, which another thread parses.
awaitable<void> serve_long(operation_call& call, rest_path path, const operation_binding& row) {
  result<void> read;
  std::function<void()> parse = [&] { read = read_params(call, path, row_of(row.which)); };
  const auto done = co_await apart(call, std::move(parse));
  if (!done)
    co_return fail(call, done.error());
  if (!*done)
    co_return;
  auto rest = serve_row(call, path, row, read);
  call.responder.release_body();
  if (rest.valid())
    co_await std::move(rest);
}

} // namespace

const binding& rest_binding() noexcept {
  static const rest_frame frame;
  return frame;
}

awaitable<void> serve_rest(server_state& server, http_exchange& exchange, const rest_path& path) {
  auto& call = begin_call(server, exchange);
  call.frame = &rest_binding();
  read_service_parameters(call);
  call.tenant = path.tenant;
  if (auto served = check_version(call, path); !served) {
    fail(call, served.error());
    return {};
  }
  std::string allowed;
  const bool is_head =
      call.request.method == verb::head && path.action.empty(); // a stream has no head to speak of
  const auto method = is_head ? verb::get : call.request.method;
  const auto* row = find_place(path, method, allowed);
  if (row == nullptr) {
    if (allowed.empty())
      fail(call, no_path(call));
    else
      refuse_verb(call, allowed);
    return {};
  }
  if (call.request.body.size() > long_request_bytes) {
    call.begin_long();
    return serve_long(call, path, *row);
  }
  return serve_row(call, path, *row, read_params(call, path, row_of(row->which)));
}

} // namespace troupe::net
