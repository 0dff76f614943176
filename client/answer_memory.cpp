#include "client/answer_memory.hpp"

namespace troupe::net {

namespace {

constexpr auto account = memory_account::remote_exchanges;

} // namespace

std::size_t answer_memory::bytes_max() const noexcept {
  const auto all = budget_->bytes_max();
  return all == memory_budget::unlimited ? all : all / 100 * answer_memory_percent;
}

result<void> answer_share::resize(std::size_t bytes) {
  auto& budget = *of_->budget_;
  if (bytes > bytes_) {
    const auto more = bytes - bytes_;
    const auto bytes_max = of_->bytes_max();
    if (more > bytes_max - of_->held_)
      return make_error(errc::overloaded, "requests to one server and its answers may hold "
                                              + std::to_string(bytes_max) + " bytes, "
                                              + std::to_string(answer_memory_percent)
                                              + " % of limits.memory, and there is no room for "
                                              + std::to_string(more) + " more; try again later");
    if (!budget.charge(account, more))
      return budget.refusal(account, more);
  } else {
    budget.give_back(account, bytes_ - bytes);
  }
  of_->held_ = of_->held_ - bytes_ + bytes;
  bytes_ = bytes;
  return {};
}

void answer_share::release() noexcept {
  if (bytes_ == 0)
    return;
  of_->budget_->give_back(account, bytes_);
  of_->held_ -= bytes_;
  bytes_ = 0;
}

} // namespace troupe::net
