#include "apps/run/run_ending.hpp"

#include "actors/graph/objective_graph.hpp"
#include "agents/command/program_output.hpp"
#include "apps/run/run_report.hpp"
#include "apps/run/run_timing.hpp"
#include "apps/terminal/part_text.hpp"
#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/fold/last_tasks.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/text/counted.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

/// Tasks whose times are read back for the critical path.
constexpr std::size_t measured_tasks_max = 20'000;

std::vector<plan_relations> relations_of(const objective_view& view) {
  std::vector<plan_spec_ptr> specs;
  for (const auto& plan : view.plans)
    specs.push_back(plan.spec);
  std::vector<plan_relations> out;
  if (const auto resolved = resolve_dependencies(specs))
    for (const auto& plan : resolved->plans)
      out.push_back(plan);
  return out;
}

bool has_failed(const task_summary& summary) {
  return summary.state == task_state::failed || summary.state == task_state::rejected;
}

/// What the program of one attempt wrote.
struct attempt_log {
  std::string end; ///< Why it has failed; empty: it has not.
  std::string lines;
};

/// Of the program of the last attempt; nothing in it if there is none.
attempt_log log_of(const task& record) {
  attempt_log out;
  std::optional<std::uint32_t> attempt;
  for (const auto& said : record.history) {
    const auto of = logged_attempt(*said);
    if (!of)
      continue;
    if (attempt != of)
      out = {};
    attempt = of;
    out.lines += text_of(said->parts);
    out.end = text_in(said->metadata.at(program_log_key), "end");
  }
  return attempt && *attempt < record.attempt ? attempt_log{} : out; // The last one wrote nothing.
}

/// The last lines of each stream, without their times, in their order.
std::vector<std::string> last_lines(std::string_view log) {
  std::size_t out_left = failure_lines_max;
  std::size_t err_left = failure_lines_max;
  std::vector<std::string> out;
  auto lines = lines_in(log);
  std::ranges::reverse(lines);
  bool is_left_out = false;
  for (const auto shown : lines) {
    auto line = read_shown_line(shown);
    auto& left = line && line->is_stderr ? err_left : out_left;
    if (!line || left == 0) {
      is_left_out = true;
      continue;
    }
    --left;
    out.push_back(std::move(line->text));
  }
  if (is_left_out)
    out.emplace_back("...");
  std::ranges::reverse(out);
  return out;
}

void append_part(std::string& out, const part& one, const ending_options& options) {
  const auto text = text_of_part(one, "--output-dir DIR writes them to a file");
  std::size_t shown = 0;
  const auto lines = lines_in(text);
  for (const auto line : lines) {
    if (options.lines_max > 0 && shown == options.lines_max) {
      out +=
          "... " + counted(lines.size() - shown, "more line") + " (--output results shows all)\n";
      return;
    }
    ++shown;
    out += clean_line(line) + "\n";
  }
}

std::string heading(const std::string& text, bool colour) {
  const std::string line = "--- " + clean_line(text);
  return render_line({{line, style::bold}}, display_width(line), colour, "") + "\n";
}

} // namespace

std::vector<task_place> chosen_results(const objective_view& view, output_choice choice) {
  std::vector<task_place> out;
  if (choice == output_choice::none || choice == output_choice::failed)
    return out;
  std::set<std::string> last;
  if (choice == output_choice::results)
    for (const auto& id : last_tasks(view, relations_of(view), static_cast<std::size_t>(-1)).first)
      last.insert(id.str());
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    for (std::uint32_t t = 0; t < view.plans[p].tasks.size(); ++t) {
      const bool is_chosen = choice == output_choice::all
                                 ? view.plans[p].tasks[t].has_artifacts
                                 : last.contains(view.plans[p].task_at(t).str());
      if (is_chosen)
        out.push_back({p, t});
    }
  return out;
}

std::vector<unread_task> for_each_result(const record_reader& records, const objective_view& view,
                                         const std::vector<task_place>& places,
                                         const std::function<void(const task_result&)>& take) {
  std::vector<unread_task> unread;
  for (const auto& place : places) {
    const auto& plan = view.plans[place.plan];
    const auto record = records(plan.task_at(place.task));
    if (record)
      take({shown_name(*plan.spec, place.plan),
            shown_name(plan.spec->tasks[place.task], place.task), (*record)->artifacts});
    else
      unread.push_back({place_of(*plan.spec, place.plan, place.task), record.error()});
  }
  return unread;
}

std::vector<std::string> unread_lines(const std::vector<unread_task>& unread) {
  const auto shown = std::min(unread.size(), unread_shown_max);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < shown; ++i)
    out.push_back("the results of " + unread[i].place
                  + " cannot be read: " + unread[i].why.message);
  if (shown < unread.size())
    out.push_back("the results of " + counted(unread.size() - shown, "more task")
                  + " cannot be read");
  return out;
}

task_failure failure_of(const task& record, std::string place) {
  task_failure out;
  out.place = std::move(place);
  if (record.status.message)
    out.reason = text_of(record.status.message->parts);
  const auto [how, log] = log_of(record);
  auto lines = last_lines(log);
  if (lines.empty() || (lines.size() == 1 && out.reason.ends_with(lines.front())))
    return out; // the reason says it all
  // Else it is its own word on how it ended, or it was stopped from outside.
  if (const auto at = how.empty() ? std::string::npos : out.reason.find(how);
      at != std::string::npos)
    out.reason.resize(at + how.size());
  out.lines = std::move(lines);
  return out;
}

run_ending read_ending(const record_reader& records, const objective_view& view,
                       output_choice choice, ending_limits limits) {
  run_ending out;
  out.usage = view.usage;
  out.show_command = "troupe show " + view.id.str();
  auto places = chosen_results(view, choice);
  if (places.size() > limits.results) {
    out.results_left_out = places.size() - limits.results;
    places.resize(limits.results);
  }
  out.unread = for_each_result(records, view, places,
                               [&](const task_result& one) { out.results.push_back(one); });
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    for (std::uint32_t t = 0; t < view.plans[p].tasks.size(); ++t) {
      const auto& plan = view.plans[p];
      if (!has_failed(plan.tasks[t]))
        continue;
      if (out.failures.size() == limits.failures) {
        ++out.failures_left_out;
        continue;
      }
      const auto place = place_of(*plan.spec, p, t);
      const auto record = records(plan.task_at(t));
      auto failure =
          record ? failure_of(**record, place)
                 : task_failure{place, "the reason cannot be read: " + record.error().message, {}};
      if (choice == output_choice::none)
        failure.lines.clear();
      out.failures.push_back(std::move(failure));
    }
  return out;
}

void read_times(run_model& model, const record_reader& records, const objective_view& view) {
  std::size_t left = measured_tasks_max;
  std::uint32_t tries = 0; // What is tried again grows by one with each retry, until it completes.
  for (const auto& plan : view.plans)
    for (const auto& task : plan.tasks)
      tries = std::max(tries, task.generation);
  auto again = timestamp::max();
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    for (std::uint32_t t = 0; t < view.plans[p].tasks.size() && left > 0; ++t) {
      const auto& summary = view.plans[p].tasks[t];
      if (!is_terminal(summary.state) || summary.attempt == 0)
        continue;
      --left;
      if (const auto record = records(view.plans[p].task_at(t))) {
        const auto last = last_attempt_of(**record);
        model.measured(p, t, last.begin, last.end);
        const auto& status = (*record)->status;
        if (status.message && status.state != task_state::completed)
          model.explained(p, t, text_of(status.message->parts));
        if (tries == 0 || summary.generation < tries)
          continue;
        const auto spans = spans_of(**record);
        again = std::min(again, spans.empty() ? last.begin : spans.front().begin);
      }
    }
  if (again != timestamp::max())
    model.tried_again(again);
}

namespace {

std::string group_begin(std::string_view title, const std::string& token) {
  return "::group::" + clean_line(title) + "\n::stop-commands::" + token + "\n";
}

std::string group_end(const std::string& token) {
  return "::" + token + "::\n::endgroup::\n";
}

} // namespace

void append_results(std::string& out, const run_ending& ending, const ending_options& options) {
  for (const auto& result : ending.results) {
    const auto place = result.plan + " / " + result.task;
    for (const auto& artifact : result.artifacts) {
      std::string content;
      for (const auto& one : artifact->parts)
        append_part(content, one, options);
      if (content.empty()) // A program that wrote nothing.
        continue;
      const auto& name = artifact->name.empty() ? artifact->artifact_id : artifact->name;
      const auto title = result.artifacts.size() == 1 ? place : place + ": " + name;
      out += options.workflow_token.empty() ? heading(title, options.colour)
                                            : group_begin(title, options.workflow_token);
      out += content;
      if (!options.workflow_token.empty())
        out += group_end(options.workflow_token);
    }
  }
  if (ending.results_left_out > 0)
    out += "... " + counted(ending.results_left_out, "more task")
           + " with results (--output results shows all)\n";
}

void append_failures(std::string& out, const run_ending& ending, const ending_options& options) {
  for (const auto& failure : ending.failures) {
    constexpr std::string_view word = "failed:";
    auto lines = fit_lines(std::string(word) + " " + clean_line(failure.place) + ": "
                               + first_line(failure.reason),
                           options.columns);
    lines.replace(0, word.size(),
                  render_line({{std::string(word), style::red}}, word.size(), options.colour, ""));
    out += lines;
    const bool is_grouped = !options.workflow_token.empty() && !failure.lines.empty();
    if (is_grouped)
      out += group_begin("what " + failure.place + " wrote", options.workflow_token);
    for (const auto& line : failure.lines)
      out += "  " + clean_line(line) + "\n";
    if (is_grouped)
      out += group_end(options.workflow_token);
  }
  if (ending.failures_left_out > 0)
    out += "failed: " + counted(ending.failures_left_out, "more task") + " (`" + ending.show_command
           + " --output failed` shows all)\n";
}

} // namespace troupe
