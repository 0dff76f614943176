#include "agents/command/program_output.hpp"
#include "apps/run/result_files.hpp"
#include "apps/run/run_ending.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace troupe;

namespace {

artifact_ptr made(std::string name, std::vector<part> parts) {
  auto out = std::make_shared<artifact>();
  out->name = std::move(name);
  out->parts = std::move(parts);
  return out;
}

run_ending ending_with(std::vector<artifact_ptr> artifacts) {
  run_ending out;
  out.results.push_back({"Hello", "greet", std::move(artifacts)});
  return out;
}

std::string results_of(const run_ending& ending, std::size_t lines_max = 0) {
  std::string out;
  append_results(out, ending, {false, lines_max});
  return out;
}

std::string failures_of(const run_ending& ending) {
  std::string out;
  append_failures(out, ending, {});
  return out;
}

/// The record of a task whose program wrote `log` and ended as `reason` says.
task failed_task(const std::string& reason, const std::string& log, const std::string& end) {
  task out;
  auto status = std::make_shared<message>();
  status->parts.push_back(text_part(reason));
  out.status.message = status;
  if (!log.empty()) {
    auto said = std::make_shared<message>();
    said->parts.push_back(text_part(log));
    said->metadata[program_log_key] = boost::json::object{{"attempt", 1}, {"end", end}};
    out.history.push_back(said);
  }
  return out;
}

std::string shown(const std::string& reason, const std::string& log, const std::string& end) {
  run_ending ending;
  ending.failures.push_back(failure_of(failed_task(reason, log, end), "P / t"));
  return failures_of(ending);
}

const std::string at = "2026-11-23T07:11:43.483Z ";

} // namespace

TEST_CASE("results are shown below the name of their task", "[apps][ending]") {
  CHECK(results_of(ending_with({made("out", {text_part("Hello, world")})}))
        == "--- Hello / greet\nHello, world\n");
  CHECK(results_of(ending_with({made("a", {text_part("1\n\n2\n")}), made("b", {text_part("3")})}))
        == "--- Hello / greet: a\n1\n\n2\n--- Hello / greet: b\n3\n");
  CHECK(results_of(ending_with({made("x", {data_part({{"n", 1}})})}))
        == "--- Hello / greet\n{\"n\":1}\n");
  CHECK(results_of(run_ending{}).empty());
  CHECK(results_of(ending_with({made("stdout", {text_part("")}), made("none", {})})).empty());
}

TEST_CASE("what is shown drives no terminal, and bytes are counted", "[apps][ending]") {
  CHECK(results_of(ending_with({made("x", {text_part("a\x1b[2Jb")})}))
        == "--- Hello / greet\na[2Jb\n");
  CHECK(results_of(ending_with({made("x", {part{raw_content{"\x01\x02"}, "image/png", {}, {}}})}))
        == "--- Hello / greet\n(2 bytes of image/png; --output-dir DIR writes them to a file)\n");
}

TEST_CASE("a long result is cut, and says how to see it all", "[apps][ending]") {
  const auto ending = ending_with({made("x", {text_part("1\n2\n3\n4\n")})});
  CHECK(results_of(ending, 2)
        == "--- Hello / greet\n1\n2\n... 2 more lines (--output results shows all)\n");
  auto many = ending;
  many.results_left_out = 3;
  CHECK_THAT(results_of(many),
             EndsWith("... 3 more tasks with results (--output results shows all)\n"));
}

TEST_CASE("a failed program shows the end of both streams once, with line breaks",
          "[apps][ending]") {
  CHECK(shown("exited with 2: a.c:1: error\nmake: Error",
              at + "stdout cc a.c\n" + at + "stderr a.c:1: error\n" + at + "stderr make: Error\n",
              "exited with 2")
        == "failed: P / t: exited with 2\n  cc a.c\n  a.c:1: error\n  make: Error\n");
}

TEST_CASE("a single line that the reason has is not repeated", "[apps][ending]") {
  CHECK(shown("exited with 3: disk full", at + "stderr disk full\n", "exited with 3")
        == "failed: P / t: exited with 3: disk full\n");
  CHECK(shown("no disk", {}, {}) == "failed: P / t: no disk\n");
}

TEST_CASE("a program's own word on its failure counts more than its exit", "[apps][ending]") {
  CHECK(shown("no luck", at + "stderr a\n" + at + "stderr b\n", "exited with 1")
        == "failed: P / t: no luck\n  a\n  b\n");
  CHECK(shown("no luck", at + "stderr a\n", "") == "failed: P / t: no luck\n  a\n");
}

TEST_CASE("a program that was stopped shows what it wrote until then", "[apps][ending]") {
  CHECK(shown("timed out after 1s", at + "stdout half\n", "killed by SIGTERM")
        == "failed: P / t: timed out after 1s\n  half\n");
  auto record = failed_task("there is no such program", at + "stdout first\n", "exited with 1");
  record.attempt = 2; // Which did not begin to write.
  CHECK(failure_of(record, "P / t").lines.empty());
}

TEST_CASE("what a program wrote is read from all messages of its last attempt", "[apps][ending]") {
  auto record = failed_task("exited with 2: late", at + "stderr old\n", "exited with 1");
  for (const auto& [text, about] : std::vector<std::pair<std::string, boost::json::object>>{
           {at + "stdout soon\n", {{"attempt", 2}}},
           {at + "stderr late\n", {{"attempt", 2}, {"end", "exited with 2"}}}}) {
    auto said = std::make_shared<message>();
    said->parts.push_back(text_part(text));
    said->metadata[program_log_key] = about;
    record.history.push_back(said);
  }
  const auto failure = failure_of(record, "P / t");
  CHECK(failure.reason == "exited with 2");
  CHECK(failure.lines == std::vector<std::string>{"soon", "late"});
}

TEST_CASE("a reason that is too wide for the terminal goes on in another line", "[apps][ending]") {
  run_ending ending;
  ending.failures.push_back({"P / t", "one two three", {"as wide as the program wrote it"}});
  ending_options options;
  options.columns = 20;
  std::string out;
  append_failures(out, ending, options);
  CHECK(out == "failed: P / t: one\n  two three\n  as wide as the program wrote it\n");
  options.colour = true;
  out.clear();
  append_failures(out, ending, options);
  CHECK(out.starts_with("\x1b[31mfailed:\x1b[0m P / t: one\n"));
}

TEST_CASE("of each stream of a failed program the last lines are shown", "[apps][ending]") {
  std::string log = at + "stderr first\n";
  for (int i = 0; i < 100; ++i)
    log += at + "stdout " + std::to_string(i) + "\n";
  const auto failure = failure_of(failed_task("exited with 1: first", log, "exited with 1"), "x");
  REQUIRE(failure.lines.size() == 2 + failure_lines_max);
  CHECK(failure.lines[0] == "...");
  CHECK(failure.lines[1] == "first");
  CHECK(failure.lines[2] == "80");
  CHECK(failure.lines.back() == "99");
}

TEST_CASE("in the log of a workflow what is of one task is a group, and no command to the runner",
          "[apps][ending]") {
  ending_options options;
  options.workflow_token = "x7";
  std::string out;
  append_results(out, ending_with({made("a", {text_part("1\n")}), made("b", {text_part("2")})}),
                 options);
  CHECK(out
        == "::group::Hello / greet: a\n::stop-commands::x7\n1\n::x7::\n::endgroup::\n"
           "::group::Hello / greet: b\n::stop-commands::x7\n2\n::x7::\n::endgroup::\n");
  run_ending ending;
  ending.failures.push_back({"P / t", "exited with 2", {"cc a.c", "make: Error"}});
  ending.failures.push_back({"P / u", "no disk", {}});
  out.clear();
  append_failures(out, ending, options);
  CHECK(out
        == "failed: P / t: exited with 2\n::group::what P / t wrote\n::stop-commands::x7\n"
           "  cc a.c\n  make: Error\n::x7::\n::endgroup::\nfailed: P / u: no disk\n");
}

TEST_CASE("results that cannot be read are named with the reason, and not left out in silence",
          "[apps][ending]") {
  auto spec = std::make_shared<plan_spec>();
  spec->name = "P";
  for (std::size_t i = 0; i < unread_shown_max + 3; ++i) {
    task_spec one;
    one.name = "t" + std::to_string(i);
    one.id = task_id("o.p0." + one.name);
    spec->tasks.push_back(std::move(one));
  }
  objective_view view;
  view.id = objective_id("o");
  plan_view plan;
  plan.spec = spec;
  task_summary slot;
  slot.has_artifacts = true;
  plan.tasks = std::vector<task_summary>(spec->tasks.size(), slot);
  view.plans.push_back(std::move(plan));
  const auto first = view.plans[0].task_at(0);
  const record_reader records([&](const task_id& id) -> result<task_ptr> {
    if (id == first)
      return std::make_shared<const task>();
    return make_error(errc::unavailable, "nobody answers");
  });
  const auto ending = read_ending(records, view, output_choice::all);
  CHECK(ending.results.size() == 1);
  REQUIRE(ending.unread.size() == unread_shown_max + 2);
  const auto lines = unread_lines(ending.unread);
  REQUIRE(lines.size() == unread_shown_max + 1);
  CHECK(lines.front() == "the results of P / t1 cannot be read: nobody answers");
  CHECK(lines.back() == "the results of 2 more tasks cannot be read");
  CHECK(unread_lines({}).empty());

  const troupe::testing::temporary_directory place;
  const auto written = write_results(place.path().string(), records, view, output_choice::all);
  REQUIRE_FALSE(written.has_value());
  CHECK_THAT(written.error().message,
             EndsWith("the results of P / t1 are missing: nobody answers"));
}

TEST_CASE("failures that are not listed are counted", "[apps][ending]") {
  run_ending ending;
  ending.failures.push_back({"P / t", "boom\x1b[0m", {}});
  ending.failures_left_out = 1;
  ending.show_command = "troupe show k3v9";
  CHECK(failures_of(ending)
        == "failed: P / t: boom[0m\nfailed: 1 more task (`troupe show k3v9 --output failed` "
           "shows all)\n");
}
