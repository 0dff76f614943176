// Where the card is, what its addresses mean, and what is done when it is wrong.
#include "client/address_class.hpp"
#include "tests/client/a2a/client_bed.hpp"

#include <algorithm>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::a2a;
using namespace troupe::testing;

namespace {

std::string moved_to(const std::string& url, int status = 302) {
  return answer_text(status, "Location: " + url + "\r\n");
}

/// The URL of the only interface, placed as a client does it.
std::string placed(const std::string& url, const std::string& card_url, const target& to = {}) {
  agent_card card;
  card.interfaces.push_back({url, "JSONRPC", "1.0", {}});
  place_interfaces(card, card_url, to);
  return card.interfaces.front().url;
}

} // namespace

TEST_CASE("three redirects of a card are followed, and not a fourth", "[client][a2a][card]") {
  a2a_client_bed bed;
  bed.server.script({moved_to("/one"), moved_to("two", 307), moved_to(bed.server.url("/x/three")),
                     bed.card_text()});
  REQUIRE(bed.card().has_value());
  CHECK(bed.server.received()[2].target == "/two");
  CHECK(bed.server.received().back().target == "/x/three");

  a2a_client_bed endless;
  endless.server.script({moved_to("/a"), moved_to("/a"), moved_to("/a"), moved_to("/a")});
  const auto read = endless.card();
  REQUIRE(read.has_error());
  CHECK(read.error().message.find("more than 3 redirects") != std::string::npos);
  CHECK(endless.server.received().size() == 4);
}

TEST_CASE("a redirect to http leads to the same origin only", "[client][a2a][card]") {
  const auto* card = "https://a.example/.well-known/agent-card.json";
  CHECK(follow_redirect(card, "https://b.example/c").value() == "https://b.example/c");
  CHECK(follow_redirect(card, "/c").value() == "https://a.example/c");
  CHECK(follow_redirect(card, "http://a.example/c").error().code == errc::forbidden);
  CHECK(follow_redirect("http://a.example/c", "http://a.example/d").has_value());
  CHECK(follow_redirect("http://a.example/c", "http://a.example:81/d").error().code
        == errc::forbidden);
  CHECK(follow_redirect("http://a.example/c", "http://127.0.0.1/d").error().code
        == errc::forbidden);
  CHECK(follow_redirect(card, "ftp://a.example/c").error().code == errc::invalid_agent_response);
  CHECK(follow_redirect(card, "").error().code == errc::invalid_agent_response);
}

TEST_CASE("credentials are not sent to another origin, and the address there is checked",
          "[client][a2a][card]") {
  const auto identity = make_test_certificate({"other.example"});
  push_receiver other(identity);
  const auto url = "https://other.example:" + std::to_string(other.port()) + "/card";
  std::vector<std::string> checked;
  client_options options;
  push_receiver first;
  options.to.url = first.url("");
  options.to.authentication.bearer = "first-token";
  options.to.hosts = {"other.example"};
  options.to.trusted_pem = identity.certificate_pem;
  options.admit = [&](const http_url& to, const net::asio::ip::address&) -> result<void> {
    checked.push_back(to.host);
    return {};
  };
  options.resolve = [](const std::string&) -> result<net::addresses> {
    return net::addresses{net::asio::ip::make_address("127.0.0.1")};
  };
  a2a_client_bed bed;
  bed.client = std::move(a2a_client::make(bed.context, bed.clock, std::move(options)).value());
  first.script({moved_to(url)});
  other.script({bed.card_text()});
  REQUIRE(bed.card().has_value());
  CHECK(first.received().front().header("authorization") == "Bearer first-token");
  CHECK(other.received().front().headers.count("authorization") == 0);
  CHECK(std::ranges::find(checked, "other.example") != checked.end());
}

TEST_CASE("a name that is another address the second time is checked again",
          "[client][a2a][card]") {
  push_receiver server;
  const auto url = "http://agents.example:" + std::to_string(server.port());
  bool is_moved = false;
  client_options options;
  options.to.url = url;
  options.admit = net::admit_public_only;
  options.resolve = [&](const std::string&) -> result<net::addresses> {
    return net::addresses{net::asio::ip::make_address(is_moved ? "127.0.0.1" : "93.184.216.34")};
  };
  options.connect = [&](const http_url&) -> result<int> {
    net::asio::io_context elsewhere;
    net::tcp_socket socket(elsewhere);
    socket.connect({net::asio::ip::make_address("127.0.0.1"), server.port()});
    socket.non_blocking(true);
    return socket.release();
  };
  a2a_client_bed bed;
  bed.client = std::move(a2a_client::make(bed.context, bed.clock, std::move(options)).value());
  const auto card = R"({"name": "Helper", "supportedInterfaces": [{"url": ")" + url
                    + R"(/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]})";
  server.script({answer_text(200, "Connection: close\r\n", card), rpc_task()});
  REQUIRE(bed.card().has_value());
  is_moved = true;
  const auto next = bed.get_task();
  REQUIRE(next.has_error());
  CHECK(next.error().code == errc::forbidden);
  CHECK(server.received().size() == 1);
}

TEST_CASE("addresses of a card are seen from where it stands", "[client][a2a][card]") {
  const std::string at = "https://a.example/x/.well-known/agent-card.json";
  CHECK(placed("/a2a", at) == "https://a.example/a2a");
  CHECK(placed("../a2a/", at) == "https://a.example/x/a2a/");
  CHECK(placed("https://b.example/a2a", at) == "https://b.example/a2a");
  CHECK(placed("http://0.0.0.0:8080/a2a", "http://a.example/c") == "http://a.example:8080/a2a");
  CHECK(placed("http://[::]:8080/a2a", "http://a.example/c") == "http://a.example:8080/a2a");
  target inner;
  inner.url = "https://outside.example/agent";
  inner.is_at_origin = true;
  CHECK(placed("http://10.0.0.7:8080/a2a?x=1", at, inner) == "https://outside.example/a2a?x=1");
  CHECK(placed("no address", at) == "no address"); // said when it is used
}

TEST_CASE("an agent that speaks another version than its card says is spoken to in that one",
          "[client][a2a][version]") {
  const auto wrong = GENERATE(0, 1, 2);
  const auto not_this = wrong == 0   ? rpc_error(-32601)
                        : wrong == 1 ? rpc_error(-32009)
                                     : answer_text(404, "Content-Type: text/html\r\n", "<html>");
  a2a_client_bed bed;
  bed.server.script({bed.card_text("0.3"), not_this, rpc_task(), rpc_task()});
  REQUIRE(bed.get_task().has_value());
  REQUIRE(bed.get_task().has_value());
  const auto all = bed.server.received();
  REQUIRE(all.size() == 4);
  CHECK(all[1].body.find("tasks/get") != std::string::npos);
  CHECK(all[2].body.find("\"GetTask\"") != std::string::npos);
  CHECK(all[2].header("a2a-version") == "1.0");
  CHECK(all[3].body.find("\"GetTask\"") != std::string::npos); // it is kept
  CHECK(bed.client->format().version == wire::a2a_version::v1_0);
}

TEST_CASE("a version that was learned outlives the same card, and not another one",
          "[client][a2a][version]") {
  const bool is_other = GENERATE(false, true);
  a2a_client_bed bed;
  auto again = bed.card_text("0.3");
  if (is_other)
    again = bed.card_text("0.3", "HTTP+JSON");
  bed.server.script({bed.card_text("0.3"), rpc_error(-32601), rpc_task(), again, rpc_task()});
  REQUIRE(bed.get_task().has_value());
  bed.time.pass(card_kept);
  REQUIRE(bed.wait_for([&] { return bed.client->renew_card(); }).has_value());
  CHECK(bed.client->format().version
        == (is_other ? wire::a2a_version::v0_3 : wire::a2a_version::v1_0));
  CHECK(bed.server.received().size() == 4);
}

TEST_CASE("an agent that knows a method in neither version keeps that of its card",
          "[client][a2a][version]") {
  a2a_client_bed bed;
  bed.server.script({bed.card_text("1.0"), rpc_error(-32601), rpc_error(-32601), rpc_task()});
  CHECK(bed.get_task().error().code == errc::method_not_found);
  CHECK(bed.get_task().has_value());
  CHECK(bed.server.received().size() == 4);
  CHECK(bed.server.received().back().header("a2a-version") == "1.0");
}

TEST_CASE("a version that has worked, or was chosen, is not doubted", "[client][a2a][version]") {
  a2a_client_bed bed;
  bed.server.script({bed.card_text("1.0"), rpc_task(), rpc_error(-32601)});
  REQUIRE(bed.get_task().has_value());
  CHECK(bed.get_task().error().code == errc::method_not_found);
  CHECK(bed.server.received().size() == 3);

  a2a_client_bed chosen([](target& to) { to.version = wire::a2a_version::v1_0; });
  chosen.server.script({chosen.card_text("1.0"), rpc_error(-32601)});
  CHECK(chosen.get_task().error().code == errc::method_not_found);
  CHECK(chosen.server.received().size() == 2);
}

TEST_CASE("an agent that fails five times in a row is left alone, and then asked once",
          "[client][a2a][breaker]") {
  a2a_client_bed bed;
  const auto broken = answer_text(502);
  bed.server.script({bed.card_text(), broken, broken, broken, broken, broken, broken, rpc_task()});
  for (int i = 0; i < 5; ++i)
    CHECK(bed.get_task().error().code == errc::unavailable);
  CHECK(bed.server.received().size() == 6);
  const auto kept = bed.get_task();
  REQUIRE(kept.has_error());
  CHECK(kept.error().message.find("asked again in 1000 ms") != std::string::npos);
  CHECK(pause_in(kept.error()) == 1s);
  CHECK(bed.server.received().size() == 6);
  bed.time.pass(1s);
  CHECK(bed.get_task().has_error());
  CHECK(bed.server.received().size() == 7);
  bed.time.pass(2s);
  CHECK(bed.get_task().has_value());
}

TEST_CASE("an agent that asks for time has not failed", "[client][a2a][breaker]") {
  a2a_client_bed bed;
  std::vector<std::string> busy{bed.card_text()};
  for (int i = 0; i < 6; ++i)
    busy.push_back(answer_text(503, "Retry-After: 1\r\n"));
  bed.server.script(std::move(busy));
  for (int i = 0; i < 6; ++i)
    CHECK(pause_in(bed.get_task().error()) == 1s);
  CHECK(bed.server.received().size() == 7);
}

TEST_CASE("many who want the card at once ask for it once", "[client][a2a][card]") {
  a2a_client_bed bed;
  bed.server.script({bed.card_text()});
  int known = 0;
  for (int i = 0; i < 20; ++i)
    net::asio::co_spawn(
        bed.context,
        [&]() -> net::awaitable<void> {
          const auto card = co_await bed.client->card();
          known += card ? 1 : 0;
        },
        net::asio::detached);
  REQUIRE(comes_true([&] {
    bed.turn();
    return known == 20;
  }));
  CHECK(bed.server.received().size() == 1);
}
