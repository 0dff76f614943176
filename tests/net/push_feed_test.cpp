// What is told of a task's changes, in which order, and from where it goes on.
#include "net/push_feed.hpp"

#include <boost/json/parse.hpp>

#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

change numbered(change what, std::uint64_t sequence) {
  what.sequence = sequence;
  return what;
}

std::vector<change> life() {
  return {numbered(about_lone("t", "c", 1, born_lone("t", "c", 1), moved(task_state::working)), 1),
          numbered(about_lone("t", "c", 2, task_message{say("hm")}), 2),
          numbered(about_lone("t", "c", 3, task_artifact{output("a", "one"), false, true}, task_message{say("more")},
                              moved(task_state::input_required, 1, say("which?"))), 3),
          numbered(about_lone("t", "c", 4, moved(task_state::completed)), 4)};
}

/// What an item tells, in a word or two.
std::string gist(const push_item& item) {
  const auto tree = boost::json::parse(item.body);
  const auto& root = tree.as_object();
  const auto state = [](const boost::json::value& of) { return std::string(of.at("status").at("state").as_string()); };
  if (const auto* found = root.if_contains("task"))
    return "task " + state(*found);
  if (const auto* found = root.if_contains("statusUpdate"))
    return "status " + state(*found);
  if (const auto* found = root.if_contains("artifactUpdate"))
    return "artifact " + std::string(found->at("artifact").at("artifactId").as_string());
  const auto* artifacts = root.if_contains("artifacts");
  return std::string(root.at("kind").as_string()) + " " + state(tree) + (artifacts ? " with artifacts" : "");
}

struct told {
  std::vector<std::string> gists;
  std::vector<push_item> items;
};

told take_all(push_feed& feed, const std::vector<change>& changes) {
  told out;
  for (const auto& each : changes)
    feed.take(each);
  for (; !feed.empty(); feed.pop()) {
    out.gists.push_back(gist(feed.front()));
    out.items.push_back(feed.front());
  }
  return out;
}

const std::vector<std::string> all_1_0{"task TASK_STATE_SUBMITTED", "status TASK_STATE_WORKING", "artifact a",
                                       "status TASK_STATE_INPUT_REQUIRED", "status TASK_STATE_COMPLETED"};
const std::vector<std::string> all_0_3{"task submitted", "task working", "task input-required with artifacts",
                                       "task completed with artifacts"};

} // namespace

TEST_CASE("1.0 tells each event, 0.3 the whole task at each state", "[net][push]") {
  push_feed newer(task_id{"t"}, push_payload::v1_0, {});
  CHECK(take_all(newer, life()).gists == all_1_0);
  CHECK(newer.has_ended());
  push_feed older(task_id{"t"}, push_payload::v0_3, {});
  CHECK(take_all(older, life()).gists == all_0_3);
  CHECK(older.has_ended());
}

TEST_CASE("Whoever goes on from any point hears the rest, and nothing of it twice", "[net][push]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  const auto& all = payload == push_payload::v1_0 ? all_1_0 : all_0_3;
  push_feed whole(task_id{"t"}, payload, {});
  const auto items = take_all(whole, life()).items;
  for (std::size_t done = 0; done < items.size(); ++done) {
    CAPTURE(done);
    const push_progress from{.after = items[done].after, .events = items[done].events};
    push_feed rest(task_id{"t"}, payload, from);
    const std::vector<std::string> expected(all.begin() + static_cast<std::ptrdiff_t>(done) + 1, all.end());
    auto changes = life();
    std::erase_if(changes, [&](const change& each) { return each.sequence <= rest.reads_after(); });
    CHECK(take_all(rest, changes).gists == expected);
    CHECK(items[done].last == (done + 1 == items.size()));
  }
}

TEST_CASE("A snapshot stands for everything before it", "[net][push]") {
  auto record = std::make_shared<task>(*std::get<task_created>(life()[0].events[0]).record);
  record->status.state = task_state::working;
  push_feed feed(task_id{"t"}, GENERATE(push_payload::v1_0, push_payload::v0_3), {});
  feed.start_at(record, 2, true);
  const auto heard = take_all(feed, life()).gists;
  REQUIRE(heard.size() >= 3);
  CHECK(heard[0].starts_with("task "));
  CHECK(heard.size() == (heard[1].starts_with("artifact") ? 4U : 3U));

  push_feed ended(task_id{"t"}, push_payload::v1_0, {});
  record->status.state = task_state::failed;
  ended.start_at(record, 4, true);
  CHECK(ended.front().last);
  CHECK(ended.has_ended());
}

TEST_CASE("A task that is withdrawn before it began is told as canceled", "[net][push]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  push_feed feed(task_id{"o.p0.t1"}, payload, {.after = 4});
  auto record = std::make_shared<task>();
  record->id = task_id{"o.p0.t1"};
  record->context = "o";
  record->status.state = task_state::canceled;
  const auto withdrawal = numbered(about("o", 5, tasks_withdrawn{0, {1}, task_state::canceled, "why"}), 5);
  feed.take(withdrawal, record);
  REQUIRE_FALSE(feed.empty());
  CHECK(gist(feed.front()) == (payload == push_payload::v1_0 ? "status TASK_STATE_CANCELED" : "task canceled"));
  CHECK(feed.front().last);
  CHECK(feed.front().after == 5);
}

TEST_CASE("What concerns others, or comes after the end, is not told", "[net][push]") {
  push_feed feed(task_id{"t"}, push_payload::v1_0, {});
  feed.take(numbered(about_lone("other", "c", 1, moved(task_state::working)), 1));
  feed.take(numbered(about("c", 1, objective_moved{objective_state::failed, "x"}), 2));
  CHECK(feed.empty());
  feed.take(numbered(about_lone("t", "c", 1, moved(task_state::completed), moved(task_state::working)), 3));
  feed.take(numbered(about_lone("t", "c", 1, moved(task_state::working)), 4));
  CHECK(gist(feed.front()) == "status TASK_STATE_COMPLETED");
  feed.pop();
  CHECK(feed.empty());
}
