#include "client/a2a/call_loop.hpp"

#include "client/a2a/a2a_client.hpp"
#include "client/address_class.hpp"
#include "protocol/refusable_work.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

namespace troupe::a2a {

namespace json = boost::json;
using net::awaitable;

namespace {

/// Of a loop without a thread.
constexpr std::size_t handlers_per_turn = 1'000;

/// What a handle keeps: the handler, until it was called.
template<class T>
struct pending_call {
  std::function<void(result<T>)> done;

  void finish(result<T> value) {
    if (const auto now = std::exchange(done, {}))
      now(std::move(value));
  }
};

struct open_stream final : heard_stream {
  std::shared_ptr<event_stream> events;
  stream_listener to;
  std::function<void()> read_later; ///< Begins read_on.
  std::function<void()> forget;     ///< Its line has nothing to close any more.
  bool is_paused = false;
  bool is_read = true; ///< read_on runs, or will.

  ~open_stream() override {
    events->close();
    forget();
  }
  void pause() override { is_paused = true; }
  void resume() override {
    is_paused = false;
    if (!std::exchange(is_read, true))
      read_later();
  }
};

result<net::addresses> read_addresses(const result<std::vector<std::string>>& texts) {
  if (!texts)
    return texts.error();
  net::addresses out;
  for (const auto& each : *texts)
    out.push_back(net::asio::ip::make_address(each));
  return out;
}

awaitable<result<known_agent>> meet(a2a_client* client) {
  const auto renewed = co_await client->renew_card();
  if (!renewed)
    co_return renewed.error();
  auto to = co_await client->where();
  if (!to)
    co_return to.error();
  co_return known_agent{client->known_card(), std::move(*to)};
}

awaitable<void> read_on(std::shared_ptr<event_stream> from, std::weak_ptr<open_stream> to) {
  for (;;) {
    auto event = co_await from->next();
    const auto heard_by = to.lock();
    if (!heard_by)
      co_return;
    if (!event) {
      const auto pause = from->retry();
      heard_by->to.on_end(pause ? with_pause(event.error(), *pause) : event.error());
      co_return;
    }
    if (!*event) {
      heard_by->to.on_end(make_error(errc::unavailable, "the stream ended"));
      co_return;
    }
    auto read = refusable("an event", [&] { return wire::read_answer(**event, from->format()); });
    if (!read) {
      heard_by->to.on_end(read.error());
      co_return;
    }
    heard_by->to.on_event(std::move(*read), from->event_bytes());
    if (heard_by->is_paused) {
      heard_by->is_read = false;
      co_return;
    }
  }
}

} // namespace

struct call_loop::parts {
  parts(const time_source& time, call_seams seams)
      : clock(std::make_shared<net::timers>(context, time)),
        total(net::make_connection_total(clock)), network(std::move(seams)) {}

  net::asio::io_context context{1};
  net::timers_ptr clock;
  net::connection_total total; ///< Of all lines.
  const call_seams network;
  std::vector<std::weak_ptr<line>> lines;
  std::optional<net::asio::executor_work_guard<net::io_executor>> work;
  std::thread thread;
  bool has_thread = false;
};

class call_loop::line final : public agent_line, public std::enable_shared_from_this<line> {
public:
  line(parts& home, std::unique_ptr<a2a_client> client)
      : home_(&home), client_(std::move(client)) {}

  call_handle look_up(handler<known_agent> done) override {
    return spawn<known_agent>([client = client_.get()] { return meet(client); }, std::move(done));
  }

  call_handle ask(operation which, params_writer params, headers more,
                  handler<json::value> done) override {
    return spawn<json::value>(
        [client = client_.get(), which, params = std::move(params),
         more = std::move(more)]() mutable {
          return client->ask_with(which, std::move(params), std::move(more));
        },
        std::move(done));
  }

  stream_handle listen(operation which, params_writer params, headers more,
                       stream_listener to) override {
    if (home_ == nullptr)
      return nullptr;
    auto out = std::make_shared<open_stream>();
    out->events = client_->stream(which, std::move(params), {}, std::move(more));
    out->to = std::move(to);
    streams_.insert(out->events);
    out->forget = [self = weak_from_this(), events = out->events] {
      if (const auto me = self.lock())
        me->streams_.erase(events);
    };
    out->read_later = [self = weak_from_this(), from = out->events,
                       heard = std::weak_ptr<open_stream>(out)] {
      if (const auto me = self.lock())
        me->read_later(from, heard);
    };
    out->read_later();
    return out;
  }

  [[nodiscard]] wire::wire_format format() const override {
    return client_ ? client_->format() : wire::wire_format{};
  }

  [[nodiscard]] bool turn() { return client_ && client_->turn(); }

  /// Ends the streams, so that what waits for them can end.
  void close() {
    for (const auto& each : std::exchange(streams_, {})) // what is told may drop others
      if (const auto open = each.lock())
        open->close();
    client_->close();
  }
  /// The loop is no more.
  void leave() {
    home_ = nullptr;
    client_.reset();
  }

private:
  /// In a later turn: a coroutine may end at once, and a caller needs its handle first.
  template<class Begin>
  void begin_later(Begin begin) {
    net::asio::post(home_->context,
                    [self = shared_from_this(), begin = std::move(begin)]() mutable {
                      if (self->home_ != nullptr)
                        begin(self->home_->context);
                    });
  }

  void read_later(const std::shared_ptr<event_stream>& from,
                  const std::weak_ptr<open_stream>& heard) {
    if (home_ == nullptr)
      return;
    begin_later([self = shared_from_this(), from, heard](net::asio::io_context& context) {
      net::asio::co_spawn(
          context, [self, from, heard] { return read_on(from, heard); }, // `self` has the client
          net::asio::detached);
    });
  }

  template<class T, class Make>
  call_handle spawn(Make make, handler<T> done) {
    if (home_ == nullptr)
      return nullptr;
    const auto out = std::make_shared<pending_call<T>>();
    out->done = std::move(done);
    begin_later([self = shared_from_this(), make = std::move(make),
                 to = std::weak_ptr<pending_call<T>>(out)](net::asio::io_context& context) mutable {
      net::asio::co_spawn(
          context, std::move(make), [self, to](std::exception_ptr failed, result<T> value) {
            if (const auto heard_by = to.lock())
              heard_by->finish(failed ? result<T>{failed_inside()} : std::move(value));
          });
    });
    return out;
  }

  parts* home_; ///< Null once the loop is no more.
  std::unique_ptr<a2a_client> client_;
  /// Those that are heard: there may be thousands, so that none is looked for among the others.
  std::set<std::weak_ptr<event_stream>, std::owner_less<>> streams_;
};

call_loop::call_loop(const time_source& time, call_seams network)
    : parts_(std::make_unique<parts>(time, std::move(network))) {}

call_loop::~call_loop() {
  parts_->context.stop();
  if (parts_->thread.joinable())
    parts_->thread.join();
  std::vector<std::shared_ptr<line>> lines;
  for (const auto& each : parts_->lines)
    if (auto one = each.lock())
      lines.push_back(std::move(one));
  for (const auto& each : lines)
    each->close();
  parts_->work.reset();
  parts_->context.restart();
  parts_->context.poll(); // what was closed ends
  parts_->clock->close();
  for (const auto& each : lines)
    each->leave();
}

void call_loop::start() {
  parts_->has_thread = true;
  parts_->clock->use_alarm();
  parts_->work.emplace(parts_->context.get_executor());
  parts_->thread = std::thread([inside = parts_.get()] {
    ::pthread_setname_np(::pthread_self(), "a2a-calls");
    inside->context.run();
  });
}

bool call_loop::turn() {
  std::size_t handled = 0; // A peer that never stops sending always has another handler ready.
  while (handled < handlers_per_turn && parts_->context.poll_one() > 0)
    ++handled;
  parts_->context.restart();
  bool did = handled > 0;
  const auto due = parts_->clock->next_due();
  did = did || (due && *due <= parts_->clock->now());
  parts_->clock->turn();
  for (std::size_t i = 0; i < parts_->lines.size(); ++i)
    if (const auto one = parts_->lines[i].lock())
      did = one->turn() || did;
  return did;
}

std::optional<time_source::steady_point> call_loop::next_due() const {
  return parts_->clock->next_due();
}

void call_loop::post(std::function<void()> task) {
  net::asio::post(parts_->context, std::move(task));
}

result<std::shared_ptr<agent_line>> call_loop::open(line_options options) {
  client_options how;
  how.to = std::move(options.to);
  how.timeout = options.timeout;
  how.silence = options.silence;
  how.bytes_max = options.bytes_max;
  how.extensions = std::move(options.extensions);
  how.total = parts_->total;
  how.memory = options.memory;
  if (options.public_only)
    how.admit = net::admit_public_only;
  how.connect = parts_->network.connect;
  if (parts_->network.resolve)
    how.resolve = [ask = parts_->network.resolve](const std::string& host) {
      return read_addresses(ask(host));
    };
  auto client = a2a_client::make(parts_->context, parts_->clock, std::move(how));
  if (!client)
    return client.error();
  if (parts_->has_thread)
    (*client)->start();
  auto out = std::make_shared<line>(*parts_, std::move(*client));
  std::erase_if(parts_->lines, [](const auto& each) { return each.expired(); });
  parts_->lines.push_back(out);
  return std::shared_ptr<agent_line>(std::move(out));
}

call_handle call_loop::after(std::chrono::nanoseconds wait, std::function<void()> then) {
  const auto out = std::make_shared<net::timer>(parts_->clock);
  out->start_after(wait, std::move(then));
  return out;
}

time_source::steady_point call_loop::now() const {
  return parts_->clock->now();
}

} // namespace troupe::a2a
