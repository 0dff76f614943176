// A client under load: N requests at once over kept connections, on one thread, for a while. Either
// our client (`troupe`), or the least that Beast can do for the same exchange (`beast`): write,
// read, check. Every answer is checked: HTTP 200, and a completed task.
//
//   troupe_client_requests --with troupe|beast --port P [--at-once N] [--seconds S] [--warmup S]
//   [--params JSON] [--once 1]
//
// `--params`: of SendMessage; each `@` in it becomes the number of the request. `--once`: one
// request with bare Beast, whose task need not have completed; prints {}.
//
// Prints one line: {"requests", "requests_per_s", "cpu_us", "connections"} and the latencies
// (bench/support/latency.hpp). `cpu_us`: of this process, for a request. `connections`: made after
// the warm-up.
#include "bench/client/load_options.hpp"
#include "bench/support/histogram.hpp"
#include "bench/support/latency.hpp"
#include "bench/support/process.hpp"
#include "client/http_client.hpp"
#include "client/timers.hpp"
#include "protocol/opt/codec_opt.hpp"
#include <troupe/protocol/time_source.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace {

using namespace troupe;
using namespace troupe::bench;
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using net::awaitable;
using net::use_awaitable;
using steady = std::chrono::steady_clock;

constexpr const char* plain_params =
    R"({"message":{"messageId":"m@","role":"ROLE_USER","parts":[{"text":"What is the weather like)"
    R"( in Paris today?"}]}})";

/// Request by request.
class bodies {
public:
  explicit bodies(std::string params) : params_(std::move(params)) {}

  std::string next() {
    char number[20];
    std::snprintf(number, sizeof number, "%010zu", ++count_);
    std::string out = R"({"jsonrpc":"2.0","id":"r)" + std::string(number)
                      + R"(","method":"SendMessage","params":)" + params_ + "}";
    for (auto at = out.find('@'); at != std::string::npos; at = out.find('@', at))
      out.replace(at, 1, number);
    return out;
  }

private:
  std::string params_;
  std::size_t count_ = 0;
};

struct measured {
  explicit measured(bodies given) : texts(std::move(given)) {}

  steady::time_point begin;
  steady::time_point end;
  std::uint64_t requests = 0;
  std::uint64_t connections_before = 0;
  double cpu_before = -1;
  double cpu_after = 0;
  std::size_t running = 0;
  bool is_once = false;
  bodies texts;
  histogram latencies_ns;

  /// An answer came; whether another request is sent.
  bool note(steady::time_point sent, unsigned status, std::string_view said) {
    if (is_once && status == 200 && said.find("\"result\"") != std::string_view::npos)
      return false;
    if (status != 200 || said.find("\"TASK_STATE_COMPLETED\"") == std::string_view::npos)
      fail("wrong answer: " + std::to_string(status) + " " + std::string(said));
    const auto now = steady::now();
    if (now >= begin && now < end) {
      if (cpu_before < 0)
        cpu_before = cpu_seconds();
      ++requests;
      latencies_ns.add(static_cast<std::uint64_t>((now - sent).count()));
    }
    if (now >= end)
      cpu_after = cpu_seconds();
    return now < end;
  }
};

awaitable<void> ask_with_troupe(net::http_client& client, http_url to, measured& all) {
  ++all.running;
  for (bool more = true; more;) {
    const auto sent = steady::now();
    const auto stream = client.lend(to);
    net::outbound_request request;
    request.headers.emplace_back("Content-Type", "application/json");
    request.headers.emplace_back("A2A-Version", "1.0");
    request.headers.emplace_back("A2A-Extensions", std::string(opt::uri));
    request.body = all.texts.next();
    request.timeout = std::chrono::seconds(60);
    request.may_repeat = false; // a send
    const auto answer = co_await stream->exchange(std::move(request));
    if (!answer)
      fail(answer.error().message);
    if (all.cpu_before < 0)
      all.connections_before = client.connections_made();
    more = all.note(sent, answer->status, answer->body);
  }
  --all.running;
}

awaitable<void> ask_with_beast(net::tcp_socket socket, std::string host, measured& all) {
  ++all.running;
  beast::flat_buffer input;
  boost::system::error_code ec;
  for (bool more = true; more;) {
    const auto sent = steady::now();
    http::request<http::string_body> request(http::verb::post, "/", 11);
    request.set(http::field::host, host);
    request.set(http::field::content_type, "application/json");
    request.set("A2A-Version", "1.0");
    request.set("A2A-Extensions", std::string(opt::uri));
    request.body() = all.texts.next();
    request.prepare_payload();
    co_await http::async_write(socket, request, asio::redirect_error(use_awaitable, ec));
    http::response_parser<http::string_body> parser;
    if (!ec)
      co_await http::async_read(socket, input, parser, asio::redirect_error(use_awaitable, ec));
    if (ec)
      fail(ec.message());
    more = all.note(sent, parser.get().result_int(), parser.get().body());
  }
  --all.running;
}

} // namespace

int main(int argc, char** argv) {
  const load_options how(argc, argv);
  const auto port = static_cast<std::uint16_t>(how.count("--port", 0));
  const bool is_once = how.count("--once", 0) != 0;
  const auto at_once = is_once ? 1 : how.count("--at-once", 64);
  const auto seconds = how.number("--seconds", 3);
  const auto span = [](double value) {
    return std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(value));
  };
  asio::io_context context(1);
  const auto clock = std::make_shared<net::timers>(context, system_time());
  clock->use_alarm();
  measured all{bodies(how.text("--params", plain_params))};
  all.begin = steady::now() + span(how.number("--warmup", 1));
  all.end = all.begin + span(seconds);
  std::unique_ptr<net::http_client> client;
  std::uint64_t connections = 0;
  all.is_once = is_once;
  if (!is_once && how.text("--with", "troupe") == "troupe") {
    net::http_client_options options;
    options.idle_connections_max = at_once;
    auto made = net::http_client::make(context, clock, std::move(options));
    if (!made)
      fail(made.error().message);
    client = std::move(*made);
    const auto to = parse_http_url("http://127.0.0.1:" + std::to_string(port) + "/");
    for (std::size_t i = 0; i < at_once; ++i)
      asio::co_spawn(context, ask_with_troupe(*client, *to, all), asio::detached);
  } else {
    for (std::size_t i = 0; i < at_once; ++i) {
      net::tcp_socket socket(context);
      socket.connect({asio::ip::address_v4::loopback(), port});
      socket.set_option(asio::ip::tcp::no_delay(true));
      asio::co_spawn(context,
                     ask_with_beast(std::move(socket), "127.0.0.1:" + std::to_string(port), all),
                     asio::detached);
    }
  }
  do
    context.run_one_for(std::chrono::seconds(10));
  while (all.running > 0);
  if (client)
    connections = client->connections_made() - all.connections_before;
  if (is_once) {
    std::printf("{}\n");
    return 0;
  }
  if (all.requests == 0)
    fail("not one answer in the measured time");
  auto line = json_of(latencies_of(all.latencies_ns));
  line["requests"] = all.requests;
  line["requests_per_s"] = static_cast<double>(all.requests) / seconds;
  line["cpu_us"] = (all.cpu_after - all.cpu_before) * 1e6 / static_cast<double>(all.requests);
  line["connections"] = connections;
  std::printf("%s\n", boost::json::serialize(line).c_str());
  clock->close();
  return 0;
}
