// `troupe logs` of a server: what the programs of an objective wrote.
#include "apps/remote/remote_commands.hpp"
#include "apps/remote/remote_records.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/run/run_report.hpp"
#include "apps/runs/run_log.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/opt/objective_reading.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

namespace json = boost::json;

namespace {

/// Prints what programs wrote, each message once.
class remote_log {
public:
  remote_log(const server_link& on, const run_logs_options& options)
      : on_(on), options_(options), colour_(stdout_colour(options.colour)) {}

  /// Takes the objective as it is. Errors: task_not_found, if it has no such task.
  [[nodiscard]] result<void> take(const objective_view& view) {
    view_ = view;
    const auto taken = take_tasks();
    print_lines();
    return taken;
  }

  /// Takes one change. Errors: the server's.
  [[nodiscard]] result<void> take(const change& one) {
    apply(view_, one);
    const auto taken = take_task_of(one);
    print_lines();
    return taken;
  }

  /// What a program writes comes into the record before its last line is shown as its progress.
  static bool may_have_written(const change& one, const task_spec& of) {
    const bool is_program = of.agent.empty() || of.agent == "command";
    return last_move(one) != nullptr
           || (is_program && std::ranges::any_of(one.events, [](const event& each) {
                 return std::holds_alternative<task_progress>(each);
               }));
  }

  /// Nothing more is to come.
  [[nodiscard]] bool is_over() const {
    if (!is_written_ || is_settled(view_.state))
      return true;
    if (options_.task.empty())
      return false;
    for (std::uint32_t p = 0; p < view_.plans.size(); ++p)
      for (std::uint32_t t = 0; t < view_.plans[p].tasks.size(); ++t)
        if (is_meant(p, t) && !is_terminal(view_.plans[p].tasks[t].state))
          return false;
    return true;
  }

  [[nodiscard]] const objective_view& view() const { return view_; }
  [[nodiscard]] bool has_printed() const { return !printed_.empty(); }
  [[nodiscard]] bool is_written() const { return is_written_; }

private:
  result<void> take_tasks() {
    bool is_known = false;
    const auto records = records_of(on_, view_.id);
    for (std::uint32_t p = 0; p < view_.plans.size(); ++p)
      for (std::uint32_t t = 0; t < view_.plans[p].tasks.size(); ++t) {
        if (!is_meant(p, t))
          continue;
        is_known = true;
        if (const auto taken = take_tries(records, p, t); !taken)
          return taken;
      }
    if (!is_known)
      return make_error(errc::task_not_found,
                        "the objective " + view_.id.str() + " has no task " + options_.task + "; "
                            + on_.command("show " + view_.id.str()) + " names them");
    return {};
  }

  result<void> take_task_of(const change& one) {
    const auto p = one.task.plan_index;
    const auto t = one.task.task_index;
    if (!is_meant(p, t) || !may_have_written(one, view_.plans[p].spec->tasks[t]))
      return {};
    if (!before_.contains(one.task.id.str())) // The first of it.
      return take_tries(record_reader([this](const task_id& id) { return read_one(id); }), p, t);
    const auto record = on_.client->get_task(one.task.id.str());
    if (!record)
      return record.error();
    take_lines(*record, p, t);
    return {};
  }

  [[nodiscard]] bool is_meant(std::uint32_t p, std::uint32_t t) const {
    if (p >= view_.plans.size() || t >= view_.plans[p].tasks.size())
      return false;
    const auto& plan = *view_.plans[p].spec;
    const auto& name = options_.task;
    return !plan.tasks[t].is_removed
           && (name.empty() || name == view_.plans[p].task_at(t).str() || name == plan.tasks[t].name
               || name == place_of(plan, p, t));
  }

  [[nodiscard]] result<task_ptr> read_one(const task_id& id) const {
    auto record = on_.client->get_task(id.str());
    if (!record)
      return record.error();
    return std::make_shared<const task>(std::move(*record));
  }

  /// Each retry makes a new task in the place of the one that failed, whose attempts count anew.
  result<void> take_tries(const record_reader& records, std::uint32_t p, std::uint32_t t) {
    const auto& summary = view_.plans[p].tasks[t];
    const auto& base = view_.plans[p].spec->tasks[t].id;
    std::uint32_t attempts = 0;
    for (std::uint32_t tried = 0; tried <= summary.generation; ++tried) {
      const bool is_last = tried == summary.generation;
      if (is_last && summary.attempt == 0)
        break; // It has not begun.
      const auto record = records(renewed_id(base, tried));
      if (!record && is_last)
        return record.error();
      if (!record)
        continue; // The server may have it no more.
      before_[(*record)->id.str()] = attempts;
      // A record from a server does not say how many attempts it had, but its lines do.
      attempts += std::max({take_lines(**record, p, t), (*record)->attempt, std::uint32_t{1}});
    }
    return {};
  }

  /// The last attempt that has written something; 0 if none has.
  std::uint32_t take_lines(const task& record, std::uint32_t p, std::uint32_t t) {
    std::uint32_t last = 0;
    const auto& plan = *view_.plans[p].spec;
    logged_line about{
        .task = record.id.str(),
        .plan = shown_name(plan, p),
        .name = shown_name(plan.tasks[t], t),
        .key = plan.tasks[t].key,
        .line = {.at = record.ready_at, .text = {}}}; // Of what is left out at the beginning.
    std::size_t number = 0;
    for (const auto& said : record.history)
      if (const auto attempt = logged_attempt(*said)) {
        last = std::max(last, std::uint32_t{*attempt});
        auto& printed = printed_[record.id.str()];
        if (++number <= printed)
          continue;
        printed = number;
        about.attempt = *attempt;
        append_lines(about, text_of(said->parts));
      }
    return last;
  }

  /// Those of several tasks by their times, as they were written.
  void print_lines() {
    std::ranges::stable_sort(lines_, {}, &timed_line::at);
    std::string out;
    for (const auto& each : lines_)
      out += each.text;
    lines_.clear();
    if (!out.empty())
      is_written_ = say(out) && is_written_;
  }

  /// For people the attempts of one place in the plan are counted through.
  [[nodiscard]] std::string drawn(logged_line line) const {
    const auto before = before_.find(line.task);
    line.attempt += before == before_.end() ? 0 : before->second;
    return draw_logged(line, view_.created, options_.task.empty(), colour_);
  }

  void append_lines(logged_line& about, std::string_view text) {
    for (const auto shown : lines_in(text)) {
      const auto line = read_shown_line(shown);
      about.is_gap = !line;
      about.line = line.value_or(program_line{.at = about.line.at, .text = std::string(shown)});
      lines_.push_back({about.line.at, options_.json ? write_logged(about) : drawn(about)});
    }
  }

  const server_link& on_;
  const run_logs_options& options_;
  const bool colour_;
  objective_view view_;
  /// What one call of `take` prints.
  struct timed_line {
    timestamp at;
    std::string text;
  };
  std::vector<timed_line> lines_;
  std::map<std::string, std::size_t> printed_;  ///< Messages, by task.
  std::map<std::string, std::uint32_t> before_; ///< Attempts of the tasks before it, by task.
  bool is_written_ = true;
};

/// One event of the subscription. Errors: the server's; invalid_agent_response.
result<void> take_event(remote_log& log, const json::value& shown, a2a::remote::objective& events) {
  const auto* members = shown.if_object();
  if (const auto* whole = members ? members->if_contains("objective") : nullptr) {
    const auto view = opt::read_objective_view(*whole);
    if (!view)
      return view.error();
    return log.take(*view);
  }
  const auto* change_of = members ? members->if_contains("change") : nullptr;
  if (change_of == nullptr)
    return {}; // Of a later version.
  const auto read = opt::read_changes(*change_of, log.view());
  if (!read)
    return read.error();
  if (read->is_reshaped) { // The changes do not say all of it.
    events.restart();
    return {};
  }
  for (const auto& each : read->changes)
    if (const auto taken = log.take(each); !taken)
      return taken;
  return {};
}

/// Until the objective, or the task that is meant, has ended.
result<void> follow_log(remote_log& log, const server_link& on, const std::string& id) {
  const auto words = say_breaks(on.name);
  const auto events = on.client->follow(id, words.on_lost, words.on_resumed);
  for (;;) {
    const auto next = events->next();
    if (!next)
      return next.error();
    if (!*next)
      return {};
    if (const auto taken = take_event(log, **next, *events); !taken)
      return taken;
    if (log.is_over())
      return {};
  }
}

result<void> print_once(remote_log& log, const server_link& on, const std::string& id) {
  const auto view = read_objective_of(on, id);
  if (!view)
    return view.error();
  return log.take(*view);
}

} // namespace

int objective_logs_command(const run_logs_options& options, chosen_server server) {
  const auto on = link_to(std::move(server));
  if (!on)
    return refuse_usage(on.error());
  const auto id = find_objective_id(*on, options.run);
  if (!id)
    return on->refuse(id.error());
  remote_log log(*on, options);
  const auto done = options.follow ? follow_log(log, *on, *id) : print_once(log, *on, *id);
  if (!done)
    return on->refuse(done.error());
  if (!log.has_printed() && !options.json)
    complain(on->name + ": no program of " + *id
             + " has written anything; only tasks of the agent command have logs");
  return log.is_written() ? exit_ok : exit_failed;
}

} // namespace troupe
