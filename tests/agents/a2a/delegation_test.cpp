// The course of a delegation, step by step, without sockets.
#include "agents/a2a/delegation.hpp"
#include "agents/a2a/limits.hpp"
#include "protocol/a2a/cancel_report.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include "tests/agents/a2a/course_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace troupe;
using namespace troupe::testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("the note is durable before anything is sent, and the first frame adds the id",
          "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  const auto note = read_note(write_note(bed.course.note()));
  REQUIRE(note.has_value());
  CHECK(*note == bed.course.note());
  CHECK(is_delegation_note(write_note(*note)));
  CHECK_FALSE(is_delegation_note("something else"));
}

TEST_CASE("the end of a remote task is asked for once, and ends ours", "[agents][a2a]") {
  const auto [state, ending] = GENERATE(table<task_state, std::string>({
      {task_state::completed, "completed, end"},
      {task_state::failed, "failed: the agent \"support\" failed, end"},
      {task_state::canceled, "failed: the agent \"support\" canceled the task, end"},
      {task_state::rejected, "failed for good: the agent \"support\" rejected the task, end"},
  }));
  course_bed bed;
  bed.follow();
  wire::status_update last;
  last.task = task_id{"r1"};
  last.status.state = state;
  CHECK(line_of(bed.course.on_event(bed.now, last)) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, remote_state(state))) == "hang up, " + ending);
  CHECK(bed.course.has_ended());
}

TEST_CASE("a stream that shows by its cursors that nothing is missing ends our task without a look",
          "[agents][a2a]") {
  const auto marked = [](auto frame) {
    frame.metadata["troupe/v1/cursor"] = "1.0";
    return frame;
  };
  wire::artifact_update made;
  made.task = task_id{"r1"};
  made.artifact.artifact_id = "a";
  made.artifact.parts = {text_part("one")};
  wire::status_update last;
  last.task = task_id{"r1"};
  last.status.state = task_state::completed;
  const auto begun = [&](course_bed& bed, const task& first) {
    static_cast<void>(bed.course.begin(bed.now));
    static_cast<void>(bed.course.on_met(bed.now, able));
    CHECK(line_of(bed.course.on_noted(bed.now)) == "stream");
    CHECK(line_of(bed.course.on_event(bed.now, first)) == "keep");
  };
  const auto works = remote_state(task_state::working);
  SECTION("each frame has a cursor") {
    course_bed bed;
    begun(bed, marked(works));
    CHECK(line_of(bed.course.on_event(bed.now, marked(made))) == "artifact");
    CHECK(line_of(bed.course.on_event(bed.now, marked(last))) == "hang up, completed, end");
  }
  SECTION("the stream went on behind the last one") {
    course_bed bed;
    begun(bed, marked(works));
    CHECK(line_of(bed.course.on_stream_end(bed.now, broken())) == "listen behind 1.0");
    CHECK(line_of(bed.course.on_event(bed.now, marked(last))) == "hang up, completed, end");
  }
  SECTION("the stream was taken up again, from the task as it was") {
    course_bed bed;
    begun(bed, marked(works));
    CHECK(line_of(bed.course.on_stream_end(bed.now, broken())) == "listen behind 1.0");
    CHECK(line_of(bed.course.on_stream_end(bed.now, make_error(errc::invalid_params, "cursor")))
          == "get");
    CHECK(line_of(bed.course.on_got(bed.now, works)) == "listen");
    SECTION("with a snapshot") {
      CHECK(line_of(bed.course.on_event(bed.now, marked(works))).empty());
      CHECK(line_of(bed.course.on_event(bed.now, marked(last))) == "hang up, completed, end");
    }
    SECTION("without one") {
      CHECK(line_of(bed.course.on_event(bed.now, marked(last))) == "get");
    }
  }
  SECTION("one frame has none") {
    course_bed bed;
    begun(bed, marked(works));
    CHECK(line_of(bed.course.on_event(bed.now, made)) == "artifact");
    CHECK(line_of(bed.course.on_event(bed.now, marked(last))) == "get");
  }
  SECTION("the first frame has none") {
    course_bed bed;
    begun(bed, works);
    CHECK(line_of(bed.course.on_event(bed.now, marked(last))) == "get");
  }
}

TEST_CASE("the words of a last event are kept, though the task as it ended has none",
          "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  wire::status_update last;
  last.task = task_id{"r1"};
  last.status = remote_state(task_state::canceled, "I quit").status;
  CHECK(line_of(bed.course.on_event(bed.now, last)) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::canceled)))
        == "hang up, failed: the agent \"support\" canceled the task: I quit, end");
}

TEST_CASE("a task that has ended is not lost if it can no longer be read", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  wire::status_update last;
  last.task = task_id{"r1"};
  last.status.state = task_state::completed;
  CHECK(line_of(bed.course.on_event(bed.now, last)) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, make_error(errc::task_not_found, "gone")))
        == "hang up, completed, end");
}

TEST_CASE("a stream that breaks or ends leads to the task, and to a new stream", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  CHECK(line_of(bed.course.on_stream_end(bed.now, broken())) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))) == "listen");
  // It breaks again without news: the next try waits.
  CHECK(line_of(bed.course.on_stream_end(bed.now, broken())).empty());
  CHECK(bed.after(seconds{1}) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::completed)))
        == "completed, end");
}

TEST_CASE("a stream with cursors goes on where it broke", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  const auto frame = [](const std::string& cursor) {
    wire::status_update out;
    out.task = task_id{"r1"};
    out.status.state = task_state::working;
    if (!cursor.empty())
      out.metadata[stream_cursor_key] = cursor;
    return wire::answer{out};
  };
  static_cast<void>(bed.course.on_event(bed.now, frame("17.0")));
  SECTION("at once, and after a pause if it breaks again") {
    CHECK(line_of(bed.course.on_stream_end(bed.now, broken())) == "listen behind 17.0");
    CHECK(line_of(bed.course.on_stream_end(bed.now, broken())).empty());
    CHECK(bed.after(seconds{1}) == "listen behind 17.0");
    static_cast<void>(bed.course.on_event(bed.now, frame("18.0")));
    CHECK(line_of(bed.course.on_stream_end(bed.now, broken())).empty());
    CHECK(bed.after(seconds{2}) == "listen behind 18.0");
  }
  SECTION("also behind a frame without one") {
    static_cast<void>(bed.course.on_event(bed.now, frame({})));
    CHECK(line_of(bed.course.on_stream_end(bed.now, broken())) == "listen behind 17.0");
  }
  SECTION("but not if the agent does not know the cursor") {
    CHECK(line_of(bed.course.on_stream_end(bed.now, broken())) == "listen behind 17.0");
    CHECK(line_of(bed.course.on_stream_end(bed.now, make_error(errc::invalid_params, "cursor")))
          == "get");
    CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))) == "listen");
  }
  SECTION("but not if the task was seen since") {
    CHECK(bed.after(seconds{30}) == "get");
    CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))).empty());
    CHECK(line_of(bed.course.on_stream_end(bed.now, broken())) == "get");
  }
  SECTION("but not while an answer is on its way") {
    static_cast<void>(bed.course.on_event(
        bed.now, wire::answer{remote_state(task_state::input_required, "where?")}));
    static_cast<void>(bed.course.on_event(bed.now, frame("18.0")));
    static_cast<void>(bed.course.on_message(bed.now, user_text("there", "u1")));
    CHECK(line_of(bed.course.on_stream_end(bed.now, broken())) == "get");
  }
  SECTION("but never behind a cursor that no header can have") {
    static_cast<void>(bed.course.on_event(bed.now, frame("18\r\nX: y")));
    CHECK(line_of(bed.course.on_stream_end(bed.now, broken())) == "listen behind 17.0");
  }
}

TEST_CASE("our task says that an agent does not have all that happened after a break",
          "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  auto shown = remote_state(task_state::working);
  shown.metadata[stream_cursor_key] = "5.0";
  static_cast<void>(bed.course.on_event(bed.now, wire::answer{shown}));
  CHECK(line_of(bed.course.on_stream_end(bed.now, broken())) == "listen behind 5.0");
  shown.metadata[stream_cursor_key] = "9.0";
  const bool has_gap = GENERATE(true, false);
  if (has_gap)
    shown.metadata[stream_gap_key] = true;
  CHECK(line_of(bed.course.on_event(bed.now, wire::answer{shown})) == (has_gap ? "message" : ""));
  CHECK(line_of(bed.course.on_event(bed.now, wire::answer{shown})).empty()); // it is said once
}

TEST_CASE("an agent without streams is asked again and again", "[agents][a2a]") {
  course_bed bed;
  bed.follow({"1.0 JSONRPC http://a/", false, false, true});
  CHECK(bed.after(seconds{1}) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))).empty());
  CHECK(bed.after(seconds{1}) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::completed)))
        == "completed, end");
}

TEST_CASE("silence is asked about, and only a long one is a failure", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  CHECK(bed.after(seconds{29}).empty());
  CHECK(bed.after(seconds{1}) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))).empty());
  CHECK(bed.after(seconds{30}) == "get");
  const auto steps = bed.course.on_got(bed.now, broken());
  CHECK(line_of(steps).empty());
  // It is asked again after a pause, not at once.
  REQUIRE(std::holds_alternative<do_wait>(steps.back()));
  CHECK(std::get<do_wait>(steps.back()).until > bed.now);
  CHECK(bed.after(seconds{0}).empty());
  CHECK(bed.after(seconds{569}) == "get");
  CHECK(bed.after(seconds{2})
        == "cancel later, hang up, failed: the agent \"support\" has not answered for 600 s: "
           "broken, end");
}

TEST_CASE("an agent that is soon taken for lost is asked in time", "[agents][a2a]") {
  delegation_terms terms;
  terms.lost_after = seconds{10};
  course_bed bed(terms);
  SECTION("on a stream") {
    bed.follow();
    CHECK(bed.after(seconds{5}) == "get");
  }
  SECTION("without streams") {
    bed.follow({"1.0 JSONRPC http://a/", false, false, true});
    for (int i = 0; i < 10; ++i) {
      CHECK(bed.after(seconds{5}) == "get");
      CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))).empty());
    }
  }
  CHECK_THAT(bed.after(seconds{10}), ContainsSubstring("has not answered for 10 s"));
}

TEST_CASE("frames of other tasks are no sign of life", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  std::string steps;
  for (int i = 0; i < 61 && steps.empty(); ++i) {
    bed.now += seconds{10};
    static_cast<void>(bed.course.on_event(bed.now, remote_state(task_state::completed, {}, "r2")));
    steps = line_of(bed.course.on_time(bed.now));
    if (steps == "get") // it was asked for, and there is no answer
      steps.clear();
  }
  CHECK(steps
        == "cancel later, hang up, failed: the agent \"support\" has not answered for 600 s, end");
}

TEST_CASE("a stream without an end that brings nothing new fails the attempt", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  const auto same = GENERATE(0, 1, 2);
  wire::answer frame{remote_state(task_state::working)};
  if (same == 1)
    frame = remote_state(task_state::working, {}, "r2");
  if (same == 2) {
    wire::artifact_update empty;
    empty.task = task_id{"r1"};
    empty.artifact.artifact_id = "a";
    frame = empty;
  }
  std::string steps;
  std::uint32_t frames = 0;
  while (steps.find("failed") == std::string::npos && frames <= 2 * idle_frames_max) {
    ++frames;
    steps = line_of(bed.course.on_event(bed.now, frame));
  }
  CHECK(frames == idle_frames_max + 1);
  CHECK(
      steps
      == "cancel later, hang up, failed for good: the agent \"support\" sends without an end, and "
         "nothing new: "
         "more than 10000 events in a minute, end");
}

TEST_CASE("an agent does not choose which task of another target is referred to", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  wire::artifact_update made;
  made.task = task_id{"r1"};
  made.artifact.artifact_id = "a";
  made.artifact.metadata[made_by_key] = {{"target", "billing"}, {"task", "r9"}};
  made.artifact.parts = {text_part("x")};
  const auto made_by = [&](bool append) {
    made.append = append;
    const auto steps = bed.course.on_event(bed.now, made);
    REQUIRE(line_of(steps) == "artifact");
    const auto& told = std::get<report_artifact>(std::get<do_report>(steps[0]).report);
    const auto* by = told.artifact.metadata.if_contains(made_by_key);
    return by == nullptr ? std::string{} : boost::json::serialize(*by);
  };
  CHECK(made_by(false) == R"({"target":"support","task":"r1"})");
  CHECK(made_by(true).empty()); // it would take the place of the first one's
}

TEST_CASE("an agent that makes artifacts without an end fails the attempt", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  std::size_t made = 0;
  const auto make_one = [&] {
    bed.now += milliseconds{10};
    wire::artifact_update more;
    more.task = task_id{"r1"};
    more.artifact.artifact_id = "a" + std::to_string(++made);
    more.artifact.parts = {text_part("x")};
    return line_of(bed.course.on_event(bed.now, more));
  };
  while (made < remote_artifacts_max)
    REQUIRE(make_one() == "artifact");
  SECTION("and its task is canceled") {
    CHECK(make_one()
          == "cancel later, hang up, failed for good: the agent \"support\" has made more than "
             "10000 artifacts, end");
  }
  SECTION("but not the cancel that is under way") {
    CHECK(line_of(bed.course.cancel(bed.now)) == "cancel");
    CHECK(make_one().empty());
    CHECK(line_of(bed.course.on_canceled(bed.now, remote_state(task_state::canceled)))
          == "hang up, canceled acknowledged, end");
  }
}

TEST_CASE("an agent may say again and again that it works", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  for (std::uint32_t i = 0; i < 3 * idle_frames_max; ++i) {
    bed.now += milliseconds{10};
    const auto steps = line_of(bed.course.on_event(bed.now, remote_state(task_state::working)));
    REQUIRE((steps.empty() || steps == "slow down by 1")); // at 100 in a second none has to wait
  }
}

TEST_CASE("many events with nothing new are read slowly, until the minute is over",
          "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  const auto idle = [&](std::size_t bytes = 0) {
    return line_of(bed.course.on_event(bed.now, remote_state(task_state::working), bytes));
  };
  for (std::uint32_t i = 0; i < idle_frames_at_once; ++i)
    REQUIRE(idle().empty());
  CHECK(idle() == "slow down by 1");
  CHECK(idle(3 * idle_frame_bytes) == "slow down by 4"); // a long one costs more
  bed.now += idle_frames_window;
  CHECK(idle().empty());
  CHECK(idle(idle_frames_at_once * idle_frame_bytes)
        == "slow down by " + std::to_string(idle_frames_at_once + 1));
}

TEST_CASE("of a long event with little new the rest counts as nothing new", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  const auto say = [&](const std::string& text, std::size_t bytes) {
    return line_of(
        bed.course.on_event(bed.now, remote_state(task_state::working, text, "r1"), bytes));
  };
  const std::string text(std::size_t{16} << 20, 'x');
  CHECK(say(text, text.size() + 1'000) == "message");
  CHECK(say(text + "!", 6 * text.size()) == "message"); // each byte may be six in JSON
  CHECK(say("one", idle_frames_at_once * idle_frame_bytes) == "message");
  CHECK(say("two", 10 * idle_frame_bytes) == "message, slow down by 9");
  CHECK(say("three", idle_frame_bytes) == "message");
}

TEST_CASE("a task whose state goes to and fro brings nothing new", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  std::string steps;
  std::uint32_t frames = 0;
  while (steps.find("failed") == std::string::npos && frames <= 2 * idle_frames_max) {
    const auto state = ++frames % 2 == 0 ? task_state::working : task_state::submitted;
    steps = line_of(bed.course.on_event(bed.now, remote_state(state)));
  }
  CHECK(frames == idle_frames_max + 1);
}

TEST_CASE("a long task with which each stream begins is no flood", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  const auto whole = remote_state(task_state::working);
  for (int i = 0; i < 10; ++i) {
    bed.now += milliseconds{100};
    static_cast<void>(bed.course.on_stream_end(bed.now, make_error(errc::unavailable, "broken")));
    static_cast<void>(bed.course.on_time(bed.now += milliseconds{30'000}));
    REQUIRE(line_of(bed.course.on_got(bed.now, whole)) == "listen");
    CHECK(line_of(bed.course.on_event(bed.now, whole, std::size_t{16} << 20)).empty());
    CHECK(line_of(bed.course.on_event(bed.now, whole)).empty());
  }
  // Only the first one of a stream begins it.
  CHECK(line_of(bed.course.on_event(bed.now, whole, std::size_t{16} << 20)) == "slow down by 4097");
}

TEST_CASE("a question goes to our task, and its answer back", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::input_required, "Which?")))
        == "ask Which?");
  CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::input_required, "Which?")))
            .empty());
  CHECK(line_of(bed.course.on_message(bed.now, user_text("this", "u1"))) == "keep!");
  CHECK(bed.course.note().answer == "u1");
  CHECK(line_of(bed.course.on_noted(bed.now)) == "deliver this");
  CHECK(line_of(bed.course.on_delivered(bed.now, wire::answer{remote_state(task_state::working)}))
        == "keep");
  CHECK(bed.course.note().answer.empty());
  CHECK(bed.course.note().inputs == 1);
}

TEST_CASE("a question is withdrawn if the agent goes on without an answer", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::input_required, "Which?")))
        == "ask Which?");
  CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::working))) == "withdraw");
}

TEST_CASE("an agent that gives all its questions one id is answered each time", "[agents][a2a]") {
  const auto asking = [](const std::string& text) {
    auto out = remote_state(task_state::input_required, text);
    auto said = *out.status.message;
    said.message_id = "q";
    out.status.message = std::make_shared<const message>(std::move(said));
    return out;
  };
  course_bed bed;
  bed.follow();
  CHECK(line_of(bed.course.on_event(bed.now, asking("Which?"))) == "ask Which?");
  CHECK(line_of(bed.course.on_message(bed.now, user_text("this", "u1"), true)) == "keep!");
  CHECK(line_of(bed.course.on_noted(bed.now)) == "deliver this");
  SECTION("it asks the next one") {
    CHECK(line_of(bed.course.on_delivered(bed.now, wire::answer{asking("Why?")}))
          == "keep, ask Why?");
    CHECK(line_of(bed.course.on_event(bed.now, asking("Why?"))).empty());
    CHECK(line_of(bed.course.on_message(bed.now, user_text("so", "u2"), true)) == "keep!");
    CHECK(line_of(bed.course.on_noted(bed.now)) == "deliver so");
  }
  SECTION("it shows the first one once more") {
    CHECK(line_of(bed.course.on_delivered(bed.now, wire::answer{asking("Which?")})) == "keep");
  }
}

TEST_CASE("an answer that was lost is sent again only if it is still asked for", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  static_cast<void>(
      bed.course.on_event(bed.now, remote_state(task_state::input_required, "Which?")));
  static_cast<void>(bed.course.on_message(bed.now, user_text("this", "u1")));
  static_cast<void>(bed.course.on_noted(bed.now));
  CHECK(line_of(bed.course.on_delivered(bed.now, broken())).empty());
  CHECK(bed.after(seconds{1}) == "get");
  SECTION("it is") {
    CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::input_required, "Which?")))
          == "deliver this");
  }
  SECTION("it is not") {
    CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))) == "keep");
    CHECK(bed.course.note().inputs == 1);
  }
}

TEST_CASE("an answer that is refused leads to the question again", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  static_cast<void>(
      bed.course.on_event(bed.now, remote_state(task_state::input_required, "Which?")));
  static_cast<void>(bed.course.on_message(bed.now, user_text("this", "u1")));
  static_cast<void>(bed.course.on_noted(bed.now));
  CHECK(line_of(bed.course.on_delivered(bed.now, make_error(errc::invalid_answer, "no city")))
        == "keep, message, get");
  CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::input_required, "Which?")))
        == "ask Which?");
}

TEST_CASE("of two answers to one question the second is dropped, and our task says so",
          "[agents][a2a]") {
  const auto asking = remote_state(task_state::input_required, "Which?");
  course_bed bed;
  bed.follow();
  CHECK(line_of(bed.course.on_event(bed.now, asking)) == "ask Which?");
  SECTION("the agent had another answer before ours was noted") {
    CHECK(line_of(bed.course.on_message(bed.now, user_text("this", "u1"), true)) == "keep!");
    static_cast<void>(bed.course.on_event(bed.now, remote_state(task_state::working)));
    CHECK(line_of(bed.course.on_noted(bed.now)) == "message, keep, get");
    CHECK(bed.course.note().answer.empty());
    SECTION("and works") {
      CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))).empty());
    }
    SECTION("or it asks still: what it said was old") {
      CHECK(line_of(bed.course.on_got(bed.now, asking)) == "ask Which?");
    }
  }
  SECTION("our task had its answer before it heard that the question was withdrawn") {
    CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::working))) == "withdraw");
    CHECK(line_of(bed.course.on_message(bed.now, user_text("this", "u1"), true))
          == "message, keep");
  }
  SECTION("the agent asks something else by then") {
    CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::input_required, "Why?")))
          == "withdraw, ask Why?");
    CHECK(line_of(bed.course.on_message(bed.now, user_text("this", "u1"), true))
          == "message, keep");
    CHECK(line_of(bed.course.on_message(bed.now, user_text("so", "u2"), true)) == "keep!");
    CHECK(line_of(bed.course.on_noted(bed.now)) == "deliver so");
    return;
  }
  CHECK(bed.course.note().inputs == 1);
}

TEST_CASE("a question that was withdrawn leaves the next answer to the next question",
          "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  static_cast<void>(
      bed.course.on_event(bed.now, remote_state(task_state::input_required, "Which?")));
  CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::input_required, "Why?")))
        == "withdraw, ask Why?");
  bed.course.on_question_ended("q-Which?");
  CHECK(line_of(bed.course.on_message(bed.now, user_text("so", "u1"), true)) == "keep!");
  CHECK(line_of(bed.course.on_noted(bed.now)) == "deliver so");
}

TEST_CASE("a message that was sent before a question does not make its answer late",
          "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  static_cast<void>(
      bed.course.on_event(bed.now, remote_state(task_state::input_required, "Which?")));
  CHECK(line_of(bed.course.on_message(bed.now, user_text("by the way", "u1"))) == "keep!");
  CHECK(line_of(bed.course.on_noted(bed.now)) == "deliver by the way");
  SECTION("one message") {}
  SECTION("two messages") {
    CHECK(line_of(bed.course.on_message(bed.now, user_text("and this", "u3"))).empty());
    CHECK(line_of(bed.course.on_delivered(bed.now, wire::answer{remote_state(task_state::working)}))
          == "keep, keep!");
    CHECK(line_of(bed.course.on_noted(bed.now)) == "deliver and this");
  }
  CHECK(line_of(bed.course.on_message(bed.now, user_text("this", "u2"), true)).empty());
  CHECK(line_of(bed.course.on_delivered(bed.now, wire::answer{remote_state(task_state::working)}))
        == "keep, keep!");
  CHECK(line_of(bed.course.on_noted(bed.now)) == "deliver this");
}

TEST_CASE("after a crash a known task is read and followed", "[agents][a2a]") {
  course_bed bed({}, left_note("r1"));
  CHECK(line_of(bed.course.begin(bed.now)) == "look up");
  CHECK(line_of(bed.course.on_met(bed.now, able)) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))) == "listen");
}

TEST_CASE("after a crash the answer that was on its way is not given twice", "[agents][a2a]") {
  auto note = left_note("r1");
  note.answer = "u1";
  note.question = "q-Which?";
  course_bed bed({}, note, {user_text("this", "u1")});
  static_cast<void>(bed.course.begin(bed.now));
  CHECK(line_of(bed.course.on_met(bed.now, able)) == "get");
  SECTION("the agent asks still") {
    CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::input_required, "Which?")))
          == "keep!, listen");
    CHECK(line_of(bed.course.on_noted(bed.now)) == "deliver this");
  }
  SECTION("the agent has it") {
    CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))) == "keep, listen");
    CHECK(bed.course.note().inputs == 1);
  }
}

TEST_CASE("a request that may have come through is sent again only to an agent that knows it",
          "[agents][a2a]") {
  course_bed bed({}, left_note());
  static_cast<void>(bed.course.begin(bed.now));
  SECTION("it takes the same request once") {
    CHECK(line_of(bed.course.on_met(bed.now, able)) == "stream");
  }
  SECTION("it lists its tasks, and has made one") {
    CHECK(line_of(bed.course.on_met(bed.now, lister)) == "find");
    CHECK(line_of(bed.course.on_found(bed.now, std::vector{remote_state(task_state::working)}))
          == "keep, get");
    CHECK(bed.course.note().task == "r1");
  }
  SECTION("it lists the tasks of others before ours") {
    CHECK(line_of(bed.course.on_met(bed.now, lister)) == "find");
    auto other = remote_state(task_state::working, {}, "r0");
    other.context = "c0";
    CHECK(
        line_of(bed.course.on_found(bed.now, std::vector{other, remote_state(task_state::working)}))
        == "keep, get");
    CHECK(bed.course.note().task == "r1");
  }
  SECTION("it lists the tasks of others only") {
    CHECK(line_of(bed.course.on_met(bed.now, lister)) == "find");
    auto other = remote_state(task_state::working, {}, "r0");
    other.context = "c0";
    CHECK(line_of(bed.course.on_found(bed.now, std::vector{other}))
              .starts_with("failed for good: it is not known"));
    CHECK(bed.course.note().task.empty());
    CHECK(bed.course.dropped() == 1);
  }
  SECTION("it lists ours with a context of its own, and our message") {
    CHECK(line_of(bed.course.on_met(bed.now, lister)) == "find");
    auto own = remote_state(task_state::working);
    own.context = "c0";
    own.history = {user_text("do it", "m1")};
    CHECK(line_of(bed.course.on_found(bed.now, std::vector{own})) == "keep, get");
    CHECK(bed.course.note().task == "r1");
    CHECK(bed.course.note().context == "c0");
  }
  SECTION("it lists its tasks, and has made none") {
    CHECK(line_of(bed.course.on_met(bed.now, lister)) == "find");
    CHECK(bed.find_nothing() == "stream");
  }
  SECTION("it lists its tasks, and ours has come into the list late") {
    CHECK(line_of(bed.course.on_met(bed.now, lister)) == "find");
    CHECK(line_of(bed.course.on_found(bed.now, std::vector<task>{})).empty());
    CHECK(bed.after(empty_list_wait - milliseconds{1}).empty());
    CHECK(bed.after(milliseconds{1}) == "find");
    CHECK(line_of(bed.course.on_found(bed.now, std::vector{remote_state(task_state::working)}))
          == "keep, get");
  }
  SECTION("it lists its tasks, and the task that is to be canceled has come late") {
    CHECK(line_of(bed.course.on_met(bed.now, lister)) == "find");
    CHECK(line_of(bed.course.cancel(bed.now)).empty());
    CHECK(line_of(bed.course.on_found(bed.now, std::vector<task>{})).empty());
    CHECK(bed.after(empty_list_wait) == "find");
    CHECK(line_of(bed.course.on_found(bed.now, std::vector{remote_state(task_state::working)}))
          == "keep, cancel, get");
  }
  SECTION("it does neither") {
    const auto steps = line_of(bed.course.on_met(bed.now, neither));
    CHECK(steps.starts_with("failed for good: it is not known whether the agent \"support\""));
  }
  SECTION("it says that it lists, and does not") {
    CHECK(line_of(bed.course.on_met(bed.now, lister)) == "find");
    const auto steps =
        line_of(bed.course.on_found(bed.now, make_error(errc::method_not_found, "no")));
    CHECK(steps.starts_with("failed for good: it is not known"));
  }
}

TEST_CASE("the plan may say what follows if nothing is known", "[agents][a2a]") {
  delegation_terms terms;
  terms.unsure = GENERATE(when_unsure::resend, when_unsure::ask);
  course_bed bed(terms, left_note());
  static_cast<void>(bed.course.begin(bed.now));
  const auto steps = line_of(bed.course.on_met(bed.now, neither));
  if (terms.unsure == when_unsure::resend) {
    CHECK(steps == "stream");
    return;
  }
  CHECK(steps.starts_with("ask It is not known"));
  SECTION("send") {
    CHECK(line_of(bed.course.on_message(bed.now, user_text("send", "u1"))) == "stream");
  }
  SECTION("fail") {
    CHECK(line_of(bed.course.on_message(bed.now, user_text("fail", "u1")))
              .starts_with("failed for good"));
  }
}

TEST_CASE("a send that breaks before an answer is as unsure as one before a crash",
          "[agents][a2a]") {
  course_bed bed;
  static_cast<void>(bed.course.begin(bed.now));
  static_cast<void>(bed.course.on_met(bed.now, lister));
  CHECK(line_of(bed.course.on_noted(bed.now)) == "stream");
  CHECK(line_of(bed.course.on_stream_end(bed.now, broken())).empty());
  CHECK(bed.after(seconds{1}) == "find");
}

TEST_CASE("a refused request fails the attempt for good", "[agents][a2a]") {
  course_bed bed;
  static_cast<void>(bed.course.begin(bed.now));
  static_cast<void>(bed.course.on_met(bed.now, able));
  static_cast<void>(bed.course.on_noted(bed.now));
  CHECK(line_of(bed.course.on_stream_end(bed.now, make_error(errc::invalid_params, "no parts")))
        == "failed for good: the agent \"support\": no parts, end");
}

TEST_CASE("an agent that cannot be reached fails the attempt before anything is sent",
          "[agents][a2a]") {
  course_bed bed;
  static_cast<void>(bed.course.begin(bed.now));
  CHECK(line_of(bed.course.on_met(bed.now, broken()))
        == "failed: the agent \"support\": broken, end");
}

TEST_CASE("a cancel goes to the remote task, and says how it was taken", "[agents][a2a]") {
  course_bed bed;
  SECTION("nothing was sent") {
    static_cast<void>(bed.course.begin(bed.now));
    CHECK(line_of(bed.course.cancel(bed.now)) == "canceled acknowledged, end");
  }
  SECTION("it works") {
    bed.follow();
    CHECK(line_of(bed.course.cancel(bed.now)) == "cancel");
    CHECK(line_of(bed.course.on_canceled(bed.now, remote_state(task_state::canceled)))
          == "hang up, canceled acknowledged, end");
  }
  SECTION("it has ended meanwhile") {
    bed.follow();
    static_cast<void>(bed.course.cancel(bed.now));
    CHECK(line_of(bed.course.on_canceled(bed.now, make_error(errc::task_not_cancelable, "done")))
          == "get");
    CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::completed)))
          == "hang up, canceled already ended, end");
  }
  SECTION("it cannot be stopped") {
    bed.follow();
    static_cast<void>(bed.course.cancel(bed.now));
    static_cast<void>(bed.course.on_canceled(bed.now, make_error(errc::task_not_cancelable, "no")));
    CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working)))
          == "hang up, canceled refused, end");
  }
  SECTION("it does not answer") {
    bed.follow();
    static_cast<void>(bed.course.cancel(bed.now));
    CHECK(bed.after(seconds{5}) == "hang up, canceled no answer, end");
  }
  SECTION("its id is not known yet") {
    static_cast<void>(bed.course.begin(bed.now));
    static_cast<void>(bed.course.on_met(bed.now, able));
    static_cast<void>(bed.course.on_noted(bed.now));
    CHECK(line_of(bed.course.cancel(bed.now)).empty());
    CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::working)))
          == "keep, cancel");
  }
}

TEST_CASE("the answer to a cancel may tell of tasks behind the remote one", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  const auto steps = bed.course.cancel(bed.now, milliseconds{800});
  REQUIRE(line_of(steps) == "cancel");
  CHECK(std::get<do_cancel>(steps[0]).within == milliseconds{700});
  // Its stream says the end first.
  CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::canceled))).empty());
  SECTION("it tells") {
    auto answer = remote_state(task_state::canceled);
    boost::json::array entries;
    entries.push_back(cancel_entry("r2", "deep", "refused", "too late"));
    answer.metadata[cancel_report_key] = std::move(entries);
    for (const auto& each : bed.course.on_canceled(bed.now, answer))
      if (const auto* told = std::get_if<do_report>(&each)) {
        const auto& how = std::get<report_canceled>(told->report);
        CHECK(how.outcome == cancel_outcome::acknowledged);
        REQUIRE(how.leaves.size() == 1);
        CHECK(how.leaves[0].at("target") == "deep");
      }
  }
  SECTION("it does not come in time") {
    CHECK(bed.after(milliseconds{800}) == "hang up, canceled acknowledged, end");
  }
  SECTION("it tells of another task") {
    auto answer = remote_state(task_state::canceled, {}, "r9");
    boost::json::array entries;
    entries.push_back(cancel_entry("r2", "deep", "refused", "too late"));
    answer.metadata[cancel_report_key] = std::move(entries);
    static_cast<void>(bed.course.on_canceled(bed.now, answer));
    CHECK(bed.course.dropped() == 1);
    for (const auto& each : bed.course.on_time(bed.now + milliseconds{800}))
      if (const auto* told = std::get_if<do_report>(&each))
        CHECK(std::get<report_canceled>(told->report).leaves.empty());
  }
  SECTION("its connection breaks") {
    CHECK(line_of(bed.course.on_canceled(bed.now, broken()))
          == "hang up, canceled acknowledged, end");
  }
  SECTION("its stream ends, too") {
    CHECK(line_of(bed.course.on_stream_end(bed.now, broken())).empty());
    CHECK(line_of(bed.course.on_canceled(bed.now, remote_state(task_state::canceled)))
          == "canceled acknowledged, end");
  }
  CHECK(bed.course.has_ended());
}

TEST_CASE("a question is read as a whole where that is possible, and asked once", "[agents][a2a]") {
  course_bed bed;
  bed.follow({"1.0 JSONRPC http://a/", true, true, true, true});
  CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::input_required, "blocked")))
        == "read question");
  const auto whole = boost::json::parse(
      R"({"id":"t9.question-1","taskId":"t9","prompt":"Which?","schema":{"type":"integer"},)"
      R"("data":{"troupe/v1/asker":[{"target":"deep","taskId":"d1"}]}})");
  SECTION("its id does not fit in a note") {
    auto with_long_id = whole;
    with_long_id.as_object()["id"] = std::string(remote_id_bytes_max + 1, 'x');
    CHECK(line_of(bed.course.on_question(bed.now, with_long_id)) == "ask Which?");
    CHECK(bed.course.note().input.empty());
  }
  SECTION("it is read") {
    const auto steps = bed.course.on_question(bed.now, whole);
    REQUIRE(line_of(steps) == "ask Which?");
    const auto& asked = std::get<report_question>(std::get<do_report>(steps[0]).report);
    CHECK(asked.form == boost::json::object{{"type", "integer"}});
    CHECK(boost::json::serialize(asked.data.at(asker_key))
          == R"([{"target":"support","taskId":"t9"},{"target":"deep","taskId":"d1"}])");
    CHECK(bed.course.note().input == "t9.question-1");
    CHECK(read_note(write_note(bed.course.note())).value().input == "t9.question-1");
    static_cast<void>(bed.course.on_message(bed.now, user_text("3", "u1")));
    static_cast<void>(bed.course.on_noted(bed.now));
    static_cast<void>(bed.course.on_delivered(bed.now, remote_state(task_state::working)));
    CHECK(bed.course.note().input.empty());
  }
  SECTION("it cannot be read, and is asked as it was said") {
    CHECK(line_of(bed.course.on_question(bed.now, broken())) == "ask blocked");
    CHECK(bed.course.note().input.empty());
  }
  SECTION("it is over before it is read") {
    CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::working))).empty());
    CHECK(line_of(bed.course.on_question(bed.now, whole)).empty());
  }
}

TEST_CASE("an answer to a known question is given again though it is asked anew", "[agents][a2a]") {
  course_bed bed;
  bed.follow({"1.0 JSONRPC http://a/", true, true, true, true});
  static_cast<void>(
      bed.course.on_event(bed.now, remote_state(task_state::input_required, "before")));
  static_cast<void>(
      bed.course.on_question(bed.now, boost::json::parse(R"({"id":"q1","prompt":"Which?"})")));
  static_cast<void>(bed.course.on_message(bed.now, user_text("this", "u1")));
  static_cast<void>(bed.course.on_noted(bed.now));
  CHECK(line_of(bed.course.on_delivered(bed.now, broken())).empty());
  CHECK(bed.after(seconds{1}) == "get");
  SECTION("and arrives") {
    // The agent was killed, too, and asks again with another message, or does not ask yet.
    const bool asks = GENERATE(true, false);
    const auto now = asks ? remote_state(task_state::input_required, "after")
                          : remote_state(task_state::working);
    CHECK(line_of(bed.course.on_got(bed.now, now)) == "deliver this");
    CHECK(line_of(bed.course.on_delivered(bed.now, wire::answer{now}))
          == (asks ? "keep, get, read question" : "keep"));
    if (asks) // It is the same question.
      CHECK(line_of(bed.course.on_question(bed.now, boost::json::parse(R"({"id":"q1"})"))).empty());
  }
  SECTION("and had arrived: the agent asks something else by now") {
    const auto now = remote_state(task_state::input_required, "after");
    CHECK(line_of(bed.course.on_got(bed.now, now)) == "deliver this");
    CHECK(line_of(bed.course.on_delivered(bed.now, make_error(errc::already_answered, "so it was")))
          == "keep, get");
    CHECK(line_of(bed.course.on_got(bed.now, now)) == "read question");
    CHECK(line_of(bed.course.on_question(bed.now,
                                         boost::json::parse(R"({"id":"q2","prompt":"And then?"})")))
          == "ask And then?");
  }
  CHECK(bed.course.note().inputs == 1);
}

TEST_CASE("what was asked for before the end of a remote task does not show its end",
          "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  CHECK(bed.after(seconds{30}) == "get");
  wire::status_update ended;
  ended.task = task_id{"r1"};
  ended.status.state = task_state::completed;
  CHECK(line_of(bed.course.on_event(bed.now, wire::answer{ended})).empty());
  CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))) == "get");
  auto whole = remote_state(task_state::completed);
  artifact made;
  made.artifact_id = "a";
  made.parts = {text_part("x")};
  whole.artifacts.push_back(std::make_shared<const artifact>(std::move(made)));
  CHECK(line_of(bed.course.on_got(bed.now, whole)) == "artifact, hang up, completed, end");
}

TEST_CASE("what a remote task asks while an answer is on its way is asked next", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  const auto first = remote_state(task_state::input_required, "before");
  const auto second = remote_state(task_state::input_required, "after");
  CHECK(line_of(bed.course.on_event(bed.now, first)) == "ask before");
  static_cast<void>(bed.course.on_message(bed.now, user_text("this", "u1")));
  SECTION("the answer to the message is older") {
    static_cast<void>(bed.course.on_noted(bed.now));
    static_cast<void>(bed.course.on_event(bed.now, remote_state(task_state::working)));
    CHECK(line_of(bed.course.on_event(bed.now, second)).empty());
    CHECK(line_of(bed.course.on_delivered(bed.now, remote_state(task_state::working)))
          == "keep, get");
    CHECK(line_of(bed.course.on_got(bed.now, second)) == "ask after");
  }
  SECTION("its state shows that the message came through") {
    static_cast<void>(bed.course.on_noted(bed.now));
    CHECK(line_of(bed.course.on_delivered(bed.now, broken())).empty());
    CHECK(bed.after(seconds{1}) == "get");
    CHECK(line_of(bed.course.on_got(bed.now, second)) == "keep, get");
    CHECK(line_of(bed.course.on_got(bed.now, second)) == "ask after");
  }
  SECTION("our process was killed meanwhile") {
    const auto note = bed.course.note();
    course_bed later({}, note, {user_text("this", "u1")});
    CHECK(line_of(later.course.begin(later.now)) == "look up");
    CHECK(line_of(later.course.on_met(later.now, able)) == "get");
    CHECK(line_of(later.course.on_got(later.now, second)) == "keep, get, listen");
    CHECK(line_of(later.course.on_got(later.now, second)) == "ask after");
  }
}

TEST_CASE("another task in place of the one that was asked for fails the attempt",
          "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  static_cast<void>(bed.course.on_stream_end(bed.now, broken()));
  const auto steps =
      line_of(bed.course.on_got(bed.now, remote_state(task_state::completed, {}, "r2")));
  CHECK(steps.starts_with(
      "cancel later, failed for good: the agent \"support\" answered with another task"));
  CHECK(bed.course.dropped() == 1);
}

TEST_CASE("a cancel that was asked for, and listed tasks of others only, harms none of them",
          "[agents][a2a]") {
  course_bed bed({}, left_note());
  static_cast<void>(bed.course.begin(bed.now));
  CHECK(line_of(bed.course.on_met(bed.now, lister)) == "find");
  static_cast<void>(bed.course.cancel(bed.now));
  auto other = remote_state(task_state::working, {}, "r0");
  other.context = "c0";
  CHECK(line_of(bed.course.on_found(bed.now, std::vector{other})) == "canceled no answer, end");
}

TEST_CASE("pauses double up to half a minute, and are a quarter less or more", "[agents][a2a]") {
  CHECK(pause_before_try(1, 0.5) == milliseconds{250});
  CHECK(pause_before_try(2, 0.5) == milliseconds{500});
  CHECK(pause_before_try(2, 0) == milliseconds{375});
  CHECK(pause_before_try(8, 1) == milliseconds{30'000});
  CHECK(pause_before_try(4'000'000'000U, 1) == milliseconds{30'000});
}

TEST_CASE("an agent that says when it may be asked again is not asked before", "[agents][a2a]") {
  auto why = broken();
  why.details = R"({"retryAfter": 20})";
  course_bed bed;
  bed.follow();
  CHECK(line_of(bed.course.on_stream_end(bed.now, why)).empty());
  CHECK(bed.after(milliseconds{19'999}).empty());
  CHECK(bed.after(milliseconds{1}) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, why)).empty());
  CHECK(bed.after(milliseconds{19'999}).empty());
  CHECK(bed.after(milliseconds{1}) == "get");
}

TEST_CASE("delegations that one break stopped do not come back together", "[agents][a2a]") {
  const auto pause_of = [](const std::string& message_id) {
    auto note = left_note("r1");
    note.message = message_id;
    course_bed bed({}, note);
    static_cast<void>(bed.course.begin(bed.now));
    static_cast<void>(bed.course.on_met(bed.now, able));
    const auto steps = bed.course.on_got(bed.now, broken());
    REQUIRE(std::holds_alternative<do_wait>(steps.back()));
    return std::get<do_wait>(steps.back()).until - bed.now;
  };
  CHECK(pause_of("m1") == pause_of("m1"));
  CHECK(pause_of("m1") != pause_of("m2"));
}
