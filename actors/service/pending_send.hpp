// A message on its way: who sends it waits until it is taken, or until its task ends or asks (A2A
// 1.0 section 3.2.2).
#pragma once

#include "actors/service/answer.hpp"
#include <troupe/store/store.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace troupe {

/// Gets the reply and the task's changes, and notifies the sender when it should look: once for
/// both of them, if both are waited for.
class pending_send final : public watcher, public std::enable_shared_from_this<pending_send> {
public:
  pending_send(store& records, bool waits, std::function<void()> notify)
      : records_(records), waits_(waits), notify_(std::move(notify)) {}

  // -- who sends ----------------------------------------------------------------------------------

  /// The outcome, with the records as they stand; nothing as long as there is none: ask again when
  /// notified. With `enough` the task is not waited for any longer. Errors: those of gateway::send
  /// and gateway::create.
  [[nodiscard]] std::optional<result<send_result>> poll(bool enough);
  /// The record is shown although it may still show the question that was answered.
  void believe_record() noexcept { may_hold_back_ = false; }
  /// Nobody wants to know any more. To be called before it is let go.
  void end();

  // -- the service --------------------------------------------------------------------------------

  [[nodiscard]] bool waits() const noexcept { return waits_; }
  /// There is nothing to wait for; before `on_reply`.
  void stop_waiting() noexcept { waits_ = false; }
  /// The message was taken, or not.
  void on_reply(result<sent> outcome);
  /// The objective that it made, if it made one; before `on_reply`.
  void set_objective(const objective_id& id) { objective_ = id; }
  void watch_on(const task_id& task);
  /// The record is to be looked at, whatever was seen of its changes.
  void note_settled() noexcept { state_.fetch_or(settled, std::memory_order_acq_rel); }

  void on_change(const change_ptr& news) override;

private:
  static constexpr std::uint8_t replied = 1;
  static constexpr std::uint8_t settled = 2;
  static constexpr std::uint8_t read = 4; ///< The record that was asked for is here.
  static constexpr std::uint8_t asking =
      8; ///< The record is being asked for by who will look for it next.

  [[nodiscard]] bool has(std::uint8_t flag) const noexcept {
    return (state_.load(std::memory_order_acquire) & flag) != 0;
  }
  void begin_reading();
  void on_task(const result<task_ptr>& found);
  void on_read(result<send_result> outcome);
  /// Whether the record that was read is that of a root task that still shows the question which
  /// was answered.
  [[nodiscard]] bool shows_answered() const;

  store& records_;
  bool waits_;
  const std::function<void()> notify_;
  std::atomic<std::uint8_t> state_{0};
  std::optional<result<sent>> reply_; ///< With `replied`.
  objective_id objective_;
  std::optional<result<send_result>> record_; ///< With `read`.
  bool reading_ = false;                      ///< The owner's.
  bool may_hold_back_ = true;                 ///< The owner's.
  bool held_back_ = false; ///< The owner's: the next status is shown in place of the record.

  std::mutex guard_;
  std::string watched_; ///< Empty: no task yet.
  bool ended_ = false;
};

} // namespace troupe
