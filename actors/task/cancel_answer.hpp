// The answer to a cancel of a task or an objective: it waits until the cancel is durable and the
// agents elsewhere have said how it went, and says so in the metadata of the record that is
// answered (`troupe/v1/cancel`; what is stored does not change).
//
// The gateway makes it. The cancel's way down to the tasks hands on shares of it: each message has
// one, and each task that waits for the word of its agent keeps one. It is answered when the record
// is there and the last share is let go. Thread-safe.
#pragma once

#include "protocol/a2a/cancel_report.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace troupe {

/// What the answer waits for. Destroyed with its last share.
class cancel_leaves {
public:
  /// The entries, and how many more there were (cancel_entries_max).
  using taker = std::function<void(boost::json::array entries, std::size_t left_out)>;

  cancel_leaves(std::optional<std::chrono::milliseconds> within, taker done)
      : within_(within), done_(std::move(done)) {}
  ~cancel_leaves() { done_(std::move(entries_), left_out_); }
  cancel_leaves(const cancel_leaves&) = delete;
  cancel_leaves& operator=(const cancel_leaves&) = delete;

  void add(boost::json::array more) {
    const std::lock_guard lock(guard_);
    for (auto& each : more)
      if (entries_.size() < cancel_entries_max)
        entries_.push_back(std::move(each));
      else
        ++left_out_;
  }
  /// How long the canceler waits; nothing: as long as the agents do.
  [[nodiscard]] std::optional<std::chrono::milliseconds> within() const noexcept { return within_; }

private:
  const std::optional<std::chrono::milliseconds> within_;
  const taker done_;
  std::mutex guard_;
  boost::json::array entries_;
  std::size_t left_out_ = 0;
};

using cancel_leaves_ptr = std::shared_ptr<cancel_leaves>;

/// `Record`: task or objective_view.
template<class Record>
class cancel_answer : public std::enable_shared_from_this<cancel_answer<Record>> {
public:
  using record_ptr = std::shared_ptr<const Record>;

  explicit cancel_answer(std::function<void(result<record_ptr>)> done) : done_(std::move(done)) {}

  [[nodiscard]] cancel_leaves_ptr share(std::optional<std::chrono::milliseconds> within) {
    {
      const std::lock_guard lock(guard_);
      ++open_;
    }
    return std::make_shared<cancel_leaves>(
        within, [self = this->shared_from_this()](boost::json::array entries, std::size_t more) {
          self->on_leaves(std::move(entries), more);
        });
  }
  /// The record as it is after the cancel, which is durable. An error is answered at once.
  void on_record(result<record_ptr> record) {
    {
      const std::lock_guard lock(guard_);
      if (!record)
        open_ = 0;
      record_ = std::move(record);
    }
    answer_if_ready();
  }

private:
  void on_leaves(boost::json::array entries, std::size_t left_out) {
    {
      const std::lock_guard lock(guard_);
      if (open_ > 0)
        --open_;
      for (auto& each : entries)
        entries_.push_back(std::move(each));
      left_out_ += left_out;
    }
    answer_if_ready();
  }

  void answer_if_ready() {
    std::function<void(result<record_ptr>)> done;
    {
      const std::lock_guard lock(guard_);
      if (!record_ || open_ > 0)
        return;
      done = std::exchange(done_, nullptr);
    }
    if (!done)
      return;
    if (entries_.empty() || !*record_ || !**record_)
      return done(std::move(*record_));
    auto shown = std::make_shared<Record>(***record_);
    shown->metadata[cancel_report_key] = std::move(entries_);
    if (left_out_ > 0)
      shown->metadata[cancel_left_out_key] = left_out_;
    done(record_ptr{std::move(shown)});
  }

  std::mutex guard_;
  std::function<void(result<record_ptr>)> done_;
  std::size_t open_ = 0; ///< Shares that are not let go.
  std::optional<result<record_ptr>> record_;
  boost::json::array entries_;
  std::size_t left_out_ = 0;
};

} // namespace troupe
