// Right histories pass, and each wrong one is refused by the checker that is for it.
#include "tests/support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/checkers.hpp"

using namespace troupe::sim;

namespace {

const std::string submitted = "TASK_STATE_SUBMITTED";
const std::string working = "TASK_STATE_WORKING";
const std::string asks = "TASK_STATE_INPUT_REQUIRED";
const std::string completed = "TASK_STATE_COMPLETED";
const std::string canceled = "TASK_STATE_CANCELED";

task_view view(std::string state, std::string id = "t") {
  task_view out;
  out.id = std::move(id);
  out.state = std::move(state);
  return out;
}

stream_event status(const std::string& cursor, const std::string& state, moment at = 0) {
  stream_event out;
  out.cursor = cursor;
  out.task = view(state);
  out.at = at;
  return out;
}

stream_event text(const std::string& cursor, std::string added, bool append = false) {
  stream_event out;
  out.kind = event_kind::artifact;
  out.cursor = cursor;
  out.artifact = "out";
  out.text = std::move(added);
  out.append = append;
  return out;
}

stream_event snapshot(const std::string& cursor, task_view shown) {
  stream_event out;
  out.kind = event_kind::snapshot;
  out.cursor = cursor;
  out.task = std::move(shown);
  return out;
}

/// An answer that shows the task so.
call shown(moment began, moment ended, task_view task) {
  call out;
  out.client = "c";
  out.began = began;
  out.ended = ended;
  out.tasks.push_back(std::move(task));
  return out;
}

call sent(const std::string& message, const std::string& task) {
  auto out = shown(1, 2, view(submitted, task));
  out.kind = call_kind::send;
  out.message_id = message;
  return out;
}

/// A task that worked, made "a;b;" and completed.
history usual() {
  history out;
  out.journal["t"] = {status("2.0", working), text("3.0", "a;"), text("4.0", "b;", true),
                      status("5.0", completed)};
  auto end = view(completed);
  end.artifacts.emplace();
  end.artifacts->emplace("out", "a;b;");
  end.messages = {"m"};
  out.rest = {{"t", end}};
  out.sent = {"m"};
  out.chunks = {"a;", "b;"};
  out.deduplicates = true;
  return out;
}

stream_read stream_of(std::vector<stream_event> events, std::string after = "") {
  stream_read out;
  out.client = "c";
  out.task = "t";
  out.after = std::move(after);
  out.events = std::move(events);
  return out;
}

history with_stream(stream_read read) {
  auto out = usual();
  out.streams.push_back(std::move(read));
  return out;
}

history with_calls(std::vector<call> calls) {
  auto out = usual();
  out.calls = std::move(calls);
  return out;
}

task_view with_text(std::string state, std::string made) {
  auto out = view(std::move(state));
  out.artifacts.emplace();
  out.artifacts->emplace("out", std::move(made));
  return out;
}

history with_attempts(std::vector<attempt> attempts) {
  history out;
  out.attempts = std::move(attempts);
  return out;
}

attempt of(std::string name, std::uint32_t number, moment began, moment ended, moment done = 0) {
  return {"task of " + name, std::move(name), number, began, ended, done};
}

/// Tasks a and b, b after a, c alone; two at once.
history planned(std::vector<attempt> attempts) {
  auto out = with_attempts(std::move(attempts));
  out.objectives.push_back({"o", 0, {{"p", 2, {{"a", {}}, {"b", {"a"}}, {"c", {}}}}}});
  return out;
}

} // namespace

TEST_CASE("a history in which all goes right passes every checker", "[sim][checkers]") {
  auto all = with_stream(
      stream_of({snapshot("1", view(submitted)), status("2.0", working, 5), text("3.0", "a;"),
                 text("4.0", "b;", true), status("5.0", completed, 9)}));
  all.streams.push_back(
      stream_of({snapshot("3.0", with_text(working, "a;")), text("4.0", "b;", true)}));
  all.streams.back().events.front().at = 6;
  all.streams.push_back(stream_of({status("5.0", completed, 12)}, "4.0"));
  all.streams.push_back(stream_of({snapshot("", with_text(completed, "a;b;"))}));
  all.streams.back().events.front().at = 20;
  all.calls = {sent("m", "t"), shown(3, 10, with_text(working, "a;")),
               shown(11, 13, with_text(completed, "a;b;"))};
  all.attempts = {of("a", 1, 3, 4), of("a", 2, 5, 8, 7), of("b", 1, 9, 10, 10)};
  all.objectives = planned({}).objectives;
  for (const auto& each : checkers) {
    INFO(each.name);
    CHECK(each.check(all).value_or("") == "");
  }
}

TEST_CASE("what was shown must be kept", "[sim][checkers]") {
  auto gone = with_calls({shown(1, 2, view(working, "other"))});
  CHECK(check_kept(gone).value_or("").find("is gone") != std::string::npos);
  CHECK(check_kept(with_calls({shown(1, 2, view(canceled))})));
  CHECK(check_kept(with_calls({shown(1, 2, view(asks))})));
  CHECK(check_kept(with_calls({shown(1, 2, with_text(working, "c;"))})));
  CHECK(check_kept(with_calls({sent("lost", "t")})));
  CHECK(check_kept(with_stream(stream_of({status("9.0", asks)}))));
  CHECK_FALSE(check_kept(with_calls({shown(1, 0, view(canceled))}))); // Never answered.
}

TEST_CASE("nothing may be invented", "[sim][checkers]") {
  auto strange = view(working);
  strange.messages = {"never"};
  CHECK(check_invented(with_calls({shown(1, 2, strange)})));
  CHECK(check_invented(with_calls({shown(1, 2, with_text(working, "a;x;"))})));
  CHECK(check_invented(with_stream(stream_of({text("3.0", "torn")}))));
  auto at_the_end = usual();
  at_the_end.rest->at("t").messages.emplace_back("never");
  CHECK(check_invented(at_the_end));
}

TEST_CASE("an answer must not be older than what was known when it was asked for",
          "[sim][checkers]") {
  CHECK(check_linear(with_calls({shown(1, 2, view(completed)), shown(3, 4, view(working))})));
  CHECK(check_linear(with_calls({shown(1, 2, view(working)), shown(3, 4, view(submitted))})));
  CHECK(check_linear(with_calls({shown(1, 2, view(asks))})));
  CHECK_FALSE(check_linear(with_calls({shown(1, 5, view(completed)), shown(3, 6, view(working))})));
  auto streamed = with_stream(stream_of({status("5.0", completed, 2)}, "4.0"));
  streamed.calls = {shown(3, 4, view(working))};
  CHECK(check_linear(streamed));
}

TEST_CASE("a stream is a snapshot and then the order of the journal", "[sim][checkers]") {
  const auto begin = snapshot("1", view(submitted));
  CHECK(check_streams(with_stream(stream_of({status("2.0", working)}))));
  CHECK(
      check_streams(with_stream(stream_of({begin, status("5.0", completed)})))); // One is missing.
  CHECK(check_streams(
      with_stream(stream_of({begin, status("2.0", working), status("2.0", working)}))));
  CHECK(check_streams(with_stream(stream_of({begin, text("3.0", "a;"), status("2.0", working)}))));
  CHECK(check_streams(with_stream(stream_of({snapshot("2.0", view(submitted))})))); // It is older.
  // A chunk is missing, and one is there twice, over a resume.
  CHECK(check_streams(with_stream(stream_of({status("5.0", completed)}, "3.0"))));
  CHECK(check_streams(
      with_stream(stream_of({text("3.0", "a;", true), text("4.0", "b;", true)}, "3.0"))));
  // Chunks may be joined.
  CHECK_FALSE(
      check_streams(with_stream(stream_of({begin, status("2.0", working), text("4.0", "a;b;")}))));
}

TEST_CASE("states move by the table, and what ended stays", "[sim][checkers]") {
  const auto with_journal = [](std::vector<stream_event> journal) {
    history out;
    out.journal["t"] = std::move(journal);
    return out;
  };
  CHECK(check_moves(with_journal({status("2.0", completed), status("3.0", working)})));
  CHECK(check_moves(with_journal({status("2.0", asks)})));
  CHECK(check_moves(with_journal({status("2.0", canceled), text("3.0", "a;")})));
  CHECK(check_moves(with_journal({status("2.0", canceled), status("3.0", completed)})));
  CHECK_FALSE(check_moves(with_journal({status("2.0", working), status("3.0", asks),
                                        status("4.0", working), status("5.0", completed)})));
  CHECK(check_moves(
      with_stream(stream_of({snapshot("1", view(completed)), status("2.0", working)}))));
}

TEST_CASE("a message leads to one task", "[sim][checkers]") {
  CHECK(check_messages(with_calls({sent("m", "t"), sent("m", "u")})));
  CHECK(check_messages(with_calls({sent("m", "u")}))); // At the end it is in t.
  auto twice = usual();
  twice.rest->emplace("u", twice.rest->at("t"));
  CHECK(check_messages(twice));
  twice.deduplicates = false;
  CHECK_FALSE(check_messages(twice));
}

TEST_CASE("a task waits for its dependencies and for a slot", "[sim][checkers]") {
  CHECK(check_plans(planned({of("b", 1, 1, 2, 2)})));
  CHECK(check_plans(planned({of("a", 1, 1, 2), of("b", 1, 3, 4)}))); // It failed.
  CHECK(check_plans(planned({of("a", 1, 1, 4, 4), of("b", 1, 3, 5)})));
  auto narrow = planned({of("a", 1, 1, 5, 4), of("c", 1, 2, 6)});
  CHECK_FALSE(check_plans(narrow));
  narrow.objectives[0].plans[0].parallel_max = 1;
  CHECK(check_plans(narrow));
  narrow.objectives[0].plans[0].parallel_max = 0;
  narrow.objectives[0].parallel_max = 1;
  CHECK(check_plans(narrow));
}

TEST_CASE("attempts of a task come one after the other, without a gap", "[sim][checkers]") {
  CHECK(check_attempts(with_attempts({of("a", 2, 1, 2)})));
  CHECK(check_attempts(with_attempts({of("a", 1, 1, 2), of("a", 3, 3, 4)})));
  CHECK(check_attempts(with_attempts({of("a", 1, 1, 4), of("a", 2, 3, 5)})));
  CHECK(check_attempts(with_attempts({of("a", 1, 1, 2), of("a", 1, 4, 5)})));
  auto died = with_attempts({of("a", 1, 1, 3), of("a", 1, 4, 5)});
  died.crashes = {2};
  CHECK_FALSE(check_attempts(died));
  // Neither of two was written.
  auto twice = with_attempts({of("a", 1, 1, 2), of("a", 2, 3, 5), of("a", 1, 6, 7)});
  CHECK(check_attempts(twice));
  twice.crashes = {4};
  CHECK_FALSE(check_attempts(twice));
}

TEST_CASE("at the end everything has ended", "[sim][checkers]") {
  CHECK(check_rest(history{}));
  auto open = usual();
  open.rest->at("t").state = working;
  CHECK(check_rest(open));
  auto counted = usual();
  counted.left_over = "1 stream";
  CHECK(check_rest(counted));
}
