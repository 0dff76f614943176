// The course of a conversation whose model calls agents and adds tasks, without sockets.
#include "tests/agents/llm/talk_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/serialize.hpp>

using namespace troupe;
using namespace troupe::test;
using namespace std::chrono_literals;

namespace {

const models::tool_call writer_call{"w1", "call_agent",
                                    R"({"agent":"writer","text":"Write it.","name":"Draft"})"};
const models::tool_call reader_call{"r1", "call_agent", R"({"agent":"echo","text":"Read it."})"};

llm_terms with_agents() {
  llm_terms out;
  out.offer.tools = {"ask_person", "call_agent", "add_tasks"};
  out.offer.agents = {{"writer", "llm", "writes well", {{"system", "Be brief."}}},
                      {"echo", "echo", {}, {}}};
  out.mark = "mark-7";
  return out;
}

/// The keys of the changes among the steps.
std::vector<std::string> keys_in(const llm_steps& steps) {
  std::vector<std::string> out;
  for (const auto& each : steps)
    if (const auto* report = std::get_if<llm_report>(&each))
      if (const auto* change = std::get_if<report_change>(&report->report))
        out.push_back(change->key);
  return out;
}

change_outcome made(const std::string& key, std::string text,
                    task_state state = task_state::completed) {
  change_outcome out{key, change_report{}, {}};
  out.report->added = {task_id{"o.p0.t9"}};
  called_task done{task_id{"o.p0.t9"}, state, {}, {}};
  if (state == task_state::completed) {
    auto artifact = std::make_shared<troupe::artifact>();
    artifact->name = "answer";
    artifact->parts = {text_part(std::move(text))};
    done.artifacts = {artifact};
  } else {
    done.reason = std::move(text);
  }
  out.called = {done};
  return out;
}

} // namespace

TEST_CASE("calls of one round run together, and the model is told of all of them",
          "[agents][llm]") {
  talk_bed bed(with_agents());
  static_cast<void>(bed.course.begin());
  static_cast<void>(bed.course.on_answer(bed.now, calls({writer_call, city_call, reader_call})));
  const auto begun = bed.course.on_noted();
  CHECK(line_of(begun) == "call: Draft, ask person: Which city?, call: echo");
  const auto keys = keys_in(begun);
  CHECK(keys.at(0) != keys.at(1));
  const auto& wanted = std::get<report_change>(std::get<llm_report>(begun[0]).report);
  const auto& task = *spec_of(wanted.operations.at(0));
  CHECK(task.agent == "llm");
  CHECK(task.description == "Write it.");
  CHECK(boost::json::serialize(task.input) == R"({"system":"Be brief."})");
  CHECK(line_of(bed.course.on_changed(made(keys[1], "It says A."))).empty());
  CHECK(line_of(bed.course.on_answered(*test::user_says("Rome"))).empty());
  CHECK(line_of(bed.course.on_changed(made(keys[0], "no paper", task_state::failed))) == "keep");
  const auto next = talk_bed::request_in(bed.course.on_noted()).messages;
  REQUIRE(next.size() == 6);
  CHECK(next[3].content
        == "error: the task ended as failed\n\n<mark-7 status>\nno paper\n</mark-7>\n");
  CHECK(next[4].content == "Rome");
  CHECK(next[5].content == "\n<mark-7 artifact=\"answer\">\nIt says A.\n</mark-7>\n");
}

TEST_CASE("after a restart a called task is found again by its key, and its result is not in the "
          "note",
          "[agents][llm]") {
  talk_bed before(with_agents());
  static_cast<void>(before.course.begin());
  static_cast<void>(before.course.on_answer(before.now, calls({writer_call})));
  const auto begun = before.course.on_noted();
  static_cast<void>(before.course.on_changed(made(keys_in(begun).at(0), std::string(9000, 'x'))));
  const auto text = write_llm_note(before.course.note());
  CHECK(text.size() < 1000);
  talk_bed after(with_agents(), read_llm_note(text).value());
  const auto again = after.course.begin();
  CHECK(keys_in(again) == keys_in(begun));
  CHECK(line_of(after.course.on_changed(made(keys_in(again).at(0), "It is."))) == "keep");
  CHECK_THAT(talk_bed::request_in(after.course.on_noted()).messages.back().content,
             ContainsSubstring("It is."));
}

TEST_CASE("the same call again is another call", "[agents][llm]") {
  talk_bed bed(with_agents());
  static_cast<void>(bed.course.begin());
  static_cast<void>(bed.course.on_answer(bed.now, calls({reader_call})));
  const auto first = keys_in(bed.course.on_noted());
  static_cast<void>(bed.course.on_changed(made(first.at(0), "A")));
  static_cast<void>(bed.course.on_noted());
  static_cast<void>(bed.course.on_answer(bed.now, calls({reader_call})));
  const auto second = keys_in(bed.course.on_noted());
  REQUIRE(second.size() == 1);
  CHECK(second[0] != first[0]);
}

TEST_CASE("tasks are added to the plan, and what is refused is told", "[agents][llm]") {
  talk_bed bed(with_agents());
  static_cast<void>(bed.course.begin());
  static_cast<void>(bed.course.on_answer(
      bed.now,
      calls({{"a", "add_tasks",
              R"({"tasks":[{"name":"one","agent":"echo","text":"x","expectedSeconds":1.5},)"
              R"({"name":"two","agent":"writer","text":"y","after":["one"]}]})"}})));
  const auto added = bed.course.on_noted();
  REQUIRE(line_of(added) == "add: one");
  const auto& change = std::get<report_change>(std::get<llm_report>(added[0]).report);
  REQUIRE(change.operations.size() == 2);
  CHECK(spec_of(change.operations[0])->expected == 1500ms);
  CHECK(spec_of(change.operations[1])->dependencies == std::vector<std::string>{"one"});
  CHECK(line_of(bed.course.on_changed(
            {change.key, make_error(errc::limit_exceeded, "the plan is full"), {}}))
        == "keep");
  CHECK(talk_bed::request_in(bed.course.on_noted()).messages.back().content
        == "error: this is refused: the plan is full");
  CHECK(bed.course.note().wrong_calls == 0);
}

TEST_CASE("a call that needs approval waits for a person", "[agents][llm]") {
  auto terms = with_agents();
  terms.offer.approved = {"call_agent"};
  struct row {
    const char* said;
    const char* line;
  };
  const auto each =
      GENERATE(values<row>({{"yes", "call: Draft"}, {"no", "keep"}, {"maybe later", "keep"}}));
  talk_bed bed(terms);
  static_cast<void>(bed.course.begin());
  static_cast<void>(bed.course.on_answer(bed.now, calls({writer_call})));
  const auto left = read_llm_note(write_llm_note(bed.course.note())).value();
  const auto asked = bed.course.on_noted();
  CHECK_THAT(line_of(asked), StartsWith("ask person: May the model call call_agent with {"));
  const auto& question = std::get<report_question>(std::get<llm_report>(asked.at(0)).report);
  CHECK(question.data.at("kind") == "approval");
  CHECK(boost::json::serialize(question.data.at("tools"))
        == R"([{"id":"tool-1","call_id":"w1","name":"call_agent","args":)"
           R"({"agent":"writer","text":"Write it.","name":"Draft"}}])");
  CHECK(line_of(bed.course.on_answered(*test::user_says(each.said))) == each.line);
  // The answer came, and then the process died.
  talk_bed again(terms, left, {test::user_says(each.said)});
  CHECK(line_of(again.course.begin()) == each.line);
  talk_bed declined(terms, left);
  const auto open = declined.course.begin();
  const auto key = std::get<report_question>(std::get<llm_report>(open.at(0)).report).key;
  CHECK(line_of(declined.course.on_unanswered(key, question_end::declined)) == "keep");
  CHECK_THAT(declined.course.note().turns.at(0).calls.at(0).result.value_or(""),
             StartsWith("error: this call is not approved"));
}

TEST_CASE("calls of tools are bounded in number", "[agents][llm]") {
  talk_bed bed(with_agents());
  static_cast<void>(bed.course.begin());
  CHECK_THAT(
      line_of(bed.course.on_answer(bed.now, calls(std::vector(llm_calls_max + 1, reader_call)))),
      ContainsSubstring("has called tools 65 times; the limit is 64"));
}

TEST_CASE("what a model may say about a task is its text: nothing else is taken", "[agents][llm]") {
  struct row {
    const char* tool;
    const char* arguments;
    const char* words; ///< Of the error; empty: none.
  };
  const auto each = GENERATE(values<row>({
      {"call_agent", R"({"agent":"echo","text":"${tasks.a.artifacts[0].text}"})", ""},
      {"call_agent", R"({"agent":"command","text":"x"})", "/agent"},
      {"call_agent", R"({"agent":"llm","text":"x"})", "/agent"},
      {"call_agent", R"({"agent":"echo"})", "text"},
      {"call_agent", R"({"agent":"echo","text":""})", "/text"},
      {"call_agent", R"({"agent":"echo","text":"x","input":{"argv":["rm"]}})", "input"},
      {"call_agent", R"({"agent":"echo","text":"x","url":"http://evil"})", "url"},
      {"call_agent", R"([])", "no object"},
      {"add_tasks", R"({"tasks":[{"name":"a","agent":"echo","text":"x"}]})", ""},
      {"add_tasks", R"({"tasks":[]})", "1 to 20 tasks"},
      {"add_tasks", R"({"tasks":[1]})", "/tasks/0"},
      {"add_tasks", R"({"tasks":[{"name":"a","agent":"command","text":"x"}]})", "/tasks/0/agent"},
      {"add_tasks", R"({"tasks":[{"name":"a","agent":"echo","text":"x","input":{}}]})",
       "/tasks/0/input"},
      {"add_tasks", R"({"tasks":[{"name":"a","agent":"echo","text":"x","after":[1]}]})",
       "/tasks/0/after/0"},
      {"add_tasks", R"({"tasks":[{"name":"a","agent":"echo","text":"x"}],"plan":"other"})",
       "unknown member \"plan\""},
      {"skip_task", R"({"task":"a"})", "there is no such tool"},
  }));
  CAPTURE(each.tool, each.arguments);
  const auto read = read_tool_call({"c", each.tool, each.arguments}, with_agents().offer);
  CHECK(read.has_value() == std::string(each.words).empty());
  if (!read)
    CHECK_THAT(read.error().message, ContainsSubstring(each.words));
  else
    for (const auto& operation : std::get<report_change>(*read).operations)
      CHECK(spec_of(operation)->input.empty());
}
