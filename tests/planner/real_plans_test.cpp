// Everyday plans that people wrote (AsyncHow, TROUPE_WORKLOADS/asynchow.jsonl.gz), said in the
// forms that must be exact, and read back.
#include "tests/planner/steps_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/as_text.hpp"
#include "planner/text_reading.hpp"
#include "planner/tokens.hpp"

using namespace troupe::planner;

namespace {

constexpr double seconds_max = 10.0 * 365 * 86400;

struct real_plan {
  std::string title;
  std::vector<std::string> steps;
  std::vector<std::chrono::milliseconds> times;
  edge_set edges;
};

/// Nothing if the file is not there or cannot be unpacked.
std::vector<real_plan> read_real_plans(const std::string& folder) {
  const auto command = "gzip -dc '" + folder + "/asynchow.jsonl.gz' 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             &::pclose);
  std::string text;
  std::array<char, 65536> chunk{};
  while (pipe) {
    const auto got = std::fread(chunk.data(), 1, chunk.size(), pipe.get());
    if (got == 0)
      break;
    text.append(chunk.data(), got);
  }
  std::vector<real_plan> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto value = boost::json::parse(line);
    real_plan plan;
    plan.title = value.at("title").as_string();
    for (const auto& step : value.at("steps").as_array()) {
      const auto position = static_cast<std::uint32_t>(plan.steps.size());
      for (const auto& on : step.at("d").as_array())
        plan.edges.emplace(static_cast<std::uint32_t>(on.as_int64()), position);
      plan.steps.push_back(with_single_blanks(std::string_view(step.at("n").as_string())));
      const auto seconds = step.at("s").to_number<double>();
      // A longer duration is not taken out of a name.
      plan.times.emplace_back(
          static_cast<std::int64_t>(seconds > seconds_max ? 0.0 : seconds * 1000.0));
    }
    out.push_back(std::move(plan));
  }
  return out;
}

std::string list_of(const real_plan& plan, bool with_times = true) {
  std::string out = plan.title + "\n";
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    out += std::to_string(i + 1) + ". " + plan.steps[i];
    if (with_times)
      out += " (" + std::to_string(plan.times[i].count() / 1000) + " seconds)";
    out += '\n';
  }
  return out;
}

std::string said(std::string_view form, const std::string& p, const std::string& f) {
  std::string out;
  for (std::size_t at = 0; at < form.size();) {
    if (form.substr(at).starts_with("{p}") || form.substr(at).starts_with("{f}")) {
      out += form[at + 1] == 'p' ? p : f;
      at += 3;
    } else {
      out += form[at++];
    }
  }
  return out + "\n";
}

std::string number(std::uint32_t step) {
  return "step " + std::to_string(step + 1);
}

/// "steps 1, 2 and 4", for each task what comes before it.
std::map<std::uint32_t, std::vector<std::uint32_t>> grouped(const real_plan& plan) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> out;
  for (const auto& [before, after] : plan.edges)
    out[after].push_back(before);
  return out;
}

std::string numbers(const std::vector<std::uint32_t>& steps) {
  std::string out;
  for (std::size_t i = 0; i < steps.size(); ++i)
    out += (i == 0 ? "" : i + 1 == steps.size() ? " and " : ", ") + std::to_string(steps[i] + 1);
  return out;
}

/// A long step has its text as description.
const std::string& text_of(const read_task& task) {
  return task.description.empty() ? task.name : task.description;
}

std::string without_marks(std::string name) {
  while (name.ends_with('.') || name.ends_with('!'))
    name.pop_back();
  return name;
}

/// Names with marks that part sentences would be several tasks in prose.
bool has_inner_marks(const real_plan& plan) {
  return std::ranges::any_of(plan.steps, [](const std::string& name) {
    return name.find(';') != std::string::npos || sentences_of(name).size() > 1;
  });
}

/// Names, durations and edges: what a text has.
bool is_same_plan(const text_reading& a, const text_reading& b) {
  return edges_of(a) == edges_of(b)
         && std::ranges::equal(a.tasks, b.tasks, [](const read_task& x, const read_task& y) {
              return x.name == y.name && x.expected == y.expected;
            });
}

/// Whether the reading is the plan, with its durations if they were said.
bool is_exact(const text_reading& read, const real_plan& plan, bool with_times = true) {
  if (!read.problems.empty() || read.tasks.size() != plan.steps.size()
      || edges_of(read) != plan.edges)
    return false;
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (text_of(read.tasks[i]) != plan.steps[i]
        || (with_times && read.tasks[i].expected != plan.times[i]))
      return false;
  return true;
}

/// The stages of a plan in which all of one come before all of the next.
std::optional<std::vector<std::vector<std::uint32_t>>> stages_of(const real_plan& plan) {
  std::vector<std::size_t> level(plan.steps.size());
  for (std::size_t round = 0; round < plan.steps.size(); ++round)
    for (const auto& [before, after] : plan.edges)
      level[after] = std::max(level[after], level[before] + 1);
  std::vector<std::vector<std::uint32_t>> out;
  for (std::uint32_t i = 0; i < level.size(); ++i) {
    out.resize(std::max(out.size(), level[i] + 1));
    out[level[i]].push_back(i);
  }
  return edges_of(out) == plan.edges ? std::optional(out) : std::nullopt;
}

struct tally {
  std::size_t exact = 0;
  std::size_t refused = 0;
  std::size_t wrong = 0;
};

void count(tally& into, const text_reading& read, const real_plan& plan, bool with_times,
           const std::string& text) {
  if (is_exact(read, plan, with_times)) {
    ++into.exact;
  } else if (!read.problems.empty()) {
    ++into.refused;
  } else {
    ++into.wrong;
    FAIL_CHECK("read otherwise than it was said:\n" << text);
  }
}

} // namespace

TEST_CASE("real plans said in each form that must be exact are read back exactly",
          "[planner][real]") {
  const auto* folder = std::getenv("TROUPE_WORKLOADS");
  const auto plans = folder ? read_real_plans(folder) : std::vector<real_plan>{};
  if (plans.empty()) {
    WARN("skipped: TROUPE_WORKLOADS names no folder with asynchow.jsonl.gz");
    return;
  }
  for (const auto form : exact_forms) {
    tally of;
    for (const auto& plan : plans) {
      auto text = list_of(plan);
      for (const auto& [before, after] : plan.edges)
        text += said(form, number(before), number(after));
      text += "Order:\n"; // a plan without an order says so
      count(of, read_text(text), plan, true, text);
    }
    CAPTURE(form, of.refused);
    CHECK(of.exact + 1 >= plans.size());
  }
}

TEST_CASE("real plans said in groups, in brackets, by name and as prose are exact or refused",
          "[planner][real]") {
  const auto* folder = std::getenv("TROUPE_WORKLOADS");
  const auto plans = folder ? read_real_plans(folder) : std::vector<real_plan>{};
  if (plans.empty()) {
    WARN("skipped: TROUPE_WORKLOADS names no folder with asynchow.jsonl.gz");
    return;
  }
  tally by_group;
  tally in_brackets;
  tally by_quoted_name;
  tally by_name;
  tally as_prose;
  tally below_title;
  tally back;
  for (const auto& plan : plans) {
    const auto before = grouped(plan);
    auto text = list_of(plan);
    for (const auto& [after, steps] : before)
      text += "Steps " + numbers(steps) + " must precede " + number(after) + ".\n";
    text += "Order:\n";
    count(by_group, read_text(text), plan, true, text);

    text = plan.title + "\n";
    for (std::uint32_t i = 0; i < plan.steps.size(); ++i) {
      text += std::to_string(i + 1) + ". " + plan.steps[i];
      if (const auto found = before.find(i); found != before.end())
        text += " (after " + numbers(found->second) + ")";
      text += '\n';
    }
    text += "Order:\n";
    count(in_brackets, read_text(text), plan, false, text);

    auto quoted_text = list_of(plan);
    auto named_text = quoted_text;
    for (const auto& [first, second] : plan.edges) {
      quoted_text += said("{p} must precede {f}.", '"' + plan.steps[first] + '"',
                          '"' + plan.steps[second] + '"');
      named_text += said("After {p}, {f} should commence.", without_marks(plan.steps[first]),
                         without_marks(plan.steps[second]));
    }
    quoted_text += "Order:\n";
    named_text += "Order:\n";
    count(by_quoted_name, read_text(quoted_text), plan, true, quoted_text);
    count(by_name, read_text(named_text), plan, true, named_text);

    if (const auto stages = stages_of(plan);
        stages && stages->size() > 1 && !has_inner_marks(plan)) {
      text.clear();
      auto in_order_of_text = plan;
      in_order_of_text.steps.clear();
      edge_set edges;
      std::map<std::uint32_t, std::uint32_t> positions;
      for (std::size_t stage = 0; stage < stages->size(); ++stage)
        for (std::size_t i = 0; i < (*stages)[stage].size(); ++i) {
          const auto step = (*stages)[stage][i];
          const auto name = without_marks(plan.steps[step]);
          text += (stage + i == 0 ? "First, " : i == 0 ? "Then " : "Meanwhile, ") + name + ". ";
          positions[step] = static_cast<std::uint32_t>(in_order_of_text.steps.size());
          in_order_of_text.steps.push_back(name);
        }
      for (const auto& [first, second] : plan.edges)
        edges.emplace(positions[first], positions[second]);
      in_order_of_text.edges = edges;
      count(as_prose, read_text(text), in_order_of_text, false, text);
      text.insert(0, plan.title + "\n");
      if (plan.title.starts_with("How to "))
        count(below_title, read_text(text), in_order_of_text, false, text);
    }

    auto read = read_text(list_of(plan) + "Order:\n");
    const auto said_again = as_text(objective_of(read));
    if (!said_again)
      ++back.refused;
    else
      ++(is_same_plan(read_text(*said_again), read) ? back.exact : back.wrong);
  }
  const auto nearly_all = plans.size() * 99 / 100;
  CAPTURE(by_group.refused, in_brackets.refused, by_quoted_name.refused, by_name.refused,
          as_prose.exact, as_prose.refused, below_title.exact, below_title.refused, back.refused);
  CHECK(by_group.exact >= nearly_all);
  CHECK(in_brackets.exact >= nearly_all);
  CHECK(by_quoted_name.exact >= nearly_all);
  CHECK(by_name.exact >= plans.size() * 3 / 4);
  CHECK(as_prose.exact >= (as_prose.exact + as_prose.refused) / 2);
  CHECK(below_title.exact >= (below_title.exact + below_title.refused) / 2);
  CHECK(back.exact >= nearly_all);
  CHECK(back.wrong == 0);
}
