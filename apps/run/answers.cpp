#include "apps/run/answers.hpp"

#include <troupe/protocol/task_life.hpp>

#include <algorithm>

namespace troupe {

namespace {

bool fits(const std::string& key, const task_spec& task) {
  return key == task.key || key == task.name || (!task.id.empty() && key == task.id.str());
}

} // namespace

std::optional<prepared_answers::answer>
prepared_answers::take(const task_spec& task, const task_id& id, const std::string& question) {
  const auto named = question.empty() ? std::string{} : question_address{id, question}.str();
  const auto found = std::find_if(left_.begin(), left_.end(), [&](const auto& each) {
    return fits(each.first, task) || each.first == id.str()
           || (!named.empty() && each.first == named);
  });
  if (found == left_.end())
    return std::nullopt;
  answer out{std::move(found->second), found->first == named};
  left_.erase(found);
  return out;
}

std::optional<answer_input> prepared_answers::take_given(const task_id& id,
                                                         const std::string& question) {
  if (!given_ || given_->id != question_address{id, question}.str())
    return std::nullopt;
  return std::exchange(given_, std::nullopt);
}

std::optional<std::string>
prepared_answers::unknown_key(const std::vector<plan_spec_ptr>& plans) const {
  for (const auto& [key, text] : left_) {
    const bool known =
        std::any_of(plans.begin(), plans.end(), [&wanted = key](const plan_spec_ptr& plan) {
          return std::any_of(plan->tasks.begin(), plan->tasks.end(),
                             [&](const task_spec& task) { return fits(wanted, task); });
        });
    if (!known)
      return key;
  }
  return std::nullopt;
}

} // namespace troupe
