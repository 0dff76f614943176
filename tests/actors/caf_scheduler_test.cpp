// The scheduler of our actors: no job waits long while a worker sleeps; actors that end leave the
// clock's thread asleep, and what they send later still comes.
#include "actors/caf_scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace troupe;

namespace {

/// Ends with its first message, after telling `next`, if there is one, a little later.
struct short_life {
  using handle = actor_handle<std::uint32_t>;
  static inline const char* name = "test.short_life";

  short_life(handle::pointer self, std::atomic<std::size_t>* ended, handle next = {})
      : self_(self), ended_(ended), next_(std::move(next)) {}
  ~short_life() { ended_->fetch_add(1); }
  void begin() {}
  void on(std::uint32_t& number) {
    if (next_)
      tell_after(std::chrono::milliseconds{1}, next_, number);
    self_->quit();
  }

private:
  handle::pointer self_;
  std::atomic<std::size_t>* ended_;
  handle next_;
};

/// Counts down, and keeps its thread until the count is zero.
struct meeting {
  using handle = actor_handle<std::uint32_t>;
  static inline const char* name = "test.meeting";

  meeting(handle::pointer self, std::shared_ptr<std::latch> all, std::vector<handle> others = {},
          std::shared_ptr<std::latch> begun = nullptr)
      : self_(self), all_(std::move(all)), others_(std::move(others)), begun_(std::move(begun)) {}
  void begin() {}
  void on(std::uint32_t& number) {
    for (const auto& other : std::exchange(others_, {}))
      tell(other, number);
    if (begun_)
      begun_->count_down();
    all_->count_down();
    static_cast<void>(testing::comes_true([&] { return all_->try_wait(); }));
    self_->quit();
  }

private:
  handle::pointer self_;
  std::shared_ptr<std::latch> all_;
  std::vector<handle> others_;
  std::shared_ptr<std::latch> begun_;
};

#if !TROUPE_CAF_1
/// How often the thread of CAF's clock went to sleep so far; none if there is no such thread.
std::optional<std::size_t> sleeps_of_clock() {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    if (name != "caf.clock")
      continue;
    std::ifstream status(thread.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("voluntary_ctxt_switches:"))
        return std::stoul(line.substr(line.find(':') + 1));
  }
  return std::nullopt;
}
#endif

caf::actor_system_config own_config() {
  caf::actor_system_config config;
#if TROUPE_CAF_1
  caf::core::init_global_meta_objects();
#endif
  use_scheduler(config);
  return config;
}

void set_workers(caf::actor_system_config& config, std::size_t count) {
#if TROUPE_CAF_1
  config.set("caf.scheduler.max-threads", count);
#else
  config.set("scheduler.max-threads", count);
#endif
}

} // namespace

#if !TROUPE_CAF_1

TEST_CASE("actors that end do not wake the clock", "[actors][clock]") {
  auto config = own_config();
  caf::actor_system system(config);
  std::atomic<std::size_t> ended{0};
  constexpr std::size_t count = 1'000;
  const auto end_one = [&] {
    const auto seen = ended.load();
    tell(spawn_actor<short_life>(system, &ended), std::uint32_t{0});
    REQUIRE(testing::comes_true([&] { return ended != seen; }));
  };
  end_one();
  REQUIRE(testing::comes_true([] { return sleeps_of_clock().has_value(); })); // It names itself.
  const auto before = sleeps_of_clock();
  for (std::size_t i = 0; i < count; ++i)
    end_one();
  CHECK(*sleeps_of_clock() - *before < count / 10);
}

#endif

TEST_CASE("actors that an actor wakes run on other workers while its own is busy",
          "[actors][clock]") {
  auto config = own_config();
  set_workers(config, 3);
  caf::actor_system system(config);
  for (int round = 0; round < 100; ++round) {
    // The three meet only if all run at the same time, each on a thread of its own.
    const auto all = std::make_shared<std::latch>(3);
    auto first = spawn_actor<meeting>(system, all);
    auto second = spawn_actor<meeting>(system, all);
    tell(spawn_actor<meeting>(system, all, std::vector{first, second}), std::uint32_t{0});
    REQUIRE(testing::comes_true([&] { return all->try_wait(); }));
  }
}

TEST_CASE("each message from outside wakes a worker", "[actors][clock]") {
  auto config = own_config();
  set_workers(config, 2);
  caf::actor_system system(config);
  for (int round = 0; round < 100; ++round) {
    const auto all = std::make_shared<std::latch>(2);
    tell(spawn_actor<meeting>(system, all), std::uint32_t{0});
    tell(spawn_actor<meeting>(system, all), std::uint32_t{0});
    REQUIRE(testing::comes_true([&] { return all->try_wait(); }));
  }
}

TEST_CASE("a job from outside does not wait for a busy worker while another sleeps",
          "[actors][clock]") {
  auto config = own_config();
  set_workers(config, 2);
  caf::actor_system system(config);
  for (int round = 0; round < 100; ++round) {
    const auto all = std::make_shared<std::latch>(2);
    const auto begun = std::make_shared<std::latch>(1);
    tell(spawn_actor<meeting>(system, all, std::vector<meeting::handle>{}, begun),
         std::uint32_t{0});
    // Its worker is busy until the other comes.
    REQUIRE(testing::comes_true([&] { return begun->try_wait(); }));
    tell(spawn_actor<meeting>(system, all), std::uint32_t{0});
    REQUIRE(testing::comes_true([&] { return all->try_wait(); }));
  }
}

TEST_CASE("a delayed message arrives even if its sender has ended", "[actors][clock]") {
  auto config = own_config();
  caf::actor_system system(config);
  std::atomic<std::size_t> ended{0};
  auto last = spawn_actor<short_life>(system, &ended);
  tell(spawn_actor<short_life>(system, &ended, std::move(last)), std::uint32_t{0});
  for (auto seen = ended.load(); seen < 2; seen = ended.load())
    REQUIRE(testing::comes_true([&] { return ended != seen; }));
  CHECK(ended == 2);
}
