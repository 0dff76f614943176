// The course of one attempt of the agent `llm`: when the model is asked, what its tools lead to,
// when a person is asked, what is shown and how it ends. It decides and does nothing itself: each
// member takes what happened, and returns what is to be done. A plain value;
// agents/llm/llm_agent.cpp carries it out.
//
// What it guarantees: before anything follows from an answer of the model, the note that has it is
// durable. Only tools that the task lists are used; what an artifact, a person or the model says
// adds none.
#pragma once

#include "agents/llm/llm_input.hpp"
#include "agents/llm/llm_note.hpp"
#include "agents/llm/llm_tools.hpp"
#include "client/models/model_client.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/time_source.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

/// After this many wrong tool calls the attempt fails.
inline constexpr std::uint32_t llm_wrong_calls_max = 3;
/// Calls of tools in one attempt.
inline constexpr std::size_t llm_calls_max = 64;
/// Between two chunks of a text: at most 20 a second.
inline constexpr std::chrono::milliseconds llm_chunk_interval{50};
/// Of all that a model and its tools have said, in one attempt.
inline constexpr std::size_t llm_conversation_bytes_max = std::size_t{2} << 20;

/// The message of a task about a call of its model: tokens, time, and `how` it ended.
[[nodiscard]] message message_about_call(const std::string& model, const models::call_cost& cost,
                                         const std::string& how);

struct llm_terms {
  std::string model;          ///< Shown in messages.
  llm_offer offer;            ///< What it may use.
  boost::json::object schema; ///< Of the answer; empty: a text, which streams.
  std::uint32_t rounds_max = llm_rounds_default;
  std::string mark{}; ///< Around what called tasks have made; fresh.
  models::chat_settings settings{};
};

// -- what is to be done ---------------------------------------------------------------------------

/// Ask the model; then on_text, on_retry, on_answer.
struct llm_ask {
  models::chat_request request;
};
/// Keep the note; on_noted once it is durable.
struct llm_keep {
  std::string note;
};
/// Call `on_time` at `until`; replaces an earlier `llm_wait`.
struct llm_wait {
  time_source::steady_point until;
};
struct llm_report {
  agent_report report;
};
/// Nothing follows.
struct llm_end {};

using llm_step = std::variant<llm_ask, llm_keep, llm_wait, llm_report, llm_end>;
using llm_steps = std::vector<llm_step>;

class conversation {
public:
  using point = time_source::steady_point;

  /// `first`: how it begins. `note`: of an attempt that goes on; of a new attempt only the counts
  /// are set. `inputs`: messages of the task that the note does not know.
  conversation(llm_terms terms, std::vector<models::chat_message> first, llm_note note,
               std::vector<message_ptr> inputs);

  [[nodiscard]] llm_steps begin();
  /// The answer goes on with `text`.
  [[nodiscard]] llm_steps on_text(point now, std::string_view text);
  /// What came of the answer is void: the model is asked again.
  void on_retry();
  [[nodiscard]] llm_steps on_answer(point now, const models::call_outcome& outcome);
  [[nodiscard]] llm_steps on_noted();
  [[nodiscard]] llm_steps on_time(point now);

  // what our task says
  /// The answer to the question that was asked first.
  [[nodiscard]] llm_steps on_answered(const message& answer);
  /// The question ended without an answer.
  [[nodiscard]] llm_steps on_unanswered(const std::string& key, question_end how);
  /// A message that answers nothing.
  void on_said(const message& said);
  /// A change of the plan was made or refused; the task that a call waits for has ended.
  [[nodiscard]] llm_steps on_changed(const change_outcome& outcome);

  [[nodiscard]] const llm_note& note() const noexcept { return note_; }
  [[nodiscard]] bool has_ended() const noexcept { return phase_ == phase::ended; }

private:
  enum class phase : std::uint8_t {
    asking,  ///< The model is asked.
    noting,  ///< The note becomes durable.
    waiting, ///< Calls of tools are under way.
    ended,
  };

  /// A call that waits for a person or for the plan.
  struct open_call {
    std::string key;
    std::size_t turn = 0;
    std::size_t index = 0;
    bool asks = false;     ///< A person.
    bool approves = false; ///< The question is whether it may be made.
  };

  [[nodiscard]] llm_steps finish_turn() { return std::exchange(steps_, {}); }
  void ask();
  void go_on();
  void run_calls();
  void start_call(std::size_t turn, std::size_t index);
  void refuse_call(llm_call& call, const std::string& why);
  void take_answer(const open_call& which, const message& answer);
  template<class Fits>
  [[nodiscard]] std::optional<open_call> take_open(Fits fits);
  void end_round();
  void take_calls(const models::chat_answer& answer);
  void take_text(point now, const models::chat_answer& answer);
  void take_structured(const models::chat_answer& answer);
  void add_turn(llm_turn turn);
  void keep();
  void add_said();
  void log(const models::call_outcome& outcome);
  void leave_thoughts_out();
  void flush(point now, bool is_last);
  void end(agent_report how);
  void fail(std::string reason, bool retry);
  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] llm_call& at(const open_call& which);
  [[nodiscard]] std::string key_of_call(std::size_t turn, std::size_t index) const;

  const llm_terms terms_;
  std::vector<models::chat_message> first_;
  llm_note note_;
  std::deque<message_ptr> inputs_; ///< From before a restart: answers that are not taken yet.
  std::string said_;               ///< By people, for the next round.
  phase phase_ = phase::asking;
  std::vector<open_call> open_; ///< In the order in which they were begun.
  // the text of the answer that is coming
  /// Where in it we are: its thoughts are not shown.
  enum class thoughts : std::uint8_t {
    unknown, ///< It may begin with them.
    inside,
    behind, ///< Only blanks have come since.
    none,   ///< From here on all is shown.
  };
  thoughts thoughts_ = thoughts::unknown;
  std::string held_; ///< It may be a part of them.
  std::string buffer_;
  bool is_shown_ = false;
  point flush_at_{};
  llm_steps steps_;
};

} // namespace troupe
