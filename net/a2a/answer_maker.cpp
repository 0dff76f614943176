#include "net/a2a/answer_maker.hpp"

#include "protocol/refusable_work.hpp"

#include <utility>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace troupe::net {

namespace {

constexpr int answer_niceness = 10;

} // namespace

struct answer_maker::order {
  std::string text;
  write_fn write; ///< Null: it was given up, or is being made, or is made.
  wakeup_ptr reader;
  bool is_made = false;
  std::exception_ptr fault; ///< Thrown by `write`.
};

// -- the asker's side -----------------------------------------------------------------------------

answer_maker::pending::~pending() {
  if (!order_)
    return;
  write_fn unused; // Destroyed without the lock: what it holds is not ours.
  const std::lock_guard lock{by_->guard_};
  order_->reader = nullptr;
  unused.swap(order_->write);
}

bool answer_maker::pending::give_up() {
  write_fn unused; // As above.
  const std::lock_guard lock{by_->guard_};
  if (!order_->write)
    return false;
  unused.swap(order_->write);
  return true;
}

bool answer_maker::pending::is_made() const {
  const std::lock_guard lock{by_->guard_};
  return order_->is_made;
}

std::string answer_maker::pending::take() {
  if (order_->fault)
    std::rethrow_exception(order_->fault);
  return std::move(order_->text);
}

result<answer_maker::pending> answer_maker::make(const std::string& client, std::string text,
                                                 write_fn write, wakeup_ptr reader) {
  const auto busy = [](const char* limit, std::size_t bound, const char* unit) {
    return make_error(
        errc::overloaded,
        "too many long requests are being read and long answers written already (limit "
            + std::string{limit} + ", " + std::to_string(bound) + ' ' + unit + "); try again later",
        limit);
  };
  auto mine = std::make_shared<order>();
  mine->text = std::move(text);
  mine->write = std::move(write);
  mine->reader = std::move(reader);
  const std::lock_guard lock{guard_};
  if (queue_.size() >= limits_.answers_max)
    return busy("long_answers_max", limits_.answers_max, "answers");
  if (queue_.waiting_of(client) >= limits_.answers_per_client_max)
    return busy("long_answers_per_client_max", limits_.answers_per_client_max,
                "answers of one client");
  queue_.push(client, mine);
  work_.notify_one();
  return pending{*this, std::move(mine)};
}

// -- the makers -----------------------------------------------------------------------------------

bool answer_maker::turn() {
  order_ptr mine;
  std::string client;
  write_fn write;
  {
    const std::lock_guard lock{guard_};
    auto next = queue_.next();
    if (!next)
      return false;
    mine = std::move(next->item);
    client = std::move(next->client);
    write.swap(mine->write);
  }
  if (!write)
    return true; // It was given up.
  std::exception_ptr fault;
  try {
    const refusable_work here;
    write(mine->text);
    if (mine->text.capacity() - mine->text.size() > kept_bytes_max)
      mine->text.shrink_to_fit(); // It may wait long for its reader.
  } catch (...) {
    fault = std::current_exception();
  }
  write = nullptr; // It may hold the last pointer to a large record.
  wakeup_ptr reader;
  {
    const std::lock_guard lock{guard_};
    queue_.charge(client, mine->text.size() / long_answer_turn_bytes);
    mine->fault = fault;
    mine->is_made = true;
    reader.swap(mine->reader);
  }
  if (reader)
    reader->notify();
  return true;
}

void answer_maker::run() {
  ::pthread_setname_np(::pthread_self(), "answer-maker");
  // On a machine of few cores a long answer must not take the processor from the loops, which give
  // short ones. A refusal of the system changes nothing else. Linux: of this thread alone.
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), answer_niceness));
  for (;;) {
    while (turn()) {
    }
    std::unique_lock lock{guard_};
    work_.wait(lock, [&] { return closing_ || queue_.size() > 0; });
    if (queue_.size() == 0)
      return;
  }
}

void answer_maker::start(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this] { run(); });
}

void answer_maker::close() {
  {
    const std::lock_guard lock{guard_};
    closing_ = true;
  }
  work_.notify_all();
  for (auto& each : threads_)
    each.join();
  threads_.clear();
}

} // namespace troupe::net
