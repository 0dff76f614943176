// Carries out what a delegation decides: the requests, the streams and the timers.
#pragma once

#include "agents/a2a/cancel_outbox.hpp"
#include "agents/a2a/delegation.hpp"
#include "agents/a2a/delegation_lines.hpp"
#include "agents/a2a/target_queue.hpp"
#include "client/a2a/call_loop.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Carries out what a delegation decides. On the loop, after its construction.
class delegation_driver : public std::enable_shared_from_this<delegation_driver> {
public:
  struct setting {
    order_ptr order; ///< Null: only its cancel goes on, in the background.
    agent_port_ptr port;
    std::shared_ptr<const a2a::line_options> line;
    std::shared_ptr<delegation_lines> lines;
    std::vector<std::string> path;
    target_limits limits;
    bool goes_on = false; ///< An earlier process has begun it.
    std::shared_ptr<cancel_outbox> outbox;
    delegation_terms terms;
    std::function<void(const std::string&)> warn;
  };

  /// Goes on to cancel what a note says, until the agent has answered.
  static void cancel_later(a2a::call_loop& loop, const time_source& time, setting given,
                           const delegation_note& note);

  delegation_driver(a2a::call_loop& loop, const time_source& time, setting given, delegation course)
      : loop_(loop), time_(time), given_(std::move(given)), course_(std::move(course)) {}

  void begin();
  void on_noted() { carry_out(course_.on_noted(loop_.now())); }
  /// The store has what was reported.
  void read_on();
  /// `answers`: delegation::on_message.
  void on_message(message_ptr said, bool answers) {
    carry_out(course_.on_message(loop_.now(), std::move(said), answers));
  }
  void on_question_ended(const std::string& key) { course_.on_question_ended(key); }
  /// `within`: how long the report of how it went may take; nothing: as the terms say.
  void cancel(std::optional<std::chrono::milliseconds> within = std::nullopt);
  /// Nobody listens any more.
  void drop();

private:
  /// It is its turn.
  void enter();

  /// Once nothing is done any more for an earlier attempt: there are never two remote tasks.
  void begin_alone();
  void give_up_waiting(const std::string& why, bool retry);

  /// What is written down of its cancel.
  [[nodiscard]] delegation_note cancel_note() const;

  /// The attempt is given up.
  void leave_cancel();

  using answer_taker = delegation_steps (delegation::*)(delegation::point, result<wire::answer>);
  void carry_out(delegation_steps steps);
  void look_up();

  /// In its turn, as the first time.
  void send_again(bool streams);
  void send(bool streams);
  void deliver(const message_ptr& said);
  void ask_for_answer(a2a::call_handle& by, a2a::params_writer params, const std::string& key,
                      answer_taker then);
  void subscribe(const std::string& cursor);
  void listen(a2a::operation which, a2a::params_writer params, a2a::agent_line::headers more);

  /// The end of one that was canceled: without an answer it goes on in the background.
  void settle_cancel(const agent_report& report);

  /// The first answer to the request; `why`: no code: it was taken.
  void note_answer(const error& why);
  void get();
  void send_cancel(std::chrono::milliseconds within);

  /// Of the objective, if the task stands for one: any of its tasks may ask.
  void read_question();
  void find();

  /// The next event of the stream is not read before its turn.
  void slow_down(std::uint32_t events);
  /// Reads nothing of the stream until `at`.
  void pause_until(time_source::steady_point at, std::function<void()> then);

  /// A timer that rings too early costs a look; so it is only ever set earlier.
  void wait(time_source::steady_point until);
  [[nodiscard]] result<task> read_task(const result<boost::json::value>& answer);
  [[nodiscard]] boost::json::object with_id() const;

  /// `key`: empty: none.
  [[nodiscard]] a2a::agent_line::headers headers(const std::string& key) const;

  a2a::call_loop& loop_;
  const time_source& time_;
  const setting given_;
  delegation course_;
  std::shared_ptr<a2a::agent_line> line_;
  wire::wire_format format_;
  bool sends_once_ = false;
  bool is_dropped_ = false;
  bool is_in_ = false; ///< It had its turn, and counts as open.
  bool is_canceled_ = false;
  bool is_asking_ = false;        ///< The request is out, and nothing was answered.
  bool waits_for_cancel_ = false; ///< Of an earlier attempt.
  bool is_slowed_ = false;        ///< Until `slowing_` rings.
  std::shared_ptr<target_queue> queue_;
  std::shared_ptr<target_queue::ticket> ticket_; ///< While it waits for its turn.
  a2a::call_handle pause_;                       ///< Until the request is sent again.
  a2a::stream_handle stream_;
  a2a::call_handle meeting_;
  a2a::call_handle reading_;  ///< GetTask or ListTasks.
  a2a::call_handle delivery_; ///< A send without a stream.
  a2a::call_handle questioning_;
  a2a::call_handle canceling_;
  a2a::call_handle slowing_;
  a2a::call_handle timer_;
  time_source::steady_point rings_at_ = time_source::steady_point::max(); ///< Of `timer_`.
};

} // namespace troupe
