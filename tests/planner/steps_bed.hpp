// Lists of steps for the tests of the planner.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "planner/ordering.hpp"
#include "planner/step_names.hpp"
#include "planner/text_reading.hpp"

namespace troupe::planner {

/// Pairs of positions, so that the order in which they are said does not matter.
using edge_set = std::set<std::pair<std::uint32_t, std::uint32_t>>;

/// The forms of a sentence that must be exact: {p} comes before {f}.
inline constexpr auto exact_forms = std::to_array<std::string_view>({
    "Before starting {f}, complete {p}.",
    "{p} must precede {f}.",
    "Upon completing {p}, proceed to {f}.",
    "After {p}, {f} should commence.",
    "Prioritize {p} before advancing to {f}.",
    "{p} is a prerequisite for {f}.",
    "Initiate {f} subsequent to {p}.",
    "Ensure {p} is done before {f}.",
    "Sequence the tasks: firstly {p}, then {f}.",
    "{f} follows the completion of {p}.",
    "{p} must occur before {f}.",
    "Do not start {f} until {p} is finished.",
    "{f} depends on {p}.",
    "{f} needs {p}.",
    "Once {p} is done, do {f}.",
    "{p} -> {f}",
    "{f} cannot begin before {p} has ended.",
    "When {p} is complete, start {f}.",
    "{f} can only start after {p}.",
    "First {p}, then {f}.",
    "{f} waits for {p}.",
    "You need to do {p} before you do {f}.",
    "{f} requires {p} to be completed.",
    "{f} comes after {p}.",
    "Start {f} as soon as {p} is over.",
    "{p} blocks {f}.",
});

inline edge_set edges_of(const ordering& said) {
  edge_set out;
  for (std::size_t i = 0; i + 1 < said.size(); ++i)
    for (const auto before : said[i])
      for (const auto after : said[i + 1])
        out.emplace(before, after);
  return out;
}

inline edge_set edges_of(const text_reading& reading) {
  edge_set out;
  for (const auto& edge : reading.edges)
    out.emplace(edge.before, edge.after);
  return out;
}

/// Steps 1 to `count`: "act 1", ...
inline step_names numbered_steps(std::uint32_t count) {
  step_names out;
  for (std::uint32_t i = 1; i <= count; ++i)
    static_cast<void>(out.add(std::to_string(i), "act number " + std::to_string(i)));
  return out;
}

/// What was not understood, a line each.
inline std::string problems_of(const text_reading& reading) {
  std::string out;
  for (const auto& each : reading.problems)
    out += each.text + ": " + each.reason + "\n";
  return out;
}

} // namespace troupe::planner
