#include "client/a2a/request.hpp"

#include "client/retry_after.hpp"
#include "protocol/a2a/answer_reading.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/refusable_work.hpp"
#include "protocol/text/percent.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse_options.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <utility>

namespace troupe::a2a {

namespace json = boost::json;

namespace {

using enum operation;

// A2A 1.0 sections 9.4 and 11.3, 0.3 sections 7 and 3.5.3; docs/objectives.md, docs/questions.md.
constexpr auto rows = std::to_array<operation_row>({
    {send, "SendMessage", "message/send", "POST", "/message:send"},
    {send_streaming, "SendStreamingMessage", "message/stream", "POST", "/message:stream", true},
    {get_task, "GetTask", "tasks/get", "GET", "/tasks/{id}"},
    {list_tasks, "ListTasks", "tasks/list", "GET", "/tasks"},
    {cancel_task, "CancelTask", "tasks/cancel", "POST", "/tasks/{id}:cancel"},
    {subscribe_to_task, "SubscribeToTask", "tasks/resubscribe", "GET", "/tasks/{id}:subscribe",
     true},
    {create_push, "CreateTaskPushNotificationConfig", "tasks/pushNotificationConfig/set", "POST",
     "/tasks/{taskId}/pushNotificationConfigs"},
    {get_push, "GetTaskPushNotificationConfig", "tasks/pushNotificationConfig/get", "GET",
     "/tasks/{taskId}/pushNotificationConfigs/{id}"},
    {list_push, "ListTaskPushNotificationConfigs", "tasks/pushNotificationConfig/list", "GET",
     "/tasks/{taskId}/pushNotificationConfigs"},
    {delete_push, "DeleteTaskPushNotificationConfig", "tasks/pushNotificationConfig/delete",
     "DELETE", "/tasks/{taskId}/pushNotificationConfigs/{id}"},
    {get_extended_card, "GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard", "GET",
     "/extendedAgentCard", false, "/card"},
    {create_objective, "objectives/create", "objectives/create", "POST", "/objectives"},
    {get_objective, "objectives/get", "objectives/get", "GET", "/objectives/{id}"},
    {list_objectives, "objectives/list", "objectives/list", "GET", "/objectives"},
    {update_objective, "objectives/update", "objectives/update", "PATCH", "/objectives/{id}"},
    {subscribe_to_objective, "objectives/subscribe", "objectives/subscribe", "GET",
     "/objectives/{id}:subscribe", true},
    {list_inputs, "inputs/list", "inputs/list", "GET", "/inputs"},
    {get_input, "inputs/get", "inputs/get", "GET", "/inputs/{id}"},
    {answer_input, "inputs/answer", "inputs/answer", "POST", "/inputs/{id}:answer"},
    {claim_input, "inputs/claim", "inputs/claim", "POST", "/inputs/{id}:claim"},
    {release_input, "inputs/release", "inputs/release", "POST", "/inputs/{id}:release"},
    {modify_objective, "objectives/modify", "objectives/modify", "POST", "/objectives/{id}:modify"},
    {replan_objective, "objectives/replan", "objectives/replan", "POST", "/objectives/{id}:replan"},
    {objective_history, "objectives/history", "objectives/history", "GET",
     "/objectives/{id}:history"},
    {get_plan, "plans/get", "plans/get", "GET", "/plans/{id}"},
    {modify_plan, "plans/modify", "plans/modify", "POST", "/plans/{id}:modify"},
    {plan_history, "plans/history", "plans/history", "GET", "/plans/{id}:history"},
});

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].which != static_cast<operation>(i))
      return false;
  return true;
}
static_assert(is_in_order());

/// The members as a query; an array is repeated.
std::string query_of(const json::object& params) {
  std::string out;
  const auto add = [&](std::string_view name, const json::value& value) {
    out += (out.empty() ? "?" : "&") + percent_encoded(name) + "="
           + percent_encoded(text_of_value(value));
  };
  for (const auto& [key, value] : params) {
    const std::string_view name{key.data(), key.size()};
    if (const auto* all = value.if_array())
      for (const auto& each : *all)
        add(name, each);
    else
      add(name, value);
  }
  return out;
}

void make_rest(prepared_request& out, const operation_row& row, const endpoint& to,
               json::object params) {
  const bool is_0_3 = to.format.version == wire::a2a_version::v0_3;
  if (is_0_3)
    out.url += to.url.ends_with("/v1") ? "" : "/v1";
  if (!to.tenant.empty())
    out.url += "/" + percent_encoded(to.tenant);
  auto path = is_0_3 && !row.path_0_3.empty() ? row.path_0_3 : row.path;
  for (auto begin = path.find('{'); begin != path.npos; begin = path.find('{')) {
    const auto end = path.find('}', begin);
    const auto name = path.substr(begin + 1, end - begin - 1);
    out.url += path.substr(0, begin);
    if (const auto* id = params.if_contains(name))
      out.url += percent_encoded(text_of_value(*id));
    params.erase(name);
    path.remove_prefix(end + 1);
  }
  out.url += path;
  out.request.method = row.verb;
  if (row.verb == "GET" || row.verb == "DELETE") // neither has a body
    out.url += query_of(params);
  else
    out.request.body = json::serialize(params);
}

/// Of every request: each has a connection or a stream for itself.
constexpr int rpc_id = 1;

void make_json_rpc(prepared_request& out, const operation_row& row, const endpoint& to,
                   json::object params) {
  if (!to.tenant.empty())
    params["tenant"] = to.tenant;
  const bool is_1_0 = to.format.version == wire::a2a_version::v1_0;
  const json::object call{{"jsonrpc", "2.0"},
                          {"id", rpc_id},
                          {"method", is_1_0 ? row.rpc_1_0 : row.rpc_0_3},
                          {"params", std::move(params)}};
  out.request.body = json::serialize(call);
  if (to.url.find('/', to.url.find("//") + 2) == std::string::npos)
    out.url += "/";
}

/// The tree is outside of every account: one at a time, on the thread of its loop.
result<json::value> parse(std::string_view text) {
  return refusable("the tree of an answer", [&]() -> result<json::value> {
    boost::system::error_code failed;
    json::parse_options how;
    how.max_depth = 256;
    auto out = parse_json(text, failed, {}, how);
    if (failed)
      return make_error(errc::invalid_agent_response,
                        "the answer is no JSON: " + json_fault(failed));
    return out;
  });
}

/// Of an error that is no JSON.
constexpr std::size_t error_words_bytes_max = 400;

/// Of what an error says besides; more is left out.
constexpr std::size_t refusal_data_bytes_max = std::size_t{64} << 10;

/// Seconds.
constexpr std::string_view retry_after_member = "retryAfter";

/// With what was refused in numbers (error::details): `httpStatus`, and of JSON-RPC `rpcCode` and
/// `rpcData`. `status`: 0 if there is none.
error with_refusal(error why, unsigned status, const json::value& from) {
  json::object details;
  if (status != 0)
    details["httpStatus"] = status;
  const auto* whole = from.if_object();
  const auto* inner = whole != nullptr ? whole->if_contains("error") : nullptr;
  const auto* said = inner != nullptr && inner->is_object() ? inner->if_object() : whole;
  if (said != nullptr) {
    if (const auto* code = said->if_contains("code"); code != nullptr && code->is_int64())
      details["rpcCode"] = code->get_int64();
    for (const auto* member : {"data", "details"})
      if (const auto* data = said->if_contains(member);
          data != nullptr && json::serialize(*data).size() <= refusal_data_bytes_max)
        details["rpcData"] = *data;
  }
  why.details = json::serialize(details);
  return why;
}

/// With the time after which it may be asked again, if the answer says so.
error with_retry_after(error why, std::string_view retry_after, timestamp now) {
  const auto wait = net::read_retry_after(retry_after, now);
  return wait ? a2a::with_pause(std::move(why), *wait) : why;
}

/// Whether an answer of JSON-RPC has the id of our request (JSON-RPC 2.0 section 5). Some servers
/// leave it out of the events of a stream.
bool is_ours(const json::value* id) {
  boost::system::error_code failed;
  return id == nullptr || (id->is_number() && id->to_number<double>(failed) == rpc_id);
}

result<json::value> unwrapped(json::value whole, wire::wire_format format) {
  if (format.binding == wire::a2a_binding::rest && whole.is_array())
    return whole;
  auto* object = whole.if_object();
  if (object == nullptr)
    return make_error(errc::invalid_agent_response, "the answer is no JSON object");
  if (format.binding == wire::a2a_binding::rest) {
    // A stream of REST shows an error as an event of its own.
    if (object->size() == 1 && object->contains("error"))
      return with_refusal(wire::read_rest_error(500, whole), 0, whole);
    return whole;
  }
  if (const auto* error = object->if_contains("error"); error != nullptr && !error->is_null())
    return with_refusal(wire::read_rpc_error(*error), 0, whole);
  if (!is_ours(object->if_contains("id")))
    return make_error(errc::invalid_agent_response,
                      "the answer is to another request: its id is not that of the request");
  auto* found = object->if_contains("result");
  if (found == nullptr)
    return make_error(errc::invalid_agent_response,
                      "the answer is no JSON-RPC: it has neither result nor error");
  return std::move(*found);
}

} // namespace

params_writer same_params(json::object params) {
  return [params = std::move(params)](wire::wire_format) { return params; };
}

const operation_row& row_of(operation which) noexcept {
  return rows[static_cast<std::size_t>(which)];
}

prepared_request prepare(operation which, const endpoint& to, json::object params,
                         const std::vector<std::pair<std::string, std::string>>& more_headers) {
  const auto& row = row_of(which);
  prepared_request out;
  out.url = to.url;
  auto& headers = out.request.headers;
  if (to.format.binding == wire::a2a_binding::rest)
    make_rest(out, row, to, std::move(params));
  else
    make_json_rpc(out, row, to, std::move(params));
  out.request.may_repeat = row.verb == "GET"; // what only reads, in JSON-RPC, too
  if (!out.request.body.empty())
    headers.emplace_back("Content-Type", "application/json");
  headers.emplace_back("Accept", row.streams ? "text/event-stream" : "application/json");
  if (to.format.version == wire::a2a_version::v1_0)
    headers.emplace_back("A2A-Version", "1.0"); // 1.0 section 3.6.1; absent means 0.3
  headers.insert(headers.end(), more_headers.begin(), more_headers.end());
  return out;
}

result<json::value> read_result(const net::outbound_answer& answer, wire::wire_format format,
                                timestamp now) {
  const bool is_fine = answer.status >= 200 && answer.status < 300;
  if (is_fine && !answer.is_whole)
    return make_error(errc::too_large, "the answer ended too soon, or is longer than this client "
                                       "reads");
  if (is_fine && answer.body.empty() && format.binding == wire::a2a_binding::rest)
    return json::value{}; // As after something was deleted.
  auto whole = parse(answer.body);
  if (!whole && whole.error().code == errc::overloaded)
    return whole.error();
  if (!is_fine) {
    const auto* object = whole ? whole->if_object() : nullptr;
    if (format.binding == wire::a2a_binding::json_rpc && object != nullptr
        && object->contains("jsonrpc") && object->contains("error"))
      return with_retry_after(
          with_refusal(wire::read_rpc_error(object->at("error")), answer.status, *whole),
          answer.header("retry-after"), now);
    const auto body = whole ? *whole : json::value{};
    return with_retry_after(
        with_refusal(wire::read_rest_error(answer.status, body), answer.status, body),
        answer.header("retry-after"), now);
  }
  if (!whole)
    return whole.error();
  return unwrapped(std::move(*whole), format);
}

result<json::value> read_event(const net::sse_event& event, wire::wire_format format) {
  auto whole = parse(event.data);
  if (!whole && whole.error().code == errc::overloaded)
    return whole.error();
  if (!event.is_error) {
    if (!whole)
      return whole.error();
    return unwrapped(std::move(*whole), format);
  }
  if (!whole) { // words for people
    json::object words;
    words["message"] = shortened(event.data, error_words_bytes_max);
    whole = json::value(std::move(words));
  }
  const auto* members = whole->if_object();
  if (members != nullptr && members->contains("error")) {
    auto said = unwrapped(*whole, format);
    if (!said)
      return said;
  }
  return with_refusal(wire::read_rest_error(500, *whole), 0, *whole);
}

result<task> read_asked_task(const json::value& answer, const std::string& id,
                             wire::wire_format format) {
  auto out = wire::read_task(answer, format);
  if (out && out->id.str() != id)
    return make_error(errc::invalid_agent_response,
                      "the agent answered with another task than the one that was asked for");
  return out;
}

bool may_be_wrong_version(const error& why, operation which, wire::a2a_binding by) {
  const auto& row = row_of(which);
  if (by == wire::a2a_binding::json_rpc && row.rpc_1_0 == row.rpc_0_3)
    return false; // it is asked the same in both
  // -32601 and 404; -32009 (A2A 1.0 section 5.4)
  return why.code == errc::method_not_found || why.code == errc::version_not_supported;
}

std::optional<std::chrono::milliseconds> pause_in(const error& why) {
  boost::system::error_code failed;
  const auto details = why.details.empty() ? json::value{} : parse_json(why.details, failed);
  const auto* members = details.if_object();
  const auto* found = members != nullptr ? members->if_contains(retry_after_member) : nullptr;
  if (failed || found == nullptr || !found->is_int64() || found->get_int64() < 0)
    return std::nullopt;
  return std::chrono::seconds{found->get_int64()};
}

error with_pause(error why, std::chrono::milliseconds wait) {
  if (pause_in(why).value_or(std::chrono::milliseconds{0}) >= wait)
    return why;
  boost::system::error_code failed;
  auto details =
      why.details.empty() ? json::value(json::object{}) : parse_json(why.details, failed);
  if (auto* members = details.if_object(); !failed && members != nullptr) {
    (*members)[retry_after_member] = std::chrono::ceil<std::chrono::seconds>(wait).count();
    why.details = json::serialize(details);
  }
  return why;
}

} // namespace troupe::a2a
