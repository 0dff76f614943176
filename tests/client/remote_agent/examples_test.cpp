// The requests and answers that docs/remote-agent.md prints: each request is sent as it stands, and
// everything that is printed of its answer must be there.
#include "tests/client/remote_agent/tool_bed.hpp"
#include "tests/support/source_dir.hpp"

#include <fstream>
#include <iterator>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace json = boost::json;

namespace {

/// The JSON blocks of the page.
std::vector<std::string> printed_blocks() {
  std::ifstream file(source_dir() + "/docs/remote-agent.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  constexpr std::string_view opening = "```json\n";
  std::vector<std::string> out;
  for (auto at = page.find(opening); at != std::string::npos; at = page.find(opening, at + 1)) {
    const auto begin = at + opening.size();
    out.push_back(page.substr(begin, page.find("\n```", begin) - begin));
  }
  return out;
}

/// What is printed and not there, as JSON pointers. Ids and times may differ.
void compare(const json::value& printed, const json::value& answered, const std::string& path,
             std::vector<std::string>& missing) {
  const auto is_own = [&](std::string_view end) { return path.ends_with(end); };
  if (is_own("/task_handle") || is_own("/lastRefreshedAt") || is_own("/retryHint"))
    return;
  if (const auto* members = printed.if_object()) {
    for (const auto& each : *members) {
      const std::string name{std::string_view(each.key().data(), each.key().size())};
      const auto* object = answered.if_object();
      const auto* found = object != nullptr ? object->if_contains(name) : nullptr;
      if (found == nullptr)
        missing.push_back(path + "/" + name);
      else
        compare(each.value(), *found, path + "/" + name, missing);
    }
  } else if (const auto* all = printed.if_array()) {
    const auto* others = answered.if_array();
    if (others == nullptr || others->size() != all->size())
      return missing.push_back(path);
    for (std::size_t i = 0; i < all->size(); ++i)
      compare((*all)[i], (*others)[i], path + "/" + std::to_string(i), missing);
  } else if (printed != answered) {
    missing.push_back(path + " " + json::serialize(answered));
  }
}

void check_printed(const std::string& printed, const json::object& answered) {
  std::vector<std::string> missing;
  compare(tree(printed), answered, "", missing);
  INFO(json::serialize(answered));
  CHECK(missing == std::vector<std::string>{});
}

/// The agent of the examples, at the server of the bed: its name is `https://support.example/`.
struct example_bed {
  explicit example_bed(bool has_default = true) : blocks(printed_blocks()) {
    REQUIRE(blocks.size() == 20);
    auto known = settings_of(blocks[0]);
    known.targets.at(0).how.url = server->url("/");
    known.targets.at(0).is_default = has_default;
    bed = std::make_unique<tool_bed>(std::move(known), std::move(server));
  }

  /// The answer to the n-th block, if the agent answers so.
  json::object ask(std::size_t block, const std::string& result) {
    bed->server.script({json_answer(card()), result});
    return bed->ask(blocks.at(block));
  }

  [[nodiscard]] std::string card() const {
    return with_own_urls(
        R"({"name":"Support Agent","description":"Summarize incidents and propose next actions.",)"
        R"("version":"1","protocolVersion":"0.3.0","url":"https://support.example/a2a/jsonrpc",)"
        R"("preferredTransport":"JSONRPC","additionalInterfaces":[{"transport":"JSONRPC",)"
        R"("url":"https://support.example/a2a/jsonrpc"},{"transport":"HTTP+JSON",)"
        R"("url":"https://support.example/a2a/rest"}],"capabilities":{"streaming":true,)"
        R"("pushNotifications":true,"stateTransitionHistory":true},)"
        R"("defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],)"
        R"("skills":[{"id":"triage","name":"Incident Triage",)"
        R"("description":"Summarize incidents and propose next actions.","tags":["support"],)"
        R"("examples":["Summarize this incident and propose next steps."],)"
        R"("inputModes":["application/json"],"outputModes":["application/pdf"]}]})");
  }
  /// `text` with the addresses at which the agent of the test listens.
  [[nodiscard]] std::string with_own_urls(std::string text) const {
    const std::string there = "https://support.example/a2a/";
    const auto& from = bed ? bed->server : *server;
    for (auto at = text.find(there); at != std::string::npos; at = text.find(there, at + 1))
      text.replace(at, there.size(), from.url("/a2a/"));
    return text;
  }
  [[nodiscard]] std::string params(const std::string& pointer) const {
    return found_at(bed->sent(1), "/params" + pointer);
  }

  std::vector<std::string> blocks;
  std::unique_ptr<push_receiver> server = std::make_unique<push_receiver>();
  std::unique_ptr<tool_bed> bed;
};

std::string a_message_saying(const std::string& text, const std::string& more = {}) {
  return rpc_answer(
      R"({"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":")" + text
      + R"("}])" + more + "}");
}

} // namespace

TEST_CASE("remote-agent line 127: the settings are read as they are printed",
          "[client][remote-agent][docs]") {
  const auto known = settings_of(printed_blocks().at(0));
  CHECK(known.enabled);
  CHECK(known.timeout == 120s);
  CHECK(known.targets.at(0).alias == "support");
  CHECK(known.targets.at(0).base_url == "https://support.example/");
  CHECK(known.targets.at(0).is_default);
  CHECK(known.handles_max == 1000);
}

TEST_CASE("remote-agent line 127: targets are listed as it is printed",
          "[client][remote-agent][docs]") {
  example_bed bed;
  const auto answer = bed.ask(1, {});
  check_printed(bed.with_own_urls(bed.blocks[2]), answer);
}

TEST_CASE("remote-agent line 127: a send to an alias is answered as it is printed",
          "[client][remote-agent][docs]") {
  example_bed bed;
  check_printed(
      bed.blocks[4],
      bed.ask(3, a_message_saying(
                     "Triage summary: reproduce, collect logs, and notify the on-call engineer.")));
  CHECK(bed.params("/metadata/ticket_id") == "INC-42");
  CHECK(bed.params("/message/parts/0/text") == "Summarize this bug report for triage.");
}

TEST_CASE("remote-agent line 127: a task is required as it is printed",
          "[client][remote-agent][docs]") {
  example_bed bed;
  const auto answer = bed.ask(5, rpc_answer(task_text("submitted")));
  CHECK(found_at(answer, "/ok") == "true");
  CHECK(bed.params("/configuration/blocking") == "false");
  CHECK(found_at(answer, "/summary/continuation/task/task_id") == "task-456");
}

TEST_CASE("remote-agent line 127: related work is sent as it is printed",
          "[client][remote-agent][docs]") {
  example_bed bed;
  CHECK(found_at(bed.ask(6, rpc_answer(task_text("working"))), "/ok") == "true");
  CHECK(bed.params("/message/contextId") == "ctx-123");
  CHECK(bed.params("/message/referenceTaskIds") == R"(["task-101","task-102"])");
  CHECK(bed.params("/message/taskId") == "(none)");
}

TEST_CASE("remote-agent line 127: a followed send is answered as it is printed",
          "[client][remote-agent][docs]") {
  example_bed bed;
  check_printed(bed.blocks[8], bed.ask(7, stream_answer({task_text("submitted"),
                                                         status_text("completed", true)})));
}

TEST_CASE("remote-agent line 127: a task is continued as it is printed",
          "[client][remote-agent][docs]") {
  for (const std::size_t block : {9U, 10U}) {
    example_bed bed;
    const auto answer = bed.ask(block, rpc_answer(task_text("working")));
    CHECK(found_at(answer, "/ok") == "true");
    CHECK(bed.params("/message/taskId") == "task-456");
    CHECK(bed.params("/message/contextId") == "ctx-456");
  }
}

TEST_CASE("remote-agent line 127: a conversation is continued as it is printed",
          "[client][remote-agent][docs]") {
  example_bed bed;
  check_printed(
      bed.blocks[12],
      bed.ask(11, a_message_saying("Conversation continued. Start the next task when ready.",
                                   R"(,"contextId":"ctx-456")")));
  CHECK(bed.params("/message/contextId") == "ctx-456");
  CHECK(bed.params("/message/taskId") == "(none)");
}

TEST_CASE("remote-agent line 127: a status is answered as it is printed",
          "[client][remote-agent][docs]") {
  example_bed bed;
  check_printed(bed.blocks[14], bed.ask(13, rpc_answer(task_text("completed"))));
  CHECK(bed.params("/historyLength") == "2");
  example_bed bare;
  const auto answer = bare.ask(15, rpc_answer(task_text("working")));
  CHECK(found_at(answer, "/summary/continuation/task/status") == "working");
  CHECK(bare.params("/id") == "task-456");
}

TEST_CASE("remote-agent line 127: a task is watched and canceled as it is printed",
          "[client][remote-agent][docs]") {
  example_bed watched;
  CHECK(found_at(watched.ask(16, stream_answer({status_text("completed", true)})), "/ok")
        == "true");
  example_bed canceled;
  CHECK(found_at(canceled.ask(17, rpc_answer(task_text("canceled"))),
                 "/summary/continuation/task/status")
        == "canceled");
}

TEST_CASE("remote-agent line 127: errors are those that are printed",
          "[client][remote-agent][docs]") {
  example_bed nobody(false);
  check_printed(nobody.blocks[18], nobody.bed->ask(a_send()));
  example_bed bed;
  const std::string handle = "rah_0a3ff8c2-4a6d-48cb-a57d-4ae6f3c589d0";
  auto& handles = bed.bed->tool().known_handles();
  static_cast<void>(handles.keep(
      {"support", "https://support.example/", "/.well-known/agent-card.json", {"JSONRPC"}},
      "task-456", "ctx-456", bed.bed->time.now(), handle));
  bed.bed->time.pass(25h);
  const auto answer = bed.bed->ask(R"({"action":"status","task_handle":")" + handle + R"("})");
  check_printed(bed.blocks[19], answer);
  CHECK(found_at(answer, "/error/details/retryHint")
        == found_at(tree(bed.blocks[19]), "/error/details/retryHint"));
}
