#include "bench/llm/bare_reader.hpp"

#include "bench/support/harness.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

namespace troupe::bench {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::string_view content_key = R"("content":")";

void read_stream(std::uint16_t port, std::size_t tokens, token_reader& into) {
  asio::io_context context;
  tcp::socket socket(context);
  socket.connect({asio::ip::address_v4::loopback(), port});
  const auto body = R"({"model":"steady","stream":true,"max_tokens":)" + std::to_string(tokens)
                    + R"(,"messages":[{"role":"user","content":"x"}]})";
  asio::write(socket, asio::buffer("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                                   "Content-Type: application/json\r\nContent-Length: "
                                   + std::to_string(body.size()) + "\r\n\r\n" + body));
  std::string input;
  for (boost::system::error_code ended; !ended;) {
    const auto end = asio::read_until(socket, asio::dynamic_buffer(input), "\n\n", ended);
    if (const auto at = input.substr(0, end).find(content_key); at != std::string::npos) {
      const auto begin = at + content_key.size();
      into.take(input.substr(begin, input.find('"', begin) - begin));
    }
    input.erase(0, end);
  }
}

} // namespace

void token_reader::take(std::string_view text) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  begun_ += text;
  for (std::size_t end = 0; (end = begun_.find(' ')) != std::string::npos;
       begun_.erase(0, end + 1)) {
    const auto sent = std::stoll(begun_.substr(0, end));
    is_in_order_ = is_in_order_ && sent > last_ && sent <= now;
    last_ = sent;
    delays_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(now - sent, 0)));
  }
}

histogram read_streams(std::uint16_t port, std::size_t streams, std::size_t tokens) {
  std::vector<token_reader> readers(streams);
  std::vector<std::exception_ptr> failed(streams);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < streams; ++i)
    threads.emplace_back([&, i] {
      try {
        read_stream(port, tokens, readers[i]);
      } catch (...) {
        failed[i] = std::current_exception();
      }
    });
  for (auto& each : threads)
    each.join();
  histogram out;
  for (std::size_t i = 0; i < streams; ++i) {
    if (failed[i])
      std::rethrow_exception(failed[i]);
    check(readers[i].delays().count() == tokens && readers[i].is_in_order(),
          "a stream lost tokens, or mixed them up");
    out.add(readers[i].delays());
  }
  return out;
}

} // namespace troupe::bench
