// The course of a conversation with a model, step by step, without sockets.
#include "tests/agents/llm/talk_bed.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/task_life.hpp>

#include <boost/json/serialize.hpp>

using namespace troupe;
using namespace troupe::test;
using namespace std::chrono_literals;

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

TEST_CASE("thoughts in many pieces are looked at once", "[agents][llm]") {
  talk_bed bed;
  static_cast<void>(bed.course.begin());
  static_cast<void>(bed.course.on_text(bed.now, " \n<think>"));
  const std::string piece(32, '<');
  for (std::size_t i = 0; i < 200'000; ++i)
    if (!bed.course.on_text(bed.now, piece).empty())
      FAIL("a thought is shown");
  CHECK(line_of(bed.course.on_text(bed.now, "</thi")).empty());
  CHECK(line_of(bed.course.on_text(bed.now, "nk>")).empty());
  CHECK(line_of(bed.course.on_text(bed.now, " \n ")).empty());
  CHECK(line_of(bed.course.on_text(bed.now, " It")) == "begin: It");
  CHECK(line_of(bed.course.on_text(bed.now + 1s, " <think>")) == "append:  <think>");
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
  CHECK(bed.course.note().turns.at(0).calls.at(0).result
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
  CHECK_THAT(bed.course.note().turns.at(0).calls.at(0).result.value_or(""),
             ContainsSubstring("no such tool"));
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

TEST_CASE("a conversation that grows beyond its bytes ends the task", "[agents][llm]") {
  talk_bed bed(talk_bed::with_tools());
  static_cast<void>(bed.course.begin());
  const std::string half(llm_conversation_bytes_max / 2, 'x');
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(bed.course.on_answer(bed.now, calls({city_call})));
    static_cast<void>(bed.course.on_noted());
    static_cast<void>(bed.course.on_answered(*test::user_says(half)));
    if (i == 0)
      CHECK(line_of(bed.course.on_noted()) == "ask model");
  }
  CHECK(line_of(bed.course.on_noted())
        == "failed for good: the conversation is longer than 2097152 bytes, end");
}

TEST_CASE("after a restart a long conversation goes on where it was", "[agents][llm]") {
  talk_bed before(talk_bed::with_tools());
  static_cast<void>(before.course.begin());
  for (const auto* city : {"Oslo", "Rome"}) {
    static_cast<void>(before.course.on_answer(before.now, calls({city_call})));
    static_cast<void>(before.course.on_noted());
    static_cast<void>(
        before.course.on_answered(*test::user_says(city + std::string(note_bytes_max, '.'))));
    static_cast<void>(before.course.on_noted());
  }
  const auto left = read_llm_note(write_llm_note(before.course.note()));
  REQUIRE(left.has_value());
  talk_bed after(talk_bed::with_tools(), *left);
  const auto next = after.course.begin();
  REQUIRE(line_of(next) == "ask model");
  const auto told = talk_bed::request_in(next).messages;
  REQUIRE(told.size() == 6); // system, user, and two calls with their results
  CHECK_THAT(told[3].content, StartsWith("Oslo..."));
  CHECK_THAT(told[5].content, StartsWith("Rome..."));
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
  note.turns = {
      {"text \"with\" quotes", {{city_call, "Oslo"}, {city_call, std::nullopt, true}}, "told"},
      {"more", {}, {}}};
  CHECK(is_llm_note(write_llm_note(note)));
  CHECK(read_llm_note(write_llm_note(note)).value() == note);
  // What is said is cut, and no call is lost.
  auto long_one = note;
  long_one.turns[0].content = std::string(note_bytes_max, 'x');
  long_one.turns[0].calls[0].result = std::string(note_bytes_max, 'y');
  long_one.turns[0].told = std::string(note_bytes_max, 'z');
  const auto kept = write_llm_note(long_one);
  CHECK(kept.size() <= note_bytes_max);
  CHECK(kept.size() > note_bytes_max / 2);
  const auto known = read_llm_note(kept).value();
  REQUIRE(known.turns.size() == 2);
  CHECK(known.turns[0].calls[0].call == city_call);
  CHECK_THAT(known.turns[0].calls[0].result.value(),
             StartsWith("yyy") && ContainsSubstring("bytes are left out here"));
  CHECK(known.turns[1] == note.turns[1]);
  // Calls are kept whole, or not at all.
  note.turns[0].calls[0].call.arguments = std::string(note_bytes_max, 'x');
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
      {"", "\"question\" must be a string"},
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
  const auto read = read_tool_call({"c", "ask_person", each.arguments}, {{"ask_person"}, {}, {}});
  CHECK(read.has_value() == std::string(each.words).empty());
  if (!read)
    CHECK_THAT(read.error().message, ContainsSubstring(each.words));
}
