// The server's own life: ports, readiness, draining.
#include "net/http/accept_failures.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/passing_store.hpp"
#include <troupe/net/server.hpp>

#include <boost/json/parse.hpp>

#include <array>
#include <atomic>
#include <climits>
#include <future>
#include <thread>

#include <netdb.h>
#include <unistd.h>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr std::chrono::seconds long_enough{20};

/// A store that breaks at what one request asks of it.
class broken_store final : public passing_store {
public:
  using passing_store::read_placement;
  void read_placement(const task_id&, read_done<placement>, const std::string&) const override {
    throw std::runtime_error("secret of the disk");
  }
};

/// Its disk is gone once the test says so.
class unreadable_store final : public passing_store {
public:
  using passing_store::list;
  using passing_store::read_placement;
  void read_task(const task_id& id, read_done<task_ptr> done,
                 const std::string& client) const override {
    is_gone ? done(gone()) : passing_store::read_task(id, std::move(done), client);
  }
  void read_placement(const task_id& id, read_done<placement> done,
                      const std::string& client) const override {
    is_gone ? done(gone()) : passing_store::read_placement(id, std::move(done), client);
  }
  void list(const list_tasks& query, read_done<task_page> done,
            const std::string& client) const override {
    is_gone ? done(gone()) : passing_store::list(query, std::move(done), client);
  }
  void snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                     const std::string& client) override {
    is_gone ? done(gone())
            : passing_store::snapshot_task(id, std::move(who), std::move(done), client);
  }
  std::atomic<bool> is_gone{false};

private:
  static error gone() { return make_error(errc::store_unreadable, "the disk is gone"); }
};

/// Drains on another thread; the gateway says when it has begun.
std::thread begin_drain(const net_bed& bed) {
  std::thread out([&] { bed.web->drain(long_enough); });
  if (!comes_true([&] { return bed.main_gateway->draining(); }))
    throw std::runtime_error("draining did not begin");
  return out;
}

} // namespace

TEST_CASE("a port in use is explained", "[net][server]") {
  const net_bed bed;
  server_options options;
  options.port = bed.port;
  server second(*bed.main_gateway, options);
  const auto port = second.start();
  REQUIRE_FALSE(port.has_value());
  CHECK(port.error().code == errc::unavailable);
  CHECK_THAT(port.error().message, ContainsSubstring("127.0.0.1 port " + std::to_string(bed.port)));
  CHECK_THAT(port.error().message, ContainsSubstring("in use"));
  CHECK(bed.connect().get("/healthz").status == 200);
}

TEST_CASE("a server does not start with a host that no request can have", "[net][server]") {
  const net_bed bed;
  server_options options;
  options.port = 0;
  options.allowed_hosts = {"box.example:8080"};
  server other(*bed.main_gateway, options);
  const auto port = other.start();
  REQUIRE_FALSE(port.has_value());
  CHECK(port.error().code == errc::invalid_params);
  CHECK_THAT(port.error().message, ContainsSubstring("allowed-hosts: \"box.example:8080\""));
}

TEST_CASE("an address that is not ours is explained", "[net][server]") {
  const net_bed bed;
  server_options options;
  options.port = 0;
  options.address = "192.0.2.1"; // TEST-NET-1, RFC 5737
  server other(*bed.main_gateway, options);
  const auto port = other.start();
  REQUIRE_FALSE(port.has_value());
  CHECK_THAT(port.error().message, ContainsSubstring("192.0.2.1"));
  CHECK_THAT(port.error().message, ContainsSubstring("no such address"));
}

TEST_CASE("that no connection can be accepted is said once, and so is that it is over",
          "[net][server]") {
  net::accept_failures failures;
  const net::error_code none_free =
      boost::system::errc::make_error_code(boost::system::errc::too_many_files_open);
  CHECK(failures.on_accepted().empty());
  CHECK(failures.on_failed(net::asio::error::connection_aborted).empty());
  CHECK_THAT(failures.on_failed(none_free), ContainsSubstring("file descriptors"));
  CHECK(failures.on_failed(none_free).empty());
  CHECK(failures.on_failed(net::asio::error::connection_aborted).empty());
  CHECK_FALSE(failures.on_accepted().empty());
  CHECK(failures.on_accepted().empty());
  CHECK_FALSE(failures.on_failed(none_free).empty());
}

TEST_CASE("a server at all addresses has the machine's name in its card, or the configured one",
          "[net][server]") {
  const net_bed bed;
  server_options options;
  options.port = 0;
  options.address = GENERATE(as<std::string>{}, "0.0.0.0", "::");
  server nameless(*bed.main_gateway, options);
  const auto port = nameless.start();
  if (!port && options.address == "::") {
    WARN("skipped: no IPv6 here: " + port.error().message);
    return;
  }
  REQUIRE(port.has_value());
  std::array<char, HOST_NAME_MAX + 1> machine{};
  REQUIRE(::gethostname(machine.data(), machine.size() - 1) == 0);
  const auto url = "http://" + std::string(machine.data()) + ":" + std::to_string(*port) + "/";
  CHECK(nameless.public_url() == url);
  const auto card = boost::json::parse(http_client(*port).get("/.well-known/agent-card.json").body);
  CHECK(at(card, "/supportedInterfaces/0/url") == url);
  CHECK(boost::json::serialize(card).find(options.address + ":") == std::string::npos);
  CHECK(boost::json::serialize(card).find("[" + options.address + "]") == std::string::npos);
  http_client by_name(*port);
  by_name.send("GET /healthz HTTP/1.1\r\nHost: " + std::string(machine.data()) + "\r\n\r\n");
  CHECK(by_name.receive().status == 200);

  options.card.url = "https://agents.example/a2a";
  server named(*bed.main_gateway, options);
  const auto other = named.start();
  REQUIRE(other.has_value());
  CHECK(named.public_url() == "https://agents.example/a2a");
  const auto told =
      boost::json::parse(http_client(*other).get("/.well-known/agent-card.json").body);
  CHECK(at(told, "/supportedInterfaces/0/url") == "https://agents.example/a2a");
}

TEST_CASE("a name is an address, and port 0 is a real port", "[net][server]") {
  const net_bed bed;
  server_options options;
  options.port = 0;
  options.address = "localhost";
  addrinfo* found = nullptr;
  if (const int why = ::getaddrinfo("localhost", nullptr, nullptr, &found); why != 0) {
    WARN("skipped: this machine does not resolve localhost: " << ::gai_strerror(why));
    return;
  }
  ::freeaddrinfo(found);
  server other(*bed.main_gateway, options);
  const auto port = other.start();
  REQUIRE(port.has_value());
  CHECK(*port != 0);
  CHECK(other.url() == "http://localhost:" + std::to_string(*port) + "/");
}

TEST_CASE("a server that was never started, or is gone, leaves nothing behind", "[net][server]") {
  const net_bed bed;
  {
    server idle(*bed.main_gateway, {});
    idle.drain(std::chrono::milliseconds(0));
  }
  // Ended in the middle of everything: a blocking send, a stream, a request half sent.
  net_bed busy({}, "puppet");
  auto sending = busy.connect();
  sending.send(http_client::post_text(rpc("SendMessage", text_message("x"))));
  auto streaming = busy.connect();
  streaming.send(http_client::post_text(rpc("SendStreamingMessage", text_message("x"))));
  CHECK(streaming.receive_head().status == 200);
  auto half = busy.connect();
  half.send("POST / HT");
  static_cast<void>(busy.puppet->port(1));
  busy.web.reset();
  CHECK(half.is_closed());
  // What its watchers would have seen goes nowhere.
  busy.puppet->port(0)->report(report_completed{});
  busy.puppet->port(1)->report(report_completed{});
}

TEST_CASE("draining ends streams with an event, sends with the task, and closes", "[net][server]") {
  const net_bed bed({}, "puppet");
  auto sending = bed.connect();
  sending.send(http_client::post_text(rpc("SendMessage", text_message("x"))));
  static_cast<void>(bed.puppet->port(0));
  auto streaming = bed.connect();
  streaming.send(http_client::post_text(rpc("SendStreamingMessage", text_message("x"))));
  CHECK(streaming.receive_head().status == 200);
  REQUIRE(streaming.next_event());
  REQUIRE(streaming.next_event());
  static_cast<void>(bed.puppet->port(1));

  bed.web->drain(long_enough);

  const auto answer = sending.receive();
  CHECK_THAT(answer.body, ContainsSubstring("TASK_STATE_WORKING"));
  CHECK(answer.header("connection") == "close");
  CHECK(sending.is_closed());
  const auto last = streaming.next_event();
  REQUIRE(last);
  CHECK(at(boost::json::parse(*last), "/error/code") == "-32603");
  CHECK_THAT(*last, ContainsSubstring("resubscribe"));
  CHECK_FALSE(streaming.next_event());
  CHECK(streaming.is_closed());
  CHECK_THROWS(bed.connect());
}

TEST_CASE("a request that arrives while the server drains is refused with 503", "[net][server]") {
  server_options options;
  options.drain_idle_grace = long_enough;
  const net_bed bed(options, "puppet");
  auto half = bed.connect();
  const auto text = http_client::post_text(rpc("SendMessage", text_message("x")));
  half.send(text.substr(0, 10));
  auto idle = bed.connect();
  CHECK(idle.get("/readyz").status == 200);
  auto asking = bed.connect();
  CHECK(asking.get("/healthz").status == 200);
  auto draining = begin_drain(bed);
  REQUIRE(comes_true([&] {
    try {
      static_cast<void>(bed.connect());
      return false;
    } catch (const std::runtime_error&) {
      return true; // it no longer listens
    }
  }));
  const auto not_ready = idle.get("/readyz");
  CHECK(not_ready.status == 503);
  CHECK_THAT(not_ready.body, ContainsSubstring("draining"));
  CHECK(asking.get("/healthz").status == 200);
  half.send(text.substr(10));
  const auto answer = half.receive();
  CHECK(answer.status == 503);
  CHECK(answer.header("retry-after") == "1");
  CHECK(answer.header("connection") == "close");
  half.close();
  idle.close();
  asking.close();
  draining.join();
}

TEST_CASE("idle connections do not hold up the end", "[net][server]") {
  server_options options;
  options.drain_idle_grace = std::chrono::milliseconds(8);
  const net_bed bed(options);
  auto idle = bed.connect();
  CHECK(idle.get("/healthz").status == 200);
  bed.web->drain(long_enough);
  CHECK(idle.is_closed());
  CHECK(bed.web->load().connections == 0);
}

TEST_CASE("many clients at once get their own answers", "[net][server]") {
  const net_bed bed;
  std::vector<std::future<int>> all;
  for (int c = 0; c < 16; ++c)
    all.push_back(std::async(std::launch::async, [&bed, c] {
      auto client = bed.connect();
      int wrong = 0;
      for (int i = 0; i < 50; ++i) {
        const auto text = std::to_string(c) + "/" + std::to_string(i);
        const auto answer = boost::json::parse(
            client.post(rpc("SendMessage", text_message(text), std::to_string(i))).body);
        wrong += at(answer, "/id") != std::to_string(i)
                 || at(answer, "/result/task/artifacts/0/parts/0/text") != text;
      }
      return wrong;
    }));
  for (auto& one : all)
    CHECK(one.get() == 0);
}

TEST_CASE("only the operator sees the details of a fault in a request", "[net][server]") {
  std::string said;
  server_options options;
  options.warn = [&](std::string_view line) { said = line; };
  const net_bed bed(options, "echo", std::make_unique<broken_store>());
  auto client = bed.connect();
  const auto answer = client.post(rpc("GetTask", R"({"id":"t"})"));
  CHECK(answer.status == 500);
  CHECK_THAT(answer.body, ContainsSubstring("an unexpected fault"));
  CHECK_THAT(answer.body, !ContainsSubstring("secret"));
  CHECK_THAT(said, ContainsSubstring("secret of the disk"));
  CHECK(bed.connect().get("/healthz").status == 200);
}

TEST_CASE("a disk that cannot be read is told apart from a task that does not exist",
          "[net][http][reads]") {
  auto owned = std::make_unique<unreadable_store>();
  auto& records = *owned;
  const net_bed bed({}, "echo", std::move(owned));
  const auto id = at(bed.result_of("SendMessage", text_message("hello")), "/task/id");
  CHECK(bed.connect().request("GET", "/tasks/nothing").status == 404);
  records.is_gone = true;
  for (const auto& path : {"/tasks/" + id, "/tasks/" + id + ":subscribe", std::string("/tasks")}) {
    CAPTURE(path);
    const auto refused = bed.connect().request("GET", path);
    CHECK(refused.status == 503);
    CHECK(at(boost::json::parse(refused.body), "/error/details/0/reason") == "STORE_UNREADABLE");
  }
  for (const auto* method : {"GetTask", "ListTasks"}) {
    CAPTURE(method);
    const auto refused = bed.connect().post(rpc(method, R"({"id":")" + id + R"("})"));
    CHECK(refused.status == 503);
    CHECK(at(boost::json::parse(refused.body), "/error/data/0/reason") == "STORE_UNREADABLE");
  }
  records.is_gone = false;
  CHECK(bed.connect().request("GET", "/tasks/" + id).status == 200);
}
