// The tables of docs/agents.md name what each agent takes, and nothing else.
#include "agents/a2a/delegation_input.hpp"
#include "agents/builtin/echo.hpp"
#include "agents/builtin/scripted.hpp"
#include "agents/builtin/sleep.hpp"
#include "agents/command/command_input.hpp"
#include "agents/command/command_lines.hpp"
#include "agents/llm/llm_input.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/documented_table.hpp"
#include "tests/support/pieces.hpp"

#include <boost/json/parse.hpp>

#include <map>
#include <regex>
#include <set>
#include <string>

using namespace troupe;
using namespace troupe::testing;

namespace {

using names = std::set<std::string>;

names set_of(const auto& members) {
  return {members.begin(), members.end()};
}

std::string without_ticks(const std::string& cell) {
  return cell.size() < 2 ? cell : cell.substr(1, cell.size() - 2);
}

} // namespace

TEST_CASE("the table of inputs names what each agent takes", "[agents]") {
  const std::map<std::string, names> taken{
      {"echo", set_of(echo_members)},       {"noop", {}},
      {"sleep", set_of(sleep_members)},     {"scripted", set_of(script_members)},
      {"command", set_of(command_members)}, {"a2a", set_of(delegation_members)},
      {"llm", set_of(llm_members)},
  };
  std::map<std::string, names> documented;
  for (const auto& row :
       documented_rows("docs/agents.md", "| agent | member | type | default | meaning |")) {
    REQUIRE(row.size() == 5);
    auto& members = documented[without_ticks(row[0])];
    if (!row[1].empty())
      for (const auto& each : parted(row[1], ","))
        CHECK(members.insert(without_ticks(each)).second);
  }
  CHECK(documented == taken);
}

TEST_CASE("the table of inputs says the type of each member", "[agents]") {
  for (const auto& row :
       documented_rows("docs/agents.md", "| agent | member | type | default | meaning |")) {
    CAPTURE(row.at(0), row.at(1));
    CHECK(row.at(1).empty() == row.at(2).empty());
    CHECK_FALSE(row.at(4).empty());
  }
}

TEST_CASE("the table of jsonl names what a program may write and what it is told", "[agents]") {
  static const std::regex first_member(R"re(`\{"([A-Za-z]+)":)re");
  std::map<std::string, names> documented;
  for (const auto& row : documented_rows("docs/agents.md", "| direction | line | meaning |"))
    for (std::sregex_iterator at(row.at(1).begin(), row.at(1).end(), first_member), end; at != end;
         ++at)
      documented[row.at(0)].insert((*at)[1]);
  CHECK(documented["stdout"] == set_of(jsonl_members));
  message said;
  said.parts.push_back(text_part("Paris"));
  const auto told = std::make_shared<const message>(std::move(said));
  names lines;
  for (const bool answers : {true, false})
    lines.insert(boost::json::parse(put_together(input_line(told, {}, answers), 4096))
                     .as_object()
                     .begin()
                     ->key_c_str());
  CHECK(documented["stdin"] == lines);
}

TEST_CASE("the table of steps names what a step of scripted may do", "[agents]") {
  static const std::regex first_member(R"re(`\{"([A-Za-z]+)":)re");
  names documented;
  for (const auto& row : documented_rows("docs/agents.md", "| action | does |"))
    for (std::sregex_iterator at(row.at(0).begin(), row.at(0).end(), first_member), end; at != end;
         ++at)
      CHECK(documented.insert((*at)[1]).second);
  CHECK(documented == set_of(step_names));
}
