// Actors that end leave the clock's thread asleep, and what they send later still comes.
#include "actors/quiet_clock.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

using namespace troupe;

namespace {

/// Ends with its first message, after telling `next`, if there is one, a little later.
struct short_life {
  using handle = actor_handle<std::uint32_t>;
  static inline const char* name = "test.short_life";

  short_life(handle::pointer self, std::atomic<std::size_t>* ended, handle next = {})
      : self_(self), ended_(ended), next_(std::move(next)) {}
  ~short_life() {
    ended_->fetch_add(1);
    ended_->notify_one();
  }
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

caf::actor_system_config quiet_config() {
  caf::actor_system_config config;
#if TROUPE_CAF_1
  caf::core::init_global_meta_objects();
#endif
  use_quiet_clock(config);
  return config;
}

} // namespace

#if !TROUPE_CAF_1

TEST_CASE("actors that end do not wake the clock", "[actors][clock]") {
  auto config = quiet_config();
  caf::actor_system system(config);
  std::atomic<std::size_t> ended{0};
  constexpr std::size_t count = 1'000;
  const auto end_one = [&] {
    const auto seen = ended.load();
    tell(spawn_actor<short_life>(system, &ended), std::uint32_t{0});
    ended.wait(seen);
  };
  end_one();
  REQUIRE(testing::comes_true([] { return sleeps_of_clock().has_value(); })); // It names itself.
  const auto before = sleeps_of_clock();
  for (std::size_t i = 0; i < count; ++i)
    end_one();
  CHECK(*sleeps_of_clock() - *before < count / 10);
}

#endif

TEST_CASE("what an actor sends later comes, although the actor has ended", "[actors][clock]") {
  auto config = quiet_config();
  caf::actor_system system(config);
  std::atomic<std::size_t> ended{0};
  auto last = spawn_actor<short_life>(system, &ended);
  tell(spawn_actor<short_life>(system, &ended, std::move(last)), std::uint32_t{0});
  for (auto seen = ended.load(); seen < 2; seen = ended.load())
    ended.wait(seen);
  CHECK(ended == 2);
}
