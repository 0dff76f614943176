// What each frame of a remote task means for ours.
#include "agents/a2a/remote_task.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;

namespace {

message_ptr words_of_agent(std::string text, std::string id = {}) {
  message out;
  out.message_id = std::move(id);
  out.from = role::agent;
  out.parts = {text_part(std::move(text))};
  return std::make_shared<const message>(std::move(out));
}

wire::answer status_frame(task_state state, message_ptr said = nullptr,
                          std::string task_name = "r1") {
  wire::status_update out;
  out.task = task_id{task_name};
  out.context = "c1";
  out.status.state = state;
  out.status.message = std::move(said);
  return out;
}

wire::answer chunk_frame(std::string text, bool append, std::string id = "a1") {
  wire::artifact_update out;
  out.task = task_id{"r1"};
  out.context = "c1";
  out.artifact.artifact_id = std::move(id);
  out.artifact.parts = {text_part(std::move(text))};
  out.append = append;
  return out;
}

task snapshot(task_state state, const std::vector<std::string>& texts = {}) {
  task out;
  out.id = task_id{"r1"};
  out.context = "c1";
  out.status.state = state;
  for (const auto& each : texts) {
    artifact made;
    made.artifact_id = "a" + std::to_string(out.artifacts.size() + 1);
    made.parts = {text_part(each)};
    out.artifacts.push_back(std::make_shared<const artifact>(std::move(made)));
  }
  return out;
}

} // namespace

TEST_CASE("each state of a remote task means one thing for ours", "[agents][a2a]") {
  const auto [state, means] = GENERATE(table<task_state, remote_meaning>({
      {task_state::submitted, remote_meaning::works},
      {task_state::working, remote_meaning::works},
      {task_state::input_required, remote_meaning::asks},
      {task_state::auth_required, remote_meaning::asks},
      {task_state::completed, remote_meaning::completes},
      {task_state::failed, remote_meaning::fails},
      {task_state::canceled, remote_meaning::fails},
      {task_state::rejected, remote_meaning::refuses},
  }));
  remote_task one;
  const auto news = one.take(status_frame(state, words_of_agent("so it is")));
  CHECK(news.taken == remote_news::verdict::taken);
  CHECK(news.means == means);
  CHECK(one.id() == "r1");
  CHECK(one.context() == "c1");
  CHECK(one.has_ended() == is_terminal(state));
  CHECK(news.question.has_value() == (means == remote_meaning::asks));
  if (is_terminal(state))
    CHECK(news.words == "so it is");
}

TEST_CASE("a status message is shown once, and a state that is said again is no news",
          "[agents][a2a]") {
  remote_task one;
  const auto first = one.take(status_frame(task_state::working, words_of_agent("half way", "m1")));
  REQUIRE(first.reports.size() == 1);
  CHECK(text_of(std::get<report_message>(first.reports[0]).message.parts) == "half way");
  CHECK(first.has_news);
  CHECK_FALSE(
      one.take(status_frame(task_state::working, words_of_agent("half way", "m1"))).has_news);
  CHECK(one.take(status_frame(task_state::working, words_of_agent("nearly", "m2"))).has_news);
}

TEST_CASE("a question of a remote task keeps its key while it is the same one", "[agents][a2a]") {
  remote_task one;
  const auto asked =
      one.take(status_frame(task_state::input_required, words_of_agent("Which city?", "m7")));
  REQUIRE(asked.question.has_value());
  CHECK(asked.question->prompt == "Which city?");
  CHECK(asked.question->key == "m7");
  CHECK_FALSE(asked.question->auth);
  const auto again =
      one.take(status_frame(task_state::input_required, words_of_agent("Which city?", "m7")));
  CHECK_FALSE(again.has_news);
  const auto other =
      one.take(status_frame(task_state::auth_required, words_of_agent("Sign in", "m8")));
  CHECK(other.has_news);
  CHECK(other.question->auth);
  CHECK(other.question->key == "m8");
}

TEST_CASE("a question in kagent's words keeps its form, data and request", "[agents][a2a]") {
  auto said = *words_of_agent("see below", "m7");
  said.metadata[hitl::uri] =
      boost::json::parse(R"({"type":"tool_approval_request","hint":"Delete it?",)"
                         R"("tools":[{"id":"t1","call_id":"c1","name":"rm","args":{}}]})");
  remote_task one;
  const auto news =
      one.take(status_frame(task_state::input_required, std::make_shared<const message>(said)));
  REQUIRE(news.question.has_value());
  CHECK(news.question->prompt == "Delete it?");
  CHECK(news.question->form == boost::json::object{{"type", "boolean"}});
  CHECK(news.question->data.contains("tools"));
  REQUIRE(one.request().has_value());
  static_cast<void>(one.take(status_frame(task_state::working)));
  CHECK_FALSE(one.request().has_value());
  // One that is none is asked as its text.
  said.metadata[hitl::uri] = 7;
  const auto plain =
      one.take(status_frame(task_state::input_required, std::make_shared<const message>(said)));
  CHECK(plain.question->prompt == "see below");
  CHECK_FALSE(one.request().has_value());
}

TEST_CASE("a message that only shows progress is neither a word nor a question", "[agents][a2a]") {
  remote_task one;
  static_cast<void>(one.take(wire::answer{snapshot(task_state::working)}));
  CHECK(one.take(status_frame(task_state::working, words_of_agent("p", "r1.progress-4")))
            .reports.empty());
  CHECK_FALSE(
      one.take(status_frame(task_state::input_required, words_of_agent("p", "r1.progress-8")))
          .question.has_value());
  const auto news = one.take(status_frame(task_state::input_required, words_of_agent("q", "m1")));
  REQUIRE(news.question.has_value());
  CHECK(news.question->prompt == "q");
}

TEST_CASE("progress of a task that asks is reported before its question", "[agents][a2a]") {
  remote_task one;
  auto asking = snapshot(task_state::input_required);
  asking.status.message = words_of_agent("q", "m1");
  asking.metadata[progress_uri] =
      boost::json::parse(R"({"trackers": [{"id": "t", "progress": 1, "total": 2}]})");
  const auto first = one.take(wire::answer{asking});
  REQUIRE(first.reports.size() == 1);
  CHECK(std::holds_alternative<report_progress>(first.reports[0]));
  CHECK(first.question.has_value());
  CHECK(one.take(wire::answer{asking}).reports.empty());
  auto later = std::get<wire::status_update>(
      status_frame(task_state::input_required, words_of_agent("q", "m1")));
  later.metadata[progress_uri] =
      boost::json::parse(R"({"trackers": [{"id": "t", "progress": 2, "total": 2}]})");
  CHECK(one.take(wire::answer{later}).reports.size() == 1);
}

TEST_CASE("a task that stands for an objective says which", "[agents][a2a]") {
  remote_task one;
  auto root = snapshot(task_state::working);
  root.metadata["opt/v1/root"] = true;
  root.metadata["opt/v1/objectiveId"] = "o1";
  static_cast<void>(one.take(wire::answer{root}));
  CHECK(one.objective() == "o1");
}

TEST_CASE("chunks are handed on, and a chunk of an artifact that is not known begins it",
          "[agents][a2a]") {
  remote_task one;
  const auto append_of = [&](const wire::answer& frame) {
    const auto news = one.take(frame);
    REQUIRE(news.reports.size() == 1);
    return std::get<report_artifact>(news.reports[0]).append;
  };
  CHECK_FALSE(append_of(chunk_frame("one ", true)));
  CHECK(append_of(chunk_frame("two", true)));
  CHECK_FALSE(append_of(chunk_frame("anew", false)));
}

TEST_CASE("a frame without text, or that says the same again, is no news", "[agents][a2a]") {
  remote_task one;
  CHECK(one.take(status_frame(task_state::working)).has_news);
  CHECK_FALSE(one.take(status_frame(task_state::working)).has_news);
  CHECK_FALSE(one.take(status_frame(task_state::working, words_of_agent("", "m1"))).has_news);
  CHECK(one.take(status_frame(task_state::working, words_of_agent("so", "m2"))).has_news);
  CHECK_FALSE(one.take(wire::answer{*words_of_agent("")}).has_news);
  CHECK_FALSE(one.take(chunk_frame("", false)).has_news);
  CHECK(one.take(chunk_frame("x", true)).has_news);
  const auto again = one.take(chunk_frame("", true));
  CHECK_FALSE(again.has_news);
  CHECK(again.reports.empty());
  auto last = std::get<wire::artifact_update>(chunk_frame("", true));
  last.is_last = true;
  CHECK(one.take(wire::answer{last}).reports.size() == 1);
  CHECK(one.take(wire::answer{last}).reports.empty());
  CHECK(one.take(chunk_frame("", false)).has_news); // what was there is there no more
  auto progress = std::get<wire::status_update>(status_frame(task_state::working));
  progress.metadata[progress_uri] =
      boost::json::parse(R"({"trackers": [{"id": "t", "progress": 1, "total": 2}]})");
  CHECK(one.take(wire::answer{progress}).has_news);
  CHECK_FALSE(one.take(wire::answer{progress}).has_news);
}

TEST_CASE("a snapshot repeats nothing that was shown, and wipes nothing", "[agents][a2a]") {
  remote_task one;
  static_cast<void>(one.take(chunk_frame("one ", false)));
  static_cast<void>(one.take(chunk_frame("two", true)));
  CHECK(one.take(wire::answer{snapshot(task_state::working)}).reports.empty());
  CHECK(one.take(wire::answer{snapshot(task_state::working, {"one two"})}).reports.empty());
  const auto grown =
      one.take(wire::answer{snapshot(task_state::completed, {"one two three", "b"})});
  REQUIRE(grown.reports.size() == 2);
  CHECK(text_of(std::get<report_artifact>(grown.reports[0]).artifact.parts) == "one two three");
  CHECK_FALSE(std::get<report_artifact>(grown.reports[0]).append);
  CHECK(grown.is_whole);
}

TEST_CASE("an artifact with other content of the same size is shown again", "[agents][a2a]") {
  remote_task one;
  static_cast<void>(one.take(chunk_frame("red ", false)));
  static_cast<void>(one.take(chunk_frame("car", true)));
  CHECK(one.take(wire::answer{snapshot(task_state::working, {"red car"})}).reports.empty());
  const auto changed = one.take(wire::answer{snapshot(task_state::working, {"red bus"})});
  REQUIRE(changed.reports.size() == 1);
  CHECK(text_of(std::get<report_artifact>(changed.reports[0]).artifact.parts) == "red bus");
  CHECK(changed.has_news);
  CHECK(one.take(wire::answer{snapshot(task_state::completed, {"red bus"})}).reports.empty());
  // Data and files elsewhere, too.
  const auto [before, after] = GENERATE(table<part, part>({
      {data_part(boost::json::parse(R"({"rooms":1})")),
       data_part(boost::json::parse(R"({"rooms":2})"))},
      {part{url_content{"https://a.example/1"}, {}, {}, {}},
       part{url_content{"https://a.example/2"}, {}, {}, {}}},
      {part{raw_content{"x"}, {}, {}, {}}, part{raw_content{"y"}, {}, {}, {}}},
  }));
  const auto whole_with = [](const part& of) {
    auto out = snapshot(task_state::working);
    artifact made;
    made.artifact_id = "b";
    made.parts = {of};
    out.artifacts = {std::make_shared<const artifact>(std::move(made))};
    return out;
  };
  remote_task other;
  CHECK(other.take(wire::answer{whole_with(before)}).reports.size() == 1);
  CHECK(other.take(wire::answer{whole_with(before)}).reports.empty());
  CHECK(other.take(wire::answer{whole_with(after)}).reports.size() == 1);
}

TEST_CASE("frames of other tasks, and frames after the end, are dropped", "[agents][a2a]") {
  remote_task one;
  static_cast<void>(one.take(status_frame(task_state::working)));
  CHECK(one.take(status_frame(task_state::completed, nullptr, "r2")).taken
        == remote_news::verdict::foreign);
  CHECK_FALSE(one.has_ended());
  auto elsewhere = *words_of_agent("for another conversation");
  elsewhere.context_id = "c2";
  CHECK(one.take(wire::answer{elsewhere}).taken == remote_news::verdict::foreign);
  CHECK(one.take(status_frame(task_state::completed, nullptr, std::string(2000, 'x'))).taken
        == remote_news::verdict::foreign);
  static_cast<void>(one.take(status_frame(task_state::completed)));
  CHECK(one.take(status_frame(task_state::working)).taken == remote_news::verdict::late);
  CHECK(one.take(chunk_frame("more", true)).taken == remote_news::verdict::late);
  CHECK(one.take(wire::answer{snapshot(task_state::working)}).taken == remote_news::verdict::late);
  CHECK(one.state() == task_state::completed);
}

TEST_CASE("a plain message is the artifact `reply`", "[agents][a2a]") {
  remote_task one;
  const auto news = one.take(wire::answer{*words_of_agent("hello")});
  CHECK(news.is_reply);
  REQUIRE(news.reports.size() == 1);
  const auto& made = std::get<report_artifact>(news.reports[0]).artifact;
  CHECK(made.name == "reply");
  CHECK(text_of(made.parts) == "hello");
  CHECK(one.has_ended());
}

TEST_CASE("ids that are too long to be kept get short ones, the same for the same",
          "[agents][a2a]") {
  const std::string longest(remote_id_bytes_max, 'x');
  const auto name_of_artifact = [](remote_task& one, const std::string& id) {
    const auto news = one.take(chunk_frame("text", false, id));
    REQUIRE(news.reports.size() == 1);
    return std::get<report_artifact>(news.reports[0]).artifact.artifact_id;
  };
  remote_task one;
  CHECK(name_of_artifact(one, longest) == longest);
  const auto first = name_of_artifact(one, longest + "x");
  CHECK(first.size() < 100);
  CHECK(name_of_artifact(one, longest + "y") != first);
  remote_task another;
  CHECK(name_of_artifact(another, longest + "x") == first);
  const auto asks = another.take(
      status_frame(task_state::input_required, words_of_agent("Which?", longest + "x")));
  REQUIRE(asks.question);
  CHECK(asks.question->key == first);
}

TEST_CASE("no more artifacts are followed than may be", "[agents][a2a]") {
  remote_task one;
  for (std::size_t i = 0; i < remote_artifacts_max; ++i)
    REQUIRE_FALSE(one.take(chunk_frame("", false, "a" + std::to_string(i))).has_too_many);
  CHECK_FALSE(one.take(chunk_frame("more", true, "a0")).has_too_many);
  const auto above = one.take(chunk_frame("text", false, "above"));
  CHECK(above.has_too_many);
  CHECK(above.reports.empty());
  const auto snap = one.take(wire::answer{snapshot(task_state::working, {"text"})});
  CHECK_FALSE(snap.has_too_many); // it has a1, which is known
}
