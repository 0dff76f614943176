#include "apps/run/tree_layout.hpp"
#include "apps/run/tree_view.hpp"
#include "apps/terminal/text.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

std::vector<task_spec> many(std::size_t n, const std::string& name) {
  std::vector<task_spec> out;
  for (std::size_t i = 0; i < n; ++i)
    out.push_back(task_named(name + std::to_string(i)));
  return out;
}

run_bed blog() {
  run_bed bed({plan_named("Research", {task_named("Search"), task_named("Read")}),
               plan_named("Writing",
                          {task_named("Outline"), task_named("Draft"), task_named("Title"),
                           task_named("Edit")},
                          {"Research"}),
               plan_named("Publish", {task_named("Upload")}, {"Writing"})},
              "Blog post");
  bed.plan(0, 0, plan_state::working);
  bed.move(0, 0, 0, task_state::completed);
  bed.move(0, 0, 1, task_state::working);
  bed.move(500, 0, 1, task_state::completed);
  bed.plan(500, 0, plan_state::completed);
  bed.plan(500, 1, plan_state::working);
  bed.move(500, 1, 0, task_state::working);
  bed.move(900, 1, 0, task_state::completed);
  bed.move(900, 1, 1, task_state::working, 1);
  bed.move(1000, 1, 1, task_state::working, 2);
  bed.move(1000, 1, 2, task_state::input_required, 1, "Which title?");
  bed.tell_task(1100, 1, 1,
                task_progress{std::make_shared<progress_report>(
                    progress_report{{tracker("words", 300, 600, "writing")}, std::nullopt})});
  return bed;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& each : lines)
    out += each + "\n";
  return out;
}

} // namespace

TEST_CASE("the heading says which revision of the structure is shown, after a change",
          "[apps][tree_view]") {
  auto bed = blog();
  const auto heading = [&] {
    return draw_tree(bed.model, {.width = 80, .height = 24, .colour = false, .unicode = false},
                     at(1500))
        .front();
  };
  CHECK_THAT(heading(), !ContainsSubstring("revision"));
  bed.tell(1200, plan_changed{0, {rename_task<std::uint32_t>{0, "Find"}}, "", "", 2});
  CHECK_THAT(heading(), EndsWith("working  1.50s  revision 2"));
}

TEST_CASE("a run in the middle looks like this", "[apps][tree_view]") {
  const auto bed = blog();
  CHECK(joined(draw_tree(bed.model, {.width = 80, .height = 24, .colour = false, .unicode = false},
                         at(1500)))
        == "Blog post                                                         working  1.50s\n"
           "#############-------------  50%  1 running, 1 asking, 2 waiting, 3 done\n"
           "+ Research   ############     2/2   0.50s\n"
           "  + Search                          0.00s\n"
           "  + Read                            0.50s\n"
           "* Writing    ###---------     1/4   1.00s\n"
           "  + Outline                         0.40s\n"
           "  * Draft    ######------     50%   0.50s  attempt 2  writing\n"
           "  ? Title                           0.50s  waits for an answer  Which title?\n"
           "  . Edit\n"
           ". Publish    ------------     0/1\n"
           "  . Upload\n");
}

TEST_CASE("the bar of what did not complete shows what has completed only", "[apps][tree_view]") {
  auto bed = run_bed(
      {plan_named("Failed", {task_named("a"), task_named("b"), task_named("c"), task_named("d")}),
       plan_named("Never", {task_named("e"), task_named("f")})},
      "Half");
  bed.plan(0, 0, plan_state::working);
  bed.move(0, 0, 0, task_state::working);
  bed.move(100, 0, 0, task_state::completed);
  bed.move(100, 0, 1, task_state::working);
  bed.move(200, 0, 1, task_state::failed);
  bed.tell(200, tasks_withdrawn{0, {2, 3}, task_state::canceled, "", {}, {}});
  bed.plan(200, 0, plan_state::failed);
  bed.tell(200, tasks_withdrawn{1, {0, 1}, task_state::canceled, "", {}, {}});
  bed.plan(200, 1, plan_state::skipped);
  bed.tell(200, objective_moved{objective_event::fail, ""});
  const auto lines =
      draw_tree(bed.model, {.width = 80, .height = 24, .colour = false, .unicode = false}, at(500));
  CHECK_THAT(lines[1], StartsWith("####----------------------  16%  1 done, 1 failed, 2 canceled"));
  CHECK_THAT(lines[2], StartsWith("x Failed     ###---------     1/4"));
  CHECK_THAT(joined(lines), ContainsSubstring("- Never      ------------     0/2"));
}

TEST_CASE("a run that nothing runs is drawn as it was left", "[apps][tree_view]") {
  auto bed = blog();
  bed.model.leave("interrupted");
  const auto text = joined(draw_tree(
      bed.model, {.width = 80, .height = 24, .colour = false, .unicode = true}, at(1500)));
  CHECK_THAT(text, ContainsSubstring("interrupted  1.50s\n") && ContainsSubstring("1 interrupted, ")
                       && ContainsSubstring("◌ Writing") && ContainsSubstring("◌ Draft"));
}

TEST_CASE("the last line of a program that runs is grey, and red if it has failed",
          "[apps][tree_view]") {
  auto bed = run_bed({plan_named("Plan", {task_named("compile")})}, "Build");
  bed.plan(0, 0, plan_state::working);
  bed.move(0, 0, 0, task_state::working);
  bed.tell_task(10, 0, 0,
                task_progress{std::make_shared<progress_report>(
                    progress_report{{}, progress_aggregate{{}, {}, "cc main.c"}})});
  const view_options how{.width = 80, .height = 24, .colour = true, .unicode = true};
  CHECK_THAT(joined(draw_tree(bed.model, how, at(500))),
             ContainsSubstring("\x1b[2m  cc main.c\x1b[0m"));
  bed.move(600, 0, 0, task_state::failed, 1, "exited with 1");
  CHECK_THAT(joined(draw_tree(bed.model, how, at(700))),
             ContainsSubstring("\x1b[31m  exited with 1\x1b[0m"));
}

TEST_CASE("a right-to-left name moves neither marks nor times", "[apps][tree_view]") {
  const std::string name = "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d";
  auto bed = run_bed({plan_named("Plan", {task_named(name), task_named("Name")})}, "Trip");
  bed.plan(0, 0, plan_state::working);
  for (std::uint32_t t = 0; t < 2; ++t) {
    bed.move(0, 0, t, task_state::working);
    bed.move(500, 0, t, task_state::completed);
  }
  auto lines =
      draw_tree(bed.model, {.width = 80, .height = 24, .colour = false, .unicode = true}, at(1500));
  REQUIRE(lines.size() == 5);
  auto& hebrew = lines[3];
  const auto found = hebrew.find("\xe2\x81\xa8" + name + "\xe2\x81\xa9");
  REQUIRE(found != std::string::npos);
  hebrew.replace(found, name.size() + 6, "Name");
  CHECK(hebrew == lines[4]);
}

TEST_CASE("ended and pending plans shrink to a line before anything that runs is hidden",
          "[apps][tree_view]") {
  const auto bed = blog();
  CHECK(joined(draw_tree(bed.model, {.width = 60, .height = 8, .colour = false, .unicode = false},
                         at(1500)))
        == "Blog post                                     working  1.50s\n"
           "##########----------  50%  1 running, 1 asking, 2 waiting, ~\n"
           "+ Research   ########     2/2   0.50s\n"
           "* Writing    ##------     1/4   1.00s\n"
           "  * Draft    ####----     50%   0.50s  attempt 2  writing\n"
           "  ? Title                       0.50s  waits for an answer ~\n"
           "  ... 1 waiting, 1 done\n"
           ". Publish    --------     0/1\n");
}

TEST_CASE("no line is ever wider and no screen ever higher than the terminal",
          "[apps][tree_view]") {
  auto bed =
      run_bed({plan_named("日本語のとても長い計画の名前", many(40, "🚀 a rather long task name ")),
               plan_named("evil\x1b[2J\nname", many(3, "x")), plan_named("three", many(100, "t"))},
              "An objective with a name that is longer than most terminals are wide, surely");
  for (std::uint32_t i = 0; i < 20; ++i) {
    bed.move(0, 0, i, task_state::working);
    bed.tell_task(1, 0, i,
                  task_progress{std::make_shared<progress_report>(progress_report{
                      {tracker("a", 1, 2), tracker("b", 3, 0.5), tracker("c", 5, 10, "m")}, {}})});
  }
  bed.plan(0, 0, plan_state::working);
  bed.plan(0, 2, plan_state::failed, "because");
  for (const bool unicode : {true, false})
    for (std::size_t width = 0; width < 140; width += 3)
      for (std::size_t height = 0; height < 50; height += 1) {
        const auto lines = draw_tree(
            bed.model, {.width = width, .height = height, .colour = false, .unicode = unicode},
            at(100));
        CHECK(lines.size() <= height);
        for (const auto& line : lines) {
          CHECK(display_width(line) <= width);
          CHECK(line == clean_line(line));
        }
      }
}

TEST_CASE("every task is either shown or counted in a fold", "[apps][tree_view]") {
  auto bed = run_bed({plan_named("wide", many(1000, "w")), plan_named("other", many(5, "o"))});
  bed.plan(0, 0, plan_state::working);
  for (std::uint32_t i = 0; i < 37; ++i)
    bed.move(0, 0, i, task_state::completed);
  for (std::uint32_t i = 37; i < 40; ++i)
    bed.move(0, 0, i, task_state::working);
  bed.move(0, 0, 500, task_state::failed);
  const auto lines = lay_out(bed.model, 12);
  CHECK(lines.size() == 12);
  std::size_t shown = 0;
  std::size_t hidden = 0;
  bool failed_shown = false;
  for (const auto& line : lines) {
    shown += line.kind == tree_line::row_kind::task && line.plan == 0;
    failed_shown =
        failed_shown
        || (line.kind == tree_line::row_kind::task && line.plan == 0 && line.task == 500);
    if (line.kind == tree_line::row_kind::folded_tasks)
      hidden += line.hidden.total();
  }
  CHECK(failed_shown);
  CHECK(shown + hidden == 1000);
}

TEST_CASE("with more plans than lines the busy ones stay", "[apps][tree_view]") {
  std::vector<plan_spec_ptr> plans;
  for (int i = 0; i < 50; ++i)
    plans.push_back(plan_named("p" + std::to_string(i), many(2, "t")));
  run_bed bed(plans);
  for (std::uint32_t i = 0; i < 10; ++i)
    bed.plan(0, i, plan_state::completed);
  bed.plan(0, 30, plan_state::working);
  bed.move(0, 30, 0, task_state::working);
  const auto lines = lay_out(bed.model, 8);
  CHECK(lines.size() <= 8);
  const auto is = [&](tree_line::row_kind kind, std::uint32_t plan) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const auto& l) { return l.kind == kind && l.plan == plan; });
  };
  CHECK(is(tree_line::row_kind::plan, 30));
  CHECK(is(tree_line::row_kind::task, 30));
  REQUIRE(lines.back().kind == tree_line::row_kind::folded_plans);
  std::size_t shown = 0;
  for (const auto& line : lines)
    shown += line.kind == tree_line::row_kind::plan;
  CHECK(shown + lines.back().hidden.total() == 50);
}

TEST_CASE("colours only change how a line looks", "[apps][tree_view]") {
  const auto bed = blog();
  const auto plain =
      draw_tree(bed.model, {.width = 80, .height = 24, .colour = false, .unicode = true}, at(1500));
  auto coloured =
      draw_tree(bed.model, {.width = 80, .height = 24, .colour = true, .unicode = true}, at(1500));
  REQUIRE(plain.size() == coloured.size());
  bool any = false;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    auto& line = coloured[i];
    for (std::size_t esc; (esc = line.find('\x1b')) != std::string::npos;) {
      any = true;
      line.erase(esc, line.find('m', esc) - esc + 1);
    }
    while (!line.empty() && line.back() == ' ')
      line.pop_back();
    CHECK(line == plain[i]);
  }
  CHECK(any);
}

TEST_CASE("a bar is filled to its fraction and never beyond", "[apps][tree_view]") {
  CHECK(draw_bar(0.5, 4, false) == "##--");
  CHECK(draw_bar(2.0, 4, false) == "####");
  CHECK(draw_bar(-1.0, 4, false) == "----");
  CHECK(draw_bar(0.99, 4, false) == "###-");
  CHECK(draw_bar(0.0 / 0.0, 2, false) == "--");
  CHECK(draw_bar(1.0, 2, true) == "██");
}

TEST_CASE("counts are described without zeros", "[apps][tree_view]") {
  CHECK(describe(state_counts{}) == "0 done");
  CHECK(describe(state_counts{
            .pending = 1, .working = 2, .waiting = 1, .completed = 3, .failed = 4, .canceled = 5})
        == "2 running, 1 asking, 1 waiting, 3 done, 4 failed, 5 canceled");
}

TEST_CASE("what a failed task said is in the tree once", "[apps][tree_view]") {
  run_bed bed({plan_named("Build", {task_named("compile")})});
  bed.plan(0, 0, plan_state::working);
  bed.move(10, 0, 0, task_state::failed, 1, "exited with 1: no such file");
  bed.plan(10, 0, plan_state::failed, "task \"compile\" failed: exited with 1: no such file");
  const auto tree = joined(draw_tree(
      bed.model, {.width = 120, .height = 24, .colour = false, .unicode = false}, at(20)));
  CHECK_THAT(tree, ContainsSubstring("failed: task \"compile\" failed\n"));
  CHECK_THAT(tree, ContainsSubstring("exited with 1: no such file"));
  CHECK(tree.find("no such file") == tree.rfind("no such file"));
}
