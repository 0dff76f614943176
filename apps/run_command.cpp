// `troupe run`: wires file, store, agents and gateway together and hands over to the session.
#include "agents/a2a/a2a_agent.hpp"
#include "apps/commands.hpp"
#include "apps/draw/dry_run.hpp"
#include "apps/local_flag.hpp"
#include "apps/open_store.hpp"
#include "apps/plan/mended_plan.hpp"
#include "apps/plan/only_tasks.hpp"
#include "apps/plan/plan_excerpt.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/run/result_files.hpp"
#include "apps/run/run_ending.hpp"
#include "apps/run/run_mending.hpp"
#include "apps/run/run_session.hpp"
#include "apps/run/run_timing.hpp"
#include "apps/run/timing_files.hpp"
#include "apps/runs/run_choice.hpp"
#include "apps/runs/run_folder.hpp"
#include "apps/runs/run_log.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/slow_notice.hpp"
#include "apps/terminal/text.hpp"
#include "apps/terminal/text_table.hpp"
#include "apps/text_file.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/counted.hpp"
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/time_source.hpp>
#include <troupe/store/await.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace troupe {

namespace {

/// An error before anything ran.
int refuse(const run_options& options, const error& why) {
  complain(why.message);
  if (options.json)
    say_json_error(why);
  return exit_usage;
}

/// The same of the file of a plan.
int refuse_plan(const run_options& options, const error& why) {
  complain_about_plan(why, options.file);
  if (options.json)
    say_json_error(why);
  return exit_usage;
}

/// A descriptor that is closed in the end, unless it is one of the standard ones.
class keyboard {
public:
  /// Where a person can be asked; negative if there is none.
  keyboard(const run_options& options, bool live) {
    if (options.no_input)
      return;
    if (::isatty(STDIN_FILENO) == 1 && (live || ::isatty(STDERR_FILENO) == 1))
      descriptor_ = STDIN_FILENO;
    else if (options.file == "-" && live)
      descriptor_ = ::open("/dev/tty", O_RDWR | O_CLOEXEC); // the plan came through standard input
  }
  ~keyboard() {
    if (descriptor_ > STDERR_FILENO)
      ::close(descriptor_);
  }
  keyboard(const keyboard&) = delete;
  keyboard& operator=(const keyboard&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

private:
  int descriptor_ = -1;
};

/// Of one artifact on a terminal, unless results are asked for: the tree stays in sight.
constexpr std::size_t result_lines_max = 40;

std::unique_ptr<run_screen> make_screen(const run_options& options, output& out, bool live) {
  const bool is_terminal = ::isatty(out.descriptor()) == 1;
  ending_options ending;
  ending.colour = use_colour(options.colour, is_terminal, own_colour_variables());
  ending.lines_max = is_terminal && !options.output ? result_lines_max : 0;
  const auto* workflow = std::getenv("GITHUB_ACTIONS");
  if (!is_terminal && workflow != nullptr && std::string_view(workflow) == "true")
    ending.workflow_token = thread_id_source().next("stop");
  if (options.json)
    return make_json_screen(out);
  if (options.quiet)
    return make_quiet_screen(out, ending);
  if (!live)
    return make_lines_screen(out, ending);
  const bool unicode =
      is_utf8_locale(std::getenv("LC_ALL"), std::getenv("LC_CTYPE"), std::getenv("LANG"));
  return make_tree_screen(out, {unicode, ending});
}

output_choice choice_of(const run_options& options) {
  if (options.output)
    return *options.output;
  return options.quiet ? output_choice::failed : output_choice::results;
}

error explain_store(error why, const store_choice& choice) {
  if (why.code == errc::store_locked)
    why.message = "another run uses " + choice.directory
                  + "; give this one its own with --data DIR, or use --store memory";
  else
    why.message += " (choose another place with --data DIR, or use --store memory)";
  return why;
}

objective_ptr newest(const recovered& left) {
  const auto found =
      std::max_element(left.objectives.begin(), left.objectives.end(),
                       [](const auto& a, const auto& b) { return a->created < b->created; });
  return found == left.objectives.end() ? nullptr : *found;
}

/// Everything that is read before anything is opened.
struct prepared {
  dry_run expected;                     ///< For `--dry-run`.
  std::shared_ptr<objective_spec> spec; ///< Null unless a plan was read.
  resolved_objective edges;             ///< Of `spec`.
  std::string file;                     ///< As run_entry has it; empty if none is named.
  std::string text;                     ///< As run_entry has it.
};

std::string identity_of(const std::string& file) {
  if (file.empty() || file == "-")
    return file;
  std::error_code failed;
  const auto path = std::filesystem::weakly_canonical(file, failed);
  return failed ? file : path.string();
}

/// The runs of standard input are known by the text that was read there, so the text is needed
/// again.
result<prepared> prepare_more(const run_options& options) {
  prepared out;
  std::error_code failed;
  if (options.file == "-" || std::filesystem::is_regular_file(options.file, failed))
    out.file = identity_of(options.file);
  if (out.file.empty() || (out.file == "-" && !options.store.directory.empty()))
    return out;
  const auto text = read_text(options.file, plan_file_bytes_max);
  if (!text)
    return text.error();
  out.text = hash_of_text(*text);
  return out;
}

result<prepared> prepare(const run_options& options, const agent_registry& agents,
                         const prepared_answers& answers) {
  prepared out;
  auto file = read_plan_file(options.file, options.params);
  if (!file)
    return file.error();
  auto checked = check_plan_file(*file, agents);
  if (!checked)
    return checked.error();
  if (!options.only.empty()) {
    if (const auto kept = keep_only(file->objective, *checked, options.only); !kept)
      return kept.error();
    checked = check_plan_file(*file, agents);
    if (!checked)
      return checked.error();
  }
  if (options.dry_run)
    out.expected = make_dry_run(
        file->objective, *checked, agents,
        {options.parallel_max > 0 ? options.parallel_max : file->objective.parallel_max,
         options.commands_max});
  if (const auto key = answers.unknown_key(file->objective.plans))
    return make_error(errc::invalid_params, "--answer " + *key + "=...: no task of " + file->name
                                                + " has this id or name");
  make_ids_local(file->objective);
  place_commands(*file, options.file, agents);
  if (options.parallel_max > 0)
    file->objective.parallel_max = options.parallel_max;
  out.spec = std::make_shared<objective_spec>(std::move(file->objective));
  out.edges = std::move(*checked);
  out.file = identity_of(options.file);
  out.text = hash_of_text(file->text);
  return out;
}

// -- which run ------------------------------------------------------------------------------------

bool fits(const run_options& options, const run_entry& entry) {
  return options.purpose == run_purpose::retry ? can_be_retried(entry) : is_unfinished(entry);
}

bool is_of(const run_entry& entry, const prepared& ready) {
  return entry.file == ready.file && (ready.file != "-" || entry.text == ready.text);
}

error cannot_go_on(const run_options& options, const run_entry& entry) {
  const std::string run = "the run " + entry.id;
  if (entry.is_running)
    return make_error(errc::store_locked, run + " is running");
  if (is_unfinished(entry))
    return make_error(errc::invalid_params, run + " has not ended; go on with --resume");
  if (can_be_retried(entry))
    return make_error(errc::invalid_params, run + " has " + std::string(state_word(entry))
                                                + "; do again what is missing with --retry");
  return make_error(errc::invalid_params,
                    run + " has completed; nothing is left to "
                        + (options.purpose == run_purpose::retry ? "do again" : "go on with"));
}

/// The run that `--resume` or `--retry` means, without `--data`.
result<run_entry> find_earlier(const run_options& options, const prepared& ready) {
  const auto folder = own_runs_folder();
  if (!folder)
    return folder.error();
  if (!options.file.empty() && ready.file.empty()) {
    auto named = named_run(*folder, options.file);
    if (named && !fits(options, *named))
      return cannot_go_on(options, *named);
    return named;
  }
  const auto found = newest_run(list_runs(*folder), [&](const run_entry& each) {
    return fits(options, each) && (ready.file.empty() || is_of(each, ready));
  });
  if (found)
    return *found;
  const std::string wanted = options.purpose == run_purpose::retry
                                 ? "there is no failed or canceled run to retry"
                                 : "there is no unfinished run to resume";
  return make_error(errc::objective_not_found,
                    wanted + (ready.file.empty() ? "" : ", of " + name_of_file(options.file))
                        + ", in " + *folder);
}

/// A retry of that file takes what was changed in it since.
bool is_mended(const run_options& options, const prepared& ready, const run_entry& entry) {
  return options.purpose == run_purpose::retry && is_of(entry, ready) && !ready.text.empty()
         && (ready.text != entry.text || !options.params.empty());
}

/// The file as it is now, read as it was for the run.
result<prepared> prepare_mended(run_options options, const agent_registry& agents,
                                const prepared_answers& answers, const run_entry& entry) {
  if (options.params.empty())
    options.params = entry.params;
  options.only = entry.only;
  return prepare(options, agents, answers);
}

/// Says that the file of a run has changed, and what becomes of that.
void tell_about_file(const run_options& options, const prepared& ready, const run_entry& entry) {
  if (!ready.file.empty()) {
    if (options.purpose == run_purpose::resume && is_of(entry, ready) && ready.text != entry.text
        && !ready.text.empty())
      complain(name_of_file(options.file) + " has changed since the run " + entry.id
               + ", which goes on with the plan as it was; troupe run " + name_of_file(options.file)
               + " begins a run of the new one");
    return;
  }
  if (options.purpose != run_purpose::retry || entry.file.empty() || entry.file == "-")
    return;
  const auto text = read_text(entry.file, plan_file_bytes_max);
  if (text && hash_of_text(*text) != entry.text)
    complain(entry.file + " has changed since the run " + entry.id
             + ", which is done again with the plan as it was; `troupe run --retry "
             + shell_word(entry.file) + "` takes the changes");
}

/// Says that a run of the same file was left, if there is one.
void tell_about_earlier(const std::string& folder, const prepared& ready) {
  const auto left = newest_run(list_runs(folder), [&](const run_entry& each) {
    return is_unfinished(each) && is_of(each, ready);
  });
  if (left)
    complain("an earlier run of " + troupe::quoted(left->name) + " ("
             + shown_age(left->started, system_time().now()) + ") "
             + (left->state == objective_state::blocked ? "waits for an answer" : "was interrupted")
             + "; continue it with --resume " + left->id);
}

/// A run with its place. Without a directory nothing is kept.
struct placed_run {
  run_entry entry;
  store_choice choice;
  std::unique_ptr<run_hold> hold; ///< Null if nothing is kept.
  bool is_own = false;            ///< In the folder of runs: it has no other run in it.
  bool is_kept = false;           ///< It has an entry, and keeps its directory.
  bool is_changed = false;        ///< Its entry is another one than is kept.
};

result<std::string> place_new(const run_options& options, const prepared& ready,
                              const std::string& id) {
  if (!options.store.directory.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(options.store.directory, failed);
    return options.store.directory; // if it failed, opening says why
  }
  const auto folder = own_runs_folder();
  if (!folder)
    return folder.error();
  tell_about_earlier(*folder, ready);
  return make_run_directory(*folder, id);
}

/// Chooses the run and its directory.
result<placed_run> place_run(const run_options& options, const prepared& ready) {
  placed_run out;
  out.choice = options.store;
  out.is_own = options.store.directory.empty();
  out.is_kept = options.purpose != run_purpose::begin;
  if (out.is_kept && !options.only.empty())
    return make_error(errc::invalid_params,
                      "--only chooses the tasks of a new run; an earlier run has the tasks that it "
                      "was begun with");
  if (options.purpose == run_purpose::begin) {
    out.entry.id = new_run_id();
    out.entry.file = ready.file;
    out.entry.text = ready.text;
    out.entry.params = options.params;
    out.entry.only = options.only;
    std::error_code failed;
    out.entry.begun_in = std::filesystem::current_path(failed).string();
    if (options.store.kind == store_kind::memory)
      return out;
    auto directory = place_new(options, ready, out.entry.id);
    if (!directory)
      return directory.error();
    out.entry.directory = std::move(*directory);
  } else if (out.is_own) {
    auto earlier = find_earlier(options, ready);
    if (!earlier)
      return earlier.error();
    out.entry = std::move(*earlier);
    if (ready.file.empty() && !options.params.empty())
      return make_error(errc::invalid_params,
                        "with --retry, --param is read with the plan: name FILE");
    tell_about_file(options, ready, out.entry);
  } else {
    if (!holds_rocksdb_store(options.store.directory))
      return make_error(errc::objective_not_found,
                        "there is no unfinished run to resume: no record is kept in "
                            + options.store.directory);
    if (auto earlier = run_in(options.store.directory))
      out.entry = std::move(*earlier);
    out.entry.directory = options.store.directory;
  }
  out.choice.directory = out.entry.directory;
  return out;
}

std::string absolute_path(const std::string& path) {
  std::error_code failed;
  const auto out = path.empty() ? std::filesystem::path{} : std::filesystem::absolute(path, failed);
  return failed ? path : out.string();
}

/// Programs of a run that goes on run in the directory in which it was begun. What the options name
/// stays where it is.
result<void> go_where_begun(run_options& options, placed_run& run) {
  const auto& place = run.entry.begun_in;
  std::error_code failed;
  if (place.empty() || place == std::filesystem::current_path(failed).string())
    return {};
  options.output_directory = absolute_path(options.output_directory);
  options.timing.trace = absolute_path(options.timing.trace);
  options.timing.timeline = absolute_path(options.timing.timeline);
  run.entry.directory = absolute_path(run.entry.directory);
  run.choice.directory = run.entry.directory;
  std::filesystem::current_path(place, failed);
  if (failed)
    return make_error(errc::invalid_params,
                      "the run " + run.entry.id + " was begun in " + place
                          + ", where its programs run, and that cannot be entered: "
                          + failed.message() + "; make the directory again, or begin a new run");
  complain("programs run in " + place + ", where the run was begun");
  return {};
}

/// Says to others that the run is running. Its store is open, so this process may.
result<void> hold_run(placed_run& run) {
  if (run.choice.kind == store_kind::memory)
    return {};
  auto hold = run_hold::take(run.entry.directory);
  if (!hold)
    return explain_store(hold.error(), run.choice);
  if (*hold == nullptr)
    return explain_store(make_error(errc::store_locked, {}), run.choice);
  run.hold = std::move(*hold);
  return {};
}

// -- carrying it out ------------------------------------------------------------------------------

/// The objective to go on with. With `--data` the record says which one it is.
result<objective_id> earlier_objective(const run_options& options, placed_run& run,
                                       const recovered& left) {
  if (run.is_own || options.purpose == run_purpose::retry) {
    if (run.entry.id.empty())
      return make_error(errc::objective_not_found, "no run is recorded in " + run.entry.directory);
    return objective_id(run.entry.id);
  }
  const auto unfinished = newest(left);
  if (!unfinished)
    return make_error(errc::objective_not_found, "there is no unfinished run to resume");
  run.entry.id = unfinished->id.str();
  run.entry.started = unfinished->created;
  return unfinished->id;
}

void tell_about_record(const run_options& options, const recovered& left) {
  if (!left.repaired.empty())
    complain("the record was repaired: " + left.repaired);
  if (options.purpose != run_purpose::begin || left.objectives.empty())
    return;
  const auto last = newest(left);
  complain("an earlier run of " + troupe::quoted(last->name) + " ("
           + shown_age(last->created, system_time().now())
           + ") was interrupted; continue it with --resume");
}

/// Says with which run it goes on.
void tell_which(const run_options& options, const store& records, const objective_id& id) {
  const auto view = await_objective(records, id);
  if (!view)
    return; // What follows says why.
  std::size_t completed = 0;
  std::size_t tasks = 0;
  for (const auto& plan : (*view)->plans)
    for (std::uint32_t t = 0; t < plan.spec->tasks.size(); ++t) {
      tasks += plan.spec->tasks[t].is_removed ? 0 : 1;
      completed += plan.tasks[t].state == task_state::completed ? 1 : 0;
    }
  complain(
      (options.purpose == run_purpose::retry ? "trying again the run " : "going on with the run ")
      + id.str() + " " + troupe::quoted((*view)->name) + " (" + std::to_string(completed) + " of "
      + counted(tasks, "task") + " completed)");
}

/// Keeps the entry of a run up to date. What cannot be written is said once; the record itself is
/// elsewhere.
class entry_keeper {
public:
  explicit entry_keeper(placed_run& run) : run_(run) {}

  /// So that others find it while it begins.
  void begin(const objective_spec& spec) {
    if (!run_.hold)
      return;
    run_.entry.started = system_time().now();
    run_.entry.name = spec.name;
    for (const auto& plan : spec.plans)
      run_.entry.tasks += plan->tasks.size();
    write();
  }

  void try_again() {
    run_.entry.tried = system_time().now();
    run_.is_changed = true;
  }

  /// The run goes on with the plan as `ready` has it, and as it was read.
  void take_file(const run_options& options, const prepared& ready) {
    run_.entry.text = ready.text;
    if (!options.params.empty())
      run_.entry.params = options.params;
    run_.is_changed = true;
  }

  /// Nothing has run it since its last change.
  void go_on(timestamp last_change) {
    run_.is_changed = note_stopped(run_.entry, last_change, system_time().now()) || run_.is_changed;
  }

  void keep(const run_model& now, bool is_end) {
    if (!run_.hold || now.id().empty())
      return;
    auto entry = run_.entry;
    bring_up_to_date(entry, now);
    if (is_end && !is_settled(entry.state) && !now.questions().empty())
      entry.state = objective_state::blocked; // Tasks that ask may hold what the others wait for.
    entry.ended = is_end ? system_time().now() : timestamp{};
    if (run_.is_kept && !run_.is_changed && entry == run_.entry)
      return;
    run_.entry = entry;
    run_.is_kept = true;
    run_.is_changed = false;
    write();
  }

private:
  void write() {
    const auto kept = keep_entry(run_.entry);
    if (!kept && !has_complained_)
      complain(kept.error().message);
    has_complained_ = has_complained_ || !kept;
  }

  placed_run& run_;
  bool has_complained_ = false;
};

/// How options name the run, and how the commands for runs do.
std::string option_of(const std::string& how, const placed_run& run) {
  return run.is_own ? how + " " + run.entry.id : how + " --data " + shell_word(run.entry.directory);
}
std::string name_of(const placed_run& run) {
  return (run.is_own ? run.entry.id : shell_word(run.entry.directory + "/")) + local_flag();
}

/// What a person may do next with a run that has not completed.
void tell_next_steps(const placed_run& run, int code) {
  const auto& file = run.entry.file;
  const auto name = name_of(run);
  if (!run.hold) {
    if (code == exit_needs_input)
      complain("the run waits for an answer, and its record is gone (--store memory)");
  } else if (code == exit_needs_input) {
    const auto words = run.is_own ? local_flag() : " " + name;
    complain("the run waits for an answer; `troupe inbox" + words
             + "` lists what is asked, `troupe answer " + name
             + "` answers it; or go on with `troupe run " + option_of("--resume", run) + "`");
  } else if (code == exit_failed) {
    std::error_code failed;
    const auto log = std::filesystem::path(run.entry.directory) / run_log_file;
    const bool has_log = std::filesystem::file_size(log, failed) > 0 && !failed;
    if (has_log)
      complain("all that its programs wrote: `troupe logs " + name + "`");
    complain("to do again what failed: `troupe run " + option_of("--retry", run) + "`"
             + (run.is_own && !file.empty() && file != "-"
                    ? "; once the plan is mended: `troupe run --retry " + shell_word(file) + "`"
                    : ""));
  } else if (code == exit_canceled) {
    complain(is_settled(run.entry.state)
                 ? "to do the rest: `troupe run " + option_of("--retry", run) + "`"
                 : "to go on: `troupe run " + option_of("--resume", run) + "`");
  }
}

/// The plans of the run as it begins. Programs may write before the session has heard that it did.
class begun_plans {
public:
  /// Null: it does not begin. Only the first call counts.
  void set(const objective_ptr& begun) {
    if (!is_set_.exchange(true))
      promise_.set_value(begun);
  }
  /// Waits until it has begun.
  [[nodiscard]] objective_ptr wait() const { return begun_.get(); }

private:
  std::atomic<bool> is_set_{false};
  std::promise<objective_ptr> promise_;
  std::shared_future<objective_ptr> begun_{promise_.get_future().share()};
};

/// What is read and written when the run has ended; `written` becomes false if a file cannot be.
session_hooks hooks_of(const run_options& options, const store& records, entry_keeper& keeper,
                       const placed_run& run, begun_plans& begun, bool& written) {
  session_hooks out;
  out.begun = [&begun](const objective_ptr& now) { begun.set(now); };
  if (run.hold) {
    out.resume_command = "troupe run " + option_of("--resume", run);
    out.cancel_advice =
        "; `troupe run " + option_of("--retry", run) + "` cancels it, before it does the rest";
  }
  const auto since =
      options.purpose == run_purpose::retry ? system_time().now() : timestamp{}; // a run of its own
  out.read_ending = [&options, &records, &run, &written, since](const objective_view& ended) {
    const bool shows_all = options.output || ::isatty(STDOUT_FILENO) != 1;
    auto shown = options.json ? run_ending{}
                              : read_ending(records, ended, choice_of(options),
                                            shows_all ? ending_limits::none() : ending_limits{});
    shown.show_command = "troupe show " + name_of(run);
    for (const auto& line : unread_lines(shown.unread))
      complain(line);
    written = shown.unread.empty();
    if (!options.output_directory.empty()) {
      const auto files = write_results(options.output_directory, records, ended,
                                       options.output.value_or(output_choice::results));
      if (!files)
        complain(files.error().message);
      written = written && files;
    }
    const bool is_told = !options.json && !options.quiet;
    if (is_told || options.timing.any()) {
      const auto timing = read_timing(records, ended, since, run.entry.stopped);
      written = write_timing_files(options.timing, timing, ended.name) && written;
      if (is_told)
        shown.timing = timing_text(timing, stopped_in(run.entry.stopped, since));
    }
    return shown;
  };
  out.keep = [&keeper](const run_model& now, bool is_end) { keeper.keep(now, is_end); };
  return out;
}

/// What programs write goes beside the record, with the names of their tasks: those of the run as
/// it began, then those of the record, for tasks that were added since.
result<void> open_log(run_log& log, const placed_run& run, const store& records,
                      const begun_plans& begun) {
  const auto find = [&records, &begun, is_first = true]() mutable {
    auto view = begun.wait();
    if (view && !std::exchange(is_first, false))
      if (auto now = await_objective(records, view->id))
        view = std::move(*now);
    std::vector<plan_spec_ptr> plans;
    if (view)
      for (const auto& plan : view->plans)
        plans.push_back(plan.spec);
    return plans;
  };
  return log.open(run.entry.directory + "/" + run_log_file, find);
}

/// What changes in a run that is tried again, by the file as it is now. Says how much it is.
result<mended_run> read_mended(const run_options& options, gateway& main_gateway,
                               const store& records, const objective_id& id,
                               const prepared& ready) {
  const auto recorded = await_objective(records, id);
  if (!recorded)
    return recorded.error();
  const auto made_by_tasks = tasks_made_by_tasks(service(main_gateway), **recorded);
  if (!made_by_tasks)
    return made_by_tasks.error();
  auto mended = mend_run(**recorded, *ready.spec, ready.edges, *made_by_tasks);
  if (!mended)
    return make_error(mended.error().code, "the run " + id.str() + " cannot take "
                                               + name_of_file(options.file)
                                               + " as it is now: " + mended.error().message);
  for (const auto& line : mended_lines(*mended, name_of_file(options.file)))
    complain(line);
  return mended;
}

/// With the store open: begins a run, or goes on with one.
result<int> execute(const run_options& options, bool is_named, const agent_registry& agents,
                    store& records, prepared ready, prepared_answers answers, stop_signals& signals,
                    placed_run& run, run_log& log) {
  auto left = records.recover();
  if (!left)
    return left.error();
  tell_about_record(options, *left);
  entry_keeper keeper(run);
  begun_plans begun;
  objective_id id;
  if (options.purpose == run_purpose::begin) {
    keeper.begin(*ready.spec);
    id = objective_id(run.entry.id);
  } else {
    auto found = earlier_objective(options, run, *left);
    if (!found)
      return found.error();
    id = *found;
    const auto unfinished = std::ranges::find_if(
        left->objectives, [&](const objective_ptr& each) { return each->id == id; });
    if (options.purpose == run_purpose::resume && unfinished != left->objectives.end())
      keeper.go_on((*unfinished)->updated);
    if (!is_named) // By its id. Else it may be another one than the person has in mind.
      tell_which(options, records, id);
  }
  if (run.hold)
    if (const auto opened = open_log(log, run, records, begun); !opened)
      return opened.error();
  executor_options limits;
  limits.time_scale = options.time_scale;
  limits.parallel_max = options.parallel_max;
  limits.objective_bytes_max =
      memory_budget::unlimited; // Who runs it alone knows how much it makes.
  const bool live = !options.json && !options.quiet && ::isatty(STDOUT_FILENO) == 1
                    && can_draw(std::getenv("TERM"));
  if (!live && !options.quiet)
    limits.warn = [](const std::string& line) { complain(line); };
  std::optional<slow_notice> still_running; // Outlives the gateway, which waits for programs.
  gateway main_gateway(records, agents, limits);
  main_gateway.start();
  const auto delegating = std::dynamic_pointer_cast<a2a_agent>(agents.find("a2a"));
  if (delegating && run.hold) { // before anything else asks other agents
    delegating->keep_cancels(run.entry.directory + "/" + run_cancels_file);
    delegating->deliver_cancels();
  }
  mended_run mended;
  if (options.purpose == run_purpose::retry)
    keeper.try_again();
  if (options.purpose == run_purpose::retry && ready.spec) {
    auto found = read_mended(options, main_gateway, records, id, ready);
    if (!found)
      return found.error();
    mended = std::move(*found);
    keeper.take_file(options, ready);
  }
  output out(STDOUT_FILENO);
  const keyboard person(options, live);
  const auto screen = make_screen(options, out, live);
  std::unique_ptr<key_input> keys;
  if (screen->has_prompt() && person.descriptor() >= 0)
    keys = std::make_unique<key_input>(person.descriptor());
  const bool typed = keys == nullptr || keys->active();
  const input_choice input{typed ? person.descriptor() : -1, typed ? keys.get() : nullptr};
  signals.before_forced_end(&restore_terminal);
  bool written = true;
  auto hooks = hooks_of(options, records, keeper, run, begun, written);
  run_session session(main_gateway, std::make_shared<inbox>(), signals, *screen, std::move(answers),
                      input, limits, std::move(hooks));
  const auto code = options.purpose == run_purpose::begin    ? session.run(std::move(ready.spec))
                    : options.purpose == run_purpose::resume ? session.resume(id)
                                                             : session.retry(id, mended);
  begun.set(nullptr); // Else who waits for it would do so for ever.
  log.close();
  if (!code)
    return code.error();
  if (signals.stop_requested() && !options.quiet)
    still_running.emplace("waiting for programs to end; Ctrl-C again ends at once").start();
  const bool shown = all_written(out);
  if (!options.json && !options.quiet)
    tell_next_steps(run, *code);
  return exit_code_of(*code, shown && written);
}

/// Opens the record, holds the run and carries it out. The exit code.
int run_placed(const run_options& options, const agent_registry& agents, prepared ready,
               prepared_answers answers, placed_run& run, run_log& log) {
  stop_signals signals;
  auto records = open_store(run.choice);
  if (!records)
    return refuse(options, explain_store(records.error(), run.choice));
  if (const auto held = hold_run(run); !held)
    return refuse(options, held.error());
  const bool is_named = run.is_own && !options.file.empty() && ready.file.empty();
  const auto code = execute(options, is_named, agents, **records, std::move(ready),
                            std::move(answers), signals, run, log);
  return code ? *code : refuse(options, code.error());
}

/// Removes what `--keep` does not keep.
void remove_old_runs(const keep_rule& rule) {
  const auto folder = own_runs_folder();
  if (!folder)
    return;
  for (const auto& each : not_kept(list_runs(*folder), rule, system_time().now()))
    if (const auto removed = remove_run(each);
        !removed && removed.error().code != errc::store_locked)
      complain(removed.error().message);
}

} // namespace

int run_command(const run_options& wanted) {
  auto options = wanted;
  const auto log = std::make_shared<run_log>();
  agent_registry agents;
  register_own_agents(agents, log, options.commands_max);
  if (!options.agent.empty())
    agents.default_agent = options.agent;
  if (agents.find(agents.default_agent) == nullptr)
    return refuse(options, make_error(errc::agent_not_found,
                                      "--agent " + options.agent
                                          + ": there is no such agent (see troupe agents)"));
  if (const auto fine = check_timing_files(options.timing); !fine)
    return refuse(options, fine.error());
  prepared_answers answers(options.answers);
  if (options.given)
    answers.give(*options.given);
  const bool begins = options.purpose == run_purpose::begin;
  if (!begins && options.store.kind == store_kind::memory)
    return refuse(options,
                  make_error(errc::invalid_params, "--resume and --retry need a record on disk, "
                                                   "not --store memory"));
  std::optional<keep_rule> keep;
  if (!options.keep.empty()) {
    const auto rule = read_keep_rule(options.keep);
    if (!rule)
      return refuse(options, make_error(rule.error().code, "--keep: " + rule.error().message));
    keep = *rule;
  }
  auto ready = begins ? prepare(options, agents, answers) : prepare_more(options);
  if (!ready)
    return refuse_plan(options, ready.error());
  if (options.dry_run && begins)
    return say(options.json ? json_of(ready->expected)
                            : fit_lines(draw(ready->expected), stdout_width()))
               ? exit_ok
               : exit_failed;
  if (!options.output_directory.empty())
    if (const auto made = make_output_directory(options.output_directory); !made)
      return refuse(options, made.error());
  auto run = place_run(options, *ready);
  if (!run)
    return refuse(options, run.error());
  if (is_mended(options, *ready, run->entry)) {
    ready = prepare_mended(options, agents, answers, run->entry);
    if (!ready)
      return refuse_plan(options, ready.error());
  }
  if (begins)
    ready->spec->id = objective_id(run->entry.id);
  else if (const auto there = go_where_begun(options, *run); !there)
    return refuse(options, there.error());
  const int code = run_placed(options, agents, std::move(*ready), std::move(answers), *run, *log);
  run->hold.reset();
  if (run->is_own && !run->is_kept && !run->entry.directory.empty())
      [[maybe_unused]] // it was refused, and leaves nothing behind
    const auto removed = remove_run(run->entry);
  if (keep)
    remove_old_runs(*keep);
  return code;
}

} // namespace troupe
