#include "apps/runs/run_log.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <fstream>

using namespace troupe;
using namespace troupe::testing;

namespace {

order order_of(std::string id, std::uint32_t attempt = 1) {
  order out;
  out.id = task_id(std::move(id));
  out.context = "k3v9";
  out.name = "from order";
  out.attempt = attempt;
  return out;
}

run_log::plan_finder plans() {
  return [] { return std::vector{plan_named("Build", {task_named("cc"), task_named("ld")})}; };
}

std::string texts_of(const std::vector<logged_line>& lines) {
  std::string out;
  for (const auto& each : lines)
    out += each.name + ": " + each.line.text + "\n";
  return out;
}

} // namespace

TEST_CASE("a logged line reads back as it was written", "[apps][runs]") {
  const logged_line line{"k3v9.p0.t1", "Build", "ld", "ld", 2, false, {at(5), true, "a \"b\"\t"}};
  CHECK(read_logged(write_logged(line)).value() == line);
  auto gap = line;
  gap.is_gap = true;
  gap.line.is_stderr = false;
  CHECK(read_logged(write_logged(gap)).value() == gap);
  CHECK(read_logged("{").has_error());
}

TEST_CASE("a task is meant by its id, its name, or with its plan", "[apps][runs]") {
  const logged_line line{"k3v9.p0.t1", "Build", "Link it", "ld", 1, false, {}};
  for (const auto* name : {"k3v9.p0.t1", "ld", "Link it", "Build / Link it"})
    CHECK(is_called(line, name));
  CHECK_FALSE(is_called(line, "Build"));
  CHECK_FALSE(is_called(line, "l"));
}

TEST_CASE("lines are read while programs write them", "[apps][runs]") {
  const temporary_directory place;
  const auto path = place / "log";
  run_log_reader reader(path);
  CHECK(reader.next().empty()); // no file yet
  run_log log;
  REQUIRE(log.open(path, plans()).has_value());
  log.on_line(order_of("k3v9.p0.t0"), {at(1), false, "one"});
  log.on_line(order_of("k3v9.p0.t1.r2"), {at(2), true, "two"});
  log.on_line(order_of("elsewhere"), {at(2), true, "three"});
  CHECK(texts_of(reader.next()) == "cc: one\nld: two\nfrom order: three\n");
  CHECK(reader.next().empty());
  log.on_end(order_of("k3v9.p0.t0"));
  log.on_line(order_of("k3v9.p0.t0", 2), {at(3), false, "again"});
  const auto more = reader.next();
  REQUIRE(more.size() == 1);
  CHECK(more.front().attempt == 2);
  CHECK(more.front().line.at == at(3));
  log.close();
  log.on_line(order_of("k3v9.p0.t0", 2), {at(4), false, "too late"});
  CHECK(reader.next().empty());
}

TEST_CASE("a line that is not whole yet waits", "[apps][runs]") {
  const temporary_directory place;
  const auto path = place / "log";
  const auto text = write_logged({"t", "", "n", "", 1, false, {at(1), false, "x"}});
  std::ofstream file(path);
  run_log_reader reader(path);
  file << text.substr(0, 10) << std::flush;
  CHECK(reader.next().empty());
  file << text.substr(10) << std::flush;
  CHECK(texts_of(reader.next()) == "n: x\n");
}

TEST_CASE("the log of an attempt is bounded from the middle", "[apps][runs]") {
  const temporary_directory place;
  run_log log;
  REQUIRE(log.open(place / "log", plans()).has_value());
  const std::string text(1000, 'x');
  for (int i = 0; i < 5000; ++i)
    log.on_line(order_of("k3v9.p0.t0"), {at(1), false, text});
  log.on_end(order_of("k3v9.p0.t0"));
  run_log_reader reader(place / "log");
  std::vector<logged_line> all;
  for (auto some = reader.next(); !some.empty(); some = reader.next())
    all.insert(all.end(), some.begin(), some.end());
  CHECK(all.size() < 2 * run_log_part_bytes_max / 1000 + 1);
  const auto gap = std::ranges::find_if(all, &logged_line::is_gap);
  REQUIRE(gap != all.end());
  CHECK_THAT(gap->line.text, ContainsSubstring(" lines (") && ContainsSubstring("left out"));
}
