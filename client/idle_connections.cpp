#include "client/idle_connections.hpp"

#include <algorithm>
#include <utility>

namespace troupe::net {

std::unique_ptr<http_wire> idle_connections::take(const std::string& target,
                                                  std::chrono::milliseconds age) {
  const auto now = clock_->now();
  for (auto i = all_.size(); i-- > 0;) {
    auto& each = all_[i];
    if (each.target != target)
      continue;
    if (each.since + age < now)
      return nullptr;
    auto out = std::move(each.wire);
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
    if (all_.empty())
      end_.cancel();
    if (!out->is_stale())
      return out;
    out->close();
  }
  return nullptr;
}

void idle_connections::keep(std::string target, std::unique_ptr<http_wire> wire) {
  if (is_closed_ || connections_max_ == 0)
    return wire->close();
  if (all_.size() == connections_max_) {
    all_.front().wire->close();
    all_.pop_front();
  }
  all_.push_back({std::move(target), std::move(wire), clock_->now()});
  if (all_.size() == 1)
    end_old();
}

/// Closes those whose time is up, and waits for the next one's.
void idle_connections::end_old() {
  while (!all_.empty() && all_.front().since + kept_for_ <= clock_->now()) {
    all_.front().wire->close();
    all_.pop_front();
  }
  if (!all_.empty())
    end_.start_at(all_.front().since + kept_for_, [this] { end_old(); });
}

void idle_connections::clear() {
  end_.cancel();
  all_.clear();
}

void idle_connections::close() {
  is_closed_ = true;
  clear();
}

} // namespace troupe::net
