#include "apps/remote/answer_view.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

#include <memory>

using namespace troupe;

namespace {

artifact artifact_of(const std::string& id, const std::string& text) {
  artifact out;
  out.artifact_id = id;
  out.parts = {text_part(text)};
  return out;
}

wire::answer chunk(const std::string& id, const std::string& text, bool append) {
  return wire::artifact_update{task_id{"t"}, "c", artifact_of(id, text), append, false, {}};
}

wire::answer moved(task_state state, const std::string& words) {
  message said;
  said.from = role::agent;
  said.parts = {text_part(words)};
  return wire::status_update{
      task_id{"t"}, "c", {state, std::make_shared<const message>(said), {}}, false, {}};
}

wire::answer snapshot(task_state state, std::vector<artifact> made) {
  task out;
  out.id = task_id{"t"};
  out.status.state = state;
  for (auto& each : made)
    out.artifacts.push_back(std::make_shared<const artifact>(std::move(each)));
  return out;
}

} // namespace

TEST_CASE("outputs are printed once, whatever a snapshot repeats", "[apps][remote]") {
  answer_view view(true);
  std::string out;
  const auto show = [&](const wire::answer& read) { out += view.show(read).output; };
  show(chunk("a", "one ", false));
  show(chunk("a", "two ", true));
  show(snapshot(task_state::working, {artifact_of("a", "one two three")}));
  show(chunk("b", "other", false));
  show(snapshot(task_state::completed,
                {artifact_of("a", "one two three"), artifact_of("b", "other")}));
  out += view.end();
  CHECK(out == "one two three\nother\n");
  CHECK(view.state() == task_state::completed);
  CHECK(view.task() == "t");
}

TEST_CASE("a snapshot with a part for each chunk repeats nothing", "[apps][remote]") {
  answer_view view(true);
  std::string out;
  const auto show = [&](const wire::answer& read) { out += view.show(read).output; };
  show(chunk("a", "one ", false));
  show(chunk("a", "two", true));
  auto whole = artifact_of("a", "one ");
  whole.parts.push_back(text_part("two"));
  show(snapshot(task_state::working, {whole}));
  whole.parts.push_back(text_part(" three"));
  auto lines = artifact_of("b", "first");
  lines.parts.push_back(text_part("second"));
  show(snapshot(task_state::completed, {whole, lines}));
  out += view.end();
  CHECK(out == "one two three\nfirst\nsecond\n");
}

TEST_CASE("what an agent says meanwhile is apart, and stands in for an output that is missing",
          "[apps][remote]") {
  answer_view view(true);
  const auto news = view.show(moved(task_state::working, "reading\x1b[31m"));
  CHECK(news.output.empty());
  CHECK(news.notes.find('\x1b') == std::string::npos);
  CHECK(view.show(moved(task_state::working, "reading\x1b[31m")).notes.empty());
  CHECK(view.show(moved(task_state::completed, "all done")).output.empty());
  CHECK(view.end() == "all done\n");
}

TEST_CASE("a task that goes on to ask has asked what it said before", "[apps][remote]") {
  answer_view view(true);
  static_cast<void>(view.show(moved(task_state::input_required, "which city?")));
  const wire::answer again =
      wire::status_update{task_id{"t"}, "c", {task_state::input_required, nullptr, {}}, false, {}};
  static_cast<void>(view.show(again));
  CHECK(view.said() == "which city?");
  static_cast<void>(view.show(moved(task_state::working, "")));
  CHECK(view.said().empty());
}

TEST_CASE("text for a terminal cannot drive it, text for a file is as it was", "[apps][remote]") {
  const auto text = std::string("a\tb\x1b[2J\nc");
  CHECK(answer_view(true).show(chunk("a", text, false)).output.find('\x1b') == std::string::npos);
  CHECK(answer_view(false).show(chunk("a", text, false)).output == text);
}

TEST_CASE("an event is printed as A2A 1.0 has it", "[apps][remote]") {
  const auto parsed = boost::json::parse(event_json(chunk("a", "x", true)));
  CHECK(parsed.at("artifactUpdate").at("append") == true);
  CHECK(boost::json::parse(event_json(moved(task_state::failed, "no")))
            .at("statusUpdate")
            .at("status")
            .at("state")
        == "TASK_STATE_FAILED");
}

TEST_CASE("an event without a time is printed without one", "[apps][remote]") {
  const auto update = boost::json::parse(event_json(moved(task_state::working, "on it")));
  CHECK_FALSE(update.at("statusUpdate").at("status").as_object().contains("timestamp"));
  const auto whole = boost::json::parse(event_json(snapshot(task_state::completed, {})));
  CHECK_FALSE(whole.at("task").at("status").as_object().contains("timestamp"));
  auto timed = std::get<wire::status_update>(moved(task_state::working, "on it"));
  timed.status.at = parse_rfc3339("2026-11-23T07:11:43.483Z").value();
  CHECK(boost::json::parse(event_json(timed)).at("statusUpdate").at("status").at("timestamp")
        == "2026-11-23T07:11:43.483Z");
}

TEST_CASE("a question is the same until the task says something else", "[apps][remote]") {
  const auto status_of = [](const wire::answer& of) {
    return std::get<wire::status_update>(of).status;
  };
  const auto asked = status_of(moved(task_state::input_required, "Where to?"));
  CHECK(is_same_question(asked, asked));
  CHECK_FALSE(is_same_question(asked, status_of(moved(task_state::working, "Where to?"))));
  CHECK_FALSE(is_same_question(asked, status_of(moved(task_state::input_required, "When?"))));
  auto later = asked; // It asks the same again.
  later.at = parse_rfc3339("2026-11-23T07:11:43.483Z").value();
  CHECK_FALSE(is_same_question(asked, later));
  const auto works = status_of(moved(task_state::working, "on it"));
  CHECK_FALSE(is_same_question(works, works));
}
