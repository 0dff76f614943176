// What a call of `remote_agent` has heard from the agent so far, and the answer that follows from
// it. A plain value: it takes each answer or event, and shows itself at any time.
#pragma once

#include "client/remote_agent/handles.hpp"
#include "protocol/a2a/answer_reading.hpp"
#include <troupe/protocol/task_state.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::remote_agent {

/// What is known of the agent beside its answers.
struct heard_from {
  handle_target to;
  std::string target_name;       ///< Of its card; empty: not known.
  std::optional<bool> streaming; ///< The same.
};

class heard {
public:
  /// `task_id`, `context_id`: what the call goes on with; may be empty. `streams`: the result has
  /// the events.
  heard(std::string task_id, std::string context_id, bool streams)
      : task_id_(std::move(task_id)), context_id_(std::move(context_id)), streams_(streams) {}

  /// `raw`: in common words.
  void take(const wire::answer& read, boost::json::object raw);

  /// So many events of the stream were of other tasks, and are not in the result.
  void note_dropped(std::size_t events) noexcept { dropped_ = events; }
  /// The stream broke, and what happened until it stood again was not heard, or not all of it.
  void note_missed() noexcept { has_missed_ = true; }

  /// Empty: there is no task.
  [[nodiscard]] const std::string& task_id() const noexcept { return task_id_; }
  [[nodiscard]] const std::string& context_id() const noexcept { return context_id_; }
  /// The last that was heard; nothing: none was.
  [[nodiscard]] std::optional<task_state> state() const noexcept { return state_; }
  /// A task or an event of one was heard.
  [[nodiscard]] bool has_task() const noexcept { return has_task_; }
  /// The agent does not know it.
  void forget_task() noexcept;
  [[nodiscard]] bool has_ended() const noexcept { return state_ && is_terminal(*state_); }
  [[nodiscard]] std::size_t events() const noexcept { return events_.size(); }
  [[nodiscard]] const boost::json::value& last() const noexcept { return last_; }
  /// Of the last message that answered without a task.
  [[nodiscard]] const std::string& message_id() const noexcept { return message_id_; }

  /// `handle`: of the task, if there is one.
  [[nodiscard]] boost::json::object summary(const heard_from& agent, std::string_view handle) const;
  /// `summary.continuation`; empty: neither task nor conversation is known.
  [[nodiscard]] boost::json::object continuation(const heard_from& agent,
                                                 std::string_view handle) const;
  [[nodiscard]] boost::json::value raw() const;

private:
  void take_text(const message& said);
  void take_whole_artifact(const boost::json::value& made);
  void take_chunk(const boost::json::object& event, bool append);
  /// Null: it was not heard of.
  [[nodiscard]] boost::json::object* artifact_with(const std::string& id);
  [[nodiscard]] std::string text() const;

  std::string task_id_;
  std::string context_id_;
  const bool streams_;
  bool has_task_ = false;
  std::optional<task_state> state_;
  std::size_t messages_ = 0; ///< Answers that were a message.
  std::string message_id_;
  std::vector<std::string> said_;                        ///< The texts of messages.
  std::unordered_map<std::string, std::size_t> said_at_; ///< Their places, by the message's id.
  boost::json::array artifacts_;                         ///< In common words.
  /// The places of the artifacts, by id: an agent may have many thousands in one answer.
  std::unordered_map<std::string, std::size_t> artifacts_at_;
  boost::json::array events_;
  boost::json::value last_;
  std::size_t dropped_ = 0;
  bool has_missed_ = false;
};

} // namespace troupe::remote_agent
