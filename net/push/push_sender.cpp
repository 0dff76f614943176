#include "net/push/push_sender.hpp"

#include "actors/feed/store_source.hpp"
#include "client/retry_after.hpp"
#include "net/push/push_address.hpp"
#include "net/push/push_delivery.hpp"
#include "net/push/push_request.hpp"
#include "net/push/push_retry.hpp"
#include "net/push/turn_queue.hpp"
#include <troupe/net/limits.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include <pthread.h>

namespace troupe::net {

namespace {

/// Between two looks for configurations that were stopped long ago.
constexpr std::chrono::minutes sweep_interval{10};

/// Posts functions of other threads to the loop until the sender goes.
class closable_queue {
public:
  explicit closable_queue(asio::io_context& to) : to_(&to) {}
  void post(std::function<void()> function) {
    const std::lock_guard lock{guard_};
    if (to_ != nullptr)
      asio::post(*to_, std::move(function));
  }
  void close() {
    const std::lock_guard lock{guard_};
    to_ = nullptr;
  }

private:
  std::mutex guard_;
  asio::io_context* to_;
};

/// Resumes a turn that waits.
using turn_handler = asio::async_result<asio::use_awaitable_t<io_executor>, void()>::handler_type;

/// A configuration being served.
struct active {
  std::optional<push_delivery> delivery; ///< Null once it is gone.
  http_url url;
  std::string line;                    ///< The host: whose turns it shares.
  std::shared_ptr<http_stream> stream; ///< While it has a turn.
  std::optional<timer> again;          ///< While it waits to try again.
  std::optional<turn_handler> reading; ///< While its turn waits for the store.
  std::optional<bool> answered; ///< Whether the host did, and soon (is_prompt), when it was last
                                ///< asked in this turn.
  bool queued = false;
  bool running = false;
  bool sleeping = false;
  bool gone = false;
};

using active_ptr = std::shared_ptr<active>;

/// A host that hangs or is slow, or has not answered yet, takes a quarter of what one may take, and
/// all of these together half of everything: the others have their turns.
turn_bounds bounds_of(const push_options& options) {
  const auto some = [](std::size_t count) { return std::max<std::size_t>(count, 1); };
  const auto all = some(options.parallel_max);
  const auto of_line = some(options.parallel_per_host_max);
  return {all, of_line, some(all / 2), some(of_line / 4)};
}

std::string key_of(const task_id& task, const std::string& id) {
  return task.str() + '/' + id;
}

} // namespace

struct push_sender::impl {
  impl(store& in, push_options how, feed_budget_ptr share, push_seams own_seams,
       push_requests writer)
      : records(in), options(std::move(how)), feeds(std::move(share)), seams(std::move(own_seams)),
        requests(std::move(writer)) {}

  [[nodiscard]] result<void> open();
  void start();
  bool turn();
  void stop();

  // -- on the thread that takes the turns ---------------------------------------------------------

  void begin(push_row row, push_watch watched);
  [[nodiscard]] std::shared_ptr<feed> make_feed() const {
    return std::make_shared<feed>(
        live_queue::bounds{options.queue_changes_max, push_queue_bytes_max, false}, feeds);
  }
  void drop(const std::string& key);
  /// Not if a later configuration stands in its place.
  void drop(const std::string& key, std::uint64_t serial);
  void let_go(const active_ptr& who);
  void want_turn(const active_ptr& who);
  void give_turns();
  awaitable<void> take_turn(active_ptr who);
  /// Posts what there is to post; true if more is left for another turn.
  awaitable<bool> post_items(const active_ptr& who);
  /// Until there is news. In a turn: what is read may be long, and is not kept between turns.
  static awaitable<void> news_of(active& who);
  /// There is news, or it is gone.
  void wake(const active_ptr& who);
  void on_fault(const active_ptr& who, const std::exception& fault);
  void end_turn(const active_ptr& who, bool more);
  awaitable<push_attempt> attempt(active& who);
  /// What follows; false if the turn is over.
  bool settle(const active_ptr& who, const push_attempt& attempt);
  void sleep(const active_ptr& who, std::chrono::milliseconds wait);
  void note(active& who);
  void finish(const active_ptr& who);
  void stop(const active_ptr& who, const std::string& reason);
  void sweep();
  void end_all();
  [[nodiscard]] double chance() {
    return seams.chance ? seams.chance()
                        : static_cast<double>(thread_id_source().next_random() >> 11) * 0x1p-53;
  }

  store& records;
  const push_options options;
  const feed_budget_ptr feeds;
  const push_seams seams;
  const push_requests requests;
  asio::io_context context{1};
  std::shared_ptr<closable_queue> loop_queue = std::make_shared<closable_queue>(context);
  std::optional<asio::executor_work_guard<io_executor>> work;
  const timers_ptr clock = std::make_shared<timers>(context, *seams.time);
  timer sweeper{clock};
  std::unique_ptr<http_client> client;
  std::unordered_map<std::string, active_ptr> actives;
  turn_queue<active_ptr> turns{bounds_of(options)};
  bool stopping = false;
  bool is_giving = false; ///< Turns.
  std::thread thread;
};

// -- life -----------------------------------------------------------------------------------------

result<void> push_sender::impl::open() {
  http_client_options how;
  auto proxies = proxy_rules::read(
      options.proxy, [](const char* name) -> const char* { return std::getenv(name); });
  if (!proxies)
    return make_error(proxies.error().code, "push.proxy: " + proxies.error().message);
  how.proxies = std::move(*proxies);
  if (!how.proxies.empty() && options.warn)
    options.warn("push: notifications go over a proxy (push.proxy), so that the addresses of their "
                 "receivers cannot be checked");
  how.timeout = options.timeout;
  how.trusted_pem = seams.trusted_pem;
  how.resolve = seams.resolve;
  how.connect = seams.connect;
  how.admit = [rules = options.address](const http_url& url, const asio::ip::address& address) {
    return check_push_address(url, address, rules);
  };
  auto made = http_client::make(context, clock, std::move(how));
  if (!made)
    return made.error();
  client = std::move(*made);
  asio::post(context, [this] { sweep(); });
  return {};
}

void push_sender::impl::start() {
  work.emplace(context.get_executor());
  client->start();
  clock->use_alarm(); // It takes file descriptors; as in loop::start.
  thread = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "push");
    context.run();
  });
}

bool push_sender::impl::turn() {
  const auto due = clock->next_due();
  bool did = due && *due <= clock->now();
  clock->turn();
  did = client->turn() || did;
  context.restart(); // It stops when it has nothing to do.
  return context.poll() > 0 || did;
}

void push_sender::impl::stop() {
  loop_queue->close();
  if (!client)
    return;
  asio::post(context, [this] { end_all(); });
  if (thread.joinable()) {
    thread.join();
  } else {
    context.restart();
    context.poll();
  }
  clock->close();
}

void push_sender::impl::end_all() {
  stopping = true;
  for (auto& [key, who] : actives)
    let_go(who);
  actives.clear();
  sweeper.cancel();
  client->close();
  work.reset();
}

void push_sender::impl::sweep() {
  const auto limit = seams.time->now() - options.keep_stopped;
  for (const auto& row : records.pushes().all())
    if (!row.progress.stopped.empty() && row.progress.stopped_at <= limit)
      records.pushes().erase(row.config.task, row.config.id, row.serial, nullptr);
  sweeper.start_after(sweep_interval, [this] { sweep(); });
}

// -- configurations come and go -------------------------------------------------------------------

void push_sender::impl::begin(push_row row, push_watch watched) {
  const auto key = key_of(row.config.task, row.config.id);
  if (const auto before = actives.find(key); before != actives.end()) {
    if (before->second->delivery && before->second->delivery->row().serial >= row.serial)
      return;
    drop(key);
  }
  if (stopping || !row.progress.stopped.empty())
    return;
  const auto who = std::make_shared<active>();
  auto url = parse_http_url(row.config.url);
  const auto allowed = url ? check_push_url(*url, options.address) : result<void>{url.error()};
  if (!watched.news) {
    watched.news = make_feed();
    watched.news->follow(make_task_source(records, row.config.task));
    watched.news->pause(); // It is opened when it is its turn: many tasks may be long.
  }
  watched.news->connect([this, queue = loop_queue, weak = std::weak_ptr(who)] {
    queue->post([this, weak] {
      if (const auto still = weak.lock())
        wake(still);
    });
  });
  who->delivery.emplace(std::move(row), std::move(watched.news), feeds, records.has_history());
  if (url)
    who->url = std::move(*url);
  if (!allowed) // The rules have changed since it was made.
    return stop(who, allowed.error().message);
  who->line = who->url.host; // All ports of a host are of one owner.
  actives.emplace(key, who);
  want_turn(who);
}

void push_sender::impl::drop(const std::string& key, std::uint64_t serial) {
  const auto found = actives.find(key);
  const bool is_replaced = found != actives.end() && found->second->delivery
                           && found->second->delivery->row().serial > serial;
  if (!is_replaced)
    drop(key);
}

void push_sender::impl::drop(const std::string& key) {
  const auto found = actives.find(key);
  if (found == actives.end())
    return;
  const auto who = std::move(found->second);
  actives.erase(found);
  let_go(who);
}

/// Nothing is sent for it any more, from wherever it stands; its turn ends by itself.
void push_sender::impl::let_go(const active_ptr& who) {
  who->gone = true;
  who->again.reset();
  if (who->running) {
    if (who->stream)
      who->stream->close();
    return wake(who);
  }
  turns.leave(who->line, who);
  who->delivery.reset();
}

// -- turns ----------------------------------------------------------------------------------------

void push_sender::impl::want_turn(const active_ptr& who) {
  if (who->gone || who->queued || who->running || who->sleeping)
    return;
  who->queued = true;
  turns.wait(who->line, who);
  give_turns();
  if (who->queued && !who->gone)
    who->delivery->rest();
}

void push_sender::impl::wake(const active_ptr& who) {
  if (auto turn = std::exchange(who->reading, std::nullopt))
    asio::post(context, std::move(*turn));
  else
    want_turn(who);
}

/// A turn begins within `co_spawn`, and may end there: then it gives the next one. Without
/// `is_giving` many that have nothing to send, or cannot read it, would use up the stack.
void push_sender::impl::give_turns() {
  if (is_giving)
    return; // The outer one goes on.
  is_giving = true;
  const std::unique_ptr<bool, void (*)(bool*)> until_return(&is_giving,
                                                            [](bool* flag) { *flag = false; });
  while (auto next = turns.next()) {
    const auto who = std::move(*next);
    who->queued = false;
    who->running = true;
    asio::co_spawn(context, take_turn(who), asio::detached);
  }
}

/// The turn ends here and not in a handler of `co_spawn`, which may run only after others: a
/// wake-up among these would be lost.
awaitable<void> push_sender::impl::take_turn(active_ptr who) {
  bool more = false;
  try {
    more = co_await post_items(who);
  } catch (const std::exception& fault) {
    on_fault(who, fault);
  }
  end_turn(who, more);
}

awaitable<bool> push_sender::impl::post_items(const active_ptr& who) {
  who->stream = client->lend(who->url);
  const auto began = clock->now();
  std::size_t attempts = 0;
  while (!who->gone) {
    const auto state = who->delivery->fill();
    if (!state) {
      const push_attempt untried{.status = 0, .failure = state.error(), .retry_after = {}};
      if (is_ours(state.error()))
        sleep(who, judge(untried, who->delivery->progress().failures, chance(), options).wait);
      else
        stop(who, state.error().message);
      break;
    }
    if (*state == push_delivery::readiness::ended) {
      finish(who);
      break;
    }
    if (*state == push_delivery::readiness::waiting && !who->delivery->is_reading())
      break;
    if (*state == push_delivery::readiness::waiting) {
      co_await news_of(*who);
      continue;
    }
    if (is_turn_over(attempts, clock->now() - began, options))
      co_return true;
    ++attempts;
    const auto value = co_await attempt(*who);
    if (who->gone)
      break;
    const bool goes_on = settle(who, value);
    if (!goes_on)
      break;
  }
  co_return false;
}

awaitable<void> push_sender::impl::news_of(active& who) {
  return asio::async_initiate<const asio::use_awaitable_t<io_executor>&, void()>(
      [&who](turn_handler turn) { who.reading.emplace(std::move(turn)); }, use_awaitable);
}

/// Its turn threw an exception: no other delivery suffers for it.
void push_sender::impl::on_fault(const active_ptr& who, const std::exception& fault) {
  if (!who->gone)
    stop(who, std::string("this server failed (") + fault.what() + ")");
}

void push_sender::impl::end_turn(const active_ptr& who, bool more) {
  who->running = false;
  who->stream = nullptr;
  turns.end(who->line, std::exchange(who->answered, std::nullopt));
  if (who->gone)
    let_go(who);
  if (more)
    want_turn(who);
  if (!stopping)
    give_turns();
}

awaitable<push_attempt> push_sender::impl::attempt(active& who) {
  push_attempt out;
  auto body = who.delivery->write_front();
  if (!body) {
    out.failure = body.error();
    co_return out;
  }
  auto request = requests.write(who.delivery->row(), who.delivery->front(), std::move(body->text),
                                who.url, seams.time->now());
  if (!request) {
    out.failure = request.error();
    co_return out;
  }
  const auto stream = who.stream;
  const auto began = clock->now();
  const auto answer = co_await stream->exchange(std::move(*request));
  if (answer || !is_ours(answer.error()))
    who.answered = answer.has_value() && is_prompt(clock->now() - began, options);
  if (!answer) {
    out.failure = answer.error();
    co_return out;
  }
  out.status = answer->status;
  if (const auto asked = answer->header("Retry-After"); !asked.empty())
    out.retry_after = read_retry_after(asked, seams.time->now());
  co_return out;
}

bool push_sender::impl::settle(const active_ptr& who, const push_attempt& attempt) {
  auto& progress = who->delivery->progress();
  const auto verdict = judge(attempt, progress.failures, chance(), options);
  if (options.debug) {
    const auto& config = who->delivery->row().config;
    options.debug(
        "notification about task " + config.task.str() + " (configuration " + config.id + ") to "
        + who->url.host + ": "
        + (attempt.status == 0 ? attempt.failure.message : std::to_string(attempt.status)));
  }
  if (verdict.step == push_step::delivered)
    progress.failures = 0;
  else if (verdict.step != push_step::postpone)
    ++progress.failures;
  switch (verdict.step) {
    case push_step::delivered:
    case push_step::skip: {
      const bool last = who->delivery->front().last;
      who->delivery->pop();
      if (last) {
        finish(who);
        return false;
      }
      note(*who);
      return true;
    }
    case push_step::retry: note(*who); [[fallthrough]];
    case push_step::postpone: sleep(who, verdict.wait); return false;
    case push_step::stop: stop(who, verdict.reason); return false;
  }
  return false;
}

void push_sender::impl::sleep(const active_ptr& who, std::chrono::milliseconds wait) {
  who->sleeping = true;
  who->delivery->rest();
  auto wake_up = [this, weak = std::weak_ptr(who)] {
    const auto still = weak.lock();
    if (!still)
      return;
    still->sleeping = false;
    want_turn(still);
  };
  if (seams.delay) {
    seams.delay(wait, [queue = loop_queue, wake_up] { queue->post(wake_up); });
    return;
  }
  who->again.emplace(clock);
  who->again->start_after(wait, std::move(wake_up));
}

// -- what is kept ---------------------------------------------------------------------------------

void push_sender::impl::note(active& who) {
  const auto& row = who.delivery->row();
  records.pushes().note(row.config.task, row.config.id, row.serial, row.progress);
}

/// The task's end was told, or given up: the configuration's life is over (docs/push.md).
void push_sender::impl::finish(const active_ptr& who) {
  const auto& row = who->delivery->row();
  records.pushes().erase(row.config.task, row.config.id, row.serial, nullptr);
  drop(key_of(row.config.task, row.config.id));
}

void push_sender::impl::stop(const active_ptr& who, const std::string& reason) {
  auto& progress = who->delivery->progress();
  progress.stopped = reason;
  progress.stopped_at = seams.time->now();
  note(*who);
  const auto& config = who->delivery->row().config;
  const auto line = "notifications about task " + config.task.str() + " to " + who->url.host
                    + " are stopped: " + reason;
  drop(key_of(config.task, config.id));
  if (options.warn)
    options.warn(line);
}

// -- the sender -----------------------------------------------------------------------------------

push_sender::push_sender(std::unique_ptr<impl> inside) : impl_(std::move(inside)) {}

push_sender::~push_sender() {
  impl_->stop();
}

result<std::unique_ptr<push_sender>> push_sender::make(store& records, push_options options,
                                                       feed_budget_ptr feeds, push_seams seams) {
  auto requests = push_requests::make(options);
  if (!requests)
    return requests.error();
  auto inside = std::make_unique<impl>(records, std::move(options), std::move(feeds),
                                       std::move(seams), std::move(*requests));
  if (const auto opened = inside->open(); !opened)
    return opened.error();
  return std::unique_ptr<push_sender>(new push_sender(std::move(inside)));
}

void push_sender::start() {
  impl_->start();
}

bool push_sender::turn() {
  return impl_->turn();
}

std::optional<time_source::steady_point> push_sender::next_due() const {
  return impl_->clock->next_due();
}

std::shared_ptr<feed> push_sender::make_feed() const {
  return impl_->make_feed();
}

void push_sender::begin(push_row row, push_watch watched) {
  impl_->loop_queue->post([this, row = std::move(row), watched = std::move(watched)]() mutable {
    impl_->begin(std::move(row), std::move(watched));
  });
}

void push_sender::drop(const task_id& task, const std::string& id, std::uint64_t serial) {
  impl_->loop_queue->post([this, key = key_of(task, id), serial] { impl_->drop(key, serial); });
}

} // namespace troupe::net
