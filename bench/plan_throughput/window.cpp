#include "bench/plan_throughput/contender.hpp"
#include "bench/support/harness.hpp"

#include <algorithm>

namespace troupe::bench {

void plan_window::enter() {
  std::unique_lock lock(guard_);
  if (under_way_ >= max_) {
    wanted_ = max_ / 2;
    waiting_ = true;
    changed_.wait(lock, [&] { return under_way_ <= wanted_; });
    waiting_ = false;
  }
  ++under_way_;
}

void plan_window::leave(const std::string& problem) {
  const std::lock_guard lock(guard_);
  if (!problem.empty() && problem_.empty())
    problem_ = problem;
  --under_way_;
  if (waiting_ && under_way_ <= wanted_)
    changed_.notify_one();
}

void plan_window::wait_all() {
  std::unique_lock lock(guard_);
  wanted_ = 0;
  waiting_ = true;
  changed_.wait(lock, [&] { return under_way_ == 0; });
  waiting_ = false;
  check(problem_.empty(), problem_);
}

std::size_t plans_in_flight(const load& load) {
  return std::max<std::size_t>(1, load.in_flight_max / load.shape->size());
}

} // namespace troupe::bench
