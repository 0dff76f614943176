// What waits for the readers of streams, in bytes, of all streams of a server: changes in their
// feeds, texts on their way, snapshots. All of it is in the account `feeds` of the process's
// budget. Above the limit, or that account's share, the stream is cut whose reader has taken
// nothing for the longest time. Thread-safe.
#pragma once

#include "actors/feed/budget.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace troupe::net {

/// A stream that may have to wait until its reader takes something.
class stalling_stream : public boost::intrusive::list_base_hook<> {
public:
  /// Ends the stream soon. Called on any thread, at most once for each `stream_budget::stall`; must
  /// not block and not call the budget.
  virtual void cut() = 0;
  /// What it holds, in bytes, while it waits.
  std::size_t stalled_bytes = 0;

protected:
  ~stalling_stream() = default;
};

class stream_budget {
public:
  /// Bytes counted for a stream. The destructor gives them back.
  class share {
  public:
    share() = default;
    share(feed_budget_ptr from, std::size_t bytes) : from_(std::move(from)), bytes_(bytes) {}
    share(share&& other) noexcept
        : from_(std::move(other.from_)), bytes_(std::exchange(other.bytes_, 0)) {}
    share& operator=(share&& other) noexcept {
      std::swap(from_, other.from_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~share() {
      if (from_)
        from_->give_back(bytes_);
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    explicit operator bool() const noexcept { return from_ != nullptr; }

  private:
    feed_budget_ptr from_;
    std::size_t bytes_ = 0;
  };

  explicit stream_budget(std::size_t bytes_max,
                         memory_budget_ptr memory = std::make_shared<memory_budget>())
      : bytes_max_(bytes_max), memory_(std::move(memory)),
        bytes_(std::make_shared<feed_budget>(bytes_max, memory_)) {}

  /// Of the feeds: what finds no room there is read from the history later, and cuts nobody.
  [[nodiscard]] const feed_budget_ptr& feeds() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t held() const noexcept { return bytes_->held(); }

  /// How many bytes of changes one of `streams` open streams may make into a text at once: when
  /// all do, their texts find room together, so that a burst that all of them wait for cuts none.
  /// At least 1.
  [[nodiscard]] std::size_t window(std::size_t streams) const noexcept;
  /// Whether a new stream may begin: there is room. Else the stream that has stalled longest is
  /// cut.
  [[nodiscard]] bool admits_stream();
  /// Counts `bytes`. If there is no room, the streams that have stalled longest are cut: as many as
  /// hold so much together, or else one. Converts to false, and counts nothing, if all of them hold
  /// less. What is longer than the limit is counted while there is any room: else it would never
  /// be.
  [[nodiscard]] share take(std::size_t bytes);
  /// Why there is no room for so many bytes; names the limit.
  [[nodiscard]] std::string why_no_room(std::size_t bytes) const;

  /// From now on the stream waits for its reader, until `go_on`. Of a stream that waits already:
  /// its reader has just taken something.
  void stall(stalling_stream& who, std::size_t bytes);
  void go_on(stalling_stream& who);

private:
  using stream_list = boost::intrusive::list<stalling_stream>;

  /// Cuts the slowest streams that hold `bytes` together. If all that wait hold less, cuts one, and
  /// returns false.
  bool make_room(std::size_t bytes);

  const std::size_t bytes_max_;
  const memory_budget_ptr memory_;
  const feed_budget_ptr bytes_;
  std::mutex guard_;
  stream_list stalled_; ///< The first has waited longest.
};

} // namespace troupe::net
