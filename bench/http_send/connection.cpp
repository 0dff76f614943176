#include "bench/http_send/connection.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

/// Digits of the request's number, in the JSON-RPC id and in the messageId: a constant size keeps
/// Content-Length constant.
constexpr std::size_t number_digits = 10;

void write_number(char* to, std::uint64_t number) {
  for (auto i = number_digits; i-- > 0; number /= 10)
    to[i] = static_cast<char>('0' + number % 10);
}

} // namespace

void fail(const std::string& text) {
  std::fprintf(stderr, "troupe_http_load: %s\n", text.c_str());
  std::exit(1);
}

request_text make_request(std::uint16_t port) {
  const std::string blank(number_digits, '0');
  const std::string before_id = R"({"jsonrpc":"2.0","id":"r)";
  const std::string before_message =
      R"(","method":"SendMessage","params":{"message":{"messageId":"m)";
  const std::string rest =
      R"(","role":"ROLE_USER","parts":[{"text":"What is the weather like in Paris today?"}]}}})";
  const auto size = before_id.size() + before_message.size() + rest.size() + 2 * number_digits;
  request_text made;
  made.text = "POST / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port)
              + "\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nContent-Length: "
              + std::to_string(size) + "\r\n\r\n" + before_id;
  made.id_at = made.text.size();
  made.text += blank + before_message;
  made.message_at = made.text.size();
  made.text += blank + rest;
  return made;
}

connection::connection(std::uint16_t port, request_text request) : request_(std::move(request)) {
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket_ < 0 || ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
    fail(std::string("cannot connect: ") + std::strerror(errno));
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void connection::close() {
  ::close(socket_);
}

// The request fits the socket's buffer, which is empty: one write takes it whole.
void connection::send(std::uint64_t number) {
  write_number(request_.text.data() + request_.id_at, number);
  write_number(request_.text.data() + request_.message_at, number);
  filled_ = 0;
  total_ = 0;
  const auto n = ::send(socket_, request_.text.data(), request_.text.size(), MSG_NOSIGNAL);
  if (n != static_cast<ssize_t>(request_.text.size()))
    fail(std::string("cannot send: ") + std::strerror(errno));
}

bool connection::receive() {
  const auto n = ::recv(socket_, buffer_.data() + filled_, buffer_.size() - filled_, MSG_DONTWAIT);
  if (n == 0)
    fail("the server closed a connection");
  if (n < 0) {
    if (errno == EAGAIN || errno == EINTR)
      return false;
    fail(std::string("cannot receive: ") + std::strerror(errno));
  }
  filled_ += static_cast<std::size_t>(n);
  if (total_ == 0)
    read_header();
  if (total_ == 0 || filled_ < total_)
    return false;
  if (filled_ > total_)
    fail("more bytes than Content-Length says");
  check_body();
  return true;
}

void connection::read_header() {
  const auto end = received().find("\r\n\r\n");
  if (end == std::string_view::npos)
    return;
  const auto header = received().substr(0, end + 2);
  if (!header.starts_with("HTTP/1.1 200"))
    fail("not 200: " + std::string(received()));
  for (std::size_t line = header.find("\r\n") + 2; line < header.size();) {
    const auto next = header.find("\r\n", line) + 2;
    constexpr std::string_view name = "content-length:";
    if (next - line > name.size()
        && ::strncasecmp(header.data() + line, name.data(), name.size()) == 0) {
      auto at = line + name.size();
      while (header[at] == ' ')
        ++at;
      std::size_t length = 0;
      std::from_chars(header.data() + at, header.data() + next, length);
      body_at_ = end + 4;
      total_ = body_at_ + length;
      if (total_ > buffer_.size())
        fail("an answer of more than " + std::to_string(buffer_.size()) + " bytes");
      return;
    }
    line = next;
  }
  fail("no Content-Length: " + std::string(header));
}

void connection::check_body() const {
  const auto body = received().substr(body_at_);
  const std::string_view id(request_.text.data() + request_.id_at - 1, number_digits + 1);
  if (body.find(id) == std::string_view::npos
      || body.find("\"TASK_STATE_COMPLETED\"") == std::string_view::npos
      || body.find("\"result\"") == std::string_view::npos)
    fail("wrong answer to " + std::string(id) + ": " + std::string(body));
}

} // namespace troupe::bench
