// The course of a conversation with a model, step by step, without sockets.
#include "agents/llm/conversation.hpp"
#include "agents/llm/llm_tools.hpp"
#include "tests/agents/fake_port.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/task_life.hpp>

#include <boost/json/serialize.hpp>

using namespace troupe;
using namespace std::chrono_literals;
using models::speaker;

namespace {

std::string word_of(const llm_step& step) {
  struct {
    std::string operator()(const llm_ask&) const { return "ask model"; }
    std::string operator()(const llm_keep&) const { return "keep"; }
    std::string operator()(const llm_wait&) const { return "wait"; }
    std::string operator()(const llm_end&) const { return "end"; }
    std::string operator()(const llm_report& it) const {
      if (const auto* asked = std::get_if<report_question>(&it.report))
        return "ask person: " + asked->prompt;
      if (const auto* chunk = std::get_if<report_artifact>(&it.report))
        return (chunk->append ? "append: " : "begin: ") + text_of(chunk->artifact.parts)
               + (chunk->last_chunk ? "|" : "");
      if (const auto* done = std::get_if<report_completed>(&it.report))
        return done->artifacts.empty()
                   ? "completed"
                   : "completed: "
                         + boost::json::serialize(
                             std::get<data_content>(done->artifacts[0].parts[0].content).data);
      if (std::holds_alternative<report_message>(it.report))
        return "log";
      return test::ending(it.report);
    }
  } const word;
  return std::visit(word, step);
}

std::string line_of(const llm_steps& steps) {
  std::string out;
  for (const auto& each : steps)
    out += (out.empty() ? "" : ", ") + word_of(each);
  return out;
}

models::call_outcome outcome_of(models::chat_answer answer) {
  models::call_outcome out;
  out.answer.value = std::move(answer);
  out.cost.spent.tokens = 10;
  return out;
}

models::call_outcome says(std::string content) {
  models::chat_answer answer;
  answer.content = std::move(content);
  answer.finish = models::finish_reason::stop;
  return outcome_of(std::move(answer));
}

models::call_outcome calls(std::vector<models::tool_call> wanted) {
  models::chat_answer answer;
  answer.calls = std::move(wanted);
  answer.finish = models::finish_reason::tool_calls;
  return outcome_of(std::move(answer));
}

models::call_outcome fails(models::failure_kind kind) {
  models::call_outcome out;
  out.answer.failure.kind = kind;
  out.answer.failure.message = "it failed";
  return out;
}

const models::tool_call city_call{"c1", "ask_person",
                                  R"({"question":"Which city?","choices":["Oslo","Rome"]})"};

struct talk_bed {
  explicit talk_bed(llm_terms terms = {}, llm_note note = {}, std::vector<message_ptr> inputs = {})
      : course(named(std::move(terms)), {{speaker::system, "S"}, {speaker::user, "P"}},
               std::move(note), std::move(inputs)) {}
  static llm_terms named(llm_terms terms) {
    terms.model = "m";
    return terms;
  }
  static llm_terms with_tools() {
    llm_terms out;
    out.tools = {"ask_person"};
    return out;
  }
  static llm_terms with_schema() {
    llm_terms out;
    out.schema =
        test::object(R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})");
    return out;
  }
  /// The request among the steps.
  static models::chat_request request_in(const llm_steps& steps) {
    for (const auto& each : steps)
      if (const auto* asked = std::get_if<llm_ask>(&each))
        return asked->request;
    throw std::runtime_error("the model is not asked");
  }

  conversation course;
  conversation::point now{1000s};
};

} // namespace

TEST_CASE("a text streams in at most twenty chunks a second and ends with the last of it",
          "[agents][llm]") {
  talk_bed bed;
  CHECK(line_of(bed.course.begin()) == "ask model");
  CHECK(line_of(bed.course.on_text(bed.now, "It rains ")) == "begin: It rains ");
  CHECK(line_of(bed.course.on_text(bed.now + 10ms, "in ")) == "wait");
  CHECK(line_of(bed.course.on_text(bed.now + 20ms, "Oslo")) == "wait");
  CHECK(line_of(bed.course.on_time(bed.now + 50ms)) == "append: in Oslo");
  CHECK(line_of(bed.course.on_text(bed.now + 60ms, ".")) == "wait");
  CHECK(line_of(bed.course.on_answer(bed.now + 61ms, says("It rains in Oslo.")))
        == "log, append: .|, completed, end");
}

TEST_CASE("what came of a try that failed is replaced", "[agents][llm]") {
  talk_bed bed;
  static_cast<void>(bed.course.begin());
  CHECK(line_of(bed.course.on_text(bed.now, "It sn")) == "begin: It sn");
  bed.course.on_retry();
  CHECK(line_of(bed.course.on_text(bed.now + 1s, "It rains")) == "begin: It rains");
}

TEST_CASE("thoughts before a text are not shown", "[agents][llm]") {
  talk_bed bed;
  static_cast<void>(bed.course.begin());
  CHECK(line_of(bed.course.on_text(bed.now, "<th")).empty());
  CHECK(line_of(bed.course.on_text(bed.now, "ink>hm</thi")).empty());
  CHECK(line_of(bed.course.on_text(bed.now, "nk>\n\nIt")) == "begin: It");
  talk_bed short_one;
  static_cast<void>(short_one.course.begin());
  CHECK(line_of(short_one.course.on_text(bed.now, "<")).empty());
  CHECK(line_of(short_one.course.on_answer(bed.now, says("<")))
        == "log, begin: <|, completed, end");
}

TEST_CASE("each end of an answer is an end of its own", "[agents][llm]") {
  struct row {
    models::call_outcome outcome;
    const char* line;
  };
  models::chat_answer refused;
  refused.refusal = "I will not";
  refused.finish = models::finish_reason::stop;
  models::chat_answer cut;
  cut.finish = models::finish_reason::length;
  models::chat_answer filtered;
  filtered.finish = models::finish_reason::content_filter;
  const std::vector<row> rows{
      {outcome_of(refused), "log, rejected: the model m refused: I will not, end"},
      {outcome_of(cut),
       "log, failed for good: the answer of the model m was cut off at its limit of tokens, end"},
      {outcome_of(filtered), "log, failed for good: a filter of the server removed the answer of "
                             "the model m, end"},
      {says(""), "log, failed: the model m answered with nothing, end"},
      {fails(models::failure_kind::server_fault), "log, failed: the model m: it failed, end"},
      {fails(models::failure_kind::over_budget),
       "log, failed for good: the model m: it failed, end"},
      {fails(models::failure_kind::unauthenticated),
       "log, failed for good: the model m: it failed, end"},
  };
  for (const auto& each : rows) {
    talk_bed bed;
    static_cast<void>(bed.course.begin());
    CHECK(line_of(bed.course.on_answer(bed.now, each.outcome)) == each.line);
    CHECK(bed.course.has_ended());
  }
}

TEST_CASE("structured output is one data part, and what does not fit is repaired once",
          "[agents][llm]") {
  talk_bed good(talk_bed::with_schema());
  static_cast<void>(good.course.begin());
  CHECK(line_of(good.course.on_text(good.now, "{\"n\"")).empty());
  CHECK(line_of(good.course.on_answer(good.now, says("```json\n{\"n\": 3}\n```")))
        == R"(log, completed: {"n":3}, end)");
  talk_bed bad(talk_bed::with_schema());
  static_cast<void>(bad.course.begin());
  CHECK(line_of(bad.course.on_answer(bad.now, says(R"({"n": "three"})"))) == "log, keep");
  const auto again = bad.course.on_noted();
  CHECK(line_of(again) == "ask model");
  CHECK_THAT(talk_bed::request_in(again).messages.back().content,
             ContainsSubstring("This does not fit the schema: /n"));
  CHECK_THAT(line_of(bad.course.on_answer(bad.now, says("no JSON"))),
             ContainsSubstring("failed: the answer of the model m does not fit its schema"));
}

TEST_CASE("a person is asked once the call is durable, and the model is told the answer",
          "[agents][llm]") {
  talk_bed bed(talk_bed::with_tools());
  const auto first = bed.course.begin();
  CHECK(talk_bed::request_in(first).tools.size() == 1);
  CHECK(line_of(bed.course.on_answer(bed.now, calls({city_call}))) == "log, keep");
  const auto asked = bed.course.on_noted();
  CHECK(line_of(asked) == "ask person: Which city?");
  const auto& question = std::get<report_question>(std::get<llm_report>(asked[0]).report);
  CHECK(boost::json::serialize(question.form) == R"({"type":"string","enum":["Oslo","Rome"]})");
  CHECK(line_of(bed.course.on_answered(*test::user_says("Rome"))) == "keep");
  const auto again = bed.course.on_noted();
  CHECK(line_of(again) == "ask model");
  const auto& told = talk_bed::request_in(again).messages;
  REQUIRE(told.size() == 4);
  CHECK(told[2].calls == std::vector{city_call});
  CHECK(told[3].from == speaker::tool);
  CHECK(told[3].content == "Rome");
  CHECK(told[3].call_id == "c1");
  static_cast<void>(bed.course.on_text(bed.now, "Rome it is."));
  CHECK(line_of(bed.course.on_answer(bed.now, says("Rome it is.")))
        == "log, append: |, completed, end");
}

TEST_CASE("a question without an answer is told, and the conversation goes on", "[agents][llm]") {
  talk_bed bed(talk_bed::with_tools());
  static_cast<void>(bed.course.begin());
  static_cast<void>(bed.course.on_answer(bed.now, calls({city_call})));
  const auto asked = bed.course.on_noted();
  const auto key = std::get<report_question>(std::get<llm_report>(asked[0]).report).key;
  CHECK(line_of(bed.course.on_unanswered("another", question_end::expired)).empty());
  CHECK(line_of(bed.course.on_unanswered(key, question_end::declined)) == "keep");
  CHECK(bed.course.note().turns.at(0).results.at(0)
        == "There is no answer: the person does not answer it.");
}

TEST_CASE("the third wrong call ends the task, and the first two are told", "[agents][llm]") {
  talk_bed bed(talk_bed::with_tools());
  static_cast<void>(bed.course.begin());
  static_cast<void>(bed.course.on_answer(
      bed.now, calls({{"a", "ask_person", "{\"question\""}, {"b", "delete_all", "{}"}})));
  CHECK(line_of(bed.course.on_noted()) == "keep");
  const auto again = bed.course.on_noted();
  const auto& told = talk_bed::request_in(again).messages;
  CHECK_THAT(told.at(3).content, ContainsSubstring("are not JSON"));
  CHECK_THAT(told.at(4).content, ContainsSubstring("there is no such tool"));
  static_cast<void>(
      bed.course.on_answer(bed.now, calls({{"c", "ask_person", R"({"question": 1})"}})));
  CHECK_THAT(line_of(bed.course.on_noted()),
             ContainsSubstring("failed for good: the model m has made 3 wrong calls"));
}

TEST_CASE("a tool that the task does not list is wrong, though it exists", "[agents][llm]") {
  talk_bed bed; // no tools
  const auto first = bed.course.begin();
  CHECK(talk_bed::request_in(first).tools.empty());
  static_cast<void>(bed.course.on_answer(bed.now, calls({city_call})));
  CHECK(line_of(bed.course.on_noted()) == "keep"); // nobody is asked
  CHECK_THAT(bed.course.note().turns.at(0).results.at(0), ContainsSubstring("no such tool"));
}

TEST_CASE("a model that never comes to an end is stopped after its rounds", "[agents][llm]") {
  auto terms = talk_bed::with_tools();
  terms.rounds_max = 2;
  talk_bed bed(terms);
  static_cast<void>(bed.course.begin());
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(bed.course.on_answer(bed.now, calls({city_call})));
    static_cast<void>(bed.course.on_noted());
    static_cast<void>(bed.course.on_answered(*test::user_says("Oslo")));
    if (i == 0)
      CHECK(line_of(bed.course.on_noted()) == "ask model");
  }
  CHECK(line_of(bed.course.on_noted())
        == "failed for good: the model m has not come to an answer in 2 rounds, end");
}

TEST_CASE("after a restart no answered call is made again, and an open question is asked again",
          "[agents][llm]") {
  talk_bed before(talk_bed::with_tools());
  static_cast<void>(before.course.begin());
  static_cast<void>(before.course.on_answer(before.now, calls({city_call})));
  const auto asked = before.course.on_noted();
  const auto left = read_llm_note(write_llm_note(before.course.note()));
  REQUIRE(left.has_value());
  CHECK(left->spent.tokens == 10);

  talk_bed waits(talk_bed::with_tools(), *left);
  const auto again = waits.course.begin();
  REQUIRE(line_of(again) == "ask person: Which city?");
  CHECK(std::get<report_question>(std::get<llm_report>(again[0]).report).key
        == std::get<report_question>(std::get<llm_report>(asked[0]).report).key);

  talk_bed answered(talk_bed::with_tools(), *left, {test::user_says("Oslo")});
  CHECK(line_of(answered.course.begin()) == "keep");
  const auto next = answered.course.on_noted();
  CHECK(talk_bed::request_in(next).messages.back().content == "Oslo");
}

TEST_CASE("a message to the running task is told with the next round", "[agents][llm]") {
  talk_bed bed(talk_bed::with_tools());
  static_cast<void>(bed.course.begin());
  bed.course.on_said(*test::user_says("Hurry."));
  const auto kept = bed.course.on_answer(bed.now, calls({city_call}));
  // Durable with its count: a restart loses it not, and tells it once.
  const auto left = read_llm_note(std::get<llm_keep>(kept.back()).note).value();
  CHECK(left.inputs == 1);
  CHECK(left.turns.at(0).told == "Hurry.");
  static_cast<void>(bed.course.on_noted());
  static_cast<void>(bed.course.on_answered(*test::user_says("Oslo")));
  const auto next = bed.course.on_noted();
  CHECK(talk_bed::request_in(next).messages.back().content == "Hurry.");
}

TEST_CASE("a note reads back as it was written, and one that is too long keeps the counts",
          "[agents][llm]") {
  llm_note note;
  note.begun_with = 1;
  note.inputs = 2;
  note.wrong_calls = 1;
  note.repairs = 1;
  note.spent = {7, 8, 9ms};
  note.turns = {{"text \"with\" quotes", {city_call}, {"Oslo"}, "told"}, {"more", {}, {}, {}}};
  CHECK(is_llm_note(write_llm_note(note)));
  CHECK(read_llm_note(write_llm_note(note)).value() == note);
  note.turns[0].content = std::string(note_bytes_max, 'x');
  const auto text = write_llm_note(note);
  CHECK(text.size() <= note_bytes_max);
  const auto cut = read_llm_note(text).value();
  CHECK(cut.turns.empty());
  CHECK(cut.spent == note.spent);
  CHECK(cut.wrong_calls == 0);
  CHECK_FALSE(read_llm_note("{}").has_value());
  CHECK_FALSE(is_llm_note(R"({"delegation":1,)"));
}

TEST_CASE("the arguments of a question are held against their schema", "[agents][llm]") {
  struct row {
    const char* arguments;
    const char* words; ///< Of the error; empty: none.
  };
  const auto each = GENERATE(values<row>({
      {R"({"question":"Why?"})", ""},
      {R"({"question":"Why?","form":{"type":"object","properties":{"a":{"type":"string"}}}})", ""},
      {R"({"question":"Why?","choices":["a"]})", ""},
      {"", "\"question\" must be a text"},
      {"[]", "no object"},
      {"{", "not JSON"},
      {R"({"question":""})", "\"question\" must be"},
      {R"({"question":"Why?","agent":"command"})", "unknown member \"agent\""},
      {R"({"question":"Why?","choices":[]})", "\"choices\" must be"},
      {R"({"question":"Why?","choices":[1]})", "\"choices\" must be"},
      {R"({"question":"Why?","choices":["a"],"form":{}})", "exclude each other"},
      {R"({"question":"Why?","form":{"type":"object","$ref":"#/x"}})", "\"form\""},
  }));
  CAPTURE(each.arguments);
  const auto read = read_question_call({"c", "ask_person", each.arguments}, {"ask_person"});
  CHECK(read.has_value() == std::string(each.words).empty());
  if (!read)
    CHECK_THAT(read.error().message, ContainsSubstring(each.words));
}
