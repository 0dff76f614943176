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

TEST_CASE("readers that keep up share a frame, one that does not gets what it missed in one",
          "[actors][feed][folded]") {
  folded_feed feed;
  folded_reader fast;
  folded_reader slow;
  CHECK_FALSE(slow.take());
  std::vector<change_ptr> last;
  for (int i = 0; i < 5; ++i) {
    feed.live()->on_change(progress("a", i));
    last = {progress("b", i)};
    feed.live()->on_change(last.front());
    const auto next = feed.turn(start + i * 1s);
    fast.offer(next);
    slow.offer(next);
    CHECK(fast.take() == next);
  }
  const auto missed = slow.take();
  REQUIRE(missed);
  CHECK(missed->number == 5);
  CHECK(missed->changes.size() == 2);
  CHECK(missed->changes.back() == last.front());
  CHECK_FALSE(slow.take());
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
