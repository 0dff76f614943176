// What notifications that wait for their turn, or to be tried again, hold in memory.
#include "net/push/push_sender.hpp"
#include "tests/net/push_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/passing_store.hpp"

#include <memory>
#include <string>

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

/// A store that claims to have a history, and keeps no task that has ended.
class forgetful_store final : public passing_store {
public:
  forgetful_store() : passing_store(make_memory_store({.tasks = 0})) {}
  [[nodiscard]] bool has_history() const noexcept override { return true; }
};

} // namespace

TEST_CASE("Of the notifications that wait only the one that is posted has a text, and it counts",
          "[net][push][memory]") {
  constexpr std::size_t output_bytes = 1'000'000;
  const auto memory = std::make_shared<memory_budget>(10 * output_bytes);
  const auto held = [&] { return memory->held(memory_account::feeds); };
  push_receiver receiver;
  push_bed bed;
  bed.feeds = std::make_shared<feed_budget>(feed_bytes_total_max, memory);
  bed.start();
  bed.put_task("t");
  bed.put(about_lone("t", "c", 2,
                     task_artifact{output("a", std::string(output_bytes, 'x')), false, true}));
  bed.flush();
  auto config = hook("t", receiver.url());
  config.payload = push_payload::v0_3;
  REQUIRE(bed.create(config).has_value());
  receiver.hold();
  constexpr std::size_t moves = 40;
  for (std::size_t i = 0; i < moves; ++i)
    bed.move("t", i % 2 == 0 ? task_state::working : task_state::input_required);
  bed.move("t", task_state::completed);
  bed.flush();
  receiver.wait_for(1);
  CHECK(held() > output_bytes);
  CHECK(held() < 3 * output_bytes);
  receiver.release();
  const auto got = receiver.wait_for(moves + 1);
  CHECK(gist(got.back()) == "task completed");
  CHECK(std::ranges::all_of(got, [](const auto& each) { return each.body.size() > output_bytes; }));
  REQUIRE(comes_true([&] { return held() == 0; }));
}

TEST_CASE("A long notification waits for room, and so does the past of which 0.3 makes one",
          "[net][push][memory]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  constexpr std::size_t most = 10'000'000;
  const auto memory = std::make_shared<memory_budget>(most);
  push_receiver receiver;
  push_bed bed;
  bed.feeds = std::make_shared<feed_budget>(feed_bytes_total_max, memory);
  bed.start();
  bed.put_task("t");
  auto config = hook("t", receiver.url());
  config.payload = payload;
  REQUIRE(bed.create(config).has_value());
  bed.service = nullptr;
  bed.put(about_lone("t", "c", 2, moved(task_state::working)));
  bed.put(about_lone("t", "c", 3,
                     task_artifact{output("a", std::string(200'000, 'x')), false, true},
                     moved(task_state::completed)));
  bed.flush();
  memory->force(memory_account::backlog, most);
  bed.restart();
  const auto later = bed.clock.take();
  CHECK(receiver.received().size() <= 1);
  if (payload == push_payload::v0_3) // It holds nothing of the past meanwhile.
    CHECK(memory->held(memory_account::feeds) < 200'000);
  memory->give_back(memory_account::backlog, most);
  later.then();
  const auto got = receiver.wait_for(payload == push_payload::v1_0 ? 3 : 2);
  CHECK((gist(got.back()) == "TASK_STATE_COMPLETED" || gist(got.back()) == "task completed"));
  bed.wait_until_forgotten("t");
  CHECK(comes_true([&] { return memory->held(memory_account::feeds) == 0; }));
}

TEST_CASE("A notification that waits holds no long task, and says so if it cannot be read anew",
          "[net][push][memory]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  const bool is_tried = GENERATE(true, false);
  CAPTURE(payload, is_tried);
  push_receiver receiver;
  push_bed bed;
  bed.records = std::make_unique<forgetful_store>();
  bed.options.parallel_per_host_max = 1;
  bed.options.timeout = 10min; // Longer than anything here waits.
  bed.start();
  bed.put_task("other");
  bed.put_task("t");
  auto made = output("a", std::string(200'000, 'x'));
  const std::weak_ptr<const artifact> held = made;
  bed.put(about_lone("t", "c", 2, task_artifact{std::move(made), false, true}));
  bed.flush();
  if (is_tried) {
    receiver.script({answer_text(503)});
  } else {
    receiver.hold();
    REQUIRE(bed.create(hook("other", receiver.url())).has_value());
    bed.move("other", task_state::working);
    receiver.wait_for(1);
  }
  auto config = hook("t", receiver.url(), "mine");
  config.payload = payload;
  REQUIRE(bed.attach(config, false).has_value()); // The task as it is comes first.
  hand_clock::delay again{};
  if (is_tried)
    again = bed.clock.take();
  bed.move("t", task_state::completed);
  CHECK(comes_true([&] { return held.expired(); }));
  if (is_tried)
    again.then();
  else
    receiver.release();
  CHECK(bed.wait_until_stopped("t", "mine") == "the task is no longer kept");
  bed.wait_for_warning();
  const std::lock_guard lock{bed.guard};
  CHECK_THAT(bed.warnings.at(0), ContainsSubstring("the task is no longer kept"));
}

TEST_CASE("Without a history a long task is held and counted until its end is told",
          "[net][push][memory]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  const bool is_tried = GENERATE(true, false);
  CAPTURE(payload, is_tried);
  constexpr std::size_t output_bytes = 200'000;
  const auto memory = std::make_shared<memory_budget>(10 * output_bytes);
  const auto held = [&] { return memory->held(memory_account::feeds); };
  push_receiver receiver;
  push_bed bed(push_bed::kind::memory);
  bed.records = make_memory_store({.tasks = 0}); // None that has ended.
  bed.feeds = std::make_shared<feed_budget>(feed_bytes_total_max, memory);
  bed.options.parallel_per_host_max = 1;
  bed.options.timeout = 10min; // Longer than anything here waits.
  bed.start();
  bed.put_task("other");
  bed.put_task("t");
  bed.put(about_lone("t", "c", 2,
                     task_artifact{output("a", std::string(output_bytes, 'x')), false, true}));
  if (is_tried) {
    receiver.script({answer_text(503)});
  } else {
    receiver.hold();
    REQUIRE(bed.create(hook("other", receiver.url())).has_value());
    bed.move("other", task_state::working);
    receiver.wait_for(1);
  }
  auto config = hook("t", receiver.url());
  config.payload = payload;
  REQUIRE(bed.attach(config, false).has_value()); // The task as it is comes first.
  hand_clock::delay again{};
  if (is_tried)
    again = bed.clock.take();
  CHECK(comes_true([&] { return held() > output_bytes; }));
  bed.move("t", task_state::completed);
  if (is_tried)
    again.then();
  else
    receiver.release();
  const auto got = receiver.wait_for(3);
  CHECK(gists({got.begin() + 1, got.end()})
        == (payload == push_payload::v1_0 ? "task TASK_STATE_SUBMITTED, TASK_STATE_COMPLETED"
                                          : "task submitted, task completed"));
  bed.wait_until_forgotten("t");
  CHECK(comes_true([&] { return held() == 0; }));
}

TEST_CASE("0.3 holds nothing of a long past while it waits to try again", "[net][push][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{10'000'000});
  push_receiver receiver;
  push_bed bed;
  bed.feeds = std::make_shared<feed_budget>(feed_bytes_total_max, memory);
  bed.start();
  bed.put_task("t");
  bed.put(
      about_lone("t", "c", 2, task_artifact{output("a", std::string(200'000, 'x')), false, true}));
  bed.flush();
  receiver.script({answer_text(503), answer_text(503)});
  auto config = hook("t", receiver.url());
  config.payload = push_payload::v0_3;
  REQUIRE(bed.create(config).has_value());
  bed.move("t", task_state::working);
  for (int attempt = 1; attempt <= 2; ++attempt) { // The second one reads the past.
    CAPTURE(attempt);
    const auto again = bed.clock.take();
    CHECK(comes_true([&] { return memory->held(memory_account::feeds) == 0; }));
    again.then();
  }
  CHECK(gists(receiver.wait_for(3)) == "task working, task working, task working");
  bed.move("t", task_state::completed);
  bed.wait_until_forgotten("t");
}

TEST_CASE("A long task that was let go is posted as before", "[net][push][memory]") {
  const auto payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  const bool is_whole = GENERATE(true, false); // The task as it is comes first, or its changes do.
  CAPTURE(payload, is_whole);
  push_receiver receiver;
  push_bed bed;
  bed.start();
  bed.put_task("t");
  bed.put(
      about_lone("t", "c", 2, task_artifact{output("a", std::string(200'000, 'x')), false, true}));
  bed.flush();
  receiver.script({answer_text(503)});
  auto config = hook("t", receiver.url());
  config.payload = payload;
  REQUIRE((is_whole ? bed.attach(config, false) : bed.create(config)).has_value());
  if (!is_whole)
    bed.move("t", task_state::working);
  const auto again = bed.clock.take();
  bed.flush();
  again.then();
  const auto got = receiver.wait_for(2);
  CHECK(got[1].body == got[0].body);
  CHECK(got[1].header("a2a-notification-id") == got[0].header("a2a-notification-id"));
  bed.move("t", task_state::completed);
  const auto last = gist(receiver.wait_for(3).back());
  CHECK((last == "TASK_STATE_COMPLETED" || last == "task completed"));
  bed.wait_until_forgotten("t");
  CHECK(receiver.received().size() == 3);
}
