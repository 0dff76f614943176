#include "apps/remote/objective_feed.hpp"

#include "protocol/opt/objective_reading.hpp"

#include <utility>

namespace troupe {

namespace {

bool settles(const change& one) {
  for (const auto& each : one.events)
    if (const auto* moved = std::get_if<objective_moved>(&each); moved && is_settled(moved->to()))
      return true;
  return false;
}

} // namespace

objective_feed::objective_feed(const server_link& on, const std::string& id,
                               std::shared_ptr<inbox> to)
    : server_(on.name), to_(std::move(to)) {
  events_ = on.client->follow(
      id,
      [this](const error& why, std::chrono::milliseconds) {
        if (!std::exchange(is_lost_, true)) // Once, however often it is tried.
          notice(server_ + ": the connection is lost (" + why.message + "); trying again");
      },
      [this] {
        is_lost_ = false;
        notice(server_ + ": connected again");
      });
}

void objective_feed::start() {
  thread_ = std::thread([this] { follow(); });
}

objective_feed::~objective_feed() {
  events_->close();
  if (thread_.joinable())
    thread_.join();
  events_ = nullptr; // From now on nobody calls.
}

objective_feed::batch objective_feed::take() {
  const std::lock_guard guard(lock_);
  return std::exchange(waiting_, batch{});
}

void objective_feed::put(news step) {
  {
    const std::lock_guard guard(lock_);
    waiting_.steps.push_back(std::move(step));
  }
  to_->wake();
}

void objective_feed::notice(std::string text) {
  {
    const std::lock_guard guard(lock_);
    waiting_.notices.push_back(std::move(text));
  }
  to_->wake();
}

void objective_feed::follow() {
  for (;;) {
    const auto next = events_->next();
    result<bool> goes_on = true;
    if (!next)
      goes_on = next.error();
    else if (!*next)
      return;
    else
      goes_on = read(**next);
    if (!goes_on) {
      {
        const std::lock_guard guard(lock_);
        waiting_.failed = goes_on.error();
      }
      to_->wake();
    }
    if (!goes_on || !*goes_on)
      return;
  }
}

result<bool> objective_feed::read(const boost::json::value& shown) {
  const auto* members = shown.if_object();
  if (const auto* whole = members ? members->if_contains("objective") : nullptr) {
    auto view = opt::read_objective_view(*whole);
    if (!view)
      return view.error();
    plans_ = *view;
    const bool is_over = is_settled(view->state);
    if (is_over)
      events_->finish();
    put({std::make_shared<const objective_view>(std::move(*view)), {}});
    return !is_over;
  }
  const auto* change_of = members ? members->if_contains("change") : nullptr;
  if (change_of == nullptr)
    return true; // Of a later version.
  auto read = opt::read_changes(*change_of, plans_);
  if (!read)
    return read.error();
  if (read->is_reshaped) { // The changes do not say all of it.
    events_->restart();
    return true;
  }
  news step;
  bool is_over = false;
  for (auto& each : read->changes) {
    is_over = is_over || settles(each);
    step.changes.push_back(std::make_shared<const change>(std::move(each)));
  }
  if (is_over)
    events_->finish();
  put(std::move(step));
  return !is_over;
}

} // namespace troupe
