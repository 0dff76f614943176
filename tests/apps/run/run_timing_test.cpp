#include "apps/run/run_timing.hpp"
#include "protocol/fold/span_reason.hpp"
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

TEST_CASE("the wait for the first slot is a phase", "[apps][timing]") {
  task record;
  record.status = {task_state::completed, nullptr, at(500)};
  record.attempt = 1;
  record.ready_at = at(50);
  record.since = at(200);
  CHECK(spans_of(record) == std::vector{waited(task_phase::slot, 50, 200), ran(200, 500)});
  record.status.state = task_state::working; // The run is not over.
  CHECK(spans_of(record) == std::vector{waited(task_phase::slot, 50, 200)});
  record.details.edit().spans = {ran(200, 300)};
  CHECK(spans_of(record) == std::vector{waited(task_phase::slot, 50, 200), ran(200, 300)});
  record.details.edit().spans_dropped = 1; // What was before is not known.
  CHECK(spans_of(record) == std::vector{ran(200, 300)});
  record.details.edit() = {};
  record.details.edit().spans = {waited(task_phase::pause, 50, 150), // It was created so.
                                 waited(task_phase::slot, 150, 200)};
  CHECK(spans_of(record)
        == std::vector{waited(task_phase::pause, 50, 150), waited(task_phase::slot, 150, 200)});
  task waits;
  waits.ready_at = at(50);
  waits.since = at(60);
  CHECK(spans_of(waits).empty());
}

TEST_CASE("the last attempt of a task has its questions, and no earlier attempt",
          "[apps][timing]") {
  task record;
  record.status = {task_state::completed, nullptr, at(900)};
  record.attempt = 2;
  record.ready_at = at(0);
  record.since = at(800);
  record.details.edit().spans = {ran(100, 300),
                                 waited(task_phase::backoff, 300, 400),
                                 ran(400, 500, 2),
                                 {task_phase::question, 2, at(500), at(800), {}}};
  CHECK(last_attempt_of(record) == ran(400, 900, 2));
  task soon;
  soon.status = {task_state::completed, nullptr, at(900)};
  soon.attempt = 1;
  soon.ready_at = soon.since = at(900);
  CHECK(last_attempt_of(soon) == ran(900, 900));
}

TEST_CASE("what began before a retry is not of its time", "[apps][timing]") {
  auto spec = std::make_shared<plan_spec>();
  spec->name = "P";
  for (const auto* name : {"a", "b"}) {
    auto one = task_named(name);
    one.id = task_id(std::string("o.p0.") + name);
    spec->tasks.push_back(std::move(one));
  }
  auto* depends = &spec->tasks.edit(1);
  depends->dependencies = {"a"};
  depends->dependency_indexes = {0};
  objective_view view;
  view.id = objective_id("o");
  view.created = at(0);
  plan_view plan;
  plan.spec = spec;
  plan.tasks =
      std::vector<task_summary>(2, task_summary{.state = task_state::completed, .attempt = 1});
  view.plans.push_back(std::move(plan));
  const auto first = view.plans[0].task_at(0);
  const record_reader records([&](const task_id& id) -> result<task_ptr> {
    auto record = std::make_shared<task>();
    record->attempt = 1;
    record->since = id == first ? at(100) : at(9000);
    record->status = {task_state::completed, nullptr, id == first ? at(5000) : at(9500)};
    return record;
  });
  auto all = read_timing(records, view);
  REQUIRE(all.size() == 2);
  CHECK(all[0].spans == std::vector{ran(100, 5000)});
  CHECK(all[1].for_others == std::chrono::milliseconds{5000});
  all = read_timing(records, view, {}, {{at(1000), at(4000)}, {at(9200), at(9300)}});
  CHECK(all[0].spans == std::vector{ran(100, 1000), ran(4000, 5000)});
  CHECK(all[1].spans == std::vector{ran(9000, 9200), ran(9300, 9500)});
  CHECK(all[1].for_others == std::chrono::milliseconds{2000});
  all = read_timing(records, view, at(8000));
  CHECK(all[0].spans.empty());
  CHECK(all[1].spans == std::vector{ran(9000, 9500)});
  CHECK(all[1].for_others == std::chrono::milliseconds{0});
}

TEST_CASE("what an earlier run did is no part of the critical path of a retry", "[apps][timing]") {
  run_model model;
  objective_view view;
  view.id = objective_id("o");
  view.created = at(0);
  plan_view plan;
  plan.spec = plan_named("P", {task_named("a"), task_named("b")});
  plan.tasks = std::vector<task_summary>{task_summary{.state = task_state::completed, .attempt = 1},
                                         task_summary{}};
  view.plans.push_back(std::move(plan));
  model.reset(view); // As it is when a retry begins: submitted.
  model.measured(0, 0, at(100), at(5000));
  change began;
  began.context = "o";
  began.at = at(8000);
  began.events.push_back(objective_moved{objective_event::work, ""});
  model.apply(began);
  CHECK(measured_critical_path(model) == std::chrono::milliseconds{0});
  model.measured(0, 0, at(8100), at(8200));
  CHECK(measured_critical_path(model) == std::chrono::milliseconds{100});
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

TEST_CASE("the time in which nothing ran a run is told apart", "[apps][timing]") {
  const std::vector<stopped_time> stopped{{at(1000), at(4000)}, {at(9000), at(9500)}};
  CHECK(stopped_in(stopped, {}) == std::chrono::milliseconds{3500});
  CHECK(stopped_in(stopped, at(2000), at(9100)) == std::chrono::milliseconds{2100});
  CHECK(stopped_in(stopped, at(4000), at(9000)) == std::chrono::milliseconds{0});
  const std::vector<timed_task> one{timed("a", {ran(0, 9000)})};
  CHECK(timing_text(one, std::chrono::minutes{123}) == "not running 2h03m\n");
  CHECK(timing_text(one, std::chrono::milliseconds{999}).empty());
}

TEST_CASE("an attempt that a restart has interrupted is no time in which its task ran",
          "[apps][timing]") {
  auto lost = ran(0, 60'000);
  lost.reason = interrupted_reason;
  const std::vector<timed_task> tasks{timed("a", {lost, ran(60'000, 62'000, 2)}),
                                      timed("b", {ran(0, 3000)}), timed("c", {ran(0, 1000)})};
  CHECK(timing_text(tasks) == "slowest: Build / b 3.00s, Build / a 2.00s, Build / c 1.00s\n");
  const auto page = draw_timeline_page(tasks, "Build");
  CHECK_THAT(page, ContainsSubstring("<td>Build / a</td><td>completed</td><td>0.00s</td>"
                                     "<td>2.00s</td>"));
  CHECK_THAT(page, ContainsSubstring("was interrupted, until it began again"));
  const auto trace = boost::json::parse(draw_trace({tasks[0]}));
  const auto& first = trace.at("traceEvents").at(1);
  CHECK(first.at("cname") == "grey");
  CHECK(first.at("args").at("ended") == "interrupted by a restart");
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
  CHECK_THAT(page,
             ContainsSubstring(
                 "<tr><td>Build / &lt;b&gt;</td><td>completed</td>"
                 "<td>0.00s</td><td>1.00s</td><td></td><td>0.50s</td><td></td><td></td><td></td>"
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
