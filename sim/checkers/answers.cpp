// Questions: one answer wins, who comes later is told of it, and claims are kept to.
#include <algorithm>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

/// Somebody has said that they override the claim of another one.
bool overrides(const history& seen, const std::string& question, const std::string& by) {
  return std::ranges::any_of(seen.calls, [&](const call& made) {
    return made.input && made.input->question == question && made.input->by == by
           && made.input->overrides;
  });
}

verdict check_life(const history& seen, const std::string& id,
                   const std::vector<question_fact>& facts) {
  const question_fact* claim = nullptr;
  bool is_answered = false;
  bool is_open = false;
  for (const auto& each : facts) {
    if (is_answered)
      return "question " + id + " was answered, and that was not its end";
    // A question that is asked again, by an attempt after a restart, is the same one.
    if (each.kind != question_turn::opened && !is_open)
      return "something happened to question " + id + ", which was not open";
    const bool is_held = claim != nullptr && each.at < claim->until && each.by != claim->by
                         && !overrides(seen, id, each.by);
    switch (each.kind) {
      case question_turn::opened: is_open = true; break;
      case question_turn::claimed:
      case question_turn::released:
      case question_turn::answered:
        if (is_held && each.by != "default")
          return "question " + id + " was claimed by " + claim->by + ", and " + each.by
                 + " did not keep to it";
        is_answered = each.kind == question_turn::answered;
        claim = each.kind == question_turn::claimed ? &each : nullptr;
        break;
      case question_turn::expired:
      case question_turn::withdrawn:
        is_open = false;
        claim = nullptr;
        break;
    }
  }
  return std::nullopt;
}

const question_fact* answer_of(const history& seen, const std::string& question) {
  const auto found = seen.questions.find(question);
  if (found == seen.questions.end())
    return nullptr;
  const auto answered =
      std::ranges::find(found->second, question_turn::answered, &question_fact::kind);
  return answered == found->second.end() ? nullptr : &*answered;
}

verdict check_call(const history& seen, const call& made) {
  const auto& input = *made.input;
  const auto begin = input.by + " answered question " + input.question;
  const auto* const answer = answer_of(seen, input.question);
  if (made.error != 0) {
    if (made.refusal != "ALREADY_ANSWERED")
      return std::nullopt;
    if (answer == nullptr)
      return begin + " and was told that it was answered already, and it never was";
    if (answer->by != input.shown_by)
      return begin + " and was told that " + input.shown_by + " had won, and it was " + answer->by;
    return std::nullopt;
  }
  if (made.kind != call_kind::answer_input)
    return std::nullopt;
  if (answer == nullptr || input.shown_state != "answered")
    return begin + ", which was acknowledged, and it shows no answer";
  if (answer->by != input.by || input.shown_by != input.by)
    return begin + ", which was acknowledged, and the answer is of " + answer->by;
  if (!input.declines && !input.shown_value.empty() && input.shown_value != input.value)
    return begin + ", which was acknowledged, and it shows " + input.shown_value;
  return std::nullopt;
}

/// One message that answers several questions: all of them are answered by it, or none.
verdict check_together(const history& seen, const call& made) {
  std::vector<std::string> taken;
  for (const auto& each : made.questions)
    if (const auto* const answer = answer_of(seen, each);
        answer && answer->message == made.message_id)
      taken.push_back(each);
  const auto begin = "message " + made.message_id + " answers "
                     + std::to_string(made.questions.size()) + " questions, ";
  const auto count = std::to_string(taken.size()) + " of them have its answer";
  if (made.error == 0 && taken.size() != made.questions.size())
    return begin + "which was acknowledged, and " + count;
  if (made.error != 0 && made.tries == 1 && !taken.empty())
    return begin + "and was refused, and " + count;
  return std::nullopt;
}

} // namespace

verdict check_answers(const history& seen) {
  if (!seen.rest)
    return std::nullopt;
  for (const auto& [id, facts] : seen.questions)
    if (auto wrong = check_life(seen, id, facts))
      return wrong;
  std::map<std::string, const call*> won;
  for (const auto& made : seen.calls) {
    if (made.kind == call_kind::answer_together && made.ended != 0)
      if (auto wrong = check_together(seen, made))
        return wrong;
    if (!made.input || made.ended == 0)
      continue;
    if (auto wrong = check_call(seen, made))
      return wrong;
    if (made.kind != call_kind::answer_input || made.error != 0)
      continue;
    const auto* const before = won.emplace(made.input->question, &made).first->second;
    if (before != &made)
      return "two answers to question " + made.input->question + " were acknowledged, of "
             + before->input->by + " and of " + made.input->by;
  }
  return std::nullopt;
}

} // namespace troupe::sim
