#include "apps/command_line.hpp"
#include "apps/plan/plan_text_command.hpp"
#include "tests/support/catch.hpp"

#include <string_view>
#include <variant>

using namespace troupe;

namespace {

std::string explained(std::string_view text) {
  planner::planning_request request;
  request.text = text;
  request.is_active = true;
  planner::planning_settings settings;
  settings.templates = planner::shipped_templates();
  return plan_explanation(planner::read_text(text), *planner::decide(request, settings));
}

} // namespace

TEST_CASE("what is read is shown with the sentence that says it", "[apps][plan]") {
  CHECK(explained("Cook:\n1. Buy rice (5 min)\n2. Cook rice\nStep 1 must precede step 2.")
        == "objective: Cook\n"
           "tasks:\n"
           "  1. Buy rice (5 minutes)\n"
           "  2. Cook rice\n"
           "dependencies:\n"
           "  1 -> 2  \"Step 1 must precede step 2.\"\n"
           "assumed:\n"
           "  the text says an order, so tasks wait for nothing else than it says\n"
           "verdict: an objective (grammar)\n"
           "  the message names no task\n"
           "  it brings no objective and no plan\n"
           "  the client leaves it to the server\n"
           "  no template fits\n"
           "  the grammar finds 2 tasks and understands every sentence\n");
}

TEST_CASE("what is not understood is shown with the reason", "[apps][plan]") {
  const auto shown_text = explained("1. Buy rice\n2. Cook rice\nStep 2 does not depend on step 1.");
  CHECK(
      shown_text.find("not understood:\n  \"Step 2 does not depend on step 1.\": what must not be "
                      "\"depend on\" says nothing about another order\n")
      != std::string::npos);
  CHECK(shown_text.find("verdict: a plain task (nobody)\n") != std::string::npos);
}

TEST_CASE("the plans of a template are shown", "[apps][plan]") {
  const auto shown_text = explained("Research AI safety papers and write a summary");
  CHECK(shown_text.starts_with("objective: Research AI safety papers and write a summary\n"
                               "plans:\n"
                               "  plan-0 Research\n"
                               "    task-0 Search papers\n"
                               "    task-1 Summarize findings (after task-0)\n"
                               "  plan-1 Writing (after plan-0)\n"
                               "    task-0 Write summary\n"
                               "verdict: an objective (template)\n"));
}

TEST_CASE("plan takes a text and its flags", "[apps][command_line]") {
  const char* words[] = {
      "troupe", "plan", "a b", "--json", "--template", "t", "--param", "x=1", "--prefer-objective"};
  const auto read = read_command_line(9, words);
  REQUIRE(std::holds_alternative<plan_text_options>(read));
  const auto& options = std::get<plan_text_options>(read);
  CHECK(options.input == "a b");
  CHECK(options.json);
  CHECK(options.prefers_objective);
  CHECK(options.template_name == "t");
  CHECK(options.params.size() == 1);
  const char* both[] = {"troupe", "plan", "a b", "--json", "--as-text"};
  CHECK(std::holds_alternative<finished>(read_command_line(5, both)));
}
