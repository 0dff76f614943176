// Long answers on their way to readers that do not take them at once. When there is no room for
// another, the one gives way that has been on its way for the longest time. Thread-safe.
#pragma once

#include "client/io.hpp"

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <mutex>

namespace troupe::net {

/// An answer whose reader has not taken it yet.
class long_answer
    : public boost::intrusive::list_base_hook<boost::intrusive::tag<class long_answers>> {
public:
  /// Ends its connection soon. Called on any thread, at most once; must not block.
  virtual void cut() = 0;
  /// Of `long_answers`: since when it is on its way.
  time_point begun_at{};

protected:
  ~long_answer() = default;
};

class long_answers {
public:
  /// `grace`: what is on its way for so long may give way.
  explicit long_answers(std::chrono::nanoseconds grace) : grace_(grace) {}

  void begin(long_answer& who, time_point now);
  /// It has been taken, or its reader is gone. Does nothing for one that has not begun.
  void end(long_answer& who);
  /// Another one has found no room: cuts the one that began first, if that was long enough ago.
  void give_way(time_point now);

private:
  using answer_list = boost::intrusive::list<
      long_answer, boost::intrusive::base_hook<
                       boost::intrusive::list_base_hook<boost::intrusive::tag<long_answers>>>>;

  const std::chrono::nanoseconds grace_;
  std::mutex guard_;
  answer_list all_; ///< The first began first.
};

} // namespace troupe::net
