// `troupe ls`, `show`, `logs` and `rm`: the runs of this computer.
#include "apps/commands.hpp"
#include "apps/local_flag.hpp"
#include "apps/run/result_files.hpp"
#include "apps/run/run_drawing.hpp"
#include "apps/runs/run_choice.hpp"
#include "apps/runs/run_folder.hpp"
#include "apps/runs/run_log.hpp"
#include "apps/runs/run_record.hpp"
#include "apps/runs/run_table.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include <troupe/protocol/time_source.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>
#include <unistd.h>

namespace troupe {

namespace {

constexpr std::chrono::milliseconds follow_interval{100};

result<run_entry> find_named(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return named_run({}, name);
  const auto folder = own_runs_folder();
  if (!folder)
    return folder.error();
  return named_run(*folder, name);
}

// -- show -----------------------------------------------------------------------------------------

result<std::string> draw_run(const run_entry& entry, const show_run_options& options,
                             bool& written) {
  const auto record = open_record(entry);
  if (!record)
    return record.error();
  const auto& view = *record->view;
  const auto& records = *record->records;
  const auto end = entry.ended != timestamp{} ? entry.ended : view.updated;
  const auto shown = options.output.value_or(output_choice::results);
  drawing_options drawing{options.output, stdout_colour(options.colour)};
  if (is_unfinished(entry))
    drawing.left = state_word(entry);
  drawing.stopped = entry.stopped;
  drawing.show_command = "troupe show " + shell_word(options.run) + local_flag();
  auto drawn = draw_ended(view, records, end, drawing);
  if (!options.output_directory.empty()) {
    const auto done = write_results(options.output_directory, records, view, shown);
    if (!done)
      complain(done.error().message);
    written = done.has_value();
  }
  for (const auto& line : unread_lines(drawn.unread))
    complain(line);
  written = written && drawn.unread.empty();
  return std::move(drawn.text);
}

// -- logs -----------------------------------------------------------------------------------------

/// The run whose lines are meant. A directory that was named with `--data` may have had several
/// runs, which write into one file; `DIR/ID` names one before the last.
struct logged_run {
  run_entry entry; ///< Of the last run of the directory.
  std::string id;
  [[nodiscard]] bool is_last() const { return id == entry.id; }
};

result<logged_run> find_logged(const std::string& name) {
  const auto entry = find_named(name);
  if (entry)
    return logged_run{*entry, entry->id};
  const auto slash = name.rfind('/');
  if (slash != std::string::npos && slash + 1 < name.size())
    if (auto of_directory = run_in(name.substr(0, slash + 1)))
      return logged_run{std::move(*of_directory), name.substr(slash + 1)};
  return entry.error();
}

class log_printer {
public:
  log_printer(const run_logs_options& options, const logged_run& run, output& out)
      : options_(options), run_(run), out_(out), colour_(stdout_colour(options.colour)) {}

  void print(const std::vector<logged_line>& lines) {
    for (const auto& line : lines) {
      if (auto of = line.task.substr(0, line.task.find('.')); of != run_.id) {
        if (std::ranges::find(others_, of) == others_.end())
          others_.push_back(std::move(of));
        continue;
      }
      // When an earlier run began is no more known.
      begun_ = begun_ != timestamp{} ? begun_ : run_.is_last() ? run_.entry.started : line.line.at;
      tasks_.insert(line.key.empty() ? line.name : line.key);
      if (!options_.task.empty() && !is_called(line, options_.task))
        continue;
      any_ = true;
      out_.write(options_.json ? write_logged(line) : drawn(line));
    }
    out_.flush();
  }

  [[nodiscard]] bool has_printed() const { return any_; }
  [[nodiscard]] const std::set<std::string>& tasks() const { return tasks_; }
  /// Other runs that have written there, in the order in which they did.
  [[nodiscard]] const std::vector<std::string>& others() const { return others_; }

private:
  /// The attempts of one place in the plan. A retry makes a new task there, which begins at 1.
  struct counted_attempts {
    std::string task;
    std::uint32_t before = 0; ///< Of the tasks before it.
    std::uint32_t most = 0;   ///< Of this one.
  };

  /// With the attempts of its place counted through.
  [[nodiscard]] std::string drawn(logged_line line) {
    auto& seen = attempts_[line.task.substr(0, line.task.rfind(".r"))];
    if (seen.task != line.task)
      seen = {line.task, seen.before + seen.most, 0};
    seen.most = std::max(seen.most, line.attempt);
    line.attempt += seen.before;
    return draw_logged(line, begun_, options_.task.empty(), colour_);
  }

  const run_logs_options& options_;
  const logged_run& run_;
  output& out_;
  const bool colour_;
  bool any_ = false;
  timestamp begun_{};
  std::set<std::string> tasks_;
  std::vector<std::string> others_;
  std::map<std::string, counted_attempts> attempts_; ///< By the task without the number of a retry.
};

} // namespace

int list_runs_command(const list_runs_options& options) {
  const auto folder = own_runs_folder();
  if (!folder)
    return refuse_usage(folder.error());
  const auto entries = list_runs(*folder);
  std::string out;
  if (options.format == list_format::json) {
    for (const auto& each : entries)
      out += shown_entry(each);
  } else if (options.format == list_format::name) {
    for (const auto& each : entries)
      out += each.id + "\n";
  } else if (entries.empty()) {
    complain("there are no runs yet; `troupe run FILE` makes the first");
  } else {
    table_options table;
    table.colour = stdout_colour(options.colour);
    table.is_wide = options.format == list_format::wide;
    table.width = ::isatty(STDOUT_FILENO) == 1 && !table.is_wide ? size_of(STDOUT_FILENO).columns
                                                                 : static_cast<std::size_t>(-1);
    out = draw_runs(entries, system_time().now(), table);
  }
  return say(out) ? exit_ok : exit_failed;
}

int show_run_command(const show_run_options& options) {
  const auto entry = find_named(options.run);
  if (!entry)
    return refuse_usage(entry.error());
  if (!options.output_directory.empty())
    if (const auto made = make_output_directory(options.output_directory); !made)
      return refuse_usage(made.error());
  bool written = true;
  const auto drawn = draw_run(*entry, options, written);
  if (!drawn)
    return refuse_usage(drawn.error());
  const bool is_said = say(*drawn);
  if (is_unfinished(*entry))
    complain((waits_for_answer(*entry) ? "it waits for an answer" : "its process died")
             + std::string("; to go on: `") + run_command_for("--resume", *entry) + "`");
  return is_said && written ? exit_ok : exit_failed;
}

int run_logs_command(const run_logs_options& options) {
  const auto run = find_logged(options.run);
  if (!run)
    return refuse_usage(run.error());
  const auto& directory = run->entry.directory;
  output out(STDOUT_FILENO);
  run_log_reader reader((std::filesystem::path(directory) / run_log_file).string());
  log_printer printer(options, *run, out);
  while (!out.broken()) {
    // Asked before reading: what is written before the run ends is read after it.
    const bool goes_on = options.follow && run->is_last() && run_hold::is_taken(directory);
    const auto lines = reader.next();
    printer.print(lines);
    if (!lines.empty())
      continue;
    if (!goes_on)
      break;
    ::poll(nullptr, 0, static_cast<int>(follow_interval.count()));
  }
  const auto list_of = [](const auto& names) {
    std::string list;
    for (const auto& each : names)
      list += (list.empty() ? "" : ", ") + each;
    return list;
  };
  if (!run->is_last() && !printer.has_printed() && printer.tasks().empty())
    return refuse_usage(make_error(errc::objective_not_found,
                                   "no program of a run " + run->id + " wrote anything in "
                                       + directory
                                       + "; those that did: " + list_of(printer.others())));
  if (!options.task.empty() && !printer.has_printed()) {
    const auto list = list_of(printer.tasks());
    return refuse_usage(make_error(
        errc::task_not_found, "no program of a task " + options.task + " wrote anything in the run "
                                  + run->id + (list.empty() ? "" : "; those that did: " + list)));
  }
  if (!printer.others().empty())
    complain("these are the lines of the run " + run->id + "; other runs in " + directory + ": "
             + list_of(printer.others()) + " (`troupe logs "
             + shell_word((std::filesystem::path(directory) / printer.others().back()).string())
             + local_flag() + "`)");
  return all_written(out) ? exit_ok : exit_failed;
}

int remove_runs_command(const remove_runs_options& options) {
  const auto folder = own_runs_folder();
  if (!folder)
    return refuse_usage(folder.error());
  const auto entries = list_runs(*folder);
  std::vector<run_entry> chosen;
  if (!options.keep.empty()) {
    const auto rule = read_keep_rule(options.keep);
    if (!rule)
      return refuse_usage(make_error(rule.error().code, "--keep: " + rule.error().message));
    chosen = not_kept(entries, *rule, system_time().now());
  }
  for (const auto& name : options.runs) {
    auto found = find_run(entries, name);
    if (!found)
      return refuse_usage(found.error());
    chosen.push_back(std::move(*found));
  }
  int code = exit_ok;
  std::set<std::string> done;
  for (const auto& each : chosen) {
    if (!done.insert(each.id).second)
      continue;
    if (const auto removed = remove_run(each); !removed) {
      complain(removed.error().message);
      code = exit_failed;
    } else if (!say("removed " + each.id + "\n")) {
      code = exit_failed;
    }
  }
  return code;
}

} // namespace troupe
