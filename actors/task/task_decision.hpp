// What becomes of a task: a command or a fact, held against its life, gives events and what its
// actor does besides. Plain functions over values; which state leads where is the table of
// include/troupe/protocol/task_state.hpp, and nothing is decided beside it.
//
// The events are appended to a list of the caller's; a refused command appends no events.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/task_life.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// What the decision needs to know beside the life.
struct task_terms {
  timestamp now{};
  const retry_policy& retry;
  /// Makes a status message.
  const std::function<message_ptr(const std::string& text, const boost::json::object& metadata)>&
      say;
};

// -- commands and facts ---------------------------------------------------------------------------

/// Its turn has come: the next attempt begins.
struct attempt_begins {
  std::string taken_by{}; ///< Who took it from outside; empty: this server's agent.
  bool goes_on = false;   ///< It is the attempt of an earlier process, under the same number.
  /// The open question was asked by an attempt that the end of the process cut off. It stays open,
  /// and the task in its state, until this attempt asks (question_asked::before). Else it is
  /// withdrawn.
  bool keeps_question = false;
};

/// Its turn has come again: the attempt that has asked without keeping anything running goes on
/// with the answer.
struct attempt_resumes {};

/// It wants to run again and has no slot.
struct slot_wanted {};

/// The agent asks. Refused (invalid_transition) while another question is open.
struct question_asked {
  const report_question& asked;
  /// The question of an earlier process that it repeats, which may be open still; null: it is a new
  /// one. It keeps its id, its claim, since when it is open, and what reminders are due.
  const question* before = nullptr;
  std::string_view task{}; ///< The task's id, for the message that asks.
};

/// The open question is claimed, or the claim given up. Refused: as an answer to it would be
/// (input_given).
struct question_claim {
  std::string_view question;
  std::string_view task; ///< The task's id, for the refusal.
  std::string_view by;
  bool releases = false;
  bool overrides = false;
};

/// The open question has waited for the next reminder. Refused (no_question) if there is none.
struct reminder_due {
  std::string_view task; ///< The task's id, for the message.
};

/// A message from outside. Refused: the task has ended (unsupported_operation), does not
/// exist yet (the same), the answer is to a question that is not open any more
/// (refusal_of_answer), or does not fit its form (invalid_answer).
struct input_given {
  message_ptr message;
  std::string_view question; ///< Names the question it answers; may be empty.
  bool answers = false;      ///< It is an answer, and nothing else.
  std::string_view task;     ///< The task's id, for the refusal.
  std::string_view by{};     ///< Who answers.
  answer_action action = answer_action::accept;
  bool overrides = false; ///< Also if somebody else has claimed the question; else input_claimed.
};

/// The open question ends without an answer. Refused (no_question) if another one is open, or none.
struct question_ends {
  std::string id;
  question_end how;
  std::string reason;
};

struct attempt_fails {
  report_failed failure;
  std::uint64_t random; ///< For the share of the backoff that is drawn at random.
  bool is_late = false; ///< As in task_ends.
};

struct task_ends {
  task_event how;   ///< complete, fail, cancel or reject.
  std::string text; ///< Of the status message; empty: none.
  boost::json::object metadata{};
  bool is_late = false; ///< A deadline has ended it: its open question expires.
};

// -- decisions ------------------------------------------------------------------------------------

/// What the actor does besides committing the events.
enum class task_effect : std::uint8_t {
  none,
  start_agent,     ///< With the attempt's number as it is now.
  give_answer,     ///< The agent has what it asked for.
  give_input,      ///< The agent is told more.
  question_closed, ///< The agent learns that no answer will come, or that there is none.
  back_off,        ///< The next attempt begins after `task_decision::wait`.
  end,             ///< The task is over.
};

struct task_decision {
  task_effect effect = task_effect::none;
  std::chrono::milliseconds wait{0};
};

using task_events = std::vector<event>;

[[nodiscard]] result<task_decision> decide(const task_life& life, const attempt_begins& fact,
                                           const task_terms& terms, task_events& out);
[[nodiscard]] result<task_decision> decide(const task_life& life, const attempt_resumes& fact,
                                           const task_terms& terms, task_events& out);
[[nodiscard]] result<task_decision> decide(const task_life& life, const slot_wanted& fact,
                                           const task_terms& terms, task_events& out);
[[nodiscard]] result<task_decision> decide(const task_life& life, const question_asked& fact,
                                           const task_terms& terms, task_events& out);
[[nodiscard]] result<task_decision> decide(const task_life& life, const input_given& command,
                                           const task_terms& terms, task_events& out);
[[nodiscard]] result<task_decision> decide(const task_life& life, const question_ends& fact,
                                           const task_terms& terms, task_events& out);
[[nodiscard]] result<task_decision> decide(const task_life& life, const question_claim& command,
                                           const task_terms& terms, task_events& out);
[[nodiscard]] result<task_decision> decide(const task_life& life, const reminder_due& fact,
                                           const task_terms& terms, task_events& out);
[[nodiscard]] result<task_decision> decide(const task_life& life, const attempt_fails& fact,
                                           const task_terms& terms, task_events& out);
[[nodiscard]] result<task_decision> decide(const task_life& life, const task_ends& command,
                                           const task_terms& terms, task_events& out);

/// How long a claim lasts, if its question does not expire before. Who needs longer claims again.
inline constexpr std::chrono::minutes claim_lease{5};

/// Exponential, capped, with the policy's share drawn at random. `failures` counts from 1.
[[nodiscard]] std::chrono::milliseconds backoff_after(const retry_policy& policy,
                                                      std::uint32_t failures, std::uint64_t random);

/// The random number of a task's backoff: the same each time it is asked for, so that the wait goes
/// on after a restart.
[[nodiscard]] std::uint64_t backoff_random(const task_id& task, std::uint32_t failures) noexcept;

/// `1.5 s`.
[[nodiscard]] std::string seconds_text(std::chrono::milliseconds span);

} // namespace troupe
