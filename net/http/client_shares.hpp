// What each client address has of the connections, requests and streams that all may have together,
// so that one address cannot take all. Thread-safe.
#pragma once

#include "net/http/counted.hpp"

#include <boost/asio/ip/address.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace troupe::net {

/// What one address has. Its connections share it.
struct client_share {
  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> streams{0};
  std::atomic<std::size_t> in_flight{0};
};
using client_share_ptr = std::shared_ptr<client_share>;

class client_shares {
public:
  /// The share of an address, as `client_address` gives it; null if it is empty: it has none.
  [[nodiscard]] client_share_ptr of(const std::string& address);

private:
  std::mutex guard_;
  std::unordered_map<std::string, std::weak_ptr<client_share>> all_;
  std::size_t cleared_at_ = 64; ///< With so many, those without a connection are forgotten.
};

/// The address by which a client is known: of IPv6 its network of 64 bits, which belongs to one
/// subscriber (RFC 6177), of an IPv4 address inside of IPv6 the IPv4 address.
[[nodiscard]] std::string client_address(const boost::asio::ip::address& of);

/// A place among all, and among those of its client.
struct client_place {
  counted of_all;
  counted of_client;
  bool is_above_share = false; ///< There is none, and others would get one.

  explicit operator bool() const noexcept { return static_cast<bool>(of_all); }
};

/// `max`: of all. `percent`: how much of it one client may have, rounded up; 0: all of it.
/// `client`: null: it has no share.
[[nodiscard]] client_place take_place(std::atomic<std::size_t>& all, std::size_t max,
                                      std::atomic<std::size_t>* client, std::uint32_t percent);

} // namespace troupe::net
