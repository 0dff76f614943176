#include "client/a2a/remote.hpp"

#include "client/a2a/a2a_client.hpp"
#include "protocol/a2a/codec_agent_card.hpp"
#include <troupe/protocol/time_source.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <future>
#include <thread>
#include <utility>

namespace troupe::a2a {

namespace json = boost::json;
using net::awaitable;

struct remote::loop {
  net::asio::io_context context{1};
  net::timers_ptr clock = std::make_shared<net::timers>(context, system_time());
  std::unique_ptr<a2a_client> client;
  std::optional<net::asio::executor_work_guard<net::io_executor>> work;
  std::thread thread;

  ~loop() {
    context.stop();
    if (thread.joinable())
      thread.join();
    client = nullptr;
    clock->close();
  }

  void start() {
    clock->use_alarm();
    client->start();
    work.emplace(context.get_executor());
    thread = std::thread([this] { context.run(); });
  }

  /// Runs `make()`, which makes a coroutine, on the loop, and waits for what it gives.
  template<class Make>
  auto wait_for(Make make) {
    using value = typename decltype(make())::value_type;
    auto done = std::make_shared<std::promise<value>>();
    auto future = done->get_future();
    net::asio::co_spawn(context, std::move(make), [done](std::exception_ptr failed, value out) {
      done->set_value(failed ? value{failed_inside()} : std::move(out));
    });
    return future.get();
  }
  /// The same for a call.
  template<class Call>
  void do_now(Call call) {
    std::promise<void> done;
    net::asio::post(context, [&] {
      call();
      done.set_value();
    });
    done.get_future().get();
  }
};

namespace {

json::object with_id(const std::string& id) {
  json::object out;
  out["id"] = id;
  return out;
}

} // namespace

remote::remote(std::unique_ptr<loop> own) : loop_(std::move(own)) {}

remote::~remote() = default;

result<std::unique_ptr<remote>> remote::open(target to) {
  auto own = std::make_unique<loop>();
  client_options options;
  options.to = std::move(to);
  auto client = a2a_client::make(own->context, own->clock, std::move(options));
  if (!client)
    return client.error();
  own->client = std::move(*client);
  own->start();
  return std::unique_ptr<remote>(new remote(std::move(own)));
}

result<agent_card> remote::card() {
  return loop_->wait_for([this] { return loop_->client->card(); });
}

result<agent_card> remote::extended_card() {
  const auto got = ask(operation::get_extended_card, {});
  if (!got)
    return got.error();
  return read_agent_card(*got);
}

std::string remote::card_text() {
  std::string out;
  loop_->do_now([&] { out = loop_->client->card_text(); });
  return out;
}

result<endpoint> remote::where() {
  return loop_->wait_for([this] { return loop_->client->where(); });
}

result<json::value> remote::ask(operation which, json::object params) {
  return loop_->wait_for(
      [this, which, &params] { return loop_->client->ask(which, std::move(params)); });
}

result<remote::reply> remote::ask_in_format(operation which, params_writer params) {
  auto got = loop_->wait_for([this, which, &params] {
    header_list none;
    return loop_->client->ask_with(which, std::move(params), std::move(none));
  });
  if (!got)
    return got.error();
  reply out{std::move(*got), {}};
  loop_->do_now([&] { out.format = loop_->client->format(); });
  return out;
}

void remote::ask_later(operation which, json::object params,
                       std::function<void(result<json::value>)> done) {
  auto ask = [client = loop_->client.get(), which, params = std::move(params)]() mutable {
    return client->ask(which, std::move(params));
  };
  net::asio::co_spawn(
      loop_->context, std::move(ask),
      [done = std::move(done)](std::exception_ptr failed, result<json::value> value) {
        done(failed ? result<json::value>{failed_inside()} : std::move(value));
      });
}

result<wire::answer> remote::send(const wire::sending& request) {
  const auto got = ask_in_format(
      operation::send, [&](wire::wire_format format) { return wire::write_send(request, format); });
  if (!got)
    return got.error();
  return wire::read_answer(got->value, got->format);
}

result<task> remote::get_task(const std::string& id) {
  const auto got = ask_in_format(operation::get_task, same_params(with_id(id)));
  if (!got)
    return got.error();
  return read_asked_task(got->value, id, got->format);
}

result<task> remote::cancel_task(const std::string& id) {
  const auto got = ask_in_format(operation::cancel_task, same_params(with_id(id)));
  if (!got)
    return got.error();
  return read_asked_task(got->value, id, got->format);
}

result<wire::task_page> remote::list_tasks(const wire::task_filter& filter) {
  const auto got = ask_in_format(operation::list_tasks, [&](wire::wire_format format) {
    return wire::write_task_filter(filter, format);
  });
  if (!got)
    return got.error();
  return wire::read_task_page(got->value, got->format);
}

result<push_config> remote::create_push(const push_config& config) {
  const auto got = ask_in_format(operation::create_push, [&](wire::wire_format format) {
    return wire::write_create_push(config, format);
  });
  if (!got)
    return got.error();
  auto kept = wire::read_push_config(got->value, got->format);
  if (kept && kept->task.empty())
    kept->task = config.task;
  return kept;
}

result<push_config> remote::get_push(const std::string& task, const std::string& id) {
  const auto got = ask_in_format(operation::get_push, [&](wire::wire_format format) {
    return wire::write_named_push(task, id, format);
  });
  if (!got)
    return got.error();
  auto kept = wire::read_push_config(got->value, got->format);
  if (kept && kept->task.empty())
    kept->task = task_id(task);
  return kept;
}

result<wire::push_page> remote::list_push(const std::string& task, const std::string& page_token) {
  const auto got = ask_in_format(operation::list_push, [&](wire::wire_format format) {
    return wire::write_list_push(task, page_token, format);
  });
  if (!got)
    return got.error();
  auto page = wire::read_push_page(got->value, got->format);
  if (page)
    for (auto& each : page->configs)
      if (each.task.empty())
        each.task = task_id(task);
  return page;
}

result<void> remote::delete_push(const std::string& task, const std::string& id) {
  const auto got = ask_in_format(operation::delete_push, [&](wire::wire_format format) {
    return wire::write_named_push(task, id, format);
  });
  if (!got)
    return got.error();
  return {};
}

// -- streams --------------------------------------------------------------------------------------

namespace {

/// A stream of the loop, for a thread that waits. It ends on the loop.
template<class Loop>
class task_events final : public remote::tasks {
public:
  task_events(Loop& on, operation which, params_writer params, connection_news news,
              bool ends_at_question, std::string task = {})
      : on_(on) {
    on_.do_now([&] {
      stream_.emplace(*on_.client, on_.client->stream(which, std::move(params), std::move(news)),
                      ends_at_question, std::move(task));
    });
  }
  ~task_events() override {
    on_.do_now([&] {
      stream_->close();
      stream_.reset();
    });
  }
  result<std::optional<wire::answer>> next() override {
    return on_.wait_for([this] { return stream_->next(); });
  }

private:
  Loop& on_;
  std::optional<task_stream> stream_;
};

template<class Loop>
class objective_events final : public remote::objective {
public:
  objective_events(Loop& on, const std::string& id, connection_news news) : on_(on) {
    on_.do_now([&] {
      stream_ = on_.client->stream(operation::subscribe_to_objective, with_id(id), std::move(news));
      stream_->resume_with(operation::subscribe_to_objective, with_id(id));
    });
  }
  ~objective_events() override {
    on_.do_now([&] {
      stream_->close();
      stream_ = nullptr;
    });
  }
  result<std::optional<json::value>> next() override {
    return on_.wait_for([this] { return stream_->next(); });
  }
  void finish() override {
    on_.do_now([&] { stream_->finish(); });
  }
  void restart() override {
    on_.do_now([&] { stream_->restart(); });
  }
  void close() override {
    on_.do_now([&] { stream_->close(); });
  }

private:
  Loop& on_;
  std::shared_ptr<event_stream> stream_;
};

} // namespace

result<std::unique_ptr<remote::tasks>> remote::send_streaming(const wire::sending& request,
                                                              lost_handler on_lost,
                                                              resumed_handler on_resumed) {
  const auto to = where();
  if (!to)
    return to.error();
  return std::unique_ptr<tasks>(std::make_unique<task_events<loop>>(
      *loop_, operation::send_streaming,
      [request](wire::wire_format format) { return wire::write_send(request, format); },
      connection_news{std::move(on_lost), std::move(on_resumed)}, true));
}

std::unique_ptr<remote::tasks> remote::subscribe(const std::string& id, lost_handler on_lost,
                                                 resumed_handler on_resumed) {
  return std::make_unique<task_events<loop>>(
      *loop_, operation::subscribe_to_task, same_params(with_id(id)),
      connection_news{std::move(on_lost), std::move(on_resumed)}, false, id);
}

std::unique_ptr<remote::objective> remote::follow(const std::string& id, lost_handler on_lost,
                                                  resumed_handler on_resumed) {
  return std::make_unique<objective_events<loop>>(
      *loop_, id, connection_news{std::move(on_lost), std::move(on_resumed)});
}

} // namespace troupe::a2a
