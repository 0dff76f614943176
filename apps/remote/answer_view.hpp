// What an agent answers, as text for people: outputs as they come, each piece once, whatever is
// repeated after a break. Plain values, without a terminal.
#pragma once

#include "protocol/a2a/answer_reading.hpp"
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/task_life.hpp>
#include <troupe/protocol/task_state.hpp>

#include <map>
#include <string>

namespace troupe {

class answer_view {
public:
  /// `is_cleaned`: nothing in it drives a terminal.
  explicit answer_view(bool is_cleaned) : is_cleaned_(is_cleaned) {}

  /// What is new: of outputs and answers for standard output, of what the agent says meanwhile for
  /// standard error, each a whole line.
  struct news {
    std::string output;
    std::string notes;
  };
  [[nodiscard]] news show(const wire::answer& read);
  /// What ends the output: a line end, if one is missing; what the agent said at the end, if it
  /// made nothing.
  [[nodiscard]] std::string end();

  [[nodiscard]] const std::string& task() const noexcept { return task_; }
  [[nodiscard]] const std::string& context() const noexcept { return context_; }
  /// Unspecified: the agent answered with a message.
  [[nodiscard]] task_state state() const noexcept { return state_; }
  /// What the agent said with its last state.
  [[nodiscard]] const std::string& said() const noexcept { return said_; }

private:
  void show_artifact(const artifact& made, bool append, std::string& out);
  void show_status(const task_status& status, news& out);
  void print(std::string_view text, std::string& out);

  const bool is_cleaned_;
  std::string task_;
  std::string context_;
  task_state state_ = task_state::unspecified;
  std::string said_;
  std::map<std::string, std::string> shown_; ///< Text by artifact.
  std::string last_artifact_;
  bool has_output_ = false;
  bool ends_line_ = true;
};

/// Whether the task says what it said `before`, at the same time: it asks, and has not yet taken an
/// answer.
[[nodiscard]] bool is_same_question(const task_status& before, const task_status& now);

/// Parts as text: data as JSON, bytes as a word about them.
[[nodiscard]] std::string shown_parts(const std::vector<part>& parts);

/// An event as A2A 1.0 writes it (StreamResponse), whatever the agent speaks.
[[nodiscard]] std::string event_json(const wire::answer& read);

} // namespace troupe
