#include "apps/plan_file.hpp"

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "actors/acceptance.hpp"
#include "apps/run_model.hpp"

namespace troupe {

namespace {

/// All of `descriptor`, or the reason.
result<std::string> read_all(int descriptor, const std::string& name) {
  std::string text;
  std::array<char, 64 * 1024> bytes;
  while (true) {
    const auto got = ::read(descriptor, bytes.data(), bytes.size());
    if (got == 0)
      return text;
    if (got < 0) {
      if (errno == EINTR)
        continue;
      return make_error(errc::unavailable, name + ": cannot be read: " + std::generic_category().message(errno));
    }
    text.append(bytes.data(), static_cast<std::size_t>(got));
    if (text.size() > plan_file_bytes_max)
      return make_error(errc::limit_exceeded, name + ": larger than " + std::to_string(plan_file_bytes_max)
                                                + " bytes, the limit for a plan file");
  }
}

} // namespace

error locate(const plan_file& file, error why) {
  constexpr std::string_view only_plan = "/plans/0";
  std::string place;
  if (file.is_bare_plan && why.field.starts_with(only_plan))
    why.field.erase(0, only_plan.size());
  if (why.field.starts_with('/'))
    if (const auto line = line_of(file.text, why.field); line > 0)
      place = "line " + std::to_string(line) + " (" + why.field + "): ";
  why.message = file.name + ": " + place + why.message;
  return why;
}

result<plan_file> read_plan_file(const std::string& path) {
  plan_file out;
  const bool standard_input = path == "-";
  out.name = standard_input ? "standard input" : path;
  const int descriptor = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return make_error(errc::unavailable, out.name + ": cannot be opened: " + std::generic_category().message(errno));
  auto text = read_all(descriptor, out.name);
  if (!standard_input)
    ::close(descriptor);
  if (!text)
    return text.error();
  out.text = std::move(*text);
  auto document = read_plan_document(out.text);
  if (!document) {
    error why = document.error();
    why.message = out.name + ": " + why.message;
    return why;
  }
  out.is_bare_plan = document->is_bare_plan;
  out.objective = std::move(document->objective);
  return out;
}

result<resolved_objective> check_plan_file(const plan_file& file, const agent_registry& agents) {
  const auto& plans = file.objective.plans;
  if (plans.empty())
    return make_error(errc::invalid_document, file.name + ": the objective has no plans, so it would never end");
  for (std::size_t p = 0; p < plans.size(); ++p)
    if (plans[p]->tasks.empty())
      return locate(file, make_error(errc::invalid_document,
                                     "plan \"" + shown_name(*plans[p], p) + "\" has no tasks, so it would never end",
                                     "/plans/" + std::to_string(p)));
  auto edges = check_objective(plans, agents);
  if (!edges)
    return locate(file, edges.error());
  return edges;
}

void make_ids_local(objective_spec& spec) {
  spec.id = {};
  for (auto& plan : spec.plans) {
    auto copy = std::make_shared<plan_spec>(*plan);
    copy->id = {};
    for (auto& task : copy->tasks)
      task.id = {};
    plan = std::move(copy);
  }
}

} // namespace troupe
