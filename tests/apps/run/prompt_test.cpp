// What is typed at the prompt, what was answered beforehand, and what cannot be written.
#include "apps/run/answers.hpp"
#include "apps/run/line_editor.hpp"
#include "apps/terminal/terminal.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("typing, correcting and Enter give a line", "[apps][prompt]") {
  line_editor editor;
  CHECK(editor.feed("Lisbn").empty());
  CHECK(editor.feed("\x7f\x08").empty());
  CHECK(editor.text() == "Lis");
  const auto lines = editor.feed("bon\r");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].text == "Lisbon");
  CHECK_FALSE(lines[0].end_of_input);
  CHECK(editor.text().empty());
}

TEST_CASE("backspace takes a whole character, Ctrl-W a word, Ctrl-U the line", "[apps][prompt]") {
  line_editor editor;
  CHECK(editor.feed("né\x7f").empty());
  CHECK(editor.text() == "n");
  CHECK(editor.feed("\x7f\x7f\x7f").empty());
  CHECK(editor.text().empty());
  CHECK(editor.feed("one two  \x17").empty());
  CHECK(editor.text() == "one ");
  CHECK(editor.feed("\x15").empty());
  CHECK(editor.text().empty());
}

TEST_CASE("arrow keys and other sequences leave no trace, even in pieces", "[apps][prompt]") {
  line_editor editor;
  CHECK(editor.feed("a\x1b[A\x1bOBb\x1b[1;5").empty());
  CHECK(editor.feed("Cc\x01\x02").empty());
  CHECK(editor.text() == "abc");
}

TEST_CASE("Ctrl-D ends the input only on an empty line", "[apps][prompt]") {
  line_editor editor;
  CHECK(editor.feed("x\x04").empty());
  const auto lines = editor.feed("\x7f\x04");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].end_of_input);
}

TEST_CASE("pasted lines come one by one and an endless one is bounded", "[apps][prompt]") {
  line_editor editor;
  CHECK(editor.feed("a\nb\n").size() == 2);
  CHECK(editor.feed(std::string(typed_bytes_max + 100, 'x')).empty());
  CHECK(editor.text().size() == typed_bytes_max);
}

TEST_CASE("prepared answers are found by key, name or id, and used once each in their order",
          "[apps][prompt]") {
  prepared_answers answers(
      {{"t1", "first"}, {"t1", "second"}, {"The name", "third"}, {"obj.p0.t0", "fourth"}});
  task_spec task;
  task.key = "t1";
  task.name = "The name";
  const task_id id("obj.p0.t0");
  for (const auto* text : {"first", "second", "third", "fourth"})
    CHECK(answers.take(task, id)->text == text);
  CHECK_FALSE(answers.take(task, id));
}

TEST_CASE("a prepared answer that names a question is for no other one", "[apps][prompt]") {
  prepared_answers answers({std::pair<std::string, std::string>{"obj.p0.t0.question-2", "yes"}});
  const task_id id("obj.p0.t0");
  CHECK_FALSE(answers.take({}, id, "question-1"));
  CHECK_FALSE(answers.take({}, task_id("obj.p0.t1"), "question-2"));
  const auto given = answers.take({}, id, "question-2");
  REQUIRE(given);
  CHECK(given->text == "yes");
  CHECK(given->names_question);
}

TEST_CASE("an answer of several members is given once, to the question that it names",
          "[apps][prompt]") {
  answer_input given;
  given.id = "obj.p0.t0.question-2";
  given.action = answer_action::decline;
  given.by = "anna";
  prepared_answers answers({});
  answers.give(given);
  const task_id id("obj.p0.t0");
  CHECK_FALSE(answers.take_given(id, "question-1"));
  CHECK_FALSE(answers.take_given(task_id("obj.p0.t1"), "question-2"));
  const auto taken = answers.take_given(id, "question-2");
  REQUIRE(taken);
  CHECK(taken->action == answer_action::decline);
  CHECK(taken->by == "anna");
  CHECK_FALSE(answers.take_given(id, "question-2"));
}

TEST_CASE("an answer for a task that does not exist is found out before the run",
          "[apps][prompt]") {
  const auto plan = plan_named("p", {task_named("a"), task_named("b")});
  CHECK_FALSE(prepared_answers({{"a", "x"}, {"b", "y"}}).unknown_key({plan}));
  CHECK(prepared_answers({{"a", "x"}, {"c", "y"}}).unknown_key({plan}) == "c");
  CHECK_FALSE(prepared_answers({}).unknown_key({}));
}

TEST_CASE("an output that cannot be written has the error", "[apps][terminal]") {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  output out(full);
  out.write("a drawing");
  CHECK_FALSE(out.broken());
  out.flush();
  CHECK(out.failure() == ENOSPC);
  ::close(full);
}
