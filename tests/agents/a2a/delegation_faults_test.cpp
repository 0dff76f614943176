// The course of a delegation whose agent answers with what cannot be used.
#include "tests/agents/a2a/course_bed.hpp"

using namespace troupe;
using namespace troupe::testing;
using std::chrono::seconds;

TEST_CASE("a send whose answer says nothing clear is looked for, and sent three times at most",
          "[agents][a2a]") {
  const auto fault =
      GENERATE(make_error(errc::internal, "boom"), make_error(errc::too_large, "boom"),
               make_error(errc::invalid_agent_response, "boom"));
  course_bed bed;
  const auto begin = [&](const remote_abilities& can) {
    static_cast<void>(bed.course.begin(bed.now));
    static_cast<void>(bed.course.on_met(bed.now, can));
    CHECK(line_of(bed.course.on_noted(bed.now)) == "stream");
    CHECK(line_of(bed.course.on_stream_end(bed.now, fault)).empty());
  };
  SECTION("the agent lists what it has made") {
    begin(lister);
    CHECK(bed.after(seconds{1}) == "find");
    CHECK(line_of(bed.course.on_found(bed.now, std::vector{remote_state(task_state::working)}))
          == "keep, get");
  }
  SECTION("the agent takes the same request once") {
    begin(able);
    CHECK(bed.after(seconds{1}) == "stream");
    CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::working))) == "keep");
  }
  SECTION("the agent has made none, and has the same fault again") {
    begin(lister);
    CHECK(bed.after(seconds{1}) == "find");
    CHECK(bed.find_nothing() == "stream");
    CHECK(line_of(bed.course.on_stream_end(bed.now, fault)).empty());
    CHECK(bed.after(seconds{1}) == "find");
    CHECK(bed.find_nothing() == "stream");
    CHECK(line_of(bed.course.on_stream_end(bed.now, fault))
          == "cancel later, failed: the agent \"support\": boom, end");
  }
  SECTION("nobody knows") {
    begin(neither);
    CHECK(bed.after(seconds{1})
              .starts_with("failed for good: it is not known whether the agent \"support\" has the "
                           "task: the request failed (boom)"));
  }
}

TEST_CASE("a send that breaks again and again is lost at last, though the agent lists its tasks",
          "[agents][a2a]") {
  course_bed bed;
  static_cast<void>(bed.course.begin(bed.now));
  static_cast<void>(bed.course.on_met(bed.now, lister));
  bed.now += seconds{700}; // our own disk was slow
  std::string steps = line_of(bed.course.on_noted(bed.now));
  std::string all;
  const auto first = bed.now;
  while (bed.now < first + seconds{540}) {
    REQUIRE(steps == "stream");
    all += line_of(bed.course.on_stream_end(bed.now, broken()));
    REQUIRE(bed.after(seconds{30}) == "find");
    steps = bed.find_nothing();
  }
  CHECK(all == "message"); // said once
  CHECK(bed.after(seconds{60})
        == "cancel later, hang up, failed: the agent \"support\" has not answered for 600 s: "
           "broken, end");
}

TEST_CASE("an attempt that nobody could find again is not followed by another", "[agents][a2a]") {
  delegation_terms terms;
  terms.unsure = GENERATE(when_unsure::fail, when_unsure::resend);
  course_bed bed(terms);
  static_cast<void>(bed.course.begin(bed.now));
  static_cast<void>(bed.course.on_met(bed.now, neither));
  CHECK(line_of(bed.course.on_noted(bed.now)) == "stream");
  CHECK_THAT(bed.after(seconds{600}),
             ContainsSubstring(terms.unsure == when_unsure::fail ? "failed for good: the agent"
                                                                 : "failed: the agent"));
}

TEST_CASE("a person may take long to say that a request is sent again", "[agents][a2a]") {
  delegation_terms terms;
  terms.unsure = when_unsure::ask;
  course_bed bed(terms, left_note());
  static_cast<void>(bed.course.begin(bed.now));
  static_cast<void>(bed.course.on_met(bed.now, neither));
  bed.now += seconds{3600};
  CHECK(line_of(bed.course.on_message(bed.now, user_text("send", "u1"))) == "stream");
  CHECK(bed.after(seconds{0}).empty());
}

TEST_CASE("one bad answer, or one bad event, does not end a delegation", "[agents][a2a]") {
  const auto bad = GENERATE(make_error(errc::internal, "HTTP status 500"),
                            make_error(errc::method_not_found, "HTTP status 404"),
                            make_error(errc::unauthenticated, "HTTP status 401"),
                            make_error(errc::invalid_agent_response, "no JSON"),
                            make_error(errc::too_large, "ended too soon"));
  course_bed bed;
  const auto answers_again = [&] {
    REQUIRE(bed.after(seconds{1}) == "get");
    CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::completed)))
              .ends_with("completed, end"));
  };
  SECTION("to GetTask") {
    bed.follow({"1.0 JSONRPC http://a/", false, false, true});
    CHECK(bed.after(seconds{1}) == "get");
    CHECK(line_of(bed.course.on_got(bed.now, bad)).empty());
    answers_again();
  }
  SECTION("of the stream") {
    bed.follow();
    const auto steps = line_of(bed.course.on_stream_end(bed.now, bad));
    if (bad.code == errc::too_large) { // it would be as long again
      CHECK(steps.starts_with("cancel later, failed for good"));
    } else {
      CHECK(steps == "get");
      CHECK(line_of(bed.course.on_got(bed.now, bad)).empty());
      answers_again();
    }
  }
  SECTION("at the end") {
    bed.follow();
    wire::status_update last;
    last.task = task_id{"r1"};
    last.status.state = task_state::completed;
    CHECK(line_of(bed.course.on_event(bed.now, last)) == "get");
    CHECK(line_of(bed.course.on_got(bed.now, bad)).empty());
    answers_again();
  }
  SECTION("after a crash, to the first look at the agent") {
    course_bed later({}, left_note("r1"));
    static_cast<void>(later.course.begin(later.now));
    CHECK(line_of(later.course.on_met(later.now, bad)).empty());
    CHECK(later.after(seconds{1}) == "look up");
  }
}

TEST_CASE("an agent that gives bad answers only is lost at last, and our task says why",
          "[agents][a2a]") {
  course_bed bed;
  bed.follow({"1.0 JSONRPC http://a/", false, false, true});
  const auto first = bed.now;
  std::string all;
  while (bed.now < first + seconds{570}) {
    REQUIRE(bed.after(seconds{30}) == "get");
    all += line_of(bed.course.on_got(bed.now, make_error(errc::internal, "busy")));
  }
  CHECK(all == "message");
  CHECK(bed.after(seconds{30})
        == "cancel later, failed: the agent \"support\" has not answered for 600 s: busy, end");
}

TEST_CASE("only the agent's word that there is no such task ends a delegation", "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  CHECK(line_of(bed.course.on_stream_end(bed.now, broken())) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, make_error(errc::task_not_found, "gone")))
        == "failed: the agent \"support\" no longer knows the task \"r1\", end");
}

TEST_CASE("a cancel that is answered with a fault is tried again, and refused at last",
          "[agents][a2a]") {
  course_bed bed;
  bed.follow();
  CHECK(line_of(bed.course.cancel(bed.now)) == "cancel");
  const auto fault = make_error(errc::internal, "boom");
  for (int i = 0; i < 2; ++i) {
    CHECK(line_of(bed.course.on_canceled(bed.now, fault)).empty());
    CHECK(bed.after(seconds{1}) == "get");
    CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working))) == "cancel");
  }
  CHECK(line_of(bed.course.on_canceled(bed.now, fault)) == "get");
  CHECK(line_of(bed.course.on_got(bed.now, remote_state(task_state::working)))
        == "hang up, canceled refused, end");
}

TEST_CASE("a cancel of a request that was refused finds nothing to cancel", "[agents][a2a]") {
  course_bed bed;
  static_cast<void>(bed.course.begin(bed.now));
  static_cast<void>(bed.course.on_met(bed.now, able));
  static_cast<void>(bed.course.on_noted(bed.now));
  static_cast<void>(bed.course.cancel(bed.now));
  CHECK(line_of(bed.course.on_stream_end(bed.now, make_error(errc::invalid_params, "no parts")))
        == "canceled already ended, end");
}

TEST_CASE("a message to a task that waits for its turn is delivered when the remote task is known",
          "[agents][a2a]") {
  course_bed bed;
  CHECK(line_of(bed.course.on_message(bed.now, user_text("blue ones", "u1"))).empty());
  bed.now += seconds{5'000};
  CHECK(line_of(bed.course.begin(bed.now)) == "look up");
  CHECK(line_of(bed.course.on_met(bed.now, able)) == "keep!");
  CHECK(line_of(bed.course.on_noted(bed.now)) == "stream");
  CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::working))) == "keep, keep!");
  CHECK(line_of(bed.course.on_noted(bed.now)) == "deliver blue ones");
}

TEST_CASE("messages that the request does not stand for follow it", "[agents][a2a]") {
  course_bed bed({}, {}, {user_text("two pictures", "u1"), user_text("blue ones", "u2")}, 1);
  CHECK(line_of(bed.course.begin(bed.now)) == "look up");
  CHECK(line_of(bed.course.on_met(bed.now, able)) == "keep!");
  CHECK(line_of(bed.course.on_noted(bed.now)) == "stream");
  CHECK(line_of(bed.course.on_event(bed.now, remote_state(task_state::working))) == "keep, keep!");
  CHECK(line_of(bed.course.on_noted(bed.now)) == "deliver blue ones");
}

TEST_CASE("an agent that knows the key of another request has our task", "[agents][a2a]") {
  delegation_terms terms;
  terms.unsure = when_unsure::resend;
  course_bed bed(terms, left_note());
  static_cast<void>(bed.course.begin(bed.now));
  const auto reused = make_error(errc::idempotency_key_reused, "another request had the key");
  SECTION("which its list shows") {
    CHECK(line_of(bed.course.on_met(bed.now, able)) == "stream");
    CHECK(line_of(bed.course.on_stream_end(bed.now, reused)) == "find");
  }
  SECTION("and may run on if there is no list") {
    auto can = able;
    can.lists = false;
    CHECK(line_of(bed.course.on_met(bed.now, can)) == "stream");
    CHECK(line_of(bed.course.on_stream_end(bed.now, reused)) == "stream");
    CHECK(line_of(bed.course.on_stream_end(bed.now, reused))
          == "cancel later, failed for good: the agent \"support\": another request had the key, "
             "end");
  }
}
