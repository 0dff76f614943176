#include "net/http/client_shares.hpp"

#include <algorithm>

namespace troupe::net {

namespace {

/// Without a product that could overflow.
std::size_t share_of_all(std::size_t max, std::uint32_t percent) noexcept {
  return max / 100 * percent + (max % 100 * percent + 99) / 100;
}

} // namespace

client_share_ptr client_shares::of(const std::string& address) {
  if (address.empty())
    return nullptr;
  const std::lock_guard lock{guard_};
  if (all_.size() >= cleared_at_) {
    std::erase_if(all_, [](const auto& each) { return each.second.expired(); });
    cleared_at_ = std::max<std::size_t>(64, 2 * all_.size());
  }
  auto& kept = all_[address];
  auto out = kept.lock();
  if (out == nullptr) {
    out = std::make_shared<client_share>();
    kept = out;
  }
  return out;
}

std::string client_address(const boost::asio::ip::address& of) {
  namespace ip = boost::asio::ip;
  if (!of.is_v6())
    return of.to_string();
  const auto whole = of.to_v6();
  if (whole.is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, whole).to_string();
  auto bytes = whole.to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), 0);
  return ip::address_v6(bytes).to_string() + "/64";
}

client_place take_place(std::atomic<std::size_t>& all, std::size_t max,
                        std::atomic<std::size_t>* client, std::uint32_t percent) {
  client_place out;
  out.of_all = counted::take(all, max);
  if (!out.of_all || client == nullptr || percent == 0)
    return out;
  out.of_client = counted::take(*client, share_of_all(max, percent));
  if (!out.of_client) {
    out.of_all = {};
    out.is_above_share = true;
  }
  return out;
}

} // namespace troupe::net
