// What the documents of the Objective-Plan-Task and Task Progress extensions say, and what was
// decided about it, has tests that are found by the name of the line. This is the list of those
// names; a name stands at the beginning of a title or a section, before a colon, or in a list of
// names there.
#include "tests/house/source_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

#include <array>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>

using namespace troupe::house;

namespace {

constexpr auto line_names = std::to_array<std::string_view>({
    // Requests that the documents print
    "O1_activation",
    "O1_again",
    "O2_create",
    "O3_get",
    "O4_list",
    "O5_plan_create",
    "O6_plan_update",
    "O6_tasks",
    "D1_plain",
    "D2_planned",
    "D3_simple",
    "D4_hierarchy",
    "D5_lifecycle",
    "D6_option_b",
    "D6_option_b_plan",
    "D7_hints",
    "U1_answer_by_context",
    "U2_replan",
    "U3_add_tasks",
    "U4_states",
    // Data model, keys, card, errors
    "M1_objective",
    "M2_states",
    "M3_plan",
    "M4_blocked_behind",
    "M5_skipped",
    "M6_keys",
    "M7_dependency_ids",
    "M8_message_keys",
    "M9_wrong_type",
    "M10_activation",
    "M11_other_uri",
    "M12_card",
    "M13_params",
    "M14_unknown",
    "M15_top_level",
    "M16_cycle",
    "M17_by_index",
    "M18_two_ids",
    "M19_versions",
    "M20_rest",
    "M21_revision",
    "M22_plain",
    "M23_restart",
    "M24_parallel",
    "M25_root_result",
    "M26_request_id",
    "M27_deadline",
    "M28_context",
    "M29_bookkeeping",
    "M30_list_filters",
    "C1_blog",
    "C2_migration",
    "C3_travel",
    "C4_party",
    "C5_tools",
    // Who decides
    "S1_question",
    "S2_two_steps",
    "S2_guess",
    "S3_list",
    "S4_minimal",
    "S5_prefer_none",
    "S6_name_only",
    "S7_fallback",
    "S8_question_inside",
    // Questions, changes, streams, progress, references
    "Q1_stream",
    "Q2_change",
    "Q3_blocked",
    "Q4_executor",
    "P1_places",
    "P2_inactive",
    "P3_vectors",
    "P4_invalid",
    "P5_status",
    "P6_rate",
    "P7_rollup",
    "F1_terminal",
    "F2_follow_up",
    "F3_unknown_reference",
    "F4_artifact",
    "F5_ambiguous",
    "F6_reach",
    // Sessions
    "X1_key",
    "X2_file",
    "X3_lines",
    "X4_state",
    "X5_append",
    "X6_same",
    "X7_archive",
    "X8_torn",
    // Tables: moves, errors, operations of a change
    "T_moves",
    "E_errors",
    "M_cells",
    "M_rules",
});

/// The names in the titles of all tests.
std::set<std::string> titled_names() {
  static const std::regex title(R"((TEST_CASE|SECTION)\(\s*"([^"]*))");
  static const std::regex name(R"([A-Z]\d*_\w+)");
  std::set<std::string> out;
  for (const auto& file : read_tree(troupe::testing::source_dir())) {
    if (!file.below("tests") || !file.ends_with("_test.cpp"))
      continue;
    for (std::sregex_iterator at(file.text.begin(), file.text.end(), title), end; at != end; ++at) {
      const auto text = (*at)[2].str();
      for (std::sregex_iterator one(text.begin(), text.end(), name); one != end; ++one)
        out.insert(one->str());
    }
  }
  return out;
}

} // namespace

TEST_CASE("every line of the extensions' documents has a test of its name", "[house][rules]") {
  const auto titled = titled_names();
  CHECK_FALSE(titled.contains("D0_no_such_line"));
  std::set<std::string_view> seen;
  for (const auto name : line_names) {
    CAPTURE(name);
    CHECK(titled.contains(std::string(name)));
    CHECK(seen.insert(name).second);
  }
}

TEST_CASE("every line of the contract of remote_agent has a test of its number", "[house][rules]") {
  constexpr int lines = 127;
  static const std::regex title(R"re(TEST_CASE\(\s*"remote-agent line (\d+): )re");
  std::set<int> titled;
  for (const auto& file : read_tree(troupe::testing::source_dir()))
    if (file.below("tests") && file.ends_with("_test.cpp"))
      for (std::sregex_iterator at(file.text.begin(), file.text.end(), title), end; at != end; ++at)
        titled.insert(std::stoi((*at)[1].str()));
  for (int line = 1; line <= lines; ++line) {
    CAPTURE(line);
    CHECK(titled.contains(line));
  }
  CHECK(titled.size() == lines);
}
