#include "agents/builtin/conformance.hpp"
#include "tests/agents/fake_port.hpp"
#include "tests/support/catch.hpp"
#include <troupe/agents/register_builtin.hpp>

using namespace troupe;
using namespace troupe::test;
using namespace std::chrono_literals;

namespace {

message_ptr message_of(std::string id, std::string text) {
  message out;
  out.message_id = std::move(id);
  out.from = role::user;
  out.parts.push_back(text_part(std::move(text)));
  return std::make_shared<const message>(std::move(out));
}

// One attempt after these messages.
struct attempt {
  explicit attempt(std::vector<message_ptr> messages) {
    order order;
    order.messages = std::move(messages);
    order.time_scale = 0.5;
    began = conformance_agent().start(shared(std::move(order)), port);
  }
  attempt(std::string id, std::string text)
      : attempt(std::vector{message_of(std::move(id), std::move(text))}) {}

  [[nodiscard]] std::string end() const {
    const auto all = port->reports();
    return all.empty() ? "nothing reported" : ending(all.back());
  }
  [[nodiscard]] const agent_run_ptr& run() const { return std::get<agent_run_ptr>(began); }

  std::shared_ptr<fake_port> port = std::make_shared<fake_port>();
  start_result began;
};

} // namespace

TEST_CASE("the beginning of a message id, or the whole text, chooses the behaviour",
          "[agents][conformance]") {
  CHECK(attempt("tck-complete-task-7f3a", "whatever").end() == "completed: Hello from TCK");
  CHECK(attempt("m1", "tck-complete-task").end() == "completed: Hello from TCK");
  CHECK(std::holds_alternative<report_question>(attempt("m1", "tck-complete-task, please").began));
  CHECK(attempt("tck-reject-task", "").end() == "rejected: rejected");
  CHECK(attempt("m1", "failure").end() == "failed: failed on purpose");
  CHECK_THROWS_WITH(attempt("m1", "crash"), "crashed on purpose");
}

TEST_CASE("an unknown text parks the task, and each later message decides again",
          "[agents][conformance]") {
  const auto plain = message_of("m1", "hello");
  const attempt parked({plain});
  CHECK_FALSE(std::get<report_question>(parked.began).auth);
  CHECK(std::holds_alternative<report_question>(
      attempt({plain, message_of("m2", "and again")}).began));
  CHECK(attempt({plain, message_of("tck-complete-task", "now")}).end()
        == "completed: Hello from TCK");
  CHECK(std::holds_alternative<report_question>(attempt("tck-input-required-1", "hi").began));
  CHECK(std::get<report_question>(attempt("m1", "auth-required").began).auth);
  CHECK(std::holds_alternative<report_question>(attempt(std::vector<message_ptr>{}).began));
}

TEST_CASE("a message can be answered with a message", "[agents][conformance]") {
  const attempt answered("tck-message-response", "hi");
  CHECK(text_of(std::get<report_reply>(answered.began).message.parts) == "Direct message response");
}

TEST_CASE("artifacts come as text, file, link, data and chunks", "[agents][conformance]") {
  struct row {
    const char* id;
    part expected;
  };
  const auto file = [](decltype(part::content) content) {
    return part{std::move(content), "text/plain", "output.txt", {}};
  };
  const std::vector<row> rows{
      {"tck-artifact-text", text_part("Generated text content")},
      {"tck-artifact-file", file(raw_content{"tck"})},
      {"tck-artifact-file-url", file(url_content{"https://example.com/output.txt"})},
      {"tck-artifact-data", data_part({{"key", "value"}, {"count", 42}})},
      {"tck-stream-001", text_part("Stream hello from TCK")},
      {"tck-stream-003", text_part("Stream task lifecycle")},
      {"tck-stream-ordering-001", text_part("Ordered output")},
      {"tck-stream-artifact-text", text_part("Streamed text content")},
      {"tck-stream-artifact-file", file(raw_content{"tck"})},
  };
  for (const auto& [id, value] : rows) {
    CAPTURE(id);
    const attempt made(id, "");
    const auto artifacts = made.port->all<report_artifact>();
    REQUIRE(artifacts.size() == 1);
    CHECK(artifacts[0].artifact.parts == std::vector{value});
    CHECK(artifacts[0].last_chunk);
    CHECK(made.end() == "completed: ");
  }
  const auto chunks = attempt("tck-stream-artifact-chunked", "").port->all<report_artifact>();
  REQUIRE(chunks.size() == 2);
  CHECK(chunks[0].artifact.artifact_id == chunks[1].artifact.artifact_id);
  CHECK_FALSE(chunks[0].append);
  CHECK_FALSE(chunks[0].last_chunk);
  CHECK(chunks[1].append);
  CHECK(chunks[1].last_chunk);
}

TEST_CASE("silent and slow tasks wait by the time scale", "[agents][conformance]") {
  const attempt silent("test-resubscribe-message-id", "");
  CHECK(silent.port->wakes() == std::vector<std::chrono::nanoseconds>{2s});
  silent.run()->on_wake();
  CHECK(silent.end() == "completed: ");
  const attempt slow("m1", "slow");
  CHECK(slow.port->wakes() == std::vector<std::chrono::nanoseconds>{15s});
  CHECK(slow.run()->on_cancel());
  slow.run()->on_wake();
  CHECK(slow.port->reports().empty());
}

TEST_CASE("the conformance agent is there only where it was asked for", "[agents][conformance]") {
  agent_registry usual;
  register_builtin_agents(usual);
  CHECK(usual.find("conformance") == nullptr);
  agent_registry asked;
  builtin_agent_options options;
  options.conformance = true;
  register_builtin_agents(asked, options);
  CHECK(asked.find("conformance") != nullptr);
}
