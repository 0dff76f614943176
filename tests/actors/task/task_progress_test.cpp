// What becomes of an agent's progress: merged to the declared rate, the last value before the end,
// bad reports refused (task-progress v1 sections 5 and 6).
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"
#include <troupe/actors/gateway.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

report_progress at(double value, double total = 100) {
  progress_tracker tracker;
  tracker.id = "a";
  tracker.progress = value;
  tracker.total = total;
  progress_report report;
  report.trackers.push_back(tracker);
  return {report};
}

/// A lone task of `held` and what is seen of it.
struct scene {
  explicit scene(executor_options options = {}) : bed(options) {
    bed.agents.default_agent = "held";
    send_message command;
    command.message.message_id = "m1";
    command.message.from = role::user;
    command.message.parts.push_back(text_part("go"));
    awaited<sent> done;
    bed.main_gateway().send(std::move(command), seen, done.to());
    id = done.get().value().task;
    port = bed.held->port("");
  }

  /// "1 5 TASK-STATE ...": the first tracker's progress of each report, and each state the task
  /// moved to.
  std::string course() {
    std::string out;
    seen->wait([&](const std::vector<change_ptr>& all) {
      out.clear();
      for (const auto& one : all)
        for (const auto& fact : one->events)
          if (const auto* moved = std::get_if<task_moved>(&fact))
            out += (out.empty() ? "" : " ") + std::string{to_string(moved->to)};
          else if (const auto* progress = std::get_if<task_progress>(&fact))
            out += " "
                   + std::to_string(
                       static_cast<int>(progress->progress->trackers.at(0).progress.value_or(-1)));
      return true;
    });
    return out;
  }

  actor_bed bed;
  std::shared_ptr<recorder> seen = std::make_shared<recorder>();
  task_id id;
  agent_port_ptr port;
};

std::mutex lines_mutex;
std::vector<std::string> lines;

} // namespace

TEST_CASE("the last progress is a fact before the task ends, and most in between is merged",
          "[actors][progress]") {
  for (const bool fails : {false, true}) {
    scene it;
    for (int i = 1; i <= 100; ++i)
      it.port->report(at(i));
    if (fails)
      it.port->report(report_failed{"no", false});
    else
      it.port->report(report_completed{});
    it.seen->wait_for(fails ? task_state::failed : task_state::completed);
    const auto course = it.course();
    CHECK_THAT(course, Catch::Matchers::StartsWith("working 1 "));
    CHECK_THAT(course, Catch::Matchers::EndsWith(fails ? " 100 failed" : " 100 completed"));
    CHECK(std::count(course.begin(), course.end(), ' ') < 50);
    CHECK(find_task(it.bed.records(), it.id)->progress == nullptr);
  }
}

TEST_CASE("progress that waits becomes a fact by itself", "[actors][progress]") {
  scene it;
  it.port->report(at(1));
  it.port->report(at(2));
  it.port->report(at(3));
  it.seen->wait([](const std::vector<change_ptr>& all) {
    for (const auto& one : all)
      for (const auto& fact : one->events)
        if (const auto* progress = std::get_if<task_progress>(&fact);
            progress && progress->progress->trackers[0].progress == 3.0)
          return true;
    return false;
  });
  CHECK(find_task(it.bed.records(), it.id)->progress->trackers[0].progress == 3.0);
}

TEST_CASE("progress before a question is shown before it, progress meanwhile after the answer",
          "[actors][progress]") {
  scene it;
  it.port->report(at(1));
  it.port->report(at(2));
  it.port->report(report_question{"which?", false});
  it.port->report(at(3));
  it.seen->wait_for(task_state::input_required);
  send_message answer;
  answer.message.from = role::user;
  answer.message.parts.push_back(text_part("this"));
  answer.message.task_id = it.id.str();
  awaited<sent> done;
  it.bed.main_gateway().send(std::move(answer), nullptr, done.to());
  REQUIRE(done.get());
  it.port->report(report_completed{});
  it.seen->wait_for(task_state::completed);
  CHECK(it.course() == "working 1 2 input-required working 3 completed");
}

TEST_CASE("P4_invalid: progress that breaks a rule is refused, logged once, and harms nothing",
          "[actors][progress]") {
  lines.clear();
  executor_options options;
  options.warn = [](const std::string& line) {
    const std::lock_guard lock{lines_mutex};
    lines.push_back(line);
  };
  scene it(options);
  it.port->report(at(5));
  it.port->report(at(4));    // went back
  it.port->report(at(101));  // above its total
  it.port->report(at(1, 0)); // total 0
  it.port->report(at(6));
  it.port->report(report_completed{});
  it.seen->wait_for(task_state::completed);
  CHECK(it.course() == "working 5 6 completed");
  const std::lock_guard lock{lines_mutex};
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], ContainsSubstring(it.id.str()));
  CHECK_THAT(lines[0], ContainsSubstring("went back"));
}

TEST_CASE("a canceled task's last progress is kept with it", "[actors][progress]") {
  scene it;
  it.port->report(at(1));
  it.port->report(at(2));
  it.seen->wait([](const auto& all) { return all.size() >= 2; });
  awaited<task_ptr> done;
  it.bed.main_gateway().cancel(cancel_task{{}, it.id, {}}, done.to());
  REQUIRE(done.get());
  CHECK(it.course() == "working 1 2 canceled");
}
