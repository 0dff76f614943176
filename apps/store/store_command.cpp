// `troupe store check|stat|repair|migrate`: a data directory without a server on it.
#include "apps/commands.hpp"
#include "apps/store/store_text.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/progress_line.hpp"
#include "apps/terminal/terminal.hpp"
#include "protocol/record/change_line.hpp"

#include <string>

#include <unistd.h>

namespace troupe {

namespace {

/// Nothing could be read: the message, and the exit code.
int refuse(const error& why, const store_tool_options& options) {
  if (options.json)
    say_json_error(why);
  complain(why.code == errc::store_locked
               ? options.directory + " is in use by another process; stop it first"
               : why.message);
  return exit_usage;
}

/// Prints lines of a tool, its progress aside.
class tool_output {
public:
  tool_output() : progress_(err_) {}

  void print(std::string_view text) {
    progress_.clear();
    out_.write(text);
  }
  void print_change(const record::keyed_row& row, std::uint64_t group) {
    line_.clear();
    record::write_line(line_, row, group);
    line_ += '\n';
    print(line_);
  }
  void show_progress(std::string_view stage, std::uint64_t count) {
    progress_.show(std::to_string(count) + " " + std::string{stage} + " read");
  }
  /// `code`, unless not all was written.
  [[nodiscard]] int end(int code) {
    progress_.clear();
    return exit_code_of(code, all_written(out_));
  }

private:
  output out_{STDOUT_FILENO};
  output err_{STDERR_FILENO};
  progress_line progress_;
  std::string line_;
};

int check(const store_tool_options& options) {
  tool_output out;
  check_watch watch;
  watch.on_finding = [&](const store_finding& finding) {
    out.print(options.json ? json_of(finding) : text_of(finding));
  };
  watch.on_note = [&](const std::string& note) {
    out.print(options.json ? json_of_note(note) : "note: " + note + "\n");
  };
  if (options.verbose)
    watch.on_change = [&](const auto& row, std::uint64_t group) { out.print_change(row, group); };
  watch.on_progress = [&](std::string_view stage, std::uint64_t count) {
    out.show_progress(stage, count);
  };
  const auto report = check_store(options.directory, watch);
  if (!report)
    return refuse(report.error(), options);
  out.print(options.json ? json_of(*report) : text_of(*report));
  return out.end(report->findings == 0 ? exit_ok : exit_failed);
}

int stat(const store_tool_options& options) {
  const auto found = stat_store(options.directory);
  if (!found)
    return refuse(found.error(), options);
  const bool written = say(options.json ? json_of(*found) : text_of(*found));
  return exit_code_of(found->journal_problem.empty() ? exit_ok : exit_failed, written);
}

int repair(const store_tool_options& options) {
  tool_output out;
  lost_change_fn on_lost;
  if (options.verbose)
    on_lost = [&](const auto& row, std::uint64_t group) { out.print_change(row, group); };
  const auto report = options.lose_after ? repair_store(options.directory, on_lost)
                                         : plan_repair(options.directory, on_lost);
  if (!report)
    return refuse(report.error(), options);
  out.print(options.json ? json_of(*report) : text_of(*report, options.directory));
  const bool is_whole = !report->is_needed || !report->copy.empty();
  return out.end(is_whole ? exit_ok : exit_failed);
}

int migrate(const store_tool_options& options) {
  const auto done = migrate_store(options.directory);
  if (!done)
    return refuse(done.error(), options);
  return exit_code_of(exit_ok, say(options.json ? json_of(*done) : text_of(*done)));
}

} // namespace

int store_command(const store_tool_options& options) {
  switch (options.tool) {
    case store_tool::check: return check(options);
    case store_tool::stat: return stat(options);
    case store_tool::repair: return repair(options);
    case store_tool::migrate: return migrate(options);
  }
  return exit_usage;
}

} // namespace troupe
