#include <troupe/protocol/task_life.hpp>

#include <array>

namespace troupe {

namespace {

constexpr std::array<std::string_view, task_phase_count> phase_names{"slot", "running", "question",
                                                                     "backoff", "ended"};

} // namespace

std::string make_question_id(std::uint32_t count) {
  return "question-" + std::to_string(count);
}

std::string_view to_string(task_phase phase) noexcept {
  const auto index = static_cast<std::size_t>(phase);
  return index < phase_names.size() ? phase_names[index] : "unknown";
}

std::optional<task_phase> task_phase_from(std::string_view text) noexcept {
  for (std::size_t i = 0; i < phase_names.size(); ++i)
    if (phase_names[i] == text)
      return static_cast<task_phase>(i);
  return std::nullopt;
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
