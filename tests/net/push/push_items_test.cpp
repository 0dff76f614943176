// What is told of a task's changes, in which order, and from where it goes on.
#include "net/push/push_items.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

change_ptr numbered(change news, std::uint64_t sequence) {
  news.sequence = sequence;
  return std::make_shared<const change>(std::move(news));
}

std::vector<change_ptr> life() {
  return {numbered(about_lone("t", "c", 1, born_lone("t", "c", 1), moved(task_state::working)), 1),
          numbered(about_lone("t", "c", 2, task_message{say("hm")}), 2),
          numbered(about_lone("t", "c", 3, task_artifact{output("a", "one"), false, true},
                              task_message{say("more")},
                              moved(task_state::input_required, 1, say("which?"))),
                   3),
          numbered(about_lone("t", "c", 4, moved(task_state::completed)), 4)};
}

/// What an item tells, in a word or two.
std::string gist(const std::string& body) {
  const auto tree = boost::json::parse(body);
  const auto& root = tree.as_object();
  const auto state = [](const boost::json::value& of) {
    return std::string(of.at("status").at("state").as_string());
  };
  const auto said = [](const boost::json::value& of) {
    const auto* message = of.at("status").as_object().if_contains("message");
    return message ? " " + std::string(message->at("parts").at(0).at("text").as_string())
                   : std::string{};
  };
  if (const auto* found = root.if_contains("task"))
    return "task " + state(*found);
  if (const auto* found = root.if_contains("statusUpdate"))
    return "status " + state(*found) + said(*found);
  if (const auto* found = root.if_contains("artifactUpdate"))
    return "artifact " + std::string(found->at("artifact").at("artifactId").as_string());
  const auto* artifacts = root.if_contains("artifacts");
  return std::string(root.at("kind").as_string()) + " " + state(tree)
         + (artifacts ? " with artifacts" : "");
}

struct told {
  std::vector<std::string> gists;
  std::vector<push_item> items;
  std::vector<std::string> bodies;
};

told take_all(push_items& feed, const std::vector<change_ptr>& changes) {
  told out;
  for (const auto& each : changes)
    feed.take(each);
  for (; !feed.empty(); feed.pop()) {
    out.bodies.push_back(feed.write_front());
    out.gists.push_back(gist(out.bodies.back()));
    out.items.push_back(feed.front());
  }
  return out;
}

const std::vector<std::string> all_1_0{
    "task TASK_STATE_SUBMITTED",      "status TASK_STATE_WORKING",
    "status TASK_STATE_WORKING hm",   "artifact a",
    "status TASK_STATE_WORKING more", "status TASK_STATE_INPUT_REQUIRED which?",
    "status TASK_STATE_COMPLETED"};
const std::vector<std::string> all_0_3{"task submitted",
                                       "task working",
                                       "task working",
                                       "task working with artifacts",
                                       "task input-required with artifacts",
                                       "task completed with artifacts"};

} // namespace

TEST_CASE("1.0 sends each event, 0.3 the whole task at each state and message", "[net][push]") {
  push_items newer(task_id{"t"}, push_payload::v1_0, {});
  CHECK(take_all(newer, life()).gists == all_1_0);
  CHECK(newer.has_ended());
  push_items older(task_id{"t"}, push_payload::v0_3, {});
  CHECK(take_all(older, life()).gists == all_0_3);
  CHECK(older.has_ended());
}

TEST_CASE("A reader that continues from any point gets the rest, once", "[net][push]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  const auto& all = payload == push_payload::v1_0 ? all_1_0 : all_0_3;
  push_items whole(task_id{"t"}, payload, {});
  const auto items = take_all(whole, life()).items;
  for (std::size_t done = 0; done < items.size(); ++done) {
    CAPTURE(done);
    const push_progress from{.after = items[done].after, .events = items[done].events};
    push_items rest(task_id{"t"}, payload, from);
    const std::vector<std::string> expected(all.begin() + static_cast<std::ptrdiff_t>(done) + 1,
                                            all.end());
    auto changes = life();
    std::erase_if(changes,
                  [&](const change_ptr& each) { return each->sequence <= rest.reads_after(); });
    CHECK(take_all(rest, changes).gists == expected);
    CHECK(items[done].last == (done + 1 == items.size()));
  }
}

TEST_CASE("The place of an event is the same whatever was passed over before it", "[net][push]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  const auto before =
      numbered(about_lone("t", "c", 1, born_lone("t", "c", 1), moved(task_state::working)), 1);
  const auto of_other = numbered(about_lone("other", "c", 5, moved(task_state::working)), 5);
  const auto next =
      numbered(about_lone("t", "c", 9, task_message{say("one")}, moved(task_state::completed)), 9);
  const auto places = [&](const std::vector<change_ptr>& changes) {
    push_items feed(task_id{"t"}, payload, {});
    std::vector<std::pair<std::uint64_t, std::uint32_t>> out;
    for (const auto& item : take_all(feed, changes).items)
      out.emplace_back(item.after, item.events);
    return out;
  };
  const auto seen = places({before, of_other, next});
  CHECK(seen == places({before, next}));
  REQUIRE(seen.size() == 4);
  CHECK(seen[2] == std::pair<std::uint64_t, std::uint32_t>{8, 1});
  CHECK(seen[3] == std::pair<std::uint64_t, std::uint32_t>{9, 0});
}

TEST_CASE("A snapshot replaces all events before it", "[net][push]") {
  auto record = std::make_shared<task>(*std::get<task_created>(life()[0]->events[0]).record);
  record->status.state = task_state::working;
  push_items feed(task_id{"t"}, GENERATE(push_payload::v1_0, push_payload::v0_3), {});
  feed.start_at(record, 2, true);
  const auto heard = take_all(feed, life()).gists;
  REQUIRE(heard.size() >= 4);
  CHECK(heard[0].starts_with("task "));
  CHECK(heard.size() == (heard[1].starts_with("artifact") ? 5U : 4U));

  push_items ended(task_id{"t"}, push_payload::v1_0, {});
  record->status.state = task_state::failed;
  ended.start_at(record, 4, true);
  CHECK(ended.front().last);
  CHECK(ended.has_ended());
}

TEST_CASE("A task that is withdrawn before it began is sent as canceled", "[net][push]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  push_items feed(task_id{"o.p0.t1"}, payload, {.after = 4});
  auto record = std::make_shared<task>();
  record->id = task_id{"o.p0.t1"};
  record->context = "o";
  record->status.state = task_state::canceled;
  const auto withdrawal =
      numbered(about("o", 5, tasks_withdrawn{0, {1}, task_state::canceled, "why"}), 5);
  feed.take(withdrawal, record);
  REQUIRE_FALSE(feed.empty());
  CHECK(gist(feed.write_front())
        == (payload == push_payload::v1_0 ? "status TASK_STATE_CANCELED" : "task canceled"));
  CHECK(feed.front().last);
  CHECK(feed.front().after == 5);
}

TEST_CASE("A reminder is sent as the status once more, with its number", "[net][push]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  push_items feed(task_id{"t"}, payload, {.after = 3});
  for (const auto& each : life())
    if (each->sequence <= 3)
      feed.take(each);
  REQUIRE(feed.empty());
  auto again = say("which?");
  unshared(again).metadata["opt/v1/reminder"] = 1;
  feed.take(
      numbered(about_lone("t", "c", 4,
                          question_reminded{"question-1", again, task_state::input_required, 1}),
               4));
  REQUIRE_FALSE(feed.empty());
  CHECK(gist(feed.write_front())
        == (payload == push_payload::v1_0 ? "status TASK_STATE_INPUT_REQUIRED which?"
                                          : "task input-required with artifacts"));
  if (payload == push_payload::v1_0) // 0.3 sends the task, which has the question once.
    CHECK_THAT(feed.write_front(), ContainsSubstring(R"("opt/v1/reminder":1)"));
  CHECK_FALSE(feed.front().last);
  feed.pop();
  CHECK(feed.empty());
}

TEST_CASE("Events of other tasks, and events after the end, are not sent", "[net][push]") {
  push_items feed(task_id{"t"}, push_payload::v1_0, {});
  feed.take(numbered(about_lone("other", "c", 1, moved(task_state::working)), 1));
  feed.take(numbered(about("c", 1, objective_moved{objective_event::fail, "x"}), 2));
  CHECK(feed.empty());
  feed.take(numbered(
      about_lone("t", "c", 1, moved(task_state::completed), moved(task_state::working)), 3));
  feed.take(numbered(about_lone("t", "c", 1, moved(task_state::working)), 4));
  CHECK(gist(feed.write_front()) == "status TASK_STATE_COMPLETED");
  feed.pop();
  CHECK(feed.empty());
}

namespace {

change_ptr reports(double value, std::uint64_t sequence) {
  auto report = std::make_shared<progress_report>();
  report->trackers.push_back({"t", value, 10, {}, tracker_status::running, {}, {}});
  return numbered(about_lone("t", "c", 2, task_progress{std::move(report)}), sequence);
}

std::string progress_in(const std::string& body) {
  const auto text = body.find("\"progress\":");
  return text == std::string::npos ? "none" : body.substr(text + 11, 1);
}

} // namespace

TEST_CASE("Progress is sent only to those who asked for it, the latest that waits", "[net][push]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  const bool progress = GENERATE(true, false);
  CAPTURE(payload, progress);
  push_items feed(task_id{"t"}, payload, {}, progress);
  const auto [gists, items, bodies] =
      take_all(feed, {life()[0], reports(1, 2), reports(2, 3),
                      numbered(about_lone("t", "c", 2, task_message{say("hm")}), 4), reports(3, 5),
                      numbered(about_lone("t", "c", 4, moved(task_state::completed)), 6)});
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].is_progress)
      shown.push_back(progress_in(bodies[i]));
  CHECK(shown == (progress ? std::vector<std::string>{"2", "3"} : std::vector<std::string>{}));
  CHECK(items.size() == (progress ? 6U : 4U));
  CHECK(progress_in(bodies.back()) == "none"); // A task that ended shows none.
}

TEST_CASE("Messages of the client are not sent back as notifications", "[net][push]") {
  push_items feed(task_id{"t"}, GENERATE(push_payload::v1_0, push_payload::v0_3), {});
  CHECK(
      take_all(feed, {life()[0],
                      numbered(about_lone("t", "c", 2, task_message{say("go on", role::user)}), 2)})
          .items.size()
      == 2); // submitted, working
}

TEST_CASE("A notification that is posted again has the same body, and 0.3 the task as it was then",
          "[net][push]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  push_items feed(task_id{"t"}, payload, {});
  for (const auto& each : life())
    feed.take(each);
  feed.pop();
  const auto first = feed.write_front();
  CHECK_THAT(gist(first), ContainsSubstring(payload == push_payload::v1_0 ? "WORKING" : "working"));
  CHECK(feed.write_front() == first);
}
