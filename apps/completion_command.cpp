// `troupe completion` and what its scripts ask, `troupe __complete`; `troupe man`.
#include "apps/command_tree.hpp"
#include "apps/commands.hpp"
#include "apps/help/completion.hpp"
#include "apps/help/man_page.hpp"
#include "apps/help/shell_scripts.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/plan/template_files.hpp"
#include "apps/remote/remote_records.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/runs/run_folder.hpp"
#include "apps/runs/run_log.hpp"
#include "apps/runs/run_record.hpp"
#include "apps/signals.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "apps/version.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "store/tools/stored_history.hpp"
#include <troupe/protocol/agent_card.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace troupe {

namespace {

/// A person waits for it.
constexpr std::chrono::milliseconds look_up_bound{2000};
constexpr std::size_t candidates_max = 500;

/// Collects those that begin with what was typed.
class collector {
public:
  collector(completion& into, std::string typed) : into_(into), typed_(std::move(typed)) {}

  void add(const std::string& word, const std::string& help) {
    if (into_.words.size() < candidates_max && !word.empty() && word.starts_with(typed_)
        && added_.insert(word).second) // Tasks of several plans may have one name.
      into_.words.emplace_back(word, help);
  }

private:
  completion& into_;
  const std::string typed_;
  std::set<std::string> added_;
};

void add_runs(collector& to) {
  to.add("@last", "the newest run");
  const auto folder = own_runs_folder();
  if (!folder)
    return;
  for (const auto& each : list_runs(*folder))
    to.add(each.id, std::string(state_word(each)) + ", " + each.name);
}

void add_waiting_runs(collector& to) {
  const auto folder = own_runs_folder();
  if (!folder)
    return;
  for (const auto& each : list_runs(*folder))
    if (waits_for_answer(each))
      to.add(each.id, each.name);
}

void add_tasks_of_run(collector& to, const std::string& name) {
  const auto folder = own_runs_folder();
  if (!folder)
    return;
  const auto entry = named_run(*folder, name);
  if (!entry)
    return;
  run_log_reader reader(entry->directory + "/" + run_log_file);
  std::vector<std::string> names;
  for (auto lines = reader.next(); !lines.empty(); lines = reader.next())
    for (const auto& line : lines) {
      const auto& task = line.key.empty() ? line.name : line.key;
      if (std::ranges::find(names, task) == names.end() && names.size() < candidates_max)
        names.push_back(task);
    }
  for (const auto& each : names)
    to.add(each, {});
}

void add_tasks_of_plan(collector& to, const plan_spec& plan, const std::string& name) {
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    if (!plan.tasks[t].is_removed)
      to.add(plan.tasks[t].key.empty() ? shown_name(plan.tasks[t], t) : plan.tasks[t].key, name);
}

/// Also of those that have not begun. Nothing while it runs.
void add_tasks_of_record(collector& to, const std::string& name) {
  const auto meant = run_or_plan_named(name);
  if (!meant)
    return;
  const auto record = open_record(meant->run);
  if (!record)
    return;
  for (std::size_t p = 0; p < record->view->plans.size(); ++p) {
    const auto& plan = *record->view->plans[p].spec;
    if (!plan.is_removed && (meant->plan.empty() || meant->plan == plan.id.str()))
      add_tasks_of_plan(to, plan, shown_name(plan, p));
  }
}

void add_tasks_of_file(collector& to, const std::string& path) {
  if (path.empty() || path == "-")
    return;
  const auto file = read_plan_file(path, {});
  if (!file)
    return;
  for (std::size_t p = 0; p < file->objective.plans.size(); ++p) {
    const auto& plan = *file->objective.plans[p];
    add_tasks_of_plan(to, plan, shown_name(plan, p));
  }
}

void add_template_names(collector& to, const std::string& directory) {
  if (const auto all = templates_with(directory))
    for (const auto& each : **all)
      to.add(each.name, each.description);
}

/// Nothing while a server runs on the directory.
void add_stored_objectives(collector& to, const std::string& directory) {
  const auto history = stored_history::open(directory);
  if (!history)
    return;
  if (const auto all = (*history)->objectives())
    for (const auto& each : *all)
      to.add(each.str(), {});
}

void add_targets(collector& to) {
  if (const auto targets = own_targets())
    for (const auto& each : *targets)
      to.add(each.alias, each.to.url);
}

void add_listed(collector& to, const result<std::vector<boost::json::value>>& all,
                std::string_view help) {
  if (all)
    for (const auto& each : *all)
      to.add(text_in(each, "id"), text_in(each, help));
}

void add_objectives(collector& to, const server_link& on) {
  to.add("@last", "the newest objective");
  add_listed(to,
             on.list("objectives", a2a::operation::list_objectives,
                     {{"includePlans", false}, {"orderBy", "createdAt"}}, candidates_max),
             "name");
}

void add_remote_tasks(collector& to, const server_link& on) {
  if (const auto page = on.client->list_tasks({}))
    for (const auto& each : page->tasks)
      to.add(each.id.str(), std::string(to_string(each.status.state)));
}

void add_contexts(collector& to, const server_link& on) {
  std::set<std::string> seen;
  if (const auto page = on.client->list_tasks({}))
    for (const auto& each : page->tasks)
      if (seen.insert(each.context).second)
        to.add(each.context, {});
}

void add_tasks_of_objective(collector& to, const server_link& on, const std::string& name) {
  const auto id = find_objective_id(on, name);
  if (!id)
    return;
  const auto view = read_objective_of(on, *id);
  if (!view)
    return;
  for (std::size_t p = 0; p < view->plans.size(); ++p) {
    const auto& plan = *view->plans[p].spec;
    for (std::size_t t = 0; t < plan.tasks.size(); ++t)
      if (!plan.tasks[t].is_removed)
        to.add(shown_name(plan.tasks[t], t), shown_name(plan, p)); // by name: ids are long
  }
}

/// What a server says that is there.
void add_of_server(collector& to, const server_link& on, const completion& wanted) {
  switch (wanted.kind) {
    case candidate_kind::remote_tasks: return add_remote_tasks(to, on);
    case candidate_kind::remote_contexts: return add_contexts(to, on);
    case candidate_kind::questions:
      return add_listed(to, on.list("inputs", a2a::operation::list_inputs, {}, candidates_max),
                        "prompt");
    case candidate_kind::run_tasks:
    case candidate_kind::objective_tasks: return add_tasks_of_objective(to, on, wanted.of);
    case candidate_kind::remote_templates:
      if (const auto card = on.client->card())
        for (const auto& each : card->skills)
          if (std::ranges::find(each.tags, template_tag) != each.tags.end())
            to.add(each.name, each.description);
      return;
    case candidate_kind::objectives_or_tasks: add_remote_tasks(to, on); [[fallthrough]];
    default: return add_objectives(to, on);
  }
}

void look_up(completion& to, const std::string& typed) {
  collector found(to, typed);
  switch (to.kind) {
    case candidate_kind::none:
    case candidate_kind::files:
    case candidate_kind::directories: return;
    case candidate_kind::file_tasks: return add_tasks_of_file(found, to.of);
    case candidate_kind::targets: found.add("local", "the runs of this computer"); [[fallthrough]];
    case candidate_kind::servers: return add_targets(found);
    case candidate_kind::runs_or_files: return add_runs(found);
    case candidate_kind::agents: {
      agent_registry agents;
      register_own_agents(agents);
      for (const auto& name : agents.names())
        found.add(name, agents.find(name)->description());
      return;
    }
    case candidate_kind::templates: return add_template_names(found, to.directory);
    case candidate_kind::stored_objectives: return add_stored_objectives(found, to.directory);
    default: break; // of a server
  }
  auto chosen = choose_server(to.server);
  if (!chosen || !*chosen) {
    if (to.kind == candidate_kind::runs)
      add_runs(found);
    else if (to.kind == candidate_kind::questions)
      add_waiting_runs(found);
    else if (to.kind == candidate_kind::run_tasks)
      add_tasks_of_run(found, to.of);
    else if (to.kind == candidate_kind::objective_tasks)
      add_tasks_of_record(found, to.of);
    return;
  }
  end_within(look_up_bound, exit_ok, "the server did not answer in time");
  if (const auto on = link_to(std::move(**chosen)))
    add_of_server(found, *on, to);
}

} // namespace

int completion_command(const completion_options& options) {
  return say(shell_script(options.shell)) ? exit_ok : exit_failed;
}

int complete_command(const complete_options& options) {
  const command_tree tree;
  auto found = complete(tree.app, options.words);
  look_up(found, options.words.empty() ? std::string{} : options.words.back());
  const bool has_files =
      found.kind == candidate_kind::files || found.kind == candidate_kind::runs_or_files;
  std::string out = has_files                                   ? ":files\n"
                    : found.kind == candidate_kind::directories ? ":directories\n"
                                                                : ":none\n";
  for (const auto& [word, help] : found.words)
    out += clean_line(word) + "\t" + clean_line(help) + "\n";
  return say(out) ? exit_ok : exit_failed;
}

int manual_command(const manual_options&) {
  const command_tree tree;
  return say(man_page(tree.app, std::string(version_number()))) ? exit_ok : exit_failed;
}

} // namespace troupe
