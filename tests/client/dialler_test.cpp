// Loopback only: the whole of 127.0.0.0/8 is this computer, so that two addresses can have the same
// port and behave differently.
#include "client/dialler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/hand_time.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/socket.h>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;
using boost::asio::ip::tcp;

namespace {

std::vector<asio::ip::address> addresses_of(const std::vector<std::string>& texts) {
  std::vector<asio::ip::address> out;
  for (const auto& each : texts)
    out.push_back(asio::ip::make_address(each));
  return out;
}

/// Takes no connection and refuses none: its line of connections is full.
class silent_address {
public:
  silent_address(asio::io_context& context, const std::string& address, std::uint16_t port)
      : acceptor_(context) {
    const tcp::endpoint at(asio::ip::make_address(address), port);
    acceptor_.open(at.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(at);
    acceptor_.listen(0);
    for (int i = 0; i < 4; ++i) {
      auto& each = fill_.emplace_back(context);
      each.open(at.protocol());
      each.non_blocking(true);
      // Asio's own would wait until it stands.
      static_cast<void>(
          ::connect(each.native_handle(), at.data(), static_cast<socklen_t>(at.size())));
    }
  }

private:
  tcp::acceptor acceptor_;
  std::vector<tcp::socket> fill_;
};

struct dial_bed {
  void turn() {
    clock->turn();
    context.restart();
    context.poll();
  }
  std::shared_ptr<dialler> begin(const std::vector<std::string>& to) {
    const auto out = std::make_shared<dialler>(context, clock, addresses_of(to), port);
    asio::co_spawn(
        context,
        [this, out]() -> awaitable<void> {
          auto got = co_await out->run(clock->now() + 10s);
          result.emplace(std::move(got));
        },
        asio::detached);
    turn();
    return out;
  }
  [[nodiscard]] bool ends() {
    return comes_true([&] {
      turn();
      return result.has_value();
    });
  }

  hand_time time;
  asio::io_context context;
  timers_ptr clock = std::make_shared<timers>(context, time);
  tcp::acceptor server{context, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)};
  std::uint16_t port = server.local_endpoint().port();
  std::optional<dialled> result;
};

} // namespace

TEST_CASE("the families are tried in turn, beginning with the first", "[client]") {
  CHECK(families_in_turn(addresses_of({"::1", "::2", "::3", "10.0.0.1", "10.0.0.2"}))
        == addresses_of({"::1", "10.0.0.1", "::2", "10.0.0.2", "::3"}));
  CHECK(families_in_turn(addresses_of({"10.0.0.1", "::1", "10.0.0.2"}))
        == addresses_of({"10.0.0.1", "::1", "10.0.0.2"}));
  CHECK(families_in_turn({}).empty());
}

TEST_CASE("an address that refuses is followed by the next one at once", "[client]") {
  dial_bed bed;
  bed.begin({"127.0.0.2", "127.0.0.1"});
  REQUIRE(bed.ends());
  REQUIRE(bed.result->socket);
  CHECK(bed.result->to.to_string() == "127.0.0.1");
}

TEST_CASE("an address that is silent is overtaken after a quarter of a second", "[client]") {
  dial_bed bed;
  const silent_address silent(bed.context, "127.0.0.2", bed.port);
  bed.begin({"127.0.0.2", "127.0.0.1"});
  bed.time.pass(249ms);
  for (int i = 0; i < 20; ++i)
    bed.turn();
  CHECK_FALSE(bed.result);
  bed.time.pass(1ms);
  REQUIRE(bed.ends());
  REQUIRE(bed.result->socket);
  CHECK(bed.result->to.to_string() == "127.0.0.1");
}

TEST_CASE("a dial ends without a connection when all refuse, when the time is up, and when asked",
          "[client]") {
  dial_bed bed;
  bed.server.close();
  bed.begin({"127.0.0.2", "127.0.0.3"});
  REQUIRE(bed.ends());
  CHECK_FALSE(bed.result->socket);
  CHECK(bed.result->failed == asio::error::connection_refused);

  dial_bed late;
  const silent_address silent(late.context, "127.0.0.2", late.port);
  late.begin({"127.0.0.2"});
  late.time.pass(10s);
  REQUIRE(late.ends());
  CHECK_FALSE(late.result->socket);
  CHECK_FALSE(late.result->failed);

  dial_bed given_up;
  const silent_address other(given_up.context, "127.0.0.2", given_up.port);
  const auto dialling = given_up.begin({"127.0.0.2"});
  dialling->cancel();
  REQUIRE(given_up.ends());
  CHECK_FALSE(given_up.result->socket);
}
