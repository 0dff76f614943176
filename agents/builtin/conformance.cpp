#include "agents/builtin/conformance.hpp"

#include "agents/builtin/scripted.hpp"

#include <boost/json/parse.hpp>

#include <array>
#include <memory>
#include <string_view>

namespace troupe {

namespace {

enum class way : std::uint8_t {
  act,      ///< Plays a script: the steps of the agent `scripted`.
  ask,      ///< Asks and lets go: the answer's id or text decides what comes next.
  ask_auth, ///< The same, for credentials.
  reply     ///< Answers with a message instead of a task.
};

struct behaviour {
  std::string_view name; ///< How a message id begins, or the whole of a text.
  way does;
  std::string_view with; ///< Steps as JSON, or a text.
};

// Names and texts that begin with tck- or test- are those of the kits; times are seconds, times the
// time scale. A name may begin another: the longest one counts.
constexpr auto behaviours = std::to_array<behaviour>({
    {"tck-complete-task", way::act, R"([{"complete": "Hello from TCK"}])"},
    {"tck-delayed-complete", way::act, R"([{"sleep": 2}, {"complete": "Done after delay"}])"},
    {"tck-input-required", way::ask, "What else is there to know?"},
    {"tck-message-response", way::reply, "Direct message response"},
    {"tck-reject-task", way::act, R"([{"reject": "rejected"}])"},

    {"tck-artifact-text", way::act,
     R"([{"artifact": {"name": "text", "text": "Generated text content"}}])"},
    {"tck-artifact-file", way::act,
     R"([{"artifact": {"name": "file", "raw": "dGNr", "filename": "output.txt", "mediaType": "text/plain"}}])"},
    {"tck-artifact-file-url", way::act,
     R"([{"artifact": {"name": "file", "url": "https://example.com/output.txt", "filename": "output.txt", "mediaType": "text/plain"}}])"},
    {"tck-artifact-data", way::act,
     R"([{"artifact": {"name": "data", "data": {"key": "value", "count": 42}}}])"},

    {"tck-stream-001", way::act,
     R"([{"artifact": {"name": "text", "text": "Stream hello from TCK"}}])"},
    {"tck-stream-002", way::act, R"([{"complete": ""}])"},
    {"tck-stream-003", way::act,
     R"([{"artifact": {"name": "text", "text": "Stream task lifecycle"}}])"},
    {"tck-stream-ordering-001", way::act,
     R"([{"artifact": {"name": "text", "text": "Ordered output"}}])"},
    {"tck-stream-artifact-text", way::act,
     R"([{"artifact": {"name": "text", "text": "Streamed text content"}}])"},
    {"tck-stream-artifact-file", way::act,
     R"([{"artifact": {"name": "file", "raw": "dGNr", "filename": "output.txt", "mediaType": "text/plain"}}])"},
    {"tck-stream-artifact-chunked", way::act,
     R"([{"artifact": {"name": "text", "text": "chunk-1 ", "lastChunk": false}},
       {"artifact": {"name": "text", "text": "chunk-2", "append": true}}])"},
    // Silent for twice the kit's streaming time-out.
    {"test-resubscribe-message-id", way::act, R"([{"sleep": 4}, {"complete": ""}])"},

    {"auth-required", way::ask_auth, "Sign in, then say so"},
    {"failure", way::act, R"([{"fail": "failed on purpose"}])"},
    {"crash", way::act, R"([{"crash": "crashed on purpose"}])"},
    {"slow", way::act, R"([{"sleep": 30}, {"complete": "slow, but done"}])"},
    {"talk", way::act, R"([{"message": "Half way."}, {"complete": "There."}])"},
    {"progress", way::act,
     R"([{"progress": {"id": "pages", "progress": 1, "total": 2, "message": "page 1"}},
       {"progress": {"id": "pages", "progress": 2, "total": 2, "status": "completed"}}])"},
});

constexpr behaviour anything_else{"", way::ask, "Tell me more, or cancel the task."};

const behaviour& behaviour_for(std::string_view message_id, std::string_view text) {
  const behaviour* best = &anything_else;
  for (const auto& row : behaviours)
    if ((message_id.starts_with(row.name) || text == row.name)
        && row.name.size() > best->name.size())
      best = &row;
  return *best;
}

report_reply reply_with(std::string_view text) {
  report_reply out;
  out.message.parts.push_back(text_part(std::string(text)));
  return out;
}

} // namespace

start_result conformance_agent::start(const order_ptr& given, const agent_port_ptr& port) {
  const auto& chosen = given->messages.empty()
                           ? behaviour_for("", given->text())
                           : behaviour_for(given->messages.back()->message_id,
                                           text_of(given->messages.back()->parts));
  switch (chosen.does) {
    case way::ask:
    case way::ask_auth:
      return report_question{std::string(chosen.with), chosen.does == way::ask_auth};
    case way::reply: return reply_with(chosen.with);
    case way::act: break;
  }
  auto part = std::make_shared<order>(*given);
  part->input = boost::json::object{{"steps", boost::json::parse(chosen.with)}};
  return scripted_agent().start(part, port);
}

std::string conformance_agent::description() const {
  return "Does what conformance kits ask for; for test systems only";
}

} // namespace troupe
