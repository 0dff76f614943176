#include "planner/edge_collector.hpp"

#include "protocol/json/quoted.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <set>
#include <string_view>

#include "planner/limits.hpp"
#include "planner/steps.hpp"

namespace troupe::planner {

namespace {

/// A cycle names at most so many of its sentences.
constexpr std::size_t cycle_sentences_max = 5;

std::uint64_t pair_of(std::uint32_t before, std::uint32_t after) {
  return (std::uint64_t{before} << 32U) | after;
}

std::string spoken(const read_task& task) {
  return task.label.empty() ? quoted(shown(task.name)) : "step " + task.label;
}

/// The tasks that can be put in a row are gone; what is left waits for itself.
std::vector<bool> in_cycles(const text_reading& reading) {
  std::vector<std::uint32_t> waits_for(reading.tasks.size());
  std::vector<std::vector<std::uint32_t>> unlocks(reading.tasks.size());
  for (const auto& edge : reading.edges) {
    ++waits_for[edge.after];
    unlocks[edge.before].push_back(edge.after);
  }
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < waits_for.size(); ++i)
    if (waits_for[i] == 0)
      ready.push_back(i);
  std::vector<bool> out(reading.tasks.size(), true);
  while (!ready.empty()) {
    const auto done = ready.back();
    ready.pop_back();
    out[done] = false;
    for (const auto next : unlocks[done])
      if (--waits_for[next] == 0)
        ready.push_back(next);
  }
  return out;
}

/// The edges that begin at each task. They point into `reading`.
std::vector<std::vector<const read_edge*>> edges_by_task(const text_reading& reading) {
  count_steps(reading.edges.size());
  std::vector<std::vector<const read_edge*>> out(reading.tasks.size());
  for (const auto& edge : reading.edges)
    out[edge.before].push_back(&edge);
  return out;
}

} // namespace

void edge_collector::add(const ordering& said, std::string_view source) {
  if (said.size() == 1) {
    parallel_.push_back({said.front(), std::string(source)});
    return;
  }
  if (is_full_)
    return;
  const auto number = static_cast<std::uint32_t>(into_.sources.size());
  into_.sources.emplace_back(source);
  for (std::size_t i = 0; i + 1 < said.size(); ++i)
    for (const auto before : said[i])
      for (const auto after : said[i + 1]) {
        count_steps(1);
        if (!pairs_.insert(pair_of(before, after)).second)
          continue;
        if (into_.edges.size() == edges_max) {
          is_full_ = true;
          into_.problems.push_back(
              {"", "there are more than " + std::to_string(edges_max) + " dependencies"});
          return;
        }
        into_.edges.push_back({before, after, number});
      }
}

void edge_collector::check() {
  if (is_full_)
    return;
  check_parallel();
  check_cycle();
}

/// Only direct edges are looked at: an order over other steps is no contradiction that one sentence
/// could be blamed for.
void edge_collector::check_parallel() {
  const auto from = edges_by_task(into_);
  std::vector<std::uint32_t> mark(into_.tasks.size());
  std::uint32_t round = 0;
  for (const auto& [steps, source] : parallel_) {
    ++round;
    for (const auto step : steps)
      mark[step] = round;
    const read_edge* both = nullptr; // The one that was said first.
    for (const auto step : steps) {
      count_steps(1 + from[step].size());
      for (const auto* edge : from[step])
        if (mark[edge->after] == round && (both == nullptr || edge < both))
          both = edge;
    }
    if (both == nullptr)
      continue;
    into_.problems.push_back(
        {source, "it contradicts " + quoted(shown(into_.sources[both->source]))});
    return;
  }
}

void edge_collector::check_cycle() {
  const auto waits = in_cycles(into_);
  // Each task of a cycle, or behind one, has an edge from another one of them.
  std::vector<const read_edge*> from(into_.tasks.size());
  for (const auto& edge : into_.edges)
    if (waits[edge.before] && waits[edge.after])
      from[edge.after] = &edge;
  const auto start = std::ranges::find_if(from, [](const auto* edge) { return edge != nullptr; });
  if (start == from.end())
    return;
  std::vector<bool> is_seen(into_.tasks.size());
  auto at = (*start)->after;
  for (; !is_seen[at]; at = from[at]->before)
    is_seen[at] = true;
  std::vector<std::uint32_t> backwards{at};
  std::set<std::string_view> known;
  std::vector<std::string> sentences;
  do {
    const auto& edge = *from[backwards.back()];
    if (const auto& said = into_.sources[edge.source]; known.insert(said).second)
      sentences.push_back(said);
    backwards.push_back(edge.before);
  } while (backwards.back() != at);
  std::ranges::reverse(sentences);
  std::string path;
  for (auto step = backwards.rbegin(); step != backwards.rend(); ++step)
    path += (path.empty() ? "" : " -> ") + spoken(into_.tasks[*step]);
  count_steps(path.size());
  std::string said_by;
  for (std::size_t i = 0; i < std::min(sentences.size(), cycle_sentences_max); ++i)
    said_by += (i == 0 ? "" : " and ") + quoted(shown(sentences[i]));
  into_.problems.push_back({sentences.front(), "a cycle: " + shown(path) + ", by " + said_by});
}

} // namespace troupe::planner
