// Long answers are written as text by threads of their own, and long requests are read and texts
// searched by them: a loop that did it would let all its other connections wait. Clients take
// turns, so that one that asks for much delays itself. `turn` makes one answer on the thread that
// calls it. Thread-safe.
#pragma once

#include "net/http/wakeup.hpp"
#include "protocol/fair_queue.hpp"
#include <troupe/net/limits.hpp>
#include <troupe/protocol/errc.hpp>

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace troupe::net {

struct answer_maker_limits {
  std::size_t answers_max = long_answers_max;
  std::size_t answers_per_client_max = long_answers_per_client_max;
};

class answer_maker {
  struct order;

public:
  /// Appends an answer to the text. Called on a maker's thread, so what it uses is its own.
  using write_fn = std::function<void(std::string&)>;

  /// An answer on its way. Its destructor gives it up. Belongs to the thread that asked.
  class pending {
  public:
    pending() = default;
    pending(answer_maker& by, std::shared_ptr<order> mine) : by_(&by), order_(std::move(mine)) {}
    pending(pending&& other) noexcept : by_(other.by_), order_(std::move(other.order_)) {}
    pending& operator=(pending&&) = delete;
    ~pending();

    [[nodiscard]] bool is_made() const;
    /// True: it has not begun, and never will. False: it is being made, or is made.
    [[nodiscard]] bool give_up();
    /// The text, once it is made. Throws what its writing has thrown.
    [[nodiscard]] std::string take();

  private:
    answer_maker* by_ = nullptr;
    std::shared_ptr<order> order_;
  };

  explicit answer_maker(const answer_maker_limits& limits = {}) : limits_(limits) {}
  answer_maker(const answer_maker&) = delete;
  answer_maker& operator=(const answer_maker&) = delete;
  ~answer_maker() { close(); }

  /// Calls `write`, which adds to `text`, when it is the turn of `client`, and then notifies
  /// `reader`. errc::overloaded if too many answers wait; the message names the limit.
  [[nodiscard]] result<pending> make(const std::string& client, std::string text, write_fn write,
                                     wakeup_ptr reader);

  /// Makes one; false if none waits.
  bool turn();
  /// Starts threads that take turns until `close`.
  void start(std::size_t threads);
  /// Makes the answers that wait, and ends the threads.
  void close();

private:
  using order_ptr = std::shared_ptr<order>;

  void run();

  const answer_maker_limits limits_;
  mutable std::mutex guard_; ///< Of what follows, and of every order.
  std::condition_variable work_;
  fair_queue<order_ptr> queue_{long_answer_clients_max};
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

} // namespace troupe::net
