// The course of one delegation: when the agent of another server is asked, followed, asked again
// after a break or a crash, answered and canceled. It decides and does nothing itself: each member
// takes what happened, and returns what is to be done. A plain value; delegation_driver carries
// it out.
//
// What it guarantees: before the agent is asked for a task, the attempt's note is durable. A
// request that may have reached the agent is sent again only if the agent takes it for the same
// one, if a list of the tasks shows that it made none, or if the plan says so. An attempt that ends
// while the remote task may run leaves its cancel behind.
#pragma once

#include "agents/a2a/delegation_note.hpp"
#include "agents/a2a/remote_task.hpp"
#include "agents/a2a/waiting_inputs.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time_source.hpp>

#include <boost/json/array.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

/// What follows if it cannot be known whether the agent has made a task.
enum class when_unsure : std::uint8_t {
  fail,   ///< The attempt fails, and there is no other.
  resend, ///< The request is sent again: there may be two tasks.
  ask,    ///< A person is asked.
};

struct delegation_terms {
  std::string target; ///< As the plan names it, for words.
  when_unsure unsure = when_unsure::fail;
  /// Without any answer of the agent for so long the attempt fails.
  std::chrono::milliseconds lost_after{600'000};
  /// A stream that is silent for so long, or for half of `lost_after`, is no news: the task is
  /// asked for.
  std::chrono::milliseconds silence{30'000};
  /// How long a cancel waits for the agent's word.
  std::chrono::milliseconds cancel_wait{5'000};
};

/// What the card says, as far as it matters here.
struct remote_abilities {
  std::string endpoint; ///< Version, binding and URL, for people.
  bool streams = false;
  /// `urn:troupe:idempotent-send:v1`, and the key of the note is young enough to be known.
  bool sends_once = false;
  bool lists = false; ///< ListTasks.
  /// inputs/list (OPT): a question can be read as a whole.
  bool tells_questions = false;
};

// -- what is to be done ---------------------------------------------------------------------------

/// Read the card; then on_met.
struct do_look_up {};
/// Keep the note. If `tells`, on_noted once it is durable.
struct do_keep {
  std::string note;
  bool tells = false;
};
/// Ask for the task with the ids of the note, on a stream (on_event, on_stream_end) or without one
/// (on_sent).
struct do_send {
  bool streams = true;
  bool again = false; ///< It was sent before.
};
/// Hand a message of our task over to the remote one; then on_delivered.
struct do_deliver {
  message_ptr message;
};
/// Subscribe to the remote task; then on_event, on_stream_end.
struct do_listen {
  std::string cursor; ///< Behind which the stream goes on; empty: it begins with the task as it is.
};
/// GetTask; then on_got.
struct do_get {};
/// ListTasks by the context of the note; then on_found.
struct do_find {};
/// Read the open question of the remote task as a whole; then on_question.
struct do_read_question {};
/// CancelTask; then on_canceled. `within`: how long its answer may take (cancel_wait_key).
struct do_cancel {
  std::chrono::milliseconds within{};
};
/// The attempt is given up, and the remote task may run on: cancel it in the background, after a
/// restart, too. No other attempt of the task sends before that is settled.
struct do_cancel_later {};
/// Events that bring nothing new have come: the next one is not read before its turn among those of
/// its target.
struct do_slow_down {
  std::uint32_t events = 1;
};
/// Close the stream; nothing more comes from it.
struct do_hang_up {};
/// Call on_time then, in place of what was said before.
struct do_wait {
  time_source::steady_point until;
};
struct do_report {
  agent_report report;
};
/// Nothing follows.
struct do_end {};

using delegation_step = std::variant<do_look_up, do_keep, do_send, do_deliver, do_listen, do_get,
                                     do_find, do_read_question, do_cancel, do_cancel_later,
                                     do_slow_down, do_hang_up, do_wait, do_report, do_end>;
using delegation_steps = std::vector<delegation_step>;

class delegation {
public:
  using point = time_source::steady_point;

  /// `fresh`: ids of its own, for an attempt that begins. `note`: of an attempt that goes on.
  /// `inputs`: the messages of the order; those that the note does not know are handed over.
  /// `in_request`: the request of an attempt that begins stands for so many of them.
  delegation(delegation_terms terms, delegation_note fresh, std::optional<delegation_note> note,
             std::vector<message_ptr> inputs, std::size_t in_request);

  [[nodiscard]] delegation_steps begin(point now);
  [[nodiscard]] delegation_steps on_met(point now, result<remote_abilities> met);
  [[nodiscard]] delegation_steps on_noted(point now);
  [[nodiscard]] delegation_steps on_sent(point now, result<wire::answer> answer);
  /// `bytes`: of the frame, as it came.
  [[nodiscard]] delegation_steps on_event(point now, const wire::answer& frame,
                                          std::size_t bytes = 0);
  [[nodiscard]] delegation_steps on_stream_end(point now, const error& why);
  [[nodiscard]] delegation_steps on_got(point now, result<task> got);
  [[nodiscard]] delegation_steps on_found(point now, result<std::vector<task>> found);
  [[nodiscard]] delegation_steps on_delivered(point now, result<wire::answer> answer);
  /// `first`: the first open question, as inputs/list has it; null: none.
  [[nodiscard]] delegation_steps on_question(point now, const result<boost::json::value>& first);
  [[nodiscard]] delegation_steps on_canceled(point now, result<task> answer);
  [[nodiscard]] delegation_steps on_time(point now);

  // what our task says
  /// `answers`: it answers the first question that our task was told to ask, and that has neither
  /// an answer nor ended (on_question_ended).
  [[nodiscard]] delegation_steps on_message(point now, message_ptr said, bool answers = false);
  /// A question of that key has ended without an answer.
  void on_question_ended(const std::string& key);
  /// `within`: how long the canceler waits for the report of how it went; nothing: as the terms
  /// say.
  [[nodiscard]] delegation_steps
  cancel(point now, std::optional<std::chrono::milliseconds> within = std::nullopt);

  [[nodiscard]] const delegation_note& note() const noexcept { return note_; }
  [[nodiscard]] const remote_task& remote() const noexcept { return remote_; }
  [[nodiscard]] bool has_ended() const noexcept { return phase_ == phase::ended; }
  /// Frames of other tasks, and after the end.
  [[nodiscard]] std::uint32_t dropped() const noexcept { return dropped_; }

private:
  enum class phase : std::uint8_t {
    waiting,   ///< `begin` comes.
    meeting,   ///< The card is read.
    noting,    ///< The note becomes durable.
    sending,   ///< The request is out, and no id has come.
    finding,   ///< It may have come through.
    asking,    ///< A person is asked whether it is sent again.
    following, ///< The id is known.
    closing,   ///< It has ended; its artifacts are asked for once.
    ended,
  };
  /// What is tried again after a pause.
  enum class act : std::uint8_t { none, look_up, recover, resend, follow };

  enum class frame_worth : std::uint8_t {
    dropped, ///< Of another task, or after the end.
    nothing, ///< Of our task, and nothing new.
    news,
  };
  struct taken_frame {
    frame_worth worth = frame_worth::dropped;
    std::size_t new_bytes = 0; ///< Of what it tells, in our memory.
  };

  // parts of a turn; `steps_` collects what is to be done
  [[nodiscard]] delegation_steps finish_turn(point now);
  void recover();
  void ask_person();
  void send();
  void follow();
  void get();
  void listen();
  void look_again();
  void begin_listening();
  taken_frame take(point now, const wire::answer& frame);
  void count_idle(point now, frame_worth worth, std::size_t idle_bytes);
  [[nodiscard]] bool is_own(const task& found) const;
  void follow_cursor(const wire::answer& frame);
  void mark(report_artifact& made) const;
  void learn_id(point now);
  void take_question(const report_question& asked);
  void ask(report_question asked);
  void drop_late_answer();
  void ask_again();
  void take_end(const remote_news& news);
  void end(agent_report how);
  void end_canceled(cancel_outcome outcome, std::string reason = {});
  void fail(std::string reason, bool retry);
  void give_up(std::string reason, bool retry);
  void note_trouble(const error& why);
  [[nodiscard]] bool bears(const error& why);
  void keep(bool tells);
  void deliver_next();
  void deliver_noted();
  void delivered();
  void try_again(point now);
  void send_cancel(point now);
  void later(point now, act next);
  /// After what went wrong, which may say how long to wait.
  void later(point now, act next, const error& why);
  void retract(const std::string& why);
  /// The agent answered, or is asked for the first time.
  void hear(point now);
  [[nodiscard]] std::string lost_words() const;
  [[nodiscard]] std::string agent_words() const;
  [[nodiscard]] std::string said(const error& why) const;

  const delegation_terms terms_;
  const std::chrono::milliseconds look_within_; ///< So often at least the agent is asked.
  delegation_note note_;
  bool has_sent_ = false; ///< The request went out, in this process.
  bool is_known_ = false; ///< An attempt of an earlier process has sent it, or was about to.
  remote_abilities abilities_;
  remote_task remote_;
  phase phase_ = phase::waiting;
  waiting_inputs inputs_;
  bool is_delivering_ = false; ///< The first of `inputs_` is on its way, or its note is.
  bool is_noted_ = false;      ///< The note of the delivery is durable.
  bool delivery_is_out_ = false;
  bool is_repeated_ = false;   ///< The delivery may have arrived before.
  std::string asks_;           ///< The key under which our task asks; empty: it does not.
  std::string answered_;       ///< The key of the remote question whose answer was taken.
  std::string answered_input_; ///< Its id among all of its server; empty: not known.
  std::string question_;       ///< The remote question that is open; empty: none.
  // Hashes of what was asked: some agents give all their questions one key.
  std::size_t question_words_ = 0;
  std::size_t answering_words_ = 0; ///< Of the question whose answer is on its way.
  std::size_t answered_words_ = 0;
  std::optional<report_question> unread_; ///< It is read before our task asks it.
  std::uint32_t asked_again_ = 0;
  bool is_canceling_ = false;
  bool cancel_refused_ = false;
  std::string refusal_;
  bool cancel_is_out_ = false;
  bool cancel_is_answered_ = false;
  std::optional<cancel_outcome> outcome_; ///< Known before the answer to the cancel came.
  boost::json::array leaves_;             ///< How tasks behind the remote one took it.
  bool is_listening_ = false;             ///< A stream is open.
  /// It began with the task as it was, and each frame has a cursor: nothing is missing.
  bool is_gapless_ = false;
  /// The last of the stream, if nothing else was heard of the task since; empty: not known.
  std::string cursor_;
  bool is_resuming_ = false; ///< The stream was asked to go on behind `cursor_`; nothing has come.
  bool is_getting_ = false;  ///< GetTask or ListTasks is under way.
  bool found_none_ = false;  ///< ListTasks had nothing of ours; asked for once more.
  bool gets_again_ = false;  ///< It has ended since: its answer does not count.
  agent_report end_;         ///< While it is closing.
  std::string end_words_;    ///< The agent's, of the end.
  act next_ = act::none;
  point act_at_{};
  unsigned pauses_ = 0;     ///< In a row, without news between them.
  std::uint32_t tries_ = 0; ///< Of all pauses.
  unsigned troubles_ = 0;   ///< Tries in a row without an answer that can be used.
  std::string trouble_;     ///< What was wrong with the last of them.
  std::string failure_;     ///< Why the last request for the task has no answer.
  unsigned faults_ = 0;     ///< Answers in a row to one message or cancel that say nothing clear.
  point heard_at_{};
  point cancel_at_{};
  point idle_since_{};            ///< From then on `idle_frames_` are counted.
  std::uint32_t idle_frames_ = 0; ///< With nothing new.
  std::uint32_t idle_weight_ = 0; ///< The same; what is long counts as several.
  bool begins_ = false;           ///< No frame of the stream has come.
  std::uint32_t dropped_ = 0;
  delegation_steps steps_;
};

/// How long to wait before the n-th try in a row without news (from 1): a quarter of a second, then
/// twice as long each time; of that a quarter less or more, as `chance` says (net::backoff), at
/// most half a minute.
[[nodiscard]] std::chrono::milliseconds pause_before_try(unsigned count, double chance);

/// Whether asking again later may help.
[[nodiscard]] bool may_pass(errc code) noexcept;

/// Whether the answer to a request leaves open what became of it: a fault of the agent, an answer
/// that was cut, or no answer of A2A at all.
[[nodiscard]] bool is_unclear(const error& why) noexcept;

} // namespace troupe
