#include "apps/runs/run_choice.hpp"
#include "apps/runs/run_table.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

constexpr timestamp now{std::chrono::hours{24 * 1000}};

run_entry entry(std::string id, objective_state state = objective_state::completed,
                std::chrono::hours ago = 1h) {
  run_entry out;
  out.id = std::move(id);
  out.name = "Build";
  out.state = state;
  out.started = now - ago;
  out.ended = is_settled(state) ? out.started + 90s : timestamp{};
  out.tasks = 4;
  out.completed = 3;
  return out;
}

std::string found(const std::vector<run_entry>& in, std::string_view name) {
  const auto one = find_run(in, name);
  return one ? one->id : one.error().message;
}

std::string ids(const std::vector<run_entry>& entries) {
  std::string out;
  for (const auto& each : entries)
    out += each.id + " ";
  return out;
}

std::string removed(const std::vector<run_entry>& entries, std::string_view rule) {
  return ids(not_kept(entries, read_keep_rule(rule).value(), now));
}

} // namespace

TEST_CASE("a run is named by its id, the beginning of it, or as the last", "[apps][runs]") {
  const std::vector<run_entry> all{entry("abcd"), entry("abxy"), entry("ab"), entry("zz")};
  CHECK(found(all, "@last") == "abcd");
  CHECK(found(all, "abc") == "abcd");
  CHECK(found(all, "ab") == "ab"); // an id, though others begin so
  CHECK(found(all, "z") == "zz");
  CHECK(found(all, "a") == "3 runs begin with a: abcd, abxy, ab");
  CHECK_THAT(found(all, "q"), ContainsSubstring("no run q"));
  CHECK_THAT(found(all, "obj-7"), ContainsSubstring("name the server with --server URL"));
  CHECK_THAT(found(all, ""), ContainsSubstring("no run"));
  CHECK_THAT(found({}, "@last"), ContainsSubstring("no runs yet"));
}

TEST_CASE("a rule keeps so many runs, or those of some time", "[apps][runs]") {
  CHECK(read_keep_rule("100")->count == 100U);
  CHECK(read_keep_rule("12h")->age == 12h);
  CHECK(read_keep_rule("30d")->age == 720h);
  CHECK(read_keep_rule("2w")->age == 336h);
  for (const auto* wrong : {"", "d", "-1", "1x", "1dd", "99999999", "1.5d"}) {
    CAPTURE(wrong);
    CHECK(read_keep_rule(wrong).has_error());
  }
}

TEST_CASE("what can go on is always kept, and does not count", "[apps][runs]") {
  auto running = entry("run", objective_state::working, 100h);
  running.is_running = true;
  const std::vector<run_entry> all{
      entry("a", objective_state::completed, 1h),   running,
      entry("lost", objective_state::working, 50h), entry("asks", objective_state::blocked, 50h),
      entry("b", objective_state::failed, 60h),     entry("c", objective_state::canceled, 100h)};
  CHECK(removed(all, "0") == "a b c ");
  CHECK(removed(all, "2") == "c ");
  CHECK(removed(all, "3d") == "c ");
  CHECK(removed(all, "100").empty());
}

TEST_CASE("a run has one word for its state", "[apps][runs]") {
  auto one = entry("a", objective_state::working);
  CHECK(state_word(one) == "interrupted");
  CHECK(is_unfinished(one));
  one.is_running = true;
  CHECK(state_word(one) == "running");
  CHECK_FALSE(is_unfinished(one));
  CHECK(state_word(entry("a", objective_state::blocked)) == "waiting");
  CHECK(state_word(entry("a", objective_state::failed)) == "failed");
  CHECK(can_be_retried(entry("a", objective_state::failed)));
  CHECK(can_be_retried(entry("a", objective_state::canceled)));
  CHECK_FALSE(can_be_retried(entry("a")));
  CHECK_FALSE(can_be_retried(entry("a", objective_state::blocked)));
}

TEST_CASE("an entry reads back as it was written", "[apps][runs]") {
  auto one = entry("a", objective_state::failed);
  one.file = "/tmp/\"x\".json";
  one.text = hash_of_text("text");
  one.begun_in = "/srv/\"anna\"";
  one.failed = 1;
  one.stopped.push_back({one.started, one.started + 5s});
  CHECK(read_entry(write_entry(one)).value() == one);
  one.ended = timestamp{};
  CHECK(read_entry(write_entry(one)).value() == one);
  for (const auto* wrong : {"", "{}", "[]", "{\"id\": 1}", "{\"id\": \"a\", \"state\": \"x\"}"})
    CHECK(read_entry(wrong).has_error());
  CHECK(hash_of_text("").size() == 16);
  CHECK(hash_of_text("a") != hash_of_text("b"));
}

TEST_CASE("an entry follows the run", "[apps][runs]") {
  troupe::testing::run_bed bed({troupe::testing::plan_named(
      "P", {troupe::testing::task_named("a"), troupe::testing::task_named("b")})});
  bed.move(0, 0, 0, task_state::completed);
  bed.move(0, 0, 1, task_state::failed);
  run_entry one;
  bring_up_to_date(one, bed.model);
  CHECK(one.name == "Ship it");
  CHECK(one.state == objective_state::working);
  CHECK(one.tasks == 2);
  CHECK(one.completed == 1);
  CHECK(one.failed == 1);
}

TEST_CASE("runs are a table that fits its width", "[apps][runs]") {
  auto running = entry("k3v9x2mq", objective_state::working);
  running.is_running = true;
  CHECK(draw_runs({running, entry("b")}, now, {80, false})
        == "RUN       STATE      STARTED  TOOK   TASKS  NAME\n"
           "k3v9x2mq  running    60m ago  1h00m  3/4    Build\n"
           "b         completed  60m ago  1m30s  3/4    Build\n");
  CHECK_THAT(draw_runs({entry("b")}, now, {30, false}), !ContainsSubstring("Build"));
}

TEST_CASE("the age of a run is rough", "[apps][runs]") {
  CHECK(shown_age(now - 3s, now) == "now");
  CHECK(shown_age(now - 70s, now) == "70s ago");
  CHECK(shown_age(now - 119min, now) == "119m ago");
  CHECK(shown_age(now - 47h, now) == "47h ago");
  CHECK(shown_age(now - 30h - 24h, now) == "2d ago");
  CHECK(shown_age(now + 1h, now) == "now");
}

TEST_CASE("the time in which nothing ran a run is that since its last change, or its end",
          "[apps][runs]") {
  auto one = entry("abcd", objective_state::blocked);
  CHECK_FALSE(note_stopped(one, timestamp{}, now));
  CHECK(one.stopped.empty());
  CHECK(note_stopped(one, now - 30min, now - 20min));
  one.ended = now - 10min;
  CHECK(note_stopped(one, now - 15min, now));
  REQUIRE(one.stopped.size() == 2);
  CHECK(one.stopped[0].begin == now - 30min);
  CHECK(one.stopped[1].begin == now - 10min);
  CHECK(one.stopped[1].end == now);
  CHECK_FALSE(note_stopped(one, now, now));
}
