#include <troupe/protocol/task_life.hpp>

#include <algorithm>
#include <array>

namespace troupe {

namespace {

constexpr std::array<std::string_view, 3> action_names{"accept", "decline", "cancel"};
constexpr std::array<std::string_view, 4> question_state_names{"open", "answered", "expired",
                                                               "withdrawn"};
constexpr std::string_view question_prefix = "question-";

template<class Enum, std::size_t Size>
std::string_view name_in(const std::array<std::string_view, Size>& names, Enum value) noexcept {
  const auto index = static_cast<std::size_t>(value);
  return index < Size ? names[index] : "unknown";
}

template<class Enum, std::size_t Size>
std::optional<Enum> named_in(const std::array<std::string_view, Size>& names,
                             std::string_view text) noexcept {
  const auto found = std::ranges::find(names, text);
  if (found == names.end())
    return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

constexpr std::array<std::string_view, task_phase_count> phase_names{
    "slot", "running", "question", "backoff", "ended", "pause"};

} // namespace

std::size_t bytes_of(const question& asked) noexcept {
  return sizeof asked + asked.prompt.size() + bytes_of(asked.form) + bytes_of(asked.data)
         + (asked.claim ? asked.claim->by.size() : 0);
}

const input_claim* live_claim(const question& asked, timestamp now) noexcept {
  return asked.claim && asked.claim->until > now ? &*asked.claim : nullptr;
}

std::optional<timestamp> next_due(const question& asked) noexcept {
  if (!asked.deadline || !asked.remind_at)
    return asked.deadline ? asked.deadline : asked.remind_at;
  return std::min(*asked.deadline, *asked.remind_at);
}

std::string make_question_id(std::uint32_t count) {
  return std::string(question_prefix) + std::to_string(count);
}

std::string question_address::str() const {
  return task.str() + "." + question;
}

std::optional<question_address> question_address_from(std::string_view text) {
  const auto dot = text.rfind('.'); // the id of a task may have dots, too
  if (dot == std::string_view::npos || dot == 0)
    return std::nullopt;
  const auto question = text.substr(dot + 1);
  const auto number = question.substr(std::min(question.size(), question_prefix.size()));
  if (!question.starts_with(question_prefix) || number.empty()
      || number.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return question_address{task_id{text.substr(0, dot)}, std::string(question)};
}

std::string_view to_string(answer_action action) noexcept {
  return name_in(action_names, action);
}

std::optional<answer_action> answer_action_from(std::string_view text) noexcept {
  return named_in<answer_action>(action_names, text);
}

std::string_view to_string(question_state state) noexcept {
  return name_in(question_state_names, state);
}

std::optional<question_state> question_state_from(std::string_view text) noexcept {
  return named_in<question_state>(question_state_names, text);
}

const closed_question* find_closed(const task_life& life, std::string_view question) noexcept {
  for (const auto& each : life.closed.get())
    if (each.asked.id == question)
      return &each;
  return nullptr;
}

std::string_view to_string(task_phase phase) noexcept {
  return name_in(phase_names, phase);
}

std::optional<task_phase> task_phase_from(std::string_view text) noexcept {
  return named_in<task_phase>(phase_names, text);
}

task_phase phase_of(const task_life& life) noexcept {
  if (is_terminal(life.status.state))
    return task_phase::ended;
  if (is_interrupted(life.status.state))
    return task_phase::question;
  if (life.is_queued || life.status.state != task_state::working)
    return task_phase::slot;
  return life.awaits_retry ? task_phase::backoff : task_phase::running;
}

} // namespace troupe
