// The life of a task as the fold of its events: it decides what may follow. The task's record and
// its actor have the same small value. Only protocol/fold/apply.hpp changes it.
#pragma once

#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/lazy.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/task_state.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A2A `TaskStatus`.
struct task_status {
  task_state state = task_state::submitted;
  message_ptr message; ///< May be null.
  timestamp at{};
};

enum class question_kind : std::uint8_t {
  input, ///< The task is INPUT_REQUIRED while it is open.
  auth,  ///< AUTH_REQUIRED.
};

/// Somebody is about to answer a question. Until it is over, others say that they override it.
struct input_claim {
  std::string by;
  timestamp until{}; ///< It is over then.

  friend bool operator==(const input_claim&, const input_claim&) = default;
};

/// Reminders of one question; after them there is none any more.
inline constexpr std::uint32_t question_reminders_max = 100;

/// The shortest time between two reminders of a question.
inline constexpr std::chrono::seconds remind_after_min{1};

/// A question of an agent to a person or a client. At most one question of a task is open at a
/// time.
struct question {
  std::string id; ///< Unique within the task: `question-1`, `question-2`, ...
  std::uint32_t attempt = 1;
  question_kind kind = question_kind::input;
  std::string prompt;
  std::string key;                   ///< What the agent calls it, to withdraw it; may be empty.
  boost::json::object form;          ///< JSON Schema of the answer; empty: any text.
  boost::json::object data;          ///< What the prompt is about, for programs; may be empty.
  std::optional<timestamp> deadline; ///< It expires then.
  timestamp opened{};
  std::optional<input_claim> claim{};        ///< The last one; it may be over.
  std::chrono::milliseconds remind_after{0}; ///< From one reminder to the next; 0: there are none.
  std::optional<timestamp> remind_at{};      ///< When the next one is due.
  std::uint32_t reminders = 0;               ///< So far.

  friend bool operator==(const question&, const question&) = default;
};

/// Roughly, in memory and on the wire.
[[nodiscard]] std::size_t bytes_of(const question& asked) noexcept;

/// The claim that holds at `now`; null: none.
[[nodiscard]] const input_claim* live_claim(const question& asked, timestamp now) noexcept;

/// The earliest time at which something follows by itself: its deadline, or a reminder.
[[nodiscard]] std::optional<timestamp> next_due(const question& asked) noexcept;

/// The id of the `count`-th question of a task.
[[nodiscard]] std::string make_question_id(std::uint32_t count);

/// A question among those of all tasks. As a text, which clients see as the id of the question: the
/// id of the task, a dot, and the id within the task (`trip.p0.t1.question-1`).
struct question_address {
  task_id task;
  std::string question; ///< Its id within the task.

  [[nodiscard]] std::string str() const;
};
/// Nothing if the text is no such id.
[[nodiscard]] std::optional<question_address> question_address_from(std::string_view text);

/// In the metadata of the message that asks: the question's address. In that of an answer: this
/// question is meant, and no other (docs/questions.md).
inline constexpr std::string_view question_id_key = "opt/v1/inputId";

/// In the metadata of the message that reminds of a question: which reminder it is, from 1.
inline constexpr std::string_view reminder_key = "opt/v1/reminder";

/// In the metadata of a message: how it answers (answer_action), and the task that asks, if the
/// message names only its context.
inline constexpr std::string_view answer_action_key = "opt/v1/action";
inline constexpr std::string_view asking_task_key = "opt/v1/taskId";

/// How a question is answered (MCP's elicitation has the same words).
enum class answer_action : std::uint8_t {
  accept,
  decline, ///< No answer will be given. The agent may go on without it.
  cancel,  ///< The same: nobody wanted to choose.
};
[[nodiscard]] std::string_view to_string(answer_action action) noexcept;
[[nodiscard]] std::optional<answer_action> answer_action_from(std::string_view text) noexcept;

enum class question_state : std::uint8_t { open, answered, expired, withdrawn };
[[nodiscard]] std::string_view to_string(question_state state) noexcept;
[[nodiscard]] std::optional<question_state> question_state_from(std::string_view text) noexcept;

/// A question that is not open any more, and how it ended.
struct closed_question {
  question asked;
  question_state state = question_state::answered;
  timestamp at{};
  std::string by;                               ///< Who answered.
  std::string message;                          ///< Id of the message that answered.
  answer_action action = answer_action::accept; ///< Of the answer.
  std::string reason;                           ///< Why it was withdrawn, in words.

  friend bool operator==(const closed_question&, const closed_question&) = default;
};

/// Questions that a task's record keeps after they were closed: the newest, and as many as have
/// these bytes together; always the last one.
inline constexpr std::size_t closed_questions_max = 32;
inline constexpr std::size_t closed_questions_bytes_max = std::size_t{64} << 10;

/// What a task does at one moment.
enum class task_phase : std::uint8_t {
  slot,     ///< Waits for a slot: to begin, for its next attempt, or to go on after an answer.
  running,  ///< Its agent works.
  question, ///< Waits for an answer.
  backoff,  ///< Waits for its next attempt.
  ended,
  pause, ///< Its plan was paused before it began. Only a phase that is over (task_span).
};

inline constexpr std::size_t task_phase_count = 6;

/// The name of a phase; also shown as what a task waits for: `slot`, `question`, `backoff`.
[[nodiscard]] std::string_view to_string(task_phase phase) noexcept;
[[nodiscard]] std::optional<task_phase> task_phase_from(std::string_view text) noexcept;

struct task_life {
  task_status status;
  std::uint32_t attempt = 0; ///< Counts from 1; 0 = not begun.
  /// Attempts that have failed; without those that were cut off by the end of the process.
  std::uint32_t failures = 0;
  std::uint32_t questions = 0; ///< Asked so far.
  /// The last attempt has failed, and the next has not begun. It and `failures` decide about
  /// further attempts; neither is shown.
  bool awaits_retry = false;
  bool is_queued = false; ///< It has begun, and waits for a slot again.
  /// The open one. Also absent if the task asks and its row is older than the keeping of questions.
  lazy<troupe::question> question;
  lazy<std::vector<closed_question>> closed; ///< In the order in which they were closed.
};

/// The question of that id that was closed, if the task still knows it; else null.
[[nodiscard]] const closed_question* find_closed(const task_life& life,
                                                 std::string_view question) noexcept;

/// The present phase of a task with this life.
[[nodiscard]] task_phase phase_of(const task_life& life) noexcept;

/// A phase that is over.
struct task_span {
  task_phase phase = task_phase::running;
  std::uint32_t attempt = 0;
  timestamp begin{};
  timestamp end{};
  /// Why it ended: the text or name of the next status, cut to span_reason_bytes_max. Empty: the
  /// wait was over.
  std::string reason;

  friend bool operator==(const task_span&, const task_span&) = default;
};

/// Phases that a task's record keeps: the newest. Older ones are only counted.
inline constexpr std::size_t task_spans_max = 64;
inline constexpr std::size_t span_reason_bytes_max = 256;

/// The longest note of an attempt, in bytes. Each note is written as a whole, so that a hundred of
/// them are at most 25 MiB.
inline constexpr std::size_t note_bytes_max = std::size_t{256} << 10;

} // namespace troupe
