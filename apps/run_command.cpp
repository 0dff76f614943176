// `troupe run`: wires file, store, agents and gateway together and hands over to the session.
#include "apps/commands.hpp"
#include "apps/console.hpp"
#include "apps/open_store.hpp"
#include "apps/plan_file.hpp"
#include "apps/run/run_session.hpp"
#include "apps/text.hpp"
#include "apps/text_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

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

std::unique_ptr<run_screen> make_screen(const run_options& options, output& out, bool live) {
  if (options.json)
    return make_json_screen(out);
  if (options.quiet)
    return make_quiet_screen(out);
  if (!live)
    return make_lines_screen(out);
  const bool colour =
      use_colour(options.colour, true, std::getenv("NO_COLOR"), std::getenv("TERM"));
  const bool unicode =
      is_utf8_locale(std::getenv("LC_ALL"), std::getenv("LC_CTYPE"), std::getenv("LANG"));
  return make_tree_screen(out, {colour, unicode});
}

/// The directory of the record, if it needs one.
result<store_choice> place_store(const run_options& options, std::string_view text) {
  store_choice choice = options.store;
  if (choice.kind == store_kind::rocksdb && choice.directory.empty()) {
    auto directory = default_run_directory(options.file, text, std::getenv("XDG_STATE_HOME"),
                                           std::getenv("HOME"));
    if (!directory)
      return directory.error();
    choice.directory = std::move(*directory);
  }
  return choice;
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

void tell_about(const recovered& left, const run_options& options) {
  if (!left.repaired.empty())
    complain("the record was repaired: " + left.repaired);
  if (options.resume || left.objectives.empty())
    return;
  const auto last = newest(left);
  complain("an earlier run of \"" + last->name + "\" (" + to_rfc3339(last->created)
           + ") was interrupted; continue it with --resume");
}

/// Everything that is read before anything is opened.
struct prepared {
  objective_spec_ptr spec; ///< Null with --resume.
  std::string text;
};

/// A record of standard input is found by the text that was read there, so the text is needed
/// again.
result<prepared> prepare_resume(const run_options& options) {
  if (options.file != "-" || !options.store.directory.empty())
    return prepared{};
  auto text = read_text(options.file, plan_file_bytes_max);
  if (!text)
    return text.error();
  return prepared{nullptr, std::move(*text)};
}

result<prepared> prepare(const run_options& options, const agent_registry& agents,
                         const prepared_answers& answers) {
  prepared out;
  auto file = read_plan_file(options.file);
  if (!file)
    return file.error();
  if (auto checked = check_plan_file(*file, agents); !checked)
    return checked.error();
  if (const auto key = answers.unknown_key(file->objective.plans))
    return make_error(errc::invalid_params, "--answer " + *key + "=...: no task of " + file->name
                                                + " has this id or name");
  make_ids_local(file->objective);
  if (options.parallel_max > 0)
    file->objective.parallel_max = options.parallel_max;
  out.spec = std::make_shared<objective_spec>(std::move(file->objective));
  out.text = std::move(file->text);
  return out;
}

/// With the store open: runs or resumes.
result<int> execute(const run_options& options, const agent_registry& agents, store& records,
                    objective_spec_ptr spec, prepared_answers answers, stop_signals& signals) {
  auto left = records.recover();
  if (!left)
    return left.error();
  tell_about(*left, options);
  const auto unfinished = newest(*left);
  if (options.resume && !unfinished)
    return make_error(errc::objective_not_found, "there is no unfinished run to resume");
  executor_options limits;
  limits.time_scale = options.time_scale;
  limits.parallel_max = options.parallel_max;
  const bool live = !options.json && !options.quiet && ::isatty(STDOUT_FILENO) == 1
                    && can_draw(std::getenv("TERM"));
  if (!live && !options.quiet)
    limits.warn = [](const std::string& line) { complain(line); };
  gateway door(records, agents, limits);
  door.start();
  output out(STDOUT_FILENO);
  const keyboard person(options, live);
  const auto screen = make_screen(options, out, live);
  std::unique_ptr<key_input> keys;
  if (screen->has_prompt() && person.descriptor() >= 0)
    keys = std::make_unique<key_input>(person.descriptor());
  const bool typed = keys == nullptr || keys->active();
  const input_choice input{typed ? person.descriptor() : -1, typed ? keys.get() : nullptr};
  signals.before_forced_end(&restore_terminal);
  run_session session(door, std::make_shared<inbox>(), signals, *screen, std::move(answers), input,
                      limits);
  const auto code = options.resume ? session.resume(unfinished) : session.run(std::move(spec));
  if (!code)
    return code.error();
  return exit_code_of(*code, all_written(out));
}

} // namespace

int run_command(const run_options& options) {
  agent_registry agents;
  register_own_agents(agents);
  if (!options.agent.empty())
    agents.default_agent = options.agent;
  if (agents.find(agents.default_agent) == nullptr)
    return refuse(options, make_error(errc::agent_not_found,
                                      "--agent " + options.agent
                                          + ": there is no such agent (see troupe agents)"));
  prepared_answers answers(options.answers);
  if (options.resume && options.store.kind == store_kind::memory)
    return refuse(options, make_error(errc::invalid_params,
                                      "--resume needs a record on disk, not --store memory"));
  auto ready = options.resume ? prepare_resume(options) : prepare(options, agents, answers);
  if (!ready)
    return refuse(options, ready.error());
  auto choice = place_store(options, ready->text);
  if (!choice)
    return refuse(options, choice.error());
  if (options.resume && !holds_rocksdb_store(choice->directory))
    return refuse(options, make_error(errc::objective_not_found,
                                      "there is no unfinished run to resume: no record is kept in "
                                          + choice->directory));
  stop_signals signals;
  auto records = open_store(*choice);
  if (!records)
    return refuse(options, explain_store(records.error(), *choice));
  auto code =
      execute(options, agents, **records, std::move(ready->spec), std::move(answers), signals);
  if (!code)
    return refuse(options, code.error());
  return *code;
}

} // namespace troupe
