// The checker of notifications: right histories pass, and each wrong one is refused.
#include "tests/support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/checkers.hpp"

using namespace troupe::sim;

namespace {

constexpr auto works = "TASK_STATE_WORKING";
constexpr auto completed = "TASK_STATE_COMPLETED";

stream_event status(std::string cursor, std::string state) {
  stream_event out;
  out.cursor = std::move(cursor);
  out.task.id = "t1";
  out.task.state = std::move(state);
  return out;
}

stream_event chunk(std::string cursor, std::string text) {
  stream_event out;
  out.kind = event_kind::artifact;
  out.cursor = std::move(cursor);
  out.task.id = "t1";
  out.artifact = "out";
  out.text = std::move(text);
  return out;
}

/// Of `token`, with that place.
notification posted(const std::string& place, stream_event shows,
                    const std::string& token = "c0.1") {
  notification out;
  out.receiver = "n0";
  out.token = token;
  out.id = "t1/" + token + "/" + place;
  out.shows = std::move(shows);
  out.body = std::hash<std::string>{}(place);
  return out;
}

notification snapshot(const std::string& place, const std::string& state) {
  auto out = posted(place, status("", state));
  out.shows.kind = event_kind::snapshot;
  return out;
}

/// A client has asked for them with the message that began the task, which worked, made something
/// and completed in one change.
history seen(std::vector<notification> posts) {
  history out;
  out.rest.emplace();
  out.journal["t1"] = {status("2.0", works), chunk("3.0", "a"), status("3.1", completed)};
  asked_push_config asked;
  asked.receiver = "n0";
  asked.task = "t1";
  asked.begins_task = asked.is_taken = true;
  out.push_configs["c0.1"] = asked;
  out.notifications = std::move(posts);
  return out;
}

const auto created = snapshot("1.0", "TASK_STATE_SUBMITTED");
const auto begun = posted("2.0", status("", works));
const auto made = posted("2.1", chunk("", "a"));
const auto ended = posted("3.0", status("", completed));

bool says(const verdict& found, std::string_view text) {
  return found && found->find(text) != std::string::npos;
}

} // namespace

TEST_CASE("each change is posted, in order, and some twice", "[sim][checkers]") {
  CHECK_FALSE(check_notifications(seen({created, begun, made, ended})));
  CHECK_FALSE(check_notifications(seen({created, begun, created, begun, made, made, ended})));
  CHECK(says(check_notifications(seen({})), "change 2.0 of task t1 was not posted to n0"));
  CHECK(says(check_notifications(seen({created, begun, made})), "change 3.1"));
  CHECK(says(check_notifications(seen({created, begun, ended})), "leaves out change 3.0"));
  CHECK(says(check_notifications(seen({created, made, begun, ended})), "leaves out change 2.0"));
  CHECK(says(check_notifications(seen({created, begun, ended, made})), "leaves out change 3.0"));
  auto other = made;
  other.body = 7;
  CHECK(says(check_notifications(seen({created, begun, made, other, ended})), "another body"));
  CHECK(says(check_notifications(seen({created, begun, posted("2.1", chunk("", "b")), ended})),
             "shows something else than change 3.0"));
  CHECK(
      says(check_notifications(seen({created, posted("2.0", status("", completed)), made, ended})),
           "shows something else than change 2.0"));
}

TEST_CASE("what is not owed is not missed", "[sim][checkers]") {
  const auto with = [](bool asked_push_config::*is, std::vector<notification> posts) {
    auto out = seen(std::move(posts));
    out.push_configs["c0.1"].*is = true;
    return out;
  };
  CHECK_FALSE(check_notifications(with(&asked_push_config::is_dropped, {created})));
  CHECK_FALSE(check_notifications(with(&asked_push_config::has_stopped, {created})));
  CHECK(says(check_notifications(with(&asked_push_config::is_under_way, {created})), "still wait"));
  auto later = seen({made, ended}); // It was asked for later.
  later.push_configs["c0.1"].begins_task = false;
  CHECK_FALSE(check_notifications(later));
  auto twice = seen({begun, ended}); // So that it was replaced in between.
  twice.push_configs["c0.1"].begins_task = false;
  CHECK(says(check_notifications(twice), "leaves out change 3.0"));
  twice.push_configs["c0.1"].is_sent_again = true;
  CHECK_FALSE(check_notifications(twice));
  // One of the configuration before was under way as that one was replaced.
  twice.notifications = {ended, made};
  CHECK_FALSE(check_notifications(twice));
  twice.push_configs["c0.1"].is_sent_again = false;
  CHECK(says(check_notifications(twice), "came behind a later one"));
  later.notifications.clear();
  CHECK_FALSE(check_notifications(later));
  auto lost = seen({});
  lost.push_configs["c0.1"].is_taken = false;
  CHECK_FALSE(check_notifications(lost));
  // A task as a whole stands for what came before.
  CHECK_FALSE(check_notifications(seen({snapshot("2.1", works), ended})));
}

TEST_CASE("0.3 is told of states", "[sim][checkers]") {
  const auto old = [](const notification& of) {
    auto out = of;
    out.is_0_3 = true;
    out.shows.kind = event_kind::snapshot;
    return out;
  };
  CHECK_FALSE(check_notifications(seen({old(created), old(begun), old(ended)})));
  CHECK(says(check_notifications(seen({old(created), old(ended)})), "leaves out change 2.0"));
  CHECK(says(check_notifications(seen({old(created), old(begun)})), "change 3.1"));
}

TEST_CASE("nobody else is told", "[sim][checkers]") {
  auto elsewhere = begun;
  elsewhere.receiver = "n1";
  CHECK(says(check_notifications(seen({created, elsewhere, made, ended})), "went to n1"));
  CHECK(says(check_notifications(seen({posted("2.0", status("", works), "c9.9")})),
             "a token that no client gave: c9.9"));
  auto other = begun;
  other.shows.task.id = "t2";
  CHECK(says(check_notifications(seen({created, other, made, ended})), "shows task t2"));
  other = begun;
  other.id = "t2/c0.1/2.0";
  CHECK(says(check_notifications(seen({created, other, made, ended})), "was asked for of t1"));
}
