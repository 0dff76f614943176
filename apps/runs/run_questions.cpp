// `troupe inbox`, `answer` and `claim` without a server: the questions of runs that no process
// runs.
#include "actors/commands/message_rules.hpp"
#include "apps/commands.hpp"
#include "apps/local_flag.hpp"
#include "apps/run/question_prompt.hpp"
#include "apps/run/question_table.hpp"
#include "apps/run/service_error.hpp"
#include "apps/runs/held_run.hpp"
#include "apps/runs/run_folder.hpp"
#include "apps/runs/run_record.hpp"
#include "apps/terminal/console.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/opt/codec_opt.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/task_life.hpp>
#include <troupe/protocol/time.hpp>
#include <troupe/protocol/time_source.hpp>
#include <troupe/store/await.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace troupe {

namespace json = boost::json;

namespace {

/// As `inputs/*` show it.
json::value question_json(const task& owner, const std::string& question,
                          const std::optional<input_claim>& claim) {
  std::string text;
  json_writer out(text);
  opt::write_input(out, owner, question, claim);
  boost::system::error_code failed;
  return parse_json(text, failed);
}

/// What tasks of the run ask. Errors: those of its store.
result<std::vector<json::value>> questions_of(const run_record& record) {
  std::vector<json::value> out;
  const auto now = system_time().now();
  for (const auto& plan : record.view->plans)
    for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
      if (!is_interrupted(plan.tasks[i].state))
        continue;
      const auto asking = await_task(*record.records, plan.task_at(i));
      if (!asking)
        return asking.error();
      if (!(*asking)->question)
        continue;
      const auto& asked = (*asking)->question.get();
      const auto* claim = live_claim(asked, now);
      out.push_back(
          question_json(**asking, asked.id, claim ? std::optional(*claim) : std::nullopt));
    }
  return out;
}

/// Errors also: store_locked (it goes on meanwhile).
result<std::vector<json::value>> questions_of(const run_entry& entry) {
  const auto record = open_record(entry);
  if (!record)
    return record.error();
  return questions_of(*record);
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
  std::string run; ///< As named_run finds it.
  run_entry entry;
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

/// Why the question that is named is not open: it was answered or ended, or there is none.
error why_not_open(const run_record& record, const std::string& full, const std::string& name) {
  if (const auto meant = question_address_from(full))
    if (const auto asked = await_task(*record.records, meant->task);
        asked && find_closed(**asked, meant->question) != nullptr)
      return refusal_of_answer(**asked, meant->task.str(), meant->question);
  return make_error(errc::input_not_found,
                    name + " is no question, and no task that asks; `troupe inbox" + local_flag()
                        + "` lists them");
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
  const auto record = open_record(*run);
  if (!record)
    return record.error();
  auto open = questions_of(*record);
  if (!open)
    return open.error();
  // The run may have been named by the beginning of its id.
  const auto full = run->id + rest;
  if (!rest.empty())
    std::erase_if(*open, [&](const json::value& each) {
      return full != text_in(each, "id") && full != text_in(each, "taskId");
    });
  if (open->empty())
    return why_not_open(*record, full, name);
  if (open->size() > 1) {
    std::string list;
    for (const auto& each : *open)
      list += (list.empty() ? "" : ", ") + text_in(each, "taskId");
    return make_error(errc::ambiguous_input,
                      "several tasks of the run " + run->id + " ask; name one: " + list);
  }
  if (run_name.find('/') == std::string::npos)
    run_name = run->id;
  return meant_question{std::move(run_name), *run, std::move(open->front())};
}

/// Whether it is left to somebody else. The run does not begin to go on for an answer that its task
/// would refuse.
result<void> check_claim(const json::value& asked, const std::string& by) {
  const auto* claim = asked.get_object().if_contains("claim");
  if (claim == nullptr || text_in(*claim, "by") == by)
    return {};
  return is_claimed(
      text_in(asked, "id"),
      {text_in(*claim, "by"), parse_rfc3339(text_in(*claim, "until")).value_or(timestamp{})});
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
  auto value = given_value(options);
  if (!value)
    return refuse_usage(value.error());
  const bool is_asked_for = value->is_null() && !options.declines;
  if (is_asked_for && ::isatty(STDIN_FILENO) != 1)
    return refuse_usage(no_answer_given());
  const auto meant = find_question(options.id);
  if (!meant)
    return refuse_usage(meant.error());
  answer_input given;
  given.id = text_in(meant->asked, "id");
  given.action = options.declines ? answer_action::decline : answer_action::accept;
  given.by = options.by.empty() ? given.who.id : options.by;
  given.overrides = options.overrides;
  if (const auto free = check_claim(meant->asked, given.by); !free && !given.overrides) {
    complain(explained_here(free.error()));
    return exit_failed;
  }
  if (is_asked_for) {
    auto text = question_prompt(meant->asked).ask();
    if (!text)
      return exit_needs_input;
    value = json::value(std::move(*text));
  }
  if (!value->is_null())
    given.value = std::move(*value);
  run_options going_on;
  going_on.purpose = run_purpose::resume;
  going_on.file = meant->run;
  going_on.given = std::move(given);
  going_on.no_input = true; // Other questions are not what was named.
  return run_command(going_on);
}

int claim_run_command(const claim_options& options) {
  const auto meant = find_question(options.id);
  if (!meant)
    return refuse_usage(meant.error());
  auto run = held_run::open(meant->entry);
  if (!run)
    return refuse_usage(run.error());
  const auto operations = (*run)->start(held_for::looking);
  if (!operations)
    return refuse_usage(operations.error());
  const claim_input command{.who = {},
                            .id = text_in(meant->asked, "id"),
                            .by = options.by,
                            .overrides = options.overrides};
  const auto done = await_read<shown_input>([&](auto answer) {
    if (options.releases)
      operations->release(command, std::move(answer));
    else
      operations->claim(command, std::move(answer));
  });
  const auto left = (*run)->close();
  if (!done) {
    complain(explained_here(done.error()));
    return exit_failed;
  }
  const auto question = question_json(*done->task, done->question, done->claim);
  const auto text =
      options.json ? json::serialize(question) : claim_line(question, options.releases);
  const bool written = say(text + "\n");
  if (!left) // It is claimed, whatever could not be read or kept of the run.
    complain(left.error().message);
  return written && left ? exit_ok : exit_failed;
}

} // namespace troupe
