#include "bench/real_plans/instances.hpp"

#include <troupe/protocol/plan_document.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace troupe::bench {

namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

/// A plan as a graph with times: what the critical path and the width are computed from, apart from
/// the executor under test.
struct timed_graph {
  std::vector<double> seconds;
  std::vector<std::vector<std::size_t>> dependencies;
};

/// When each task begins and ends if it starts as soon as it may.
struct timetable {
  std::vector<double> begins;
  std::vector<double> ends;
};

/// Throws if there is a cycle.
timetable timetable_of(const timed_graph& graph, const std::string& name) {
  const auto count = graph.seconds.size();
  std::vector<std::size_t> waits_for(count);
  std::vector<std::vector<std::size_t>> dependents(count);
  for (std::size_t i = 0; i < count; ++i) {
    waits_for[i] = graph.dependencies[i].size();
    for (const auto from : graph.dependencies[i])
      dependents.at(from).push_back(i);
  }
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < count; ++i)
    if (waits_for[i] == 0)
      ready.push_back(i);
  timetable made{std::vector<double>(count), std::vector<double>(count)};
  auto& [begins, ends] = made;
  std::size_t seen = 0;
  while (!ready.empty()) {
    const auto i = ready.back();
    ready.pop_back();
    ++seen;
    ends[i] = begins[i] + graph.seconds[i];
    for (const auto next : dependents[i]) {
      begins[next] = std::max(begins[next], ends[i]);
      if (--waits_for[next] == 0)
        ready.push_back(next);
    }
  }
  if (seen != count)
    throw std::runtime_error(name + ": its dependencies form a cycle");
  return made;
}

/// The most intervals that overlap; one that ends where another begins does not.
std::size_t width_of(const timetable& times) {
  std::vector<std::pair<double, int>> steps;
  for (std::size_t i = 0; i < times.ends.size(); ++i) {
    steps.emplace_back(times.begins[i], 1);
    steps.emplace_back(times.ends[i], -1);
  }
  std::sort(steps.begin(), steps.end());
  int now = 0;
  int most = 0;
  for (const auto& [at, step] : steps)
    most = std::max(most, now += step);
  return static_cast<std::size_t>(most);
}

double seconds_in(const task_spec& task) {
  const auto* seconds = task.input.if_contains("seconds");
  return seconds && seconds->is_number() ? seconds->to_number<double>() : 0.0;
}

/// Dependencies by key, by position (`task-3`), or by name: enough for the documents read here.
timed_graph graph_of(const plan_spec& plan, const std::string& name) {
  timed_graph graph;
  std::unordered_map<std::string, std::size_t> position;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    position.emplace(plan.tasks[i].name, i);
    position.insert_or_assign("task-" + std::to_string(i), i);
  }
  for (std::size_t i = 0; i < plan.tasks.size(); ++i)
    if (!plan.tasks[i].key.empty())
      position.insert_or_assign(plan.tasks[i].key, i);
  for (const auto& task : plan.tasks) {
    graph.seconds.push_back(seconds_in(task));
    auto& before = graph.dependencies.emplace_back();
    for (const auto& one : task.dependencies) {
      const auto at = position.find(one);
      if (at == position.end())
        throw std::runtime_error(name + ": nothing is called " + one);
      before.push_back(at->second);
    }
  }
  return graph;
}

instance make_instance(std::string name, objective_spec objective) {
  if (objective.plans.size() != 1)
    throw std::runtime_error(name + ": not one plan but " + std::to_string(objective.plans.size()));
  const auto graph = graph_of(*objective.plans.front(), name);
  const auto times = timetable_of(graph, name);
  instance made;
  made.name = std::move(name);
  made.tasks = graph.seconds.size();
  made.width = width_of(times);
  made.critical_path_s =
      times.ends.empty() ? 0.0 : *std::max_element(times.ends.begin(), times.ends.end());
  made.objective = std::move(objective);
  return made;
}

instance read_line(const json::object& line) {
  const auto* tasks =
      line.if_contains("tasks") ? line.if_contains("tasks") : line.if_contains("steps");
  const auto* title =
      line.if_contains("instance") ? line.if_contains("instance") : line.if_contains("title");
  if (!tasks || !title)
    throw std::runtime_error("neither tasks nor steps, or no name");
  auto plan = std::make_shared<plan_spec>();
  plan->name = json::value_to<std::string>(*title);
  for (const auto& one : tasks->as_array()) {
    auto& task = plan->tasks.emplace_back();
    task.name = json::value_to<std::string>(one.at("n"));
    task.agent = "sleep";
    task.input["seconds"] = one.at("s").to_number<double>();
    for (const auto& from : one.at("d").as_array())
      task.dependencies.push_back("task-" + std::to_string(from.to_number<std::size_t>()));
  }
  objective_spec objective;
  objective.name = plan->name;
  auto name = plan->name;
  objective.plans.push_back(std::move(plan));
  return make_instance(std::move(name), std::move(objective));
}

void read_lines(const fs::path& path, std::vector<instance>& into) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "rb"), &::gzclose);
  if (!file)
    throw std::runtime_error("cannot read " + path.string());
  std::string text;
  char chunk[65536];
  for (int n = 0; (n = ::gzread(file.get(), chunk, sizeof chunk)) != 0;) {
    if (n < 0)
      throw std::runtime_error(path.string() + " is damaged");
    text.append(chunk, static_cast<std::size_t>(n));
  }
  std::size_t number = 0;
  for (std::size_t from = 0; from < text.size();) {
    ++number;
    const auto end = std::min(text.find('\n', from), text.size());
    try {
      if (end > from)
        into.push_back(read_line(json::parse({text.data() + from, end - from}).as_object()));
    } catch (const std::exception& wrong) {
      throw std::runtime_error(path.string() + " line " + std::to_string(number) + ": "
                               + wrong.what());
    }
    from = end + 1;
  }
}

void read_document(const fs::path& path, std::vector<instance>& into) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file)
    throw std::runtime_error("cannot read " + path.string());
  auto read = read_plan_document(text);
  if (read.has_error())
    throw std::runtime_error(path.string() + ": " + read.error().message);
  into.push_back(make_instance(path.stem().string(), std::move(read->objective)));
}

void read_file(const fs::path& path, std::vector<instance>& into) {
  if (path.string().ends_with(".jsonl.gz"))
    read_lines(path, into);
  else if (path.extension() == ".json")
    read_document(path, into);
}

} // namespace

std::vector<instance> read_instances(const std::string& path) {
  std::vector<instance> found;
  if (!fs::is_directory(path)) {
    if (!fs::exists(path))
      throw std::runtime_error("there is no " + path);
    read_file(path, found);
    return found;
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file())
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files)
    read_file(file, found);
  return found;
}

instance scaled_to(instance value, double seconds) {
  if (value.critical_path_s <= 0.0)
    return value;
  const auto scale = seconds / value.critical_path_s;
  auto plan = std::make_shared<plan_spec>(*value.objective.plans.front());
  for (std::size_t t = 0; t < plan->tasks.size(); ++t) {
    auto& task = plan->tasks.edit(t);
    task.input["seconds"] = seconds_in(task) * scale;
  }
  value.objective.plans.front() = std::move(plan);
  value.critical_path_s = seconds;
  return value;
}

} // namespace troupe::bench
