// Answers that are taken together, or not at all. The tasks that ask are told one after the other.
// Each checks its answer and, if that fits, keeps its question as it is until all have agreed. Then
// each takes its answer. If one refuses before that, none does.
//
// Shared by the tasks; thread-safe.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace troupe {

class joint_answer final : public std::enable_shared_from_this<joint_answer> {
public:
  /// Hands the answer at that position to its task, which then calls `agree` or `refuse`, or
  /// `finish` with an error.
  using give_fn = std::function<void(const std::shared_ptr<joint_answer>& of, std::size_t part)>;

  /// `count` is at least 1. `done` is called once: when all answers are durable, or none is taken.
  joint_answer(std::size_t count, give_fn give, std::function<void(result<void>)> done);
  joint_answer(const joint_answer&) = delete;
  joint_answer& operator=(const joint_answer&) = delete;

  /// Hands out the first answer. The others follow.
  void begin();

  // -- the tasks' ---------------------------------------------------------------------------------

  /// The task would take its answer, and keeps its question open. `decided` is called once, on any
  /// thread, when all have agreed, or one has refused.
  void agree(std::function<void()> decided);
  /// The task does not take its answer, or not any more. False if all have agreed before: then it
  /// must take it.
  [[nodiscard]] bool refuse(const error& why);
  /// The answer of one task is durable; or the task has not taken it.
  void finish(const result<void>& of_one);

  [[nodiscard]] bool is_agreed() const;
  [[nodiscard]] bool is_refused() const;

private:
  enum class phase : std::uint8_t { gathering, agreed, refused };

  const std::size_t count_;
  const give_fn give_;

  mutable std::mutex guard_;
  phase phase_ = phase::gathering;
  std::vector<std::function<void()>> waiting_; ///< The tasks that have agreed.
  std::size_t finished_ = 0;
  std::optional<error> failure_; ///< Of a task that ended after all had agreed.
  std::function<void(result<void>)> done_;
};

} // namespace troupe
