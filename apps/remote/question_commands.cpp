// `troupe inbox`, `answer` and `claim`: the questions of a server.
#include "apps/remote/answer_view.hpp"
#include "apps/remote/remote_commands.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/run/question_prompt.hpp"
#include "apps/run/question_table.hpp"
#include "apps/terminal/console.hpp"
#include <troupe/protocol/task_life.hpp>

#include <boost/json/serialize.hpp>

#include <string>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr std::size_t listed_inputs_max = 1000;

/// Why the server takes no question: it is no Troupe, said in these words; or something else.
error about_questions(const error& why, std::string words) {
  return why.code == errc::unsupported_operation
             ? make_error(errc::unsupported_operation, std::move(words))
             : why;
}

result<std::vector<json::value>> all_inputs(const server_link& on, const json::object& filter) {
  return on.list("inputs", a2a::operation::list_inputs, filter, listed_inputs_max);
}

/// The id of the question that `name` means: its own, that of a task that asks, or the only one of
/// an objective (as find_objective_id finds it).
result<std::string> find_question(const server_link& on, const std::string& name) {
  if (question_address_from(name))
    return name;
  json::object filter;
  filter["taskId"] = name;
  auto open = all_inputs(on, filter);
  if (open && open->empty())
    if (const auto objective = find_objective_id(on, name)) {
      filter.clear();
      filter["objectiveId"] = *objective;
      open = all_inputs(on, filter);
    }
  if (!open)
    return open.error();
  if (open->size() > 1) {
    std::string list;
    for (const auto& each : *open)
      list += (list.empty() ? "" : ", ") + text_in(each, "id");
    return make_error(errc::ambiguous_input, name + " asks several questions; name one: " + list);
  }
  if (open->empty())
    return make_error(errc::input_not_found, name + " is no question, and no task that asks; "
                                                 + on.command("inbox") + " lists them");
  return text_in(open->front(), "id");
}

result<json::value> give(const server_link& on, const std::string& id,
                         const answer_options& options, json::value value) {
  json::object params;
  params["id"] = id;
  params["action"] = options.declines ? "decline" : "accept";
  if (!value.is_null())
    params["value"] = std::move(value);
  if (!options.by.empty())
    params["by"] = options.by;
  if (options.overrides)
    params["override"] = true;
  return on.ask_for("input", a2a::operation::answer_input, std::move(params));
}

/// Asks the person until an answer fits, or there is none.
int ask_person(const server_link& on, const std::string& id, const answer_options& options) {
  json::object params;
  params["id"] = id;
  const auto asked = on.ask_for("input", a2a::operation::get_input, std::move(params));
  if (!asked)
    return on.refuse(asked.error());
  if (const auto state = text_in(*asked, "state"); state != "open")
    return on.refuse(make_error(errc::no_question, "the question " + id + " is " + state));
  const question_prompt prompt(*asked);
  for (;;) {
    auto text = prompt.ask();
    if (!text)
      return exit_needs_input;
    const auto done = give(on, id, options, json::value(std::move(*text)));
    if (done)
      return say("question " + clean_line(id) + " " + clean_line(text_in(*done, "state")) + "\n")
                 ? exit_ok
                 : exit_failed;
    const int code = on.refuse(done.error());
    if (done.error().code != errc::invalid_answer)
      return code;
  }
}

} // namespace

int inbox_command(const inbox_options& options, chosen_server server) {
  const auto on = link_to(std::move(server));
  if (!on)
    return refuse_usage(on.error());
  if (const auto knows = on->need_objectives(); !knows)
    return on->refuse(knows.error());
  json::object filter;
  if (!options.objective.empty()) {
    const auto id = find_objective_id(*on, options.objective);
    if (!id)
      return on->refuse(id.error());
    filter["objectiveId"] = *id;
  }
  const auto all = all_inputs(*on, filter);
  if (!all)
    return on->refuse(all.error());
  const bool is_for_people =
      options.format == list_format::table || options.format == list_format::wide;
  if (all->empty() && is_for_people) {
    complain(on->name + ": nothing is asked");
    return exit_ok;
  }
  return say(draw_questions(*all, options.format, options.colour)) ? exit_ok : exit_failed;
}

int answer_command(const answer_options& options, chosen_server server) {
  auto value = given_value(options);
  if (!value)
    return refuse_usage(value.error());
  const bool is_asked_for = value->is_null() && !options.declines;
  if (is_asked_for && ::isatty(STDIN_FILENO) != 1)
    return refuse_usage(no_answer_given());
  const auto on = link_to(std::move(server));
  if (!on)
    return refuse_usage(on.error());
  if (const auto knows = on->need_objectives(); !knows)
    return on->refuse(about_questions(knows.error(),
                                      "the agent has no questions with an id; answer its task with "
                                      "troupe send --task ID TEXT"));
  const auto id = find_question(*on, options.id);
  if (!id)
    return on->refuse(id.error());
  if (is_asked_for)
    return ask_person(*on, *id, options);
  const auto done = give(*on, *id, options, std::move(*value));
  if (!done)
    return on->refuse(done.error());
  const auto state = options.declines ? "declined" : text_in(*done, "state");
  return say("question " + clean_line(*id) + " " + clean_line(state) + "\n") ? exit_ok
                                                                             : exit_failed;
}

int claim_command(const claim_options& options, chosen_server server) {
  const auto on = link_to(std::move(server));
  if (!on)
    return refuse_usage(on.error());
  if (const auto knows = on->need_objectives(); !knows)
    return on->refuse(about_questions(
        knows.error(), "the agent has no questions with an id, so none can be claimed"));
  const auto id = find_question(*on, options.id);
  if (!id)
    return on->refuse(id.error());
  json::object params;
  params["id"] = *id;
  if (!options.by.empty())
    params["by"] = options.by;
  if (options.overrides)
    params["override"] = true;
  const auto which = options.releases ? a2a::operation::release_input : a2a::operation::claim_input;
  const auto done = on->ask_for("input", which, std::move(params));
  if (!done)
    return on->refuse(done.error());
  const auto text = options.json ? json::serialize(*done) : claim_line(*done, options.releases);
  return say(text + "\n") ? exit_ok : exit_failed;
}

} // namespace troupe
