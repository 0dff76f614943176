// Where notifications may go: every range of net/push/push_address.cpp with its edges, and the
// opt-outs.
#include "net/push/push_address.hpp"
#include "tests/support/catch.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace troupe;
using namespace troupe::net;
using boost::asio::ip::make_address;

TEST_CASE("Every address is in its class, at both edges of each range", "[net][push]") {
  using enum address_class;
  const auto [text, expected] = GENERATE(table<std::string, address_class>({
      {"0.0.0.0", unspecified},
      {"0.255.255.255", unspecified},
      {"1.0.0.0", global},
      {"9.255.255.255", global},
      {"10.0.0.0", private_use},
      {"10.255.255.255", private_use},
      {"11.0.0.0", global},
      {"100.63.255.255", global},
      {"100.64.0.0", shared},
      {"100.127.255.255", shared},
      {"100.128.0.0", global},
      {"126.255.255.255", global},
      {"127.0.0.1", loopback},
      {"127.255.255.255", loopback},
      {"128.0.0.0", global},
      {"169.253.255.255", global},
      {"169.254.169.254", link_local},
      {"169.255.0.0", global},
      {"172.15.255.255", global},
      {"172.16.0.0", private_use},
      {"172.31.255.255", private_use},
      {"172.32.0.0", global},
      {"192.0.0.192", reserved},
      {"192.0.2.1", documentation},
      {"192.0.3.0", global},
      {"192.88.99.1", reserved},
      {"192.167.255.255", global},
      {"192.168.0.0", private_use},
      {"192.168.255.255", private_use},
      {"192.169.0.0", global},
      {"198.17.255.255", global},
      {"198.18.0.0", reserved},
      {"198.19.255.255", reserved},
      {"198.20.0.0", global},
      {"198.51.100.7", documentation},
      {"203.0.113.255", documentation},
      {"223.255.255.255", global},
      {"224.0.0.1", multicast},
      {"239.255.255.255", multicast},
      {"240.0.0.1", reserved},
      {"255.255.255.254", reserved},
      {"255.255.255.255", broadcast},
      {"8.8.8.8", global},
      {"::", unspecified},
      {"::1", loopback},
      {"::2", unspecified},
      {"::127.0.0.1", loopback},
      {"::8.8.8.8", global},
      {"::ffff:127.0.0.1", loopback},
      {"::ffff:10.1.2.3", private_use},
      {"::ffff:169.254.169.254", link_local},
      {"::ffff:8.8.8.8", global},
      {"::ffff:0:127.0.0.1", loopback},
      {"64:ff9b::7f00:1", loopback},
      {"64:ff9b::a9fe:a9fe", link_local},
      {"64:ff9b::808:808", global},
      {"64:ff9b:1::1", reserved},
      {"2002:7f00:1::", loopback},
      {"2002:c0a8:101::1", private_use},
      {"2002:808:808::1", global},
      {"100::1", reserved},
      {"2001::1", reserved},
      {"2001:1ff:ffff::1", reserved},
      {"2001:200::1", global},
      {"2001:db8::1", documentation},
      {"2001:db9::1", global},
      {"3fff:0fff::1", documentation},
      {"3fff:1000::1", global},
      {"2606:4700:4700::1111", global},
      {"4000::1", reserved},
      {"5f00::1", reserved},
      {"1fff::1", reserved},
      {"fbff::1", reserved},
      {"fc00::1", private_use},
      {"fd00:ec2::254", private_use},
      {"fdff::1", private_use},
      {"fe7f::1", reserved},
      {"fe80::1", link_local},
      {"febf::1", link_local},
      {"fec0::1", private_use},
      {"ff02::1", multicast},
  }));
  CAPTURE(text);
  CHECK(to_string(classify(make_address(text))) == to_string(expected));
}

namespace {

struct rule_row {
  std::string url;
  push_address_rules rules;
  bool allowed;
};

const push_address_rules strict;
const push_address_rules http{.allow_http = true, .allow_private = false, .allow_hosts = {}};
const push_address_rules lax{.allow_http = true, .allow_private = true, .allow_hosts = {}};
const push_address_rules listed{
    .allow_http = false, .allow_private = false, .allow_hosts = {"*.corp.example", "10.0.0.7"}};

} // namespace

TEST_CASE("A URL holds an IP address exactly if a connection could be made to it", "[net][push]") {
  const auto seed = GENERATE(range(1U, 5U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto any_of = [&](auto... words) {
    return std::vector<std::string>{words...}[random() % sizeof...(words)];
  };
  int addresses = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto left = random() % 10; left > 0; --left)
      text += any_of("0", "1", "ab", "FFff", "12345", "255", "256", "01", ":", ":",
                     ":1:", "::", ".", ".1.2.", "127.0.0.1");
    CAPTURE(text);
    boost::system::error_code no_v6;
    boost::system::error_code no_v4;
    boost::asio::ip::make_address_v6(text, no_v6);
    boost::asio::ip::make_address_v4(text, no_v4);
    REQUIRE(parse_http_url("https://[" + text + "]/").has_value() == !no_v6);
    const bool has_numbers_only =
        !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
    if (has_numbers_only && text.back() != '.')
      REQUIRE(parse_http_url("https://" + text + "/").has_value() == !no_v4);
    addresses += !no_v6 || !no_v4 ? 1 : 0;
  }
  CHECK(addresses > 100);
}

TEST_CASE("Only URLs that follow the rules may be registered", "[net][push]") {
  const auto row = GENERATE(values<rule_row>({
      {"https://example.com/", strict, true},
      {"http://example.com/", strict, false},
      {"http://example.com/", http, true},
      {"https://unknown.invalid/", strict, true}, // Not resolved before it is needed.
      {"https://127.0.0.1/", strict, false},
      {"https://[::ffff:7f00:1]/", strict, false},
      {"https://169.254.169.254/latest/meta-data", http, false},
      {"http://127.0.0.1:9/", lax, true},
      {"https://224.0.0.1/", lax, false},
      {"https://255.255.255.255/", lax, false},
      {"https://localhost/", strict, false},
      {"https://a.localhost/", strict, false},
      {"http://localhost:8080/", lax, true},
      {"https://example.com/", listed, false},
      {"https://hooks.corp.example/", listed, true},
      {"https://corp.example/", listed, false},
      {"https://evilcorp.example/", listed, false},
      {"https://10.0.0.7/", listed, true},
      {"https://10.0.0.8/", listed, false},
  }));
  CAPTURE(row.url);
  const auto url = parse_http_url(row.url);
  REQUIRE(url.has_value());
  const auto verdict = check_push_url(*url, row.rules);
  CHECK(verdict.has_value() == row.allowed);
  if (!verdict)
    CHECK(verdict.error().code == errc::invalid_params);
}

TEST_CASE("An address to which a name resolves is checked like one in the URL", "[net][push]") {
  const auto url = *parse_http_url("https://hooks.corp.example/");
  CHECK(check_push_address(url, make_address("8.8.8.8"), strict).has_value());
  CHECK_FALSE(check_push_address(url, make_address("10.1.1.1"), strict).has_value());
  CHECK(check_push_address(url, make_address("10.1.1.1"), listed).has_value());
  CHECK(check_push_address(url, make_address("10.1.1.1"), lax).has_value());
  CHECK_FALSE(check_push_address(url, make_address("ff02::1"), lax).has_value());
}
