// Event streams of the real binary: a reader that reads misses nothing, however much happens at
// once.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

using namespace troupe::testing;
namespace json = boost::json;

namespace {

/// An objective `o` that has not begun, with the one task `o.p0.t0`.
void make(const served& server, const std::string& task) {
  server.ask("objectives/create",
             R"({"id":"o","name":"o","plans":[{"name":"p","tasks":[)" + task + "]}]}");
}

void start(const served& server) {
  server.ask("objectives/update", R"({"id":"o","status":"working"})");
}

std::string text_of(const json::value& artifact) {
  std::string out;
  for (const auto& part : artifact.at("parts").as_array())
    out += part.at("text").as_string();
  return out;
}

} // namespace

TEST_CASE("a burst of 60,000 chunks of a program reaches a reader that reads",
          "[apps][binary][streams]") {
  const temporary_directory place;
  const bool is_durable = GENERATE(false, true);
  CAPTURE(is_durable);
  const served server(is_durable
                          ? std::vector<std::string>{"--allow-commands", "--data", place / "data"}
                          : std::vector<std::string>{"--allow-commands", "--store", "memory"});
  constexpr int chunks = 60'000;
  std::string lines;
  std::string expected;
  for (int i = 0; i < chunks; ++i) {
    const auto text = std::to_string(i) + ";";
    lines += R"({"artifact":{"name":"log","text":")" + text + R"(","append":)"
             + (i > 0 ? "true" : "false") + "}}\n";
    expected += text;
  }
  make(server, R"({"name":"t","agent":"command","input":{"argv":["cat",")"
                   + place.file("lines", lines)
                   + R"("],"protocol":"jsonl","outputLimit":100000000}})");
  auto reader = server.subscribed("o.p0.t0");
  start(server);
  std::string text;
  std::string state;
  while (const auto event = reader.next_event()) {
    const auto parsed = json::parse(*event);
    INFO(*event);
    REQUIRE(at(parsed, "/error/message") == "(none)");
    if (const auto now = at(parsed, "/result/statusUpdate/status/state"); now != "(none)")
      state = now;
    else if (parsed.at("result").as_object().contains("artifactUpdate"))
      text += text_of(parsed.at_pointer("/result/artifactUpdate/artifact"));
  }
  CHECK(state == "TASK_STATE_COMPLETED");
  CHECK(text.size() == expected.size());
  CHECK((text == expected));
  // The ended task has one text, not 60,000.
  const auto task = server.ask("GetTask", R"({"id":"o.p0.t0"})");
  const auto& artifact = task.at("artifacts").at(0);
  CHECK(artifact.at("parts").as_array().size() == 1);
  CHECK((text_of(artifact) == expected));
}

TEST_CASE("messages of a working agent are events of the stream", "[apps][binary][streams]") {
  const served server;
  make(
      server,
      R"({"name":"t","agent":"scripted","input":{"steps":[{"message":"half way"},{"complete":"done"}]}})");
  auto reader = server.subscribed("o.p0.t0");
  start(server);
  bool was_said = false;
  while (const auto event = reader.next_event()) {
    const auto parsed = json::parse(*event);
    was_said = was_said
               || (at(parsed, "/result/statusUpdate/status/state") == "TASK_STATE_WORKING"
                   && at(parsed, "/result/statusUpdate/status/message/parts/0/text") == "half way");
  }
  CHECK(was_said);
}
