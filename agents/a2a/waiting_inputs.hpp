// The messages to our task that the remote one is still to get, in their order, and which of them
// answer a question that had ended by then. A plain value.
#pragma once

#include <troupe/protocol/message.hpp>

#include <list>
#include <string>

namespace troupe {

class waiting_inputs {
public:
  struct input {
    message_ptr said;
    /// A question. False also if that is not known: the record of our task says which messages came
    /// before the process ended, and not what they were for.
    bool answers = false;
    bool is_late = false; ///< Its question had ended: it is not handed over.
  };

  /// Of an earlier process.
  void add_left(message_ptr said) { all_.push_back({std::move(said)}); }
  /// Our task was told to ask a question of that key.
  void note_asked(std::string key) { asked_.push_back(std::move(key)); }
  /// A question of that key has ended without an answer, as our task says.
  void note_ended(const std::string& key) { std::erase(asked_, key); }
  /// `answers`: the first question that our task was told to ask, and that has neither an answer
  /// nor ended. `open`: the key of the question that the agent waits for; empty: it asks nothing.
  void add(message_ptr said, bool answers, const std::string& open);
  /// The agent gets a message that is no answer while it asks this: the answer that follows is not
  /// late, though the agent asks no more by then.
  void note_other_input(std::string key) { has_other_input_ = std::move(key); }
  /// No answer is expected any more.
  void forget_questions() { asked_.clear(); }

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  /// The next one to be handed over; there is one.
  [[nodiscard]] const input& front() const { return all_.front(); }
  void pop() { all_.pop_front(); }

private:
  // Lists: there are thousands of these, most of them empty, and an empty deque has 576 bytes.
  std::list<input> all_;
  std::list<std::string> asked_; ///< In their order.
  std::string has_other_input_;
};

} // namespace troupe
