// How much an agent may have reported that the store does not have yet.
#include "actors/task/report_window.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/holding_store.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

class counted_window final : public report_window {
public:
  using report_window::report_window;
  int told = 0;

private:
  void on_room_made() override { ++told; }
};

report_artifact artifact_of(std::size_t bytes) {
  return {text_artifact("piece", std::string(bytes, 'x')), false, true};
}

} // namespace

TEST_CASE("there is room until the limit is reached", "[actors][window]") {
  const auto window = std::make_shared<counted_window>(100);
  CHECK(window->ask_for_room());
  auto first = window->hold(60);
  CHECK(window->ask_for_room());
  auto second = window->hold(60);
  CHECK(second != nullptr);
  CHECK_FALSE(window->ask_for_room());
  CHECK(window->bytes_waiting() == 120);
  const auto copy = second;
  second.reset();
  CHECK(window->bytes_waiting() == 120); // a copy of it lives
}

TEST_CASE("an agent that asked in vain is told once, as soon as half of the room is free",
          "[actors][window]") {
  const auto window = std::make_shared<counted_window>(100);
  std::vector<held_report> held;
  for (int i = 0; i < 4; ++i)
    held.push_back(window->hold(30));
  CHECK_FALSE(window->ask_for_room());
  held.pop_back();
  held.pop_back();
  CHECK(window->told == 0);
  held.pop_back();
  CHECK(window->told == 1);
  held.clear();
  CHECK(window->told == 1);
  CHECK(window->bytes_waiting() == 0);
}

TEST_CASE("an agent that did not ask is not told", "[actors][window]") {
  const auto window = std::make_shared<counted_window>(100);
  window->hold(500).reset();
  CHECK(window->told == 0);
}

TEST_CASE("an agent has room again once the store has its artifacts", "[actors][window][time]") {
  auto owned = std::make_unique<holding_store>();
  auto& records = *owned;
  clock_bed bed{std::move(owned), {}, std::nullopt};
  bed.begin(an_objective({a_plan("p", {a_task("t", {}, "hand")})}));
  auto& port = *bed.hand->of("t").port;
  CHECK(port.has_room());
  records.hold();
  bed.report("t", artifact_of(report_window_bytes_max));
  CHECK_FALSE(port.has_room());
  CHECK(bed.hand->heard.empty());
  records.release();
  bed.pass(std::chrono::seconds{0});
  CHECK(bed.hand->heard == std::vector<std::string>{"t room"});
  CHECK(port.has_room());
}

TEST_CASE("reports that change nothing take no room", "[actors][window][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {a_task("t", {}, "hand")})}));
  const auto port = bed.hand->of("t").port;
  bed.report("t", report_completed{});
  for (int i = 0; i < 3; ++i)
    bed.report("t", artifact_of(report_window_bytes_max));
  CHECK(port->has_room());
}
