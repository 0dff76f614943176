#include "sim/find_mutants.hpp"

#include "protocol/text/counted.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/jobs.hpp"
#include "sim/mutants.hpp"
#include "sim/run.hpp"
#include "sim/settings_text.hpp"
#include "sim/shrink.hpp"
#include "sim/text_files.hpp"

namespace troupe::sim {

namespace {

bool is_wanted(const options& in, const planted& one) {
  return in.bug == mutant::none || one.bug == in.bug;
}

std::string row(const planted& one, const std::string& seed, const std::string& more = {}) {
  return "| `" + std::string(one.name) + "` | " + seed + " | `" + std::string(one.checker) + '`'
         + more + " |\n";
}

/// The first world in which its checker finds a planted bug. Nothing: there is none, and `others`
/// are the checkers that found something.
std::optional<settings> first_found(const options& in, const planted& one, job& here,
                                    std::set<std::string>& others) {
  for (auto seed = in.first; seed <= in.last; ++seed) {
    auto how = draw_settings(seed);
    how.bug = one.bug;
    here.begin(
        {"seed " + std::to_string(seed) + " with " + std::string(one.name),
         "troupe-sim --trace --seed " + std::to_string(seed) + " --mutant " + std::string(one.name),
         "its job searches no other planted bug"});
    const auto got = run(how);
    if (got.found.contains(one.checker))
      return how;
    for (const auto& [checker, sentence] : got.found)
      others.insert(checker);
  }
  return std::nullopt;
}

/// Gives the row of the table and, of a bug that was found, its name; if its failure was made
/// small, also what is left, and how many clients, operations and kinds of faults that are.
void search(const options& in, const planted& one, job& here) {
  std::set<std::string> others;
  const auto how = first_found(in, one, here, others);
  if (!how) {
    std::string by;
    for (const auto& each : others)
      by += (by.empty() ? "; found by " : ", ") + each;
    return here.give({row(one, "not found", by)});
  }
  std::vector<std::string> out{row(one, std::to_string(how->seed)), std::string(one.name)};
  if (in.shrinks) {
    const std::string checker(one.checker);
    const auto small = shrink(*how, checker, in.shrink_runs_max);
    out.front() += sizes_of(small) + text_of(small, checker);
    out.push_back(text_of(small, checker));
    for (const auto size : {small.clients, small.operations, small.faults})
      out.push_back(std::to_string(size));
  }
  here.give(out);
}

struct found_bugs {
  std::size_t count = 0;
  std::vector<std::size_t> clients; ///< Of small failures.
  std::vector<std::size_t> operations;
  std::vector<std::size_t> faults;

  /// As search() gives it.
  void add(const options& in, const std::vector<std::string>& result) {
    print(result.at(0));
    count += result.size() > 1 ? 1 : 0;
    if (result.size() <= 2)
      return;
    clients.push_back(std::stoul(result.at(3)));
    operations.push_back(std::stoul(result.at(4)));
    faults.push_back(std::stoul(result.at(5)));
    if (in.into.empty())
      return;
    if (const auto written = write_text(in.into + "/" + result.at(1) + ".toml", result.at(2));
        !written)
      throw std::runtime_error(written.error().message);
  }
};

std::size_t median(std::vector<std::size_t> of) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::ranges::nth_element(of, middle);
  return *middle;
}

} // namespace

int find_mutants(const options& in) {
  found_bugs found;
  const auto wanted = static_cast<std::size_t>(
      std::ranges::count_if(mutants, [&](const auto& each) { return is_wanted(in, each); }));
  const auto signal = run_jobs(static_cast<unsigned>(in.jobs),
                               [&](unsigned number, job& here) {
                                 for (std::size_t i = number; i < mutants.size(); i += in.jobs)
                                   if (is_wanted(in, mutants[i]))
                                     search(in, mutants[i], here);
                               },
                               {.take =
                                    [&](const std::vector<std::string>& result) {
                                      found.add(in, result);
                                      return true;
                                    },
                                .note_death = [] { return true; }});
  print(std::to_string(found.count) + " of " + counted(wanted, "planted bug")
        + (wanted == 1 ? " is" : " are") + " found\n");
  if (!found.clients.empty())
    print("the median of " + counted(found.clients.size(), "small failure") + " has "
          + counted(median(found.clients), "client") + ", "
          + counted(median(found.operations), "operation") + " and "
          + counted(median(found.faults), "kind of faults", "kinds of faults") + "\n");
  if (signal != 0)
    return exit_signal + signal;
  return found.count == wanted ? exit_ok : exit_failure;
}

} // namespace troupe::sim
