#include "planner/verdict.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/text/control_characters.hpp"
#include "protocol/text/near_name.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "planner/parameters_task.hpp"
#include "planner/short_question.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

std::string name_of_text(std::string_view text) {
  constexpr std::string_view bom_bytes = "\ufeff";
  if (text.starts_with(bom_bytes))
    text.remove_prefix(bom_bytes.size());
  return shown(with_single_blanks(without_controls(text)));
}

bool is_blank_text(std::string_view text) {
  constexpr auto blanks = std::to_array<std::string_view>(
      {" ", "\t", "\n", "\r", "\v", "\f", "\u00a0", "\u00ad", "\u200b", "\u200c", "\u200d",
       "\u200e", "\u200f", "\u2028", "\u2029", "\u2060", "\u3000", "\ufeff"});
  while (!text.empty()) {
    const auto* found = std::ranges::find_if(
        blanks, [text](std::string_view each) { return text.starts_with(each); });
    if (found == blanks.end())
      return false;
    text.remove_prefix(found->size());
  }
  return true;
}

namespace {

constexpr const char* no_text = "the message has no text";

/// What a row says: it has filled the verdict, or why it does not fit.
struct row_answer {
  bool fits = false;
  std::string reason;
};

struct row_input {
  const planning_request& request;
  const planning_settings& settings;
};

using answered = result<row_answer>;

row_answer fits_because(std::string reason) {
  return {true, std::move(reason)};
}

row_answer not_because(std::string reason) {
  return {false, std::move(reason)};
}

/// The message's own name for an objective.
std::string name_from(const planning_request& request) {
  if (!request.suggested_name.empty())
    return request.suggested_name;
  return request.text.find('\n') == std::string::npos ? name_of_text(request.text) : std::string{};
}

answered for_named_task(const row_input& in, verdict& out) {
  if (!in.request.names_task)
    return not_because("the message names no task");
  out.outcome = decision::to_task;
  return fits_because("the message names a task");
}

answered as_document_says(const row_input& in, verdict& out) {
  if (!in.request.brings_document)
    return not_because("it brings no objective and no plan");
  out.outcome = decision::as_given;
  return fits_because("the message brings an objective or a plan");
}

answered as_client_says(const row_input& in, verdict& out) {
  out.outcome = decision::plain_task;
  if (!in.request.is_active)
    return fits_because("the client has not activated the extension");
  if (in.request.prefers_objective == false)
    return fits_because("the client prefers no objective");
  return not_because("the client leaves it to the server");
}

result<void> take_template(const plan_template& from, const given_values& values,
                           const row_input& in, verdict& out) {
  const auto said = name_from(in.request);
  const auto& name = said.empty() ? from.name : said;
  const bool has_name = !in.request.suggested_name.empty();
  const auto missing = missing_params(from.params, values);
  auto made = missing.empty() ? fill_template(from, values, name)
                              : objective_that_asks(from, values, name,
                                                    from.has_own_name && !has_name
                                                        && !in.request.is_within_objective);
  if (!made)
    return made.error();
  if (has_name)
    made->name = in.request.suggested_name;
  out.template_name = from.name;
  for (const auto& [param, value] : values)
    out.understood.push_back(param + ": " + shown(boost::json::serialize(value)));
  out.outcome = decision::objective;
  out.objective = std::move(*made);
  return {};
}

/// `; it needs topic, which is asked for`.
std::string asked_for(const plan_template& from, const given_values& values) {
  const auto missing = missing_params(from.params, values);
  return missing.empty() ? std::string{}
                         : "; it needs " + listed_params(missing) + ", which is asked for";
}

answered from_template(const row_input& in, verdict& out) {
  const auto all = in.settings.templates;
  if (const auto& wanted = in.request.template_name; !wanted.empty()) {
    const auto found = std::ranges::find(all, wanted, &plan_template::name);
    if (found == all.end()) {
      std::vector<std::string_view> names;
      for (const auto& each : all)
        names.push_back(each.name);
      return make_error(errc::invalid_params, "there is no template " + quoted(shown(wanted))
                                                  + did_you_mean(wanted, names));
    }
    if (auto taken = take_template(*found, in.request.params, in, out); !taken)
      return taken.error();
    return fits_because("the message asks for the template " + quoted(wanted)
                        + asked_for(*found, in.request.params));
  }
  const auto choice = choose_template(all, in.request.text);
  if (!choice.equal.empty()) {
    std::string names;
    for (const auto& each : choice.equal)
      names += (names.empty() ? "" : " and ") + quoted(each);
    out.ambiguous = choice.equal;
    return not_because("templates fit equally well: " + names);
  }
  if (!choice.fits)
    return not_because("no template fits");
  if (!in.settings.template_problem.empty())
    return not_because(in.settings.template_problem);
  auto values = choice.values;
  for (const auto& [name, value] : in.request.params)
    values.insert_or_assign(name, value);
  if (auto taken = take_template(*choice.fits, values, in, out); !taken)
    return not_because(taken.error().message);
  return fits_because("the template " + quoted(choice.fits->name) + " fits"
                      + asked_for(*choice.fits, values));
}

answered from_grammar(const row_input& in, verdict& out) {
  if (!in.settings.has_grammar)
    return not_because("the grammar is not asked");
  if (is_blank_text(in.request.text))
    return not_because(no_text);
  const bool may_guess = in.request.prefers_objective == true;
  auto read = read_text(in.request.text, may_guess ? guesses::allowed : guesses::none);
  out.problems = read.problems;
  if (!read.problems.empty())
    return not_because("the grammar does not understand all of it: "
                       + read.problems.front().reason);
  if (!read.is_plan())
    return not_because("the grammar finds one task");
  for (const auto& each : read.sources)
    if (std::ranges::find(read.assumptions, each) == read.assumptions.end())
      out.understood.push_back(shown(each));
  out.assumptions = read.assumptions;
  out.is_guess = read.is_guess;
  out.outcome = decision::objective;
  const auto name =
      !in.request.suggested_name.empty() || read.title.empty() ? name_from(in.request) : read.title;
  out.objective = objective_of(read, name);
  return fits_because("the grammar finds " + std::to_string(read.tasks.size())
                      + " tasks and understands every sentence");
}

answered from_model(const row_input& in, verdict& out) {
  if (is_blank_text(in.request.text))
    return not_because(no_text);
  if (!in.settings.has_model)
    return not_because("no model is configured");
  if (!in.settings.model_problem.empty())
    return not_because(in.settings.model_problem);
  out.outcome = decision::ask_model;
  return fits_because("a model is configured");
}

answered as_question(const row_input& in, verdict& out) {
  if (!is_short_question(in.request.text))
    return not_because("it is no short question");
  if (!in.settings.answers_directly)
    return not_because("the default agent does not answer directly");
  if (!in.settings.answer_problem.empty())
    return not_because(in.settings.answer_problem);
  out.outcome = decision::direct_answer;
  return fits_because("it is a short question");
}

/// The whole message as the one task of an objective.
answered as_preferred(const row_input& in, verdict& out) {
  if (in.request.prefers_objective != true)
    return not_because("the client does not ask for an objective");
  if (is_blank_text(in.request.text))
    return not_because(no_text);
  objective_spec made;
  const auto name = name_from(in.request);
  made.name = name.empty() ? name_of_text(in.request.text) : name;
  task_spec only;
  only.name = name_of_text(in.request.text);
  only.description = in.request.text;
  plan_spec plan;
  plan.name = made.name;
  plan.tasks.push_back(std::move(only));
  made.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
  out.outcome = decision::objective;
  out.objective = std::move(made);
  return fits_because("the client prefers an objective");
}

answered as_plain_task(const row_input& /*in*/, verdict& out) {
  out.outcome = decision::plain_task;
  return fits_because("nothing says that it is more than one task");
}

struct verdict_row {
  decider who;
  std::string_view name;
  answered (*ask)(const row_input&, verdict&);
};

constexpr auto rows = std::to_array<verdict_row>({
    {decider::task, "task", for_named_task},
    {decider::document, "document", as_document_says},
    {decider::client, "client", as_client_says},
    {decider::plan_template, "template", from_template},
    {decider::grammar, "grammar", from_grammar},
    {decider::model, "model", from_model},
    {decider::question, "question", as_question},
    {decider::preference, "preference", as_preferred},
    {decider::nobody, "nobody", as_plain_task},
});

} // namespace

std::string_view to_string(decider row) noexcept {
  return std::ranges::find(rows, row, &verdict_row::who)->name;
}

std::string_view to_string(decision of) noexcept {
  switch (of) {
    case decision::to_task: return "a message to its task";
    case decision::as_given: return "the objective or plan that it brings";
    case decision::plain_task: return "a plain task";
    case decision::objective: return "an objective";
    case decision::ask_model: return "as the model says";
    case decision::direct_answer: return "a direct answer";
  }
  return "unknown";
}

result<verdict> decide(const planning_request& request, const planning_settings& settings) {
  verdict out;
  for (const auto& row : rows) {
    out.who = row.who;
    auto answer = row.ask({request, settings}, out);
    if (!answer)
      return answer.error();
    out.reasons.push_back(std::move(answer->reason));
    if (answer->fits)
      break;
  }
  return out;
}

boost::json::object note_of(const verdict& made) {
  boost::json::object out;
  out["who"] = to_string(made.who);
  if (!made.template_name.empty())
    out["template"] = made.template_name;
  boost::json::array reasons(made.reasons.begin(), made.reasons.end());
  out["reasons"] = std::move(reasons);
  const auto noted = std::min(made.understood.size(), noted_sentences_max);
  if (noted > 0)
    out["understood"] = boost::json::array(
        made.understood.begin(), made.understood.begin() + static_cast<std::ptrdiff_t>(noted));
  if (!made.ambiguous.empty())
    out["ambiguous"] = boost::json::array(made.ambiguous.begin(), made.ambiguous.end());
  if (!made.assumptions.empty())
    out["assumed"] = boost::json::array(made.assumptions.begin(), made.assumptions.end());
  if (!made.problems.empty()) {
    boost::json::array all;
    for (const auto& each : made.problems)
      all.push_back(boost::json::object{{"text", each.text}, {"reason", each.reason}});
    out["notUnderstood"] = std::move(all);
  }
  if (made.is_guess)
    out["guess"] = true;
  return out;
}

} // namespace troupe::planner
