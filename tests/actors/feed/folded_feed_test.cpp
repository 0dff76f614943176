// How things stand, a few times a second: the latest of what changed, in bounded memory.
#include "actors/feed/folded_feed.hpp"
#include "protocol/fold/apply.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/store/random_changes.hpp"
#include "tests/support/catch.hpp"

#include <map>
#include <random>

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

change_ptr shared(change news) {
  return std::make_shared<const change>(std::move(news));
}

change_ptr progress(const std::string& task, double value) {
  auto report = std::make_shared<progress_report>();
  report->trackers.push_back({.id = "t",
                              .progress = value,
                              .total = {},
                              .message = {},
                              .status = {},
                              .started_at = {},
                              .updated_at = {}});
  return shared(about_lone(task, "c", 1, task_progress{std::move(report)}));
}

change_ptr move(const std::string& task, task_state to, std::uint32_t attempt = 1) {
  return shared(about_lone(task, "c", 1, moved(to, attempt)));
}

const folded_feed::time_point start{std::chrono::hours(1)};

} // namespace

TEST_CASE("a frame has the latest of each task, in the order in which it came",
          "[actors][feed][folded]") {
  folded_changes all;
  const auto made = shared(about_lone("a", "c", 1, born_lone("a", "c", 1)));
  const auto began = move("a", task_state::working, 2);
  const auto other = move("b", task_state::working);
  const auto ended = move("a", task_state::completed, 2);
  const auto last = progress("b", 3);
  for (const auto& each :
       {made, move("a", task_state::working), began, other,
        move("a", task_state::input_required, 2), progress("b", 1), progress("b", 2), ended, last})
    all.add(each);
  CHECK(all.take() == std::vector<change_ptr>{made, began, other, ended, last});
  CHECK(all.empty());
}

TEST_CASE("outputs and messages alone make no frame", "[actors][feed][folded]") {
  folded_changes all;
  all.add(shared(about_lone("a", "c", 1, task_artifact{output("f", "x"), false, true},
                            task_message{say("hm")})));
  CHECK(all.empty());
}

TEST_CASE("however much happens, a few changes are held for each task", "[actors][feed][folded]") {
  folded_changes all;
  for (std::uint32_t i = 1; i <= 100'000; ++i) {
    const auto task = std::to_string(i % 7);
    all.add(move(task, i % 3 == 0 ? task_state::input_required : task_state::working, i));
    all.add(progress(task, i));
    if (all.size() > 7 * 4)
      FAIL("it holds " << all.size());
  }
}

TEST_CASE("however often an objective and its plans are paused, a few changes are held",
          "[actors][feed][folded]") {
  folded_changes all;
  objective_view whole;
  std::int64_t ms = 0;
  const auto happens = [&](auto... events) {
    const auto news = shared(about("o", ++ms, std::move(events)...));
    apply(whole, *news);
    all.add(news);
  };
  happens(objective_created{make_objective("o", {1, 1}), {}},
          objective_moved{objective_event::work, ""});
  happens(plan_moved{0, plan_event::work, ""});
  for (int i = 0; i <= 1000; ++i) {
    happens(pause_changed{true});
    happens(plan_moved{0, plan_event::block, "paused"});
    happens(objective_moved{objective_event::block, "paused " + std::to_string(i)});
    happens(objective_edited{});
    if (i == 1000)
      break;
    happens(pause_changed{false});
    happens(plan_moved{0, plan_event::work, ""}, objective_moved{objective_event::work, ""});
    happens(pause_changed{true, 0}, pause_changed{false, 0});
    if (all.size() > 12)
      FAIL("it holds " << all.size());
  }
  objective_view seen;
  for (const auto& each : all.take())
    apply(seen, *each);
  CHECK(seen.state == objective_state::blocked);
  CHECK(seen.reason == "paused 1000");
  CHECK(seen.paused);
  CHECK(seen.plans[0].state == plan_state::blocked);
  CHECK(seen.plans[0].paused == whole.plans[0].paused);
  CHECK(seen.plans[0].began == whole.plans[0].began);
}

TEST_CASE("the moves that are kept lead where all moves lead", "[actors][feed][folded]") {
  std::size_t seen = 0;
  const auto check = [&](const objective_view& before, const std::vector<change_ptr>& moves) {
    ++seen;
    auto whole = before;
    auto shown = before;
    folded_changes kept;
    for (const auto& each : moves) {
      apply(whole, *each);
      kept.add(each);
    }
    for (const auto& each : kept.take())
      apply(shown, *each);
    if (shown.state != whole.state || shown.reason != whole.reason
        || shown.planning != whole.planning || shown.plans[0].state != whole.plans[0].state
        || shown.plans[0].reason != whole.plans[0].reason
        || shown.plans[0].began != whole.plans[0].began
        || shown.plans[0].skip_requested != whole.plans[0].skip_requested)
      FAIL_CHECK("from " << to_string(before.state) << " and " << to_string(before.plans[0].state)
                         << " after " << moves.size() << " moves");
  };
  // All moves that a table allows from `now`, and all that may follow them.
  const auto try_all = [&](const auto& table, const objective_view& before, auto now,
                           const auto& make) {
    std::vector<change_ptr> moves;
    const auto go_on = [&](const auto& self, auto at) -> void {
      check(before, moves);
      for (const auto& row : table) {
        if (row.from != at || moves.size() == 8)
          continue;
        const auto number = static_cast<std::int64_t>(moves.size()) + 2;
        moves.push_back(shared(about("o", number, make(row.on, std::to_string(number)))));
        self(self, row.to);
        moves.pop_back();
      }
    };
    go_on(go_on, now);
  };
  objective_view before;
  apply(before, about("o", 1, objective_created{make_objective("o", {1}), {}}));
  for (const auto& row : plan_transitions) {
    before.plans.edit(0).state = row.from;
    try_all(plan_transitions, before, row.from, [](plan_event on, const std::string& why) {
      return plan_moved{0, on, why};
    });
  }
  for (const auto& row : objective_transitions) {
    before.state = row.from;
    before.planning = row.from == objective_state::planning;
    try_all(objective_transitions, before, row.from,
            [](objective_event on, const std::string& why) {
              return objective_moved{on, why};
            });
  }
  CHECK(seen > 10'000);
}

TEST_CASE("a folded feed holds no output, and its account counts what it holds",
          "[actors][feed][folded]") {
  const auto memory = std::make_shared<memory_budget>();
  const auto held = [&] { return memory->held(memory_account::feeds); };
  {
    folded_feed feed(10, std::make_shared<feed_budget>(feed_bytes_total_max, memory));
    const auto made = output("f", std::string(100'000, 'x'));
    feed.live()->on_change(
        shared(about_lone("a", "c", 1, moved(task_state::working, 1),
                          task_artifact{made, false, true}, moved(task_state::completed, 1))));
    CHECK(made.use_count() == 1);
    CHECK(held() > 0);
    CHECK(held() < 10'000);
    const auto frame = feed.turn(start);
    REQUIRE(frame);
    CHECK(frame->changes.front()->events.size() == 2);
    CHECK(held() == 0);
    feed.live()->on_change(progress("a", 1));
    CHECK(held() > 0);
  }
  CHECK(held() == 0);
}

TEST_CASE("no more frames are made than a second may have, and none of nothing",
          "[actors][feed][folded]") {
  folded_feed feed(10);
  int told = 0;
  feed.connect([&] { ++told; });
  CHECK_FALSE(feed.turn(start));
  feed.live()->on_change(move("a", task_state::working));
  feed.live()->on_change(move("a", task_state::completed));
  CHECK(told == 1);
  const auto first = feed.turn(start);
  REQUIRE(first);
  CHECK(first->number == 1);
  CHECK(first->changes.size() == 2); // its begin and its end
  feed.live()->on_change(move("b", task_state::working));
  CHECK(told == 2);
  CHECK_FALSE(feed.turn(start + 99ms));
  const auto second = feed.turn(start + 100ms);
  REQUIRE(second);
  CHECK(second->number == 2);
  CHECK_FALSE(feed.turn(start + 1s));
}

TEST_CASE("frames fold to the states that all changes fold to", "[actors][feed][folded][random]") {
  const auto seed = GENERATE(take(20, random(0U, 0xffffffffU)));
  CAPTURE(seed);
  random_changes life(seed);
  std::mt19937 random(seed);
  std::map<std::string, objective_view> whole;
  std::map<std::string, objective_view> folded;
  folded_changes marks;
  const auto show = [&] {
    for (const auto& each : marks.take())
      apply(folded[each->context], *each);
  };
  for (int i = 0; i < 500; ++i) {
    const auto next = shared(life.next());
    if (next->stream() != next->context)
      continue; // A lone task's.
    apply(whole[next->context], *next);
    marks.add(next);
    if (random() % 10 == 0)
      show();
  }
  show();
  for (auto& [id, view] : whole) {
    const auto& seen = folded[id];
    REQUIRE(seen.plans.size() == view.plans.size());
    CHECK(seen.state == view.state);
    for (std::size_t p = 0; p < view.plans.size(); ++p) {
      CHECK(seen.plans[p].state == view.plans[p].state);
      for (std::size_t t = 0; t < view.plans[p].tasks.size(); ++t) {
        CHECK(seen.plans[p].tasks[t].state == view.plans[p].tasks[t].state);
        CHECK(seen.plans[p].tasks[t].attempt == view.plans[p].tasks[t].attempt);
        CHECK(seen.plans[p].tasks[t].generation == view.plans[p].tasks[t].generation);
      }
    }
  }
}
