// Questions and answers in kagent's words, both directions: what its extension's document prints,
// and what it refuses.
#include "protocol/json/json_schema.hpp"
#include "protocol/opt/hitl.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace troupe;
namespace json = boost::json;

namespace {

json::object object_from(const std::string& text) {
  return json::parse(text).as_object();
}

question asks(const std::string& prompt, const std::string& form = "{}",
              const std::string& data = "{}") {
  question out;
  out.id = "question-1";
  out.prompt = prompt;
  out.form = object_from(form);
  out.data = object_from(data);
  return out;
}

/// A question about two calls of tools.
question about_tools(const std::string& form = R"({"type":"boolean"})") {
  return asks(
      "Allow these calls?", form,
      R"({"tools":[{"id":"tool-1","call_id":"call-1","name":"deploy","args":{"to":"prod"}},)"
      R"({"id":"tool-2","call_id":"call-2","name":"notify"}],"other":1})");
}

message responds(const std::string& response) {
  message out;
  out.parts.push_back(text_part("words"));
  out.metadata[hitl::uri] = json::parse(response);
  return out;
}

constexpr const char* own_id = "trip.p0.t0.question-1";

std::string printed(const json::value& value) {
  return json::serialize(value);
}

/// The value of the answer; or what was wrong with it, and where.
std::string outcome(const message& said, const question& asked) {
  const auto read = hitl::read_response(said, asked, own_id);
  if (!read) {
    CHECK(read.error().code == errc::invalid_answer);
    return read.error().field + ": " + read.error().message;
  }
  return *read ? printed((*read)->value) : "nothing";
}

std::string outcome(const std::string& response, const question& asked) {
  return outcome(responds(response), asked);
}

std::string answers(const std::string& entries) {
  return R"({"type":"ask_user_response","id":")" + std::string(own_id) + R"(","answers":[)"
         + entries + "]}";
}

std::string approvals(const std::string& entries) {
  return R"({"type":"tool_approval_response","approvals":[)" + entries + "]}";
}

constexpr const char* trip_form =
    R"({"type":"object","required":["side"],"properties":{)"
    R"("side":{"type":"string","title":"Which side?","oneOf":[{"const":"s","title":"By the sea"},{"const":"c"}]},)"
    R"("adults":{"type":"integer"},"cabin":{"type":"boolean","description":"With a cabin?"},)"
    R"("days":{"type":"array","items":{"type":"string","enum":["Mon","Tue"]}}}})";

} // namespace

TEST_CASE("Q13_kagent: a question is a request in kagent's words", "[protocol][opt][hitl]") {
  CHECK(printed(hitl::request_of(asks("Which?"), own_id))
        == R"({"type":"ask_user_request","id":"trip.p0.t0.question-1","questions":)"
           R"([{"question":"Which?","choices":[],"multiple":false}]})");
  CHECK(printed(hitl::request_of(
            asks("Which?", R"({"type":"array","items":{"type":"string","enum":["a","b"]}})"), "x"))
        == R"({"type":"ask_user_request","id":"x","questions":)"
           R"([{"question":"Which?","choices":["a","b"],"multiple":true}]})");
  CHECK(printed(hitl::request_of(asks("Which?", R"({"type":"array","items":{"anyOf":[)"
                                                R"({"const":"a","title":"One"},{"const":"b"}]}})"),
                                 "x")
                    .at("questions"))
        == R"([{"question":"Which?","choices":["One","b"],"multiple":true}])");
  CHECK(printed(hitl::request_of(asks("Which?", R"({"enum":["a"],"enumNames":["One"]})"), "x")
                    .at("questions"))
        == R"([{"question":"Which?","choices":["One"],"multiple":false}])");
  CHECK(printed(hitl::request_of(asks("Trip", trip_form), "x").at("questions"))
        == R"([{"question":"Which side?","choices":["By the sea","c"],"multiple":false},)"
           R"({"question":"adults","choices":[],"multiple":false},)"
           R"({"question":"With a cabin?","choices":["yes","no"],"multiple":false},)"
           R"({"question":"days","choices":["Mon","Tue"],"multiple":true}])");
  // Of tools only what the extension knows: it refuses other members.
  CHECK(printed(hitl::request_of(about_tools(), own_id))
        == R"({"type":"tool_approval_request","hint":"Allow these calls?","tools":[)"
           R"({"id":"tool-1","call_id":"call-1","name":"deploy","args":{"to":"prod"}},)"
           R"({"id":"tool-2","call_id":"call-2","name":"notify","args":{}}]})");
  CHECK(hitl::is_approval(about_tools()));
  for (const auto* data : {"{}", R"({"tools":[]})", R"({"tools":[{"id":"a","name":"b"}]})",
                           R"({"tools":[{"id":"a","call_id":"b","name":"c","args":7}]})"}) {
    CAPTURE(data);
    CHECK_FALSE(hitl::is_approval(asks("x", "{}", data)));
    CHECK(hitl::request_of(asks("x", "{}", data), "i").at("type") == "ask_user_request");
  }
}

TEST_CASE("Q13_kagent: a response is the answer to the question, by position",
          "[protocol][opt][hitl]") {
  CHECK(outcome(answers(R"({"answer":["by the sea"]})"), asks("Which?")) == R"("by the sea")");
  CHECK(outcome(answers(R"({"answer":["2"]})"), asks("How many?", R"({"type":"integer"})")) == "2");
  CHECK(outcome(answers(R"({"answer":["YES"]})"), asks("?", R"({"type":"boolean"})")) == "true");
  CHECK(outcome(answers(R"({"answer":["tue","MON"]})"),
                asks("?", R"({"type":"array","items":{"type":"string","enum":["Mon","Tue"]}})"))
        == R"(["Tue","Mon"])");
  const auto form = asks("Trip", trip_form);
  const auto read = hitl::read_response(
      responds(answers(
          R"({"answer":["by the SEA"]},{"answer":["2"]},{"answer":[]},{"answer":["Tue"]})")),
      form, own_id);
  REQUIRE(read.has_value());
  CHECK(printed((*read)->value) == R"({"side":"s","adults":2,"days":["Tue"]})");
  CHECK_FALSE(find_misfit((*read)->value, form.form));
  // What does not fit is refused by the check of the form, as from anybody.
  CHECK(outcome(answers(R"({"answer":["many"]})"), asks("?", R"({"type":"integer"})"))
        == R"("many")");
  CHECK(hitl::answered_id(responds(answers(""))) == own_id);
  CHECK(hitl::answered_id(responds(approvals(""))).empty());
  CHECK(hitl::answered_id(message{}).empty());
}

TEST_CASE("Q13_kagent: a response that is not one to the question is refused with the place",
          "[protocol][opt][hitl]") {
  const auto one = asks("Which?");
  CHECK_THAT(
      outcome(R"({"type":"ask_user_response","id":"other","answers":[{"answer":["x"]}]})", one),
      StartsWith("/id: ") && ContainsSubstring("other") && ContainsSubstring(own_id));
  for (const auto& [entries, place] : std::vector<std::pair<std::string, std::string>>{
           {"", "/answers: "},
           {R"({"answer":["x"]},{"answer":["y"]})", "/answers: "},
           {R"("x")", "/answers/0: "},
           {R"({"answer":"x"})", "/answers/0: "},
           {R"({"answer":[7]})", "/answers/0/answer: "},
           {R"({"answer":[]})", "/answers/0: "},
           {R"({"answer":["x","y"]})", "/answers/0: "}}) {
    CAPTURE(entries);
    CHECK_THAT(outcome(answers(entries), one), StartsWith(place));
  }
  for (const auto* type :
       {R"({"type":"tool_approval_response","approvals":[]})", R"({"type":7})", "{}", "[]", "7"}) {
    CAPTURE(type);
    CHECK_THAT(outcome(type, one), StartsWith("/type: "));
  }
  CHECK_THAT(outcome(answers(R"({"answer":["x"]})"), about_tools()), StartsWith("/type: "));
  CHECK(outcome(message{}, one) == "nothing");
}

TEST_CASE("Q13_kagent: every call of a tool is decided once", "[protocol][opt][hitl]") {
  const std::string yes_1 = R"({"id":"tool-1","approved":true})";
  const std::string yes_2 = R"({"id":"tool-2","approved":true})";
  const std::string no_2 =
      R"({"id":"tool-2","approved":false,"rejection_reason":"not production"})";
  const std::string no_1 = R"({"id":"tool-1","approved":false})";
  CHECK(outcome(approvals(yes_2 + "," + yes_1), about_tools()) == "true");
  CHECK(outcome(approvals(no_1 + "," + no_2), about_tools()) == "false");
  CHECK_THAT(outcome(approvals(yes_1 + "," + no_2), about_tools()), StartsWith("/approvals: some"));
  CHECK(outcome(approvals(yes_1 + "," + no_2), about_tools("{}"))
        == R"([{"id":"tool-1","approved":true},)"
           R"({"id":"tool-2","approved":false,"rejection_reason":"not production"}])");
  for (const auto& wrong : {yes_1, yes_1 + "," + yes_1, yes_1 + "," + yes_2 + "," + no_2,
                            yes_1 + "," + yes_2 + R"(,{"id":"tool-3","approved":true})",
                            yes_1 + R"(,{"id":"tool-2","approved":"yes"})",
                            yes_1 + R"(,{"approved":true})", std::string{}, std::string{"7"}}) {
    CAPTURE(wrong);
    CHECK_THAT(outcome(approvals(wrong), about_tools()), StartsWith("/approvals"));
  }
  CHECK_THAT(outcome(R"({"type":"tool_approval_response"})", about_tools()),
             StartsWith("/approvals"));
}

TEST_CASE("Q13_kagent: the older words decide about tools, and mean nothing elsewhere",
          "[protocol][opt][hitl]") {
  const auto says = [](const std::string& text) {
    message out;
    out.parts.push_back(text_part(text));
    return out;
  };
  for (const auto* word : {"approved", "approve", "Proceed", " yes\n", "CONTINUE"}) {
    CAPTURE(word);
    CHECK(outcome(says(word), about_tools()) == "true");
    CHECK(outcome(says(word), asks("Which?")) == "nothing");
  }
  for (const auto* word : {"denied", "deny", "reject", "no", "cancel", "Stop"}) {
    CAPTURE(word);
    CHECK(outcome(says(word), about_tools()) == "false");
  }
  for (const auto* other : {"yes please", "no, not yet", "", "perhaps"}) {
    CAPTURE(other);
    CHECK(outcome(says(other), about_tools()) == "nothing");
  }
  for (const auto& [decision, value] : std::vector<std::pair<std::string, std::string>>{
           {"approve", "true"}, {"reject", "false"}, {"maybe", "nothing"}}) {
    message out;
    out.parts.push_back(data_part(json::object{{"decision_type", decision}}));
    CHECK(outcome(out, about_tools()) == value);
  }
  CHECK(outcome(says("approve"), about_tools("{}"))
        == R"([{"id":"tool-1","approved":true},{"id":"tool-2","approved":true}])");
}

TEST_CASE("Q13_kagent: a request of another agent is a question, and our answer its response",
          "[protocol][opt][hitl]") {
  const auto asking = [](const std::string& request) {
    auto out = responds(request);
    out.from = role::agent;
    return out;
  };
  const auto read = [&](const std::string& request) {
    auto out = hitl::read_request(asking(request));
    REQUIRE(out.has_value());
    REQUIRE(out->has_value());
    CHECK_FALSE(check_schema((*out)->form));
    return **out;
  };
  const auto response = [](const hitl::request& to, hitl::answer said) {
    const auto sent = hitl::response_to(to, said);
    CHECK(sent.extensions == std::vector<std::string>{std::string(hitl::uri)});
    return printed(sent.metadata.at(hitl::uri));
  };

  const auto one = read(R"({"type":"ask_user_request","id":"ask-1","questions":[)"
                        R"({"question":"Which?","choices":["a","b"],"multiple":false}]})");
  CHECK(one.prompt == "Which?");
  CHECK(printed(one.form) == R"({"type":"string","enum":["a","b"]})");
  CHECK(response(one, {answer_action::accept, "b"})
        == R"({"type":"ask_user_response","id":"ask-1","answers":[{"answer":["b"]}]})");
  CHECK(response(one, {answer_action::decline, {}})
        == R"({"type":"ask_user_response","id":"ask-1","answers":[{"answer":[]}]})");

  const auto several =
      read(R"({"type":"ask_user_request","id":"ask-2","questions":[{"question":"Name?"},)"
           R"({"question":"Days?","choices":["Mon","Tue"],"multiple":true}],)"
           R"("nested":{"subagent_name":"s","task_id":"t","context_id":"c","tools":[]}})");
  CHECK(several.prompt == "Name?\nDays?");
  CHECK(several.data.at("nested").at("task_id") == "t");
  const json::value form = {{"answer-1", "Anna"}, {"answer-2", {"Mon", "Tue"}}};
  CHECK_FALSE(find_misfit(form, several.form));
  CHECK(response(several, {answer_action::accept, form})
        == R"({"type":"ask_user_response","id":"ask-2","answers":[{"answer":["Anna"]},)"
           R"({"answer":["Mon","Tue"]}]})");

  const auto tools = read(printed(hitl::request_of(about_tools(), own_id)));
  CHECK(tools.prompt == "Allow these calls?");
  CHECK(printed(tools.form) == R"({"type":"boolean"})");
  CHECK(response(tools, {answer_action::accept, true})
        == approvals(R"({"id":"tool-1","approved":true},{"id":"tool-2","approved":true})"));
  CHECK(response(tools, {answer_action::decline, {}})
        == approvals(R"({"id":"tool-1","approved":false,"rejection_reason":"decline"},)"
                     R"({"id":"tool-2","approved":false,"rejection_reason":"decline"})"));

  const auto plain = hitl::read_request(message{});
  REQUIRE(plain.has_value());
  CHECK_FALSE(plain->has_value());
  for (const auto* wrong :
       {"7", R"({"type":"ask_user_response"})", R"({"type":"ask_user_request","id":"x"})",
        R"({"type":"ask_user_request","id":"x","questions":[]})",
        R"({"type":"ask_user_request","questions":[{"question":"?"}]})",
        R"({"type":"ask_user_request","id":"x","questions":[{"choices":[]}]})",
        R"({"type":"ask_user_request","id":"x","questions":[{"question":"?","choices":[7]}]})",
        R"({"type":"tool_approval_request","tools":[]})",
        R"({"type":"tool_approval_request","tools":[{"id":"x"}]})"}) {
    CAPTURE(wrong);
    const auto refused = hitl::read_request(asking(wrong));
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == errc::invalid_agent_response);
  }
}

TEST_CASE("Q13_kagent: a request in the older words is answered in them", "[protocol][opt][hitl]") {
  message asking;
  asking.from = role::agent;
  auto older = data_part(json::parse(R"({"interrupt_type":"tool_approval","action_requests":[)"
                                     R"({"name":"deploy","args":{"to":"prod"},"id":"call-1"}]})"));
  older.metadata["kagent_type"] = "interrupt_data";
  asking.parts = {text_part("Allow it?"), older};
  const auto read = hitl::read_request(asking);
  REQUIRE(read.has_value());
  REQUIRE(read->has_value());
  CHECK((*read)->prompt == "Allow it?");
  CHECK((*read)->is_older);
  CHECK((*read)->data.at("tools").at(0).at("name") == "deploy");
  for (const auto& [said, decision] :
       std::vector<std::pair<hitl::answer, std::string>>{{{answer_action::accept, true}, "approve"},
                                                         {{answer_action::accept, false}, "reject"},
                                                         {{answer_action::cancel, {}}, "reject"}}) {
    const auto sent = hitl::response_to(**read, said);
    CHECK_FALSE(sent.metadata.contains(hitl::uri));
    REQUIRE(sent.parts.size() == 1);
    CHECK(std::get<data_content>(sent.parts[0].content).data.at("decision_type").as_string()
          == decision);
  }
}

TEST_CASE(
    "Q13_kagent: what is asked in kagent's words and answered in them arrives as it was meant",
    "[protocol][opt][hitl]") {
  // A round trip through another process: request, question there, its answer, response, answer
  // here.
  for (const auto& [asked, value] : std::vector<std::pair<question, json::value>>{
           {asks("Which?"), "by the sea"},
           {asks("Which?", R"({"type":"string","enum":["a","b"]})"), "b"},
           {about_tools(), true},
           {about_tools(), false}}) {
    message asking;
    asking.metadata[hitl::uri] = hitl::request_of(asked, own_id);
    const auto there = hitl::read_request(asking);
    REQUIRE(there.has_value());
    const auto sent = hitl::response_to(**there, {answer_action::accept, value});
    CHECK(outcome(sent, asked) == printed(value));
  }
}
