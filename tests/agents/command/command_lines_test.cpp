#include "agents/command/command_lines.hpp"
#include "tests/agents/fake_port.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

// The reason why `text` is refused; "fine" if it is not.
std::string refusal(std::string_view text) {
  line_reader lines;
  lines.feed(text);
  while (auto item = lines.next())
    if (const auto* wrong = std::get_if<error>(&*item))
      return wrong->message;
  if (auto item = lines.last())
    if (const auto* wrong = std::get_if<error>(&*item))
      return wrong->message;
  return "fine";
}

std::vector<agent_report> read_all(line_reader& lines) {
  std::vector<agent_report> out;
  while (auto item = lines.next())
    out.push_back(std::get<agent_report>(*item));
  return out;
}

} // namespace

TEST_CASE("lines become reports", "[agents][command][jsonl]") {
  line_reader lines;
  lines.feed(R"({"progress": {"id": "a", "progress": 1, "total": 2}}
{"message": "hi"}
{"artifact": {"name": "log", "text": "1", "lastChunk": false}}

  {"artifact": {"name": "log", "text": "2", "append": true}}
{"ask": "City?"}
{"askAuth": "Sign in"}
{"fail": "no", "retry": false}
{"complete": "done"}
)");
  const auto all = read_all(lines);
  REQUIRE(all.size() == 8);
  CHECK(std::get<report_progress>(all[0]).report.trackers[0].progress == 1.0);
  CHECK(text_of(std::get<report_message>(all[1]).message.parts) == "hi");
  CHECK_FALSE(std::get<report_artifact>(all[2]).last_chunk);
  CHECK(std::get<report_artifact>(all[3]).append);
  CHECK(std::get<report_artifact>(all[3]).artifact.artifact_id
        == std::get<report_artifact>(all[2]).artifact.artifact_id);
  CHECK(std::get<report_question>(all[4]).prompt == "City?");
  CHECK_FALSE(std::get<report_question>(all[4]).auth);
  CHECK(std::get<report_question>(all[5]).auth);
  CHECK(ending(all[6]) == "failed for good: no");
  CHECK(ending(all[7]) == "completed: done");
}

TEST_CASE("a line may ask with a schema, an end and reminders", "[agents][command][jsonl]") {
  line_reader lines;
  lines.feed(
      R"({"ask": {"prompt": "How many?", "schema": {"type": "integer"}, "data": {"of": "tickets"}, )"
      R"("expiresAfter": 90, "remindAfter": 0.5}}
)");
  const auto all = read_all(lines);
  REQUIRE(all.size() == 1);
  const auto& asked = std::get<report_question>(all[0]);
  CHECK(asked.prompt == "How many?");
  CHECK(asked.form == boost::json::object{{"type", "integer"}});
  CHECK(asked.data == boost::json::object{{"of", "tickets"}});
  CHECK(asked.open_for == std::chrono::milliseconds{90'000});
  CHECK(asked.remind_after == std::chrono::milliseconds{500});
}

TEST_CASE("a line may come in pieces of any size", "[agents][command][jsonl]") {
  constexpr std::string_view text =
      "{\"message\": \"caf\xc3\xa9\"}\r\n{\"message\": \"b\"}\n{\"complete\": \"c\"}";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    line_reader lines;
    std::vector<agent_report> all;
    for (std::size_t at = 0; at < text.size(); at += size) {
      lines.feed(text.substr(at, size));
      for (auto& one : read_all(lines))
        all.push_back(std::move(one));
    }
    CAPTURE(size);
    REQUIRE(all.size() == 2);
    CHECK(text_of(std::get<report_message>(all[0]).message.parts) == "caf\xc3\xa9");
    const auto last = lines.last(); // without a newline
    REQUIRE(last.has_value());
    CHECK(ending(std::get<agent_report>(*last)) == "completed: c");
    CHECK_FALSE(lines.last().has_value());
  }
}

TEST_CASE("a wrong line is refused with its number", "[agents][command][jsonl]") {
  CHECK(refusal("") == "fine");
  CHECK(refusal(" \n\r\n\t\n") == "fine");
  CHECK_THAT(refusal("{\"message\": \"a\"}\n\nhello\n"),
             ContainsSubstring("line 3 of stdout: not JSON ("));
  CHECK_THAT(refusal("{\"message\": \"a\"} x\n"),
             ContainsSubstring("line 1 of stdout: not JSON ("));
  CHECK_THAT(refusal("{\"message\": \"\xff\"}\n"),
             ContainsSubstring("line 1 of stdout: not JSON ("));
  CHECK_THAT(refusal(std::string(10000, '[')), ContainsSubstring("line 1 of stdout: not JSON ("));
  CHECK(refusal("[1]\n") == "line 1 of stdout: not a JSON object: \"[1]\"");
  CHECK_THAT(refusal("loading \"model\"...\r\n"),
             ContainsSubstring(R"(): "loading \"model\"...")"));
  CHECK(refusal(std::string(10000, 'x') + "\n").size() < 300);
  CHECK(refusal("{}\n") == "line 1 of stdout: the object is empty");
  CHECK(refusal(R"({"mesage": "a"})")
        == R"(line 1 of stdout: unknown member "mesage"; did you mean "message"?)");
  CHECK(refusal(R"({"message": "a", "fail": "b"})")
        == R"(line 1 of stdout: one line says one thing; this has both "message" and "fail")");
  CHECK(refusal(R"({"message": "a", "retry": true})")
        == R"(line 1 of stdout: unknown member "retry")");
  CHECK(refusal(R"({"message": 1})") == "line 1 of stdout: /message: must be a string");
  CHECK(refusal(R"({"ask": 1})")
        == "line 1 of stdout: /ask: must be a string, or an object with a \"prompt\"");
  CHECK(refusal(R"({"ask": {"prompt": "x", "form": {}}})").find("/ask/form") != std::string::npos);
  CHECK(refusal(R"({"ask": {"prompt": "x", "remindAfter": -1}})").find("/ask/remindAfter")
        != std::string::npos);
  CHECK(refusal(R"({"fail": "a", "retry": 1})")
        == "line 1 of stdout: /retry: must be true or false");
  CHECK(refusal(R"({"progress": {"id": 1}})")
        == "line 1 of stdout: /progress/id: must be a string");
  CHECK(refusal(R"({"artifact": {"name": "a", "text": 1}})")
        == "line 1 of stdout: /artifact/text: must be a string");
  // What a program prints holds no references, whatever it looks like.
  CHECK(refusal(R"({"artifact": {"name": "a", "raw": "${x}"}})")
        == "line 1 of stdout: /artifact/raw: must be base64");
  CHECK(refusal(R"({"artifact": {"name": "a", "text": "", "append": "${x}"}})")
        == "line 1 of stdout: /artifact/append: must be true or false");
}

TEST_CASE("the order reaches the program as one line of JSON", "[agents][command][jsonl]") {
  auto order = order_with(R"({"argv": ["x"], "data": {"k": 1}})");
  order.attempt = 2;
  order.name = "Build \"it\"\n";
  order.objective_name = "Ship";
  order.traceparent = "00-a-b-01";
  order.tracestate = "vendor=abc";
  order.messages = {user_says("please")};
  auto log = text_artifact("log", "line1\nline2");
  log.artifact_id = "a1";
  order.dependencies.push_back(
      {task_id("t0"), "first", "First", {std::make_shared<const artifact>(log)}});
  const auto text = order_line(shared(std::move(order))).rest();
  REQUIRE(text.back() == '\n');
  CHECK(text.find('\n') == text.size() - 1);
  const auto read = boost::json::parse(text);
  CHECK(read.at("task")
        == boost::json::parse(R"({"id": "t1", "attempt": 2, "name": "Build \"it\"\n"})"));
  CHECK(read.at("objective") == "Ship");
  CHECK(read.at("context") == "c1");
  CHECK(read.at("input") == boost::json::parse(R"({"argv": ["x"], "data": {"k": 1}})"));
  CHECK(read.at("traceparent") == "00-a-b-01");
  CHECK(read.at("tracestate") == "vendor=abc");
  const auto& dep = read.at("dependencies").at(0);
  CHECK(dep.at("id") == "t0");
  CHECK(dep.at("key") == "first");
  CHECK(dep.at("name") == "First");
  CHECK(dep.at("artifacts").at(0)
        == boost::json::parse(
            R"({"artifactId": "a1", "name": "log", "parts": [{"text": "line1\nline2"}]})"));
  CHECK(read.at("messages").at(0).at("parts").at(0).at("text") == "please");
  CHECK(read.at("messages").at(0).at("role") == "ROLE_USER");
}

TEST_CASE("an answer differs from a message that answers nothing", "[agents][command][jsonl]") {
  const auto answer = boost::json::parse(input_line(user_says("Paris\n"), {}, true).rest());
  CHECK(answer.at("answer") == "Paris\n");
  CHECK(answer.at("message").at("messageId") == "m1");
  const auto other = boost::json::parse(input_line(user_says("hurry"), {}, false).rest());
  CHECK(other.at("text") == "hurry");
  CHECK_FALSE(other.as_object().contains("answer"));
  CHECK_FALSE(other.as_object().contains("references"));
}

TEST_CASE("a program finds the tasks a message refers to, and what the client accepts",
          "[agents][command][jsonl]") {
  auto made = std::make_shared<artifact>(text_artifact("log", "line"));
  made->artifact_id = "a1";
  const referenced_task old{task_id{"t0"}, {made}, {"a1"}};
  const auto expected = boost::json::parse(
      R"([{"id": "t0", "artifacts": [{"artifactId": "a1", "name": "log", "parts": [{"text": "line"}]}], "pinned": ["a1"]}])");
  order order;
  order.id = task_id{"t1"};
  order.references = {old};
  order.accepted_output_modes = {"text/*"};
  const auto read = boost::json::parse(order_line(shared(order)).rest());
  CHECK(read.at("references") == expected);
  CHECK(read.at("acceptedOutputModes") == boost::json::parse(R"(["text/*"])"));
  CHECK(boost::json::parse(input_line(user_says("and this"), {old}, false).rest()).at("references")
        == expected);
}
