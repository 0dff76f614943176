#include "apps/run/run_timing.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

timed_task timed(std::string name, std::vector<task_span> spans,
                 task_state state = task_state::completed) {
  return {0, 0, "Build", std::move(name), state, std::move(spans), {}, {}};
}

task_span ran(int begin, int end, std::uint32_t attempt = 1) {
  return {task_phase::running, attempt, at(begin), at(end), {}};
}

task_span waited(task_phase phase, int begin, int end) {
  return {phase, 1, at(begin), at(end), {}};
}

} // namespace

TEST_CASE("the last run of an ended task is told by its record", "[apps][timing]") {
  task record;
  record.status = {task_state::completed, nullptr, at(500)};
  record.attempt = 2;
  record.since = at(200);
  CHECK(spans_of(record) == std::vector{ran(200, 500, 2)});
  record.since = at(500);
  CHECK(spans_of(record).empty());
}

TEST_CASE("the slowest tasks and the waits are told", "[apps][timing]") {
  const std::vector<timed_task> tasks{
      timed("a", {ran(0, 1000)}), timed("b", {waited(task_phase::slot, 0, 500), ran(500, 4500)}),
      timed("c", {ran(0, 1500), waited(task_phase::backoff, 1500, 1700), ran(1700, 2000)}),
      timed("d", {ran(0, 10)})};
  CHECK(timing_text(tasks)
        == "waited 0.50s for a slot, 0.20s before another attempt\n"
           "slowest: Build / b 4.00s, Build / c 1.80s, Build / a 1.00s\n");
  CHECK(timing_text({timed("a", {ran(0, 9000)})}).empty());
  CHECK(timing_text({timed("a", {ran(0, 9)}), timed("b", {}), timed("c", {})}).empty());
}

TEST_CASE("the longest waits are told with what they were for", "[apps][timing]") {
  auto link = timed("link", {waited(task_phase::slot, 3000, 5000), ran(5000, 5100)});
  link.for_others = std::chrono::milliseconds{3000};
  link.last_of_them = "Build / compile";
  CHECK_THAT(timing_text({timed("compile", {ran(0, 3000)}), link,
                          timed("ask", {waited(task_phase::question, 0, 1500), ran(1500, 1600)}),
                          timed("again", {waited(task_phase::backoff, 0, 1000), ran(1000, 1100)}),
                          timed("soon", {waited(task_phase::slot, 0, 900), ran(900, 1000)})}),
             ContainsSubstring("longest waits: Build / link 3.00s for Build / compile, "
                               "Build / link 2.00s for a slot, Build / ask 1.50s for an answer\n"));
}

TEST_CASE("a trace has an event for each phase, and rows without overlap", "[apps][timing]") {
  const auto trace = boost::json::parse(draw_trace(
      {timed("a", {ran(0, 100)}), timed("b", {ran(50, 200)}),
       timed("c", {waited(task_phase::slot, 90, 100), ran(100, 120)}), timed("never began", {})}));
  std::string rows;
  for (const auto& event : trace.at("traceEvents").as_array())
    if (event.at("ph") == "X")
      rows += std::string(event.at("name").as_string()) + std::to_string(event.at("tid").as_int64())
              + " ";
  CHECK(rows == "a1 b2 c3 c3 ");
  const auto& first = trace.at("traceEvents").at(1);
  CHECK(first.at("ts") == 1'000'000);
  CHECK(first.at("dur") == 100'000);
  CHECK(trace.at("traceEvents").at(0).at("args").at("name") == "Build");
}

TEST_CASE("a page of a timeline has the drawing and a table of the times", "[apps][timing]") {
  const auto page = draw_timeline_page(
      {timed("<b>", {waited(task_phase::slot, 0, 500), ran(500, 1500)}), timed("c", {})}, "A & b");
  CHECK_THAT(page, StartsWith("<!DOCTYPE html>") && EndsWith("</html>\n"));
  CHECK_THAT(page, ContainsSubstring("<title>A &amp; b</title>") && ContainsSubstring("<svg "));
  CHECK_THAT(page, ContainsSubstring(
                       "<tr><td>Build / &lt;b&gt;</td><td>completed</td>"
                       "<td>0.00s</td><td>1.00s</td><td></td><td>0.50s</td><td></td><td></td>"
                       "<td>1</td></tr>"));
  CHECK_THAT(page, !ContainsSubstring("Build / c"));
  CHECK_THAT(draw_timeline_page({}, "Nothing"), EndsWith("</html>\n"));
}

TEST_CASE("a timeline has a row for each task that began", "[apps][timing]") {
  const auto drawn = draw_timeline({timed("<b>", {ran(0, 100)}), timed("c", {})}, "Ship & go");
  CHECK_THAT(drawn, StartsWith("<svg ") && EndsWith("</svg>\n"));
  CHECK_THAT(drawn, ContainsSubstring("Ship &amp; go, 0.10s"));
  CHECK_THAT(drawn, ContainsSubstring("Build / &lt;b&gt;: running, attempt 1, 0.10s"));
  CHECK_THAT(drawn, !ContainsSubstring("Build / c"));
  CHECK_THAT(draw_timeline({}, "Nothing"), EndsWith("</svg>\n"));
}
