// The answers given beforehand with `--answer KEY=TEXT`. Each is used once, those of one key in
// their order. An answer whose key is the id of a question is for no other one. Also the answer of
// `troupe answer`, which may be more than a text. A plain value.
#pragma once

#include <troupe/protocol/command.hpp>
#include <troupe/protocol/spec.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

class prepared_answers {
public:
  explicit prepared_answers(std::vector<std::pair<std::string, std::string>> all)
      : left_(std::move(all)) {}

  /// One more, for the question that it names.
  void give(answer_input given) { given_ = std::move(given); }

  struct answer {
    std::string text;
    bool names_question = false; ///< It is for no other one.
  };

  /// The next answer for a question of a task, found by the id of the question or by the task's key
  /// (the id in the file), its name or its id; nothing if none is left. `question`: its id within
  /// the task; may be empty.
  [[nodiscard]] std::optional<answer> take(const task_spec& task, const task_id& id,
                                           const std::string& question = {});

  /// The answer of `give`, if it is for this question; nothing if there is none.
  [[nodiscard]] std::optional<answer_input> take_given(const task_id& id,
                                                       const std::string& question);

  /// An answer that reached no question is there for the next one of that task.
  void give_back(const task_id& id, std::string text) {
    left_.emplace_back(id.str(), std::move(text));
  }

  /// The first key that fits no task of `plans`; a misspelt key should not come to light hours
  /// later.
  [[nodiscard]] std::optional<std::string>
  unknown_key(const std::vector<plan_spec_ptr>& plans) const;

private:
  std::vector<std::pair<std::string, std::string>> left_;
  std::optional<answer_input> given_;
};

} // namespace troupe
