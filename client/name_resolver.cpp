#include "client/name_resolver.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace troupe::net {

namespace {

/// Names looked up at once of which nothing is known. Each waits for a name server, some for
/// seconds.
constexpr std::size_t unknown_max = 4;
/// The others may be looked up beside them.
constexpr std::size_t threads_max = unknown_max + 2;
/// A look-up that took no longer was prompt.
constexpr std::chrono::seconds prompt_max{1};
/// Hosts that are remembered as prompt. Above, all are forgotten, and learned again.
constexpr std::size_t prompt_hosts_max = 4096;

result<addresses> ask_system(const std::string& host) {
  try {
    asio::io_context context; // A resolver needs one; nothing runs on it.
    asio::ip::tcp::resolver resolver(context);
    addresses out;
    for (const auto& each : resolver.resolve(host, ""))
      out.push_back(each.endpoint().address());
    return out;
  } catch (const boost::system::system_error& why) { // The context takes file descriptors.
    return make_error(errc::unavailable,
                      host + " cannot be resolved (" + why.code().message() + ")");
  }
}

/// Detached, for a name server may take longer than the end of the client may wait; it holds on
/// to the state only.
void start_detached(std::function<void()> life) {
  std::thread(std::move(life)).detach();
}

} // namespace

struct name_resolver::state : std::enable_shared_from_this<state> {
  struct asker {
    time_point until;
    std::function<void(result<addresses>)> done;
  };
  struct look_up {
    bool has_begun = false;
    bool is_prompt = false; ///< Its host was, when it came into line.
    std::vector<asker> askers;

    /// Lets go of who has given up meanwhile.
    void forget_late(time_point now) {
      std::erase_if(askers, [now](const asker& each) { return each.until <= now; });
    }
  };

  state(asio::io_context& to, const time_source& by,
        std::function<result<addresses>(const std::string&)> how, thread_starter starter)
      : ask(how ? std::move(how) : &ask_system),
        start_thread(starter ? std::move(starter) : &start_detached), time(by), home(&to) {}

  const std::function<result<addresses>(const std::string&)> ask;
  const thread_starter start_thread;
  const time_source& time;
  std::mutex guard;
  std::condition_variable work;
  asio::io_context* home;                            ///< Null once no answer is wanted any more.
  std::unordered_map<std::string, look_up> look_ups; ///< By host.
  // The hosts of those that have not begun.
  std::deque<std::string> waiting;
  std::deque<std::string> waiting_prompt;
  std::unordered_set<std::string> prompt_hosts;
  std::size_t unknown_begun = 0; ///< Look-ups under way of hosts that were not known as prompt.
  bool has_threads = false;      ///< `start` was called.
  std::size_t threads = 0;
  std::size_t idle = 0;

  /// A thread's life: takes turns until there is no use for it.
  void take_turns() {
    std::unique_lock lock{guard};
    for (;;) {
      ++idle;
      work.wait(lock, [&] { return home == nullptr || can_begin(); });
      --idle;
      if (home == nullptr)
        return;
      turn(lock);
    }
  }

  /// For one that was counted. If there can be none, a thread that is there takes the turns, or the
  /// next look-up tries again.
  void add_thread() {
    try {
      start_thread([shared = shared_from_this()] { shared->take_turns(); });
    } catch (const std::system_error&) {
      const std::lock_guard lock{guard};
      --threads;
    }
  }

  [[nodiscard]] bool can_begin() const {
    return !waiting_prompt.empty() || (!waiting.empty() && unknown_begun < unknown_max);
  }

  /// Of a host that can begin.
  void turn(std::unique_lock<std::mutex>& lock) {
    auto& from = waiting_prompt.empty() ? waiting : waiting_prompt;
    const auto host = std::move(from.front());
    from.pop_front();
    auto& next = look_ups.at(host);
    const auto began = time.steady();
    next.forget_late(began);
    if (next.askers.empty()) {
      look_ups.erase(host);
      return;
    }
    next.has_begun = true;
    const std::size_t unknown = next.is_prompt ? 0 : 1;
    unknown_begun += unknown;
    lock.unlock();
    auto found = ask(host);
    lock.lock();
    unknown_begun -= unknown;
    if (home == nullptr)
      return;
    remember(host, time.steady() - began <= prompt_max);
    auto answered = look_ups.extract(host);
    for (auto& each : answered.mapped().askers)
      asio::post(*home, [done = std::move(each.done), found]() mutable { done(std::move(found)); });
  }

  void remember(const std::string& host, bool is_prompt) {
    if (!is_prompt) {
      prompt_hosts.erase(host);
      return;
    }
    if (prompt_hosts.size() >= prompt_hosts_max)
      prompt_hosts.clear();
    prompt_hosts.insert(host);
  }
};

name_resolver::name_resolver(asio::io_context& home, const time_source& time,
                             std::function<result<addresses>(const std::string&)> ask,
                             thread_starter start_thread)
    : state_(std::make_shared<state>(home, time, std::move(ask), std::move(start_thread))) {}

void name_resolver::start() {
  const std::lock_guard lock{state_->guard};
  state_->has_threads = true;
}

bool name_resolver::turn() {
  std::unique_lock lock{state_->guard};
  if (!state_->can_begin())
    return false;
  state_->turn(lock);
  return true;
}

void name_resolver::close() {
  const std::lock_guard lock{state_->guard};
  state_->home = nullptr;
  state_->waiting.clear();
  state_->waiting_prompt.clear();
  state_->look_ups.clear();
  state_->work.notify_all();
}

void name_resolver::resolve(std::string host, time_point until,
                            std::function<void(result<addresses>)> done) {
  bool grow = false;
  {
    const std::lock_guard lock{state_->guard};
    const auto [which, is_new] = state_->look_ups.try_emplace(host);
    which->second.forget_late(state_->time.steady());
    which->second.askers.push_back({until, std::move(done)});
    if (!is_new)
      return;
    which->second.is_prompt = state_->prompt_hosts.contains(host);
    auto& line = which->second.is_prompt ? state_->waiting_prompt : state_->waiting;
    line.push_back(std::move(host));
    grow = state_->has_threads
           && state_->idle < state_->waiting.size() + state_->waiting_prompt.size()
           && state_->threads < threads_max;
    state_->threads += grow ? 1 : 0;
  }
  if (grow)
    state_->add_thread();
  state_->work.notify_one();
}

bool name_resolver::is_asking(const std::string& host) const {
  const std::lock_guard lock{state_->guard};
  const auto found = state_->look_ups.find(host);
  return found != state_->look_ups.end() && found->second.has_begun;
}

} // namespace troupe::net
