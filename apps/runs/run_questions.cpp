// `troupe inbox` and `answer` without a server: the questions of runs that no process runs.
#include "apps/commands.hpp"
#include "apps/local_flag.hpp"
#include "apps/run/question_prompt.hpp"
#include "apps/run/question_table.hpp"
#include "apps/runs/run_folder.hpp"
#include "apps/runs/run_record.hpp"
#include "apps/terminal/console.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/opt/codec_opt.hpp"
#include <troupe/protocol/task_life.hpp>
#include <troupe/store/await.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace troupe {

namespace json = boost::json;

namespace {

json::value shown_question(const task& asking) {
  std::string text;
  json_writer out(text);
  opt::write_input(out, asking, asking.question->id);
  boost::system::error_code failed;
  return parse_json(text, failed);
}

/// What tasks of the run ask. Errors: store_locked (it goes on meanwhile), and those of its store.
result<std::vector<json::value>> questions_of(const run_entry& entry) {
  const auto record = open_record(entry);
  if (!record)
    return record.error();
  std::vector<json::value> out;
  for (const auto& plan : record->view->plans)
    for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
      if (!is_interrupted(plan.tasks[i].state))
        continue;
      const auto asking = await_task(*record->records, plan.task_at(i));
      if (!asking)
        return asking.error();
      if ((*asking)->question)
        out.push_back(shown_question(**asking));
    }
  return out;
}

/// The runs that may wait for an answer: all, or the one that is named.
result<std::vector<run_entry>> waiting_runs(const std::string& name) {
  const auto folder = own_runs_folder();
  if (!folder)
    return folder.error();
  if (!name.empty()) {
    auto named = named_run(*folder, name);
    if (!named)
      return named.error();
    return std::vector{std::move(*named)};
  }
  auto out = list_runs(*folder);
  std::erase_if(out, [](const run_entry& each) { return !is_unfinished(each); });
  return out;
}

/// A question that a person means.
struct meant_question {
  std::string run;   ///< As named_run finds it.
  json::value asked; ///< As questions_of has it.
};

/// A name of a question as its run, and the rest of the name; empty: there is no rest.
struct name_of_question {
  std::string run;
  std::string rest;
};

/// `k3v9.p0.t0.question-1`, `k3v9`, `DIR/k3v9.p0.t0`, `DIR/`.
name_of_question read_name(const std::string& name) {
  const auto slash = name.rfind('/');
  const auto dot = name.find('.', slash == std::string::npos ? 0 : slash + 1);
  if (slash == std::string::npos)
    return {name.substr(0, dot), dot == std::string::npos ? std::string{} : name.substr(dot)};
  // Behind the directory the whole id stands.
  if (dot == std::string::npos)
    return {name, {}};
  return {name.substr(0, slash + 1), name.substr(dot)};
}

/// `name`: the id of a question or of a task that asks, or a run in which one task asks. A run that
/// is not in the folder of runs is named by its directory.
result<meant_question> find_question(const std::string& name) {
  const auto folder = own_runs_folder();
  if (!folder)
    return folder.error();
  auto [run_name, rest] = read_name(name);
  const auto run = named_run(*folder, run_name);
  if (!run)
    return run.error();
  if (run->is_running)
    return make_error(errc::store_locked,
                      "the run " + run->id
                          + " is running; answer where it runs, or once it waits for nothing else");
  if (!is_unfinished(*run))
    return make_error(errc::no_question, "the run " + run->id + " is "
                                             + std::string(state_word(*run))
                                             + "; nothing of it waits for an answer");
  auto open = questions_of(*run);
  if (!open)
    return open.error();
  // The run may have been named by the beginning of its id.
  if (!rest.empty())
    std::erase_if(*open, [full = run->id + rest](const json::value& each) {
      return full != text_in(each, "id") && full != text_in(each, "taskId");
    });
  if (open->empty())
    return make_error(errc::input_not_found,
                      name + " is no question, and no task that asks; `troupe inbox" + local_flag()
                          + "` lists them");
  if (open->size() > 1) {
    std::string list;
    for (const auto& each : *open)
      list += (list.empty() ? "" : ", ") + text_in(each, "taskId");
    return make_error(errc::ambiguous_input,
                      "several tasks of the run " + run->id + " ask; name one: " + list);
  }
  if (run_name.find('/') == std::string::npos)
    run_name = run->id;
  return meant_question{std::move(run_name), std::move(open->front())};
}

} // namespace

int list_run_questions_command(const inbox_options& options) {
  const auto runs = waiting_runs(options.objective);
  if (!runs)
    return refuse_usage(runs.error());
  std::vector<json::value> all;
  int code = exit_ok;
  for (const auto& run : *runs) {
    auto open = questions_of(run);
    if (!open) {
      complain(run.id + ": " + open.error().message);
      code = exit_failed;
      continue;
    }
    all.insert(all.end(), open->begin(), open->end());
  }
  const bool is_for_people =
      options.format == list_format::table || options.format == list_format::wide;
  if (all.empty() && is_for_people && code == exit_ok) {
    complain(options.objective.empty()
                 ? "no run on this computer waits for an answer; --server URL lists the questions "
                   "of a server"
                 : "nothing is asked");
    return exit_ok;
  }
  return say(draw_questions(all, options.format, options.colour)) ? code : exit_failed;
}

/// A run that waits has no process: its answer goes on with it.
int answer_run_command(const answer_options& options) {
  if (!options.data.empty() || options.declines || options.overrides || !options.by.empty())
    return refuse_usage(
        make_error(errc::invalid_params,
                   "--data, --decline, --by and --override are for questions of a server "
                   "(--server URL); a run on this computer takes a text"));
  if (!options.text && ::isatty(STDIN_FILENO) != 1)
    return refuse_usage(
        make_error(errc::invalid_params,
                   "what is the answer? TEXT; without it, it is asked for on a terminal"));
  const auto meant = find_question(options.id);
  if (!meant)
    return refuse_usage(meant.error());
  const auto text = options.text ? options.text : question_prompt(meant->asked).ask();
  if (!text)
    return exit_needs_input;
  run_options going_on;
  going_on.purpose = run_purpose::resume;
  going_on.file = meant->run;
  going_on.answers.emplace_back(text_in(meant->asked, "id"), *text);
  going_on.no_input = true; // Other questions are not what was named.
  return run_command(going_on);
}

} // namespace troupe
