// The feed of an objective on its way to its client: of `objectives/subscribe`, and beside the
// stream of a root task.
#pragma once

#include "actors/feed/folded_feed.hpp"
#include "net/a2a/shown_feed.hpp"
#include "protocol/opt/objective_change.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::net {

class shown_objective : public shown_feed {
public:
  /// `source` is open. `after`: where the client's last stream broke.
  shown_objective(operation_call& call, std::shared_ptr<feed> source,
                  const opt::subscribe_to_objective& asked,
                  std::optional<opt::objective_cursor> after = std::nullopt);

  [[nodiscard]] time_point not_before() const override { return next_at_; }
  /// What has gathered is shown with the next call.
  void hurry() noexcept { next_at_ = time_point::min(); }

protected:
  using writer = std::function<void(json_writer& out)>;

  static constexpr std::string_view change_member = "change";

  /// Adds an event whose value `write` writes: `change`, or `objective`. False if it is long.
  virtual bool add_value(std::string_view member, writer write, bool is_long);
  /// The same for changes, as `change`. `last`: the last of them; `first`: the sequence of the
  /// first one if they were folded, else 0. Streams that show the same share its text.
  virtual bool add_change(writer write, bool is_long, const change_ptr& last, std::uint64_t first);
  [[nodiscard]] const opt::objective_cursor& at() const noexcept { return at_; }

private:
  bool add_snapshot(const feed& source, bool has_gap) override;
  bool add_frame(const frame& next, const feed& source) override;
  bool end_batch(bool more) override;
  [[nodiscard]] bool is_finished() const override { return has_settled_; }
  void follow(const change& news, const event& one);
  [[nodiscard]] writer writer_of(std::vector<change_ptr> changes) const;

  const opt::change_detail detail_;
  const std::chrono::nanoseconds interval_; ///< Between two events at least; 0: each change is one.
  folded_changes folded_;
  std::uint64_t first_folded_ = 0; ///< The sequence of the first change that was folded.
  change_ptr last_folded_;         ///< Null: none was.
  time_point next_at_ = time_point::min();
  opt::objective_cursor at_;
  const std::uint64_t opened_at_; ///< The sequence of the snapshot.
  bool has_gap_ = false;          ///< Of the snapshot that is added.
  bool has_settled_ = false;
  /// The plans of the objective, for the ids in its events.
  std::shared_ptr<std::vector<plan_spec_ptr>> plans_ =
      std::make_shared<std::vector<plan_spec_ptr>>();
};

} // namespace troupe::net
