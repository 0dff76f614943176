// Who decides what becomes of a message: one pure function, a table of rows. The first row that
// fits decides; the others say why they did not.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/plan_template.hpp"
#include "planner/text_reading.hpp"

namespace troupe::planner {

/// What is called by a whole text: the text on one line, cut if it is long.
[[nodiscard]] std::string name_of_text(std::string_view text);

/// Whether a text has nothing but blanks and characters that nobody sees: nothing is planned of it.
[[nodiscard]] bool is_blank_text(std::string_view text);

/// What the message says about planning, beside its text.
struct planning_request {
  std::string text; ///< Empty: it has no text.
  bool names_task = false;
  bool brings_document = false; ///< An objective or a plan in its metadata.
  /// The client has activated the extension, or uses a key of it.
  bool is_active = false;
  bool is_within_objective = false; ///< It is about an objective that is there, and keeps its name.
  std::optional<bool> prefers_objective;
  std::string suggested_name;
  std::string template_name; ///< Empty: none is asked for.
  given_values params;       ///< For that template.
};

/// What the server can do.
struct planning_settings {
  std::span<const plan_template> templates;
  bool has_grammar = true;
  bool has_model = false;
  /// The default agent answers short questions with a message (agent::answers_directly).
  bool answers_directly = false;
  // Why the template that fits is not taken, or the model or the agent is not asked (again). Empty:
  // nothing is known against it.
  std::string template_problem{};
  std::string model_problem{};
  std::string answer_problem{};
};

/// What happens with the message.
enum class decision : std::uint8_t {
  to_task,       ///< It is for the task that it names.
  as_given,      ///< The document that it brings is taken as it is.
  plain_task,    ///< One task of the default agent, without an objective.
  objective,     ///< verdict::objective.
  ask_model,     ///< The model says.
  direct_answer, ///< The default agent's answer, if it comes in time.
};

/// The rows of the table, in their order.
enum class decider : std::uint8_t {
  task,
  document,
  client,
  plan_template,
  grammar,
  model,
  question,
  preference,
  nobody,
};
[[nodiscard]] std::string_view to_string(decider row) noexcept;
[[nodiscard]] std::string_view to_string(decision of) noexcept;

struct verdict {
  decision outcome = decision::plain_task;
  decider who = decider::nobody;
  std::string template_name;               ///< Of decider::plan_template.
  std::optional<objective_spec> objective; ///< With decision::objective.
  /// A sentence for each row that was asked, the last one for the row that decided.
  std::vector<std::string> reasons;
  std::vector<std::string> ambiguous{};  ///< Templates that fit equally well: none was taken.
  std::vector<std::string> understood{}; ///< Sentences about order, or values of the template.
  std::vector<std::string> assumptions;
  std::vector<not_understood> problems; ///< What the grammar did not understand.
  bool is_guess = false;
};

/// The verdict. errc::invalid_params: the message asks for a template that is not there, or its
/// values do not fit. Linear in the text.
[[nodiscard]] result<verdict> decide(const planning_request& request,
                                     const planning_settings& settings);

/// What the metadata of an objective keeps of its verdict: the deciding row and the reasons; the
/// template, what was understood (at most noted_sentences_max) and not understood, assumptions,
/// templates that fit equally, and whether it is a guess, if there are any.
inline constexpr std::string_view planner_key = "opt/v1/planner";
[[nodiscard]] boost::json::object note_of(const verdict& made);
inline constexpr std::size_t noted_sentences_max = 100;

} // namespace troupe::planner
