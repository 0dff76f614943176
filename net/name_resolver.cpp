#include "net/name_resolver.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace troupe::net {

namespace {

/// Names looked up at once. Each waits for a name server, some for seconds.
constexpr std::size_t threads_max = 4;

result<addresses> ask_system(const std::string& host) {
  asio::io_context context; // A resolver needs one; nothing runs on it.
  asio::ip::tcp::resolver resolver(context);
  error_code ec;
  const auto found = resolver.resolve(host, "", ec);
  if (ec)
    return make_error(errc::unavailable, host + " cannot be resolved (" + ec.message() + ")");
  addresses out;
  for (const auto& each : found)
    out.push_back(each.endpoint().address());
  return out;
}

} // namespace

struct name_resolver::state : std::enable_shared_from_this<state> {
  struct question {
    std::string host;
    std::function<void(result<addresses>)> done;
  };

  std::function<result<addresses>(const std::string&)> ask;
  std::mutex guard;
  std::condition_variable work;
  asio::io_context* home = nullptr; ///< Null once nobody wants answers any more.
  std::deque<question> waiting;
  std::size_t threads = 0;
  std::size_t idle = 0;

  /// A thread's life: answers questions until there is no use for it.
  void answer_questions() {
    std::unique_lock lock{guard};
    for (;;) {
      ++idle;
      work.wait(lock, [&] { return home == nullptr || !waiting.empty(); });
      --idle;
      if (home == nullptr)
        return;
      auto next = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      auto found = ask(next.host);
      lock.lock();
      if (home != nullptr)
        asio::post(*home, [done = std::move(next.done), found = std::move(found)]() mutable { done(std::move(found)); });
    }
  }
};

name_resolver::name_resolver(asio::io_context& home, std::function<result<addresses>(const std::string&)> ask)
  : state_(std::make_shared<state>()) {
  state_->ask = ask ? std::move(ask) : &ask_system;
  state_->home = &home;
}

void name_resolver::close() {
  const std::lock_guard lock{state_->guard};
  state_->home = nullptr;
  state_->waiting.clear();
  state_->work.notify_all();
}

void name_resolver::resolve(std::string host, std::function<void(result<addresses>)> done) {
  bool grow = false;
  {
    const std::lock_guard lock{state_->guard};
    state_->waiting.push_back({std::move(host), std::move(done)});
    grow = state_->idle < state_->waiting.size() && state_->threads < threads_max;
    state_->threads += grow ? 1 : 0;
  }
  // Detached, for a name server may take longer than anybody wants to wait at the end; it holds on to the state only.
  if (grow)
    std::thread([shared = state_] { shared->answer_questions(); }).detach();
  state_->work.notify_one();
}

} // namespace troupe::net
