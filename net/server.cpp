#include "net/card/agent_card.hpp"
#include "net/card/card_documents.hpp"
#include "net/http/listener.hpp"
#include "net/http/loop.hpp"
#include "net/server_state.hpp"
#include "protocol/core_count.hpp"
#include <troupe/net/server.hpp>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace troupe {

namespace {

using namespace net;

/// A quarter of the shortest timeout: deadlines are met within that much.
std::chrono::milliseconds sweep_interval(const server_options& options) {
  const auto shortest = std::min(
      {options.header_timeout, options.body_timeout, options.idle_timeout, options.write_timeout,
       options.blocking_wait_max, options.keep_alive_interval, options.drain_idle_grace});
  return std::clamp(shortest / 4, sweep_interval_min, sweep_interval_max);
}

/// Half of the cores, so that long answers leave the others to the loops.
std::size_t answer_makers() {
  return std::max<std::size_t>(1, core_count() / 2);
}

/// Every connection needs a descriptor; the usual soft limit of 1,024 is far below the hard one.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

} // namespace

struct server::impl {
  impl(gateway& main_gateway, server_options options)
      : state(std::make_shared<server_state>(main_gateway, std::move(options))) {}

  ~impl() { stop(std::chrono::milliseconds{0}); }

  void make_loops();
  [[nodiscard]] result<void> describe(std::uint16_t port);
  [[nodiscard]] result<void> renew_card();
  void stop(std::chrono::milliseconds bound);
  void on_every_loop(void (loop::*step)());
  [[nodiscard]] bool is_empty() const noexcept {
    return state->connections.load() == 0 && state->refusals.load() == 0;
  }

  std::shared_ptr<server_state> state;
  std::vector<std::unique_ptr<loop>> loops;
  std::unique_ptr<listener> accepting;
  std::string url;        ///< Where it listens.
  std::string public_url; ///< Where clients reach it, unless the card says it.
};

void server::impl::make_loops() {
  const auto& options = state->options;
  const auto count = options.threads == 0 ? core_count() : options.threads;
  for (std::size_t i = 0; i < count; ++i)
    loops.push_back(std::make_unique<loop>(sweep_interval(options), options.json_depth_max,
                                           *options.time, state->memory));
  for (const auto& one : loops)
    one->attach(state->main_gateway);
}

result<void> server::impl::describe(std::uint16_t port) {
  url = url_of(state->options.address, port);
  public_url = default_url(state->options, port);
  return renew_card();
}

result<void> server::impl::renew_card() {
  const auto& from = state->main_gateway;
  auto cards = make_card_documents(state->options, public_url, from.agents(), from.templates());
  if (!cards)
    return cards.error();
  state->cards.set(std::move(*cards));
  return {};
}

void server::impl::on_every_loop(void (loop::*step)()) {
  for (auto& one : loops)
    one->post([&one, step] { (one.get()->*step)(); });
}

void server::impl::stop(std::chrono::milliseconds bound) {
  if (loops.empty())
    return;
  state->draining = true;
  // Closed on its own thread; nothing is accepted once this is through.
  std::promise<void> closed;
  loops.front()->post([&] {
    accepting->close();
    closed.set_value();
  });
  closed.get_future().wait();
  on_every_loop(&loop::drain_sessions);

  constexpr std::chrono::milliseconds step{2};
  const auto& time = *state->options.time;
  const auto until = time.steady() + bound;
  while (!is_empty() && time.steady() < until)
    std::this_thread::sleep_for(step);
  while (!is_empty()) {
    on_every_loop(&loop::abort_sessions); // again and again: a connection may have been on its way
                                          // to its loop
    std::this_thread::sleep_for(step);
  }
  for (auto& one : loops)
    one->finish();
  state->answers.close();
  accepting.reset();
  loops.clear();
}

// -- server ---------------------------------------------------------------------------------------

server::server(gateway& main_gateway, server_options options)
    : impl_(std::make_unique<impl>(main_gateway, std::move(options))) {}

server::~server() = default;

result<std::uint16_t> server::start() {
  raise_descriptor_limit();
  if (auto valid = own_hosts::check(impl_->state->options.allowed_hosts); !valid)
    return valid.error();
  if (const auto started = impl_->state->push->start(); !started)
    return started.error();
  impl_->make_loops();
  impl_->accepting = std::make_unique<listener>(impl_->state, impl_->loops);
  auto port = impl_->accepting->open();
  if (port)
    if (auto described = impl_->describe(*port); !described)
      port = described.error();
  if (!port) {
    impl_->accepting.reset();
    impl_->loops.clear();
    return port;
  }
  impl_->state->answers.start(answer_makers());
  for (auto& one : impl_->loops)
    one->start();
  impl_->accepting->start();
  return port;
}

result<void> server::renew_card() {
  return impl_->renew_card();
}

void server::drain(std::chrono::milliseconds bound) {
  impl_->state->main_gateway.drain();
  impl_->stop(bound);
}

server_load server::load() const noexcept {
  const auto& state = *impl_->state;
  const auto& memory = *state.memory;
  return {state.connections.load(),
          state.streams.load(),
          state.in_flight.load(),
          memory.held(memory_account::bodies),
          memory.held(memory_account::answers),
          memory.held(memory_account::feeds)};
}

std::string server::public_url() const {
  const auto& options = impl_->state->options;
  return options.card.url.empty() ? impl_->public_url : options.card.url;
}

std::string server::url() const {
  return impl_->url;
}

} // namespace troupe
