// `troupe graph`: draws a plan file, or the plan of a run or of an objective of a server, with its
// times.
#include "apps/commands.hpp"
#include "apps/draw/critical_path.hpp"
#include "apps/draw/graph_text.hpp"
#include "apps/plan/plan_excerpt.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/remote/remote_commands.hpp"
#include "apps/remote/remote_records.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/run/run_timing.hpp"
#include "apps/runs/run_folder.hpp"
#include "apps/runs/run_record.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/terminal/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace troupe {

namespace {

/// What is drawn.
struct plan_picture {
  objective_spec spec;
  resolved_objective edges;
  graph_marks marks;
};

/// By expectedSeconds if a task has it, else by the number of tasks. Alternatives do not count.
std::int64_t expected_weight(const plan_picture& of, std::uint32_t plan, std::uint32_t task,
                             bool has_expected) {
  if (of.edges.plans[plan].alternative_of)
    return 0;
  return has_expected ? of.spec.plans[plan]->tasks[task].expected.count() : 1;
}

result<plan_picture> picture_of_file(const graph_options& options) {
  auto file = read_and_check(options.file, options.params);
  if (!file)
    return file.error();
  plan_picture out{std::move(file->file.objective), std::move(file->edges), {}};
  const bool has_expected = std::ranges::any_of(out.spec.plans, [](const plan_spec_ptr& plan) {
    return std::ranges::any_of(
        plan->tasks, [](const task_spec& task) { return task.expected > milliseconds{0}; });
  });
  out.marks.critical =
      critical_tasks(out.spec.plans, out.edges, [&](std::uint32_t plan, std::uint32_t task) {
        return expected_weight(out, plan, task, has_expected);
      });
  return out;
}

/// Of an objective that has begun, with the times of its tasks.
result<plan_picture> picture_of(const objective_view& view, const record_reader& records,
                                const std::vector<stopped_time>& stopped) {
  plan_picture out;
  out.spec.name = view.name;
  for (const auto& plan : view.plans)
    out.spec.plans.push_back(plan.spec);
  auto edges = resolve_accepted(out.spec.plans);
  if (!edges)
    return edges.error();
  out.edges = std::move(*edges);
  std::vector<std::vector<milliseconds>> ran;
  for (const auto& plan : out.spec.plans) {
    ran.emplace_back(plan->tasks.size());
    out.marks.durations.emplace_back(plan->tasks.size());
  }
  for (const auto& task : read_timing(records, view, {}, stopped)) {
    ran[task.plan][task.index] = task.time_in(task_phase::running);
    out.marks.durations[task.plan][task.index] = format_duration(ran[task.plan][task.index]);
  }
  out.marks.critical =
      critical_tasks(out.spec.plans, out.edges, [&](std::uint32_t plan, std::uint32_t task) {
        return ran[plan][task].count();
      });
  return out;
}

result<plan_picture> picture_of_run(const std::string& name) {
  const auto folder = own_runs_folder();
  if (!folder)
    return folder.error();
  const auto entry = named_run(*folder, name);
  if (!entry)
    return entry.error();
  const auto record = open_record(*entry);
  if (!record)
    return record.error();
  return picture_of(*record->view, *record->records, entry->stopped);
}

result<std::string> draw_as(const plan_picture& picture, graph_format format) {
  const auto& [spec, edges, marks] = picture;
  switch (format) {
    case graph_format::dot: return draw_dot(spec, edges, marks);
    case graph_format::mermaid: return draw_mermaid(spec, edges, marks);
    case graph_format::svg: return draw_svg(spec, edges, marks);
    case graph_format::text: break;
  }
  text_graph_options options;
  if (::isatty(STDOUT_FILENO) == 1)
    options.width = size_of(STDOUT_FILENO).columns;
  options.unicode =
      is_utf8_locale(std::getenv("LC_ALL"), std::getenv("LC_CTYPE"), std::getenv("LANG"));
  return draw_text(spec, edges, options, marks);
}

int print(const plan_picture& picture, graph_format format) {
  const auto drawing = draw_as(picture, format);
  if (!drawing) {
    complain(drawing.error().message);
    return exit_usage;
  }
  return say(*drawing) ? exit_ok : exit_failed;
}

} // namespace

int graph_command(const graph_options& options) {
  const bool is_of_file = options.run.empty();
  const auto picture = is_of_file ? picture_of_file(options) : picture_of_run(options.run);
  if (!picture) {
    complain_about_plan(picture.error(), is_of_file ? options.file : "-");
    return exit_usage;
  }
  return print(*picture, options.format);
}

int graph_objective_command(const graph_options& options, chosen_server server) {
  const auto on = link_to(std::move(server));
  if (!on)
    return refuse_usage(on.error());
  const auto id = find_objective_id(*on, options.run);
  if (!id)
    return on->refuse(id.error());
  const auto view = read_objective_of(*on, *id);
  if (!view)
    return on->refuse(view.error());
  const auto picture = picture_of(*view, records_of(*on, view->id), {});
  if (!picture)
    return on->refuse(picture.error());
  return print(*picture, options.format);
}

} // namespace troupe
