#include <troupe/protocol/memory_budget.hpp>

namespace troupe {

namespace {

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < memory_shares.size(); ++i)
    if (memory_shares[i].account != static_cast<memory_account>(i))
      return false;
  return true;
}
static_assert(is_in_order());

/// `percent` of `bytes`; all of it if it is unlimited.
std::size_t percent_of(std::size_t bytes, std::size_t percent) noexcept {
  return bytes == memory_budget::unlimited ? bytes
                                           : bytes / 100 * percent + bytes % 100 * percent / 100;
}

std::string in_mib(std::size_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

} // namespace

std::size_t memory_budget::share_of(memory_account of) const noexcept {
  return percent_of(bytes_max_, memory_shares[static_cast<std::size_t>(of)].percent);
}

error memory_budget::refusal(memory_account of, std::size_t bytes) const {
  const auto& share = memory_shares[static_cast<std::size_t>(of)];
  return make_error(errc::overloaded,
                    "there is no memory for " + std::to_string(bytes) + " bytes more of "
                        + std::string{share.name} + ", which may grow until "
                        + std::to_string(share.percent) + " % of limits.memory are held: it holds "
                        + describe(*this) + "; try again later",
                    std::string{share.name});
}

std::string describe(const memory_budget& budget) {
  std::string parts;
  for (const auto& share : memory_shares)
    if (const auto held = budget.held(share.account); held >> 20 != 0)
      parts += (parts.empty() ? "" : ", ") + std::string{share.name} + ' ' + in_mib(held);
  const auto max = budget.bytes_max();
  return in_mib(budget.held()) + (max == memory_budget::unlimited ? "" : " of " + in_mib(max))
         + (parts.empty() ? "" : " (" + parts + ')');
}

bool is_nearly_full(const memory_budget& budget) noexcept {
  return budget.held() > percent_of(budget.bytes_max(), memory_watch::full_percent);
}

std::string memory_watch::look(const memory_budget& budget) {
  if (!is_full_ && is_nearly_full(budget)) {
    is_full_ = true;
    return "memory runs short (limits.memory): " + describe(budget);
  }
  if (is_full_ && budget.held() < percent_of(budget.bytes_max(), roomy_percent)) {
    is_full_ = false;
    return "there is memory again (limits.memory): " + describe(budget);
  }
  return {};
}

} // namespace troupe
