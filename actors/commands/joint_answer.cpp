#include "actors/commands/joint_answer.hpp"

#include <utility>

namespace troupe {

joint_answer::joint_answer(std::size_t count, give_fn give, std::function<void(result<void>)> done)
    : count_(count), give_(std::move(give)), done_(std::move(done)) {}

void joint_answer::begin() {
  give_(shared_from_this(), 0);
}

void joint_answer::agree(std::function<void()> decided) {
  std::vector<std::function<void()>> told;
  std::size_t next = 0;
  {
    const std::lock_guard lock{guard_};
    waiting_.push_back(std::move(decided));
    next = waiting_.size();
    if (phase_ == phase::gathering && next == count_)
      phase_ = phase::agreed;
    if (phase_ != phase::gathering)
      told = std::exchange(waiting_, {});
  }
  if (told.empty())
    return give_(shared_from_this(), next);
  for (const auto& tell : told)
    tell();
}

bool joint_answer::refuse(const error& why) {
  std::vector<std::function<void()>> told;
  std::function<void(result<void>)> done;
  {
    const std::lock_guard lock{guard_};
    if (phase_ == phase::agreed)
      return false;
    phase_ = phase::refused;
    told = std::exchange(waiting_, {});
    done = std::exchange(done_, nullptr);
  }
  for (const auto& tell : told)
    tell();
  if (done)
    done(why);
  return true;
}

void joint_answer::finish(const result<void>& of_one) {
  if (!of_one && refuse(of_one.error()))
    return;
  std::function<void(result<void>)> done;
  std::optional<error> failure;
  {
    const std::lock_guard lock{guard_};
    if (!of_one && !failure_)
      failure_ = of_one.error();
    if (++finished_ < count_)
      return;
    failure = failure_;
    done = std::exchange(done_, nullptr);
  }
  if (!done)
    return;
  if (failure)
    done(*failure);
  else
    done({});
}

bool joint_answer::is_agreed() const {
  const std::lock_guard lock{guard_};
  return phase_ == phase::agreed;
}

bool joint_answer::is_refused() const {
  const std::lock_guard lock{guard_};
  return phase_ == phase::refused;
}

} // namespace troupe
