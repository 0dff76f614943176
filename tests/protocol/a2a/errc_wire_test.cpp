#include "protocol/a2a/errc_wire.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/documented_table.hpp"

#include <boost/json/parse.hpp>

#include <map>
#include <set>

using namespace troupe;

namespace {

constexpr timestamp noon{std::chrono::milliseconds{1'767'355'200'000}};

std::string jsonrpc(const error& error) {
  std::string out;
  json_writer json{out};
  write_jsonrpc_error(json, error, noon);
  return out;
}

std::string rest(const error& error) {
  std::string out;
  json_writer json{out};
  write_rest_error(json, error, noon);
  return out;
}

std::string rest_0_3(const error& error) {
  std::string out;
  json_writer json{out};
  write_rest_error_0_3(json, error, noon);
  return out;
}

bool is_upper_snake(std::string_view text) {
  return !text.empty()
         && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string_view::npos;
}

} // namespace

TEST_CASE("A2A's and JSON-RPC's errors have the numbers of the specification",
          "[protocol][errc_wire]") {
  struct row {
    errc code;
    int jsonrpc;
    int http;
    const char* grpc;
    const char* reason;
  };
  const auto expected = GENERATE(values<row>({
      {errc::task_not_found, -32001, 404, "NOT_FOUND", "TASK_NOT_FOUND"},
      {errc::task_not_cancelable, -32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"},
      {errc::push_not_supported, -32003, 400, "FAILED_PRECONDITION",
       "PUSH_NOTIFICATION_NOT_SUPPORTED"},
      {errc::unsupported_operation, -32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"},
      {errc::content_type_not_supported, -32005, 400, "INVALID_ARGUMENT",
       "CONTENT_TYPE_NOT_SUPPORTED"},
      {errc::invalid_agent_response, -32006, 500, "INTERNAL", "INVALID_AGENT_RESPONSE"},
      {errc::extended_card_not_configured, -32007, 400, "FAILED_PRECONDITION",
       "EXTENDED_AGENT_CARD_NOT_CONFIGURED"},
      {errc::extension_required, -32008, 400, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED"},
      {errc::version_not_supported, -32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"},
      {errc::parse_error, -32700, 400, "INVALID_ARGUMENT", "PARSE_ERROR"},
      {errc::invalid_request, -32600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST"},
      {errc::method_not_found, -32601, 404, "UNIMPLEMENTED", "METHOD_NOT_FOUND"},
      {errc::invalid_params, -32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"},
      {errc::internal, -32603, 500, "INTERNAL", "INTERNAL_ERROR"},
  }));
  const auto& row = wire_of(expected.code);
  CHECK(row.jsonrpc == expected.jsonrpc);
  CHECK(row.http == expected.http);
  CHECK(row.grpc == expected.grpc);
  CHECK(row.reason == expected.reason);
  CHECK(row.domain == "a2a-protocol.org");
}

TEST_CASE("the extension's errors have the numbers of its reference, and a domain of ours",
          "[protocol][errc_wire]") {
  struct row {
    errc code;
    int jsonrpc;
    const char* reason;
  };
  const auto expected = GENERATE(values<row>({
      {errc::objective_not_found, -32000, "OBJECTIVE_NOT_FOUND"},
      {errc::plan_not_found, -32000, "PLAN_NOT_FOUND"},
      {errc::invalid_transition, -32001, "INVALID_TRANSITION"},
      {errc::revision_mismatch, -32602, "REVISION_MISMATCH"},
      {errc::dependency_cycle, -32602, "DEPENDENCY_CYCLE"},
      {errc::unknown_dependency, -32602, "UNKNOWN_DEPENDENCY"},
      {errc::duplicate_id, -32602, "DUPLICATE_ID"},
      {errc::limit_exceeded, -32602, "LIMIT_EXCEEDED"},
      {errc::invalid_document, -32602, "INVALID_DOCUMENT"},
      {errc::invalid_reference, -32602, "INVALID_REFERENCE"},
      {errc::agent_not_found, -32602, "AGENT_NOT_FOUND"},
      {errc::no_question, -32602, "NO_QUESTION"},
      {errc::input_not_found, -32000, "INPUT_NOT_FOUND"},
      {errc::already_answered, -32602, "ALREADY_ANSWERED"},
      {errc::input_expired, -32602, "INPUT_EXPIRED"},
      {errc::input_withdrawn, -32602, "INPUT_WITHDRAWN"},
      {errc::ambiguous_input, -32602, "AMBIGUOUS_INPUT"},
      {errc::invalid_answer, -32602, "INVALID_ANSWER"},
      {errc::input_claimed, -32602, "INPUT_CLAIMED"},
      {errc::planner_failed, -32603, "PLANNER_FAILED"},
      {errc::budget_exceeded, -32603, "BUDGET_EXCEEDED"},
  }));
  const auto& row = wire_of(expected.code);
  CHECK(row.jsonrpc == expected.jsonrpc);
  CHECK(row.reason == expected.reason);
  CHECK(row.domain == "troupe");
}

TEST_CASE("every code has a row of its own that is whole", "[protocol][errc_wire]") {
  // HTTP statuses that the canonical codes of google.rpc.Code map to, besides A2A's own choices.
  const std::map<std::string_view, std::set<int>> statuses{{"OK", {200}},
                                                           {"INVALID_ARGUMENT", {400, 422}},
                                                           {"FAILED_PRECONDITION", {400}},
                                                           {"NOT_FOUND", {404}},
                                                           {"ABORTED", {409}},
                                                           {"ALREADY_EXISTS", {409}},
                                                           {"RESOURCE_EXHAUSTED", {413, 429}},
                                                           {"CANCELLED", {499}},
                                                           {"INTERNAL", {500}},
                                                           {"UNIMPLEMENTED", {404, 405}},
                                                           {"UNAUTHENTICATED", {401}},
                                                           {"PERMISSION_DENIED", {403}},
                                                           {"UNAVAILABLE", {503}},
                                                           {"DEADLINE_EXCEEDED", {504}}};
  std::set<std::string_view> reasons;
  for (std::uint8_t i = 0; i < errc_end; ++i) {
    const auto& row = wire_of(static_cast<errc>(i));
    CAPTURE(to_string(static_cast<errc>(i)));
    CHECK(row.code == static_cast<errc>(i));
    CHECK(reasons.insert(row.reason).second);
    CHECK(is_upper_snake(row.reason));
    CHECK_FALSE(row.text_1_0.empty());
    CHECK_FALSE(row.text_0_3.empty());
    CHECK_FALSE(row.subject.empty());
    REQUIRE(statuses.contains(row.grpc));
    CHECK(statuses.at(row.grpc).contains(row.http));
    if (row.code == errc::unauthenticated) {
      CHECK(row.jsonrpc == -31401); // outside of what JSON-RPC and A2A reserve
    } else if (row.code == errc::forbidden) {
      CHECK(row.jsonrpc == -31403);
    } else if (row.code != errc::none) {
      CHECK(row.jsonrpc <= -32000);
      CHECK(row.jsonrpc >= -32768);
    }
  }
}

TEST_CASE("an undefined code is an internal error", "[protocol][errc_wire]") {
  CHECK(wire_of(static_cast<errc>(errc_end)).code == errc::internal);
  CHECK(wire_of(static_cast<errc>(255)).code == errc::internal);
  CHECK(to_string(static_cast<errc>(255)) == "unknown");
  CHECK(boost::json::parse(jsonrpc({static_cast<errc>(255), "odd", {}})).at("code") == -32603);
}

TEST_CASE("0.3 has its own standard texts", "[protocol][errc_wire]") {
  CHECK(wire_of(errc::task_not_found).text_0_3 == "Task not found");
  CHECK(wire_of(errc::task_not_cancelable).text_0_3 == "Task cannot be canceled");
  CHECK(wire_of(errc::push_not_supported).text_0_3 == "Push Notification is not supported");
  CHECK(wire_of(errc::unsupported_operation).text_0_3 == "This operation is not supported");
  CHECK(wire_of(errc::content_type_not_supported).text_0_3 == "Incompatible content types");
  CHECK(wire_of(errc::invalid_agent_response).text_0_3 == "Invalid agent response type");
  CHECK(wire_of(errc::extended_card_not_configured).text_0_3
        == "Authenticated Extended Card not configured");
  CHECK(wire_of(errc::invalid_params).text_0_3 == "Invalid method parameters");
  std::string out;
  json_writer json{out};
  write_jsonrpc_error_0_3(json, {errc::task_not_found, {}, "t9"});
  CHECK(
      out
      == R"({"code":-32001,"message":"Task not found; check the id of the task [TASK_NOT_FOUND, -32001]"})");
}

TEST_CASE("a message is the standard text, what the error adds, what to do, reason and code",
          "[protocol][errc_wire]") {
  const std::string end = "; check the id of the task [TASK_NOT_FOUND, -32001]";
  CHECK(wire_message("Task not found", {errc::task_not_found, "", ""}) == "Task not found" + end);
  CHECK(wire_message("Task not found", {errc::task_not_found, "no task t-9.", ""})
        == "Task not found: no task t-9" + end);
  CHECK(wire_message("Task not found", {errc::task_not_found, "task not found: t-9", ""})
        == "task not found: t-9" + end);
  CHECK(wire_message("Revision mismatch", {errc::revision_mismatch,
                                           "it is at 2; read it again and repeat the change", ""})
        == "Revision mismatch: it is at 2; read it again and repeat the change "
           "[REVISION_MISMATCH, -32602]");
}

TEST_CASE("a message that says what to do gets no second advice", "[protocol][errc_wire]") {
  CHECK(wire_message("Duplicate id", {errc::duplicate_id, "\"trip\" is in use; leave it out", ""})
        == "Duplicate id: \"trip\" is in use; leave it out [DUPLICATE_ID, -32602]");
  CHECK(wire_message("Duplicate id", {errc::duplicate_id, "\"trip\" is in use", ""})
        == "Duplicate id: \"trip\" is in use; choose another id [DUPLICATE_ID, -32602]");
}

TEST_CASE("the text of every error says its code, its reason and what to do",
          "[protocol][errc_wire]") {
  for (std::uint8_t i = 1; i < errc_end; ++i) {
    const auto& row = wire_of(static_cast<errc>(i));
    CAPTURE(row.reason);
    CHECK_FALSE(row.advice.empty());
    const error why{row.code, "because", ""};
    const auto v1_0 = boost::json::parse(jsonrpc(why)).at("message");
    const auto v0_3 = boost::json::parse(rest_0_3(why)).at("message");
    for (const auto& text : {v1_0, v0_3, boost::json::parse(rest(why)).at("error").at("message")})
      for (const auto& part : {std::string("because"), std::string(row.advice),
                               std::string(row.reason), std::to_string(row.jsonrpc)}) {
        CAPTURE(text, part);
        CHECK(std::string(text.as_string()).find(part) != std::string::npos);
      }
  }
}

TEST_CASE("a JSON-RPC error carries an ErrorInfo in an array", "[protocol][errc_wire]") {
  CHECK(
      jsonrpc({errc::task_not_found, "", "t9"})
      == R"({"code":-32001,"message":"Task not found; check the id of the task [TASK_NOT_FOUND, -32001]","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",)"
         R"("reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org",)"
         R"("metadata":{"taskId":"t9","timestamp":"2026-01-02T12:00:00.000Z"}}]})");
}

TEST_CASE("a wrong parameter adds a BadRequest that names the field", "[protocol][errc_wire]") {
  const auto body = boost::json::parse(
      jsonrpc({errc::invalid_params, "message.parts: must not be empty", "message.parts"}));
  CHECK(body.at("message")
        == "Invalid parameters: message.parts: must not be empty; correct the request and send it "
           "again [INVALID_PARAMS, -32602]");
  REQUIRE(body.at("data").as_array().size() == 2);
  CHECK(body.at("data").at(0).at("metadata").at("field") == "message.parts");
  CHECK(body.at("data").at(1)
        == boost::json::parse(
            R"({"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":
             [{"field":"message.parts","description":"message.parts: must not be empty"}]})"));
  CHECK(boost::json::parse(jsonrpc({errc::invalid_params, "odd", ""})).at("data").as_array().size()
        == 1);
  CHECK(boost::json::parse(jsonrpc({errc::internal, "odd", "x"})).at("data").as_array().size()
        == 1);
  const auto no_agent = boost::json::parse(
      jsonrpc({errc::agent_not_found, "no agent is named \"x\"", "/plans/0/tasks/0/agent"}));
  REQUIRE(no_agent.at("data").as_array().size() == 2);
  CHECK(no_agent.at("data").at(0).at("metadata").at("field") == "/plans/0/tasks/0/agent");
}

TEST_CASE("a REST error is AIP-193's, with the HTTP status in it", "[protocol][errc_wire]") {
  CHECK(
      rest({errc::task_not_found, "", "t-1"})
      == R"({"error":{"code":404,"status":"NOT_FOUND","message":"Task not found; check the id of the task [TASK_NOT_FOUND, -32001]","details":[)"
         R"({"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND",)"
         R"("domain":"a2a-protocol.org","metadata":{"taskId":"t-1","timestamp":"2026-01-02T12:00:00.000Z"}}]}})");
  CHECK(boost::json::parse(rest({errc::invalid_params, "id: missing", "id"}))
            .at("error")
            .at("details")
            .as_array()
            .size()
        == 2);
}

TEST_CASE("a 0.3 REST error has a form for each kind of client", "[protocol][errc_wire]") {
  CHECK(
      rest_0_3({errc::task_not_found, "", "t-1"})
      == R"({"code":-32001,"message":"Task not found; check the id of the task [TASK_NOT_FOUND, -32001]","type":"TaskNotFoundError",)"
         R"("error":{"code":404,"status":"NOT_FOUND","message":"Task not found; check the id of the task [TASK_NOT_FOUND, -32001]","details":[)"
         R"({"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND",)"
         R"("domain":"a2a-protocol.org","metadata":{"taskId":"t-1","timestamp":"2026-01-02T12:00:00.000Z"}}]}})");
  const auto wrong = boost::json::parse(rest_0_3({errc::invalid_params, "id: missing", "id"}));
  CHECK(wrong.at("message")
        == "Invalid method parameters: id: missing; correct the request and send it again "
           "[INVALID_PARAMS, -32602]");
  CHECK(wrong.at("error").at("message") == wrong.at("message"));
  CHECK(wrong.at("type") == "InvalidParamsError");
}

TEST_CASE("every error has the class name that 0.3 clients know for its code",
          "[protocol][errc_wire]") {
  std::map<int, std::set<std::string_view>> types;
  for (std::uint8_t i = 1; i < errc_end; ++i) {
    const auto& row = wire_of(static_cast<errc>(i));
    CAPTURE(row.reason);
    CHECK(row.type_0_3.ends_with("Error"));
    if (row.domain == a2a_error_domain)
      types[row.jsonrpc].insert(row.type_0_3);
    else
      CHECK((row.type_0_3 == "InvalidParamsError" || row.type_0_3 == "InternalError"
             || row.code == errc::verb_not_allowed));
  }
  std::set<std::string_view> names;
  for (const auto& [code, of_code] : types) {
    CAPTURE(code);
    CHECK(of_code.size() == 1);
    CHECK(names.insert(*of_code.begin()).second);
  }
  CHECK(wire_of(errc::extended_card_not_configured).type_0_3
        == "AuthenticatedExtendedCardNotConfiguredError");
  CHECK(wire_of(errc::parse_error).type_0_3 == "JSONParseError");
}

TEST_CASE("an error of any code and with any message is valid JSON", "[protocol][errc_wire]") {
  for (std::uint8_t i = 0; i < errc_end; ++i)
    for (const auto* text : {"", "a\"b\\c\n\x01", "\xe2\x80\xa8"}) {
      const error error{static_cast<errc>(i), text, text};
      CHECK(boost::json::parse(jsonrpc(error)).at("data").at(0).at("reason").is_string());
      CHECK(boost::json::parse(rest_0_3(error)).at("code").to_number<int>()
            == wire_of(error.code).jsonrpc);
      CHECK(boost::json::parse(rest(error)).at("error").at("code").to_number<int>()
            == wire_of(error.code).http);
    }
}

TEST_CASE("the table of errors in the documents is the one of the code", "[protocol][a2a]") {
  const auto rows = troupe::testing::documented_rows(
      "docs/a2a.md", "| reason | JSON-RPC | REST | text | what to do |");
  REQUIRE(rows.size() == errc_end - std::size_t{1});
  for (std::uint8_t code = 1; code < errc_end; ++code) {
    const auto& wire = wire_of(static_cast<errc>(code));
    CHECK(rows[code - 1U]
          == troupe::testing::cells{"`" + std::string(wire.reason) + "`",
                                    std::to_string(wire.jsonrpc), std::to_string(wire.http),
                                    std::string(wire.text_1_0), std::string(wire.advice)});
  }
}
