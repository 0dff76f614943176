// Turns a task's committed changes into the notifications of one configuration, in order: what is
// posted, and how far the configuration has got once that is delivered (docs/push.md). The text of
// a notification is made when it is posted, and not kept: in 0.3 each has the whole task. A plain
// value: no store, no clock, no socket.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/protocol/push_row.hpp>
#include <troupe/protocol/task.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace troupe::net {

/// One notification.
struct push_item {
  std::uint64_t after = 0;  ///< push_progress once it is delivered.
  std::uint32_t events = 0; ///< The same.
  bool last = false;        ///< It tells of the task's end.
  bool is_progress = false; ///< And of nothing else: a later one says all that this one does.
};

/// 1.0: a StreamResponse for the creation, each change of state, message of the agent and artifact.
/// 0.3: the whole task, as it was then, at its creation, at each change of state and message of the
/// agent. Both: at each progress, for who asked for it.
class push_items {
public:
  /// `progress`: that is told, too (push_config::progress).
  push_items(task_id id, push_payload payload, const push_progress& from, bool progress = false);

  /// From which sequence on changes have to be taken: 0.3 needs the task's whole life to show it as
  /// it was.
  [[nodiscard]] std::uint64_t reads_after() const noexcept;

  /// The task as it is up to `sequence`; changes up to there are passed over from now on. `tell`:
  /// as a notification.
  void start_at(const task_ptr& snapshot, std::uint64_t sequence, bool tell);
  /// The next change. One of the task's objective that ends it before it began counts, with the
  /// record as it is then (`withdrawn`).
  void take(const change_ptr& news, const task_ptr& withdrawn = nullptr);

  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  [[nodiscard]] const push_item& front() const noexcept { return items_.front().item; }
  /// The body of the first, made anew each time.
  [[nodiscard]] std::string write_front();
  void pop();
  /// Nothing comes after what is in it.
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }
  /// About the bytes of the records of which bodies are made.
  [[nodiscard]] std::size_t record_bytes() const noexcept;
  /// Makes it as new, going on from `from`.
  void reset(const push_progress& from);

private:
  /// What happened to the task: the record that replaces what is known of it (null: none), then the
  /// events of a change (null: none).
  struct step {
    task_ptr record;
    change_ptr news;
  };
  /// A notification that waits, and the event of which it tells.
  struct waiting {
    push_item item;
    std::uint64_t number = 0; ///< Of the step.
    std::size_t event = 0;    ///< In the change of the step; event_of_record: its record.
  };
  static constexpr std::size_t event_of_record = static_cast<std::size_t>(-1);

  void add_step(task_ptr record, change_ptr news);
  void take_events(const change_ptr& news, task_ptr replaced);
  [[nodiscard]] bool is_told(const event& fact) const;
  void add(push_item item, const change& where, std::size_t event);
  /// 0.3: `so_far_` becomes the task as it was after that event of the step of that number.
  void go_on_to(std::uint64_t number, std::size_t event);
  void drop_steps_before(std::uint64_t number);
  [[nodiscard]] std::uint64_t next_step() const noexcept { return first_step_ + steps_.size(); }

  task_id id_;
  push_payload payload_;
  bool tells_progress_;
  std::deque<waiting> items_;
  std::deque<step> steps_;       ///< From that of the first item on.
  std::uint64_t first_step_ = 0; ///< The number of the first one.
  std::size_t applied_ = 0;      ///< 0.3: events of the first step that are in `so_far_`.
  bool has_record_ = false;      ///< 0.3: the task is known, at the latest after all steps.
  std::uint64_t after_ = 0;      ///< The last change that was taken, or passed over.
  std::uint64_t delivered_ = 0;  ///< Changes up to this one are known to the receiver.
  std::uint32_t skip_ = 0;       ///< Events of the first change behind `delivered_` that are, too.
  std::shared_ptr<task> so_far_; ///< 0.3 only: the task before what is left of the steps.
  bool ended_ = false;
};

} // namespace troupe::net
