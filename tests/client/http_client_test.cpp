// The outbound client, with its loop on the test's thread.
#include "client/http_client.hpp"
#include "client/masking.hpp"
#include "client/tls_settings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/push_receiver.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <optional>
#include <stdexcept>
#include <vector>

#include <sys/resource.h>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

struct client_bed {
  explicit client_bed(http_client_options options = {}) {
    auto made = http_client::make(context, clock, std::move(options));
    REQUIRE(made.has_value());
    client = std::move(*made);
  }

  void turn() {
    clock->turn();
    client->turn();
    context.restart();
    context.poll();
  }
  /// Takes turns until the exchange has ended. `step`: so much time passes for every 2 ms.
  result<outbound_answer> exchange(http_stream& stream, bool may_repeat = true,
                                   std::chrono::milliseconds step = 0ms) {
    std::optional<result<outbound_answer>> out;
    const auto ask = [&]() -> awaitable<void> {
      outbound_request request;
      request.may_repeat = may_repeat;
      auto answer = co_await stream.exchange(std::move(request));
      out.emplace(std::move(answer));
    };
    asio::co_spawn(context, ask(), asio::detached);
    if (!comes_true([&] {
          // The server answers in real time.
          const auto first = std::chrono::steady_clock::now();
          while (!out && std::chrono::steady_clock::now() < first + 2ms)
            turn();
          time.pass(step);
          return out.has_value();
        }))
      throw std::runtime_error("the exchange does not end");
    return std::move(*out);
  }
  result<outbound_answer> exchange_once(const std::string& url) {
    const auto stream = client->lend(*parse_http_url(url));
    return exchange(*stream);
  }

  hand_time time;
  asio::io_context context;
  timers_ptr clock = std::make_shared<timers>(context, time);
  std::unique_ptr<http_client> client;
};

} // namespace

TEST_CASE("a stream leaves its connection to the next stream of the same host",
          "[client][lending]") {
  push_receiver receiver;
  client_bed bed;
  CHECK(bed.exchange_once(receiver.url("/one"))->status == 204);
  CHECK(bed.client->idle_connections() == 1);
  CHECK(bed.exchange_once(receiver.url("/two"))->status == 204);
  CHECK(receiver.wait_for(2)[1].target == "/two");
  CHECK(receiver.connections() == 1);
}

TEST_CASE("a socket that is given takes the place of a connection to an address", "[client]") {
  push_receiver receiver;
  const auto there = *parse_http_url(receiver.url("/"));
  std::vector<std::string> asked_for;
  http_client_options options;
  options.connect = [&](const http_url& to) -> result<int> {
    asked_for.push_back(to.authority());
    if (to.host == "refused.invalid")
      return make_error(errc::unavailable, "nobody listens");
    asio::io_context elsewhere;
    tcp_socket socket(elsewhere);
    socket.connect({asio::ip::make_address(there.host), there.port});
    socket.non_blocking(true);
    return socket.release();
  };
  client_bed bed(std::move(options));
  CHECK(bed.exchange_once("http://given.invalid/one")->status == 204);
  CHECK(bed.exchange_once("http://given.invalid/two")->status == 204);
  CHECK(receiver.wait_for(2)[1].target == "/two");
  const auto refused = bed.exchange_once("http://refused.invalid/");
  REQUIRE(refused.has_error());
  CHECK(cause_of(refused.error()) == "refused");
  CHECK(asked_for.size() == 2); // one connection was left over
  CHECK(bed.client->connections_made() == 2);
}

TEST_CASE("an answer that is announced as too long is refused before there is room for it",
          "[client]") {
  push_receiver receiver;
  receiver.script({"HTTP/1.1 200 OK\r\nContent-Length: 4000000000000000000\r\n\r\n"});
  client_bed bed;
  const auto stream = bed.client->lend(*parse_http_url(receiver.url("/")));
  std::optional<result<outbound_answer>> head;
  const auto ask = [&]() -> awaitable<void> {
    outbound_request request;
    auto answer = co_await stream->begin(std::move(request));
    head.emplace(std::move(answer));
  };
  asio::co_spawn(bed.context, ask(), asio::detached);
  REQUIRE(comes_true([&] {
    bed.turn();
    return head.has_value();
  }));
  REQUIRE(head->has_error());
  CHECK(head->error().code == errc::invalid_agent_response);
  CHECK(head->error().message.find("4000000000000000000") != std::string::npos);
}

TEST_CASE("a request that may be sent twice is, if a connection that was left over breaks",
          "[client][lending]") {
  push_receiver receiver;
  receiver.script({"HTTP/1.1 204 No Content\r\n\r\n", ""}); // The second is taken, not answered.
  client_bed bed;
  CHECK(bed.exchange_once(receiver.url("/one"))->status == 204);
  CHECK(bed.exchange_once(receiver.url("/two"))->status == 204);
  const auto all = receiver.wait_for(3);
  CHECK(all[1].target == "/two");
  CHECK(all[2].target == "/two");
  CHECK(receiver.connections() == 2);
}

TEST_CASE("a request that may not be sent twice is not sent again", "[client][lending]") {
  push_receiver receiver;
  const std::string fine = "HTTP/1.1 204 No Content\r\n\r\n";
  receiver.script({fine, "", fine, ""});
  client_bed bed;
  CHECK(bed.exchange_once(receiver.url("/one"))->status == 204);
  const auto stream = bed.client->lend(*parse_http_url(receiver.url("/two")));
  CHECK(bed.exchange(*stream, false).has_error()); // on the same connection, a moment later
  CHECK(receiver.wait_for(2).size() == 2);
  CHECK(receiver.connections() == 1);
  CHECK(bed.exchange_once(receiver.url("/three"))->status == 204);
  CHECK(bed.exchange_once(receiver.url("/four")).has_value());
  CHECK(receiver.wait_for(5).size() == 5); // the fourth twice
  CHECK(receiver.connections() == 3);
}

TEST_CASE("a request that may not be sent twice does not go over a connection that was long unused",
          "[client][lending]") {
  push_receiver receiver;
  client_bed bed;
  CHECK(bed.exchange_once(receiver.url("/one"))->status == 204);
  bed.time.pass(2001ms);
  const auto stream = bed.client->lend(*parse_http_url(receiver.url("/two")));
  CHECK(bed.exchange(*stream, false)->status == 204);
  CHECK(receiver.connections() == 2);
  CHECK(bed.exchange(*stream, true)->status == 204);
  CHECK(receiver.connections() == 2);
}

TEST_CASE("an answer that has begun is not asked for again", "[client][lending]") {
  push_receiver receiver;
  receiver.script({"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nConten"});
  client_bed bed;
  CHECK(bed.exchange_once(receiver.url("/one"))->status == 204);
  const auto stream = bed.client->lend(*parse_http_url(receiver.url("/two")));
  std::optional<result<outbound_answer>> out;
  const auto ask = [&]() -> awaitable<void> {
    outbound_request request;
    auto answer = co_await stream->exchange(std::move(request));
    out.emplace(std::move(answer));
  };
  asio::co_spawn(bed.context, ask(), asio::detached);
  REQUIRE(comes_true([&] {
    bed.turn();
    return receiver.received().size() == 2;
  }));
  bed.time.pass(15s);
  REQUIRE(comes_true([&] {
    bed.turn();
    return out.has_value();
  }));
  CHECK(out->error().code == errc::timed_out);
  CHECK(receiver.received().size() == 2);
}

TEST_CASE("a stream that has ended leaves its connection to the next request",
          "[client][lending]") {
  push_receiver receiver;
  receiver.script({answer_text(200, {}, "all")});
  client_bed bed;
  const auto stream = bed.client->lend(*parse_http_url(receiver.url("/")));
  std::string body;
  bool has_ended = false;
  const auto ask = [&]() -> awaitable<void> {
    outbound_request request;
    auto head = co_await stream->begin(std::move(request));
    for (bool more = head.has_value(); more;) {
      auto piece = co_await stream->more(1s);
      more = piece && !piece->empty();
      body += piece.value();
    }
    has_ended = true;
  };
  asio::co_spawn(bed.context, ask(), asio::detached);
  REQUIRE(comes_true([&] {
    bed.turn();
    return has_ended;
  }));
  CHECK(body == "all");
  CHECK(bed.client->idle_connections() == 1);
  CHECK(bed.exchange_once(receiver.url("/two"))->status == 204);
  CHECK(receiver.connections() == 1);
  CHECK(bed.client->connections_made() == 1);
}

TEST_CASE("no more connections than the bound are in use, and the wait for one has an end",
          "[client][lending]") {
  push_receiver receiver;
  receiver.hold();
  http_client_options options;
  options.bounds.exchanges_max = 1;
  client_bed bed{options};
  const auto url = *parse_http_url(receiver.url("/"));
  const auto first = bed.client->lend(url);
  const auto second = bed.client->lend(url);
  std::optional<result<outbound_answer>> refused;
  const auto ask = [&](std::shared_ptr<http_stream> on, bool notes) -> awaitable<void> {
    outbound_request request;
    request.timeout = notes ? 1s : 100s;
    auto answer = co_await on->exchange(std::move(request));
    if (notes)
      refused.emplace(std::move(answer));
  };
  asio::co_spawn(bed.context, ask(first, false), asio::detached);
  asio::co_spawn(bed.context, ask(second, true), asio::detached);
  REQUIRE(comes_true([&] {
    bed.turn();
    return receiver.received().size() == 1;
  }));
  bed.time.pass(1s);
  REQUIRE(comes_true([&] {
    bed.turn();
    return refused.has_value();
  }));
  CHECK(refused->error().code == errc::overloaded);
  CHECK(cause_of(refused->error()) == "busy");
  CHECK(receiver.connections() == 1);
  receiver.release();
  CHECK(bed.exchange(*second)->status == 204); // when the first has ended
  CHECK(receiver.connections() == 1);
}

TEST_CASE("connections are a part of the descriptors, and those to one target a part of them",
          "[client][lending]") {
  CHECK(connections_of(20'000) == 5'000);
  CHECK(connections_of(RLIM_INFINITY) == connections_in_total_max);
  CHECK(connections_of(64) == 16);
  push_receiver stalled;
  stalled.hold();
  push_receiver other;
  http_client_options options;
  client_bed bed;
  options.total = std::make_shared<admission_queue>(bed.clock, 8, 100);
  auto made = http_client::make(bed.context, bed.clock, std::move(options));
  REQUIRE(made.has_value());
  bed.client = std::move(*made);
  std::vector<std::shared_ptr<http_stream>> all;
  const auto begin = [](std::shared_ptr<http_stream> on) -> awaitable<void> {
    outbound_request request;
    static_cast<void>(co_await on->begin(std::move(request)));
  };
  for (int i = 0; i < 8; ++i) {
    all.push_back(bed.client->lend(*parse_http_url(stalled.url("/"))));
    asio::co_spawn(bed.context, begin(all.back()), asio::detached);
  }
  REQUIRE(comes_true([&] {
    bed.turn();
    return stalled.received().size() == 2;
  }));
  CHECK(bed.exchange_once(other.url("/"))->status == 204);
  CHECK(stalled.connections() == 2);
  for (const auto& each : all)
    each->close();
  stalled.release();
  for (int turns = 0; turns < 100; ++turns)
    bed.turn();
}

TEST_CASE("behind a proxy a server is reached through a tunnel, and its address is not seen",
          "[client][proxy]") {
  push_receiver proxy;
  proxy.script({"HTTP/1.1 200 Connection established\r\n\r\n"});
  http_client_options options;
  const auto setting = "http://user:pass@127.0.0.1:" + std::to_string(proxy.port());
  options.proxies = *proxy_rules::read(setting, [](const char*) -> const char* { return nullptr; });
  options.admit = [](const http_url&, const asio::ip::address&) -> result<void> {
    return make_error(errc::forbidden, "seen");
  };
  client_bed bed{options};
  CHECK(bed.exchange_once("http://inside.example:8080/x")->status == 204);
  const auto all = proxy.wait_for(2);
  CHECK(all[0].method == "CONNECT");
  CHECK(all[0].target == "inside.example:8080");
  CHECK(all[0].header("proxy-authorization") == "Basic dXNlcjpwYXNz");
  CHECK(all[1].target == "/x");
  CHECK(all[1].header("proxy-authorization").empty());
  CHECK(bed.exchange_once("http://inside.example:8080/y")->status == 204);
  CHECK(proxy.connections() == 1); // the tunnel is left over
}

TEST_CASE("a proxy that does not connect says so", "[client][proxy]") {
  push_receiver proxy;
  proxy.script({answer_text(403, "X-Why: no\r\n")});
  http_client_options options;
  options.proxies = *proxy_rules::read("127.0.0.1:" + std::to_string(proxy.port()),
                                       [](const char*) -> const char* { return nullptr; });
  client_bed bed{options};
  const auto refused = bed.exchange_once("https://inside.example/");
  REQUIRE(refused.has_error());
  CHECK(cause_of(refused.error()) == "proxy");
  CHECK(refused.error().message.find("(HTTP status 403)") != std::string::npos);
}

TEST_CASE("new certificates hold for new connections", "[client][tls]") {
  const auto old = make_test_certificate({"a.example"});
  push_receiver receiver(old);
  http_client_options options;
  options.resolve = [](const std::string&) -> result<addresses> {
    return addresses{asio::ip::make_address("127.0.0.1")};
  };
  client_bed bed{options};
  const auto url = "https://a.example:" + std::to_string(receiver.port()) + "/";
  CHECK(cause_of(bed.exchange_once(url).error()) == "tls");
  CHECK(bed.client->renew_tls({"no certificate", {}, {}}).has_error());
  CHECK(bed.client->renew_tls({old.certificate_pem, {}, {}}).has_value());
  CHECK(bed.exchange_once(url)->status == 204);
}

TEST_CASE("a client shows its certificate to a server that asks for it", "[client][tls]") {
  const auto there = make_test_certificate({"a.example"});
  const auto own = make_test_certificate({"client.example"});
  push_receiver receiver(there, own.certificate_pem);
  http_client_options options;
  options.resolve = [](const std::string&) -> result<addresses> {
    return addresses{asio::ip::make_address("127.0.0.1")};
  };
  options.trusted_pem = there.certificate_pem;
  const auto url = "https://a.example:" + std::to_string(receiver.port()) + "/";
  client_bed nobody{options};
  CHECK(nobody.exchange_once(url).has_error());
  options.certificate_pem = own.certificate_pem;
  options.key_pem = own.key_pem;
  client_bed known{options};
  CHECK(known.exchange_once(url)->status == 204);
  CHECK(receiver.received().size() == 1);
  const auto other = make_test_certificate({"client.example"});
  options.certificate_pem = other.certificate_pem;
  options.key_pem = other.key_pem;
  client_bed stranger{options};
  CHECK(stranger.exchange_once(url).has_error());
}

TEST_CASE("connections of several clients count together", "[client][lending]") {
  push_receiver receiver;
  receiver.hold();
  client_bed bed;
  http_client_options options;
  options.total = std::make_shared<admission_queue>(bed.clock, 1, 10);
  const auto one = http_client::make(bed.context, bed.clock, options).value();
  const auto two = http_client::make(bed.context, bed.clock, options).value();
  int answers = 0;
  const auto ask = [&](http_client* by) -> awaitable<void> {
    const auto stream = by->lend(*parse_http_url(receiver.url("/")));
    outbound_request request;
    const auto answer = co_await stream->exchange(std::move(request));
    answers += answer ? 1 : 0;
  };
  asio::co_spawn(bed.context, ask(one.get()), asio::detached);
  asio::co_spawn(bed.context, ask(two.get()), asio::detached);
  REQUIRE(comes_true([&] {
    bed.turn();
    return receiver.received().size() == 1;
  }));
  for (int i = 0; i < 1'000; ++i)
    bed.turn();
  CHECK(receiver.connections() == 1);
  receiver.release();
  CHECK(comes_true([&] {
    bed.turn();
    return answers == 2;
  }));
  CHECK(receiver.most_at_once() == 1);
}

TEST_CASE("streams of one target at the same time do not share a connection", "[client][lending]") {
  push_receiver receiver;
  receiver.hold();
  client_bed bed;
  const auto url = *parse_http_url(receiver.url("/"));
  const auto first = bed.client->lend(url);
  const auto second = bed.client->lend(url);
  int answers = 0;
  const auto ask = [&](std::shared_ptr<http_stream> on) -> awaitable<void> {
    outbound_request request;
    const auto answer = co_await on->exchange(std::move(request));
    answers += answer ? 1 : 0;
  };
  asio::co_spawn(bed.context, ask(first), asio::detached);
  asio::co_spawn(bed.context, ask(second), asio::detached);
  REQUIRE(comes_true([&] {
    bed.turn();
    return receiver.received().size() >= 2;
  }));
  receiver.release();
  REQUIRE(comes_true([&] {
    bed.turn();
    return answers >= 2;
  }));
  CHECK(receiver.connections() == 2);
  CHECK(bed.client->idle_connections() == 2);
}

TEST_CASE("a stream that waits has no buffer, whatever it has read before", "[client][lending]") {
  push_receiver receiver;
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
  const std::string events(std::size_t{40} << 10, 'e');
  const std::string chunk_begin = "5;" + std::string(500, 'x');
  receiver.script(
      {head + "\r\n" + events, head + "Transfer-Encoding: chunked\r\n\r\n" + chunk_begin});
  client_bed bed;
  std::size_t read = 0;
  std::size_t waits = 0;
  std::size_t ended = 0;
  const auto follow = [&](std::shared_ptr<http_stream> on) -> awaitable<void> {
    outbound_request request;
    auto begun = co_await on->begin(std::move(request));
    for (bool goes_on = begun.has_value(); goes_on;) {
      ++waits;
      const auto piece = co_await on->more(60s);
      goes_on = piece && !piece->empty();
      read += goes_on ? piece->size() : 0;
    }
    ++ended;
  };
  const auto url = *parse_http_url(receiver.url("/"));
  const auto first = bed.client->lend(url);
  asio::co_spawn(bed.context, follow(first), asio::detached);
  REQUIRE(comes_true([&] {
    bed.turn();
    return read == events.size();
  }));
  CHECK(waits > 1);
  CHECK(bed.client->memory()->held() == 0);

  // What the parser cannot use yet is kept, and it counts.
  const auto second = bed.client->lend(url);
  asio::co_spawn(bed.context, follow(second), asio::detached);
  CHECK(comes_true([&] {
    bed.turn();
    return bed.client->memory()->held() >= chunk_begin.size();
  }));
  CHECK(bed.client->memory()->held() < 2 * chunk_begin.size());
  first->close();
  second->close();
  REQUIRE(comes_true([&] {
    bed.turn();
    return ended == 2;
  }));
}

TEST_CASE("an unused connection is closed when its time is up, and their number is bounded",
          "[client][lending]") {
  push_receiver receiver;
  push_receiver other;
  http_client_options options;
  options.idle_connections_max = 1;
  options.idle_timeout = 10s;
  client_bed bed{options};
  CHECK(bed.exchange_once(receiver.url())->status == 204);
  CHECK(bed.exchange_once(other.url())->status == 204);
  CHECK(bed.client->idle_connections() == 1);
  bed.time.pass(9s);
  bed.turn();
  CHECK(bed.client->idle_connections() == 1);
  bed.time.pass(1s);
  bed.turn();
  CHECK(bed.client->idle_connections() == 0);
}

TEST_CASE("an exchange ends when its time is up by the clock that was handed in", "[client]") {
  push_receiver receiver;
  receiver.hold();
  client_bed bed;
  const auto stream = bed.client->lend(*parse_http_url(receiver.url()));
  std::optional<result<outbound_answer>> out;
  const auto ask = [&]() -> awaitable<void> {
    outbound_request request;
    auto answer = co_await stream->exchange(std::move(request));
    out.emplace(std::move(answer));
  };
  asio::co_spawn(bed.context, ask(), asio::detached);
  REQUIRE(comes_true([&] {
    bed.turn();
    return !receiver.received().empty();
  }));
  CHECK_FALSE(out);
  bed.time.pass(15s);
  REQUIRE(comes_true([&] {
    bed.turn();
    return out.has_value();
  }));
  REQUIRE(out->has_error());
  CHECK(out->error().code == errc::timed_out);
  CHECK(bed.client->idle_connections() == 0);
  receiver.release();
}

TEST_CASE("a client without threads looks names up in its owner's turn", "[client]") {
  push_receiver receiver;
  http_client_options options;
  int asked = 0;
  options.resolve = [&](const std::string&) -> result<addresses> {
    ++asked;
    return addresses{asio::ip::make_address("127.0.0.1")};
  };
  client_bed bed{options};
  CHECK(bed.exchange_once("http://name.example:" + std::to_string(receiver.port()) + "/")->status
        == 204);
  CHECK(asked == 1);
}

TEST_CASE("what a server repeats of its caller's secret is taken out of its words", "[client]") {
  std::string text = R"({"message":"denied Bearer tok-SECRET-1, tok-SECRET-1"})";
  net::mask(text, "tok-SECRET-1");
  CHECK(text == R"({"message":"denied Bearer ***, ***"})");
  net::mask(text, "denied"); // too short to be meant
  net::mask(text, "");
  CHECK(text == R"({"message":"denied Bearer ***, ***"})");
}

TEST_CASE("a text that is full of a secret is masked in one pass", "[client]") {
  constexpr std::size_t times = 300'000; // each replaced in its place would take minutes
  const std::string secret = "tok-SECRET-1";
  std::string text;
  for (std::size_t i = 0; i < times; ++i)
    text += secret + ",";
  net::mask(text, secret);
  CHECK(text.size() == times * 4);
  CHECK(text.starts_with("***,***,"));
  CHECK(text.find(secret) == std::string::npos);
}

TEST_CASE("a secret is taken out of JSON however its characters are written there", "[client]") {
  const std::string secret = "Zm9v/YmFy+a=\"\\u";
  const auto [written, masked] = GENERATE(table<std::string, std::string>({
      {R"("Zm9v\/YmFy+a=\"\\u")", R"("***")"},                               // PHP
      {R"("no: Zm9v/YmFy\u002Ba=\u0022\\u, again")", R"("no: ***, again")"}, // .NET
      {R"("\u005am9v\/YmFy\u002ba\u003d\"\u005cu")", R"("***")"},
      {R"("Zm9v\/YmFy+a=\"\\")", R"("Zm9v\/YmFy+a=\"\\")"}, // its last character is missing
      {R"("Zm9v\/YmFy\u002")", R"("Zm9v\/YmFy\u002")"},
      {R"("\)", R"("\)"},
  }));
  auto text = written;
  net::mask(text, secret);
  CHECK(text == masked);
}

TEST_CASE("silence is counted from what came last", "[client]") {
  push_receiver receiver;
  receiver.script({"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nfirst"});
  client_bed bed;
  const auto stream = bed.client->lend(*parse_http_url(receiver.url("/")));
  std::vector<std::string> pieces;
  std::optional<error> broken;
  const auto read = [&]() -> awaitable<void> {
    outbound_request request;
    auto head = co_await stream->begin(std::move(request));
    for (bool goes_on = head.has_value(); goes_on;) {
      auto piece = co_await stream->more(60s);
      goes_on = piece && !piece->empty();
      if (goes_on)
        bed.time.pass(50s); // so long it was not waited for
      if (goes_on)
        pieces.push_back(std::move(*piece));
      else if (!piece)
        broken = piece.error();
    }
  };
  asio::co_spawn(bed.context, read(), asio::detached);
  std::string all;
  REQUIRE(comes_true([&] {
    bed.turn();
    all.clear();
    for (const auto& each : pieces)
      all += each;
    return all == "first";
  }));
  bed.time.pass(55s);
  bed.turn();
  CHECK_FALSE(broken);
  bed.time.pass(5s);
  REQUIRE(comes_true([&] {
    bed.turn();
    return broken.has_value();
  }));
  CHECK(broken->code == errc::timed_out);
  CHECK_THAT(broken->message, ContainsSubstring("60000 ms"));
}

TEST_CASE("a chunk whose own head does not end breaks the answer off", "[client]") {
  push_receiver receiver;
  receiver.script({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;"
                   + std::string(std::size_t{1} << 20, 'x')});
  client_bed bed;
  const auto answer = bed.exchange_once(receiver.url("/"));
  REQUIRE(answer.has_value());
  CHECK_FALSE(answer->is_whole);
}

TEST_CASE("an answer that is read slowly on purpose has more time", "[client]") {
  push_receiver receiver;
  const std::string body(8 * paced_block_bytes, 'x');
  receiver.script({answer_text(200, {}, body)});
  http_client_options options;
  options.timeout = 3s;
  options.answer_bytes_max = body.size();
  options.pace = std::make_shared<read_pace>(1, 1); // so 7 of the 8 blocks take 7 seconds
  client_bed bed(std::move(options));
  const auto stream = bed.client->lend(*parse_http_url(receiver.url("/")));
  const auto began = bed.time.steady();
  const auto answer = bed.exchange(*stream, true, 10ms);
  REQUIRE(answer.has_value());
  CHECK(answer->is_whole);
  CHECK(answer->body == body);
  CHECK(bed.time.steady() - began >= 6s);
}

TEST_CASE("the heads of chunks are read no faster than a server may send what is of no use",
          "[client]") {
  std::string chunks;
  for (int i = 0; i < 64; ++i)
    chunks += "1;" + std::string(paced_block_bytes / 8, 'x') + "\r\na\r\n";
  chunks += "0\r\n\r\n";
  const auto framing = chunks.size() - 64;
  chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks;
  push_receiver receiver;
  receiver.script({chunks});
  http_client_options options;
  const auto pace = options.pace = std::make_shared<read_pace>(1, 4);
  client_bed bed(std::move(options));
  const auto stream = bed.client->lend(*parse_http_url(receiver.url("/")));

  SECTION("of an answer that is read as a whole") {
    const auto began = bed.time.steady();
    const auto answer = bed.exchange(*stream, true, 10ms);
    REQUIRE(answer.has_value());
    CHECK(answer->body == std::string(64, 'a'));
    CHECK(bed.time.steady() - began >= 3s); // eight blocks, of which four come at once
    CHECK(pace->take(bed.time.steady(), 4) > bed.time.steady()); // they are not given back
  }
  SECTION("and counted for the reader of a stream") {
    std::size_t counted = 0;
    std::string body;
    bool has_ended = false;
    const auto read = [&]() -> awaitable<void> {
      outbound_request request;
      const auto head = co_await stream->begin(std::move(request));
      for (bool goes_on = head.has_value(); goes_on;) {
        const auto piece = co_await stream->more(10s);
        goes_on = piece && !piece->empty();
        if (goes_on)
          body += *piece;
        counted += stream->take_framing_bytes();
      }
      has_ended = true;
    };
    asio::co_spawn(bed.context, read(), asio::detached);
    REQUIRE(comes_true([&] {
      bed.turn();
      return has_ended;
    }));
    CHECK(body == std::string(64, 'a'));
    CHECK(counted <= framing);
    CHECK(counted > framing - paced_block_bytes / 4); // what came behind the last byte may be left
  }
}

TEST_CASE("an answer for which there is no memory fails, and gives all of it back", "[client]") {
  push_receiver receiver;
  const std::string body(std::size_t{300} << 10, 'x');
  receiver.script({answer_text(200, {}, body), answer_text(200, {}, body)});
  http_client_options options;
  options.answer_bytes_max = std::size_t{1} << 20;
  options.memory = std::make_shared<memory_budget>(std::size_t{1} << 20); // a quarter is 256 KiB
  const auto memory = options.memory;
  client_bed bed(std::move(options));
  const auto refused = bed.exchange_once(receiver.url("/"));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::overloaded);
  CHECK(cause_of(refused.error()) == "memory");
  CHECK_THAT(refused.error().message, ContainsSubstring("25 % of limits.memory"));
  CHECK(memory->held(memory_account::remote_exchanges) == 0);
  CHECK(bed.client->memory()->held() == 0);
}

TEST_CASE("a stream that is closed once all has come leaves its connection to the next request",
          "[client][lending]") {
  push_receiver receiver;
  receiver.script({answer_text(200, {}, "all")});
  client_bed bed;
  auto stream = bed.client->lend(*parse_http_url(receiver.url("/")));
  std::string body;
  const auto ask = [&]() -> awaitable<void> {
    outbound_request request;
    auto head = co_await stream->begin(std::move(request));
    while (head && body.size() < 3) {
      auto piece = co_await stream->more(1s);
      body += piece.value();
    }
  };
  asio::co_spawn(bed.context, ask(), asio::detached);
  REQUIRE(comes_true([&] {
    bed.turn();
    return body == "all";
  }));
  stream.reset();
  CHECK(bed.client->idle_connections() == 1);
  CHECK(bed.exchange_once(receiver.url("/two"))->status == 204);
  CHECK(bed.client->connections_made() == 1);
}
