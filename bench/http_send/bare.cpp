// The floor under `SendMessage`: the least that a Boost.Beast + Boost.JSON server can do for the
// same request and the same answer. It reads the HTTP request, parses the JSON-RPC body, takes the
// fields any server must look at, and answers a completed task of the shape and size that Troupe
// answers. No actors, no store, no directory, no limits but the body's. One event loop and one
// thread each, connections dealt out in turn; coroutines, as in net/.
//
//   troupe_http_bare [--threads N]     prints "listening on 127.0.0.1:PORT", runs until SIGTERM
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace json = boost::json;
using tcp = asio::ip::tcp;

// The concrete executor everywhere, as in client/io.hpp: the type-erased default costs an
// allocation per operation.
using io_executor = asio::io_context::executor_type;
using tcp_socket = asio::basic_stream_socket<tcp, io_executor>;
using tcp_acceptor = asio::basic_socket_acceptor<tcp, io_executor>;
template<class T>
using awaitable = asio::awaitable<T, io_executor>;
constexpr asio::use_awaitable_t<io_executor> use_awaitable;

/// What a server must find in the request before it can do anything for it.
struct request_fields {
  json::string_view text;
  json::string_view message_id;
};

bool read_fields(const json::value& body, request_fields& out) {
  const auto* root = body.if_object();
  const auto* method = root ? root->if_contains("method") : nullptr;
  const auto* params = root ? root->if_contains("params") : nullptr;
  if (!method || !method->is_string() || method->get_string() != "SendMessage" || !params
      || !params->is_object())
    return false;
  const auto* message = params->get_object().if_contains("message");
  if (!message || !message->is_object())
    return false;
  const auto* id = message->get_object().if_contains("messageId");
  const auto* parts = message->get_object().if_contains("parts");
  if (!id || !id->is_string() || !parts || !parts->is_array() || parts->get_array().empty())
    return false;
  const auto* part = parts->get_array()[0].if_object();
  const auto* text = part ? part->if_contains("text") : nullptr;
  if (!text || !text->is_string())
    return false;
  out = {text->get_string(), id->get_string()};
  return true;
}

void append_string(std::string& out, json::string_view text) {
  out += json::serialize(text);
}

/// The answer of a server whose default agent echoes: ids, status, one artifact, the request as
/// history. Ids and times are made up and of constant size.
std::string answer(const json::value& body) {
  request_fields fields;
  std::string out;
  out.reserve(640);
  out += R"({"jsonrpc":"2.0","id":)";
  const auto* id = body.is_object() ? body.get_object().if_contains("id") : nullptr;
  out += id ? json::serialize(*id) : "null";
  if (!read_fields(body, fields)) {
    out += R"(,"error":{"code":-32602,"message":"invalid params"}})";
    return out;
  }
  out +=
      R"(,"result":{"task":{"id":"task-0123456789abcd","contextId":"ctx-0123456789abcd","status":)"
      R"({"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-02T03:04:05.678Z"},"artifacts":[)"
      R"({"artifactId":"artifact-0123456789abcd","name":"echo","parts":[{"text":)";
  append_string(out, fields.text);
  out += R"(}]}],"history":[{"messageId":)";
  append_string(out, fields.message_id);
  out +=
      R"(,"contextId":"ctx-0123456789abcd","taskId":"task-0123456789abcd","role":"ROLE_USER","parts":[{"text":)";
  append_string(out, fields.text);
  out += R"(}]}]}}})";
  return out;
}

awaitable<void> serve(tcp_socket stream) {
  boost::system::error_code ec;
  stream.set_option(tcp::no_delay(true), ec);
  beast::flat_buffer buffer;
  std::array<unsigned char, 8192> scratch;
  for (;;) {
    http::request_parser<http::string_body> parser;
    parser.body_limit(1 << 20);
    co_await http::async_read(stream, buffer, parser, asio::redirect_error(use_awaitable, ec));
    if (ec)
      co_return;
    http::response<http::string_body> reply{http::status::ok, 11};
    reply.set(http::field::content_type, "application/json");
    reply.keep_alive(parser.get().keep_alive());
    {
      json::monotonic_resource memory(scratch.data(), scratch.size());
      const auto body = json::parse(parser.get().body(), ec, &memory);
      if (ec)
        reply.result(http::status::bad_request);
      else
        reply.body() = answer(body);
    }
    reply.prepare_payload();
    co_await http::async_write(stream, reply, asio::redirect_error(use_awaitable, ec));
    if (ec || reply.need_eof())
      co_return;
  }
}

using loops = std::vector<std::unique_ptr<asio::io_context>>;

awaitable<void> accept_all(tcp_acceptor& acceptor, loops& all) {
  std::size_t next = 0;
  for (;;) {
    auto& loop = *all[next++ % all.size()];
    auto socket = co_await acceptor.async_accept(loop, use_awaitable);
    asio::co_spawn(loop, serve(std::move(socket)), asio::detached);
  }
}

} // namespace

int main(int argc, char** argv) {
  std::size_t threads = 2;
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::string_view(argv[i]) == "--threads")
      std::from_chars(argv[i + 1], argv[i + 1] + std::strlen(argv[i + 1]), threads);
  if (threads == 0)
    threads = 1;
  loops all;
  std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards;
  for (std::size_t i = 0; i < threads; ++i) {
    all.push_back(std::make_unique<asio::io_context>(1));
    guards.push_back(asio::make_work_guard(*all.back()));
  }
  tcp_acceptor acceptor(*all.front(), {asio::ip::address_v4::loopback(), 0});
  std::printf("listening on 127.0.0.1:%u\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  asio::co_spawn(*all.front(), accept_all(acceptor, all), asio::detached);
  asio::signal_set signals(*all.front(), SIGTERM, SIGINT);
  signals.async_wait([&](auto, int) {
    for (auto& loop : all)
      loop->stop();
  });
  std::vector<std::thread> workers;
  for (std::size_t i = 1; i < threads; ++i)
    workers.emplace_back([&loop = *all[i]] { loop.run(); });
  all.front()->run();
  for (auto& worker : workers)
    worker.join();
  return 0;
}
